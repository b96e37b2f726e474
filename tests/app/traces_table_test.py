#!/usr/bin/env python3
"""lanescope table traces, end to end: several traces, a row each."""
import csv
import io

from program import SAMPLES, TRACES, Skip, complaint_of, json_of, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def test_a_row_a_trace_in_the_order_given():
    rows = json_of("table", "traces", SYNTHETIC, TRANSFORMER)
    assert [row["file"] for row in rows] == [SYNTHETIC.name, TRANSFORMER.name]
    assert rows[0]["trace"] != rows[1]["trace"]
    assert list(csv.DictReader(io.StringIO(text_of("table", "traces", SYNTHETIC, TRANSFORMER, "--format", "csv"))))[1]["mfu"] == ""
    assert text_of("table", "traces", SYNTHETIC, TRANSFORMER, "--format", "md").count("\n") == 4


def test_it_says_what_the_other_tables_say():
    synthetic, transformer = json_of("table", "traces", SYNTHETIC, TRANSFORMER)
    for file, row in ((SYNTHETIC, synthetic), (TRANSFORMER, transformer)):
        steps = [step for step in json_of("table", "steps", file) if not step["warm_up"]]
        assert row["steps"] == len(steps)
        total = sum(step["duration_ns"] for step in steps)
        assert abs(row["time_ns"] - total / len(steps)) < 1
        if file == SYNTHETIC:
            assert abs(row["busy_share_of_steps"] - sum(step["gpu_busy_ns"] for step in steps) / total) < 1e-9
            assert row["kernels"] == sum(step["kernels"] for step in steps) / len(steps)
    breakdown = json_of("table", "breakdown", SYNTHETIC)
    busy = sum(row["busy_ns"] for row in breakdown) / sum(row["span_ns"] for row in breakdown)
    assert abs(synthetic["busy_share_of_span"] - busy) < 1e-9
    by_step = {row["name"]: row for row in json_of("table", "models", SYNTHETIC, "--by", "step")}
    flops = [row["flop"] for name, row in by_step.items() if name != "all"]
    assert abs(synthetic["flop"] - sum(flops) / len(flops)) < 1
    # No GPU: nothing about one, and none of it 0.
    for key in ("devices", "busy_share_of_steps", "busy_share_of_span", "hfu", "mfu", "kernels", "modelled"):
        assert transformer[key] is None, (key, transformer[key])
    peak = max(row["peak_allocated_bytes"] for row in json_of("table", "memory", TRANSFORMER))
    assert transformer["peak_memory_bytes"] == peak
    assert transformer["flop"] > 0


def test_ranges_are_of_each_trace():
    whole = json_of("table", "traces", SYNTHETIC)[0]
    number = json_of("table", "steps", SYNTHETIC)[-1]
    row = json_of("table", "traces", SYNTHETIC, SYNTHETIC, "--range", f"step:{number['index']}")
    assert len(row) == 2 and row[0]["trace"] != row[1]["trace"]
    assert row[0]["steps"] == 1 and row[0]["time_ns"] == number["duration_ns"] and row[0]["ci95_ns"] is None
    assert whole["steps"] > 1


def test_sorted_and_cut():
    rows = json_of("table", "traces", SYNTHETIC, TRANSFORMER, "--sort", "time_ns")
    assert rows[0]["time_ns"] >= rows[1]["time_ns"]
    assert len(json_of("table", "traces", SYNTHETIC, TRANSFORMER, "--sort", "time_ns", "--top", "1")) == 1


def test_what_is_wrong_is_said():
    assert "no column" in complaint_of("table", "traces", SYNTHETIC, "--sort", "nothing", status=2)
    with scratch() as folder:
        assert "gone.json" in complaint_of("table", "traces", SYNTHETIC, folder + "/gone.json", status=1)
    assert "step" in complaint_of("table", "traces", TRANSFORMER, "--range", "step:999", status=2)
    assert "TRACE" in complaint_of("table", "traces", status=2)


def test_every_trace_has_its_row():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES names no folder of real traces")
    files = sorted((TRACES / "torch").glob("*.json.gz"))
    rows = json_of("table", "traces", *files)
    assert len(rows) == len(files) == len({row["trace"] for row in rows})
    for row in rows:
        assert row["time_ns"] > 0, row
        for key in ("flop", "peak_memory_bytes", "steps", "kernels", "mfu", "hfu", "busy_share_of_span"):
            assert row[key] is None or row[key] > 0, (row["file"], key)


run_all(globals())
