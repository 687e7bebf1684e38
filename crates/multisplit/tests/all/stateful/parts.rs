//! Steps on parts of buffers.

use super::steps::two;
use super::world::World;
use multisplit::bucket::Hash;
use multisplit::measure::Reference;
use multisplit::{Column, Multisplit};
use std::ops::Range;

impl World {
    /// A narrow buffer, and a part of it.
    fn part(&mut self) -> Option<(usize, Range<usize>)> {
        let count = self.narrow.len() as u32;
        if count == 0 {
            return None;
        }
        let i = self.random.below(count) as usize;
        let part = self.range(self.narrow[i].buffer.len());
        Some((i, part))
    }

    fn range(&mut self, len: usize) -> Range<usize> {
        let mut ends = [0; 2].map(|_| self.random.below(len as u32 + 1) as usize);
        ends.sort_unstable();
        ends[0]..ends[1]
    }

    pub fn write_part(&mut self) {
        let Some((i, part)) = self.part() else { return };
        let data: Vec<u32> = part.clone().map(|_| self.random.next_u32()).collect();
        self.narrow[i].buffer.write(part.start, &data).unwrap();
        self.narrow[i].wrote_at(part.start, data.into_iter().map(Some));
        self.counts.count("write to a part");
    }

    pub fn fill_part(&mut self) {
        let Some((i, part)) = self.part() else { return };
        let value = self.random.next_u32();
        let known = &mut self.narrow[i];
        known.buffer.slice_mut(part.clone()).unwrap().fill(value).unwrap();
        known.wrote_at(part.start, part.map(|_| Some(value)));
        self.counts.count("fill of a part");
    }

    /// Between two buffers, or within one.
    pub fn copy_part(&mut self) {
        let Some((from, part)) = self.part() else { return };
        let Some((to, target)) = self.part() else { return };
        let len = part.len().min(target.len());
        let model = self.narrow[from].model[part.start..part.start + len].to_vec();
        if from != to {
            let (source, sink) = two(&mut self.narrow, from, to);
            let source = source.buffer.slice(part.start..part.start + len).unwrap();
            let mut sink = sink.buffer.slice_mut(target.start..target.start + len).unwrap();
            sink.copy_from(source).unwrap();
        } else if part.start + len <= target.start {
            let (head, mut tail) = self.narrow[to].buffer.split_at_mut(target.start).unwrap();
            let source = head.slice(part.start..part.start + len).unwrap();
            tail.slice_mut(..len).unwrap().copy_from(source).unwrap();
        } else {
            return; // they overlap
        }
        self.narrow[to].wrote_at(target.start, model);
        self.counts.count("copy of a part");
    }

    /// A split whose values go to a part of a buffer, on the stream of its keys.
    pub fn split_into_part(&mut self) {
        let Some((from, to, keys)) = self.pair() else { return };
        let (f, device, n) = (Hash::new(40, 3), self.stream(), keys.len());
        let start = device.slice_alignment::<u32>();
        if self.narrow[to].buffer.len() < n + start {
            return;
        }
        let by = Multisplit::by(&f);
        let workspace = self.workspace(by.workspace_bytes(&device, n, 1).unwrap());
        let at = self.offsets(40);
        let mut keys_out = device.alloc(n).unwrap();
        let (source, sink) = two(&mut self.narrow, from, to);
        let (offsets, workspace) = (&mut self.offsets[at], &mut self.workspaces[workspace]);
        let columns = &mut [Column::new(&source.buffer, sink.buffer.slice_mut(start..start + n).unwrap())];
        by.enqueue(&source.buffer, &mut keys_out, columns, &mut offsets.offsets, workspace).unwrap();
        let expected = Reference::split(&keys, &f);
        sink.wrote_at(start, expected.permute(&keys).into_iter().map(Some));
        offsets.model = Some(expected.offsets);
        self.counts.count("split into a part");
    }
}
