#!/usr/bin/env python3
"""lanescope table operators, end to end, against torch's own tables of the samples."""
import csv
import io
import json
import os
from pathlib import Path

from program import SAMPLES, Skip, complaint_of, json_of, run_all, text_of

TRAINING = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def torch_tables():
    folder = os.environ.get("LANESCOPE_TRACES")
    if not folder:
        raise Skip("LANESCOPE_TRACES is not set")
    path = Path(folder) / "torch_cpu" / TRAINING.name.replace(".json.gz", ".table.json")
    return json.loads(path.read_text())


def test_rows_by_shape_equal_torch():
    wanted = torch_tables()["tables"]["by_shape"]
    rows = json_of("table", "operators", TRAINING, "--by", "shape")
    assert len(rows) == len(wanted)
    for row, torch in zip(rows, wanted):
        assert row["name"] == torch["name"] and row["input_shapes"] == torch["shapes"], row
        assert row["calls"] == torch["calls"], row
        assert row["cpu_self_ns"] == round(torch["self_cpu_us"] * 1000), row
        assert row["cpu_memory_bytes"] == torch["cpu_mem"], row
        assert (row["flop"] or 0) == torch["flops"], row


def test_the_plain_form_has_a_name_too():
    for table in ["operators", "kernels"]:
        assert text_of("table", table, TRAINING, "--by", "name") == text_of("table", table, TRAINING), table


def test_what_rows_are_grouped_by_stands_behind_the_name():
    for form, column in [("shape", "input_shapes"), ("stack", "stack"), ("module", "module"), ("step", "step"),
                         ("thread", "thread")]:
        header = text_of("table", "operators", TRAINING, "--by", form, "--format", "csv").splitlines()[0]
        assert header.split(",")[:2] == ["name", column], header


def test_torch_layout_is_printed():
    lines = text_of("table", "operators", TRAINING, "--sort", "cpu_self_ns", "--top", "7", "--format", "torch").splitlines()
    wanted = torch_tables()["text_sorted_by_self_cpu"].splitlines()
    assert lines[:10] == wanted[:10], lines[:10]
    assert lines[-1] == wanted[-1], lines[-1]


def test_steps_add_up_to_the_whole():
    whole = {row["name"]: row for row in json_of("table", "operators", TRAINING)}
    steps = [row for row in json_of("table", "operators", TRAINING, "--by", "step") if row["name"] == "aten::addmm"]
    assert len(steps) > 1
    assert sum(row["cpu_total_ns"] for row in steps) == whole["aten::addmm"]["cpu_total_ns"]
    ranged = [row for row in json_of("table", "operators", TRAINING, "--range", f"step:{steps[0]['step'].split('#')[1]}")
              if row["name"] == "aten::addmm"]
    assert ranged[0]["cpu_total_ns"] == steps[0]["cpu_total_ns"], (ranged, steps[0])


def test_sort_and_top():
    rows = list(csv.DictReader(io.StringIO(
        text_of("table", "operators", TRAINING, "--sort", "flop", "--top", "3", "--format", "csv"))))
    assert [row["name"] for row in rows][0] == "aten::mm" and len(rows) == 3, rows


def test_only_operators_have_torchs_layout():
    complaint_of("table", "lanes", TRAINING, "--format", "torch", status=2)


run_all(globals())
