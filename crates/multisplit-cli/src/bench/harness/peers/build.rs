//! Builds a peer by the `build.sh` of its sources, once: the program stays in the user's cache folder.

use crate::bench::harness::key_types::PeerKind;
use crate::shared::cache::user_cache;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many lines of what a compiler says are shown.
const LINES_SHOWN: usize = 12;

/// What a peer is built of.
pub struct Build<'a> {
    pub kind: PeerKind,
    /// The folder with its sources and its `build.sh`.
    pub sources: PathBuf,
    /// A further folder of sources that these include.
    pub others: Option<PathBuf>,
    /// Variables that its `build.sh` reads.
    pub variables: Vec<(&'static str, OsString)>,
    /// What it is compiled for, where that makes a difference.
    pub target: &'a str,
}

impl Build<'_> {
    /// Returns the program, which is built unless the cache folder has it.
    pub fn program(&self) -> Result<PathBuf> {
        self.program_in(&user_cache().unwrap_or_else(std::env::temp_dir).join("multisplit/peers"))
    }

    pub(super) fn program_in(&self, cache: &Path) -> Result<PathBuf> {
        let kind = self.kind;
        let build = self.sources.join("build.sh");
        ensure!(build.is_file(), "there is no {} (--peers-dir)", build.display());
        let folder = std::path::absolute(cache.join(format!("{kind}-{:016x}", self.fingerprint()?)))?;
        let program = folder.join(format!("{kind}-peer"));
        if !program.is_file() {
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            let mut command = Command::new("bash");
            command.arg(&build).envs(self.variables.iter().cloned()).env("BUILD", &folder).stdin(Stdio::null());
            let output = command.output().context("bash, to run its build.sh")?;
            if !output.status.success() {
                let log = folder.join("build.log");
                fs::write(&log, &output.stderr).with_context(|| log.display().to_string())?;
                bail!("its build failed:\n{}", first_lines(&String::from_utf8_lossy(&output.stderr), &log));
            }
            ensure!(program.is_file(), "its build made no {}", program.display());
        }
        Ok(program)
    }

    /// Hashes what the program depends on.
    fn fingerprint(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        (&self.variables, self.target).hash(&mut hasher);
        for folder in [Some(&self.sources), self.others.as_ref()].into_iter().flatten() {
            let entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
            let mut files: Vec<_> =
                entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
            files.sort();
            for file in files {
                (file.file_name(), fs::read(&file)?).hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// Returns the first lines of a text, and where the others are.
fn first_lines(text: &str, log: &Path) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let all = format!("... (all {} lines: {})", lines.len(), log.display());
    if lines.len() > LINES_SHOWN {
        lines.truncate(LINES_SHOWN);
        lines.push(&all);
    }
    lines.join("\n")
}

/// Looks for a program in PATH, and then in these folders.
pub fn find_program(name: &str, more: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).chain(more).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_of_a_compiler() {
        let log = Path::new("/the/build.log");
        assert_eq!(first_lines("one\ntwo\n", log), "one\ntwo");
        let many: Vec<String> = (0..30).map(|i| i.to_string()).collect();
        let shown = first_lines(&many.join("\n"), log);
        assert!(shown.starts_with("0\n1\n") && shown.ends_with("\n11\n... (all 30 lines: /the/build.log)"), "{shown}");
    }

    /// A stand-in: its build copies it, and refuses when it is asked to.
    #[cfg(unix)]
    #[test]
    fn a_peer_is_built_once() {
        let folder = tempfile::tempdir().unwrap();
        let (sources, others, cache) = ("sources", "others", "cache");
        let [sources, others, cache] = [sources, others, cache].map(|name| folder.path().join(name));
        fs::create_dir(&sources).unwrap();
        fs::create_dir(&others).unwrap();
        let script = "test \"$CXX\" != bad || { echo no such compiler >&2; exit 1; }\n\
                      touch \"$BUILD/cub-peer\"\necho \"$CXX\" >>\"$BUILD/log\"\n";
        let build = |compiler: &str| Build {
            kind: PeerKind::Cub,
            sources: sources.clone(),
            others: Some(others.clone()),
            variables: vec![("CXX", compiler.into())],
            target: "",
        };
        let refused = |compiler| build(compiler).program_in(&cache).unwrap_err().to_string();
        assert!(refused("c++").contains("build.sh (--peers-dir)"), "{}", refused("c++"));

        fs::write(sources.join("build.sh"), script).unwrap();
        let made = |compiler| build(compiler).program_in(&cache).unwrap();
        let program = made("c++");
        assert_eq!((made("c++"), made("clang++") == program), (program.clone(), false));
        assert_eq!(fs::read_to_string(program.with_file_name("log")).unwrap(), "c++\n", "built once");
        fs::write(others.join("changed.h"), "1").unwrap();
        assert_ne!(made("c++"), program, "what is included has changed");
        assert_eq!(refused("bad"), "its build failed:\nno such compiler");
    }
}
