//! Kernels that were recorded.

use std::path::{Path, PathBuf};

/// The source of a kernel, with the options that it is compiled with.
pub struct Recorded {
    pub file: PathBuf,
    /// What its folder is called.
    pub gpu: String,
    pub name: String,
    pub text: String,
}

impl Recorded {
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let part = |path: Option<&std::ffi::OsStr>| path.map(|part| part.to_string_lossy().into_owned());
        let gpu = part(file.parent().and_then(Path::file_name)).unwrap_or_default();
        Ok(Self { file: file.into(), gpu, name: part(file.file_stem()).unwrap_or_default(), text })
    }

    /// What its first line says.
    pub fn options(&self) -> Option<&str> {
        self.text.lines().next().and_then(|line| line.strip_prefix("// "))
    }
}

/// The recorded kernels of a folder, in the order of their names.
pub fn recorded_in(folder: &Path) -> Result<Vec<Recorded>, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let files: Result<Vec<PathBuf>, _> =
        std::fs::read_dir(folder).map_err(fail)?.map(|file| file.map(|file| file.path())).collect();
    let mut files = files.map_err(fail)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no kernels were recorded there", folder.display()));
    }
    files.iter().map(|file| Recorded::read(file)).collect()
}
