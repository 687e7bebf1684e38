//! NVIDIA's runtime compiler, a library that is loaded.

use crate::recorded::Recorded;
use crate::table::{Fingerprint, Row};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

type Status = c_int;
type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;

pub struct Nvrtc {
    create: Create,
    compile: Compile,
    log_size: Size,
    log: Text,
    destroy: Destroy,
    version: Version,
    /// What these are of.
    _libraries: Vec<Library>,
}

impl Nvrtc {
    /// Loads the compiler of a toolkit, from its folder `lib`.
    pub fn load(toolkit: &Path) -> Result<Self, String> {
        let folder = toolkit.join("lib");
        // The first is what the second looks for, and would not find.
        let libraries = ["libnvrtc-builtins.so.", "libnvrtc.so."].map(|name| open(&find(&folder, name)?));
        let [builtins, nvrtc] = libraries;
        let (builtins, nvrtc) = (builtins?, nvrtc?);
        // SAFETY: NVRTC's documentation gives these functions these types.
        unsafe {
            Ok(Self {
                create: function(&nvrtc, "nvrtcCreateProgram")?,
                compile: function(&nvrtc, "nvrtcCompileProgram")?,
                log_size: function(&nvrtc, "nvrtcGetProgramLogSize")?,
                log: function(&nvrtc, "nvrtcGetProgramLog")?,
                destroy: function(&nvrtc, "nvrtcDestroyProgram")?,
                version: function(&nvrtc, "nvrtcVersion")?,
                _libraries: vec![builtins, nvrtc],
            })
        }
    }

    /// The compiler's release.
    pub fn version(&self) -> String {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are valid.
        unsafe { (self.version)(&mut major, &mut minor) };
        format!("{major}.{minor}")
    }

    /// Compiles a recorded source, and returns what it takes.
    pub fn measure(&self, recorded: &Recorded) -> Result<Row, String> {
        let fail = |what: &str| format!("{}: {what}", recorded.file.display());
        let options = recorded.options().ok_or_else(|| fail("there are no options in the first line"))?;
        // Headers are read once; the assembler says what a kernel takes.
        let options = options.split_whitespace().chain(["--pch", "--ptxas-options=-v"]);
        let log = self.compile(&recorded.text, options).map_err(|error| fail(&error))?;
        let missing = || fail(&format!("the compiler's log has no registers:\n{log}"));
        Ok(Row {
            gpu: recorded.gpu.clone(),
            name: recorded.name.clone(),
            kernel: word_after(&log, "Compiling entry function '").ok_or_else(missing)?.trim_end_matches('\'').into(),
            registers: number_after(&log, "Used ").ok_or_else(missing)?,
            spilled: number_after(&log, "bytes stack frame, ").ok_or_else(missing)?,
            source: Fingerprint::of(&self.version(), &recorded.text),
        })
    }

    /// Returns the compiler's log, be it as an error.
    fn compile<'a>(&self, source: &str, options: impl Iterator<Item = &'a str>) -> Result<String, String> {
        let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (source, options) = (text(source)?, options.map(text).collect::<Result<Vec<_>, _>>()?);
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = null_mut();
        // SAFETY: all pointers are valid while they are used, strings end with 0, and the log gets the room that it
        // asks for.
        unsafe {
            if (self.create)(&mut program, source.as_ptr(), null(), 0, null(), null()) != 0 {
                return Err("the compiler does not take it".into());
            }
            let status = (self.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let mut size = 0;
            (self.log_size)(program, &mut size);
            let mut log = vec![0u8; size];
            (self.log)(program, log.as_mut_ptr().cast());
            (self.destroy)(&mut program);
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
            if status == 0 { Ok(log) } else { Err(log) }
        }
    }
}

/// The library of a folder whose name begins so.
fn find(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = files.filter_map(|file| file.ok().map(|file| file.path()));
    let found = files.find(|file| file.file_name().is_some_and(|found| found.to_string_lossy().starts_with(name)));
    found.ok_or_else(|| format!("{}: there is no {name}*", folder.display()))
}

fn open(file: &Path) -> Result<Library, String> {
    // SAFETY: NVIDIA's libraries do nothing when they are loaded that others could notice.
    unsafe { Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) }.map_err(|error| error.to_string())
}

/// # Safety
/// The function is of this type.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller says so.
    unsafe { library.get::<F>(name) }.map(|symbol| *symbol).map_err(|error| error.to_string())
}

fn word_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_whitespace().next()
}

fn number_after(text: &str, before: &str) -> Option<u32> {
    word_after(text, before)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let log = "ptxas info    : Compiling entry function 'fill' for 'sm_90a'\n\
            ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
            ptxas info    : Used 225 registers, used 1 barriers\n";
        assert_eq!(word_after(log, "entry function '"), Some("fill'"));
        assert_eq!(number_after(log, "Used "), Some(225));
        assert_eq!(number_after(log, "bytes stack frame, "), Some(8));
        assert_eq!(number_after(log, "bytes of nothing "), None);
    }
}
