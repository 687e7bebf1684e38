//! Ids to bit planes, with AVX-512: 512 numbers of 8 bits to 6 numbers of 512 bits, which are the lowest.
//!
//! There are instructions that transpose: of the bits of eight bytes, of the bytes of a vector, and of words. Taking
//! the highest bits of 64 bytes, one plane after the other, made the prescan a tenth slower.

use std::arch::x86_64::*;

/// Ids in a vector of bytes, and bits in a word of a plane.
pub(crate) const WORD: usize = 64;
/// Ids in a vector of a plane.
pub(crate) const VECTOR: usize = 512;
/// Planes.
pub(crate) const BITS: usize = 6;

/// Where the bytes of a vector of eight lanes of eight come from, for them to be transposed.
const ACROSS: [u8; WORD] = {
    let mut from = [0; WORD];
    let mut at = 0;
    while at < WORD {
        from[at] = (at % 8 * 8 + at / 8) as u8;
        at += 1;
    }
    from
};

/// The low planes of a vector of ids. In which order they have its bits does not matter, if all have the same.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
pub(crate) fn planes(ids: &[u8; VECTOR]) -> [__m512i; BITS] {
    let mut words = [_mm512_setzero_si512(); VECTOR / WORD];
    for (word, ids) in words.iter_mut().zip(ids.as_chunks::<WORD>().0) {
        // SAFETY: a vector of ids.
        *word = planes_of_word(unsafe { _mm512_loadu_si512(ids.as_ptr().cast()) });
    }
    // Each word has its part of plane p in lane p: what is left is to transpose 8 vectors of 8 lanes. By twos,
    let [a, b, c, d, e, f, g, h] = words;
    let [even, odd] = [
        [(a, b), (c, d), (e, f), (g, h)].map(|(a, b)| _mm512_unpacklo_epi64(a, b)),
        [(a, b), (c, d), (e, f), (g, h)].map(|(a, b)| _mm512_unpackhi_epi64(a, b)),
    ];
    // and then by fours and eights.
    let [[p0, p2, p4], [p1, p3, p5]] = [even, odd].map(|[ab, cd, ef, gh]| {
        let (front, front_too) = (_mm512_shuffle_i64x2::<0x44>(ab, cd), _mm512_shuffle_i64x2::<0x44>(ef, gh));
        let (back, back_too) = (_mm512_shuffle_i64x2::<0xee>(ab, cd), _mm512_shuffle_i64x2::<0xee>(ef, gh));
        [
            _mm512_shuffle_i64x2::<0x88>(front, front_too),
            _mm512_shuffle_i64x2::<0xdd>(front, front_too),
            _mm512_shuffle_i64x2::<0x88>(back, back_too),
        ]
    });
    [p0, p1, p2, p3, p4, p5]
}

/// The bits of 64 ids, those of plane `p` in 64-bit lane `p`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
fn planes_of_word(ids: __m512i) -> __m512i {
    // A product of bit matrices, 8 by 8, with the ids as one and single bits as the other, transposes: byte p of each
    // 64-bit lane is then bit p of the lane's eight ids.
    let bits = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
    let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(bits, ids);
    // Byte p of each lane to lane p.
    // SAFETY: a vector of bytes.
    let from = unsafe { _mm512_loadu_si512(ACROSS.as_ptr().cast()) };
    _mm512_permutexvar_epi8(from, transposed)
}
