//! Words of shared memory that units add to: atomics, which are plain words where nobody else is at them.
//!
//! CUDA can see them as such; for WGSL they are atomics always.

use crate::gpu::tuning::blueprint::Blueprint;
use crate::runtime::Dialect;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;

/// Words that units add to.
pub(crate) type Words = SharedMemory<Atomic<u32>>;

/// Sets the first `len` words to 0, all units together. Wait before they are used.
#[cube]
pub(crate) fn clear(words: &Words, #[comptime] len: u32, #[comptime] bp: Blueprint) {
    if comptime!(bp.dialect == Dialect::Cuda && len.is_multiple_of(4)) {
        let mut quads = vectors::<Const<4>>(words);
        let zeros = Vector::new(0u32);
        let first = UNIT_POS_X as usize;
        let (len, units) = comptime!((len as usize / 4, bp.units() as usize));
        #[unroll]
        for i in 0..comptime!(len.div_ceil(units)) {
            if comptime!((i + 1) * units <= len) {
                quads[first + comptime!(i * units)] = zeros;
            } else if first + comptime!(i * units) < len {
                quads[first + comptime!(i * units)] = zeros;
            }
        }
    } else {
        let mut word = UNIT_POS_X;
        while word < len {
            words[word as usize].store(0u32);
            word += comptime!(bp.units());
        }
    }
}

/// A word that nobody adds to at the moment.
#[cube]
pub(crate) fn read_word(words: &Words, at: u32, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.dialect == Dialect::Cuda) {
        let words = plain(words);
        words[at as usize]
    } else {
        words[at as usize].load()
    }
}

/// Atomic words as plain ones. CUDA alone lets the same memory be both.
#[cube]
#[allow(unused_variables)]
fn plain(words: &Words) -> SharedMemory<u32> {
    intrinsic!(|scope| {
        let mut variable = *words.expand;
        variable.ty = u32::as_type(scope);
        ManagedVariable::Plain(variable).into()
    })
}

/// The same as vectors.
#[cube]
pub(crate) fn vectors<N: Size>(words: &Words) -> SliceMut<Vector<u32, N>> {
    plain(words).to_slice_mut().into_vectorized().with_vector_size::<N>()
}
