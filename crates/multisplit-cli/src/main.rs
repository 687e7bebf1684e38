//! The program; see the library.

use multisplit_cli::Program;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: nothing else runs yet.
        // Without a desktop, a layer of Mesa's Vulkan loader complains on standard error. This leaves it out.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
    match Program::of_this_process() {
        Ok(program) => ExitCode::from(multisplit_cli::run(std::env::args_os(), program)),
        Err(error) => {
            eprintln!("error: the program's own file is not known: {error}");
            ExitCode::FAILURE
        }
    }
}
