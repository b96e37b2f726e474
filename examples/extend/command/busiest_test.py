#!/usr/bin/env python3
"""The example's command, end to end, in a command line of its own."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(os.environ["LANESCOPE_ROOT"], "tests", "app")))
from program import BIN, SAMPLES, error_of, json_of, run_all, text_of  # noqa: E402

EXAMPLE = {"program": BIN / "example_command"}
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def test_it_lists_the_first_lanes_by_busy_time():
    lanes = json_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns")
    assert len(lanes) > 3
    assert json_of("busiest", SYNTHETIC, **EXAMPLE) == lanes[:3]
    assert json_of("busiest", SYNTHETIC, "--top", "1", **EXAMPLE) == lanes[:1]
    step = json_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns", "--range", "step:5")
    assert json_of("busiest", SYNTHETIC, "--range", "step:5", **EXAMPLE) == step[:3] != lanes[:3]


def test_text_is_for_people():
    lines = text_of("busiest", SYNTHETIC, **EXAMPLE).splitlines()
    assert len(lines) == 4 and lines[1].endswith("ms"), lines
    assert "Example:" in text_of("busiest", "--help", **EXAMPLE)


def test_wrong_usage_exits_with_2_and_a_missing_file_with_1():
    assert "number of rows" in error_of("busiest", SYNTHETIC, "--top", "0", status=2, **EXAMPLE)
    assert "no step 99" in error_of("busiest", SYNTHETIC, "--range", "step:99", status=2, **EXAMPLE)
    assert "no-such-file" in error_of("busiest", "no-such-file", status=1, **EXAMPLE)


run_all(globals())
