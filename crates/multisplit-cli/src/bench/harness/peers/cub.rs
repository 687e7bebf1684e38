//! CUB: NVIDIA's library, which splits, sorts and counts keys on a GPU.

use super::build::{Build, find_program};
use super::{list, rows_of, temporary_folder, write_numbers};
use crate::bench::harness::key_types::PeerKind;
use crate::bench::harness::keys::LittleEndian;
use crate::bench::harness::options::Options;
use crate::bench::harness::row::Row;
use anyhow::{Context, Result, ensure};
use multisplit::DeviceKind;
use std::path::PathBuf;
use std::process::Command;

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
    pub fn build(options: &Options) -> Result<Self> {
        let info = options.device.info();
        ensure!(info.kind == DeviceKind::Cuda, "it runs on CUDA devices only, not on {info}");
        let gpu = info.name.rsplit(':').next().and_then(|index| index.parse().ok()).unwrap_or(0);
        let nvcc = find_nvcc().context("it needs nvcc: not in PATH, $CUDA_PATH/bin or /usr/local/cuda/bin")?;
        let build = Build {
            kind: PeerKind::Cub,
            sources: options.peers_dir.join(PeerKind::Cub.to_string()),
            others: None,
            variables: vec![("NVCC", nvcc.into())],
            target: &info.description,
        };
        Ok(Self { program: build.program()?, gpu })
    }

    /// Times every way that the peer has to do the task.
    pub fn run<K: LittleEndian>(&self, options: &Options, task: &PeerTask<'_, K>) -> Result<Vec<Row>> {
        let PeerTask { op, keys, key, m, bucket, dist, bounds, more } = task;
        if m.is_empty() {
            return Ok(Vec::new());
        }
        let folder = temporary_folder()?;
        let mut command = Command::new(&self.program);
        command.args(["--op", op]).arg("--keys").arg(write_numbers(folder.path(), "keys", keys)?);
        for (i, bounds) in bounds.iter().enumerate() {
            command.arg("--splitters").arg(write_numbers(folder.path(), &format!("splitters-{i}"), bounds)?);
        }
        command.args(["--key", key, "--n", &keys.len().to_string(), "--buckets", &list(m)]);
        command.args(["--bucket", bucket]).args(more);
        command.args(["--dist", dist, "--device-name", &options.device.info().to_string()]);
        command.args(["--runs", &options.runs.to_string()]).env("CUDA_VISIBLE_DEVICES", self.visible_device());
        rows_of(&mut command)
    }

    /// The peer uses the first GPU that it sees.
    fn visible_device(&self) -> String {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
        let name = visible.split(',').nth(self.gpu).map(str::trim).filter(|name| !name.is_empty());
        name.map_or_else(|| self.gpu.to_string(), str::to_string)
    }
}

fn find_nvcc() -> Option<PathBuf> {
    let cuda = std::env::var_os("CUDA_PATH").map(|cuda| PathBuf::from(cuda).join("bin"));
    find_program("nvcc", cuda.into_iter().chain([PathBuf::from("/usr/local/cuda/bin")]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::harness::options::CommonArguments;
    use clap::{Args, FromArgMatches};
    use std::fs;

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

        let build = |target| {
            let (sources, variables) = (sources.clone(), vec![("NVCC", "/the/nvcc".into())]);
            let build = Build { kind: PeerKind::Cub, sources, others: None, variables, target };
            build.program_in(&cache).unwrap()
        };
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
}
