#!/usr/bin/env python3
"""The Statistics panel: H brings it up, it says what the command line says, and its bars and outliers lead to slices."""

import json
import os
import subprocess
import sys

from panels_test import ready, table
from window import BIN, SYNTHETIC, Window, middle, run


def told(state):
    return state["statistics"]


def select_first_kernel(w):
    """One click on the first row of Kernels."""
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


def h_shows_how_long_the_runs_of_a_kernel_took():
    with Window(SYNTHETIC) as w:
        name = select_first_kernel(w)
        w.key("h")
        state = w.wait(lambda s: s["panels"]["Statistics"]["in_front"] and told(s), "the statistics")
        expected = histogram_of(name)
        assert int(told(state)["figures"]["Count"]) == expected["count"]
        assert sum(bar["count"] for bar in told(state)["bars"]) == expected["count"], told(state)["bars"]
        assert int(told(state)["figures"]["Outliers"]) == len(expected["outliers"])
        w.move(*middle(state["lanes"]))
        w.wait(lambda s: told(s)["comparison"].startswith("This one takes"), "what is said of the kernel")


def a_bar_and_an_outlier_lead_to_their_slices():
    with Window(SYNTHETIC) as w:
        name = select_first_kernel(w)
        w.key("h")
        w.wait(told, "the statistics")
        state = w.still()
        last = told(state)["bars"][-1]
        bar = told(state)["bars"][0]
        first = w.click(bar["x"], bar["y"])
        if bar["count"] > 1:
            again = w.click(bar["x"], bar["y"])
            assert again["selection"]["start"] != first["selection"]["start"], "again: the next of the bar"
            assert again["selection"]["duration"] <= first["selection"]["duration"]
        bar = last
        clicked = w.click(bar["x"], bar["y"])
        expected = histogram_of(name)
        assert clicked["selection"]["name"] == name
        assert clicked["selection"]["duration"] == expected["max_ns"], "the longest of the last bar is the longest of all"
        begin, end = clicked["range"]
        at = clicked["selection"]["start"]
        assert begin <= at and at + clicked["selection"]["duration"] <= end, "it is in view"
        assert first["selection"]["duration"] < expected["max_ns"]
        if expected["outliers"]:
            x, y = told(w.still())["first_outlier"]
            outlier = w.click(x, y)
            assert outlier["selection"]["start"] == expected["outliers"][0]["start_ns"]


def a_marked_range_limits_it_and_nothing_selected_says_so():
    with Window(SYNTHETIC) as w:
        select_first_kernel(w)
        w.key("h")
        every = int(told(w.wait(told, "the statistics"))["figures"]["Count"])
        w.key("r")
        w.wait(lambda s: s["marked"] and told(s) and int(told(s)["figures"]["Count"]) == 1, "this one alone")
        w.key("Escape")
        w.wait(lambda s: not s["marked"] and told(s) and int(told(s)["figures"]["Count"]) == every, "all of them again")
        w.key("Escape")
        w.wait(lambda s: s["selection"] is None and told(s) is None, "no statistics of nothing")


if __name__ == "__main__":
    sys.exit(run([h_shows_how_long_the_runs_of_a_kernel_took, a_bar_and_an_outlier_lead_to_their_slices,
                  a_marked_range_limits_it_and_nothing_selected_says_so]))
