//! The GPU that tests run on.

use multisplit::{Device, DeviceKind};
use std::sync::OnceLock;

/// The GPU to test on; see [`test_support::gpu`].
pub fn gpu(test: &str) -> Option<&'static Device> {
    static GPU: OnceLock<Option<Device>> = OnceLock::new();
    let first = || Device::list().into_iter().find(|device| device.kind != DeviceKind::Cpu).map(|device| device.name);
    test_support::gpu(test, &GPU, first, |name| Device::open(name).unwrap_or_else(|error| panic!("{error}")))
}
