//! Devices by the names that a command line has for them.

use super::usage::usage;
use anyhow::{Context, Result, anyhow};
use multisplit::{Device, DeviceInfo, DeviceKind};

/// What `--device` takes, beside the name of a device.
pub const SHORT_FORMS: &str = "cpu, gpu, cuda, wgpu, vulkan, metal or dx12";

/// Opens the device of `--device`, by default the best.
pub fn open_device(name: Option<&str>) -> Result<Device> {
    let Some(name) = name else { return Ok(Device::best()) };
    match full_names(name)? {
        Names::Single(full) => Device::open(&full).with_context(|| format!("--device {name}")),
        Names::AnyOf(all) => first_that_opens(name, &all),
    }
}

/// Returns the name of the device that `--device` means, which is not opened.
pub fn full_name(name: &str) -> Result<String> {
    Ok(match full_names(name)? {
        Names::Single(full) => full,
        Names::AnyOf(mut all) => all.swap_remove(0),
    })
}

/// Devices that are meant.
enum Names {
    /// By its own name.
    Single(String),
    /// One of these, the best first. There is at least one.
    AnyOf(Vec<String>),
}

fn full_names(name: &str) -> Result<Names> {
    // Nobody waits for drivers then.
    if name.split('/').next() == Some("cpu") {
        return Ok(Names::Single(name.into()));
    }
    let (device, number) = name.split_once(':').map_or((name, None), |(device, number)| (device, Some(number)));
    let is_short = ["gpu", "cuda", "wgpu", "vulkan", "metal", "dx12"].contains(&device);
    let is_full = number.is_some() && ["cuda", "wgpu"].contains(&device);
    if !is_full && (number.is_some() || !is_short) {
        return Err(usage(format!(
            "--device {name}: there is no device '{name}'; take {SHORT_FORMS}, or one of those here: {}",
            listed()
        )));
    }
    let all = Device::list();
    if let Some(number) = number {
        let number = number.split('/').next().unwrap_or_default();
        let full = format!("{device}:{number}");
        if all.iter().any(|info| info.name == full) {
            return Ok(Names::Single(name.into()));
        }
        return Err(anyhow!("--device {name}: there is no device '{full}' here{}", instead(device)));
    }
    let found: Vec<String> = all.into_iter().filter(|info| is_meant(device, info)).map(|info| info.name).collect();
    if found.is_empty() {
        return Err(anyhow!("--device {name}: there is no such device here{}", instead(device)));
    }
    Ok(Names::AnyOf(found))
}

/// Returns whether a short form may mean a device. Only `gpu` does not mean those of software.
fn is_meant(short: &str, info: &DeviceInfo) -> bool {
    let is_wgpu = info.name.starts_with("wgpu:");
    match short {
        "gpu" => info.kind < DeviceKind::Cpu,
        "cuda" => info.kind == DeviceKind::Cuda,
        "wgpu" => is_wgpu,
        // The description of such a device ends with what it is driven by.
        api => is_wgpu && info.description.rsplit(", ").next().is_some_and(|driven| driven.eq_ignore_ascii_case(api)),
    }
}

fn first_that_opens(name: &str, all: &[String]) -> Result<Device> {
    let mut failed = None;
    for full in all {
        match Device::open(full) {
            Ok(device) => return Ok(device),
            // What the best one says counts.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let failed = failed.map(anyhow::Error::from);
    Err(failed.unwrap_or_else(|| anyhow!("it cannot be opened")).context(format!("--device {name}")))
}

/// Says why a back end has no devices, and which devices there are.
fn instead(device: &str) -> String {
    let back_end = if device == "cuda" { "cuda" } else { "wgpu" };
    let missing = Device::missing_back_ends();
    let why = missing.iter().filter(|missing| device == "gpu" || missing.name == back_end);
    let why: Vec<String> = why.map(|missing| format!("{}: {}", missing.name, missing.reason)).collect();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
    format!("{why}; devices here: {}", listed())
}

fn listed() -> String {
    let all: Vec<String> = Device::list().iter().map(ToString::to_string).collect();
    all.join(", ")
}

/// A device, and why it is not the one that is taken by default.
pub struct Listed {
    pub info: DeviceInfo,
    /// None of the default.
    pub passed_over: Option<String>,
}

/// Lists all devices, best first.
pub fn list_with_reasons() -> Vec<Listed> {
    let mut default: Option<DeviceInfo> = None;
    let judge = |info: DeviceInfo| {
        let passed_over = match &default {
            _ if info.kind == DeviceKind::Software => Some("a software device, only on request".into()),
            Some(default) if info.kind == default.kind => Some(format!("of the same kind as {}", default.name)),
            Some(default) => Some(format!("of a slower kind than {}", default.name)),
            None => match Device::open(&info.name) {
                Ok(_) => {
                    default = Some(info.clone());
                    None
                }
                Err(error) => Some(format!("it cannot be opened: {error}")),
            },
        };
        Listed { info, passed_over }
    };
    Device::list().into_iter().map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::usage::UsageError;

    #[test]
    fn the_cpu_is_the_default_where_nothing_else_is() {
        let all = list_with_reasons();
        assert_eq!(all.iter().filter(|listed| listed.passed_over.is_none()).count(), 1);
        assert_eq!(open_device(Some("cpu")).unwrap().name(), "cpu");
        assert_eq!(full_name("cpu").unwrap(), "cpu");
    }

    #[test]
    fn names_that_mean_nothing_are_mistakes_in_usage() {
        for name in ["", "nothing", "gpu:0", "cuda0", "CPU", "cpu:0", "vulkan:1"] {
            let error = open_device(Some(name)).unwrap_err();
            assert!(error.is::<UsageError>(), "{name}: {error:#}");
        }
        let error = open_device(Some("cuda:1000")).unwrap_err();
        assert!(!error.is::<UsageError>(), "{error:#}");
        assert!(error.to_string().contains("there is no device 'cuda:1000' here"), "{error:#}");
    }
}
