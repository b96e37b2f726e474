#!/usr/bin/env python3
"""The cost of every finding on every sample and real trace, compared with a figure that this file computes from the trace's JSON.

Only which steps are steady comes from Lanescope's table of steps. With --table it prints the table of
tests/data/findings_costs.md.
"""
import functools
import gzip
import json
import sys

from findings_figures import FIGURES, SAVED, Figures
from program import ROOT, SAMPLES, has_real_traces, json_of, real_trace, run_all

WITHOUT_COST = ("trace-problems", "profiler-overhead", "graph-breaks", "memory-growth", "near-capacity", "fragmentation")
REVIEWED = ("torch/*.json.gz", "torch/two_ranks/*.json.gz", "torch_cpu/*.json.gz", "compile/*/*.trace.json.gz")


# The synthetic step waits little for its loader, and its softmaxes are short.
SHORT_WAITS = ("--threshold", "dataloader-wait.min_share=0.01", "--threshold", "unfused-attention.min_share=0", "--min-share", "0")


def figures_of(path):
    with gzip.open(path) as file:
        return Figures(json.load(file), json_of("table", "steps", path), json_of("summary", path)["steps"]["pace"])


@functools.cache
def compare(path):
    """(rule, device, cost, low, high) for each finding with a cost; None where no figure is computed."""
    findings = json_of("findings", path, *(SHORT_WAITS if path.is_relative_to(SAMPLES) else ()))
    if not any(f["cost_ns"] is not None for f in findings):
        return []
    figures = figures_of(path)
    rows = []
    for finding in [{**one, **device} for one in findings for device in ({}, *one["also_on"])]:
        if finding["cost_ns"] is None:
            continue
        figure = (SAVED if finding["cost_kind"] == "saved" else FIGURES).get(finding["id"])
        low, high = figure(figures, figures.device(finding["device"]), finding) if figure else (None, None)
        rows.append((finding["id"], finding["device"], finding["cost_ns"], low, high))
    return rows


def all_traces():
    return [path for pattern in REVIEWED for path in sorted(real_trace().glob(pattern))]


def test_every_cost_is_within_a_tenth_of_the_files():
    compared = 0
    wrong = []
    for path in (SAMPLES / "synthetic_step.json.gz", *sorted(SAMPLES.glob("torch_cpu/*.json.gz")), *(all_traces() if has_real_traces() else ())):
        for rule, device, cost, low, high in compare(path):
            assert rule not in WITHOUT_COST, rule
            if low is None:
                wrong.append((path.name, rule, "no figure"))
            elif not 0.9 * low <= cost <= 1.1 * high:
                wrong.append((path.name, rule, device, cost, low, high))
            compared += 1
    assert not wrong, wrong
    assert compared > (80 if has_real_traces() else 7), compared


def table():
    lines = ["| trace | finding | GPU | cost | computed from the file |", "|---|---|---|---|---|"]
    for path in all_traces():
        for rule, device, cost, low, high in compare(path):
            figure = "not computed" if low is None else f"{low / 1e6:.4g} ms" if low == high else f"{low / 1e6:.4g} to {high / 1e6:.4g} ms"
            name = path.name.removesuffix(".json.gz")
            lines.append(f"| {name} | {rule} | {(device or '').removeprefix('GPU ')} | {cost / 1e6:.4g} ms | {figure} |")
    return lines


def test_the_saved_table_has_these_rows():
    saved = (ROOT / "tests" / "data" / "findings_costs.md").read_text(encoding="utf-8").splitlines()
    expected = table()
    begin = saved.index(expected[0])
    written = [line for line in saved[begin:] if line.startswith("|")]
    different = [pair for pair in zip(written, expected) if pair[0] != pair[1]]
    assert written == expected, (len(written), len(expected), different[:5])


if "--table" in sys.argv:
    print("\n".join(table()))
else:
    run_all(globals())
