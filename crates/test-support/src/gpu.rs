use std::io::Write;
use std::sync::OnceLock;

/// The GPU to test on: the one that `MULTISPLIT_TEST_DEVICE` names, or the `first` one found, in software or not.
///
/// It is opened once, by the first test that asks, and kept in `device`. Without one the test is left out, and says so.
/// `./test` sets `MULTISPLIT_REQUIRE_GPU`: then it fails instead. (This crate does not know devices, so that tests
/// without GPUs need not build what these take.)
pub fn gpu<D>(
    test: &str,
    device: &'static OnceLock<Option<D>>,
    first: impl FnOnce() -> Option<String>,
    open: impl FnOnce(&str) -> D,
) -> Option<&'static D> {
    let name = || std::env::var("MULTISPLIT_TEST_DEVICE").ok().or_else(first);
    let found = device.get_or_init(|| name().map(|name| open(&name)));
    if found.is_none() {
        no_gpu(test);
        // Past the test runner's capture: who runs the tests should see it.
        let _ = writeln!(std::io::stderr(), "left out, no GPU or software Vulkan device: {test}");
    }
    found.as_ref()
}

/// Fails where `MULTISPLIT_REQUIRE_GPU` is set: no GPU was found, as `context` shows.
pub fn no_gpu(context: &str) {
    let required = std::env::var_os("MULTISPLIT_REQUIRE_GPU").is_some();
    assert!(!required, "no GPU was found, and MULTISPLIT_REQUIRE_GPU is set: {context}");
}
