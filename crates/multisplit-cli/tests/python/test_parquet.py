"""Parquet and Arrow files of PyArrow: rows of any columns are put in order as PyArrow does it."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from conftest import order_of


def table(n=600, seed=4):
    """Columns of many types, some of them with nulls."""
    random = np.random.default_rng(seed)

    def some(values, kind=None):
        return pa.array([None if gap else value for value, gap in zip(values, random.random(n) < 0.1)], kind)

    days = [datetime.date(2000, 1, 1) + datetime.timedelta(int(day)) for day in random.integers(0, 9000, n)]
    return pa.table({
        "id": pa.array(random.integers(0, 50, n), pa.int32()),
        "weight": pa.array(np.round(random.normal(size=n), 1)),
        "day": pa.array(days),
        "price": pa.array([decimal.Decimal(int(cents)) / 100 for cents in random.integers(-999, 999, n)],
                          pa.decimal128(9, 2)),
        "name": some(random.choice(["Ada", "Émilie", "Grace", ""], n)),
        "region": pa.array(random.choice(["north", "south", "east"], n)).dictionary_encode(),
        "score": some(random.integers(0, 9, n), pa.int16()),
        "tags": some([["a"] * int(k) for k in random.integers(0, 4, n)], pa.list_(pa.string())),
        "point": pa.array([{"x": int(x), "y": None} for x in random.integers(0, 9, n)],
                          pa.struct([("x", pa.int8()), ("y", pa.float32())])),
    })


def same_rows(found, expected):
    """Whether two tables have the same rows. Their dictionaries may be in another order."""
    return found.to_pylist() == expected.to_pylist()


FORMATS = {
    "parquet": (lambda t, path: pq.write_table(t, path, row_group_size=170), pq.read_table),
    "gz.parquet": (lambda t, path: pq.write_table(t, path, compression="gzip"), pq.read_table),
    "arrow": (lambda t, path: pa.feather.write_feather(t, path, compression="uncompressed", chunksize=170),
              pa.feather.read_table),
    "arrows": (lambda t, path: write_stream(t, path), lambda path: pa.ipc.open_stream(path).read_all()),
}


def write_stream(t, path):
    with pa.ipc.new_stream(path, t.schema) as stream:
        stream.write_table(t, 170)


@pytest.mark.parametrize("ending", FORMATS)
def test_sort(multisplit, ending):
    write, read = FORMATS[ending]
    expected = table()
    write(expected, multisplit.folder / f"rows.{ending}")
    for column in ["id", "weight", "day", "price"]:
        multisplit("sort", f"rows.{ending}", "--column", column, "--output", f"{column}.{ending}", "--device", "cpu")
        keys = expected[column].to_numpy()
        order = order_of(keys) if keys.dtype != object else np.argsort(keys, kind="stable")
        found = read(multisplit.folder / f"{column}.{ending}")
        assert found.schema.equals(expected.schema)
        assert same_rows(found, expected.take(order)), column


def test_nulls_come_last(multisplit):
    expected = table()
    pq.write_table(expected, multisplit.folder / "rows.parquet")
    multisplit("sort", "rows.parquet", "--column", "score", "--null", "last", "--output", "sorted.parquet", "--device",
               "cpu")
    scores = expected["score"].to_pylist()
    order = sorted(range(len(scores)), key=lambda row: (scores[row] is None, scores[row] or 0))
    assert same_rows(pq.read_table(multisplit.folder / "sorted.parquet"), expected.take(order))
    message = multisplit("sort", "rows.parquet", "--column", "score", "--output", "out.parquet", "--device", "cpu",
                         code=1)
    assert f"{scores.index(None)}" in message and "--null" in message, message
    assert not (multisplit.folder / "out.parquet").exists()


def test_split_by_strings(multisplit):
    """Strings of a dictionary and strings alone have the same buckets; all rows of one are in one file."""
    expected = table()
    pq.write_table(expected, multisplit.folder / "rows.parquet")
    multisplit("split", "rows.parquet", "--column", "region", "--by", "hash", "--buckets", 4, "--output-dir", "parts",
               "--device", "cpu")
    parts = [pq.read_table(multisplit.folder / "parts" / f"bucket-{i}.parquet") for i in range(4)]
    assert sum(part.num_rows for part in parts) == expected.num_rows
    for region in ["north", "south", "east"]:
        rows = [part.filter(pc.field("region") == region) for part in parts]
        (found,) = [part for part in rows if part.num_rows]
        assert same_rows(found, expected.filter(pc.field("region") == region))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_expressions_over_columns(multisplit, ending):
    """Rows without a key are left out of all columns that an expression names."""
    write, read = FORMATS[ending]
    expected = table()
    write(expected, multisplit.folder / f"rows.{ending}")
    multisplit("split", f"rows.{ending}", "--column", "score", "--null", "drop", "--expression",
               "price < 0.5 ? 0 : key < 4 && id % 2 == 0 ? 1 : 2", "--output", f"split.{ending}", "--device", "cpu")
    kept = expected.filter(pc.is_valid(expected["score"]))
    bucket = [0 if row["price"] < decimal.Decimal("0.5") else 1 if row["score"] < 4 and row["id"] % 2 == 0 else 2
              for row in kept.to_pylist()]
    assert len(set(bucket)) == 3
    found = read(multisplit.folder / f"split.{ending}")
    assert same_rows(found, kept.take(np.argsort(bucket, kind="stable")))


def test_text_and_tables(multisplit):
    """A column of a table becomes a NumPy file, and text a table."""
    expected = table()
    pq.write_table(expected, multisplit.folder / "rows.parquet")
    multisplit("sort", "rows.parquet", "--column", "id", "--output", "ids.npy", "--device", "cpu")
    np.testing.assert_array_equal(np.load(multisplit.folder / "ids.npy"), np.sort(expected["id"].to_numpy()))


def test_damaged_files(multisplit):
    pq.write_table(table(), multisplit.folder / "rows.parquet")
    whole = (multisplit.folder / "rows.parquet").read_bytes()
    for name, damaged in [("short", whole[:-100]), ("head", whole[:200]), ("middle", whole[:300] + whole[900:])]:
        (multisplit.folder / f"{name}.parquet").write_bytes(damaged)
        message = multisplit("sort", f"{name}.parquet", "--column", "id", "--output", "out.parquet", "--device", "cpu",
                             code=1)
        assert f"{name}.parquet" in message and "panicked" not in message, message
        assert not (multisplit.folder / "out.parquet").exists()
