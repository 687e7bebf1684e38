//! Compiles the loops once more for each set of vector instructions a processor may turn out to
//! have.
//!
//! Nothing here is about intrinsics: the id loop contains the user's bucket function, and all that
//! is wanted is that the compiler vectorizes the two together, with the instructions of the
//! machine the program runs on. Inside a `#[target_feature]` function it does, provided that the
//! whole job is inlined there; a closure called from three places is not inlined, so jobs are
//! types with an `#[inline(always)]` method. On the machine this was measured on it made the
//! prescan of two buckets twice as fast as the x86-64 baseline.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Level {
    Baseline,
    /// Made by [`Level::available`] alone, where the processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    Avx2(Proof),
    /// Likewise: the instructions of the first processors with AVX-512. Those ran slower while wide vectors were
    /// multiplied, so loops of unknown contents are compiled for AVX2; what packs, moves and stores whole lines is not.
    #[cfg(target_arch = "x86_64")]
    Avx512(Proof),
    /// Likewise, with the instructions that count ones, pack bytes and transpose bits, which all later processors with
    /// AVX-512 have.
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi(Proof),
}

/// Something that only this file can make.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proof(());

/// Something to run at a level.
pub(crate) trait SimdLoop {
    /// Must be `#[inline(always)]`, and so must all that should profit.
    fn run(self);
}

impl Level {
    /// The best level this processor has.
    pub(crate) fn detect() -> Level {
        let [.., best] = Level::available();
        best
    }

    /// The levels this processor has, the best one last; the best one may stand there repeatedly.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn available() -> [Level; 4] {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt");
        let avx512 = avx2 && has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512dq");
        let bytes = has!("avx512vbmi") && has!("avx512vbmi2") && has!("gfni");
        let vbmi = avx512 && bytes && has!("avx512vpopcntdq");
        let mut levels = [Level::Baseline; 4];
        // Each also includes the features of those before it.
        let better =
            [(avx2, Level::Avx2(Proof(()))), (avx512, Level::Avx512(Proof(()))), (vbmi, Level::Avx512Vbmi(Proof(())))];
        for (i, (has, level)) in better.into_iter().enumerate() {
            levels[i + 1] = if has { level } else { levels[i] };
        }
        levels
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn available() -> [Level; 1] {
        [Level::Baseline]
    }

    #[inline]
    pub(crate) fn run(self, job: impl SimdLoop) {
        match self {
            Level::Baseline => job.run(),
            // SAFETY: a value of these variants exists only where the processor has the features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) | Level::Avx512(_) => unsafe { run_avx2(job) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vbmi(_) => unsafe { run_avx512(job) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_avx2(job: impl SimdLoop) {
    job.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,gfni,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
)]
fn run_avx512(job: impl SimdLoop) {
    job.run();
}
