//! Compiles recorded kernels with NVIDIA's compiler, and compares the registers that they take with a table.
//!
//! No GPU is needed: the compiler is a library. What a change does to a kernel is seen before one is: registers that it
//! takes, and above all registers that it spills, each of which has cost 20 to 30 % of a kernel's speed.

mod nvrtc_library;
mod recorded;
mod table;

use nvrtc_library::Nvrtc;
use recorded::{Recorded, recorded_in};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;
use table::{Fingerprint, Row, Table};

/// Asks for the registers of the sources that follow.
const MEASURE: &str = "--measure";

const USAGE: &str = "usage: cuda-kernels TOOLKIT TABLE [--all] [--accept] FOLDER...

Compiles the kernels that were recorded in each FOLDER, which is named by its GPU (sm_80, sm_90), with the compiler in
TOOLKIT, and compares the registers that they take with those in TABLE. A kernel whose source is that of TABLE is not
compiled again, but with --all. With --accept, writes TABLE instead.";

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
    let mut flag = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map(|at| arguments.remove(at)).is_some()
    };
    let (accept, all) = (flag("--accept"), flag("--all"));
    let [toolkit, file, folders @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    if folders.is_empty() {
        return Err(USAGE.into());
    }
    let file = Path::new(file);
    let read = || std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()));
    let before = match read().and_then(|text| Table::parse(&text)) {
        Ok(table) => table,
        Err(_) if accept => Table::default(),
        Err(error) => return Err(error),
    };
    let compiler = Nvrtc::load(Path::new(toolkit))?.version();
    let (mut rows, mut sources) = (Vec::new(), Vec::new());
    for folder in folders {
        for recorded in recorded_in(Path::new(folder))? {
            let source = Fingerprint::of(&compiler, &recorded.text);
            match before.compiled(&recorded.gpu, &recorded.name, source).filter(|_| !all) {
                Some(row) => rows.push(row.clone()),
                None => sources.push(recorded.file),
            }
        }
    }
    let begin = Instant::now();
    let unchanged = rows.len();
    rows.extend(compile(toolkit, &sources)?);
    let found = Table::new(rows);
    let (spilling, seconds) = (found.spilling(), begin.elapsed().as_secs_f64());
    println!(
        "{} kernels: {unchanged} have the source that the table is of, {} were compiled in {seconds:.0} s; \
        {spilling} spill registers",
        found.len(),
        sources.len()
    );
    if accept {
        return std::fs::write(file, found.to_string()).map_err(|error| format!("{}: {error}", file.display()));
    }
    let differences = before.differences(&found);
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
    sources.iter().try_for_each(|source| {
        let row = nvrtc.measure(&Recorded::read(Path::new(source))?)?;
        println!("{row}");
        Ok(())
    })
}
