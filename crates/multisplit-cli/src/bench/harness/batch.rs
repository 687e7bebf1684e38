//! Several benchmarks as one run: where their rows go, which need not be measured again, and how far it is.

use super::row::Row;
use crate::shared::timing::roughly;
use anyhow::Result;
use indicatif::ProgressBar;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

/// Keeps a row.
type Write = Box<dyn FnMut(&Row) -> Result<()>>;

/// What the benchmarks of one run share.
pub struct Batch {
    /// The command that measures all of them.
    pub command: String,
    pub progress: ProgressBar,
    /// What a step of the benchmark under way adds to the progress.
    weight: Cell<u64>,
    /// The part of the progress that was measured, and since when.
    measured: Cell<u64>,
    begin: Instant,
    rows: RefCell<Vec<Row>>,
    write: RefCell<Write>,
}

/// How much time must pass before it says how long the rest takes.
const ENOUGH: Duration = Duration::from_secs(3);

/// The operation of a row that says why something was not measured.
pub const ABSENT: &str = "absent";

impl Batch {
    /// Begins a run after these rows, which were measured before. `write` keeps further ones.
    pub fn new(command: String, progress: ProgressBar, rows: Vec<Row>, write: Write) -> Self {
        let (rows, write) = (RefCell::new(rows), RefCell::new(write));
        Self { command, progress, weight: Cell::new(1), measured: Cell::new(0), begin: Instant::now(), rows, write }
    }

    /// Says what a step of the next benchmark adds to the progress.
    pub fn weigh(&self, weight: u64) {
        self.weight.set(weight);
    }

    /// Adds steps to the progress.
    pub fn advance(&self, steps: u64) {
        self.skip(steps);
        self.measured.set(self.measured.get() + steps * self.weight.get());
        self.progress.set_prefix(roughly(self.left()));
    }

    /// Adds steps to the progress that need not be measured.
    pub fn skip(&self, steps: u64) {
        self.progress.inc(steps * self.weight.get());
    }

    /// Estimates how long the rest takes: by the time of what was measured so far, once that says something; before
    /// that a unit of the progress is a microsecond.
    pub fn left(&self) -> Duration {
        let units = self.progress.length().unwrap_or(0).saturating_sub(self.progress.position());
        let (measured, elapsed) = (self.measured.get(), self.begin.elapsed());
        let known = elapsed > ENOUGH && measured > 0;
        let unit = if known { elapsed.as_secs_f64() / measured as f64 } else { 1e-6 };
        Duration::try_from_secs_f64(unit * units as f64).unwrap_or(Duration::MAX)
    }

    /// Returns a copy of the rows so far.
    pub fn rows(&self) -> Vec<Row> {
        self.rows.borrow().clone()
    }

    /// Returns the row of the same case, by the same method, that was measured or found to be impossible.
    pub fn find(&self, row: &Row) -> Option<Row> {
        let what = |row: &Row| {
            let texts = [&row.method, &row.bucket, &row.dist, &row.graph, &row.key, &row.value].map(Clone::clone);
            (row.by.clone(), texts, row.segments, row.n, row.m)
        };
        let rows = self.rows.borrow();
        rows.iter().find(|other| (other.op == row.op || other.op == ABSENT) && what(other) == what(row)).cloned()
    }

    /// Keeps a row. One that says why something was not measured is kept once.
    pub fn keep(&self, row: &Row) -> Result<()> {
        if row.op == ABSENT && self.find(row).is_some() {
            return Ok(());
        }
        self.rows.borrow_mut().push(row.clone());
        (self.write.borrow_mut())(row)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("command", &self.command).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn rows_are_found_by_what_they_measured() {
        let row = |op: &str, method: &str, ms| Row { op: op.into(), method: Some(method.into()), ms, ..Row::default() };
        let absent = |method: &str, note: &str| Row { note: Some(note.into()), ..row(ABSENT, method, 0.0) };
        let kept = Rc::new(RefCell::new(0));
        let count = Rc::clone(&kept);
        let write = Box::new(move |_: &Row| {
            *count.borrow_mut() += 1;
            Ok(())
        });
        let before = vec![row("split", "auto", 1.0)];
        let batch = Batch::new("multisplit paper".into(), ProgressBar::hidden(), before, write);
        assert_eq!(batch.find(&row("split", "auto", 2.0)).map(|row| row.ms), Some(1.0));
        assert_eq!(batch.find(&row("split", "direct", 0.0)), None);
        assert_eq!(batch.find(&row("sort", "auto", 0.0)), None);
        for (method, note) in [("direct", "too many buckets"), ("direct", "once more"), ("warp-level", "too many")] {
            batch.keep(&absent(method, note)).unwrap();
        }
        assert!(batch.find(&row("split", "direct", 0.0)).is_some());
        batch.keep(&row("split", "auto", 3.0)).unwrap();
        assert_eq!((*kept.borrow(), batch.rows().len()), (3, 4));
    }
}
