"""NumPy's files: what the program makes of them is what NumPy does with the arrays."""

import io

import numpy as np
import pytest
from conftest import KEYS, keys, order_of, same


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("n", [0, 1, 5000])
def test_sort(multisplit, kind, n):
    array = keys(kind, n)
    values = np.arange(n, dtype="u8")
    np.save(multisplit.folder / "keys.npy", array)
    np.save(multisplit.folder / "values.npy", values)
    multisplit("sort", "keys.npy", "--output", "sorted.npy", "--values", "values.npy", "--values-output", "moved.npy",
               "--permutation", "from.npy", "--device", "cpu")
    order = order_of(array)
    assert same(np.load(multisplit.folder / "sorted.npy"), array[order])
    assert same(np.load(multisplit.folder / "moved.npy"), values[order])
    assert same(np.load(multisplit.folder / "from.npy"), order.astype("u4"))


@pytest.mark.parametrize("kind", KEYS)
def test_split_between(multisplit, kind):
    array = keys(kind, 5000)
    between = np.array([3, 17, 40, 90], kind)
    np.save(multisplit.folder / "keys.npy", array)
    np.save(multisplit.folder / "between.npy", between)
    multisplit("split", "keys.npy", "--splitters", "between.npy", "--output", "split.npy", "--offsets", "offsets.npy",
               "--permutation", "from.npy", "--device", "cpu")
    bucket = np.digitize(array.astype("f8"), between.astype("f8"))
    order = np.argsort(bucket, kind="stable")
    assert same(np.load(multisplit.folder / "split.npy"), array[order])
    assert same(np.load(multisplit.folder / "from.npy"), order.astype("u4"))
    counts = np.bincount(bucket, minlength=5)
    assert same(np.load(multisplit.folder / "offsets.npy"), np.concatenate(([0], np.cumsum(counts))).astype("u8"))


@pytest.mark.parametrize("kind", KEYS)
def test_histogram(multisplit, kind):
    array = keys(kind, 5000)
    edges = np.array([0, 10, 25, 50, 100], kind)
    np.save(multisplit.folder / "keys.npy", array)
    np.save(multisplit.folder / "edges.npy", edges)
    multisplit("histogram", "keys.npy", "--edges", "edges.npy", "--output", "counts.npy", "--device", "cpu")
    # NumPy's last bin has its upper edge, too.
    inside = array[array < edges[-1]].astype("f8")
    counts, _ = np.histogram(inside, edges.astype("f8"))
    assert same(np.load(multisplit.folder / "counts.npy"), counts.astype("u8"))


@pytest.mark.parametrize("where", ["first", "last"])
def test_nan(multisplit, where):
    array = keys("f4", 1000)
    array[::7] = np.nan
    np.save(multisplit.folder / "keys.npy", array)
    multisplit("sort", "keys.npy", "--nan", where, "--output", "sorted.npy", "--device", "cpu")
    found = np.load(multisplit.folder / "sorted.npy")
    expected = np.sort(array)
    count = np.isnan(array).sum()
    np.testing.assert_array_equal(found, np.roll(expected, count) if where == "first" else expected)
    message = multisplit("sort", "keys.npy", "--nan", "error", "--output", "other.npy", "--device", "cpu", code=1)
    assert "NaN" in message and not (multisplit.folder / "other.npy").exists()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_versions_and_orders_of_bytes(multisplit, version, order):
    array = keys("i4", 300).astype(f"{order}i4")
    with open(multisplit.folder / "keys.npy", "wb") as file:
        np.lib.format.write_array(file, array, version)
    multisplit("sort", "keys.npy", "--output", "sorted.npy", "--device", "cpu")
    assert same(np.load(multisplit.folder / "sorted.npy"), np.sort(array).astype("<i4"))


def test_archives(multisplit):
    arrays = {"one": keys("u4", 500), "two": keys("f8", 300)}
    np.savez(multisplit.folder / "plain.npz", **arrays)
    np.savez_compressed(multisplit.folder / "packed.npz", **arrays)
    for archive in ["plain.npz", "packed.npz"]:
        for name, array in arrays.items():
            multisplit("sort", archive, "--column", name, "--output", f"{name}.npz", "--device", "cpu")
            with np.load(multisplit.folder / f"{name}.npz") as found:
                (only,) = found.files
                assert same(found[only], array[order_of(array)])


def test_dates(multisplit):
    random = np.random.default_rng(3)
    array = (np.datetime64("2026-01-01") + random.integers(0, 9000, 700)).astype("datetime64[s]")
    np.save(multisplit.folder / "days.npy", array)
    multisplit("sort", "days.npy", "--output", "sorted.npy", "--device", "cpu")
    assert same(np.load(multisplit.folder / "sorted.npy"), np.sort(array))


def test_bool(multisplit):
    array = keys("u1", 700) % 2 == 1
    np.save(multisplit.folder / "flags.npy", array)
    multisplit("split", "flags.npy", "--by", "identity", "--buckets", 2, "--output", "split.npy", "--device", "cpu")
    assert same(np.load(multisplit.folder / "split.npy"), np.sort(array))


def test_pipes(multisplit):
    array = keys("u2", 900)
    file = io.BytesIO()
    np.save(file, array)
    out = multisplit("sort", "-", "--output", "-", "--device", "cpu", stdin=file.getvalue())
    assert same(np.load(io.BytesIO(out)), np.sort(array))


def test_what_is_no_array_of_keys(multisplit):
    """Nothing is written for an array that cannot be keys, and the message names what it is."""
    point = np.zeros(4, np.dtype([("x", "f4"), ("y", "f4")]))
    for name, array, said in [
        ("table", np.zeros((4, 3), "u4"), "dimension"),
        ("complex", np.zeros(4, "c8"), "complex"),
        ("point", point, "fields"),
        ("long", np.zeros(4, np.longdouble), "f16"),
    ]:
        np.save(multisplit.folder / f"{name}.npy", array)
        message = multisplit("sort", f"{name}.npy", "--output", "out.npy", "--device", "cpu", code=1)
        assert said in message and f"{name}.npy" in message, message
        assert not (multisplit.folder / "out.npy").exists()
    np.save(multisplit.folder / "object.npy", np.array([1, "a", None], object), allow_pickle=True)
    assert "object" in multisplit("sort", "object.npy", "--output", "out.npy", "--device", "cpu", code=1)


def test_columns_of_a_table_in_either_order(multisplit):
    """An array of one dimension is the same in both orders; one of two is refused in both."""
    array = np.asfortranarray(keys("u4", 60))
    np.save(multisplit.folder / "keys.npy", array)
    multisplit("sort", "keys.npy", "--output", "sorted.npy", "--device", "cpu")
    assert same(np.load(multisplit.folder / "sorted.npy"), np.sort(array))
    np.save(multisplit.folder / "table.npy", np.asfortranarray(array.reshape(6, 10)))
    multisplit("sort", "table.npy", "--output", "out.npy", "--device", "cpu", code=1)
