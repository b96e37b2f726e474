#!/usr/bin/env python3
"""lanescope table kernels and table steps, end to end, compared with the sample's JSON."""
import gzip
import json
from decimal import Decimal

from program import SAMPLES, json_of, run_all, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def events(*categories):
    everything = json.loads(gzip.decompress(SYNTHETIC.read_bytes()), parse_float=Decimal)["traceEvents"]
    return [e for e in everything if e["ph"] == "X" and e.get("cat") in categories]


def test_kernels_have_the_counts_and_times_of_the_file():
    expected = {}
    for e in events("kernel", "gpu_memcpy", "gpu_memset"):
        expected.setdefault(e["name"], []).append(int(e["dur"] * 1000))
    rows = {row["name"]: row for row in json_of("table", "kernels", SYNTHETIC)}
    assert rows.keys() == expected.keys()
    for name, durations in expected.items():
        assert rows[name]["calls"] == len(durations), name
        assert rows[name]["total_ns"] == sum(durations), name
        assert rows[name]["min_ns"] == min(durations) and rows[name]["max_ns"] == max(durations), name
    assert abs(sum(row["share"] for row in rows.values()) - 1) < 1e-9


def test_every_grouping_has_the_same_total_time():
    total = sum(row["total_ns"] for row in json_of("table", "kernels", SYNTHETIC))
    assert sum(row["total_ns"] for row in json_of("table", "kernels", SYNTHETIC, "--by", "config")) == total
    assert sum(row["duration_ns"] for row in json_of("table", "kernels", SYNTHETIC, "--by", "instance")) == total


def test_steps_are_the_annotations_of_the_file():
    expected = sorted((e["name"], int(e["dur"] * 1000)) for e in events("user_annotation")
                    if e["name"].startswith("ProfilerStep#"))
    steps = json_of("table", "steps", SYNTHETIC)
    assert sorted((s["name"], s["duration_ns"]) for s in steps) == expected
    assert "ProfilerStep#" in text_of("table", "steps", SYNTHETIC)


run_all(globals())
