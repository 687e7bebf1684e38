//! The list of devices, and their short names.

use super::folder;
use crate::program::{code_and_notes, success};
use serde_json::Value;

#[test]
fn one_is_the_default_and_the_others_say_why_not() {
    let listed = success("devices");
    let lines: Vec<&str> = listed.lines().skip(1).take_while(|line| !line.starts_with("No devices")).collect();
    let (default, others): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|line| line.starts_with(" * "));
    assert!(default.len() == 1 && default[0].ends_with(" - the default"), "{listed}");
    let reasons = ["a software device, only on request", "of the same kind as", "of a slower kind than", "cannot be"];
    assert!(others.iter().all(|line| reasons.iter().any(|reason| line.contains(reason))), "{listed}");

    let facts: Value = serde_json::from_str(&success("devices --json")).unwrap();
    let devices = facts["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 1 + others.len(), "{facts}");
    for device in devices {
        let is_default = device["name"] == facts["default"];
        assert_eq!((device["default"] == true, device["passed_over"].is_null()), (is_default, is_default), "{device}");
        let name = device["name"].as_str().unwrap();
        assert!(listed.contains(name) && listed.contains(device["description"].as_str().unwrap()), "{listed}");
    }
    assert!(devices.iter().any(|device| device["name"] == "cpu" && device["kind"] == "cpu"), "{facts}");
    // Every back end has devices, or a reason.
    let missing = facts["missing_back_ends"].as_array().unwrap();
    for back_end in ["cuda", "wgpu"] {
        let is_there = devices.iter().any(|device| device["name"].as_str().unwrap().starts_with(back_end));
        let reason = missing.iter().find(|missing| missing["name"] == back_end).and_then(|it| it["reason"].as_str());
        assert_eq!(is_there, reason.is_none(), "{facts}");
        assert!(reason.is_none_or(|reason| listed.contains(reason)), "{listed}");
    }
}

/// A short name is that of a device, or it says which there are.
#[test]
fn short_names() {
    let folder = folder("short-names");
    let facts: Value = serde_json::from_str(&success("devices --json")).unwrap();
    for short in ["gpu", "cuda", "wgpu", "vulkan"] {
        let is_meant = |device: &Value| match short {
            "gpu" => !["cpu", "software"].contains(&device["kind"].as_str().unwrap()),
            "vulkan" => device["description"].as_str().unwrap().ends_with(", Vulkan"),
            _ => device["name"].as_str().unwrap().starts_with(short),
        };
        let meant = facts["devices"].as_array().unwrap().iter().find(|device| is_meant(device));
        let (code, said) = code_and_notes(&folder.say(&format!("sort @keys.npy -o @out.npy --device {short}")));
        if meant.is_some() {
            assert_eq!(code, Some(0), "{short}: {said}");
        } else {
            assert_eq!(code, Some(1), "{short}: {said}");
            assert!(said.contains(&format!("--device {short}: there is no such device here")), "{said}");
            assert!(said.contains("devices here: ") && said.contains("cpu (this machine's processor"), "{said}");
            assert!(!folder.has("out.npy"));
        }
    }
}

/// The loader of glibc says which libraries it opens.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn the_cpu_does_not_wait_for_drivers() {
    let folder = folder("drivers");
    for arguments in ["sort @keys.npy --output @sorted.npy --device cpu", "completions bash"] {
        let mut command = crate::program::command();
        command.args(folder.say(arguments).split(' ')).env("LD_DEBUG", "files");
        let said = crate::program::text(&command.output().unwrap().stderr);
        assert!(said.contains("calling init"), "{arguments}: {said}");
        assert!(!said.contains("libvulkan") && !said.contains("libcuda"), "{arguments}: {said}");
    }
}
