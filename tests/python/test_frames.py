"""The data frames of others take our tables, with the same values and types."""
import math

import lanescope as ls
import pytest


def same(a, b):
    if a is None or b is None:
        return (a is None or a != a) and (b is None or b != b)
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=0, abs_tol=0))


def check(rows, expected):
    assert len(rows) == len(expected)
    for row, want in zip(rows, expected):
        assert list(row) == list(want)
        for key, value in row.items():
            if hasattr(value, "tolist"):
                value = value.tolist()
            if value.__class__.__name__ == "NAType":
                value = None
            assert same(value, want[key]), (key, value, want[key])


@pytest.mark.parametrize("name", ["kernels", "steps", "operators", "gaps", "gpu_activity"])
def test_pyarrow(synthetic, name):
    pyarrow = pytest.importorskip("pyarrow")
    table = synthetic.table(name)
    arrow = pyarrow.table(table)
    arrow.validate(full=True)
    check(arrow.to_pylist(), table.to_dicts())
    check(pyarrow.table(table).to_pylist(), table.to_dicts())  # a second reader
    plain = table.to_arrow(dictionaries=False)
    assert not any(pyarrow.types.is_dictionary(field.type) for field in plain.schema)
    check(plain.to_pylist(), table.to_dicts())
    for field in arrow.schema:
        assert field.metadata[b"definition"], field
        assert not field.name.endswith("_ns") or field.metadata[b"unit"] == b"ns"


@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize("name", ["kernels", "steps", "gpu_activity"])
def test_pandas(synthetic, name, categories):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = synthetic.table(name)
    frame = table.to_pandas(categories=categories)
    assert isinstance(frame, pandas.DataFrame)
    check(frame.to_dict("records"), table.to_dicts())
    assert (str(frame["name"].dtype) == "category") == categories
    assert frame.groupby("name", observed=True).size().sum() == len(table)


def test_pandas_keeps_every_digit(synthetic):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    big = 9007199254740993  # not a double
    frame = synthetic.sql(f"select {big} as n union all select null").to_pandas()
    assert sorted(frame["n"].dropna()) == [big] and str(frame["n"].dtype) == "Int64"


@pytest.mark.parametrize("categories", [False, True])
def test_polars(synthetic, categories):
    polars = pytest.importorskip("polars")
    for name in ("kernels", "steps", "gpu_activity"):
        table = synthetic.table(name)
        frame = table.to_polars(categories=categories)
        check(frame.to_dicts(), table.to_dicts())
        assert (frame.schema["name"] == polars.String) != categories
    assert polars.DataFrame(synthetic.kernels(range="0..1ns")).is_empty()


def test_duckdb(synthetic):
    duckdb = pytest.importorskip("duckdb")
    k = synthetic.kernels()
    total, longest = duckdb.sql("select sum(total_ns), max(max_ns) from k").fetchall()[0]
    assert (int(total), longest) == (sum(k["total_ns"]), max(k["max_ns"]))
    rows = duckdb.sql("select name, calls from k where calls > 5 order by calls desc, name").fetchall()
    assert rows == sorted(((row["name"], row["calls"]) for row in k if row["calls"] > 5), key=lambda r: (-r[1], r[0]))


def test_rows_outlive_the_trace():
    pyarrow = pytest.importorskip("pyarrow")
    from conftest import SYNTHETIC

    trace = ls.open(SYNTHETIC, progress=False)
    table = trace.gpu_activity()
    expected = table.to_dicts()
    arrow = pyarrow.table(table)
    trace.close()
    del trace, table
    assert arrow.to_pylist() == expected
