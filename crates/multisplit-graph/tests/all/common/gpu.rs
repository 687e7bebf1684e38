//! The GPU that tests run on.

use multisplit::{Device, DeviceKind};
use std::io::Write;
use std::sync::OnceLock;

/// The one that `MULTISPLIT_TEST_DEVICE` names, or the first one found, in software or not.
///
/// Without one the test is left out, and says so. `./test` sets `MULTISPLIT_REQUIRE_GPU`: then it fails instead.
pub fn gpu(test: &str) -> Option<&'static Device> {
    static GPU: OnceLock<Option<Device>> = OnceLock::new();
    let found = GPU.get_or_init(|| match std::env::var("MULTISPLIT_TEST_DEVICE") {
        Ok(name) => Some(Device::open(&name).unwrap_or_else(|error| panic!("{error}"))),
        Err(_) => {
            let info = Device::list().into_iter().find(|device| device.kind != DeviceKind::Cpu)?;
            Some(Device::open(&info.name).unwrap_or_else(|error| panic!("{error}")))
        }
    });
    if found.is_none() {
        let required = std::env::var_os("MULTISPLIT_REQUIRE_GPU").is_some();
        assert!(!required, "{test}: no GPU was found, and MULTISPLIT_REQUIRE_GPU is set");
        let _ = writeln!(std::io::stderr(), "left out, no GPU or software Vulkan device: {test}");
    }
    found.as_ref()
}
