//! Where, when and of what rows were measured.

use super::row::Row;
use crate::shared::version::COMMIT;
use multisplit::{Device, DeviceKind};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What all rows of a run have in common.
pub struct Provenance {
    pub device: String,
    driver: Option<String>,
    date: Option<String>,
    command: String,
}

impl Provenance {
    /// Collects what is known of the device, the program and the command.
    pub fn new(device: &Device) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        Self {
            device: device.info().to_string(),
            driver: (device.info().kind == DeviceKind::Cuda).then(nvidia_driver).flatten(),
            date: since_epoch.map(|time| date(time.as_secs() / 86_400)),
            command: command(std::env::args().skip(1)),
        }
    }

    /// Names another command than the one that was typed.
    pub fn by_command(self, command: Option<String>) -> Self {
        Self { command: command.unwrap_or(self.command), ..self }
    }

    /// Returns an empty row of this run.
    pub fn row(&self, op: &str, by: &str) -> Row {
        self.sign(Row { op: op.into(), by: by.into(), ..Row::default() })
    }

    /// Sets what all rows of this run have in common.
    pub fn sign(&self, row: Row) -> Row {
        let Self { device, driver, date, command } = self;
        Row {
            device: device.clone(),
            driver: driver.clone(),
            commit: Some(COMMIT.into()),
            date: date.clone(),
            command: Some(command.clone()),
            ..row
        }
    }
}

fn nvidia_driver() -> Option<String> {
    let file = std::fs::read_to_string("/sys/module/nvidia/version").ok().map(|text| text.trim().to_string());
    file.or_else(|| first_line("nvidia-smi", &["--query-gpu=driver_version", "--format=csv,noheader"]))
}

/// Returns the first line that a program prints, if it exists and succeeds.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(|line| line.trim().to_string()).filter(|line| !line.is_empty())
}

/// Quotes a command so that it can be typed again.
pub fn command(arguments: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=^+@%".contains(c);
    let quoted = arguments.map(|argument| {
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    std::iter::once("multisplit".to_string()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Formats the date in UTC, from the days since 1970-01-01. Years are counted from 1 March of the year 0, so that leap
/// days come last.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn commands_can_be_typed_again() {
        let arguments = ["bench", "--n", "2^25", "--out", "a file", "it's", ""].map(String::from);
        assert_eq!(command(arguments.into_iter()), r"multisplit bench --n 2^25 --out 'a file' 'it'\''s' ''");
    }
}
