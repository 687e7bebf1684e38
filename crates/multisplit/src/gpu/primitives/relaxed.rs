//! Words of global memory that other cubes write to at the same time.

use super::inline_ptx::statement;
use crate::gpu::tuning::blueprint::Blueprint;
use crate::runtime::Dialect;
use cubecl::prelude::*;

const LOAD: &str = r#"*/
#define printf(_, to, words, at) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" \
    : "=r"(to) : "l"(words + at) : "memory")
/*"#;

/// Reads a word. On CUDA, CubeCL's load of an atomic adds 0 to it: units that read the same word would take turns.
#[cube]
pub(crate) fn load(words: &Array<Atomic<u32>>, at: u32, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.dialect == Dialect::Cuda) {
        let mut word = 0u32;
        load_ptx(&mut word, words, at as usize);
        word
    } else {
        words[at as usize].load()
    }
}

#[cube]
#[allow(unused_variables)]
pub(super) fn load_ptx(to: &mut u32, words: &Array<Atomic<u32>>, at: usize) {
    intrinsic!(|scope| {
        statement(scope, LOAD, vec![*to.expand, *words.expand, *at.expand]);
    })
}
