//! The file of the keys.

use super::encoding::Encoding;
use super::formats::{self, Format, NullPlace, Records, Wanted, source::is_standard};
use super::key_type::KeyType;
use super::number::Number;
use super::words::Words;
use crate::shared::devices::open_device;
use crate::shared::facts::JsonArgument;
use crate::shared::progress;
use crate::shared::usage::usage;
use anyhow::{Context, Result, ensure};
use clap::Args;
use multisplit::Device;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct InputArguments {
    /// The file of the keys, or - for standard input: a NumPy array of one dimension (.npy, or one of a .npz archive),
    /// text (.csv, .tsv, or a number in each line), a table (.parquet, .arrow or .feather, .arrows) if the program was
    /// built with them, or numbers alone, little-endian, with --type.
    pub input: PathBuf,
    /// The type of the keys, where the file does not say: u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64, bool,
    /// datetime, string, or decimal2 for decimals of two places, or decimal and another number of places. Of text it is
    /// found out: whole numbers, numbers, dates (ISO 8601), true and false, or strings, whichever the first row has.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = key_type)]
    pub key_type: Option<KeyType>,
    /// The column of a text file or a table, by its name or its number from 1, or the array of an archive.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub column: Option<String>,
    /// Whether the first line of a text file names the columns [default: yes, if nothing in it is a number or a date].
    #[arg(long, value_name = "yes|no", value_parser = formats::yes_or_no, action = clap::ArgAction::Set)]
    pub header: Option<bool>,
    /// What to do with rows without a key, which is null, or of a text an empty field: error to refuse them, drop to
    /// leave them out, or in a sort first or last, to put them there.
    #[arg(long, value_name = "WHAT", default_value = "error", hide_possible_values = true)]
    pub null: NullPlace,
    /// The device, by its name in `multisplit devices`, or gpu, cuda, wgpu, vulkan, metal or dx12 for the first of those
    /// [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    #[command(flatten)]
    pub json: JsonArgument,
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
    null: NullPlace,
    pub device: Device,
    /// Whether the report is for programs.
    pub json: bool,
}

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
        let json = raw.json.json;
        Ok(Self { path: raw.input.clone(), key_type: raw.key_type, column, header, null: raw.null, device, json })
    }

    /// The same where keys are not sorted, so that rows without a key have no place.
    pub fn unsorted(raw: &InputArguments) -> Result<Self> {
        let input = Self::new(raw)?;
        if matches!(input.null, NullPlace::First | NullPlace::Last) {
            return Err(usage("--null first and last are for sorts; say drop to leave such rows out"));
        }
        Ok(input)
    }

    /// Reads the keys.
    pub fn read(&self) -> Result<FileKeys> {
        self.read_with(&[]).map(|(keys, _)| keys)
    }

    /// Reads the keys, and the columns of these names. Unless `--column` names that of the keys, or the names include
    /// [`KEY`], it is the first of them.
    pub fn read_with(&self, names: &[String]) -> Result<(FileKeys, Vec<NamedColumn>)> {
        let _stage = progress::transfer(format!("reading {}", self.name()));
        let asked = self.key_type;
        let first = names.first().filter(|_| !names.iter().any(|name| name == KEY));
        let column = self.column.as_ref().or(first).map(String::as_str);
        let (header, null) = (self.header, self.null);
        let wanted = Wanted { column, header, key_type: asked, null, ..Wanted::default() };
        let is_other = |name: &&String| *name != KEY && Some(name.as_str()) != column;
        let others: Vec<&str> = names.iter().filter(is_other).map(String::as_str).collect();
        let read = || {
            let (column, others_found) = formats::read_with(&self.path, &wanted, &others)?;
            let mut found = others_found.into_iter();
            let mut named = Vec::new();
            for name in names {
                let elements = if is_other(&name) { found.next() } else { None };
                let context = || format!("column '{name}'");
                let other = elements.map(|elements| elements.into_keys().with_context(context)).transpose()?;
                named.push(NamedColumn { name: name.clone(), other });
            }
            let (key_type, bits) = column.elements.into_keys()?;
            let key_type = KeyType::settle(asked, Some(key_type))?;
            ensure!(u32::try_from(bits.len()).is_ok(), "there are 2^32 keys or more, which are too many");
            let (name, format, records) = (column.name, column.format, column.records);
            Ok((FileKeys { key_type, bits, name, format, records }, named))
        };
        read().with_context(|| self.name())
    }

    /// Returns how messages call it.
    pub fn name(&self) -> String {
        shown(&self.path)
    }
}

/// What the keys are called beside other columns.
pub const KEY: &str = "key";

/// A column that was asked for by its name.
pub struct NamedColumn {
    pub name: String,
    /// Its type and its bits. None if it is that of the keys.
    pub other: Option<(KeyType, Words)>,
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
    /// How many rows have no key, and where they go.
    pub nulls: Option<(usize, NullPlace)>,
}

impl FileKeys {
    pub fn in_short(&self) -> KeysInShort {
        let nulls = self.records.as_ref().and_then(|records| records.nulls());
        let nulls = nulls.map(|nulls| (nulls.rows.len(), nulls.place));
        KeysInShort { key_type: self.key_type, n: self.len(), name: self.name.clone(), nulls }
    }

    /// Returns how files call their column.
    pub fn column_name(&self) -> &str {
        self.name.as_deref().unwrap_or("key")
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Returns the smallest and the largest finite key; 0 and 0 if there are none.
    pub fn extent(&self) -> (Number, Number) {
        let found = self.key_type.order().extent(self.bits.as_ref(), self.key_type.finite());
        let zero = || self.key_type.order().word(0);
        let (smallest, largest) = found.unwrap_or_else(|| (zero(), zero()));
        (self.key_type.number(smallest), self.key_type.number(largest))
    }

    /// Returns the encoding of keys as they are carried where their value counts.
    pub fn carrier(&self) -> Encoding {
        match self.key_type {
            KeyType::Float(16) => Encoding::WideHalf,
            KeyType::Float(_) => Encoding::Bits,
            _ => self.ordered(),
        }
    }

    /// Returns the encoding of keys as they are carried where only their order counts.
    pub fn ordered(&self) -> Encoding {
        Encoding::Ordered(self.key_type.order())
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
