//! Compiles recorded kernels with NVIDIA's compiler, and compares the registers that they take with a table.
//!
//! No GPU is needed: the compiler is a library. What a change does to a kernel is seen before one is: registers that it
//! takes, and above all registers that it spills, each of which has cost 20 to 30 % of a kernel's speed.

mod nvrtc_library;
mod table;

use nvrtc_library::Nvrtc;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;
use table::{Row, Table};

/// Asks for the registers of the sources that follow.
const MEASURE: &str = "--measure";

const USAGE: &str = "usage: cuda-kernels TOOLKIT TABLE [--accept] FOLDER...

Compiles the kernels that were recorded in each FOLDER, which is named by its GPU (sm_80, sm_90), with the compiler in
TOOLKIT, and compares the registers that they take with those in TABLE. With --accept, writes TABLE instead.";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cuda-kernels: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Vec<String>) -> Result<(), String> {
    if arguments.first().is_some_and(|first| first == MEASURE) {
        return measure(&arguments[1..]);
    }
    let accept = arguments.iter().position(|argument| argument == "--accept").map(|at| arguments.remove(at)).is_some();
    let [toolkit, file, folders @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    if folders.is_empty() {
        return Err(USAGE.into());
    }
    let mut sources = Vec::new();
    for folder in folders {
        sources.extend(sources_in(Path::new(folder))?);
    }
    let begin = Instant::now();
    let found = Table::new(compile(toolkit, &sources)?);
    let (count, spilling, seconds) = (found.len(), found.spilling(), begin.elapsed().as_secs_f64());
    println!("{count} kernels were compiled in {seconds:.0} s; {spilling} of them spill registers");
    let file = Path::new(file);
    if accept {
        return std::fs::write(file, found.to_string()).map_err(|error| format!("{}: {error}", file.display()));
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let differences = Table::parse(&text)?.differences(&found);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} differ from {}:\n{}\nIf that is meant, run this command with --accept, and commit the table.",
        differences.len(),
        file.display(),
        differences.join("\n")
    ))
}

/// The recorded sources of a folder, in the order of their names.
fn sources_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let files: Result<Vec<PathBuf>, _> =
        std::fs::read_dir(folder).map_err(fail)?.map(|file| file.map(|file| file.path())).collect();
    let mut files = files.map_err(fail)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no kernels were recorded there", folder.display()));
    }
    Ok(files)
}

/// Compiles all, on all processors, and returns what they take. The compiler has locks, so each processor has a process
/// of its own: this program, with [`MEASURE`].
fn compile(toolkit: &str, sources: &[PathBuf]) -> Result<Vec<Row>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(sources.len());
    let start = |first: usize| {
        let mut command = Command::new(&program);
        command.args([MEASURE, toolkit]).args(sources.iter().skip(first).step_by(processors));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())
    };
    let children: Vec<Child> = (0..processors).map(start).collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for child in children {
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if !output.status.success() {
            return Err(err);
        }
        rows.extend(out.lines().map(Row::parse).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(rows)
}

/// Compiles some, and prints a row for each.
fn measure(arguments: &[String]) -> Result<(), String> {
    let [toolkit, sources @ ..] = arguments else { return Err(USAGE.into()) };
    let nvrtc = Nvrtc::load(Path::new(toolkit))?;
    sources.iter().try_for_each(|source| nvrtc.measure(Path::new(source)).map(|row| println!("{row}")))
}
