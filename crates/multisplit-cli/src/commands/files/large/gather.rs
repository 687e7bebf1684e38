//! Records that are put in the order of their keys.
//!
//! Keys are sorted or split first, with the number and the size of the record of each. So it is known which records
//! make a part of the output that fits the memory. The numbers are sorted, to know of each record where it goes, and
//! the records are read in their order and dealt out to the parts, in a temporary file ([`Spool`]). Then part by part
//! is read and written. Whatever the keys are, everything is read and written in order.

use super::record_files::RecordFiles;
use super::sort::ExternalSort;
use super::spool::Spool;
use super::table::Table;
use crate::commands::files::formats::column_file::ColumnFile;
use crate::commands::files::formats::stored_records::{KeptPart, RecordReader, StoredRecords};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use crate::commands::files::write::OutputFiles;
use crate::shared::progress;
use anyhow::{Context, Result, ensure};
use multisplit::Device;
use std::ops::Range;

/// Bytes that are held for each record, beside the record: where it is, and where it goes.
const OF_RECORD: u64 = 40;

/// How many bytes come before records that are kept: how many these are, and how many bytes they have.
const HEAD: usize = 16;

/// The order of records, as it becomes known.
pub struct Gathering<'a> {
    table: &'a Table,
    records: &'a dyn StoredRecords,
    /// The numbers of the records, in the order in which they are written.
    numbers: ColumnFile,
    /// How many records there are before the end of each part of the output, but the last.
    ends: Vec<u64>,
    n: u64,
    /// How many bytes the last part takes.
    size: u64,
}

impl<'a> Gathering<'a> {
    /// Begins with no records. None if keys are written without them.
    pub fn begin(table: &'a Table) -> Result<Option<Self>> {
        let Some((records, _)) = &table.records else { return Ok(None) };
        let numbers = ColumnFile::new(&table.folder, table.number_width())?;
        Ok(Some(Self { table, records: &**records, numbers, ends: Vec::new(), n: 0, size: 0 }))
    }

    /// Appends the records of some rows of columns, of which the last two are their sizes and their numbers.
    pub fn push(&mut self, columns: &[Words], rows: Range<usize>) -> Result<()> {
        let [.., sizes, numbers] = columns else { return Ok(()) };
        self.numbers.push(numbers.as_ref().slice(rows.clone()))?;
        let most = self.table.budget.bytes() / 2 / self.records.copies();
        for row in rows {
            let size = sizes.as_ref().get(row) + OF_RECORD;
            if self.size > 0 && self.size + size > most {
                self.ends.push(self.n);
                self.size = 0;
            }
            self.size += size;
            self.n += 1;
        }
        Ok(())
    }

    /// Deals out the records, and writes them.
    pub fn write(mut self, device: &Device, to: &mut RecordFiles<'_>, files: &mut OutputFiles) -> Result<()> {
        self.ends.push(self.n);
        let Self { table, records, ends, .. } = self;
        let stage = progress::transfer("moving rows");
        let key_type = KeyType::Unsigned(8 * table.number_width() as u32);
        let inverse = Table {
            key_type,
            keys: self.numbers.finish(Some(key_type), None, table.keys.format)?,
            values: Vec::new(),
            numbered: true,
            records: None,
            nulls: None,
            named: Default::default(),
            budget: table.budget,
            folder: table.folder.clone(),
            name: table.name.clone(),
        };
        let spool = Spool::new(&table.folder, ends.len(), (table.budget.bytes() / 8) as usize)?;
        let mut dealing =
            Dealing { reader: records.reader()?, spool, ends: &ends, first: 0, count: 0, marks: Vec::new() };
        let by_number = ExternalSort::new(device, inverse.room(), key_type.order(), 0..key_type.bits());
        let mut deal = || {
            by_number.run(&inverse, &mut |columns| {
                let (numbers, places) = (columns[0].as_ref(), columns[1].as_ref());
                (0..numbers.len()).try_for_each(|i| dealing.take(numbers.get(i), places.get(i)))
            })?;
            dealing.keep()?;
            dealing.spool.flush()?;
            records.check_unchanged()
        };
        deal().with_context(|| table.name.clone())?;
        drop(stage);
        let _stage = progress::transfer("writing rows");
        progress::expect(records.bytes());
        let spool = dealing.spool;
        for (part, begin) in (0..ends.len()).zip(std::iter::once(0).chain(ends.iter().copied())) {
            let Part { kept, parts, order } = Part::open(spool.read(part)?, (ends[part] - begin) as usize)?;
            to.write(&*records.take(kept, &parts)?, &order, begin, files)?;
        }
        to.finish(files)
    }
}

/// The records of a file, which are read and dealt out in their order.
struct Dealing<'a> {
    reader: Box<dyn RecordReader + 'a>,
    spool: Spool,
    ends: &'a [u64],
    /// The number of the first record of the piece that was read last.
    first: u64,
    /// How many it has.
    count: u64,
    /// Those that are written.
    marks: Vec<Mark>,
}

/// Where a record goes.
struct Mark {
    part: u32,
    /// Its place in the part.
    place: u32,
    /// Its number in the piece.
    row: u32,
}

impl Dealing<'_> {
    /// Takes a record that goes to a place of the output. Numbers ascend.
    fn take(&mut self, number: u64, place: u64) -> Result<()> {
        while number >= self.first + self.count {
            self.keep()?;
            self.first += self.count;
            self.count = self.reader.next()?.context("the file changed while it was read: it has fewer rows")? as u64;
        }
        let part = self.ends.partition_point(|&end| end <= place);
        let begin = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.marks.push(Mark { part: part as u32, place: (place - begin) as u32, row: (number - self.first) as u32 });
        Ok(())
    }

    /// Keeps the records of the piece.
    fn keep(&mut self) -> Result<()> {
        self.marks.sort_by_key(|mark| mark.part);
        for marks in self.marks.chunk_by(|a, b| a.part == b.part) {
            let rows: Vec<u32> = marks.iter().map(|mark| mark.row).collect();
            self.spool.push(marks[0].part as usize, &mut |to| {
                to.extend((marks.len() as u64).to_le_bytes());
                let at = to.len();
                to.extend([0; size_of::<u64>()]);
                to.extend(marks.iter().flat_map(|mark| mark.place.to_le_bytes()));
                let begin = to.len();
                self.reader.keep(&rows, to)?;
                let size = (to.len() - begin) as u64;
                to[at..at + 8].copy_from_slice(&size.to_le_bytes());
                Ok(())
            })?;
        }
        self.marks.clear();
        Ok(())
    }
}

/// A part of the output, as it was kept.
struct Part {
    kept: Vec<u8>,
    parts: Vec<KeptPart>,
    /// Which of the records comes first, second and so on.
    order: Vec<u32>,
}

impl Part {
    /// Takes what is kept of so many records.
    fn open(kept: Vec<u8>, records: usize) -> Result<Self> {
        let cut = "a temporary file was cut short";
        let (mut parts, mut order, mut at, mut row) = (Vec::new(), vec![u32::MAX; records], 0, 0);
        while at < kept.len() {
            let word = |at: usize| Some(u64::from_le_bytes(*kept.get(at..)?.first_chunk()?) as usize);
            let (count, size) = (word(at).context(cut)?, word(at + 8).context(cut)?);
            let begin = at + HEAD + 4 * count;
            for place in kept.get(at + HEAD..begin).context(cut)?.as_chunks::<4>().0 {
                *order.get_mut(u32::from_le_bytes(*place) as usize).context(cut)? = row;
                row += 1;
            }
            at = begin + size;
            parts.push(KeptPart { range: begin..at, count });
        }
        ensure!(at == kept.len() && row as usize == records, cut);
        Ok(Self { kept, parts, order })
    }
}
