"""Arrays of every type and layout, in and out."""

import gc

import numpy as np
import pytest
from conftest import keys_of, reference

import multisplit
from multisplit import Buckets

LAYOUTS = {
    "plain": lambda keys: keys,
    "every other": lambda keys: np.repeat(keys, 2)[::2],
    "reversed": lambda keys: keys[::-1].copy()[::-1],
    "a column": lambda keys: np.stack([keys, keys], axis=1)[:, 1],
    "read-only": lambda keys: np.frombuffer(keys.tobytes(), dtype=keys.dtype),
    "swapped bytes": lambda keys: keys.astype(keys.dtype.newbyteorder("S")),
    "unaligned": lambda keys: np.frombuffer(b"x" + keys.tobytes(), dtype=keys.dtype, offset=1),
    "a field": lambda keys: field(keys),
}


def field(keys):
    records = np.zeros(len(keys), dtype=[("a", "u1"), ("b", keys.dtype)])
    records["b"] = keys
    return records["b"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(key_type, layout):
    keys = keys_of(key_type, 321)
    edges = np.sort(keys_of(key_type, 20, seed=1)[5:])
    got = LAYOUTS[layout](keys)
    keys = np.asarray(got).astype(key_type)
    before = np.array(got, copy=True)
    result = multisplit.split(got, Buckets.edges(edges), values=got, return_index=True, return_inverse=True)
    order, offsets = reference(np.digitize(keys, edges), len(edges) + 1)
    np.testing.assert_array_equal(result.keys, keys[order])
    np.testing.assert_array_equal(result.values, keys[order])
    np.testing.assert_array_equal(result.index, order)
    np.testing.assert_array_equal(result.inverse[order], np.arange(len(keys)))
    np.testing.assert_array_equal(result.offsets, offsets)
    assert result.keys.dtype == key_type and result.offsets.dtype == np.int64 and result.index.dtype == np.int32
    assert result.keys.flags.writeable
    np.testing.assert_array_equal(got, before)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(40, dtype="u1"),
        np.arange(40) % 3 == 0,
        np.arange(40, dtype="c16"),
        np.arange(120, dtype="f4").reshape(40, 3),
        np.arange(160, dtype="i2").reshape(40, 2, 2),
        np.arange(40).astype("M8[s]"),
        np.arange(40).astype("m8[ms]"),
        np.arange(40).astype("U5"),
        np.arange(40).astype("S3"),
        np.array([(i, i / 2, b"x") for i in range(40)], dtype=[("a", "i4"), ("b", "f8"), ("c", "S1")]),
        np.asfortranarray(np.arange(80.0).reshape(40, 2)),
        np.empty((40, 0)),
    ],
    ids=lambda values: f"{values.dtype}-{values.ndim}",
)
def test_values(values):
    ids = np.arange(40) * 7 % 5
    order, _ = reference(ids, 5)
    split = multisplit.split(ids, Buckets.identity(5), values=values)
    for result in split.values, multisplit.sort(ids, values=values)[1]:
        assert result.dtype == values.dtype and result.shape == values.shape
        np.testing.assert_array_equal(result, values[order])


def test_several_columns():
    ids = np.array([1, 0, 1])
    a, b = np.arange(3), np.array([[1.5], [2.5], [3.5]])
    assert [x.tolist() for x in multisplit.split(ids, ids, values=(a, b)).values] == [[1, 0, 2], [[2.5], [1.5], [3.5]]]
    named = multisplit.split(ids, ids, values={"a": a, "b": b}).values
    assert list(named) == ["a", "b"] and named["a"].tolist() == [1, 0, 2]
    assert multisplit.split(ids, ids, values=()).values == ()


def test_dates_as_keys():
    dates = np.array(["2026-03-01", "2025-01-01", "2026-02-01"], dtype="M8[D]")
    assert multisplit.sort(dates).tolist() == sorted(dates.tolist())
    assert multisplit.sort(dates).dtype == dates.dtype


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    keys = np.array([2.5, -1.0, 0.5], dtype=ml_dtypes.bfloat16)
    result = multisplit.split(keys, Buckets.edges([0, 1]))
    assert result.keys.dtype == keys.dtype and result.keys.tolist() == [-1.0, 0.5, 2.5]


def test_nothing_at_all(key_type):
    empty = np.empty(0, dtype=key_type)
    result = multisplit.split(empty, Buckets.hash(3), values=np.empty((0, 2)), return_index=True, return_inverse=True)
    assert result.keys.shape == (0,) and result.keys.dtype == key_type and result.values.shape == (0, 2)
    assert result.offsets.tolist() == [0, 0, 0, 0] and result.index.shape == result.inverse.shape == (0,)
    assert multisplit.sort(empty).shape == (0,)
    assert multisplit.select(empty, np.empty(0, dtype=bool)).keys.shape == (0,)


def test_what_numpy_makes_arrays_of():
    assert multisplit.sort([3, 1, 2]).tolist() == [1, 2, 3]
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for make in pandas.Series, polars.Series, pyarrow.array:
        result = multisplit.split(make([3, 1, 2]), "key % 2", values=make([0.5, 1.5, 2.5]))
        assert isinstance(result.keys, np.ndarray)
        assert result.keys.tolist() == [2, 3, 1] and result.values.tolist() == [2.5, 0.5, 1.5]


class Other:
    """An array of another library, which has DLPack and a namespace."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __array_namespace__(self):
        return Library

    def __len__(self):
        return len(self.array)


class Library:
    @staticmethod
    def from_dlpack(array):
        return Other(np.from_dlpack(array))

    @staticmethod
    def ascontiguousarray(other):
        return Other(np.ascontiguousarray(other.array))


@pytest.mark.parametrize("step", [1, 2])
def test_other_libraries_by_dlpack(key_type, step):
    keys = keys_of(key_type, 100)[::step]
    result = multisplit.split(Other(keys), Buckets.hash(7), values=Other(keys), return_index=True)
    expected = multisplit.split(keys, Buckets.hash(7), return_index=True)
    for field in "keys", "offsets", "index":
        got = getattr(result, field)
        assert isinstance(got, Other)
        np.testing.assert_array_equal(got.array, getattr(expected, field))
    np.testing.assert_array_equal(result.values.array, expected.keys)


def test_jax():
    jax = pytest.importorskip("jax")
    keys = jax.numpy.array([5, 2, 7, 4], dtype="uint32")
    result = multisplit.split(keys, "key % 2", return_index=True)
    assert isinstance(result.keys, jax.Array) and isinstance(result.offsets, jax.Array)
    assert result.keys.tolist() == [2, 4, 5, 7] and result.index.tolist() == [1, 3, 0, 2]


def test_our_own_arrays():
    memory = multisplit.Memory
    with pytest.raises(TypeError):
        memory()
    keys = np.arange(6, dtype="f4")
    result = np.from_dlpack(multisplit.split(keys, Buckets.hash(2)).keys)
    assert sorted(result) == sorted(keys)


def test_memory_lives_as_long_as_arrays():
    keys = np.arange(100_000, dtype="u4")[::-1].copy()
    result = multisplit.split(keys, Buckets.bits(0, 4), values=keys)
    part = result.values[5:50]
    expected = part.copy()
    handed_over = np.from_dlpack(Other(result.keys))
    first = handed_over[:10].copy()
    del result, keys
    gc.collect()
    [np.empty(100_000, dtype="u4").fill(7) for _ in range(20)]
    np.testing.assert_array_equal(part, expected)
    np.testing.assert_array_equal(handed_over[:10], first)
