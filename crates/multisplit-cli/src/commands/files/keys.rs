//! Keys wherever they are: in memory, or in a file that is read in pieces.

use super::formats::Format;
use super::formats::text_pieces::TextPieces;
use super::input::{FileKeys, KeysInShort};
use super::number::Number;
use super::order::Order;
use super::rows::Rows;
use super::sort_rows::sort_rows;
use super::words::WordsRef;
use anyhow::{Result, bail};
use multisplit::{Device, Sort};

/// Words that are looked at at a time, so that copies of them are small.
const PIECE: usize = 1 << 22;

/// What rules and bins ask of keys. They can be gone through as often as needed.
pub trait Keys {
    fn about(&self) -> KeysInShort;

    /// Returns the format that they are read from.
    fn format(&self) -> Format;

    /// Calls `visit` with the bits of all keys, piece by piece, in their order.
    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()>;

    /// Returns the words, in some order, of the keys that have these ranks when they are sorted so. Ranks ascend.
    fn words_at(&self, device: &Device, order: Order, ranks: &[u64]) -> Result<Vec<u64>>;

    /// Returns the smallest and the largest finite key; 0 and 0 if there are none.
    fn extent(&self) -> Result<(Number, Number)> {
        let key_type = self.about().key_type;
        let (order, mut found) = (key_type.order(), None);
        self.each(&mut |bits| {
            let extent = order.extent(bits, key_type.finite());
            found = match (found, extent) {
                (Some((a, b)), Some((c, d))) => Some((u64::min(a, c), u64::max(b, d))),
                (found, extent) => found.or(extent),
            };
            Ok(())
        })?;
        let zero = || order.word(0);
        let (smallest, largest) = found.unwrap_or_else(|| (zero(), zero()));
        Ok((key_type.number(smallest), key_type.number(largest)))
    }
}

impl Keys for FileKeys {
    fn about(&self) -> KeysInShort {
        self.in_short()
    }

    fn format(&self) -> Format {
        self.format
    }

    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        let (bits, n) = (self.bits.as_ref(), self.len());
        (0..n).step_by(PIECE).try_for_each(|begin| visit(bits.slice(begin..n.min(begin + PIECE))))
    }

    fn words_at(&self, device: &Device, order: Order, ranks: &[u64]) -> Result<Vec<u64>> {
        let mut carriers = self.bits.as_ref().to_owned();
        order.apply(&mut carriers);
        let sorted = sort_rows(device, &Sort::new(), Rows { carriers, columns: Vec::new() }, false)?.rows.carriers;
        Ok(ranks.iter().map(|&rank| sorted.as_ref().get(rank as usize)).collect())
    }
}

impl Keys for TextPieces {
    fn about(&self) -> KeysInShort {
        let (name, nulls) = (self.name().map(str::to_string), Some(self.nulls).filter(|&(rows, _)| rows > 0));
        KeysInShort { key_type: self.key_type, n: self.n as usize, name, nulls }
    }

    fn format(&self) -> Format {
        self.format()
    }

    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        self.each(visit)
    }

    fn words_at(&self, _device: &Device, _order: Order, _ranks: &[u64]) -> Result<Vec<u64>> {
        bail!("text that is read in pieces can be counted, but not sorted; save the column as a .npy file")
    }
}
