//! Sorts in every way there is, against the standard library's.

use crate::common::same_bits;
use multisplit::{Column, Device, DeviceKind, DoubleColumn, Error, Key, Side, Sort, bf16, f16};
use std::ops::Range;

/// A key's bits as a number in its order, by the rules and not by this library.
pub trait Ordered: Key {
    fn rank(self) -> u64;
}

macro_rules! ordered {
    ($($key:ident $rank:expr;)*) => {$(
        impl Ordered for $key {
            fn rank(self) -> u64 {
                let rank: fn($key) -> u64 = $rank;
                rank(self)
            }
        }
    )*};
}

ordered! {
    u8 |k| k.into();
    u16 |k| k.into();
    i8 |k| (i64::from(k) + (1 << 7)) as u64;
    i16 |k| (i64::from(k) + (1 << 15)) as u64;
    f16 |k| u64::from(if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 15 });
    bf16 |k| u64::from(if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 15 });
    u32 |k| k.into();
    u64 |k| k;
    i32 |k| (i64::from(k) + (1 << 31)) as u64;
    i64 |k| (i128::from(k) + (1 << 63)) as u64;
    f32 |k| u64::from(if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 31 });
    f64 |k| if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 63 };
}

/// What to sort by.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub bits: Option<Range<u32>>,
    pub digit_bits: Option<u32>,
    pub descending: bool,
}

impl Wanted {
    pub const WHOLE: Self = Self { bits: None, digit_bits: None, descending: false };

    pub fn sort(&self) -> Sort {
        let mut sort = Sort::new();
        if let Some(bits) = self.bits.clone() {
            sort = sort.bits(bits);
        }
        if let Some(bits) = self.digit_bits {
            sort = sort.digit_bits(bits);
        }
        if self.descending { sort.descending() } else { sort }
    }

    /// The permutation, by the standard library.
    pub fn expected<K: Ordered>(&self, keys: &[K]) -> Vec<u32> {
        let Range { start, end } = self.bits.clone().unwrap_or(0..8 * size_of::<K>() as u32);
        let mask = ((1u128 << (end - start)) - 1) as u64;
        let rank = |&i: &u32| {
            let bits = (u128::from(keys[i as usize].rank()) >> start) as u64 & mask;
            if self.descending { !bits } else { bits }
        };
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(rank);
        order
    }
}

/// Sorts on slices, with a column; on the CPU without, too. (On GPUs each is other kernels to compile, which takes most
/// of the time of these tests.)
pub fn check<K: Ordered>(device: &Device, keys: &[K], wanted: &Wanted) {
    let context = || format!("{} keys of {}, {wanted:?}, on {}", keys.len(), K::NAME, device.name());
    let order = wanted.expected(keys);
    let sorted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
    if device.info().kind == DeviceKind::Cpu {
        let got = wanted.sort().sort(device, keys).unwrap_or_else(|error| panic!("{error}: {}", context()));
        same_bits(&got.keys, &sorted, "keys", &context);
    }
    let index: Vec<u32> = (0..keys.len() as u32).collect();
    let got = wanted.sort().sort_with(device, keys, &index).unwrap_or_else(|error| panic!("{error}: {}", context()));
    same_bits(&got.keys, &sorted, "keys with values", &context);
    same_bits(&got.values, &order, "values", &context);
}

/// Sorts in every way there is, with columns of both widths and the permutation.
pub fn check_all<K: Ordered>(device: &Device, keys: &[K], wanted: &Wanted) {
    check(device, keys, wanted);
    let context = || format!("{} keys of {}, {wanted:?}, on {}", keys.len(), K::NAME, device.name());
    let fail = |error: Error| -> ! { panic!("{error}: {}", context()) };
    let (n, sort, order) = (keys.len(), wanted.sort(), wanted.expected(keys));
    let sorted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
    let narrow: Vec<u32> = (0..n as u32).collect();
    let wide: Vec<[u32; 2]> = narrow.iter().map(|&i| [!i, i]).collect();
    let sorted_wide: Vec<[u32; 2]> = order.iter().map(|&i| [!i, i]).collect();

    let got = sort.with_permutation().sort_with(device, keys, (&narrow[..], &wide[..])).unwrap_or_else(|e| fail(e));
    same_bits(&got.keys, &sorted, "keys with all", &context);
    same_bits(&got.values.0, &order, "narrow values", &context);
    same_bits(&got.values.1, &sorted_wide, "wide values", &context);
    same_bits(&got.permutation.unwrap(), &order, "permutation", &context);

    // Out of place. What lies behind the result stays, and so does the input.
    let input = device.upload(keys).unwrap();
    let wide_input = device.upload(&wide).unwrap();
    let junk = vec![0xdead_beefu32; n + 3];
    let (mut to, mut index) = (device.alloc::<K>(n).unwrap(), device.upload(&junk).unwrap());
    let mut wide_to = device.alloc::<[u32; 2]>(n + 1).unwrap();
    let mut workspace = sort.workspace::<K>(device, n + 5, 1, 1).unwrap_or_else(|e| fail(e));
    for _ in 0..2 {
        let columns = &mut [Column::permutation(&mut index), Column::new(&wide_input, &mut wide_to)];
        sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_or_else(|e| fail(e));
        device.sync().unwrap_or_else(|e| fail(e));
    }
    same_bits(&to.download().unwrap(), &sorted, "keys out of place", &context);
    same_bits(&index.download().unwrap()[..n], &order, "permutation out of place", &context);
    assert_eq!(index.download().unwrap()[n..], junk[n..], "{}", context());
    same_bits(&wide_to.download().unwrap()[..n], &sorted_wide, "wide values out of place", &context);
    same_bits(&input.download().unwrap(), keys, "the input", &context);
    same_bits(&wide_input.download().unwrap(), &wide, "the wide input", &context);

    // Between two buffers.
    let (mut first, mut second) = (device.upload(keys).unwrap(), device.alloc::<K>(n + 1).unwrap());
    let (mut wide_first, mut wide_second) = (device.upload(&wide).unwrap(), device.alloc(n).unwrap());
    let (mut index_first, mut index_second) = (device.upload(&junk).unwrap(), device.upload(&junk).unwrap());
    let columns = &mut [
        DoubleColumn::new(&mut wide_first, &mut wide_second),
        DoubleColumn::permutation(&mut index_first, &mut index_second),
    ];
    let mut workspace = sort.double_workspace::<K>(device, n).unwrap_or_else(|e| fail(e));
    let side = sort.enqueue_double(&mut first, &mut second, columns, &mut workspace).unwrap_or_else(|e| fail(e));
    device.sync().unwrap_or_else(|e| fail(e));
    let (got, wide_got, index_got) = match side {
        Side::First => (first, wide_first, index_first),
        Side::Second => (second, wide_second, index_second),
    };
    same_bits(&got.download().unwrap()[..n], &sorted, "keys between two", &context);
    same_bits(&wide_got.download().unwrap()[..n], &sorted_wide, "wide values between two", &context);
    same_bits(&index_got.download().unwrap()[..n], &order, "permutation between two", &context);
}
