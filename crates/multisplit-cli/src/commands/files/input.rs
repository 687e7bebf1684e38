//! The file of the keys.

use super::budget::Budget;
use super::formats::source::{Source, is_standard};
use super::formats::stored::{self, Shape, StoredColumn};
use super::formats::{self, Format, Records, Wanted};
use super::key_type::KeyType;
use super::keys::Keys;
use super::large::partition::is_out_of_memory;
use super::large::table::Table;
use super::number::Number;
use super::order::Order;
use super::paths::OutputPaths;
use super::progress::Progress;
use super::words::{Words, WordsRef};
use crate::shared::arguments::open_device;
use crate::shared::memory::size;
use anyhow::{Context, Result, ensure};
use clap::Args;
use multisplit::{Device, DeviceKind};
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct InputArguments {
    /// The file of the keys, or - for standard input: a NumPy array of one dimension (.npy, or one of a .npz archive),
    /// text (.csv, .tsv, or a number in each line), or numbers alone, little-endian, with --type.
    pub input: PathBuf,
    /// The type of the keys, where the file does not say: u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64, bool,
    /// datetime or string. Of text it is found out: whole numbers, numbers, dates (ISO 8601), true and false, or
    /// strings, whichever the first row has.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = key_type)]
    pub key_type: Option<KeyType>,
    /// The column of a text file, by its name or its number from 1, or the array of an archive.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub column: Option<String>,
    /// Whether the first line of a text file names the columns [default: yes, if nothing in it is a number or a date].
    #[arg(long, value_name = "yes|no", value_parser = formats::yes_or_no, action = clap::ArgAction::Set)]
    pub header: Option<bool>,
    /// The device, by its name in `multisplit devices` [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// How much memory to take for data, such as 512MB or 2GiB: what needs more is worked on in pieces, if the input is
    /// a .npy, .npz or .bin file [default: three quarters of what the machine has to give].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
}

fn key_type(name: &str) -> Result<KeyType, String> {
    let names: Vec<&str> = KeyType::names().collect();
    KeyType::named(name).ok_or_else(|| format!("there are {}", names.join(", ")))
}

/// The file of the keys, and the device to use.
pub struct Input {
    pub path: PathBuf,
    key_type: Option<KeyType>,
    column: Option<String>,
    header: Option<bool>,
    pub device: Device,
    budget: Budget,
}

/// An input: in memory, or in a file that is read in pieces.
pub enum Opened {
    Whole(FileKeys),
    Large(Box<Table>),
}

/// What a command needs memory for.
#[derive(Clone, Copy)]
pub struct Needs {
    /// How many copies of the rows it has at a time.
    pub copies: u64,
    /// Whether rows get a number.
    pub numbered: bool,
}

/// Keys from which on those of 1 or 2 bytes are read in pieces, since each takes 4 bytes on its way. Of fewer it does
/// not matter.
const MANY_SMALL: u64 = 1 << 20;

/// The keys of a file.
pub struct FileKeys {
    pub key_type: KeyType,
    /// Their bits; of strings a hash.
    pub bits: Words,
    /// What their column is called, where the file says.
    pub name: Option<String>,
    pub format: Format,
    /// The records that they are in, if those have more than keys.
    pub records: Option<Box<dyn Records>>,
}

impl Input {
    /// Opens the device. The file is not read yet.
    pub fn new(raw: &InputArguments) -> Result<Self> {
        let device = open_device(raw.device.as_deref())?;
        let (column, header) = (raw.column.clone(), raw.header);
        let budget = Budget::new(raw.memory);
        Ok(Self { path: raw.input.clone(), key_type: raw.key_type, column, header, device, budget })
    }

    fn wanted(&self) -> Wanted<'_> {
        let (column, header) = (self.column.as_deref(), self.header);
        Wanted { column, header, key_type: self.key_type, ..Wanted::default() }
    }

    /// Reads the keys, or leaves them in their file, with the values, if they take too much memory.
    pub fn open(&self, paths: &OutputPaths, needs: Needs) -> Result<Opened> {
        let open = || {
            // A pipe is kept where it fits as often as that.
            let source = Source::open(&self.path)?.settled(self.budget.bytes() / 4)?;
            let Some(shape) = stored::shape(&source, &self.wanted())? else {
                if let Some(bytes) = source.size_in_memory()? {
                    self.budget.check_whole(bytes, "a file of text or strings")?;
                }
                return self.read(source).map(Opened::Whole);
            };
            if self.fits(&shape, paths, needs)? {
                return self.read(source).map(Opened::Whole);
            }
            let keys = stored::open(&source, &self.wanted())?;
            keys.map_or_else(|| self.read(source).map(Opened::Whole), |keys| self.table(keys, paths, needs))
        };
        open().with_context(|| self.name())
    }

    /// Returns whether the rows can be held as often as needed.
    fn fits(&self, shape: &Shape, paths: &OutputPaths, needs: Needs) -> Result<bool> {
        let small = shape.layout.width < 4 && shape.n >= MANY_SMALL;
        let mut row = Words::carried(shape.layout.width) + if needs.numbered { 4 } else { 0 };
        for (path, column) in &paths.values {
            // What is wrong with values is said when they are read.
            let source = Source::open(path).ok().filter(|source| source.len.is_some());
            let wanted = wanted_of_values(column.as_deref(), shape.n);
            let found = source.and_then(|source| stored::shape(&source, &wanted).ok().flatten());
            row += found.map_or(8, |shape| Words::carried(shape.layout.width));
        }
        Ok(!small && u32::try_from(shape.n).is_ok() && self.budget.holds(shape.n, row, needs.copies))
    }

    /// Leaves keys where they are, and values too.
    fn table(&self, keys: StoredColumn, paths: &OutputPaths, needs: Needs) -> Result<Opened> {
        let found = keys.shape.key_type;
        let key_type = KeyType::settle(self.key_type, found)?;
        let (n, mut values) = (keys.shape.n, Vec::new());
        for (path, column) in &paths.values {
            let name = format!("--values {}", shown(path));
            let open = || {
                let source = Source::open(path)?.settled(self.budget.bytes() / 4)?;
                let column = stored::open(&source, &wanted_of_values(column.as_deref(), n))?;
                let column = column.context(
                    "values of so many keys are read in pieces, which text and pipes cannot be; save them as a .npy \
                     file, or give more --memory",
                )?;
                let found = column.shape.n;
                ensure!(found == n, "there are {found} values, but {n} keys; there must be as many");
                Ok(column)
            };
            values.push((open().with_context(|| name.clone())?, name));
        }
        let (folder, name) = (paths.folder_for_temporary_files(), self.name());
        let (numbered, progress) = (needs.numbered, Progress::new(n));
        let budget = self.budget;
        Ok(Opened::Large(Box::new(Table { key_type, keys, values, numbered, budget, folder, name, progress })))
    }

    /// Opens the same file again, to be read in pieces, if `error` says that the device has too little memory for it as
    /// a whole. Otherwise returns the error.
    pub fn reopened(&self, error: anyhow::Error, paths: &OutputPaths, needs: Needs) -> Result<Opened> {
        let of_gpu = self.device.info().kind != DeviceKind::Cpu && is_out_of_memory(&error);
        let again = || -> Result<Option<Opened>> {
            let source = Source::open(&self.path)?;
            let keys = if source.len.is_some() { stored::open(&source, &self.wanted())? } else { None };
            keys.map(|keys| self.table(keys, paths, needs)).transpose()
        };
        match again() {
            Ok(Some(opened)) if of_gpu => Ok(opened),
            _ => Err(error),
        }
    }

    /// Reads the keys into memory.
    fn read(&self, source: Source) -> Result<FileKeys> {
        let column = formats::read_source(source, &self.wanted())?;
        let (key_type, bits) = column.elements.into_keys()?;
        let key_type = KeyType::settle(self.key_type, Some(key_type))?;
        ensure!(
            u32::try_from(bits.len()).is_ok(),
            "there are 2^32 keys or more, which are too many to be held; save them as a .npy file, or as numbers alone"
        );
        Ok(FileKeys { key_type, bits, name: column.name, format: column.format, records: column.records })
    }

    /// Returns how messages call it.
    pub fn name(&self) -> String {
        shown(&self.path)
    }
}

fn wanted_of_values(column: Option<&str>, keys: u64) -> Wanted<'_> {
    Wanted { column, values_of: Some(keys as usize), beside: true, ..Wanted::default() }
}

impl Opened {
    fn keys(&self) -> &dyn Keys {
        match self {
            Self::Whole(keys) => keys,
            Self::Large(table) => &**table,
        }
    }
}

impl Keys for Opened {
    fn about(&self) -> KeysInShort {
        self.keys().about()
    }

    fn format(&self) -> Format {
        self.keys().format()
    }

    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        self.keys().each(visit)
    }

    fn words_at(&self, device: &Device, order: Order, ranks: &[u64]) -> Result<Vec<u64>> {
        self.keys().words_at(device, order, ranks)
    }
}

/// Returns how messages call a file.
pub fn shown(path: &Path) -> String {
    if is_standard(path) { "standard input".into() } else { path.display().to_string() }
}

/// What reports say of keys.
pub struct KeysInShort {
    pub key_type: KeyType,
    pub n: usize,
    pub name: Option<String>,
}

impl KeysInShort {
    /// Returns how files call their column.
    pub fn column_name(&self) -> &str {
        self.name.as_deref().unwrap_or("key")
    }
}

impl FileKeys {
    pub fn in_short(&self) -> KeysInShort {
        KeysInShort { key_type: self.key_type, n: self.len(), name: self.name.clone() }
    }

    /// Returns how files call their column.
    pub fn column_name(&self) -> &str {
        self.name.as_deref().unwrap_or("key")
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }
}

/// Reads numbers of the same type as the keys, such as splitters.
pub fn read_like_keys(path: &Path, key_type: KeyType) -> Result<Vec<Number>> {
    key_type.expect_order()?;
    // Whole numbers of a text fit any type that has them.
    let wanted = Wanted { key_type: Some(key_type), beside: true, ..Wanted::default() };
    let (found, bits) = formats::read(path, &wanted)?.elements.into_keys()?;
    ensure!(found == key_type, "these are {found}, but the keys are {key_type}; both must be of one type");
    let (order, bits) = (key_type.order(), bits.as_ref());
    Ok((0..bits.len()).map(|i| key_type.number(order.word(bits.get(i)))).collect())
}
