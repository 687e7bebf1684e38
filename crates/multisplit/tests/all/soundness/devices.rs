//! Devices that are opened twice, brought along, or not looked at.

use crate::common::everywhere;
#[cfg(feature = "wgpu")]
use crate::common::gpu;
use multisplit::bucket::Identity;
use multisplit::{Device, Multisplit};
#[cfg(feature = "wgpu")]
use multisplit::{
    bucket::Delta,
    measure::{Reference, bandwidth},
};
#[cfg(feature = "wgpu")]
use test_support::uniform;

/// Opening a device twice gives the same one.
#[test]
fn a_device_opened_twice() {
    everywhere("a_device_opened_twice", |device| {
        let again = Device::open(device.name()).unwrap();
        let f = Identity::<u32>::new(4);
        let split = Multisplit::by(&f);
        let keys = device.upload(&[3u32, 0, 2, 1]).unwrap();
        let (mut out, mut offsets) = (again.alloc(4).unwrap(), split.offsets(device).unwrap());
        let mut workspace = split.workspace(&again, 4, 0).unwrap();
        split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(out.download().unwrap(), [0, 1, 2, 3]);
    });
}

/// A client on a software device is known for one, so that kernels there stop before the device stops them.
#[cfg(feature = "wgpu")]
#[test]
fn a_client_on_a_software_device() {
    use multisplit::DeviceKind;
    use multisplit::cubecl::Runtime;
    use multisplit::cubecl::wgpu::{WgpuDevice, WgpuRuntime};
    let Some(device) = gpu("a_client_on_a_software_device").filter(|d| d.info().kind == DeviceKind::Software) else {
        return;
    };
    let given = Device::from_wgpu(WgpuRuntime::client(&WgpuDevice::Cpu)).unwrap();
    assert_eq!(given.info().kind, DeviceKind::Software);
    // So many keys take more rounds of a loop than such a device runs in one kernel.
    let keys = uniform(3 << 20, 7);
    let f = Delta::whole(2).unwrap();
    let got = multisplit::split(&given, &keys, &f).unwrap();
    assert!(got.keys == Reference::split(&keys, &f).permute(&keys));
    // It is the same device, if on another stream.
    let input = given.upload(&[3u32, 1, 2]).unwrap();
    let mut out = device.alloc(3).unwrap();
    bandwidth::copy(&input, &mut out).unwrap();
    assert_eq!(out.download().unwrap(), [3, 1, 2]);
}

/// The CPU is opened without a look at any GPU.
#[cfg(target_os = "linux")]
#[test]
fn the_cpu_alone() {
    const CHILD: &str = "MULTISPLIT_TEST_THE_CPU_ALONE";
    if std::env::var_os(CHILD).is_some() {
        Device::open("cpu").unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains("libvulkan") && !maps.contains("libcuda"), "a driver was loaded:\n{maps}");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let child = std::process::Command::new(program)
        .args(["--exact", "soundness::devices::the_cpu_alone"])
        .env(CHILD, "1")
        .output();
    let child = child.unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
}
