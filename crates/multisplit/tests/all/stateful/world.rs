//! What a worker has: memory on the device, and what should be in it.

use multisplit::{Buffer, Device, DeviceKind, Offsets, Workspace};
use std::collections::BTreeMap;
use std::fmt;
use test_support::Random;

/// What is in the memory of buffers that nobody writes to.
const CANARY: u32 = 0xabcd_ef01;

/// A buffer and what it should hold: nothing is known of elements that were never written.
pub struct Known<T> {
    pub buffer: Buffer<T>,
    pub model: Vec<Option<T>>,
}

impl<T: Copy> Known<T> {
    /// What it holds, if all of it is known.
    pub fn values(&self) -> Option<Vec<T>> {
        self.model.iter().copied().collect()
    }

    /// Says that the elements from number `start` on have been written; of some it may not be known what.
    pub fn wrote_at(&mut self, start: usize, values: impl IntoIterator<Item = Option<T>>) {
        self.model[start..].iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
    }

    /// Says that its first elements have been written.
    pub fn wrote(&mut self, values: &[T]) {
        self.model.iter_mut().zip(values).for_each(|(slot, &value)| *slot = Some(value));
    }
}

/// Offsets, and what they should be, if something was written.
pub struct KnownOffsets {
    pub offsets: Offsets,
    pub model: Option<Vec<usize>>,
}

/// How often each step was taken.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub fn count(&mut self, step: &'static str) {
        *self.0.entry(step).or_default() += 1;
    }

    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(step, count)| *self.0.entry(step).or_default() += count);
    }

    pub fn steps(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in all", self.steps())?;
        self.0.iter().try_for_each(|(step, count)| write!(f, ", {step} {count}"))
    }
}

pub struct World {
    pub random: Random,
    /// The device and other streams of it.
    pub streams: Vec<Device>,
    pub narrow: Vec<Known<u32>>,
    pub wide: Vec<Known<u64>>,
    pub offsets: Vec<KnownOffsets>,
    pub workspaces: Vec<Workspace>,
    canaries: Vec<Buffer<u32>>,
    pub counts: Counts,
    /// The longest buffer.
    pub most: u32,
    /// Whether everything is compared after every step, or only now and then.
    patient: bool,
    pub seed: u64,
}

impl World {
    pub fn new(device: &Device, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let streams = vec![device.clone(), device.stream("a").unwrap(), device.stream("b").unwrap()];
        let workspaces = streams.iter().map(Workspace::new).collect();
        let most = match device.info().kind {
            DeviceKind::Software => 6000,
            _ if random.below(4) == 0 => 300_000,
            _ => 20_000,
        };
        let patient = seed.is_multiple_of(2);
        let (narrow, wide, offsets, canaries) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let counts = Counts::default();
        Self { random, streams, narrow, wide, offsets, workspaces, canaries, counts, most, patient, seed }
    }

    /// Any stream.
    pub fn stream(&mut self) -> Device {
        let i = self.random.below(self.streams.len() as u32) as usize;
        self.streams[i].clone()
    }

    /// One step, on this thread or on another, and perhaps a comparison.
    pub fn step(&mut self) {
        if self.random.below(3) == 0 {
            self.counts.count("hand-over");
            std::thread::scope(|scope| {
                scope.spawn(|| self.take_a_step());
            });
        } else {
            self.take_a_step();
        }
        if !self.patient || self.random.below(8) == 0 {
            self.compare();
        }
    }

    /// A buffer among others that nobody writes to.
    pub fn canary(&mut self) {
        let stream = self.stream();
        let len = 1 + self.random.below(200) as usize;
        self.canaries.push(stream.upload(&vec![CANARY; len]).unwrap());
        if self.canaries.len() > 12 {
            let i = self.random.below(12) as usize;
            self.canaries.swap_remove(i);
        }
    }

    /// Compares all that is known with what the device has.
    pub fn compare(&mut self) {
        let seed = self.seed;
        for (i, known) in self.narrow.iter().enumerate() {
            compare(known, &format!("narrow buffer {i}, seed {seed}"));
        }
        for (i, known) in self.wide.iter().enumerate() {
            compare(known, &format!("wide buffer {i}, seed {seed}"));
        }
        for known in &self.offsets {
            if let Some(model) = &known.model {
                assert_eq!(&known.offsets.read().unwrap(), model, "offsets, seed {seed}");
            }
        }
        for canary in &self.canaries {
            assert!(canary.download().unwrap().iter().all(|&word| word == CANARY), "a canary was hit, seed {seed}");
        }
        self.counts.count("comparison");
    }
}

fn compare<T: bytemuck::Pod + PartialEq + fmt::Debug>(known: &Known<T>, what: &str) {
    let got = known.buffer.download().unwrap();
    assert_eq!(got.len(), known.model.len(), "{what}");
    for (i, (got, expected)) in got.iter().zip(&known.model).enumerate() {
        if let Some(expected) = expected {
            assert_eq!(got, expected, "{what}, element {i}");
        }
    }
}
