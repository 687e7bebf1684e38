//! What the suites share: devices, data, and the comparison with the reference.
#![allow(dead_code)] // each test program uses its own part

use multisplit::bucket::Buckets;
use multisplit::measure::Reference;
use multisplit::{Device, DeviceKind, Key, Method, Multisplit, Policy};
use std::sync::OnceLock;
use test_support::Random;

/// The GPU to test on; see [`test_support::gpu`].
pub fn gpu(test: &str) -> Option<&'static Device> {
    static GPU: OnceLock<Option<Device>> = OnceLock::new();
    let first = || Device::list().into_iter().find(|device| device.kind != DeviceKind::Cpu).map(|device| device.name);
    test_support::gpu(test, &GPU, first, |name| Device::open(name).unwrap_or_else(|error| panic!("{error}")))
}

/// Random keys of any type, with extremes among them.
pub fn any_keys<K: Key>(n: usize, seed: u64) -> Vec<K> {
    let mut random = Random::new(seed);
    let special = [0x00u8, 0xff, 0x80, 0x7f];
    let key = |_| match random.below(16) {
        0 => bytemuck::pod_read_unaligned(&[special[random.below(4) as usize]; 8][..size_of::<K>()]),
        _ => bytemuck::pod_read_unaligned(&random.next_u64().to_ne_bytes()[..size_of::<K>()]),
    };
    (0..n).map(key).collect()
}

/// The CPU, and the GPU if it takes keys of this type.
pub fn that_take<K: Key>(test: &str) -> Vec<Device> {
    let mut devices = vec![Device::cpu()];
    devices.extend(gpu(test).filter(|device| takes::<K>(device)).cloned());
    devices
}

/// Whether a device takes keys of this type; if not, it says so by name.
pub fn takes<K: Key>(device: &Device) -> bool {
    is_supported::<K, _>(multisplit::sort(device, &[K::zeroed()]))
}

/// Whether a call on keys of this type could be made; if not, its error must name the type.
pub fn is_supported<K: Key, T>(result: multisplit::Result<T>) -> bool {
    match result {
        Ok(_) => true,
        Err(multisplit::Error::MissingCapability { capability, .. }) => {
            assert_eq!(capability, format!("{} keys", K::NAME));
            assert!(!matches!(K::NAME, "u32" | "i32" | "f32"), "every device takes 32-bit keys");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs a test on the CPU and on the GPU.
pub fn everywhere(test: &str, run: impl Fn(&Device)) {
    run(&Device::cpu());
    if let Some(device) = gpu(test) {
        run(device);
    }
}

/// All cases of a list; or a few, where each compiles kernels and the device takes long to. `./test --all` has all of
/// them everywhere.
pub fn cases<'c, T>(device: &Device, all: &'c [T], few: &'c [T]) -> &'c [T] {
    if all_cases() || !is_slow(device) { all } else { few }
}

/// How many of n keys to split where each case compiles kernels and the device takes long to: as many as take one
/// kernel, not three. `./test --all` has all of them everywhere.
pub fn fewer(device: &Device, n: usize) -> usize {
    if all_cases() || !is_slow(device) { n } else { n.min(250) }
}

/// An odd number of keys per unit. What is unrolled for each takes software devices long to compile.
pub fn odd_items(device: &Device) -> u32 {
    if device.info().kind == DeviceKind::Software && !all_cases() { 3 } else { 9 }
}

/// Whether tests leave nothing out.
pub fn all_cases() -> bool {
    std::env::var_os("MULTISPLIT_ALL_CASES").is_some()
}

/// Whether a CPU poses as the GPU.
pub fn is_slow(device: &Device) -> bool {
    device.info().kind == DeviceKind::Software || device.info().description.starts_with("emulated")
}

/// Where and how to split.
#[derive(Clone, Copy, Debug)]
pub struct Way<'d> {
    pub device: &'d Device,
    pub method: Method,
    pub policy: Option<Policy>,
}

impl<'d> Way<'d> {
    pub fn new(device: &'d Device, method: Method) -> Self {
        Self { device, method, policy: None }
    }

    pub fn shaped(self, policy: Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    pub fn split_by<'f, F: Buckets>(&self, f: &'f F) -> Multisplit<'f, F> {
        let split = Multisplit::by(f).method(self.method);
        match self.policy {
            Some(policy) => split.policy(policy),
            None => split,
        }
    }

    /// The most buckets that the method takes on the device.
    pub fn max_buckets(&self) -> u32 {
        let plane_wide = matches!(self.method, Method::Direct | Method::WarpLevel);
        if plane_wide && self.device.info().kind != DeviceKind::Cpu { plane_size(self.device) } else { 256 }
    }
}

/// The plane size, by what the direct method refuses.
pub fn plane_size(device: &Device) -> u32 {
    static SIZE: OnceLock<u32> = OnceLock::new();
    *SIZE.get_or_init(|| {
        let f = multisplit::bucket::Identity::<u32>::new(256);
        match Multisplit::by(&f).method(Method::Direct).split(device, &[0]) {
            Err(multisplit::Error::TooManyBuckets { limit, .. }) => limit,
            other => panic!("expected a refusal, got {other:?}"),
        }
    })
}

/// Splits keys with a 4-byte and an 8-byte column and the permutation, and compares everything with the reference, bit
/// by bit. Values are the index, so that equality proves permutation and stability at once.
pub fn check<F: Buckets>(way: &Way<'_>, keys: &[F::Key], f: &F) {
    let context = || format!("{way:?}, n = {}, m = {}, {}", keys.len(), f.buckets(), F::Key::NAME);
    let expected = Reference::split(keys, f);
    assert_eq!(expected.out_of_range, 0, "the test's own data is off: {}", context());
    let narrow: Vec<u32> = (0..keys.len() as u32).collect();
    let wide: Vec<[u32; 2]> = narrow.iter().map(|&i| [!i, i]).collect();

    let got = way.split_by(f).split(way.device, keys).unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys", &context);

    let got = way.split_by(f).with_permutation().split_with(way.device, keys, (&narrow[..], &wide[..]));
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets with values: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys with values", &context);
    same_bits(&got.values.0, &expected.permute(&narrow), "narrow values", &context);
    same_bits(&got.values.1, &expected.permute(&wide), "wide values", &context);
    same_bits(&got.permutation.unwrap(), &expected.permutation, "permutation", &context);
}

/// Keys only: for the cases that are many.
pub fn check_keys<F: Buckets>(way: &Way<'_>, keys: &[F::Key], f: &F) {
    let context = || format!("{way:?}, n = {}, m = {}, {}", keys.len(), f.buckets(), F::Key::NAME);
    let expected = Reference::split(keys, f);
    let got = way.split_by(f).split_with(way.device, keys, &expected_values(keys.len()));
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys", &context);
    same_bits(&got.values, &expected.permutation, "values", &context);
}

fn expected_values(n: usize) -> Vec<u32> {
    (0..n as u32).collect()
}

/// Equality of bits: NaN equals itself, and +0 does not equal −0.
pub fn same_bits<T: bytemuck::Pod + std::fmt::Debug>(
    got: &[T],
    expected: &[T],
    what: &str,
    context: &dyn Fn() -> String,
) {
    let (a, b): (&[u8], &[u8]) = (bytemuck::cast_slice(got), bytemuck::cast_slice(expected));
    if a == b {
        return;
    }
    assert_eq!(got.len(), expected.len(), "{what}: {}", context());
    let size = size_of::<T>();
    let i = (0..got.len()).find(|i| a[i * size..][..size] != b[i * size..][..size]).unwrap();
    panic!("{what} differ first at {i}: {:?} instead of {:?}: {}", got[i], expected[i], context());
}
