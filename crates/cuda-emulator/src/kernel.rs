//! Kernels: CUDA source, compiled for the CPU and run there.

use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// CUDA's device side, for a compiler of the CPU.
const HEADER: &str = include_str!("cuda.h");

/// The function that runs a launch.
const ENTRY: &[u8] = b"emulator_launch\0";

/// Blocks and threads in three directions, and bytes of shared memory.
pub type Shape = [u32; 7];

type Entry = unsafe extern "C" fn(*mut *mut c_void, *const u32);

/// A kernel. One runs at a time: what is global there is its alone.
pub struct Kernel {
    library: Mutex<Library>,
}

impl Kernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(source: &str) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file =
            |ending: &str| std::env::temp_dir().join(format!("cuda-emulator-{}-{number}.{ending}", std::process::id()));
        let (text, library) = (file("cpp"), file("so"));
        let made = translate(source).and_then(|translated| build(&translated, &text, &library));
        let loaded = made.and_then(|()| {
            // SAFETY: what is run when it is loaded are constructors of its own globals.
            unsafe { Library::new(&library) }.map_err(|error| error.to_string())
        });
        if loaded.is_ok() {
            let _ = std::fs::remove_file(text);
        }
        let _ = std::fs::remove_file(library);
        Ok(Self { library: Mutex::new(loaded?) })
    }

    /// Runs all blocks.
    ///
    /// # Safety
    /// Arguments are as many as the kernel has, of its types, and what they point to is as large as it needs.
    pub unsafe fn launch(&self, arguments: *mut *mut c_void, shape: &Shape) {
        let library = self.library.lock().unwrap();
        // SAFETY: this is its type.
        let entry: Symbol<'_, Entry> = unsafe { library.get(ENTRY) }.expect("a kernel without an entry");
        // SAFETY: the caller keeps what the kernel requires.
        unsafe { entry(arguments, shape.as_ptr()) };
    }
}

/// The name of the kernel in a CUDA source.
pub fn name_of(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("__global__ void __launch_bounds__(")?;
    let (name, _) = rest.split_once(')')?.1.split_once('(')?;
    Some(name.trim())
}

/// What a compiler of the CPU understands.
fn translate(source: &str) -> Result<String, String> {
    let name = name_of(source).ok_or("there is no kernel in this source")?;
    let (before, kernel) = source.split_once("extern \"C\" __global__").ok_or("there is no kernel in this source")?;
    let types: String =
        before.lines().filter(|line| !line.starts_with("#include")).flat_map(|line| [line, "\n"]).collect();
    let kernel = inline_ptx(kernel);
    // Static, since a function of the C library may have the same name.
    Ok(format!(
        "{HEADER}\n{types}\nstatic {kernel}\n\
         extern \"C\" void emulator_launch(void **arguments, const unsigned *shape) {{\n    \
         emulator::launch({name}, arguments, shape);\n}}\n"
    ))
}

/// Makes inline PTX a call with its operands, if it is of the form
/// `asm volatile("…" : "=r"(…) : "r"(…), "l"(…) : "memory")`; there may be no output, and no inputs.
fn inline_ptx(source: &str) -> String {
    let operands = [
        (" ::: \"memory\"", ""),
        (":: \"r\"(", ", ("),
        (": \"=r\"(", ", &("),
        (": \"r\"(", ", ("),
        (": \"l\"(", ", ("),
        (", \"r\"(", ", ("),
        (", \"l\"(", ", ("),
        (": \"memory\"", ""),
    ];
    let calls = source.replace("asm volatile(", "emulator::ptx(");
    operands.iter().fold(calls, |text, (from, to)| text.replace(from, to))
}

fn build(source: &str, text: &Path, library: &PathBuf) -> Result<(), String> {
    std::fs::write(text, source).map_err(|error| format!("{}: {error}", text.display()))?;
    let flags = std::env::var("CUDA_EMULATOR_FLAGS").unwrap_or_default();
    let output = Command::new(std::env::var_os("CXX").unwrap_or("c++".into()))
        .args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC"])
        // As CUDA's compiler has it: numbers wrap, and memory may be seen as another type.
        .args(["-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off"])
        .args(flags.split_whitespace())
        .arg(text)
        .arg("-o")
        .arg(library)
        .output()
        .map_err(|error| format!("a C++ compiler is needed (c++, or what CXX names): {error}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found() {
        let source =
            "struct a {};\nextern \"C\" __global__ void __launch_bounds__(256)fill (\n  uint32* buffer_0\n) {}";
        assert_eq!(name_of(source), Some("fill"));
        assert_eq!(name_of("void fill() {}"), None);
        assert!(translate("void fill() {}").is_err());
    }

    /// Every thread hands its number to its neighbour, through shared memory and through the warp.
    #[test]
    fn threads_wait_for_each_other() {
        let source = "typedef unsigned int uint32;\n\
            extern \"C\" __global__ void __launch_bounds__(96)neighbours (uint32* buffer_0) {\n\
            extern __shared__ __align__(128) unsigned char dynamic_shared_mem[];\n\
            uint32 *shared = reinterpret_cast<uint32*>(&dynamic_shared_mem[0]);\n\
            shared[threadIdx.x] = threadIdx.x;\n\
            __syncthreads();\n\
            uint32 next = shared[(threadIdx.x + 1) % 96];\n\
            __syncthreads();\n\
            shared[threadIdx.x] = __shfl_xor_sync(-1, next, 1) + 1000 * __popc(__ballot_sync(-1, next % 2 == 0));\n\
            buffer_0[blockIdx.x * 96 + threadIdx.x] = shared[threadIdx.x];\n}";
        let kernel = Kernel::compile(source).unwrap();
        let mut out = vec![0u32; 2 * 96];
        let mut pointer: *mut c_void = out.as_mut_ptr().cast();
        let mut arguments: [*mut c_void; 1] = [(&raw mut pointer).cast()];
        // SAFETY: the kernel takes one pointer, to as many words as it writes.
        unsafe { kernel.launch(arguments.as_mut_ptr(), &[2, 1, 1, 96, 1, 1, 0]) };
        let expected = |i: u32| (((i % 96) ^ 1) + 1) % 96 + 16_000;
        assert!(out.iter().enumerate().all(|(i, &value)| value == expected(i as u32)), "{out:?}");
    }

    /// Every thread copies 16 bytes, which its neighbour reads when all have arrived; nothing is there before.
    #[test]
    fn copies_are_waited_for() {
        let source = r#"typedef unsigned int uint32;
            extern "C" __global__ void __launch_bounds__(64)copies (const uint32* buffer_0, uint32* buffer_1) {
            extern __shared__ __align__(128) unsigned char dynamic_shared_mem[];
            uint32 *shared = reinterpret_cast<uint32*>(&dynamic_shared_mem[16]);
            unsigned barrier = (unsigned)__cvta_generic_to_shared(&dynamic_shared_mem[0]);
            if (threadIdx.x == 0)
                asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(barrier), "r"(64) : "memory");
            __syncthreads();
            uint32 *to = shared + 4 * threadIdx.x;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(buffer_0 + 4 * threadIdx.x) : "memory");
            uint32 before = to[3];
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(barrier) : "memory");
            unsigned done = 0;
            asm volatile("{.reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; "
                "selp.u32 %0, 1, 0, done;}"
                : "=r"(done) : "r"(barrier), "r"(0) : "memory");
            uint32 after = shared[4 * ((threadIdx.x + 1) % 64) + 3];
            buffer_1[threadIdx.x] = done == 1 && before == 0xa7a7a7a7 ? after : 0;
        }"#;
        let kernel = Kernel::compile(source).unwrap();
        let input: Vec<u128> = (0..64u128).map(|i| (i + 1) << 96).collect();
        let mut out = vec![0u32; 64];
        let mut pointers: [*mut c_void; 2] = [input.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
        let [from, to] = &mut pointers;
        let mut arguments: [*mut c_void; 2] = [std::ptr::from_mut(from).cast(), std::ptr::from_mut(to).cast()];
        // SAFETY: the kernel takes two pointers, to 64 elements of 16 bytes that it reads and 64 words that it writes.
        unsafe { kernel.launch(arguments.as_mut_ptr(), &[1, 1, 1, 64, 1, 1, 16 + 64 * 16]) };
        assert!(out.iter().zip(0u32..).all(|(&value, i)| value == (i + 1) % 64 + 1), "{out:?}");
    }

    #[test]
    fn errors_are_the_compilers() {
        let error = Kernel::compile("extern \"C\" __global__ void __launch_bounds__(1)wrong () { unknown(); }");
        assert!(error.err().unwrap().contains("unknown"));
    }
}
