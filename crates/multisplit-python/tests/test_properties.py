"""Any keys, ids and edges, against NumPy."""

import numpy as np
from conftest import KEY_TYPES, reference
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import multisplit
from multisplit import Buckets

settings.register_profile("quick", max_examples=60, deadline=None)
settings.load_profile("quick")

keys = st.sampled_from(KEY_TYPES).flatmap(lambda dtype: arrays.arrays(dtype, st.integers(0, 300)))


@given(keys)
def test_sort(keys):
    # Bits, since NaN is not equal to itself; and NumPy takes both zeros for equal.
    result = multisplit.sort(keys)
    order = multisplit.argsort(keys)
    words = f"u{keys.itemsize}"
    np.testing.assert_array_equal(result.view(words), keys[order].view(words))
    numbers = keys[~np.isnan(keys)] if keys.dtype.kind == "f" else keys
    np.testing.assert_array_equal(multisplit.sort(numbers), np.sort(numbers))


@given(st.lists(st.integers(0, 40), max_size=400), st.integers(41, 300), st.sampled_from(["u1", "i4", "u8"]))
def test_group(ids, m, dtype):
    ids = np.array(ids, dtype=dtype)
    index, offsets = multisplit.group(ids, min(m, np.iinfo(dtype).max))
    order, expected = reference(ids.astype("i8"), len(offsets) - 1)
    np.testing.assert_array_equal(index, order)
    np.testing.assert_array_equal(offsets, expected)


@given(keys, st.lists(st.integers(0, 126), max_size=20), st.booleans())
def test_edges(keys, edges, right):
    edges = sorted(edges)
    result = multisplit.split(keys, Buckets.edges(edges, right=right), return_index=True)
    ids = np.digitize(keys.astype("f8"), edges, right=right) if edges else np.zeros(len(keys), dtype="i8")
    order, offsets = reference(ids, len(edges) + 1)
    np.testing.assert_array_equal(result.index, order)
    np.testing.assert_array_equal(result.offsets, offsets)


@given(keys, st.data())
def test_select(keys, data):
    mask = data.draw(arrays.arrays(bool, len(keys)))
    words = f"u{keys.itemsize}"
    np.testing.assert_array_equal(multisplit.select(keys, mask).keys.view(words), keys[mask].view(words))


@given(st.lists(st.integers(0, 2**32 - 1), max_size=200), st.integers(1, 1000), st.integers(0, 2**32 - 1))
def test_a_hash_is_one(keys, m, seed):
    keys = np.array(keys + keys, dtype="u4")
    result = multisplit.split(keys, Buckets.hash(m, seed))
    for b in range(min(m, 20)):
        assert set(result.bucket(b)).isdisjoint(np.setdiff1d(keys, result.bucket(b)))
    assert np.diff(result.offsets).sum() == len(keys)
