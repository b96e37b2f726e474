#!/usr/bin/env python3
"""Tests that changes of lanes, view and layout say what they did, and are undone and redone."""

import sys

from window import SYNTHETIC, Window, lanes_of, middle, run, span


def ids(state):
    return [box["id"] for box in lanes_of(state)]


def a_hidden_lane_comes_back():
    with Window(SYNTHETIC) as w:
        before = w.still()
        lane = before["lane_boxes"][0]
        w.move(before["lanes"][0] + 40, lane["y0"] + 30)
        hidden = w.key("x")
        assert lane["id"] not in ids(hidden)
        assert hidden["message"] == f"{lane['name']} is hidden. Ctrl+Z undoes it.", hidden["message"]
        back = w.key("ctrl+z")
        assert ids(back) == ids(before)
        assert back["message"].startswith("Undone: change of lanes."), back["message"]
        assert lane["id"] not in ids(w.key("ctrl+shift+z"))
        assert ids(w.key("ctrl+z")) == ids(before)
        assert w.key("ctrl+z")["message"] == "Nothing to undo."


def the_view_before_a_zoom_comes_back():
    with Window(SYNTHETIC) as w:
        before = w.still()
        w.move(*middle(before["lanes"]))
        zoomed = w.hold("w", 0.4)
        assert span(zoomed) < span(before) * 0.9
        back = w.key("ctrl+z")
        assert abs(span(back) / span(before) - 1) < 0.001, (span(back), span(before))
        again = w.key("ctrl+y")
        assert abs(span(again) / span(zoomed) - 1) < 0.001, (span(again), span(zoomed))


def the_layout_comes_back():
    with Window(SYNTHETIC) as w:
        before = w.still()
        left, top, right, bottom = before["panels"]["Selection"]["box"]
        w.drag(left - 1, (top + bottom) / 2, left - 121, (top + bottom) / 2)
        wider = w.wait(lambda s: s["panels"]["Selection"]["box"][0] < left - 60, "a wider panel")
        w.key("ctrl+z")
        back = w.wait(lambda s: abs(s["panels"]["Selection"]["box"][0] - left) < 3, "the width before")
        assert back["panels"]["Selection"]["box"][2] == right, wider["panels"]["Selection"]


if __name__ == "__main__":
    sys.exit(run([a_hidden_lane_comes_back, the_view_before_a_zoom_comes_back, the_layout_comes_back]))
