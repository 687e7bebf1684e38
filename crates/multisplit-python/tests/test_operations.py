"""Every operation, against NumPy."""

import numpy as np
import pytest
from conftest import keys_of, reference

import multisplit
from multisplit import Buckets


@pytest.mark.parametrize("m", [1, 2, 7, 64, 256, 257, 5000])
@pytest.mark.parametrize("n", [0, 1, 50, 20_000])
def test_group(n, m):
    for dtype in "u1", "i2", "u4", "i8":
        if m > np.iinfo(dtype).max:
            continue
        ids = np.random.default_rng(n).integers(0, m, n).astype(dtype)
        index, offsets = multisplit.group(ids, m)
        order, expected = reference(ids.astype("i8"), m)
        np.testing.assert_array_equal(index, order)
        np.testing.assert_array_equal(offsets, expected)


def test_group_without_m():
    index, offsets = multisplit.group(np.array([3, 0, 3]))
    assert index.tolist() == [1, 0, 2] and offsets.tolist() == [0, 1, 1, 1, 3]


@pytest.mark.parametrize("right", [False, True])
def test_edges_are_those_of_digitize(key_type, right):
    keys = keys_of(key_type, 500)
    edges = [0.0, 0.5, 1.0, 20.25, 100.5, 120] if key_type.kind != "f" else [-np.inf, -1.1, 0.0, 0.1, 100.5, 1e3]
    result = multisplit.argsplit(keys, Buckets.edges(edges, right=right))
    order, offsets = reference(np.digitize(keys.astype("f8"), edges, right=right), len(edges) + 1)
    np.testing.assert_array_equal(result[0], order)
    np.testing.assert_array_equal(result[1], offsets)


def test_the_other_buckets(key_type):
    keys = keys_of(key_type, 1000)
    split = multisplit.split
    by_hash = split(keys, Buckets.hash(16))
    assert len(by_hash) == 16 and sorted(by_hash.keys) == sorted(keys)
    assert split(keys, Buckets.hash(16, seed=1)).offsets.tolist() != by_hash.offsets.tolist()
    ranges = split(keys, Buckets.ranges(0, 100, 4))
    np.testing.assert_array_equal(split(keys, Buckets.width(0, 25, 4)).keys, ranges.keys)
    order, offsets = reference(np.digitize(keys, [25, 50, 75]), 4)
    np.testing.assert_array_equal(ranges.keys, keys[order])
    if key_type.kind != "f":
        unsigned = keys.view(f"u{key_type.itemsize}").astype("u8")
        if key_type.kind == "i":
            unsigned ^= np.uint64(1 << (8 * key_type.itemsize - 1))
        order, _ = reference((unsigned >> np.uint64(2) & np.uint64(7)).astype("i8"), 8)
        np.testing.assert_array_equal(split(keys, Buckets.bits(2, 5)).keys, keys[order])
        small = np.abs(keys.astype("i8") % 5).astype(key_type)
        np.testing.assert_array_equal(split(small, Buckets.lookup([2, 0, 1, 0, 2])).keys[:2] % 2, [1, 1])


@pytest.mark.parametrize(
    "text, ids",
    [
        ("key % 7", lambda keys: keys % 7),
        ("key < 10 ? 0 : 1 + popcount(key) % 3", lambda keys: np.where(keys < 10, 0, 1 + np.bitwise_count(keys) % 3)),
        ("key >= 50", lambda keys: (keys >= 50).astype("u4")),
    ],
)
def test_expressions(text, ids):
    for dtype in "u1", "u4", "u8", "i4", "i8":
        keys = np.random.default_rng(0).integers(0, 100, 3000).astype(dtype)
        expected = ids(keys).astype("i8")
        m = int(expected.max()) + 1
        order, offsets = reference(expected, m)
        for buckets in None, m:
            result = multisplit.split(keys, text, buckets=buckets, values=order)
            np.testing.assert_array_equal(result.keys, keys[order])
            np.testing.assert_array_equal(result.offsets, offsets)
        np.testing.assert_array_equal(multisplit.histogram(keys, text), np.bincount(expected))
    rule = Buckets.expression(text, m)
    np.testing.assert_array_equal(multisplit.split(keys, rule).keys, keys[order])


def test_ids(key_type):
    keys = keys_of(key_type, 777)
    ids = np.random.default_rng(5).integers(0, 11, 777)
    order, offsets = reference(ids, 11)
    for dtype in "u1", "i4", "i8":
        result = multisplit.split(keys, ids.astype(dtype), values=keys, return_index=True)
        np.testing.assert_array_equal(result.keys, keys[order])
        np.testing.assert_array_equal(result.values, keys[order])
        np.testing.assert_array_equal(result.index, order)
        np.testing.assert_array_equal(result.offsets, offsets)
    np.testing.assert_array_equal(multisplit.split(keys, ids, buckets=20).offsets[11:], [777] * 10)
    np.testing.assert_array_equal(multisplit.histogram(keys, ids), np.bincount(ids))
    result = multisplit.split(keys, ids == 3)
    np.testing.assert_array_equal(result.bucket(1), keys[ids == 3])


def test_sort(key_type):
    keys = keys_of(key_type, 2000)
    keys[keys == 0] = 0  # no -0, which NumPy does not tell from +0
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(multisplit.sort(keys), keys[order])
    np.testing.assert_array_equal(multisplit.argsort(keys), order)
    sorted_keys, values, index = multisplit.sort(keys, values=keys, return_index=True)
    np.testing.assert_array_equal(values, sorted_keys)
    np.testing.assert_array_equal(index, order)
    down = multisplit.argsort(keys, descending=True)
    np.testing.assert_array_equal(keys[down], keys[order][::-1])
    assert (np.diff(down)[np.diff(keys[down].astype("f8")) == 0] > 0).all()


def test_floats_in_total_order():
    keys = np.array([np.nan, 0.0, -0.0, -np.inf, np.inf, -np.nan], dtype="f4")
    keys[5] = np.copysign(np.float32(np.nan), np.float32(-1))
    assert multisplit.argsort(keys).tolist() == [5, 3, 2, 1, 4, 0]


def test_histogram(key_type):
    keys = keys_of(key_type, 5000)
    finite = keys[np.isfinite(keys.astype("f8"))].astype("f8")
    counts, outside = multisplit.histogram(keys, Buckets.bins([0, 10, 100]), return_outside=True)
    inside = [((finite >= 0) & (finite < 10)).sum(), ((finite >= 10) & (finite < 100)).sum()]
    assert counts.tolist() == inside and outside == len(keys) - sum(inside) and counts.dtype == np.int64
    even, beyond = multisplit.histogram(keys, Buckets.even(0, 100, 10), return_outside=True)
    assert even.sum() + beyond == len(keys)


def test_partition_and_select(key_type):
    keys = keys_of(key_type, 999)
    mask = np.random.default_rng(3).random(999) < 0.3
    result = multisplit.partition(keys, mask, values=np.arange(999), return_index=True, return_inverse=True)
    np.testing.assert_array_equal(result.keys, np.concatenate([keys[mask], keys[~mask]]))
    assert result.offsets.tolist() == [0, mask.sum(), 999]
    np.testing.assert_array_equal(result.values, result.index)
    selected = multisplit.select(keys, mask, values={"row": np.arange(999)}, return_index=True)
    np.testing.assert_array_equal(selected.keys, keys[mask])
    np.testing.assert_array_equal(selected.index, np.flatnonzero(mask))
    np.testing.assert_array_equal(selected.values["row"], np.flatnonzero(mask))
    below = Buckets.edges([50])
    np.testing.assert_array_equal(multisplit.select(keys, below).keys, keys[keys < 50])
    if key_type.kind != "f":
        np.testing.assert_array_equal(multisplit.select(keys, "key < 50").keys, keys[keys < 50])


def test_segments():
    keys = np.random.default_rng(0).integers(0, 1000, 500)
    segments = [0, 0, 10, 200, 200, 500]
    result = multisplit.split_segments(keys, segments, "key % 3", values=keys, return_index=True)
    ids = np.repeat(np.arange(5), np.diff(segments)) * 3 + keys % 3
    order, offsets = reference(ids, 15)
    np.testing.assert_array_equal(result.keys, keys[order])
    np.testing.assert_array_equal(result.index, order)
    np.testing.assert_array_equal(result.offsets, offsets)
    assert len(result) == 15
    again = multisplit.split_segments(keys, np.array(segments), keys % 3)
    np.testing.assert_array_equal(again.keys, result.keys)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1"])
@pytest.mark.parametrize("tokens, k, experts, block", [(1, 1, 1, 1), (100, 2, 8, 16), (1000, 8, 60, 64), (0, 2, 4, 8)])
def test_experts(dtype, tokens, k, experts, block):
    topk = np.random.default_rng(1).integers(0, experts, (tokens, k)).astype(dtype)
    flat = topk.ravel().astype("i8")
    order, offsets = reference(flat, experts)
    routing = multisplit.moe_permute(topk, experts)
    aligned = multisplit.moe_align(topk, experts, block)
    for result in routing, aligned:
        np.testing.assert_array_equal(result.index, order)
        np.testing.assert_array_equal(result.inverse[order], np.arange(flat.size))
        np.testing.assert_array_equal(result.offsets, offsets)
    counts = np.diff(offsets)
    blocks = -(-counts // block)
    np.testing.assert_array_equal(aligned.padded_offsets, np.concatenate([[0], np.cumsum(blocks * block)]))
    padded = int(aligned.num_tokens_post_pad[0])
    assert padded == blocks.sum() * block
    np.testing.assert_array_equal(aligned.expert_ids[: blocks.sum()], np.repeat(np.arange(experts), blocks))
    assert (aligned.expert_ids[blocks.sum() :] == -1).all()
    expected = np.full(padded, flat.size)
    for e in range(experts):
        start = aligned.padded_offsets[e]
        expected[start : start + counts[e]] = order[offsets[e] : offsets[e + 1]]
    np.testing.assert_array_equal(aligned.sorted_token_ids[:padded], expected)
    assert (aligned.sorted_token_ids[padded:] == flat.size).all()


def test_a_workspace_for_all():
    workspace = multisplit.Workspace()
    for n in 100, 100_000, 10:
        keys = keys_of("u4", n, seed=n)
        np.testing.assert_array_equal(multisplit.sort(keys, workspace=workspace), np.sort(keys))
        result = multisplit.split(keys, Buckets.bits(0, 12), values=keys, workspace=workspace)
        np.testing.assert_array_equal(result.keys, keys[np.argsort(keys & 0xFFF, kind="stable")])
        multisplit.moe_align(keys % 7, 7, 16, workspace=workspace)
    assert workspace.nbytes > 0
    workspace.clear()
    assert workspace.nbytes == 0


def test_a_workspace_keeps_results_that_are_gone():
    workspace, n = multisplit.Workspace(), 1 << 20
    ids = keys_of("u4", n) & 0xFF
    expected = np.argsort(ids, kind="stable")
    first, _ = multisplit.group(ids, 256, workspace=workspace)
    second, _ = multisplit.group(ids, 256, workspace=workspace)
    assert not np.shares_memory(first, second), "both are in use"
    part, before, address = first[5:], workspace.nbytes, second.ctypes.data
    del first, second
    assert workspace.nbytes == before + 4 * n
    third, _ = multisplit.group(ids, 256, workspace=workspace)
    assert third.ctypes.data == address, "the memory of the second is used again"
    np.testing.assert_array_equal(third, expected)
    # What is in use by a view stays.
    np.testing.assert_array_equal(part, expected[5:])
    del third
    shorter = multisplit.sort(ids[: n * 3 // 4], workspace=workspace)
    assert shorter.ctypes.data == address, "more than enough is enough"
    workspace.clear()
    assert workspace.nbytes == 0
    del workspace
    np.testing.assert_array_equal(shorter, np.sort(ids[: n * 3 // 4]))


def test_as_pandas_and_polars_group():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    ids = np.random.default_rng(2).integers(0, 9, 1000).astype("u4")
    index, offsets = multisplit.group(ids, 9)
    groups = pandas.Series(ids).groupby(ids).indices
    frame = polars.DataFrame({"id": ids, "row": np.arange(1000)})
    parts = frame.partition_by("id", as_dict=True, maintain_order=True)
    for b in range(9):
        part = index[offsets[b] : offsets[b + 1]]
        np.testing.assert_array_equal(part, groups[b])
        np.testing.assert_array_equal(part, parts[(b,)]["row"].to_numpy())


def test_devices():
    names = multisplit.devices()
    assert "cpu" in names
    keys = keys_of("u4", 3000)
    for name in names:
        # Software devices compile kernels for long.
        if name == "cpu" or name.startswith("cuda"):
            result = multisplit.split(keys, Buckets.hash(5), values=keys.astype("f8"), device=name)
            assert isinstance(result.keys, np.ndarray)
            np.testing.assert_array_equal(result.keys, multisplit.split(keys, Buckets.hash(5)).keys)
