#!/usr/bin/env python3
"""Tests that whatever is selected comes into view: from the rows of tables, by search, from links, in folded
and hidden lanes."""

import os
import sys

from panels_test import ready, table
from window import SYNTHETIC, TRANSFORMER, Window, middle, rows_of, run

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


def a_match_in_a_lane_out_of_view_comes_into_view():
    with Window(SYNTHETIC) as w:
        w.show_python("all")  # so that rows are named by the depths of the file
        # One of a pinned lane, and one of the main area. A lane may be hidden, folded, or scrolled away.
        for expression in ("gemm", "kind:op aten::addmm"):
            for way in ("x", "space", "shift+space", "wheel"):
                state = w.select(expression)
                lane, depth = state["selection"]["lane"], state["selection"]["depth"]
                head = next(row for row in rows_of(state) if row["lane"] == lane and row["depth"] == depth)
                w.key("Escape")
                if way == "wheel":
                    for area in ("lanes", "pinned_area"):
                        w.wheel(*middle(state[area]), 5, 25)
                    w.key("Home")
                else:
                    left = state["lanes"][0]
                    w.move(left + 40, head["y"])
                    w.key(way)
                if way in ("x", "space"):
                    rows = rows_of(w.still())
                    assert not any(row["lane"] == lane and row["depth"] == depth for row in rows), (way, rows)
                again = w.select(expression)
                assert again["selection"]["in_view"], (way, again["selection"])
                assert any(row["lane"] == lane for row in rows_of(again)), (way, rows_of(again))


if __name__ == "__main__":
    sys.exit(run([the_first_row_of_each_table_comes_into_view, a_match_in_a_lane_out_of_view_comes_into_view]))
