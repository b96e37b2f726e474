#!/usr/bin/env python3
"""lanescope what-if and the critical path, end to end."""
import json

from program import SAMPLES, error_of, json_of, lanescope, run_all

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
STEP = ("--range", "step:5")


def what_if(*words):
    run = lanescope("what-if", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout), run.stderr.decode("utf-8")


def test_parts_of_the_critical_path_add_up_to_the_step():
    for row in json_of("table", "critical-path", SYNTHETIC):
        parts = [value for key, value in row.items() if key.endswith("_ns") and key not in ("start_ns", "duration_ns")]
        assert len(parts) == 11 and sum(parts) == row["duration_ns"]
    by_name = json_of("table", "critical-path", SYNTHETIC, "--by", "name", *STEP)
    assert sum(row["path_ns"] for row in by_name) == json_of("table", "critical-path", SYNTHETIC, *STEP)[0]["duration_ns"]
    segments = json_of("table", "critical-path", SYNTHETIC, "--by", "segment", *STEP)
    for segment, following in zip(segments, segments[1:]):
        assert segment["start_ns"] + segment["duration_ns"] == following["start_ns"]


def test_changes_are_sorted_by_saved_time():
    rows, warning = what_if(SYNTHETIC, "--top", "5")
    assert len(rows) == 6 and rows[-1]["change"] == "CUDA graph"
    saved = [row["saved_ns"] for row in rows[:-1]]
    assert saved == sorted(saved, reverse=True) and saved[0] > 0
    assert warning == "", "the sample has synchronisation events"


def test_a_named_operator_has_rows_for_every_factor():
    rows, _ = what_if(TRANSFORMER, "--operator", "^aten::linear$", "--faster", "1")
    assert rows[0]["new_step_ns"] == rows[0]["step_ns"] and rows[0]["saved_ns"] == 0
    assert [row["factor"] for row in rows[:3]] == [1, 10, None]
    assert rows[0]["step_ns"] > rows[1]["new_step_ns"] > rows[2]["new_step_ns"]
    step = json_of("table", "critical-path", SYNTHETIC, *STEP)[0]
    rows, _ = what_if(SYNTHETIC, "--kernel", ".", *STEP)
    time = next(row["time_ns"] for row in json_of("table", "steps", SYNTHETIC) if row["index"] == step["index"])
    assert rows[0]["step_ns"] == time and rows[0]["steps"] == 1


def test_a_pattern_without_matches_is_wrong_usage():
    assert "no such kernel" in error_of("what-if", SYNTHETIC, "--kernel", "no such kernel", status=2)
    assert "regular expression" in error_of("what-if", SYNTHETIC, "--kernel", "(", status=2)
    error_of("what-if", SYNTHETIC, "--faster", "0", status=2)
    error_of("what-if", SYNTHETIC, "--kernel", "a", "--operator", "b", status=2)


run_all(globals())
