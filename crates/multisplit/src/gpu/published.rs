//! Words that cubes of one launch publish for each other, and that no other call writes to.

use super::split::published_sums::{LAUNCHES, words};
use super::tuning::small_inputs::most_resident;
use crate::error::Result;
use crate::request::policy::ONE_PASS;
use crate::runtime::{Facts, Gpu, Slice};
use cubecl::prelude::Runtime;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The words, and the number of the last launch that published in them; 0 before the first.
#[derive(Clone)]
pub(crate) struct Published {
    pub words: Slice<u32>,
    last: Arc<AtomicU32>,
}

/// How many words there are, for any split in one launch on the device.
pub(crate) fn published_words(facts: &Facts) -> usize {
    words(most_resident(facts), ONE_PASS) as usize
}

impl Published {
    pub fn new(words: Slice<u32>, last: Arc<AtomicU32>) -> Self {
        Self { words, last }
    }

    /// The number of the next launch, which none of the words carries. Whoever has a workspace has it alone, so nobody
    /// else takes one.
    pub fn next_launch(&self, gpu: &Gpu<impl Runtime>) -> Result<u32> {
        let last = self.last.load(Ordering::Relaxed);
        let starts_over = last == 0 || last == LAUNCHES;
        if starts_over {
            gpu.fill(&self.words, 0)?;
        }
        let next = if starts_over { 1 } else { last + 1 };
        self.last.store(next, Ordering::Relaxed);
        Ok(next)
    }

    /// Has the next launch take the number of the last one.
    #[cfg(test)]
    pub fn repeat(&self) {
        self.last.fetch_sub(1, Ordering::Relaxed);
    }
}
