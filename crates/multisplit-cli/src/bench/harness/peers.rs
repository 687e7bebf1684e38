//! Peers: programs that are timed on the same keys in the same run, and print rows.

use super::key_types::PeerKind;
use super::keys::LittleEndian;
use super::options::Options;
use super::row::Row;
use crate::shared::cache::user_cache;
use anyhow::{Context, Result, ensure};
use multisplit::DeviceKind;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A peer that can run.
pub struct Peer {
    program: PathBuf,
    /// The GPU, by its number among those that CUDA shows.
    gpu: usize,
}

/// What a peer is to do with some keys, in words that it knows.
pub struct PeerTask<'a, K> {
    pub op: &'a str,
    pub keys: &'a [K],
    pub key: String,
    /// Numbers of buckets.
    pub m: Vec<u32>,
    pub bucket: String,
    pub dist: String,
    /// The numbers between the buckets, for each number of buckets, where the peer needs them.
    pub bounds: Vec<Vec<K>>,
    /// Further arguments.
    pub more: Vec<String>,
}

impl Peer {
    /// Builds the peer, unless it was built before.
    pub fn build(kind: PeerKind, options: &Options) -> Result<Self> {
        let info = options.device.info();
        ensure!(info.kind == DeviceKind::Cuda, "it runs on CUDA devices only, not on {info}");
        let gpu = info.name.rsplit(':').next().and_then(|index| index.parse().ok()).unwrap_or(0);
        let nvcc = find_nvcc().context("it needs nvcc: not in PATH, $CUDA_PATH/bin or /usr/local/cuda/bin")?;
        let sources = options.peers_dir.join(kind.to_string());
        let cache = user_cache().unwrap_or_else(std::env::temp_dir).join("multisplit/peers");
        let program = compile(kind, &sources, &nvcc, &info.description, &cache)?;
        Ok(Self { program, gpu })
    }

    /// Times every way that the peer has to do the task.
    pub fn run<K: LittleEndian>(&self, options: &Options, task: &PeerTask<'_, K>) -> Result<Vec<Row>> {
        let PeerTask { op, keys, key, m, bucket, dist, bounds, more } = task;
        if m.is_empty() {
            return Ok(Vec::new());
        }
        let folder = tempfile::Builder::new().prefix("multisplit-").tempdir()?;
        let mut command = Command::new(&self.program);
        command.args(["--op", op]).arg("--keys").arg(write_keys(folder.path(), "keys", keys)?);
        for (i, bounds) in bounds.iter().enumerate() {
            command.arg("--splitters").arg(write_keys(folder.path(), &format!("splitters-{i}"), bounds)?);
        }
        command.args(["--key", key, "--n", &keys.len().to_string(), "--buckets", &list(m)]);
        command.args(["--bucket", bucket]).args(more);
        command.args(["--dist", dist, "--device-name", &options.device.info().to_string()]);
        command.args(["--runs", &options.runs.to_string()]).env("CUDA_VISIBLE_DEVICES", self.visible_device());
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "{} ended with {}", self.program.display(), output.status);
        parse(&String::from_utf8_lossy(&output.stdout))
    }

    /// The peer uses the first GPU that it sees.
    fn visible_device(&self) -> String {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
        let name = visible.split(',').nth(self.gpu).map(str::trim).filter(|name| !name.is_empty());
        name.map_or_else(|| self.gpu.to_string(), str::to_string)
    }
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| serde_json::from_str(line).with_context(|| format!("a peer printed '{line}'"));
    text.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// Joins a list with commas.
pub fn list(all: &[impl ToString]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn find_nvcc() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let cuda = std::env::var_os("CUDA_PATH").map(|cuda| PathBuf::from(cuda).join("bin"));
    let folders = std::env::split_paths(&path).chain(cuda).chain([PathBuf::from("/usr/local/cuda/bin")]);
    let name = format!("nvcc{}", std::env::consts::EXE_SUFFIX);
    folders.map(|folder| folder.join(&name)).find(|nvcc| nvcc.is_file())
}

/// Runs the peer's own build, unless its result is in the cache folder.
fn compile(kind: PeerKind, sources: &Path, nvcc: &Path, gpu: &str, cache: &Path) -> Result<PathBuf> {
    let build = sources.join("build.sh");
    ensure!(build.is_file(), "there is no {} (--peers-dir)", build.display());
    let mark = fingerprint(sources, nvcc, gpu)?;
    let folder = std::path::absolute(cache.join(format!("{kind}-{mark:016x}")))?;
    let program = folder.join(format!("{kind}-peer"));
    if !program.is_file() {
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let mut command = Command::new("bash");
        command.arg(&build).env("NVCC", nvcc).env("BUILD", &folder).stdin(Stdio::null());
        let output = command.output().context("bash, to run its build.sh")?;
        ensure!(output.status.success(), "its build failed:\n{}", String::from_utf8_lossy(&output.stderr));
        ensure!(program.is_file(), "its build made no {}", program.display());
    }
    Ok(program)
}

/// Hashes what the built peer depends on: its sources, the compiler, and the GPU it is compiled for.
fn fingerprint(sources: &Path, nvcc: &Path, gpu: &str) -> Result<u64> {
    let entries = fs::read_dir(sources)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    (nvcc, gpu).hash(&mut hasher);
    for file in files {
        (file.file_name(), fs::read(&file)?).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Writes little-endian keys to a file of a folder.
fn write_keys<K: LittleEndian>(folder: &Path, name: &str, keys: &[K]) -> Result<PathBuf> {
    let path = folder.join(name);
    let mut file = BufWriter::new(File::create(&path).with_context(|| path.display().to_string())?);
    for part in keys.chunks(1 << 16) {
        let mut bytes = Vec::with_capacity(size_of_val(part));
        part.iter().for_each(|key| key.extend_le(&mut bytes));
        file.write_all(&bytes)?;
    }
    file.flush()?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::harness::options::CommonArguments;
    use clap::{Args, FromArgMatches};

    #[test]
    fn keys_are_little_endian() {
        let folder = tempfile::tempdir().unwrap();
        let path = write_keys(folder.path(), "keys", &[1u32, 0x0203]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [1, 0, 0, 0, 3, 2, 0, 0]);
        let wide = write_keys(folder.path(), "wide", &[1u64 << 40]).unwrap();
        assert_eq!(fs::read(wide).unwrap(), [0, 0, 0, 0, 0, 1, 0, 0]);
        drop(folder);
        assert!(!path.exists());
    }

    /// A stand-in: its build copies it, and it prints the arguments it was given as the method of a row.
    #[cfg(unix)]
    #[test]
    fn a_peer_is_built_once_and_run() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (sources, cache) = (folder.path().join("cub"), folder.path().join("cache"));
        fs::create_dir(&sources).unwrap();
        let peer = r#"echo "{\"op\":\"split\",\"impl\":\"cub\",\"method\":\"$*\",\"device\":\"a\",\"n\":5,\"ms\":2.5,\"verified\":true}""#;
        fs::write(sources.join("peer"), format!("#!/bin/sh\n{peer}\n")).unwrap();
        fs::set_permissions(sources.join("peer"), fs::Permissions::from_mode(0o755)).unwrap();
        let build = "set -e\ncd \"$(dirname \"$0\")\"\ncp peer \"$BUILD/cub-peer\"\necho \"$NVCC\" >>\"$BUILD/log\"\n";
        fs::write(sources.join("build.sh"), build).unwrap();

        let build = |gpu| compile(PeerKind::Cub, &sources, Path::new("/the/nvcc"), gpu, &cache).unwrap();
        let program = build("one");
        assert_eq!((build("one"), build("another") == program), (program.clone(), false));
        assert_eq!(fs::read_to_string(program.with_file_name("log")).unwrap(), "/the/nvcc\n", "built once");

        let arguments = CommonArguments::augment_args(clap::Command::new("bench"));
        let matches = arguments.get_matches_from(["bench", "--device", "cpu", "--runs", "3"]);
        let options = Options::new(CommonArguments::from_arg_matches(&matches).unwrap()).unwrap();
        let task = PeerTask {
            op: "split",
            keys: &[1u32, 2, 3, 4, 5],
            key: "u32".into(),
            m: vec![2, 4],
            bucket: "splitters".into(),
            dist: "uniform".into(),
            bounds: vec![vec![3], vec![2, 3, 4]],
            more: vec!["--values".into(), "none,u64".into()],
        };
        let rows = Peer { program, gpu: 0 }.run(&options, &task).unwrap();
        let got = rows[0].method.as_deref().unwrap();
        for part in [
            "--op split --keys /",
            "/splitters-0 ",
            "/splitters-1 ",
            "--key u32 --n 5 --buckets 2,4 --bucket splitters",
            "--values none,u64 --dist uniform --device-name cpu (",
        ] {
            assert!(got.contains(part), "{part}: {got}");
        }
        assert!(got.ends_with("--runs 3"), "{got}");
    }

    #[test]
    fn what_a_peer_prints() {
        let row = r#"{"op":"split","impl":"cub","method":"onesweep","bucket":"delta","dist":"uniform","graph":null,"device":"a","n":8,"m":2,"key":"u32","value":null,"ms":2.5,"rate":1e-6,"verified":true}"#;
        let rows = parse(&format!("{row}\n\n{row}\n")).unwrap();
        assert_eq!((rows.len(), rows[0].ms, rows[0].by.as_str()), (2, 2.5, "cub"));
        let error = parse("Segmentation fault").unwrap_err();
        assert!(error.to_string().contains("Segmentation fault"), "{error}");
    }
}
