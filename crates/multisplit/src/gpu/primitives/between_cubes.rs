#![allow(missing_docs)] // of what the macro adds
//! What cubes of one launch need to work on what other cubes have written. CUDA alone: CubeCL has neither, and WGSL has
//! no such fence.

use super::inline_ptx::statement;
use super::relaxed::load_ptx;
use cubecl::prelude::*;

const FENCE: &str = r#"*/
#define printf(_) asm volatile("fence.acq_rel.gpu;" ::: "memory")
/*"#;

/// Orders what this unit has seen and written before what it does next, for all units of the device. With a barrier of
/// the cube before it, that holds for what all units of the cube have written; with one after it, all of them see what
/// this unit may see.
#[cube]
pub fn fence() {
    intrinsic!(|scope| {
        statement(scope, FENCE, vec![]);
    })
}

/// Reads a word that other cubes write to, from the memory that they share.
#[cube]
pub fn load(words: &Array<Atomic<u32>>, at: u32) -> u32 {
    let mut word = 0u32;
    load_ptx(&mut word, words, at as usize);
    word
}
