//! What runs the program: its own file, or another one that has its code.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Where the code of the program is, and how it is started again.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file that has the code.
    pub code: PathBuf,
    /// What runs it: a program, and what comes before its arguments.
    pub command: Vec<OsString>,
}

/// That of this process.
static THIS: OnceLock<Program> = OnceLock::new();

impl Program {
    /// The file that this process was started from.
    ///
    /// # Errors
    /// If the system does not tell its name.
    pub fn of_this_process() -> io::Result<Self> {
        let code = std::env::current_exe()?;
        Ok(Self { command: vec![code.clone().into()], code })
    }

    /// Takes it for that of this process. If there is one, it stays.
    pub(crate) fn set(self) {
        let _ = THIS.set(self);
    }

    /// That of this process.
    pub(crate) fn this() -> io::Result<Self> {
        THIS.get().cloned().map_or_else(Self::of_this_process, Ok)
    }

    /// Starts it again.
    pub(crate) fn again(&self) -> Command {
        let mut parts = self.command.iter();
        let mut command = Command::new(parts.next().unwrap_or(&OsString::new()));
        command.args(parts);
        command
    }
}
