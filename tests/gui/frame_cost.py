#!/usr/bin/env python3
"""Checks that loading, searching, colouring and analysing delay no frame by more than 8 ms, because they run in the background.

It measures time, so only `scripts/soak frames` runs it, on an otherwise idle machine."""

import sys

from window import NO_REAL_TRACES, Window, has_real_traces, real_trace, run, xdotool

MAX_MS = 8  # maximum ms for which a frame occupies the window's thread, without painting by OpenGL


def nothing_delays_a_frame():
    with Window(real_trace("torch/v100_memory_nccl.json.gz")) as w:
        costs = {"loaded": w.still()["longest_frame"]}
        w.key("slash")
        xdotool("type", "--delay", "40", "gemm dur>20us")
        w.wait(lambda s: s["search"]["count"], "slices to be found")
        costs["searched"] = w.still()["longest_frame"]
        w.key("Escape")
        w.key("Escape")
        for panel in ("Operators", "Gaps", "Dead windows", "Launches", "Memory", "Roofline"):
            w.show_panel(panel)
            costs[panel] = w.still()["longest_frame"]
        w.key("ctrl+a")
        costs["range"] = w.still()["longest_frame"]
        for _ in range(6):
            w.key("c")
        costs["colours"] = w.still()["longest_frame"]
        w.show_panel("Findings")
        w.choose("ctrl+shift+p", "thresholds of findings")
        w.wait(lambda s: len(s["findings_panel"]["fields"]) > 5, "the list of thresholds")
        costs["thresholds"] = w.still()["longest_frame"]
        print(", ".join(f"{what} {cost['cpu_ms']:.1f} ms" for what, cost in costs.items()))
        assert 0 < costs["thresholds"]["cpu_ms"] <= MAX_MS, costs


if not has_real_traces():
    print(f"SKIPPED: frame_cost: {NO_REAL_TRACES}")
    sys.exit(77)
sys.exit(run([nothing_delays_a_frame]))
