//! The file of the keys.

use super::budget::{Budget, LEAST};
use super::formats::source::{Source, is_standard};
use super::formats::{self, Format, NullPlace, Records, Wanted};
use super::key_type::KeyType;
use super::number::Number;
use super::words::Words;
use crate::shared::devices::open_device;
use crate::shared::facts::JsonArgument;
use crate::shared::memory::{show_size, size};
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
    /// How much memory to take for data, such as 512MB or 2GiB. What needs more goes in pieces, but for strings of NumPy
    /// [default: three quarters of what the machine has to give].
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub json: JsonArgument,
}

fn memory(text: &str) -> Result<u64, String> {
    match size(text)? {
        bytes if bytes < LEAST => Err(format!("there must be {} or more", show_size(LEAST))),
        bytes => Ok(bytes),
    }
}

fn key_type(name: &str) -> Result<KeyType, String> {
    let names: Vec<&str> = KeyType::names().collect();
    KeyType::named(name).ok_or_else(|| format!("there are {}", names.join(", ")))
}

/// The file of the keys, and the device to use.
pub struct Input {
    pub path: PathBuf,
    pub(super) key_type: Option<KeyType>,
    column: Option<String>,
    header: Option<bool>,
    pub(super) null: NullPlace,
    /// The names of columns that are wanted, if an expression has some.
    names: Vec<String>,
    pub device: Device,
    pub(super) budget: Budget,
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
        Ok(Self {
            path: raw.input.clone(),
            key_type: raw.key_type,
            column: raw.column.clone(),
            header: raw.header,
            null: raw.null,
            names: Vec::new(),
            device: open_device(raw.device.as_deref())?,
            budget: Budget::new(raw.memory),
            json: raw.json.json,
        })
    }

    /// The same where keys are not sorted, so that rows without a key have no place.
    pub fn unsorted(raw: &InputArguments) -> Result<Self> {
        let input = Self::new(raw)?;
        if matches!(input.null, NullPlace::First | NullPlace::Last) {
            return Err(usage("--null first and last are for sorts; say drop to leave such rows out"));
        }
        Ok(input)
    }

    /// Reads the columns of these names, too. Unless `--column` names that of the keys, or the names include [`KEY`], it
    /// is the first of them.
    pub fn with_columns(self, names: &[String]) -> Self {
        Self { names: names.to_vec(), ..self }
    }

    /// Returns what is wanted of the file.
    pub fn wanted(&self) -> Wanted<'_> {
        let first = self.names.first().filter(|_| !self.names.iter().any(|name| name == KEY));
        let column = self.column.as_ref().or(first).map(String::as_str);
        let (header, key_type, null) = (self.header, self.key_type, self.null);
        Wanted { column, header, key_type, null, ..Wanted::default() }
    }

    /// Returns the names of the columns beside that of the keys.
    pub fn others(&self) -> Vec<&str> {
        let column = self.wanted().column;
        self.names.iter().map(String::as_str).filter(|&name| name != KEY && Some(name) != column).collect()
    }

    /// Reads the keys into memory, and the columns that were asked for by their names.
    pub fn read(&self, source: Source) -> Result<(FileKeys, Vec<NamedColumn>)> {
        let others = self.others();
        let (column, found) = formats::read_source(source, &self.wanted(), &others)?;
        let (key_type, bits) = column.elements.into_keys()?;
        let key_type = KeyType::settle(self.key_type, Some(key_type))?;
        ensure!(
            u32::try_from(bits.len()).is_ok(),
            "there are 2^32 keys or more, which are too many to be held; save them as a .npy file, or as numbers alone"
        );
        let named = others.into_iter().zip(found).map(|(name, elements)| {
            let (key_type, bits) = elements.into_keys().with_context(|| format!("column '{name}'"))?;
            Ok(NamedColumn { name: name.into(), key_type, bits })
        });
        let named = named.collect::<Result<_>>()?;
        let (name, format, records) = (column.name, column.format, column.records);
        Ok((FileKeys { key_type, bits, name, format, records }, named))
    }

    /// Returns how messages call it.
    pub fn name(&self) -> String {
        shown(&self.path)
    }
}

/// What the keys are called beside other columns.
pub const KEY: &str = "key";

/// A column that was asked for by its name, beside that of the keys.
pub struct NamedColumn {
    pub name: String,
    pub key_type: KeyType,
    pub bits: Words,
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
    pub nulls: Option<(u64, NullPlace)>,
}

impl KeysInShort {
    /// Returns how files call their column.
    pub fn column_name(&self) -> &str {
        self.name.as_deref().unwrap_or("key")
    }
}

impl FileKeys {
    pub fn in_short(&self) -> KeysInShort {
        let nulls = self.records.as_ref().and_then(|records| records.nulls());
        let nulls = nulls.map(|nulls| (nulls.rows.len() as u64, nulls.place));
        KeysInShort { key_type: self.key_type, n: self.len(), name: self.name.clone(), nulls }
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
