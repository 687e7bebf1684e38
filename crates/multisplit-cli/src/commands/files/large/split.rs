//! A split of rows that are read in pieces.

use super::gather::Gathering;
use super::in_pieces;
use super::outputs::{self, Outputs};
use super::partition::Partition;
use super::record_files::RecordFiles;
use super::runs::Runs;
use super::table::Table;
use crate::commands::files::file_split::{FileBuckets, FileSplit};
use crate::commands::files::folder::BucketFiles;
use crate::commands::files::room;
use crate::commands::files::rows::By;
use crate::commands::files::split_rows::SplitRows;
use crate::commands::files::words::Words;
use crate::commands::files::write::OutputFiles;
use crate::shared::progress;
use anyhow::Result;
use std::ops::Range;

/// Splits the rows of a table, and writes them.
pub fn split(
    of: &FileSplit<'_>,
    table: &Table,
    function: &dyn SplitRows,
    by: &By<'static>,
    files: &mut OutputFiles,
) -> Result<FileBuckets> {
    outputs::check(of.paths, table)?;
    room::check_pieces(of.paths, table, !of.select)?;
    let device = &of.input.device;
    let partition = Partition { device, method: of.method, function, by, room: table.room() };
    let stage = progress::transfer("splitting");
    progress::expect(table.bytes());
    let (runs, time) = partition.run(table)?;
    drop(stage);
    table.check_unchanged()?;
    let mut end = 0;
    let ends = runs.sizes.iter().map(|size| {
        end += size;
        end
    });
    let buckets = FileBuckets { offsets: std::iter::once(0).chain(ends).collect(), time };
    let stage = progress::transfer("writing");
    let mut gathering = Gathering::begin(table)?;
    let mut all = Outputs::begin(of.paths, table, of.kept(&buckets.offsets), files)?;
    let bucket_files = match &of.paths.folder {
        Some(place) => Some(BucketFiles::begin(place, runs.sizes.len(), of.paths, table.keys.format, files)?),
        None => None,
    };
    let mut of_buckets = OfBuckets { names: bucket_files.as_ref(), table, sizes: &runs.sizes, open: None, next: 0 };
    let written = if of.select { 1 } else { runs.sizes.len() };
    each_block(&runs, written, table.piece(), &mut |columns, bucket, rows| {
        all.write(columns, rows.clone())?;
        if let Some(gathering) = &mut gathering {
            gathering.push(columns, rows.clone())?;
        }
        of_buckets.write(columns, bucket, rows, files)
    })?;
    of_buckets.finish(files)?;
    all.finish(files)?;
    drop(stage);
    if let Some(gathering) = gathering {
        let of_buckets = bucket_files.as_ref().map(|names| (names, &*buckets.offsets));
        gathering.write(device, &mut RecordFiles::begin(of.paths, table, of_buckets, files)?, files)?;
    }
    Ok(buckets)
}

/// What takes rows of a bucket: columns, the number of the bucket, and its rows among those of the columns.
type VisitBucket<'a> = &'a mut dyn FnMut(&[Words], usize, Range<usize>) -> Result<()>;

/// Calls `visit` with the rows of buckets in their order. Small buckets are read together.
fn each_block(runs: &Runs, buckets: usize, most: usize, visit: VisitBucket<'_>) -> Result<()> {
    let mut begin = 0;
    while begin < buckets {
        let (mut end, mut rows) = (begin, 0);
        while end < buckets && rows + runs.sizes[end] <= most as u64 {
            rows += runs.sizes[end];
            end += 1;
        }
        if end == begin {
            in_pieces(&runs.bucket(begin)?, most, &mut |columns| visit(&columns, begin, 0..columns[0].len()))?;
            begin += 1;
            continue;
        }
        let columns = runs.buckets(begin..end)?;
        let mut at = 0;
        for b in begin..end {
            let rows = at..at + runs.sizes[b] as usize;
            at = rows.end;
            if !rows.is_empty() {
                visit(&columns, b, rows)?;
            }
        }
        begin = end;
    }
    Ok(())
}

/// A file for each bucket, of which one is open at a time.
struct OfBuckets<'a> {
    /// None if there are no such files.
    names: Option<&'a BucketFiles>,
    table: &'a Table,
    sizes: &'a [u64],
    open: Option<Outputs>,
    /// The first bucket that has no file yet.
    next: usize,
}

impl OfBuckets<'_> {
    fn write(&mut self, columns: &[Words], bucket: usize, rows: Range<usize>, files: &mut OutputFiles) -> Result<()> {
        self.begin_up_to(bucket + 1, files)?;
        match &mut self.open {
            Some(open) => open.write(columns, rows),
            None => Ok(()),
        }
    }

    /// Begins the files of all buckets below `end`, also of empty ones.
    fn begin_up_to(&mut self, end: usize, files: &mut OutputFiles) -> Result<()> {
        let Some(names) = self.names else { return Ok(()) };
        while self.next < end {
            if let Some(open) = self.open.take() {
                open.finish(files)?;
            }
            self.open = Some(Outputs::begin(&names.of_bucket(self.next), self.table, self.sizes[self.next], files)?);
            self.next += 1;
        }
        Ok(())
    }

    fn finish(mut self, files: &mut OutputFiles) -> Result<()> {
        self.begin_up_to(self.sizes.len(), files)?;
        self.open.map_or(Ok(()), |open| open.finish(files))
    }
}
