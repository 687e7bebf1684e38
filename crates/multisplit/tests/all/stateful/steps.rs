//! The steps: each calls the library, and does the same to the model.

use super::world::{Known, KnownOffsets, World};
use multisplit::bucket::{Buckets, Delta, Hash, Identity};
use multisplit::measure::Reference;
use multisplit::measure::bandwidth;
use multisplit::{Column, Device, Error, Histogram, Multisplit, Sort, Workspace, gather, split_segments};

/// Buffers of a kind, at most.
const MOST: usize = 8;
/// Numbers of buckets. Few, so that few kernels are compiled.
const BUCKETS: [u32; 3] = [3, 40, 300];

/// Two different elements of a list.
pub fn two<T>(list: &mut [T], i: usize, j: usize) -> (&T, &mut T) {
    assert!(i != j);
    if i < j {
        let (head, tail) = list.split_at_mut(j);
        (&head[i], &mut tail[0])
    } else {
        let (head, tail) = list.split_at_mut(i);
        (&tail[0], &mut head[j])
    }
}

impl World {
    pub fn take_a_step(&mut self) {
        match self.random.below(22) {
            0..=2 => self.upload(),
            3 => self.alloc(),
            4 => self.drop_one(),
            5 => self.canary(),
            6..=8 => self.split(),
            9 => self.select(),
            10 | 11 => self.sort(),
            12 => self.histogram(),
            13 => self.segments(),
            14 => self.gather(),
            15 => self.copy(),
            16 => self.reserve(),
            17 => self.write_part(),
            18 => self.fill_part(),
            19 => self.copy_part(),
            20 => self.split_into_part(),
            _ => self.fail(),
        }
    }

    fn len(&mut self) -> usize {
        match self.random.below(8) {
            0 => 0,
            1 => 1 + self.random.below(5) as usize,
            _ => self.random.below(self.most) as usize,
        }
    }

    fn upload(&mut self) {
        let (stream, n) = (self.stream(), self.len());
        let limit = [4, 300, u32::MAX][self.random.below(3) as usize];
        if self.random.below(3) == 0 {
            let data: Vec<u64> = (0..n).map(|_| self.random.next_u64()).collect();
            let model = data.iter().copied().map(Some).collect();
            self.wide.push(Known { buffer: stream.upload(&data).unwrap(), model });
        } else {
            let data: Vec<u32> = (0..n).map(|_| self.random.below(limit)).collect();
            let model = data.iter().copied().map(Some).collect();
            self.narrow.push(Known { buffer: stream.upload(&data).unwrap(), model });
        }
        self.counts.count("upload");
        while self.narrow.len() > MOST || self.wide.len() > MOST {
            self.drop_one();
        }
    }

    fn alloc(&mut self) {
        let (stream, n) = (self.stream(), self.len());
        self.narrow.push(Known { buffer: stream.alloc(n).unwrap(), model: vec![None; n] });
        self.wide.push(Known { buffer: stream.alloc(n).unwrap(), model: vec![None; n] });
        self.counts.count("allocation");
        while self.narrow.len() > MOST || self.wide.len() > MOST {
            self.drop_one();
        }
    }

    fn drop_one(&mut self) {
        let narrow = self.narrow.len() >= self.wide.len();
        let i = |world: &mut Self, len: usize| world.random.below(len as u32) as usize;
        if narrow && !self.narrow.is_empty() {
            let i = i(self, self.narrow.len());
            self.narrow.swap_remove(i);
        } else if !self.wide.is_empty() {
            let i = i(self, self.wide.len());
            self.wide.swap_remove(i);
        }
        self.counts.count("drop");
    }

    /// A narrow buffer of which all is known, and another with room for as many elements.
    pub fn pair(&mut self) -> Option<(usize, usize, Vec<u32>)> {
        let count = self.narrow.len() as u32;
        if count < 2 {
            return None;
        }
        let from = self.random.below(count) as usize;
        let values = self.narrow[from].values()?;
        let n = values.len();
        let to = (0..self.narrow.len()).find(|&to| to != from && self.narrow[to].buffer.len() >= n);
        let to = match to {
            Some(to) => to,
            None => {
                let stream = self.stream();
                self.narrow.push(Known { buffer: stream.alloc(n).unwrap(), model: vec![None; n] });
                self.narrow.len() - 1
            }
        };
        Some((from, to, values))
    }

    /// A workspace that holds at least so many bytes.
    pub fn workspace(&mut self, bytes: usize) -> usize {
        let i = self.random.below(self.workspaces.len() as u32) as usize;
        self.workspaces[i].reserve(bytes).unwrap();
        i
    }

    /// Offsets with room for so many buckets.
    pub fn offsets(&mut self, buckets: usize) -> usize {
        if let Some(i) = self.offsets.iter().position(|known| known.offsets.capacity() >= buckets) {
            return i;
        }
        let stream = self.stream();
        let f = Identity::<u32>::new((buckets as u32).next_power_of_two());
        self.offsets.push(KnownOffsets { offsets: Multisplit::by(&f).offsets(&stream).unwrap(), model: None });
        self.offsets.len() - 1
    }

    fn split(&mut self) {
        let m = BUCKETS[self.random.below(3) as usize];
        match self.random.below(3) {
            0 => self.split_by(&Delta::whole(m).unwrap()),
            1 => self.split_by(&Hash::new(m, 3)),
            // Ids may be out of range.
            _ => self.split_by(&Identity::new(m)),
        }
    }

    fn split_by<F: Buckets<Key = u32>>(&mut self, f: &F) {
        let Some((from, to, keys)) = self.pair() else { return };
        let (by, device, n) = (Multisplit::by(f), self.streams[0].clone(), keys.len());
        let workspace = self.workspace(by.workspace_bytes(&device, n, 1).unwrap());
        let at = self.offsets(f.buckets() as usize);
        let expected = Reference::split(&keys, f);
        // With wide values of which all is known, with the permutation, or alone.
        let wide = (0..self.wide.len()).find(|&i| self.wide[i].buffer.len() == n && self.wide[i].values().is_some());
        let moved = wide.and_then(|i| Some((self.wide[i].values()?, i)));
        let target = (0..self.wide.len()).find(|&i| Some(i) != wide && self.wide[i].buffer.len() >= n);
        let (offsets, workspace) = (&mut self.offsets[at].offsets, &mut self.workspaces[workspace]);
        let called = match (moved, target) {
            (Some((values, i)), Some(j)) => {
                let (source, sink) = two(&mut self.wide, i, j);
                let (keys_from, keys_to) = two(&mut self.narrow, from, to);
                let columns = &mut [Column::new(&source.buffer, &mut sink.buffer)];
                let called = by.enqueue(&keys_from.buffer, &mut keys_to.buffer, columns, offsets, workspace);
                sink.wrote(&expected.permute(&values));
                self.counts.count("split with values");
                called
            }
            _ => {
                let (keys_from, keys_to) = two(&mut self.narrow, from, to);
                self.counts.count("split");
                by.enqueue(&keys_from.buffer, &mut keys_to.buffer, &mut [], offsets, workspace)
            }
        };
        called.unwrap();
        self.narrow[to].wrote(&expected.permute(&keys));
        if expected.out_of_range == 0 {
            self.offsets[at].model = Some(expected.offsets);
        } else {
            let error = self.offsets[at].offsets.read().unwrap_err();
            assert_eq!(error, Error::BucketOutOfRange { count: expected.out_of_range, m: f.buckets() });
            self.offsets[at].model = None;
        }
    }

    fn select(&mut self) {
        let Some((from, to, keys)) = self.pair() else { return };
        let f = Delta::new(0u32, 150, 2).unwrap();
        let (by, device) = (Multisplit::by(&f), self.streams[0].clone());
        let workspace = self.workspace(by.workspace_bytes(&device, keys.len(), 0).unwrap());
        let at = self.offsets(2);
        let (keys_from, keys_to) = two(&mut self.narrow, from, to);
        let (offsets, workspace) = (&mut self.offsets[at], &mut self.workspaces[workspace]);
        by.enqueue_select(&keys_from.buffer, &mut keys_to.buffer, &mut [], &mut offsets.offsets, workspace).unwrap();
        let expected = Reference::split(&keys, &f);
        let selected = expected.offsets[1];
        // What lies behind is unspecified: of a large input only what is selected is written.
        let written = expected.permute(&keys).into_iter().enumerate().map(|(i, key)| (i < selected).then_some(key));
        keys_to.wrote_at(0, written);
        offsets.model = Some(expected.offsets);
        self.counts.count("selection");
    }

    fn sort(&mut self) {
        let Some((from, to, keys)) = self.pair() else { return };
        let sort = [Sort::new(), Sort::new().bits(0..20), Sort::new().descending()][self.random.below(3) as usize];
        let part = sort == Sort::new().bits(0..20);
        let device = self.streams[0].clone();
        let workspace = self.workspace(sort.workspace_bytes::<u32>(&device, keys.len(), 0, 0).unwrap());
        let (keys_from, keys_to) = two(&mut self.narrow, from, to);
        sort.enqueue(&keys_from.buffer, &mut keys_to.buffer, &mut [], &mut self.workspaces[workspace]).unwrap();
        let mut sorted = keys;
        match sort {
            _ if part => sorted.sort_by_key(|key| key & 0xf_ffff),
            sort if sort == Sort::new() => sorted.sort_unstable(),
            _ => sorted.sort_unstable_by(|a, b| b.cmp(a)),
        }
        keys_to.wrote(&sorted);
        self.counts.count("sort");
    }

    fn histogram(&mut self) {
        let Some((from, _, keys)) = self.pair() else { return };
        let f = Hash::new([40, 5000][self.random.below(2) as usize], 5);
        let (stream, m) = (self.stream(), f.buckets() as usize);
        let mut counts = Known { buffer: stream.alloc::<u64>(m + 1).unwrap(), model: vec![None; m + 1] };
        Histogram::by(&f).enqueue(&self.narrow[from].buffer, &mut counts.buffer).unwrap();
        let expected = Reference::histogram(&keys, &f);
        counts.wrote(&[&expected.bins[..], &[expected.outside]].concat());
        self.wide.push(counts);
        self.counts.count("histogram");
        while self.wide.len() > MOST {
            self.wide.swap_remove(0);
        }
    }

    fn segments(&mut self) {
        let Some((from, to, keys)) = self.pair() else { return };
        let n = keys.len();
        let mut segments: Vec<usize> =
            (0..1 + self.random.below(5)).map(|_| self.random.below(n as u32 + 1) as usize).collect();
        segments.extend([0, n]);
        segments.sort_unstable();
        let f = Hash::new(BUCKETS[self.random.below(3) as usize], 9);
        let (by, device, count) = (Multisplit::by(&f), self.streams[0].clone(), segments.len() - 1);
        let workspace = self.workspace(by.segment_workspace_bytes(&device, n, count, 0).unwrap());
        let at = self.offsets(f.buckets() as usize * count);
        let (keys_from, keys_to) = two(&mut self.narrow, from, to);
        let (offsets, workspace) = (&mut self.offsets[at], &mut self.workspaces[workspace]);
        let (source, sink) = (&keys_from.buffer, &mut keys_to.buffer);
        by.enqueue_segments(source, &segments, sink, &mut [], &mut offsets.offsets, workspace).unwrap();
        let expected = split_segments(&Device::cpu(), &keys, &segments, &f).unwrap();
        keys_to.wrote(&expected.keys);
        offsets.model = Some(expected.offsets);
        self.counts.count("segments");
    }

    fn gather(&mut self) {
        let Some((from, to, rows)) = self.pair() else { return };
        if rows.is_empty() {
            return;
        }
        let indices: Vec<u32> = (0..rows.len()).map(|_| self.random.below(rows.len() as u32 + 3)).collect();
        let stream = self.stream();
        let permutation = stream.upload(&indices).unwrap();
        let (source, sink) = two(&mut self.narrow, from, to);
        gather(&source.buffer, &permutation, &mut sink.buffer).unwrap();
        let last = rows.len() - 1;
        let gathered: Vec<u32> = indices.iter().map(|&i| rows[(i as usize).min(last)]).collect();
        sink.wrote(&gathered);
        self.counts.count("gather");
    }

    fn copy(&mut self) {
        let Some((from, to, values)) = self.pair() else { return };
        let (source, sink) = two(&mut self.narrow, from, to);
        bandwidth::copy(&source.buffer, &mut sink.buffer).unwrap();
        sink.wrote(&values);
        self.counts.count("copy");
    }

    fn reserve(&mut self) {
        let (stream, i) = (self.stream(), self.random.below(self.workspaces.len() as u32) as usize);
        if self.random.below(2) == 0 {
            self.workspaces[i] = Workspace::new(&stream);
        } else {
            let more = self.workspaces[i].bytes() + self.random.below(100_000) as usize;
            self.workspaces[i].reserve(more).unwrap();
        }
        self.counts.count("reservation");
    }

    /// Calls that must fail, and must leave everything as it was.
    fn fail(&mut self) {
        let Some((from, to, keys)) = self.pair() else { return };
        let (n, device) = (keys.len(), self.stream());
        let at = self.offsets(40);
        let f = Hash::new(40, 3);
        let by = Multisplit::by(&f);
        let mut empty = Workspace::new(&device);
        let mut short = device.alloc::<u32>(n.saturating_sub(1)).unwrap();
        let (source, sink) = two(&mut self.narrow, from, to);
        let offsets = &mut self.offsets[at].offsets;
        match self.random.below(4) {
            0 if n > 5000 => {
                let error = by.enqueue(&source.buffer, &mut sink.buffer, &mut [], offsets, &mut empty).unwrap_err();
                assert!(matches!(error, Error::WorkspaceTooSmall { got: 0, .. }), "{error}");
            }
            1 if n > 0 => {
                let error = by.enqueue(&source.buffer, &mut short, &mut [], offsets, &mut empty).unwrap_err();
                assert!(matches!(error, Error::OutputTooSmall { .. }), "{error}");
            }
            2 => {
                let many = Identity::<u32>::new(1 << 20);
                let call =
                    Multisplit::by(&many).enqueue(&source.buffer, &mut sink.buffer, &mut [], offsets, &mut empty);
                assert!(matches!(call.unwrap_err(), Error::OutputTooSmall { .. }));
            }
            _ => {
                let columns = &mut [Column::permutation(&mut short)];
                let call = Sort::new().bits(0..40).enqueue(&source.buffer, &mut sink.buffer, columns, &mut empty);
                assert!(matches!(call.unwrap_err(), Error::InvalidSort(_)));
            }
        }
        self.counts.count("failing call");
    }
}
