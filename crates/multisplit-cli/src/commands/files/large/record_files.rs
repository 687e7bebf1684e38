//! The files that whole records are written to, part by part.

use super::table::Table;
use crate::commands::files::folder::BucketFiles;
use crate::commands::files::formats::stored_records::{RecordWriter, SomeRecords};
use crate::commands::files::paths::OutputPaths;
use crate::commands::files::write::{OpenFile, OutputFiles};
use anyhow::Result;

/// A file of all records, and one for each bucket, of which one is open at a time.
pub struct RecordFiles<'a> {
    table: &'a Table,
    all: Option<RecordFile>,
    /// None if buckets have no files.
    names: Option<&'a BucketFiles>,
    /// Where the buckets begin, and where the last ends.
    offsets: &'a [u64],
    open: Option<RecordFile>,
    /// The first bucket that has no file yet.
    next: usize,
}

struct RecordFile {
    file: OpenFile,
    writer: RecordWriter,
}

impl<'a> RecordFiles<'a> {
    /// Begins to write the records of a table, and those of buckets to files of their own.
    pub fn begin(
        paths: &OutputPaths,
        table: &'a Table,
        buckets: Option<(&'a BucketFiles, &'a [u64])>,
        files: &OutputFiles,
    ) -> Result<Self> {
        let (names, offsets) = buckets.map_or((None, &[][..]), |(names, offsets)| (Some(names), offsets));
        let all = RecordFile::begin(paths, table, files)?;
        Ok(Self { table, all, names, offsets, open: None, next: 0 })
    }

    /// Writes records, of which the first is that of this number in the output.
    pub fn write(
        &mut self,
        records: &dyn SomeRecords,
        rows: &[u32],
        first: u64,
        files: &mut OutputFiles,
    ) -> Result<()> {
        if let Some(all) = &mut self.all {
            all.write(records, rows)?;
        }
        let (mut at, end) = (first, first + rows.len() as u64);
        while self.names.is_some() && at < end {
            let bucket = self.offsets[1..].partition_point(|&offset| offset <= at);
            self.begin_up_to(bucket + 1, files)?;
            let here = at;
            at = self.offsets[bucket + 1].min(end);
            if let Some(open) = &mut self.open {
                open.write(records, &rows[(here - first) as usize..(at - first) as usize])?;
            }
        }
        Ok(())
    }

    /// Begins the files of all buckets below `end`, also of empty ones.
    fn begin_up_to(&mut self, end: usize, files: &mut OutputFiles) -> Result<()> {
        let Some(names) = self.names else { return Ok(()) };
        while self.next < end {
            if let Some(open) = self.open.take() {
                open.finish(files)?;
            }
            self.open = RecordFile::begin(&names.of_bucket(self.next), self.table, files)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Leaves the files to be moved to their places with the others.
    pub fn finish(&mut self, files: &mut OutputFiles) -> Result<()> {
        self.begin_up_to(self.offsets.len().saturating_sub(1), files)?;
        self.all.take().into_iter().chain(self.open.take()).try_for_each(|file| file.finish(files))
    }
}

impl RecordFile {
    /// Begins the file of the keys, if it gets whole records.
    fn begin(paths: &OutputPaths, table: &Table, files: &OutputFiles) -> Result<Option<Self>> {
        let Some((path, (records, _))) = paths.keys.as_deref().zip(table.records.as_ref()) else { return Ok(None) };
        let format = paths.format(path, table.keys.format)?;
        if !records.check(format)? {
            return Ok(None);
        }
        let (mut file, mut writer) = (files.open(path)?, None);
        file.fill(&mut |to| {
            writer = Some(records.begin(to, format)?);
            Ok(())
        })?;
        Ok(writer.map(|writer| Self { file, writer }))
    }

    fn write(&mut self, records: &dyn SomeRecords, rows: &[u32]) -> Result<()> {
        let Self { file, writer } = self;
        file.fill(&mut |to| records.write(to, writer, rows))
    }

    fn finish(self, files: &mut OutputFiles) -> Result<()> {
        let Self { mut file, writer } = self;
        let mut writer = Some(writer);
        file.fill(&mut |to| writer.take().map_or(Ok(()), |writer| writer.finish(to)))?;
        files.close(file)
    }
}
