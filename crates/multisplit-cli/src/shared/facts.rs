//! Reports for programs: what a command has to say, as one JSON object.

use super::messages::is_quiet;
use super::same_file::is_standard_output;
use super::usage::usage;
use anyhow::Result;
use clap::Args;
use multisplit::{DeviceInfo, DeviceKind};
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;

/// The most numbers of a list.
const MOST_SHOWN: usize = (1 << 16) + 1;

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct JsonArgument {
    /// Print the report as one JSON object, for programs.
    #[arg(long)]
    pub json: bool,
}

impl JsonArgument {
    /// Refuses a report that has no place: with `--quiet`, if an output takes standard output.
    pub fn check<'a>(self, outputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
        if self.json && is_quiet() && outputs.into_iter().any(is_standard_output) {
            return Err(usage(
                "--quiet leaves no place for the report of --json, as an output is standard output; name a file for it",
            ));
        }
        Ok(())
    }
}

/// Facts by their names, in the order in which they were added.
#[derive(Clone, Debug)]
pub struct Facts(String);

impl Facts {
    /// Facts that a command tells.
    pub fn of(command: &str) -> Self {
        Self::none().with("command", command)
    }

    /// No facts yet.
    pub fn none() -> Self {
        Self("{".into())
    }

    /// Adds a fact. What is not a finite number is null.
    pub fn with(self, name: &str, value: impl Into<Value>) -> Self {
        self.with_json(name, &value.into().to_string())
    }

    /// Adds a fact that has facts of its own.
    pub fn with_facts(self, name: &str, facts: &Self) -> Self {
        self.with_json(name, &facts.json())
    }

    /// Adds a list of such facts.
    pub fn with_list(self, name: &str, list: &[Self]) -> Self {
        let list: Vec<String> = list.iter().map(Self::json).collect();
        self.with_json(name, &format!("[{}]", list.join(",")))
    }

    /// Adds a fact that is JSON already, as numbers of more than 64 bits are.
    pub fn with_json(mut self, name: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &format!("{}:{json}", Value::from(name));
        self
    }

    /// Adds what the device is.
    pub fn with_device(self, device: &DeviceInfo) -> Self {
        self.with_facts("device", &Self::device(device))
    }

    /// Adds how many buckets there are, where they begin, and where the last ends; which are the fullest and the emptiest
    /// (the first of several), and how many are empty. Of very many buckets only a file has the offsets.
    pub fn with_buckets(self, offsets: &[u64]) -> Self {
        let sizes = || offsets.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
        let bucket = |found: Option<(usize, u64)>| {
            let (bucket, keys) = found.unzip();
            Self::none().with("bucket", bucket).with("keys", keys)
        };
        let shown = (offsets.len() <= MOST_SHOWN).then(|| offsets.to_vec());
        self.with("m", sizes().count())
            .with_facts("largest", &bucket(sizes().max_by_key(|&(b, size)| (size, std::cmp::Reverse(b)))))
            .with_facts("smallest", &bucket(sizes().min_by_key(|&(b, size)| (size, b))))
            .with("empty", sizes().filter(|&(_, size)| size == 0).count())
            .with("offsets", shown)
    }

    /// Adds numbers, one for each bin. Of very many only a file has them.
    pub fn with_numbers(self, name: &str, numbers: &mut dyn ExactSizeIterator<Item = String>) -> Self {
        if numbers.len() > MOST_SHOWN {
            return self.with_json(name, "null");
        }
        self.with_json(name, &format!("[{}]", numbers.collect::<Vec<_>>().join(",")))
    }

    /// Returns what a device is.
    pub fn device(device: &DeviceInfo) -> Self {
        let kind = match device.kind {
            DeviceKind::Cuda => "cuda",
            DeviceKind::DiscreteGpu => "discrete-gpu",
            DeviceKind::IntegratedGpu => "integrated-gpu",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Software => "software",
            _ => "other",
        };
        Self::none()
            .with("name", device.name.as_str())
            .with("description", device.description.as_str())
            .with("kind", kind)
    }

    /// Writes all of them in a line.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.json())
    }

    fn json(&self) -> String {
        format!("{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_json_in_their_order() {
        let inner = Facts::none().with("text", "a \"b\"\n").with("nan", f64::NAN);
        let facts =
            Facts::of("sort").with("n", 3u64).with_facts("in", &inner).with_json("large", &u128::MAX.to_string());
        let facts = facts.with("all", vec![1u32, 2]).with_list("list", &[Facts::none(), inner]);
        assert_eq!(
            facts.json(),
            concat!(
                r#"{"command":"sort","n":3,"in":{"text":"a \"b\"\n","nan":null},"#,
                r#""large":340282366920938463463374607431768211455,"all":[1,2],"#,
                r#""list":[{},{"text":"a \"b\"\n","nan":null}]}"#
            )
        );
    }
}
