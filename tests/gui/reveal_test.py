#!/usr/bin/env python3
"""Tests that whatever is selected comes into view: from the rows of tables, by search, from links, in folded
and hidden lanes. With LANESCOPE_EVERY_TRACE set (scripts/soak places), in every real trace; else in a few."""

import functools
import os
import subprocess
import sys
import time

from first_view_test import facts_of, real_traces
from panels_test import ready, table
from window import SYNTHETIC, TRANSFORMER, Window, has_real_traces, middle, rows_of, run, traces_here

TABLES = ("Hotspots", "Kernels", "Operators", "Slices", "Launches", "Synchronisations", "Dead windows", "Critical path")
REAL = ("h100_bert_small.json.gz", "rtx3090_vllm.pt.trace.json.gz")
EVERY = bool(os.environ.get("LANESCOPE_EVERY_TRACE"))


def has_slices(trace):
    facts = facts_of(trace)
    return bool(facts) and bool(facts["complete_by_category"]) and "/edge/" not in trace


def traces():
    if EVERY and has_real_traces():
        return [SYNTHETIC, TRANSFORMER, *every_real_trace()]
    return [SYNTHETIC, TRANSFORMER, *traces_here(*(f"torch/{name}" for name in REAL))]


@functools.cache
def every_real_trace():
    return [trace for trace in real_traces() if has_slices(trace)]


def select_work(w, trace):
    """Selects a kernel, or what the program itself did."""
    facts = facts_of(trace)
    return w.select("kind:kernel" if facts["gpu_activities"] else "kind:op" if facts["complete_by_category"].get("cpu_op") else "dur>0")


def click_first_row(w, panel):
    """Clicks on a table's first row; returns the state afterwards, or None if the table has no row."""
    w.key("Escape")  # a table scrolls to the row of what is selected
    w.show_panel(panel)
    w.wait(ready(panel), f"the table of {panel}")
    before = w.still()
    left, _, _, _ = before["panels"][panel]["box"]
    shown = table(before, panel)
    if not shown["row_count"]:
        return None
    w.click(left + 60, shown["first_row_y"])
    end = time.monotonic() + 5  # a few rows lead nowhere
    while not leads_somewhere(before, w.state()) and time.monotonic() < end:
        time.sleep(0.05)
    return w.still()


def leads_somewhere(before, state):
    return state["selection"] or state["range"] != before["range"]


def the_first_row_of_each_table_comes_into_view():
    selected = {}  # panels whose first row selected a slice, by trace
    for trace in traces() if EVERY else traces()[:3]:
        with Window(trace) as w:
            known = w.still()["panels"]
            for panel in TABLES:
                if panel not in known:
                    continue
                state = click_first_row(w, panel)
                if state and state["selection"]:
                    selected.setdefault(trace, []).append(panel)
                    assert state["selection"]["in_view"], (trace, panel, state["selection"]["name"])
    # A dead window is a range, which the view shows.
    assert selected[SYNTHETIC] == [panel for panel in TABLES if panel != "Dead windows"], selected
    assert len(selected) > (2 if has_real_traces() else 1), selected


def scroll_away(w, state):
    for area in ("lanes", "pinned_area"):
        w.wheel(*middle(state[area]), 5, 25)
    w.key("Home")


def identity(selection):
    return selection["lane"], selection["depth"], selection["name"], selection["arguments"]


def the_ends_of_links_come_into_view():
    followed = 0
    for trace in traces():
        with Window(trace) as w:
            w.still()
            state = select_work(w, trace)
            for key in ("bracketleft", "bracketright", "bracketleft"):
                before = state["selection"]
                scroll_away(w, state)
                state = w.key(key)
                state = w.wait(lambda s: not s["moving"], "the view to arrive")
                # Without a link the selection stays, where the wheel has left it.
                if not state["selection"] or identity(state["selection"]) == identity(before):
                    break
                followed += 1
                assert state["selection"]["in_view"], (trace, key, state["selection"])
    assert followed >= 3, followed


def notes_come_into_view():
    for trace in traces() if EVERY else traces()[:3]:
        with Window(trace) as w:
            w.still()
            select_work(w, trace)
            w.key("f")
            w.key("shift+m")
            w.wait(lambda s: s["notes"]["editing"] is not None, "the field")
            subprocess.run(["xdotool", "type", "--delay", "25", "here"], check=True)
            w.key("Return")
            note = w.wait(lambda s: s.get("notes", {}).get("list"), "the note")["notes"]["list"][0]
            w.key("Escape")
            scroll_away(w, w.still())
            begin, end = w.still()["range"]
            for _ in range(40):  # any view of the whole trace shows a note of nearly the whole trace, so the view must be smaller
                if not begin <= note["begin"] <= note["end"] <= end:
                    break
                begin, end = w.key("w")["range"]
            assert not begin <= note["begin"] <= note["end"] <= end, (trace, begin, end, note)
            w.show_panel("Notes")
            panel = w.still()["panels"]["Notes"]
            w.click(panel["box"][0] + 60, panel["tab"][3] + 18)
            state = w.wait(lambda s: not s["moving"], "the view to arrive")
            begin, end = state["range"]
            assert begin <= note["begin"] <= note["end"] <= end, (trace, state["range"], note)


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
    sys.exit(run([the_first_row_of_each_table_comes_into_view, the_ends_of_links_come_into_view,
                  notes_come_into_view, a_match_in_a_lane_out_of_view_comes_into_view]))
