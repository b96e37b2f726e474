#!/usr/bin/env python3
"""Tests the panel Statistics: H shows it, it agrees with the command line, and its bars and outliers lead to slices."""

import json
import os
import re
import subprocess
import sys

from panels_test import ready, table
from window import BIN, SYNTHETIC, Window, middle, run, traces_here


def statistics(state):
    return state["statistics"]


def select_first_kernel(w):
    """Clicks on the first row of Kernels."""
    w.click_panel("Kernels")
    w.wait(ready("Kernels"), "the kernels")
    state = w.still()
    left, _, _, _ = state["panels"]["Kernels"]["box"]
    w.click(left + 60, table(state, "Kernels")["first_row_y"])
    return w.wait(lambda s: s["selection"], "the kernel")["selection"]["name"]


def histogram_of(name):
    pattern = "^" + "".join("\\" + c if c in ".*+?()[]{}|^$\\" else c for c in name) + "$"
    text = subprocess.run([os.path.join(BIN, "lanescope"), "histogram", SYNTHETIC, "--kernel", pattern, "--format", "json"],
                          check=True, capture_output=True).stdout
    return json.loads(text)


def h_shows_the_durations_of_a_kernel():
    with Window(SYNTHETIC) as w:
        name = select_first_kernel(w)
        w.key("h")
        state = w.wait(lambda s: s["panels"]["Statistics"]["in_front"] and statistics(s), "the statistics")
        expected = histogram_of(name)
        assert int(statistics(state)["figures"]["Count"]) == expected["count"]
        assert sum(bar["count"] for bar in statistics(state)["bars"]) == expected["count"], statistics(state)["bars"]
        assert int(statistics(state)["figures"]["Outliers"]) == len(expected["outliers"])
        w.move(*middle(state["lanes"]))
        w.wait(lambda s: statistics(s)["comparison"].startswith("This one takes"), "the statistics of the kernel")


def table_of(trace, *form):
    return json.loads(subprocess.run([os.path.join(BIN, "lanescope"), "table", "kernels", trace, *form, "--format", "json"], check=True,
                                     capture_output=True).stdout)


def a_node_of_a_graph_has_statistics_over_its_replays():
    for trace in traces_here("torch/a100_rank0_of16.json.gz"):
        nodes = table_of(trace, "--by", "node")
        replays = {}
        for node in nodes:
            replays.setdefault(node["name"], []).append(node["replays"])
        # A kernel that runs only in graphs, in several places.
        kernel = next(row for row in table_of(trace) if re.fullmatch(r"\w+", row["name"]) and len(replays.get(row["name"], ())) > 1
                      and sum(replays[row["name"]]) == row["calls"])
        with Window(str(trace)) as w:
            w.select(f're:^{kernel["name"]}$')
            w.key("h")
            state = w.wait(lambda s: s["panels"]["Statistics"]["in_front"] and statistics(s), "the statistics")
            assert int(statistics(state)["figures"]["Count"]) == kernel["calls"]
            w.click(*statistics(w.still())["node_choice"])
            state = w.wait(lambda s: statistics(s) and int(statistics(s)["figures"]["Count"]) != kernel["calls"], "the node alone")
            assert int(statistics(state)["figures"]["Count"]) in replays[kernel["name"]], (statistics(state)["figures"], replays[kernel["name"]])


def a_bar_and_an_outlier_lead_to_their_slices():
    with Window(SYNTHETIC) as w:
        name = select_first_kernel(w)
        w.key("h")
        w.wait(statistics, "the statistics")
        state = w.still()
        last = statistics(state)["bars"][-1]
        bar = statistics(state)["bars"][0]
        first = w.click(bar["x"], bar["y"])
        if bar["count"] > 1:
            again = w.click(bar["x"], bar["y"])
            assert again["selection"]["start"] != first["selection"]["start"], "a second click selects the bar's next instance"
            assert again["selection"]["duration"] <= first["selection"]["duration"]
        bar = last
        clicked = w.click(bar["x"], bar["y"])
        expected = histogram_of(name)
        assert clicked["selection"]["name"] == name
        assert clicked["selection"]["duration"] == expected["max_ns"], "the longest instance of the last bar is the longest of all"
        begin, end = clicked["range"]
        at = clicked["selection"]["start"]
        assert begin <= at and at + clicked["selection"]["duration"] <= end, "it is in view"
        assert first["selection"]["duration"] < expected["max_ns"]
        if expected["outliers"]:
            x, y = statistics(w.still())["first_outlier"]
            outlier = w.click(x, y)
            assert outlier["selection"]["start"] == expected["outliers"][0]["start_ns"]


def a_marked_range_limits_it_and_nothing_selected_says_so():
    with Window(SYNTHETIC) as w:
        select_first_kernel(w)
        w.key("h")
        every = int(statistics(w.wait(statistics, "the statistics"))["figures"]["Count"])
        w.key("r")
        w.wait(lambda s: s["marked"] and statistics(s) and int(statistics(s)["figures"]["Count"]) == 1, "this one alone")
        w.key("Escape")
        w.wait(lambda s: not s["marked"] and statistics(s) and int(statistics(s)["figures"]["Count"]) == every, "all of them again")
        w.key("Escape")
        w.wait(lambda s: s["selection"] is None and statistics(s) is None, "no statistics of nothing")


if __name__ == "__main__":
    sys.exit(run([h_shows_the_durations_of_a_kernel, a_node_of_a_graph_has_statistics_over_its_replays,
                  a_bar_and_an_outlier_lead_to_their_slices,
                  a_marked_range_limits_it_and_nothing_selected_says_so]))
