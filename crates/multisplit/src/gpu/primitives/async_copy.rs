//! Asynchronous copies from global to shared memory (`cp.async`), on NVIDIA GPUs since compute capability 8.0, and the
//! barrier in shared memory (`mbarrier`) that they are waited for at.
//!
//! CubeCL has both, but includes CUDA's C++ library for the barrier, which takes NVRTC longer than all the rest of a
//! kernel. Four instructions do the work.

use super::inline_ptx::statement;
use cubecl::prelude::*;

/// The most bytes of a copy.
pub(crate) const BYTES: usize = 16;

/// The least bytes of a copy.
pub(crate) const LEAST_BYTES: usize = 4;

/// What `printf` stands for. The first operand is its format, which is empty. Only copies of 16 bytes can go past the
/// first cache.
fn copy(bytes: usize) -> String {
    let cache = if bytes == BYTES { "cg" } else { "ca" };
    format!(
        r#"*/
#define printf(_, to, at, from, first) asm volatile("cp.async.{cache}.shared.global [%0], [%1], {bytes};" \
    :: "r"((unsigned)__cvta_generic_to_shared(to + at)), "l"(from + first) : "memory")
/*"#
    )
}

const INIT: &str = r#"*/
#define printf(_, barrier, at, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" \
    :: "r"((unsigned)__cvta_generic_to_shared(barrier + at)), "r"(count) : "memory")
/*"#;

const ARRIVE: &str = r#"*/
#define printf(_, barrier, at) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" \
    :: "r"((unsigned)__cvta_generic_to_shared(barrier + at)) : "memory")
/*"#;

/// Since compute capability 9.0 there is a test that waits for a while. After some tests a unit sleeps between them.
/// (Without that, the assembler computes addresses for the whole kernel in another way, which was slower.)
const WAIT: &str = r#"*/
#if __CUDA_ARCH__ >= 900
#define TEST "mbarrier.try_wait.parity.shared.b64"
#else
#define TEST "mbarrier.test_wait.parity.shared.b64"
#endif
#define printf(_, barrier, at, parity) \
    for (unsigned tests = 0, done = 0; ; tests++) { \
        asm volatile("{.reg .pred done; " TEST " done, [%1], %2; selp.u32 %0, 1, 0, done;}" \
            : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier + at)), "r"(parity) : "memory"); \
        if (done) break; \
        if (tests >= 16) __nanosleep(64); \
    }
/*"#;

/// Starts to copy 4, 8 or 16 bytes from element `first` of global memory to element `at` of shared memory. Both are
/// aligned to as many.
#[cube]
#[allow(unused_variables)]
pub(crate) fn start<E: CubePrimitive>(
    from: &Array<E>,
    first: usize,
    to: &mut SharedMemory<E>,
    at: usize,
    #[comptime] bytes: usize,
) {
    intrinsic!(|scope| {
        statement(scope, &copy(bytes), vec![*to.expand, *at.expand, *from.expand, *first.expand]);
    })
}

/// Makes a word in shared memory a barrier that so many units arrive at. For one unit; the cube needs to wait.
#[cube]
#[allow(unused_variables)]
pub(crate) fn init(barrier: &Slice<u64>, count: u32) {
    intrinsic!(|scope| {
        let (barrier, at) = barrier.__to_raw_parts();
        statement(scope, INIT, vec![barrier, at, *count.expand]);
    })
}

/// Has this unit arrive at a barrier when the copies that it has started are done.
#[cube]
#[allow(unused_variables)]
pub(crate) fn arrive(barrier: &Slice<u64>) {
    intrinsic!(|scope| {
        let (barrier, at) = barrier.__to_raw_parts();
        statement(scope, ARRIVE, vec![barrier, at]);
    })
}

/// Waits until all units have arrived at a barrier. `parity` is 0 for the first time, 1 for the second, 0 for the
/// third, ….
#[cube]
#[allow(unused_variables)]
pub(crate) fn wait(barrier: &Slice<u64>, parity: u32) {
    intrinsic!(|scope| {
        let (barrier, at) = barrier.__to_raw_parts();
        statement(scope, WAIT, vec![barrier, at, *parity.expand]);
    })
}
