//! The file of the keys, and the one match over their type.

use super::key::FileKey;
use super::key_type::FileKeyType;
use super::read::open_keys;
use crate::shared::arguments::open_device;
use anyhow::{Context, Result};
use clap::Args;
use multisplit::Device;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct InputArguments {
    /// The file of the keys: a NumPy array of one dimension (.npy), or under any other name numbers alone,
    /// little-endian, with --type.
    pub input: PathBuf,
    /// The type of the keys, where the file does not say.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub key_type: Option<FileKeyType>,
    /// The device, by its name in `multisplit devices` [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
}

/// The file of the keys, and the device to use.
pub struct Input {
    pub path: PathBuf,
    key_type: Option<FileKeyType>,
    pub device: Device,
}

/// A command that takes keys of any type.
pub trait KeyCommand {
    /// Runs the command on keys of one type.
    fn run<K: FileKey>(&self, input: &Input, keys: Vec<K>) -> Result<()>;
}

impl Input {
    /// Opens the device. The file is not read yet.
    pub fn new(raw: &InputArguments) -> Result<Self> {
        let device = open_device(raw.device.as_deref())?;
        Ok(Self { path: raw.input.clone(), key_type: raw.key_type, device })
    }

    /// Reads the keys and runs a command on them.
    pub fn run(&self, command: &impl KeyCommand) -> Result<()> {
        let named = || self.path.display().to_string();
        let (key_type, file) = open_keys(&self.path, self.key_type).with_context(named)?;
        match key_type {
            FileKeyType::U8 => command.run::<u8>(self, file.keys().with_context(named)?),
            FileKeyType::U16 => command.run::<u16>(self, file.keys().with_context(named)?),
            FileKeyType::U32 => command.run::<u32>(self, file.keys().with_context(named)?),
            FileKeyType::U64 => command.run::<u64>(self, file.keys().with_context(named)?),
            FileKeyType::I32 => command.run::<i32>(self, file.keys().with_context(named)?),
            FileKeyType::I64 => command.run::<i64>(self, file.keys().with_context(named)?),
            FileKeyType::F32 => command.run::<f32>(self, file.keys().with_context(named)?),
            FileKeyType::F64 => command.run::<f64>(self, file.keys().with_context(named)?),
        }
    }
}
