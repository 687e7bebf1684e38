"""What the tests of the program share: the program, run in an empty folder, and arrays of every kind of key.

./test runs them. By hand, with the packages of requirements.txt:
    MULTISPLIT=$PWD/target/debug/multisplit python3 -m pytest crates/multisplit-cli/tests/python
"""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(os.environ.get("MULTISPLIT", "target/debug/multisplit")).resolve()

BROWSER = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), "chromium"
)

KEYS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


@pytest.fixture
def multisplit(tmp_path):
    """Runs the program on the CPU, in a folder of its own, and returns what it printed. It must end without an error."""

    def run(*arguments, stdin=None, code=0):
        command = [PROGRAM, *map(str, arguments)]
        ended = subprocess.run(command, cwd=tmp_path, input=stdin, capture_output=True, timeout=60)
        assert ended.returncode == code, f"{arguments}: {ended.stderr.decode()}"
        return ended.stdout if code == 0 else ended.stderr.decode()

    run.folder = tmp_path
    return run


def keys(kind, n, seed=1):
    """Random keys, many of them equal, with the least and the greatest, both zeros and both infinities of their type."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        drawn = np.round(random.normal(0, 20, n)).astype(dtype)
        drawn[: min(n, 4)] = np.array([0.0, -0.0, np.inf, -np.inf], dtype)[: min(n, 4)]
    else:
        least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
        drawn = random.integers(max(least, -100), min(greatest, 100), n, dtype, endpoint=True)
        drawn[: min(n, 2)] = np.array([least, greatest], dtype)[: min(n, 2)]
    return random.permutation(drawn)


def order_of(array):
    """Where the keys of a stable sort come from. -0 is before 0, as the program has it."""
    if array.dtype.kind == "f":
        return np.lexsort((~np.signbit(array), array))
    return np.argsort(array, kind="stable")


def same(found, expected):
    """Whether two arrays have the same type, shape and bits."""
    return found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()
