//! The runtime compiler's functions. What a program compiles to is its source, or nothing in a dry run.
//!
//! Callers owe what CUDA's documentation says: pointers for results are valid, strings end with 0.
#![allow(non_snake_case)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;

type Status = c_int;

const SUCCESS: Status = 0;
const FAILURE: Status = 6;

struct Program {
    source: CString,
    compiled: CString,
    /// Always empty.
    log: CString,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCreateProgram(
    to: *mut *mut Program,
    source: *const c_char,
    _name: *const c_char,
    _headers: c_int,
    _header: *const *const c_char,
    _include_name: *const *const c_char,
) -> Status {
    // SAFETY: callers give a string that ends.
    let source = unsafe { CStr::from_ptr(source) }.into();
    let program = Program { source, compiled: CString::default(), log: CString::default() };
    // SAFETY: callers give a valid pointer.
    unsafe { to.write(Box::into_raw(Box::new(program))) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCompileProgram(program: *mut Program, count: c_int, all: *const *const c_char) -> Status {
    // SAFETY: callers give a program that they have created, and not yet destroyed.
    let program = unsafe { &mut *program };
    if std::env::var_os("CUDA_EMULATOR_DRY").is_none() {
        program.compiled = program.source.clone();
    }
    let Some(folder) = std::env::var_os("CUDA_EMULATOR_RECORD") else { return SUCCESS };
    let options = (0..count as usize).map(|i| {
        // SAFETY: there are that many strings, and each ends.
        unsafe { CStr::from_ptr(*all.add(i)) }.to_string_lossy()
    });
    let options: Vec<_> = options.collect();
    let text = format!("// {}\n{}", options.join(" "), arranged(&program.source.to_string_lossy()));
    match record(Path::new(&folder), &text) {
        Ok(()) => SUCCESS,
        Err(error) => {
            eprintln!("CUDA emulator: {}: {error}", Path::new(&folder).display());
            FAILURE
        }
    }
}

/// The source with neighbouring declarations in the order of their names: CubeCL's differs from process to process, and
/// the compiler allots registers in it.
fn arranged(source: &str) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    for run in lines.chunk_by_mut(|a, b| is_declaration(a) && is_declaration(b)) {
        if is_declaration(run[0]) {
            run.sort_unstable();
        }
    }
    lines.join("\n") + "\n"
}

/// Whether a line declares a variable, and does nothing else: `uint32 l_mut_6;`.
fn is_declaration(line: &str) -> bool {
    let name = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let words = line.strip_suffix(';').and_then(|line| line.split_once(' '));
    words.is_some_and(|(of, variable)| of != "return" && name(of) && name(variable))
}

/// Writes a source to a file of its own, named by what the file `name` says by now.
fn record(folder: &Path, text: &str) -> std::io::Result<()> {
    let name = std::fs::read_to_string(folder.join("name")).unwrap_or("kernel".into());
    let free = (0..).map(|i| folder.join(format!("{name}.{i}.cu"))).find(|file| !file.exists());
    free.map_or(Ok(()), |file| std::fs::write(file, text))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcDestroyProgram(program: *mut *mut Program) -> Status {
    // SAFETY: callers give a program that they have created, once.
    drop(unsafe { Box::from_raw(*program) });
    SUCCESS
}

/// Functions that return a text, and those that return its length, with the 0 at its end.
macro_rules! texts {
    ($($size:ident $text:ident: $field:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $size(program: *const Program, to: *mut usize) -> Status {
            // SAFETY: callers give a program that they have created, and a valid pointer.
            unsafe { to.write((*program).$field.to_bytes_with_nul().len()) };
            SUCCESS
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $text(program: *const Program, to: *mut c_char) -> Status {
            // SAFETY: callers give a program that they have created, and as much room as they were told.
            unsafe {
                let text = (*program).$field.to_bytes_with_nul();
                to.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
            }
            SUCCESS
        }
    )*};
}

texts! {
    nvrtcGetPTXSize nvrtcGetPTX: compiled;
    nvrtcGetProgramLogSize nvrtcGetProgramLog: log;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_declarations_have_one_order() {
        let source = "{\nuint32_2 l_mut_9;\nuint32 l_mut_6;\nreturn x;\nl_mut_6 = 1;\nuint32 b;\nuint32 a;\n}\n";
        let same = "{\nuint32 l_mut_6;\nuint32_2 l_mut_9;\nreturn x;\nl_mut_6 = 1;\nuint32 a;\nuint32 b;\n}\n";
        assert_eq!(arranged(source), same);
        assert_eq!(arranged(same), same);
    }
}
