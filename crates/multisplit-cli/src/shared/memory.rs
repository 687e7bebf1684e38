//! Sizes of memory: as they are typed and shown, and how much the machine has to give.

use std::fs;
use std::path::Path;

/// What is taken to be there where the system does not say.
const UNKNOWN: u64 = 4 << 30;

/// Suffixes of sizes, as GNU tools have them.
const UNITS: [(&str, u64); 14] = [
    ("b", 1),
    ("", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

/// Parses a size, such as 512MB, 2GiB or 1.5G.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let unit = UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, bytes)| bytes);
    let bytes = number.parse::<f64>().ok().zip(unit).map(|(number, unit)| number * unit as f64);
    match bytes {
        // The conversion ends with the largest number.
        Some(bytes) if bytes.is_finite() => Ok(bytes as u64),
        _ => Err(format!("'{text}' is not a size such as 512MB, 2GiB or 4G")),
    }
}

/// Formats a size.
pub fn show_size(bytes: u64) -> String {
    let (unit, size) = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("bytes", 1)]
        .into_iter()
        .find(|&(_, size)| bytes >= size)
        .unwrap_or(("bytes", 1));
    let tenths = (u128::from(bytes) * 10 / u128::from(size)) as u64;
    match tenths % 10 {
        0 => format!("{} {unit}", tenths / 10),
        tenth => format!("{}.{tenth} {unit}", tenths / 10),
    }
}

/// Returns how many bytes of memory the machine, or the group of processes that this one is in, has to give. Where the
/// system does not say, that is 4 GiB.
pub fn available() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemAvailable:"));
    let machine = machine.map_or(UNKNOWN, |kib| kib.saturating_mul(1024));
    of_group().map_or(machine, |group| group.min(machine))
}

/// Returns the number behind a name.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the least that is left in a control group of this process, of either version.
fn of_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(left_in_line).min()
}

/// The same for a line such as `0::/user.slice/session` or `4:memory:/user`.
fn left_in_line(line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let (root, limit, used) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
        "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
        _ => return None,
    };
    // A group of a container may be the root that the container sees.
    let own = Path::new(root).join(path.trim_start_matches('/'));
    let groups = own.ancestors().take_while(|group| group.starts_with(root));
    groups.filter_map(|group| left(group, limit, used)).min()
}

/// What is left in a group. Files that are cached can be given up.
fn left(group: &Path, limit: &str, used: &str) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = field(&stat, "inactive_file").unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("123", 123),
            ("64 KiB", 64 << 10),
            ("64k", 64 << 10),
            ("512MB", 512_000_000),
            ("2GiB", 2 << 30),
            ("4G", 4 << 30),
            ("1.5g", 3 << 29),
            ("7b", 7),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "G", "-1", "1X", "1.2.3", "many", "1e3", "."] {
            assert!(size(bad).is_err(), "{bad}");
        }
        let shown = [0, 999, 1 << 10, 1536, (5 << 30) + (1 << 29)].map(show_size);
        assert_eq!(shown, ["0 bytes", "999 bytes", "1 KiB", "1.5 KiB", "5.5 GiB"]);
    }

    #[test]
    fn there_is_memory() {
        assert!(available() > 0);
        assert_eq!(field("MemTotal: 5 kB\nMemAvailable:   17 kB\n", "MemAvailable:"), Some(17));
        assert_eq!(left_in_line("3:cpu,cpuacct:/"), None);
    }
}
