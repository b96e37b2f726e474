#!/usr/bin/env python3
"""--format arrow: pyarrow reads every table, with the types of its columns and the values of --format json.

pyarrow comes from PyPI, as for the tests of the Python package."""
import io
import json

from program import SAMPLES, json_of, lanescope, run_all, scratch, text_of, traces_here
from pypi import import_packages

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TYPES = {"text": "string", "integer": "int64", "real": "double", "integers": "list<item: int64>"}


def read_arrow(*words):
    import_packages("pyarrow")
    import pyarrow.ipc
    run = lanescope(*words, "--format", "arrow")
    assert run.returncode == 0 and run.stderr == b"", run
    table = pyarrow.ipc.open_file(io.BytesIO(run.stdout)).read_all()
    table.validate(full=True)
    return table


def check_table(*words):
    actual, expected = read_arrow(*words), json_of(*words)
    rows = actual.to_pylist()
    assert len(rows) == len(expected), (words, len(rows), len(expected))
    for row, want in zip(rows, expected):
        assert list(row) == list(want) and row == want, (words, row, want)
    return actual


def test_every_table():
    with_rows = 0
    for trace in (SYNTHETIC, *sorted(SAMPLES.glob("torch_cpu/*.json.gz"))):
        for name in dict.fromkeys(column["table"] for column in json_of("columns")):
            if lanescope("table", name, trace, "--format", "json").returncode == 0:
                with_rows += check_table("table", name, trace).num_rows > 0
    assert with_rows > 20, with_rows


def test_types_and_meanings_of_columns():
    for name in ("kernels", "memory", "steps", "operators"):
        declared = {column["column"]: column for column in json_of("columns", name) if not column.get("by")}
        table = read_arrow("table", name, SYNTHETIC)
        assert table.schema.metadata == {b"written_by": b"lanescope", b"table": name.encode()}, table.schema.metadata
        for field in table.schema:
            assert field.metadata[b"definition"].decode() == declared[field.name]["definition"], field
            assert str(field.type) in TYPES.values(), field
        units = {field.name: field.metadata[b"unit"] for field in table.schema}
        assert all(units[key] == b"ns" for key in units if key.endswith("_ns")), units


def test_groups_filters_and_other_commands():
    check_table("table", "kernels", SYNTHETIC, "--group-by", "operator", "--top", "3")
    check_table("table", "kernels", SYNTHETIC, "--range", "0..1ns")  # no rows
    check_table("find", SYNTHETIC, "kernel")
    check_table("columns", "kernels")


def test_many_rows():
    with scratch() as folder:
        made = f"{folder}/many.json"
        events = [{"ph": "X", "cat": "app", "name": f"call {i % 7}", "pid": 1, "tid": 1, "ts": 2 * i, "dur": 1, "args": {"i": i}}
                  for i in range(100_000)]
        with open(made, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        assert check_table("find", made, "", "--top", "100000").num_rows == len(events)
    for trace in traces_here("torch/a100_train_before.json.gz"):
        assert check_table("table", "launches", trace).num_rows > 1000
    for trace in traces_here("torch/rtx3090_vllm.pt.trace.json.gz"):
        assert check_table("find", trace, "", "--top", "100000").num_rows > 0


def test_files():
    with scratch() as folder:
        target = f"{folder}/kernels.arrow"
        for _ in range(2):  # its own file is replaced
            assert text_of("table", "kernels", SYNTHETIC, "--format", "arrow", "-o", target) == ""
        with open(target, "rb") as file:
            assert file.read() == lanescope("table", "kernels", SYNTHETIC, "--format", "arrow").stdout
        with open(target, "wb") as file:
            file.write(b"ARROW1\0\0 of another program")
        run = lanescope("table", "kernels", SYNTHETIC, "--format", "arrow", "-o", target)
        assert run.returncode == 1 and b"--force" in run.stderr, run


run_all(globals())
