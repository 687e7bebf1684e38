//! All tests of the program, run as a user runs it.

mod bench;
mod demo;
mod files;
mod sssp;

/// The name of a GPU among the devices that the program listed. `./test` sets `MULTISPLIT_REQUIRE_GPU`: then there
/// must be one.
fn gpu(devices: &str) -> Option<String> {
    let found = devices.split_whitespace().find(|word| word.starts_with("wgpu:") || word.starts_with("cuda:"));
    let required = std::env::var_os("MULTISPLIT_REQUIRE_GPU").is_some();
    assert!(found.is_some() || !required, "no GPU was found, and MULTISPLIT_REQUIRE_GPU is set:\n{devices}");
    found.map(str::to_string)
}
