//! Records the CUDA source of the kernels that this crate ships.
//!
//! `./test` runs this with `cuda-emulator` in place of the driver, and has NVIDIA's compiler compile the sources. What
//! is compared then are the registers that kernels take, and whether they spill any.

use multisplit::approach::{Approach, Way};
use multisplit::bucket::{Buckets, Delta, Digit, EvenBins, Hash, Identity, Lookup, RangeBins, Splitters};
use multisplit::measure::bandwidth;
use multisplit::{
    Buffer, Column, Device, DoubleColumn, Histogram, Key, Method, Multisplit, PaddedGroups, Result, Sort, bf16, f16,
    gather, invert,
};
use std::path::PathBuf;

/// Keys of a small input, which one cube splits; of a middle one; and of a large one.
const SMALL: usize = 1 << 10;
const MIDDLE: usize = 1 << 16;
const LARGE: usize = 1 << 25;

/// Columns that move with the keys.
#[derive(Clone, Copy, Default)]
struct Columns {
    narrow: usize,
    wide: usize,
    permutation: bool,
}

const NONE: Columns = Columns { narrow: 0, wide: 0, permutation: false };
const NARROW: Columns = Columns { narrow: 1, ..NONE };
const WIDE: Columns = Columns { wide: 1, ..NONE };
const PERMUTATION: Columns = Columns { permutation: true, ..NONE };
const MANY: Columns = Columns { narrow: 2, wide: 1, permutation: true };

impl Columns {
    fn name(self) -> String {
        let part = |count: usize, name: &str| if count == 0 { String::new() } else { format!("+{count}x{name}") };
        part(self.narrow, "4") + &part(self.wide, "8") + if self.permutation { "+permutation" } else { "" }
    }

    fn count(self) -> usize {
        self.narrow + self.wide + usize::from(self.permutation)
    }

    /// Calls `run` with columns of n rows.
    fn with(self, device: &Device, n: usize, run: impl FnOnce(&mut [Column<'_>]) -> Result<()>) -> Result<()> {
        let mut narrow = pairs::<u32>(device, n, self.narrow)?;
        let mut wide = pairs::<u64>(device, n, self.wide)?;
        let mut permutation = device.alloc::<u32>(n)?;
        let mut columns: Vec<Column<'_>> = Vec::new();
        columns.extend(narrow.iter_mut().map(|(from, to)| Column::new(from, to)));
        columns.extend(wide.iter_mut().map(|(from, to)| Column::new(from, to)));
        columns.extend(self.permutation.then(|| Column::permutation(&mut permutation)));
        run(&mut columns)
    }
}

fn pairs<V: bytemuck::Pod>(device: &Device, n: usize, count: usize) -> Result<Vec<(Buffer<V>, Buffer<V>)>> {
    (0..count).map(|_| Ok((device.alloc(n)?, device.alloc(n)?))).collect()
}

struct Recorder {
    device: Device,
    folder: PathBuf,
}

impl Recorder {
    /// Names the kernels that `work` compiles, and that no other has compiled before.
    fn record(&self, name: &str, work: impl FnOnce(&Device) -> Result<()>) {
        std::fs::write(self.folder.join("name"), name).unwrap();
        work(&self.device).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.device.sync().unwrap();
    }

    fn split<F: Buckets>(&self, what: &str, by: Multisplit<'_, F>, n: usize, columns: Columns) {
        self.record(&format!("split-{what}{}", columns.name()), |device| {
            let (keys, mut keys_out) = (device.alloc(n)?, device.alloc(n)?);
            let mut offsets = by.offsets(device)?;
            let mut workspace = by.workspace(device, n, columns.count())?;
            columns
                .with(device, n, |columns| by.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace))?;
            offsets.check().or(Ok(())) // which launches nothing, but reads
        });
    }

    fn segments<F: Buckets>(&self, what: &str, f: &F, segments: usize, each: usize, columns: Columns) {
        self.segments_of(what, f, &(0..=segments).map(|segment| segment * each).collect::<Vec<_>>(), columns);
    }

    fn segments_of<F: Buckets>(&self, what: &str, f: &F, starts: &[usize], columns: Columns) {
        self.record(&format!("segments-{what}{}", columns.name()), |device| {
            let (n, segments, by) = (starts[starts.len() - 1], starts.len() - 1, Multisplit::by(f));
            let (keys, mut keys_out) = (device.alloc(n)?, device.alloc(n)?);
            let mut offsets = by.segment_offsets(device, segments)?;
            let mut workspace = by.segment_workspace(device, n, segments, columns.count())?;
            columns.with(device, n, |columns| {
                by.enqueue_segments(&keys, starts, &mut keys_out, columns, &mut offsets, &mut workspace)
            })
        });
    }

    fn sort<K: Key>(&self, what: &str, sort: Sort, n: usize, columns: Columns) {
        self.record(&format!("sort-{}{what}{}", K::NAME, columns.name()), |device| {
            let (keys, mut keys_out) = (device.alloc::<K>(n)?, device.alloc(n)?);
            let narrow = columns.narrow + usize::from(columns.permutation);
            let mut workspace = sort.workspace::<K>(device, n, narrow, columns.wide)?;
            columns.with(device, n, |columns| sort.enqueue(&keys, &mut keys_out, columns, &mut workspace))
        });
    }

    fn histogram<F: Buckets>(&self, what: &str, f: &F, n: usize) {
        self.record(&format!("histogram-{what}"), |device| {
            let keys = device.alloc(n)?;
            Histogram::by(f).enqueue(&keys, &mut device.alloc::<u32>(f.buckets() as usize + 1)?)?;
            Histogram::by(f).enqueue(&keys, &mut device.alloc::<u64>(f.buckets() as usize + 1)?)
        });
    }

    fn approach<F: Buckets>(&self, f: &F, way: Way, columns: Columns) {
        self.record(&format!("{way}-m{}{}", f.buckets(), columns.name()), |device| {
            let by = Approach::by(f, way);
            let (keys, mut keys_out) = (device.alloc(LARGE)?, device.alloc(LARGE)?);
            let mut offsets = by.offsets(device)?;
            let narrow = columns.narrow + usize::from(columns.permutation);
            let mut workspace = by.workspace(device, LARGE, narrow, columns.wide)?;
            columns
                .with(device, LARGE, |columns| by.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace))
        });
    }
}

#[test]
#[ignore = "needs cuda-emulator in place of the CUDA driver; ./test runs it"]
fn record() {
    let folder = PathBuf::from(std::env::var_os("CUDA_EMULATOR_RECORD").expect("CUDA_EMULATOR_RECORD is not set"));
    let device = Device::open("cuda:0").unwrap();
    assert!(device.info().description.starts_with("emulated"), "this is a GPU: {:?}", device.info());
    // SAFETY: no test that reads results runs in this process: this one is ignored by default, and is asked for by name.
    unsafe { multisplit::no_kernel_runs() };
    let on = Recorder { device, folder };
    splits(&on);
    functions_and_keys(&on);
    sorts(&on);
    histograms(&on);
    others(&on);
}

fn splits(on: &Recorder) {
    for m in [2, 8, 32, 64, 100, 256, 1000, 1 << 16] {
        let f = Delta::<u32>::whole(m).unwrap();
        let by = Multisplit::by(&f);
        on.split(&format!("u32-m{m}"), by, LARGE, NONE);
        on.split(&format!("u32-m{m}"), by, LARGE, NARROW);
    }
    for m in [8, 256, 1000] {
        let (f, wide) = (Delta::<u32>::whole(m).unwrap(), Delta::<u64>::whole(m).unwrap());
        on.split(&format!("u64-m{m}"), Multisplit::by(&wide), LARGE, NONE);
        for columns in [WIDE, PERMUTATION, MANY] {
            on.split(&format!("u32-m{m}"), Multisplit::by(&f), LARGE, columns);
        }
        for (n, what) in [(SMALL, "small"), (MIDDLE, "middle")] {
            on.split(&format!("u32-m{m}-{what}"), Multisplit::by(&f), n, NONE);
            on.split(&format!("u32-m{m}-{what}"), Multisplit::by(&f), n, NARROW);
        }
    }
    // Smaller tiles.
    for m in [8, 64, 256] {
        let f = Delta::<u32>::whole(m).unwrap();
        for log in [22, 23] {
            on.split(&format!("u32-m{m}-2^{log}"), Multisplit::by(&f), 1 << log, NONE);
            on.split(&format!("u32-m{m}-2^{log}"), Multisplit::by(&f), 1 << log, NARROW);
        }
    }
    for m in [2, 32] {
        let f = Delta::<u32>::whole(m).unwrap();
        for method in [Method::Direct, Method::WarpLevel, Method::BlockLevel] {
            on.split(&format!("u32-m{m}-{method}"), Multisplit::by(&f).method(method), LARGE, NONE);
            on.split(&format!("u32-m{m}-{method}"), Multisplit::by(&f).method(method), LARGE, NARROW);
        }
    }
}

/// Each bucket function and each key type once.
fn functions_and_keys(on: &Recorder) {
    on.split("u32-identity-m8", Multisplit::by(&Identity::<u32>::new(8)), LARGE, NONE);
    on.split("u32-hash-m8", Multisplit::by(&Hash::<u32>::new(8, 1)), LARGE, NONE);
    on.split("u32-lookup-m8", Multisplit::by(&Lookup::<u32>::new(8, vec![0; 100]).unwrap()), LARGE, NONE);
    on.split("u32-splitters-m8", Multisplit::by(&Splitters::new(&[1u32, 2, 3, 4, 5, 6, 7]).unwrap()), LARGE, NONE);
    on.split("u32-range-m8", Multisplit::by(&Delta::new(5u32, 7, 8).unwrap()), LARGE, NONE);
    on.split("u8-m8", Multisplit::by(&Digit::<u8>::new(5..8).unwrap()), LARGE, NONE);
    on.split("u16-m8", Multisplit::by(&Digit::<u16>::new(13..16).unwrap()), LARGE, NONE);
    on.split("i8-m8", Multisplit::by(&Delta::new(-5i8, 7, 8).unwrap()), LARGE, NONE);
    on.split("i16-m8", Multisplit::by(&Delta::new(-5i16, 7, 8).unwrap()), LARGE, NONE);
    on.split("f16-m8", Multisplit::by(&Delta::new(f16::ZERO, 0.125, 8).unwrap()), LARGE, NONE);
    on.split("bf16-m8", Multisplit::by(&Delta::new(bf16::ZERO, 0.125, 8).unwrap()), LARGE, NONE);
    on.split("i32-m8", Multisplit::by(&Delta::new(-5i32, 7, 8).unwrap()), LARGE, NONE);
    on.split("i64-m8", Multisplit::by(&Delta::new(-5i64, 7, 8).unwrap()), LARGE, NONE);
    on.split("f32-m8", Multisplit::by(&Delta::new(0.0f32, 0.125, 8).unwrap()), LARGE, NONE);
}

fn sorts(on: &Recorder) {
    for columns in [NONE, NARROW, WIDE, PERMUTATION] {
        on.sort::<u32>("", Sort::new(), LARGE, columns);
        on.sort::<u64>("", Sort::new(), LARGE, columns);
    }
    on.sort::<u32>("-descending", Sort::new().descending(), LARGE, NONE);
    on.sort::<i32>("", Sort::new(), LARGE, NONE);
    on.sort::<f32>("", Sort::new(), LARGE, NONE);
    on.sort::<i64>("", Sort::new(), LARGE, NONE);
    on.sort::<u8>("", Sort::new(), LARGE, NONE);
    on.sort::<u16>("", Sort::new(), LARGE, NONE);
    on.sort::<i16>("", Sort::new(), LARGE, NONE);
    on.sort::<f16>("", Sort::new(), LARGE, NONE);
    on.sort::<bf16>("", Sort::new(), LARGE, NONE);
    for (n, what) in [(SMALL, "-small"), (MIDDLE, "-middle")] {
        on.sort::<u32>(what, Sort::new(), n, NONE);
        on.sort::<u32>(what, Sort::new(), n, NARROW);
    }
    on.sort::<u32>("-2^22", Sort::new(), 1 << 22, NONE);
    on.sort::<u32>("-2^22", Sort::new(), 1 << 22, NARROW);
    on.record("sort-u32-double", |device| {
        let (mut first, mut second) = (device.alloc::<u32>(LARGE)?, device.alloc(LARGE)?);
        let (mut values, mut other) = (device.alloc::<u32>(LARGE)?, device.alloc(LARGE)?);
        let mut workspace = Sort::new().double_workspace::<u32>(device, LARGE)?;
        let columns = &mut [DoubleColumn::new(&mut values, &mut other)];
        Sort::new().enqueue_double(&mut first, &mut second, columns, &mut workspace).map(drop)
    });
    on.record("sort-u32-trimmed", |device| {
        // What it finds is read at once, and nothing was.
        Sort::new().trimmed(&device.alloc::<u32>(LARGE)?).expect_err("a kernel ran");
        Ok(())
    });
}

fn histograms(on: &Recorder) {
    for bins in [2, 8, 64, 256, 1000, 1 << 16, 1 << 20] {
        on.histogram(&format!("f32-even-{bins}"), &EvenBins::new(0.0f32..1.0, bins).unwrap(), LARGE);
    }
    for bins in [8, 256, 1000, 8192] {
        let levels: Vec<f32> = (0..=bins).map(|level| level as f32).collect();
        on.histogram(&format!("f32-range-{bins}"), &RangeBins::new(&levels).unwrap(), LARGE);
    }
    on.histogram("u32-256", &Delta::<u32>::whole(256).unwrap(), LARGE);
    on.histogram("u64-256", &Delta::<u64>::whole(256).unwrap(), LARGE);
    on.histogram("u8-256", &Identity::<u8>::new(256), LARGE);
    on.histogram("u32-256-small", &Delta::<u32>::whole(256).unwrap(), SMALL);
}

fn others(on: &Recorder) {
    let half = Delta::<u32>::whole(2).unwrap();
    for columns in [NONE, NARROW] {
        on.record(&format!("select-u32{}", columns.name()), |device| {
            let by = Multisplit::by(&half);
            let (keys, mut keys_out) = (device.alloc(LARGE)?, device.alloc(LARGE)?);
            let mut offsets = by.offsets(device)?;
            let mut workspace = by.workspace(device, LARGE, columns.count())?;
            columns.with(device, LARGE, |columns| {
                by.enqueue_select(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)
            })
        });
    }
    for m in [8, 64, 256, 1000] {
        let f = Delta::<u32>::whole(m).unwrap();
        for (segments, each) in [(1 << 12, 128), (1 << 9, 1024), (4, 1 << 20)] {
            on.segments(&format!("u32-m{m}-of-{each}"), &f, segments, each, NONE);
        }
        on.segments(&format!("u32-m{m}-of-1024"), &f, 1 << 9, 1024, NARROW);
    }
    // Some for each size of tiles, and some that are cut; so many that the device deals them out.
    let lengths = [0, 90, 150, 300, 600, 1100, 2200, 4300, 8000, 20_000];
    let start = |i: usize| (0..i).map(|s| lengths[s % lengths.len()]).sum();
    let starts: Vec<usize> = (0..=5000).map(start).collect();
    on.segments_of("u32-m8-of-all-sizes", &Delta::<u32>::whole(8).unwrap(), &starts, NONE);
    for way in Way::ALL {
        on.approach(&Delta::<u32>::whole(8).unwrap(), way, NONE);
        on.approach(&Delta::<u32>::whole(8).unwrap(), way, NARROW);
    }
    on.approach(&Delta::<u32>::whole(8).unwrap(), Way::ReducedBitSort, MANY);
    on.record("gather-4", |device| {
        gather(&device.alloc::<u32>(LARGE)?, &device.alloc(LARGE)?, &mut device.alloc(LARGE)?)
    });
    on.record("gather-8", |device| {
        gather(&device.alloc::<u64>(LARGE)?, &device.alloc(LARGE)?, &mut device.alloc(LARGE)?)
    });
    on.record("gather-1", |device| {
        gather(&device.alloc::<u8>(LARGE)?, &device.alloc(LARGE)?, &mut device.alloc(LARGE)?)
    });
    for m in [8, 100_000] {
        on.record(&format!("padded-groups-m{m}"), |device| {
            let f = Identity::<u32>::new(m);
            let offsets = Multisplit::by(&f).offsets(device)?;
            PaddedGroups::new(device, LARGE, m as usize, 64)?.enqueue(&offsets, &device.alloc(LARGE)?)
        });
    }
    on.record("invert", |device| invert(&device.alloc(LARGE)?, &mut device.alloc(LARGE)?));
    on.record("transfers", |device| {
        let (words, mut to) = (device.alloc::<u32>(LARGE)?, device.alloc(LARGE)?);
        to.copy_from(&words)?;
        to.slice_mut(1..5)?.copy_from(words.slice(..4)?)?;
        let (bytes, mut to) = (device.alloc::<u8>(16)?, device.alloc(16)?);
        to.slice_mut(1..4)?.copy_from(bytes.slice(..3)?)?;
        to.slice_mut(1..4)?.fill(1)?;
        device.alloc::<u64>(LARGE)?.fill(1)
    });
    on.record("limits", |device| {
        bandwidth::copy(&device.alloc::<u32>(LARGE)?, &mut device.alloc(LARGE)?)?;
        bandwidth::read(&device.alloc::<u32>(LARGE)?, &mut device.alloc(4096)?)
    });
}
