//! temporary
pub(crate) enum Column<'a> {
    W1 { from: &'a [[u8; 1]], to: &'a mut [[u8; 1]] },
    W2 { from: &'a [[u8; 2]], to: &'a mut [[u8; 2]] },
    W4 { from: &'a [[u8; 4]], to: &'a mut [[u8; 4]] },
    W8 { from: &'a [[u8; 8]], to: &'a mut [[u8; 8]] },
    Index { to: &'a mut [u32] },
}
#[derive(Default)]
pub(crate) struct Scratch;
impl Scratch {
    pub fn bytes(&self) -> usize {
        0
    }
    pub fn bytes_for(_: u32, _: usize) -> usize {
        0
    }
    pub fn with_capacity(_: u32, _: usize) -> Self {
        Self
    }
}
pub(crate) fn split<K: Copy + Send + Sync>(
    keys: &[K],
    columns: &mut [Column<'_>],
    m: u32,
    bucket: impl Fn(K) -> u32 + Sync,
    offsets: &mut [usize],
    _s: &mut Scratch,
) -> u64 {
    let mut counts = vec![0usize; m as usize];
    let mut astray = 0;
    for &k in keys {
        let b = bucket(k);
        astray += (b >= m) as u64;
        counts[b.min(m - 1) as usize] += 1;
    }
    let mut s = 0;
    offsets[0] = 0;
    for b in 0..m as usize {
        let c = counts[b];
        counts[b] = s;
        s += c;
        offsets[b + 1] = s;
    }
    for (i, &k) in keys.iter().enumerate() {
        let b = bucket(k).min(m - 1) as usize;
        let p = counts[b];
        counts[b] += 1;
        for c in columns.iter_mut() {
            match c {
                Column::W1 { from, to } => to[p] = from[i],
                Column::W2 { from, to } => to[p] = from[i],
                Column::W4 { from, to } => to[p] = from[i],
                Column::W8 { from, to } => to[p] = from[i],
                Column::Index { to } => to[p] = i as u32,
            }
        }
    }
    astray
}
