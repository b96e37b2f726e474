#!/usr/bin/env python3
"""lanescope histogram, end to end."""
import csv
import io

from program import SAMPLES, error_of, json_of, run_all, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
ALL_KERNELS = ("histogram", SYNTHETIC, "--kernel", ".*")


def test_every_kernel_is_counted_in_one_bin():
    histogram = json_of(*ALL_KERNELS)
    calls = sum(row["calls"] for row in json_of("table", "kernels", SYNTHETIC))
    assert sum(histogram["counts"]) == histogram["count"] == calls
    assert len(histogram["edges_ns"]) == len(histogram["counts"]) + 1
    rows = list(csv.DictReader(io.StringIO(text_of(*ALL_KERNELS, "--format", "csv"))))
    assert [int(row["count"]) for row in rows] == histogram["counts"]


def test_text_draws_bars():
    assert "█" in text_of(*ALL_KERNELS)
    assert text_of(*ALL_KERNELS, "--format", "md").startswith("| from |")


def test_operators_have_a_histogram_too():
    assert json_of("histogram", SYNTHETIC, "--operator", "^aten::")["count"] > 0


def test_a_pattern_without_matches_is_wrong_usage():
    assert "no such kernel" in error_of("histogram", SYNTHETIC, "--kernel", "no such kernel", status=2)
    assert "regular expression" in error_of("histogram", SYNTHETIC, "--kernel", "(", status=2)
    error_of("histogram", SYNTHETIC, status=2)


run_all(globals())
