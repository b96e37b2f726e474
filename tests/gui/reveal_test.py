#!/usr/bin/env python3
"""Tests that whatever is selected comes into view: from the rows of tables, by search, from links, in folded lanes."""

import os
import sys

from panels_test import ready, table
from window import SYNTHETIC, TRANSFORMER, Window, run

TRACES = os.environ.get("LANESCOPE_TRACES")
TABLES = ("Hotspots", "Kernels", "Operators", "Slices", "Launches", "Synchronisations", "Dead windows", "Critical path")
REAL = ("h100_bert_small.json.gz", "rtx3090_vllm.pt.trace.json.gz")


def traces():
    real = [os.path.join(TRACES, "torch", name) for name in REAL] if TRACES else []
    return [SYNTHETIC, TRANSFORMER, *real]


def click_first_row(w, panel):
    """Clicks on a table's first row; returns the state, or None where the table has no row for a slice."""
    state = w.show_panel(panel)
    w.wait(ready(panel), f"the table of {panel}")
    shown = table(w.still(), panel)
    if not shown["row_count"]:
        return None
    left, _, _, _ = state["panels"][panel]["box"]
    w.key("Escape")
    w.click(left + 60, shown["first_row_y"])
    return w.still()


def the_first_row_of_each_table_comes_into_view():
    selected = 0
    for trace in traces():
        with Window(trace) as w:
            known = w.still()["panels"]
            for panel in TABLES:
                if panel not in known:
                    continue
                state = click_first_row(w, panel)
                if state and state["selection"]:
                    selected += 1
                    assert state["selection"]["in_view"], (trace, panel, state["selection"]["name"])
    assert selected >= 8, selected


def a_match_in_a_folded_lane_comes_into_view():
    with Window(SYNTHETIC) as w:
        state = w.select("gemm")
        lane, depth = state["selection"]["lane"], state["selection"]["depth"]
        head = next(row for row in state["rows"] if row["lane"] == lane and row["depth"] == depth)
        w.key("Escape")
        left = state["lanes"][0]
        w.move(left + 40, head["y"])
        w.key("x")  # hides the lane
        hidden = w.still()
        assert not any(row["lane"] == lane for row in hidden["rows"]), hidden["rows"]
        again = w.select("gemm")
        assert again["selection"]["in_view"], again["selection"]


if __name__ == "__main__":
    sys.exit(run([the_first_row_of_each_table_comes_into_view, a_match_in_a_folded_lane_comes_into_view]))
