//! `multisplit devices`: lists the devices of this machine.

use anyhow::Result;
use multisplit::{Device, DeviceKind};
use std::io::Write;

/// Lists the devices, and marks the chosen one.
pub fn list(out: &mut impl Write, chosen: Option<&Device>) -> Result<()> {
    writeln!(out, "Devices:")?;
    for info in Device::list() {
        let mark = if chosen.is_some_and(|device| device.name() == info.name) { '*' } else { ' ' };
        let note = if info.kind == DeviceKind::Software { " - software, only on request" } else { "" };
        writeln!(out, " {mark} {:<8} {}{note}", info.name, info.description)?;
    }
    Ok(())
}
