"""Tables of pandas: the program's rows are those of pandas, in the same order."""

import io

import numpy as np
import pandas as pd
import pytest


def people(n=800):
    """A table with what makes CSV hard: quotes, separators and ends of lines in fields, empty fields, accents."""
    random = np.random.default_rng(5)
    names = np.array(["Ada", 'Grace "Amazing" Hopper', "Turing, Alan", "two\nlines", "Émilie", ""])
    return pd.DataFrame({
        "name": random.choice(names, n),
        "age": random.integers(0, 100, n),
        "height": np.round(random.normal(1.7, 0.1, n), 2),
        "born": pd.to_datetime("1950-01-01") + pd.to_timedelta(random.integers(0, 20000, n), "D"),
        "member": random.integers(0, 2, n) == 1,
    })


def read(file, **options):
    return pd.read_csv(file, keep_default_na=False, parse_dates=["born"], **options)


@pytest.mark.parametrize("column", ["age", "height", "born", "member"])
@pytest.mark.parametrize("ending, separator", [("csv", ","), ("tsv", "\t")])
def test_sort(multisplit, column, ending, separator):
    table = people()
    table.to_csv(multisplit.folder / f"people.{ending}", index=False, sep=separator)
    multisplit("sort", f"people.{ending}", "--column", column, "--output", f"sorted.{ending}", "--device", "cpu")
    found = read(multisplit.folder / f"sorted.{ending}", sep=separator)
    expected = table.sort_values(column, kind="stable", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_descending_numbers_with_gaps(multisplit):
    table = people()[["name", "height"]]
    table.loc[::9, "height"] = np.nan
    table.to_csv(multisplit.folder / "gaps.csv", index=False, na_rep="nan")
    multisplit("sort", "gaps.csv", "--column", "height", "--descending", "--nan", "last", "--output", "sorted.csv",
               "--device", "cpu")
    found = pd.read_csv(multisplit.folder / "sorted.csv", keep_default_na=False, na_values={"height": ["nan"]})
    expected = table.sort_values("height", ascending=False, kind="stable", na_position="last", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)


def test_split_of_strings_is_a_group_by(multisplit):
    """All rows of a name are in one file, in the order of the table, and no row is lost."""
    table = people()
    table.to_csv(multisplit.folder / "people.csv", index=False)
    multisplit("split", "people.csv", "--column", "name", "--by", "hash", "--buckets", 8, "--output-dir", "parts",
               "--device", "cpu")
    parts = [read(multisplit.folder / "parts" / f"bucket-{i}.csv") for i in range(8)]
    assert sum(map(len, parts)) == len(table)
    for name, rows in table.groupby("name"):
        (part,) = [part for part in parts if (part["name"] == name).any()]
        found = part[part["name"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, rows.reset_index(drop=True), check_dtype=False)


def test_quantiles_are_those_of_pandas(multisplit):
    """Without equal keys, buckets of equal counts are those of `qcut`."""
    random = np.random.default_rng(7)
    keys = pd.Series(random.permutation(1000))
    keys.to_csv(multisplit.folder / "keys.csv", index=False, header=["key"])
    multisplit("split", "keys.csv", "--by", "quantiles", "--buckets", 4, "--output", "split.npy", "--offsets",
               "offsets.npy", "--device", "cpu")
    bucket = pd.qcut(keys, 4, labels=False)
    expected = keys[np.argsort(bucket, kind="stable")]
    np.testing.assert_array_equal(np.load(multisplit.folder / "split.npy"), expected)
    np.testing.assert_array_equal(np.load(multisplit.folder / "offsets.npy"), [0, 250, 500, 750, 1000])


def test_histogram_of_a_column(multisplit):
    table = people()
    file = io.BytesIO()
    table.to_csv(file, index=False)
    out = multisplit("histogram", "-", "--column", "age", "--bins", 10, "--from", 0, "--to", 100, "--output", "-",
                     "--output-format", "npy", "--device", "cpu", stdin=file.getvalue())
    expected = table["age"].value_counts(bins=range(-1, 100, 10), sort=False)
    np.testing.assert_array_equal(np.load(io.BytesIO(out)), expected)


def test_a_row_that_does_not_fit_is_named(multisplit):
    people().to_csv(multisplit.folder / "people.csv", index=False, lineterminator="\n")
    text = (multisplit.folder / "people.csv").read_text().splitlines()
    text[5] = text[5].rsplit(",", 2)[0]
    (multisplit.folder / "people.csv").write_text("\n".join(text))
    message = multisplit("sort", "people.csv", "--column", "age", "--output", "out.csv", "--device", "cpu", code=1)
    assert "line 6" in message, message
    assert not (multisplit.folder / "out.csv").exists()
