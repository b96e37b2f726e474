#!/usr/bin/env python3
"""lanescope table operators, end to end, compared with the tables that torch prints for the samples."""
import csv
import io
import json

from program import SAMPLES, error_of, json_of, run_all, text_of

TRAINING = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def torch_tables():
    return json.loads(TRAINING.with_name(TRAINING.name.replace(".json.gz", ".table.json")).read_text())


def test_rows_by_shape_equal_torch():
    expected = torch_tables()["tables"]["by_shape"]
    rows = json_of("table", "operators", TRAINING, "--by", "shape")
    assert len(rows) == len(expected)
    for row, theirs in zip(rows, expected):
        assert row["name"] == theirs["name"] and row["input_shapes"] == theirs["shapes"], row
        assert row["calls"] == theirs["calls"], row
        assert row["cpu_self_ns"] == round(theirs["self_cpu_us"] * 1000), row
        assert row["cpu_memory_bytes"] == theirs["cpu_mem"], row
        assert (row["flop"] or 0) == theirs["flops"], row


def test_the_default_grouping_is_by_name():
    for table in ["operators", "kernels"]:
        assert text_of("table", table, TRAINING, "--by", "name") == text_of("table", table, TRAINING), table


def test_the_grouping_column_follows_the_name():
    for form, column in [("shape", "input_shapes"), ("stack", "stack"), ("module", "module"), ("step", "step"),
                         ("thread", "thread")]:
        header = text_of("table", "operators", TRAINING, "--by", form, "--format", "csv").splitlines()[0]
        assert header.split(",")[:3] == ["name", "short_name", column], header


def test_the_torch_format_equals_torchs_output():
    lines = text_of("table", "operators", TRAINING, "--sort", "cpu_self_ns", "--top", "7", "--format", "torch").splitlines()
    expected = torch_tables()["text_sorted_by_self_cpu"].splitlines()
    assert lines[:10] == expected[:10], lines[:10]
    assert lines[-1] == expected[-1], lines[-1]


def test_times_by_step_add_up_to_the_total():
    whole = {row["name"]: row for row in json_of("table", "operators", TRAINING)}
    steps = [row for row in json_of("table", "operators", TRAINING, "--by", "step") if row["name"] == "aten::addmm"]
    assert len(steps) > 1
    assert sum(row["cpu_total_ns"] for row in steps) == whole["aten::addmm"]["cpu_total_ns"]
    ranged = [row for row in json_of("table", "operators", TRAINING, "--range", f"step:{steps[0]['step'].split('#')[1]}")
              if row["name"] == "aten::addmm"]
    assert ranged[0]["cpu_total_ns"] == steps[0]["cpu_total_ns"], (ranged, steps[0])


def test_sort_and_top_select_rows():
    rows = list(csv.DictReader(io.StringIO(
        text_of("table", "operators", TRAINING, "--sort", "flop", "--top", "3", "--format", "csv"))))
    assert [row["name"] for row in rows][0] == "aten::mm" and len(rows) == 3, rows


def test_only_operators_have_the_torch_format():
    error_of("table", "lanes", TRAINING, "--format", "torch", status=2)


run_all(globals())
