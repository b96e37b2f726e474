#!/usr/bin/env python3
"""Loading, searching, colouring and analysing keep no frame for more than 8 ms: they run in the background.

It measures time, so `scripts/soak frames` runs it, on a machine that does nothing else; no test does."""

import os
import sys

from window import Window, run, xdotool

TRACES = os.environ.get("LANESCOPE_TRACES")
MOST = 8  # ms that a frame keeps the window's thread, painting by OpenGL left out


def nothing_keeps_a_frame():
    with Window(os.path.join(TRACES, "torch", "v100_memory_nccl.json.gz")) as w:
        told = {"loaded": w.still()["longest_frame"]}
        w.key("slash")
        xdotool("type", "--delay", "40", "gemm dur>20us")
        w.wait(lambda s: s["search"]["count"], "slices to be found")
        told["searched"] = w.still()["longest_frame"]
        w.key("Escape")
        w.key("Escape")
        for panel in ("Operators", "Gaps", "Dead windows", "Launches", "Memory", "Roofline"):
            w.show_panel(panel)
            told[panel] = w.still()["longest_frame"]
        w.key("ctrl+a")
        told["range"] = w.still()["longest_frame"]
        for _ in range(6):
            w.key("c")
        told["colours"] = w.still()["longest_frame"]
        print(", ".join(f"{what} {cost['cpu_ms']:.1f} ms" for what, cost in told.items()))
        assert 0 < told["colours"]["cpu_ms"] <= MOST, told


if not TRACES:
    print("SKIPPED: frame_cost: LANESCOPE_TRACES does not name a folder of traces")
    sys.exit(77)
sys.exit(run([nothing_keeps_a_frame]))
