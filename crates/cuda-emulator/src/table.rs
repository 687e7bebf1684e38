//! The registers that kernels take.

use std::collections::BTreeMap;
use std::fmt;

const HEAD: &str = "gpu\toperation\tkernel\tregisters\tspilled bytes\tsource";

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As the folder of recorded sources is named.
    pub gpu: String,
    /// The first operation that needs it, and which of that operation's kernels it is.
    pub name: String,
    pub kernel: String,
    pub registers: u32,
    pub spilled: u32,
    pub source: Fingerprint,
}

/// Tells sources apart that are compiled differently: a hash of the source with its options, and the compiler's
/// release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// FNV-1a, which is the same for all releases of Rust. The options are the first line of a source; where they say
    /// that headers are differs between checkouts, and does not count.
    pub fn of(compiler: &str, source: &str) -> Self {
        let (options, code) = source.split_once('\n').unwrap_or((source, ""));
        let options = options.split(' ').filter(|option| !option.starts_with("--include-path="));
        let bytes = compiler.bytes().chain([0]).chain(options.flat_map(|option| option.bytes().chain([b' '])));
        let bytes = bytes.chain(code.bytes());
        Self(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Row {
    pub fn parse(line: &str) -> Result<Self, String> {
        let wrong = || format!("this line of a table is not a kernel: {line}");
        let [gpu, name, kernel, registers, spilled, source] =
            line.split('\t').collect::<Vec<_>>().try_into().map_err(|_| wrong())?;
        let number = |text: &str| text.parse().map_err(|_| wrong());
        Ok(Self {
            gpu: gpu.into(),
            name: name.into(),
            kernel: kernel.into(),
            registers: number(registers)?,
            spilled: number(spilled)?,
            source: Fingerprint(u64::from_str_radix(source, 16).map_err(|_| wrong())?),
        })
    }

    /// Whether it is the same kernel but for its source.
    fn takes_as_much(&self, other: &Self) -> bool {
        *self == Self { source: self.source, ..other.clone() }
    }
}

/// All kernels, by GPU and name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table(BTreeMap<(String, String), Row>);

impl Table {
    pub fn new(rows: Vec<Row>) -> Self {
        Self(rows.into_iter().map(|row| ((row.gpu.clone(), row.name.clone()), row)).collect())
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::new(text.lines().skip(1).map(Row::parse).collect::<Result<_, _>>()?))
    }

    /// The row of a kernel, if it was compiled from the same source.
    pub fn compiled(&self, gpu: &str, name: &str, source: Fingerprint) -> Option<&Row> {
        self.0.get(&(gpu.into(), name.into())).filter(|row| row.source == source)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// How many spill registers.
    pub fn spilling(&self) -> usize {
        self.0.values().filter(|row| row.spilled > 0).count()
    }

    /// What is otherwise in `now`, a line each.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let gone = self.0.iter().filter(|(key, _)| !now.0.contains_key(*key)).map(|(_, row)| format!("gone: {row}"));
        let other = now.0.iter().filter_map(|(key, row)| match self.0.get(key) {
            None => Some(format!("new:  {row}")),
            Some(before) if !before.takes_as_much(row) => Some(format!("was:  {before}\nis:   {row}")),
            Some(_) => None,
        });
        gone.chain(other).collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gpu, name, kernel, registers, spilled, source } = self;
        write!(f, "{gpu}\t{name}\t{kernel}\t{registers}\t{spilled}\t{source}")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        self.0.values().try_for_each(|row| writeln!(f, "{row}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, registers: u32, spilled: u32) -> Row {
        let source = Fingerprint(u64::from(registers) << 32);
        Row { gpu: "sm_90".into(), name: name.into(), kernel: "prescan".into(), registers, spilled, source }
    }

    #[test]
    fn tables_are_written_and_read() {
        let table = Table::new(vec![row("split.1", 32, 0), row("split.0", 64, 8)]);
        assert_eq!(
            table.to_string(),
            format!(
                "{HEAD}\nsm_90\tsplit.0\tprescan\t64\t8\t0000004000000000\n\
                sm_90\tsplit.1\tprescan\t32\t0\t0000002000000000\n"
            )
        );
        assert_eq!(
            Table::parse(&table.to_string()),
            Ok(Table::new(vec![row("split.0", 64, 8), row("split.1", 32, 0)]))
        );
        assert_eq!((table.len(), table.spilling()), (2, 1));
        let wrong = Table::parse(&format!("{HEAD}\nsm_90\tsplit.0\tprescan\tmany\t0\t0\n")).unwrap_err();
        assert_eq!(wrong, "this line of a table is not a kernel: sm_90\tsplit.0\tprescan\tmany\t0\t0");
        assert!(Table::parse(&format!("{HEAD}\nsm_90\tsplit.0\n")).is_err());
    }

    #[test]
    fn differences_are_told() {
        let before = Table::new(vec![row("a", 32, 0), row("b", 32, 0), row("c", 32, 0)]);
        let now = Table::new(vec![row("a", 32, 0), row("b", 40, 8), row("d", 32, 0)]);
        assert!(before.differences(&before).is_empty());
        assert_eq!(
            before.differences(&now),
            [
                "gone: sm_90\tc\tprescan\t32\t0\t0000002000000000",
                "was:  sm_90\tb\tprescan\t32\t0\t0000002000000000\n\
                 is:   sm_90\tb\tprescan\t40\t8\t0000002800000000",
                "new:  sm_90\td\tprescan\t32\t0\t0000002000000000",
            ]
        );
    }

    #[test]
    fn sources_are_told_apart() {
        let source = Fingerprint::of("13.0", "// -O3\nvoid f() {}");
        assert_eq!(source, Fingerprint::of("13.0", "// -O3\nvoid f() {}"));
        assert_ne!(source, Fingerprint::of("13.1", "// -O3\nvoid f() {}"));
        assert_ne!(source, Fingerprint::of("13.0", "// -O2\nvoid f() {}"));
        assert_ne!(source, Fingerprint::of("13.0", "// -O3\nvoid g() {}"));
        let elsewhere =
            |folder: &str| Fingerprint::of("13.0", &format!("// --include-path={folder} -O3\nvoid f() {{}}"));
        assert_eq!((elsewhere("/a"), elsewhere("/b/c")), (source, source));
        let before = Table::new(vec![Row { source, ..row("a", 32, 0) }]);
        assert!(before.compiled("sm_90", "a", source).is_some());
        assert!(before.compiled("sm_80", "a", source).is_none());
        let other = Row { source: Fingerprint::of("13.1", ""), ..row("a", 32, 0) };
        assert!(before.compiled("sm_90", "a", other.source).is_none());
        // What counts is what a kernel takes.
        assert!(before.differences(&Table::new(vec![other])).is_empty());
    }
}
