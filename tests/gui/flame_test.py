#!/usr/bin/env python3
"""Tests the panel Flame graph: zoom by clicks, search, the way to the timeline, keys, a range, and the sandwich."""

import os
import sys

from window import SYNTHETIC, Window, middle, run, type_text


def ready(state):
    return state.get("flame", {}).get("ready")


def flame(w):
    w.wait(ready, "the flame graph")
    return w.still()["flame"]


def press(w, button):
    w.click(*flame(w)["buttons"][button])
    return flame(w)


def box(state, name):
    """The widest box of a name that is in view."""
    found = [b for b in state["boxes"] if b["name"] == name and b["count"] == 1]
    assert found, (name, sorted({b["name"] for b in state["boxes"]}))
    return max(found, key=lambda b: b["box"][2] - b["box"][0])


def width(state, name):
    left, _, right, _ = box(state, name)["box"]
    return right - left


def a_click_zooms_and_a_double_click_leads_to_the_timeline():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        state = flame(w)
        assert (state["source"], state["order"], state["zoomed"]) == ("calls", "left-heavy", None)
        whole = width(state, "ProfilerStep")
        assert 0 < width(state, "aten::linear") < whole / 2
        w.click(*middle(box(state, "aten::linear")["box"]))
        state = flame(w)
        assert state["zoomed"] == "aten::linear" and box(state, "ProfilerStep")["around"]
        assert width(state, "aten::linear") > whole
        assert w.state()["selection"] is None, "a single click leaves the timeline alone"
        state = press(w, "Reset zoom")
        assert state["zoomed"] is None and width(state, "ProfilerStep") == whole
        w.click(*middle(box(state, "aten::linear")["box"]), times=2)
        found = w.wait(lambda s: s["selection"], "the call on the timeline")
        assert found["selection"]["name"] == "aten::linear"
        found = w.still()
        begin = found["selection"]["start"]
        assert found["range"][0] <= begin and begin + found["selection"]["duration"] <= found["range"][1], "it is in view"
        # The panel is limited to the calls inside the selected slice.
        state = press(w, "In selection")
        assert state["total"] <= found["selection"]["duration"] and not any(b["name"] == "ProfilerStep" for b in state["boxes"])


def a_search_dims_everything_else():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        state = press(w, "GPU")
        assert state["source"] == "gpu" and all(b["bright"] for b in state["boxes"])
        w.click(*state["buttons"]["search"])
        type_text(w, "adam", lambda s: s["flame"]["search"])
        state = w.wait(lambda s: ready(s) and s["flame"]["matches"], "the matches")["flame"]
        assert 0 < state["matches"]["nodes"] and 0 < state["matches"]["weight"] < state["total"]
        bright = [b["name"] for b in state["boxes"] if b["bright"]]
        assert bright and all("adam" in name.lower() for name in bright), bright
        assert any(not b["bright"] for b in state["boxes"])


def keys_walk_from_box_to_box():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        flame(w)
        for _ in range(8):
            if w.key("F6")["keys_in"] == "Flame graph":
                break
        state = w.key("Down")["flame"]
        first = state["cursor"]
        assert first, "the first arrow chooses the first box"
        state = w.key("Down")["flame"]
        assert state["cursor"] not in (None, first)
        child = state["cursor"]
        state = w.key("Right")["flame"]
        assert state["cursor"] != first, "its neighbour"
        w.key("Left")
        assert w.key("Up")["flame"]["cursor"] == first
        assert w.key("Down")["flame"]["cursor"] == child
        assert w.key("space")["flame"]["zoomed"] == child
        w.key("Return")
        found = w.wait(lambda s: s["selection"], "the call on the timeline")
        assert found["selection"]["name"].startswith(child), (found["selection"]["name"], child)


def a_range_limits_it_and_esc_shows_all_again():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        whole = flame(w)["total"]
        w.select("aten::linear")
        marked = w.key("r")["marked"]
        state = w.wait(lambda s: ready(s) and s["flame"]["total"] != whole, "the range")["flame"]
        assert 0 < state["total"] <= 3 * (marked["end"] - marked["begin"]), "the time of at most three threads"
        for _ in range(3):  # the search, then the range
            if not w.key("Escape")["marked"]:
                break
        w.wait(lambda s: ready(s) and s["flame"]["total"] == whole, "everything")


def sources_orders_and_the_sandwich():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        state = press(w, "Modules")
        assert state["source"] == "modules" and w.state()["panels"]["Flame graph"]["in_front"], "not the panel Modules"
        assert all(b["name"].startswith("nn.Module") for b in state["boxes"])
        state = press(w, "Time order")
        assert state["order"] == "time order" and state["total"] > 0
        assert press(w, "Samples")["source"] == "modules", "the trace has no samples"
        press(w, "Calls")
        state = press(w, "Sandwich")
        row = next(r for r in state["names"] if r["name"].startswith("aten::"))
        w.click(*row["middle"])
        state = flame(w)
        assert state["chosen"] == row["name"]
        outermost = box(state["callees"], row["name"])["box"]
        assert all(b["box"][1] >= outermost[1] for b in state["callees"]["boxes"]), "callees are below"
        outermost = box(state["callers"], row["name"])["box"]
        callers = [b for b in state["callers"]["boxes"] if b["name"] != row["name"]]
        assert callers and all(b["box"][1] < outermost[1] for b in callers), "callers are above"


def save_writes_a_file_where_the_user_says():
    with Window(SYNTHETIC) as w:
        w.show_panel("Flame graph")
        press(w, "Save")
        press(w, "Folded stacks")
        with open(w.save_as_offered("flame.folded"), encoding="utf-8") as file:
            total = sum(int(line.rsplit(" ", 1)[1]) for line in file)
        assert total == flame(w)["total"]


if __name__ == "__main__":
    sys.exit(run([a_click_zooms_and_a_double_click_leads_to_the_timeline, a_search_dims_everything_else,
                  keys_walk_from_box_to_box, a_range_limits_it_and_esc_shows_all_again, sources_orders_and_the_sandwich,
                  save_writes_a_file_where_the_user_says]))
