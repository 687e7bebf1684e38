//! `multisplit devices`: lists the devices of this machine.

use crate::shared::devices::{Listed, list_with_reasons};
use crate::shared::facts::{Facts, JsonArgument};
use anyhow::Result;
use clap::Args;
use multisplit::{Device, DeviceKind, MissingBackEnd};
use std::io::{self, Write};

#[derive(Args, Clone, Debug)]
pub struct DevicesArguments {
    #[command(flatten)]
    pub json: JsonArgument,
}

/// Runs `multisplit devices`.
pub fn run(raw: &DevicesArguments) -> Result<()> {
    let (all, missing) = (list_with_reasons(), Device::missing_back_ends());
    let out = &mut io::stdout().lock();
    if raw.json.json {
        return Ok(facts(&all, &missing).write(out)?);
    }
    writeln!(out, "Devices:")?;
    for Listed { info, passed_over } in &all {
        let (mark, why) = match passed_over {
            None => ('*', "the default"),
            Some(why) => (' ', why.as_str()),
        };
        writeln!(out, " {mark} {:<8} {} - {why}", info.name, info.description)?;
    }
    if !missing.is_empty() {
        writeln!(out, "No devices of:")?;
    }
    for MissingBackEnd { name, reason, .. } in &missing {
        writeln!(out, "   {name:<8} {reason}")?;
    }
    Ok(())
}

fn facts(all: &[Listed], missing: &[MissingBackEnd]) -> Facts {
    let device = |listed: &Listed| {
        let is_default = listed.passed_over.is_none();
        Facts::device(&listed.info).with("default", is_default).with("passed_over", listed.passed_over.clone())
    };
    let back_end = |missing: &MissingBackEnd| {
        Facts::none().with("name", missing.name.as_str()).with("reason", missing.reason.as_str())
    };
    let default = all.iter().find(|listed| listed.passed_over.is_none()).map(|listed| listed.info.name.clone());
    Facts::of("devices")
        .with("default", default)
        .with_list("devices", &all.iter().map(device).collect::<Vec<_>>())
        .with_list("missing_back_ends", &missing.iter().map(back_end).collect::<Vec<_>>())
}

/// Lists the devices, and marks the chosen one.
pub fn list(out: &mut impl Write, chosen: &Device) -> Result<()> {
    writeln!(out, "Devices:")?;
    for info in Device::list() {
        let mark = if chosen.name() == info.name { '*' } else { ' ' };
        let note = if info.kind == DeviceKind::Software { " - software, only on request" } else { "" };
        writeln!(out, " {mark} {:<8} {}{note}", info.name, info.description)?;
    }
    Ok(())
}
