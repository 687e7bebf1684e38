//! The course of a benchmark, the same for every operation.

use super::bandwidth::Bandwidths;
use super::columns::ValueColumn;
use super::key_types::{PeerKind, ValueType};
use super::measure::Measured;
use super::options::Options;
use super::peers::Peer;
use super::row::{Row, round};
use super::session::Session;
use super::sinks::Sink;
use super::table::Table;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result};
use multisplit::Error;
use std::fmt::Display;
use std::io::Write;

/// An operation to measure: its cases, and what goes into its rows.
pub trait Operation {
    /// Describes keys that serve one or more cases.
    type KeySet: Display;
    /// Describes one row.
    type Case: Display;
    /// What a call leaves behind, other than keys and values.
    type Output;

    /// Returns the options that all benchmarks have.
    fn options(&self) -> &Options;

    /// Returns the numbers of keys.
    fn sizes(&self) -> &[usize];

    /// Returns the sets of `n` keys, in the order in which they are measured.
    fn key_sets(&self, n: usize) -> Vec<Self::KeySet>;

    /// Returns the cases of a set, in the order in which they are measured.
    fn cases(&self, set: &Self::KeySet) -> Vec<Self::Case>;

    /// Generates the keys of a set. This is the one match over their type.
    fn generate<'a>(&'a self, set: &'a Self::KeySet) -> Result<Box<dyn Subject<Self> + 'a>>;

    /// Returns the type of the values that travel with the keys of a case.
    fn value_type(&self, _case: &Self::Case) -> ValueType {
        ValueType::None
    }

    /// Returns the fields of a row that say what was measured.
    fn row(&self, case: &Self::Case) -> Row;

    /// Returns the fraction that a row reaches of what the memory allows, where that is known.
    fn fraction(&self, _row: &Row, _bandwidths: Bandwidths) -> Option<f64> {
        None
    }

    /// Returns a table for people.
    fn table(&self, out: Box<dyn Write>) -> Box<dyn Sink> {
        Box::new(Table::new(self.options(), false, out))
    }
}

/// Keys of one type that an operation is measured on.
pub trait Subject<O: Operation + ?Sized> {
    /// Times the calls of a case. The last result stays in the outputs.
    fn measure(&mut self, case: &O::Case, values: &mut ValueColumn) -> multisplit::Result<(Measured, O::Output)>;

    /// Compares the last result with the reference.
    fn verify(&self, case: &O::Case, values: &ValueColumn, output: &O::Output) -> Result<()>;

    /// Times every way that a peer has to do the same with these keys.
    fn run_peer(&self, _peer: &Peer) -> Result<Vec<Row>> {
        Ok(Vec::new())
    }

    /// Times a peer that is a crate, if the operation has one. An error says why it cannot run.
    fn run_crate(&self, _peer: PeerKind) -> Result<Option<Row>> {
        Ok(None)
    }
}

/// A benchmark that is ready to run.
pub trait Benchmark {
    /// Returns how many steps it takes.
    fn steps(&self) -> u64;

    /// Measures every case, and writes the rows.
    fn run(&self) -> Result<()>;
}

impl<O: Operation> Benchmark for O {
    fn steps(&self) -> u64 {
        self.sizes().iter().map(|&n| 1 + cases(self, n)).sum()
    }

    fn run(&self) -> Result<()> {
        let peers = &self.options().peers;
        ensure_usage!(
            !peers.contains(&PeerKind::Gapbs),
            "--peers gapbs: it is for shortest paths, `multisplit bench sssp`"
        );
        let session = Session::new(self.options(), self.steps(), &|out| self.table(out))?;
        let mut run = Run { operation: self, session };
        for &n in self.sizes() {
            run.size(n).with_context(|| format!("n = {n}"))?;
        }
        run.session.finish()
    }
}

/// Counts the cases of a size.
fn cases<O: Operation>(operation: &O, n: usize) -> u64 {
    operation.key_sets(n).iter().map(|set| operation.cases(set).len() as u64).sum()
}

/// A benchmark under way.
struct Run<'a, O> {
    operation: &'a O,
    session: Session<'a>,
}

impl<O: Operation> Run<'_, O> {
    fn size(&mut self, n: usize) -> Result<()> {
        // Measured even where no row is compared with it: a report shows it.
        let bandwidths = self.session.bandwidths(n)?;
        let mut values = Vec::new();
        for set in self.operation.key_sets(n) {
            let mut left = self.operation.cases(&set);
            let all = left.len();
            left.retain(|case| !self.session.knows(&self.operation.row(case)));
            self.session.skip((all - left.len()) as u64);
            if left.is_empty() {
                continue;
            }
            self.session.progress.set_message(set.to_string());
            let mut subject = self.operation.generate(&set)?;
            // They come first, so that they were timed if any case was.
            if left.len() == all {
                self.peers(&*subject, bandwidths)?;
            }
            for case in left {
                self.session.progress.set_message(case.to_string());
                let values = self.values(&mut values, &case, n)?;
                self.case(&mut *subject, &case, values, bandwidths)?;
                self.session.advance(1);
            }
        }
        Ok(())
    }

    /// Returns the values of a case. They serve all key sets of one size.
    fn values<'v>(&self, made: &'v mut Vec<ValueColumn>, case: &O::Case, n: usize) -> Result<&'v mut ValueColumn> {
        let value_type = self.operation.value_type(case);
        let at = match made.iter().position(|values| values.value_type() == value_type) {
            Some(at) => at,
            None => {
                made.push(ValueColumn::new(&self.operation.options().device, value_type, n)?);
                made.len() - 1
            }
        };
        Ok(&mut made[at])
    }

    /// Measures one case, verifies it, and writes its row.
    fn case(
        &mut self,
        subject: &mut dyn Subject<O>,
        case: &O::Case,
        values: &mut ValueColumn,
        bandwidths: Bandwidths,
    ) -> Result<()> {
        let (measured, output) = match subject.measure(case, values) {
            Ok(measured) => measured,
            Err(error) if is_unsupported(&error) => {
                self.session.absent(self.operation.row(case), format!("left out: {error}"));
                return Ok(());
            }
            Err(error) => return Err(error).context(case.to_string()),
        };
        let verified = subject.verify(case, values, &output);
        if let Err(error) = &verified {
            self.session.complain(&format!("WRONG: {case}: {error:#}"));
        }
        let Measured { seconds, latency, stages, copy_bandwidth } = measured;
        let row = self.session.provenance.sign(self.operation.row(case)).timed(seconds).staged(stages).waited(latency);
        let bandwidths = Bandwidths { copy: copy_bandwidth.unwrap_or(bandwidths.copy), ..bandwidths };
        let fraction = self.operation.fraction(&row, bandwidths).map(round);
        self.session.emit(Row { verified: verified.is_ok(), fraction, ..row })
    }

    /// Runs every peer on the keys, and writes its rows.
    fn peers(&mut self, subject: &dyn Subject<O>, bandwidths: Bandwidths) -> Result<()> {
        let operation = self.operation;
        self.session.time_peers(|peer| subject.run_peer(peer), |row| operation.fraction(row, bandwidths))?;
        for &peer in operation.options().peers.iter().filter(|&&peer| peer != PeerKind::Cub) {
            match subject.run_crate(peer) {
                Ok(Some(row)) => self.session.emit_rival(row)?,
                Ok(None) => {}
                Err(error) => self.session.without(peer, &error),
            }
        }
        Ok(())
    }
}

/// Returns whether an error means that the device cannot do this case.
fn is_unsupported(error: &Error) -> bool {
    matches!(error, Error::TooManyBuckets { .. } | Error::TooManyBins { .. } | Error::MissingCapability { .. })
}
