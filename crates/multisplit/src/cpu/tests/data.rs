//! Test tables: keys of several distributions, columns of bytes at any alignment, and what a split
//! of them should be.

use test_support::Random;

/// Keys are bucket ids here: the bucket function is the identity.
pub(super) fn keys(kind: usize, n: usize, m: u32) -> Vec<u32> {
    let mut random = Random::new((n as u64) << 16 | (kind as u64) << 12 | u64::from(m));
    let spread = |i: usize| (i as u64 * u64::from(m) / n as u64) as u32;
    let mut key = |i: usize| match kind {
        0 => random.below(m),
        1 => m / 2,
        2 => (i as u32 & 1) * (m - 1),
        3 => spread(i),
        4 => m - 1 - spread(i),
        5 if random.below(10) == 0 => random.below(m),
        5 => m / 3,
        6 => random.below(5).wrapping_sub(1).wrapping_add(m / 2),
        _ => (i / 100) as u32 % m,
    };
    (0..n).map(&mut key).collect()
}

pub(super) const KINDS: usize = 8;

/// Row numbers in their order after the split, the boundaries, and how many ids are out of range.
pub(super) fn reference(keys: &[u32], m: u32) -> (Vec<u32>, Vec<usize>, u64) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    let bucket = |row: u32| keys[row as usize].min(m - 1);
    order.sort_by_key(|&row| bucket(row));
    let below = |b| order.partition_point(|&row| bucket(row) < b);
    let offsets = (0..=m).map(below).collect();
    let out_of_range = keys.iter().filter(|&&key| key >= m).count() as u64;
    (order, offsets, out_of_range)
}

/// A column of width `N` and its output, both beginning `skew` bytes after an aligned address.
pub(super) struct Bytes<const N: usize> {
    from: Vec<u64>,
    to: Vec<u64>,
    skew: usize,
    rows: usize,
}

impl<const N: usize> Bytes<N> {
    pub(super) fn new(rows: usize, skew: usize) -> Self {
        let mut random = Random::new(N as u64);
        let words = (rows * N + skew).div_ceil(8) + 1;
        let from = (0..words).map(|_| random.next_u64()).collect();
        Bytes { from, to: vec![0x5555_5555_5555_5555; words], skew, rows }
    }

    pub(super) fn parts(&mut self) -> (&[[u8; N]], &mut [[u8; N]]) {
        let (skew, end) = (self.skew, self.skew + self.rows * N);
        // SAFETY: the same memory as bytes.
        let (from, to) = unsafe { (self.from.align_to::<u8>().1, self.to.align_to_mut::<u8>().1) };
        let (from, to) = (&from[skew..end], &mut to[skew..end]);
        (from.as_chunks().0, to.as_chunks_mut().0)
    }

    /// The output is the input in that order, and nothing around it was touched.
    pub(super) fn check(&mut self, order: &[u32], what: &str) {
        let (from, to) = self.parts();
        let good = order.iter().zip(&*to).all(|(&row, to)| *to == from[row as usize]);
        assert!(good, "{what}, width {N}");
        let (skew, end) = (self.skew, self.skew + self.rows * N);
        // SAFETY: the same memory as bytes.
        let to = unsafe { self.to.align_to::<u8>().1 };
        assert!(to[..skew].iter().chain(&to[end..]).all(|&b| b == 0x55), "{what}, width {N}");
    }
}
