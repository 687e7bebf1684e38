"""`python -m multisplit` is the program."""

import subprocess
import sys

import numpy as np


def program(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "multisplit", *arguments], capture_output=True, text=True, **options)


def test_version_and_help():
    assert program("--version").stdout.startswith("multisplit ")
    assert "Usage: multisplit" in program("--help").stdout
    wrong = program("splitt")
    assert wrong.returncode == 2 and "splitt" in wrong.stderr


def test_a_split(tmp_path):
    keys = np.random.default_rng(0).integers(0, 1000, 5000, dtype="u4")
    np.save(tmp_path / "keys.npy", keys)
    done = program("sort", "keys.npy", "--device", "cpu", "--output", "sorted.npy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "sorted.npy"), np.sort(keys))
    assert program("sort", "none.npy", "--output", "x.npy", cwd=tmp_path).returncode == 1
