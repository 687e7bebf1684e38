//! A CUDA driver and runtime compiler that run kernels on the CPU, for tests.
//!
//! A program that loads this library in place of `libcuda.so.1` and `libnvrtc.so` finds one GPU. Its kernels are
//! compiled by the C++ compiler of the machine and run by one thread. That is slow, but it needs no GPU, and it runs
//! the very source that a GPU would be given.
//!
//! - `CUDA_EMULATOR_GPU`: `sm_80` (an A100) or `sm_90` (an H200), the default.
//! - `CUDA_EMULATOR_PROCESSORS`: how many it has. With few, launches that fill a GPU are small.
//! - `CUDA_EMULATOR_RECORD`: a folder. The source of each kernel is written there when it is compiled, with the
//!   compiler's options in its first line. The program may write a name for those that follow to the file `name` there.
//! - `CUDA_EMULATOR_DRY`: if it is set, no kernel runs.
//! - `CUDA_EMULATOR_FLAGS`: more options for the C++ compiler, `-fsanitize=undefined` for example.
//!
//! Only what CubeCL and this project call is there.

mod context;
mod driver;
mod kernel;
mod nvrtc;
mod random;
mod status;

/// The GPU that the program finds.
struct Model {
    name: &'static str,
    capability: (i32, i32),
    processors: i32,
    /// Bytes that a block may have if it asks for them.
    shared_memory: i32,
    memory: usize,
}

const A100: Model = Model {
    name: "emulated (as an A100)",
    capability: (8, 0),
    processors: 108,
    shared_memory: 166_912,
    memory: 80 << 30,
};

const H200: Model = Model {
    name: "emulated (as an H200)",
    capability: (9, 0),
    processors: 132,
    shared_memory: 232_448,
    memory: 140 << 30,
};

fn model() -> &'static Model {
    match std::env::var("CUDA_EMULATOR_GPU").as_deref() {
        Ok("sm_80") => &A100,
        _ => &H200,
    }
}

fn processors() -> i32 {
    let asked = std::env::var("CUDA_EMULATOR_PROCESSORS").ok().and_then(|count| count.parse().ok());
    asked.unwrap_or(model().processors)
}
