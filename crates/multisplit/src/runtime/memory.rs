//! Device memory that knows which streams have used it.

use super::slice::Slice;
use crate::error::Result;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What a call does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Makes one stream wait for another.
pub(crate) trait Order: Send + Sync {
    /// All that is submitted to `then` from now on runs after all that was submitted to `first`.
    fn order(&self, first: StreamId, then: StreamId) -> Result<()>;
}

/// Memory on a GPU. It belongs to the stream that it was allocated on, and any stream of that GPU may use it: each
/// use is ordered after the last write and, if it writes, after all reads since. When it is dropped its own stream
/// waits for all other uses before the memory is used again.
///
/// Uses are distinguished by their bytes: two threads may work on two parts at the same time, each on its own stream. A
/// call says which bytes it uses before it submits anything, so what it is about to submit may be missing
/// when another call orders its stream. That does no harm, since the two share no byte that either writes: the borrow
/// checker sees to it. But neither may it be forgotten, so a use changes what is known of its own bytes only.
pub(crate) struct Memory {
    /// Dropped only when its stream has been made to wait.
    handle: ManuallyDrop<Arc<Handle>>,
    gpu: Arc<dyn Order>,
    uses: Mutex<Uses>,
}

/// Parts of a memory that were used alike, one after the other, which have all its bytes.
struct Uses(Vec<Part>);

#[derive(Clone)]
struct Part {
    /// It begins where the one before it ends.
    end: usize,
    /// The stream that wrote last; at first the one that the memory was allocated on.
    writer: StreamId,
    /// Other streams that have read since. Each waits for the writer already.
    readers: Vec<StreamId>,
}

impl Memory {
    /// What `handle` has, which was written last on the stream `writer`.
    pub(super) fn new(handle: Handle, writer: StreamId, gpu: Arc<dyn Order>) -> Self {
        let handle = Arc::new(handle);
        let end = Slice::measure(&handle).len();
        let uses = Mutex::new(Uses(vec![Part { end, writer, readers: Vec::new() }]));
        Self { handle: ManuallyDrop::new(handle), gpu, uses }
    }

    /// All of it, for use on `stream`.
    pub fn slice(&self, stream: StreamId, access: Access) -> Result<Slice> {
        let all = Slice::measure(&self.handle);
        self.order(stream, access, 0..all.len())?;
        Ok(all)
    }

    /// All of it, for use of some bytes on `stream`.
    pub fn slice_for(&self, stream: StreamId, access: Access, bytes: Range<usize>) -> Result<Slice> {
        let all = Slice::measure(&self.handle);
        self.order(stream, access, bytes.start..bytes.end.min(all.len()))?;
        Ok(all)
    }

    /// Has a stream wait for what used the bytes before, and remembers that it uses them.
    fn order(&self, stream: StreamId, access: Access, bytes: Range<usize>) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = uses.cut(&bytes);
        let mut before = Vec::new();
        for part in &uses.0[parts.clone()] {
            match access {
                Access::Read if part.readers.contains(&stream) => {}
                Access::Read => add(&mut before, part.writer, stream),
                Access::Write => part.streams().for_each(|other| add(&mut before, other, stream)),
            }
        }
        before.iter().try_for_each(|&other| self.gpu.order(other, stream))?;
        match access {
            Access::Read => uses.0[parts].iter_mut().for_each(|part| add(&mut part.readers, stream, part.writer)),
            Access::Write => {
                let written = Part { end: bytes.end, writer: stream, readers: Vec::new() };
                uses.0.splice(parts, [written]);
            }
        }
        uses.join();
        Ok(())
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        Slice::measure(&self.handle).len()
    }

    /// The CubeCL handle, for use on `stream`.
    pub fn handle(&self, stream: StreamId) -> Result<Handle> {
        self.slice(stream, Access::Read)?;
        Ok(self.unordered_handle())
    }

    /// The CubeCL handle, to ask where it is. Nothing may be done with what is there.
    pub fn unordered_handle(&self) -> Handle {
        Handle::clone(&self.handle)
    }

    /// Gives the CubeCL handle away, for use on `stream`. Its own stream waits for all uses too, as that is where its
    /// memory goes when the handle is dropped.
    pub fn into_handle(self, stream: StreamId) -> Result<Handle> {
        self.slice(stream, Access::Write)?;
        // When this is dropped, its own stream waits for `stream`, and so for all.
        Ok(self.unordered_handle())
    }
}

/// Adds a stream that is not there yet, nor is `this`.
fn add(streams: &mut Vec<StreamId>, stream: StreamId, this: StreamId) {
    if stream != this && !streams.contains(&stream) {
        streams.push(stream);
    }
}

impl Uses {
    /// The parts that have exactly these bytes, which are cut out of those around them.
    fn cut(&mut self, bytes: &Range<usize>) -> Range<usize> {
        let first = self.cut_at(bytes.start);
        first..self.cut_at(bytes.end)
    }

    /// Has a part begin at byte `at`, and returns its index.
    fn cut_at(&mut self, at: usize) -> usize {
        let i = self.0.partition_point(|part| part.end <= at);
        let start = i.checked_sub(1).map_or(0, |before| self.0[before].end);
        if at == start || i == self.0.len() {
            return i;
        }
        let head = Part { end: at, ..self.0[i].clone() };
        self.0.insert(i, head);
        i + 1
    }

    /// Joins neighbours that were used alike.
    fn join(&mut self) {
        self.0.dedup_by(|next, part| {
            let alike = next.writer == part.writer && next.readers == part.readers;
            if alike {
                part.end = next.end;
            }
            alike
        });
    }
}

impl Part {
    fn streams(&self) -> impl Iterator<Item = StreamId> {
        std::iter::once(self.writer).chain(self.readers.iter().copied())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let home = self.handle.stream;
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut others = Vec::new();
        uses.0.iter().flat_map(Part::streams).for_each(|other| add(&mut others, other, home));
        let waits = others.iter().try_for_each(|&other| self.gpu.order(other, home));
        if waits.is_ok() {
            // SAFETY: it is not used again. If its stream could not be made to wait, it is never given back.
            unsafe { ManuallyDrop::drop(&mut self.handle) }
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down which stream waits for which.
    #[derive(Default)]
    struct Recorder(Mutex<Vec<(u64, u64)>>);

    impl Order for Recorder {
        fn order(&self, first: StreamId, then: StreamId) -> Result<()> {
            self.0.lock().unwrap().push((first.value, then.value));
            Ok(())
        }
    }

    fn stream(value: u64) -> StreamId {
        StreamId { value }
    }

    /// 160 bytes of stream 0, and what waits for what since the last look.
    fn memory() -> (Memory, impl Fn() -> Vec<(u64, u64)>) {
        let recorder = Arc::new(Recorder::default());
        let memory = Memory::new(Handle::new(stream(0), 160), stream(0), recorder.clone());
        (memory, move || std::mem::take(&mut *recorder.0.lock().unwrap()))
    }

    fn reads(memory: &Memory, on: u64, bytes: Range<usize>) {
        memory.slice_for(stream(on), Access::Read, bytes).unwrap();
    }

    fn writes(memory: &Memory, on: u64, bytes: Range<usize>) {
        memory.slice_for(stream(on), Access::Write, bytes).unwrap();
    }

    fn parts(memory: &Memory) -> usize {
        memory.uses.lock().unwrap().0.len()
    }

    #[test]
    fn whole_uses_wait_once() {
        let (memory, waits) = memory();
        writes(&memory, 0, 0..160);
        reads(&memory, 0, 0..160);
        assert_eq!(waits(), []);
        reads(&memory, 1, 0..160);
        reads(&memory, 1, 0..160);
        reads(&memory, 1, 16..32);
        assert_eq!(waits(), [(0, 1)]);
        writes(&memory, 2, 0..160);
        assert_eq!(waits(), [(0, 2), (1, 2)]);
        writes(&memory, 2, 0..160);
        assert_eq!((waits(), parts(&memory)), (vec![], 1));
        drop(memory);
        assert_eq!(waits(), [(2, 0)]);
    }

    /// Two streams write two parts without a wait; who reads both waits for both.
    #[test]
    fn parts_are_apart() {
        let (memory, waits) = memory();
        writes(&memory, 1, 0..80);
        writes(&memory, 2, 80..160);
        assert_eq!(waits(), [(0, 1), (0, 2)]);
        reads(&memory, 1, 0..80);
        assert_eq!(waits(), []);
        reads(&memory, 3, 0..160);
        assert_eq!(waits(), [(1, 3), (2, 3)]);
        // Stream 1 reads a part that stream 2 has written; stream 3 knows of that already.
        reads(&memory, 1, 100..120);
        reads(&memory, 3, 100..120);
        assert_eq!(waits(), [(2, 1)]);
        writes(&memory, 4, 110..112);
        assert_eq!(waits(), [(2, 4), (3, 4), (1, 4)]);
        reads(&memory, 3, 0..160);
        assert_eq!(waits(), [(4, 3)]);
        drop(memory);
        let mut all = waits();
        all.sort_unstable();
        assert_eq!(all, [(1, 0), (2, 0), (3, 0), (4, 0)]);
    }

    /// What one stream knows of a part says nothing of another part that is about to be written.
    #[test]
    fn a_part_in_flight_is_not_forgotten() {
        let (memory, waits) = memory();
        writes(&memory, 1, 0..160);
        writes(&memory, 1, 0..80); // and is submitted only after what follows
        waits();
        reads(&memory, 2, 80..160);
        assert_eq!(waits(), [(1, 2)]);
        reads(&memory, 2, 0..80);
        assert_eq!(waits(), [(1, 2)], "stream 2 must wait again");
    }

    #[test]
    fn parts_that_are_used_alike_are_joined() {
        let (memory, waits) = memory();
        (0..10).for_each(|i| writes(&memory, i % 2, 16 * i as usize..16 * i as usize + 16));
        assert_eq!(parts(&memory), 10);
        reads(&memory, 3, 0..160);
        assert_eq!(waits().len(), 5 + 2);
        writes(&memory, 0, 0..160);
        assert_eq!(parts(&memory), 1);
        writes(&memory, 1, 7..7);
        writes(&memory, 1, 150..400);
        reads(&memory, 1, 0..1);
        assert_eq!(parts(&memory), 3);
    }
}
