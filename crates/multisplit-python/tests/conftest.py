"""What the tests have in common."""

import numpy as np
import pytest

# The types of keys that NumPy has.
KEY_TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


def keys_of(dtype, n, seed=0):
    """Keys of a type, negative ones and all special floats among them."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        keys = (random.standard_normal(n) * 100).astype(dtype)
        if n > 10:
            keys[:5] = [np.inf, -np.inf, 0.0, -0.0, 100.5]
        return keys
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def reference(ids, m):
    """The stable permutation and the offsets of a split."""
    order = np.argsort(ids, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=m))])


@pytest.fixture(params=KEY_TYPES)
def key_type(request):
    return np.dtype(request.param)
