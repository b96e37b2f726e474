#!/usr/bin/env python3
"""Tests the lane map at the right edge and the overview at the top: clicks, drags, and resizing."""

import sys

from window import SYNTHETIC, Window, middle, near, run, span


def the_map_scrolls_lanes():
    with Window(SYNTHETIC) as w:
        state = w.still()
        left, top, right, bottom = state["lane_map"]
        assert left >= state["lanes"][2] and bottom - top == state["lanes"][3] - state["lanes"][1], "beside the lanes"
        view = bottom - top
        most = state["layout_height"] - view
        assert most > 0 and state["scroll_y"] == 0
        x = (left + right) / 2
        clicked = w.click(x, bottom - 3)
        assert near(clicked["scroll_y"], most, 1), "a click at the end shows the last lanes"
        assert clicked["selection"] is None and clicked["range"] == state["range"], "and has no other effect"
        assert near(w.click(x, top + 2)["scroll_y"], 0, 1)
        # A dragged window keeps its distance to the pointer, and stops at the ends.
        by = 0.3 * view * view / state["layout_height"]
        dragged = w.drag(x, top + 5, x, top + 5 + by)
        assert near(dragged["scroll_y"], min(most, by / view * state["layout_height"]), 12), dragged["scroll_y"]
        assert near(w.drag(x, top + 5 + by, x, bottom + 200)["scroll_y"], most, 1)
        wheeled = w.wheel(x, (top + bottom) / 2, 4, 2)
        assert wheeled["scroll_y"] < most, "the wheel scrolls over it too"


def the_map_is_hidden_if_all_lanes_are_in_view():
    with Window(SYNTHETIC) as w:
        before = w.still()
        assert before["lane_map"][2] > before["lane_map"][0]
        w.move(*middle(before["lanes"]))
        folded = w.key("shift+space")
        assert folded["lane_map"][2] == folded["lane_map"][0], "all groups are folded"
        assert folded["lanes"][2] > before["lanes"][2], "the lanes take its space"
        assert w.key("shift+space")["lane_map"] == before["lane_map"]


def the_overview_is_clicked_and_resized():
    with Window(SYNTHETIC) as w:
        state = w.still()
        left, top, right, bottom = state["overview"]
        y = (top + bottom) / 2
        begin, end = state["content"]
        length = end - begin
        at = lambda part: left + (right - left) * part  # noqa: E731
        w.move(*middle(state["lanes"]))
        w.hold("w", 0.8)
        view = w.drag(at(0.02), y, at(0.12), y)
        clicked = w.click(at(0.7), y)
        assert near(sum(clicked["range"]) / 2, begin + 0.7 * length, 0.01 * length), "a click centres the view on the clicked time"
        assert near(span(clicked), span(view), 0.001 * length), (view["range"], clicked["range"])
        part = lambda time: (time - begin) / length  # noqa: E731
        wider = w.drag(at(part(clicked["range"][0])), y, at(0.5), y)
        assert near(wider["range"][0], begin + 0.5 * length, 0.01 * length), "its left edge is dragged"
        assert near(wider["range"][1], clicked["range"][1], 0.002 * length), "and the right edge stays"
        narrower = w.drag(at(part(wider["range"][1])), y, at(0.6), y)
        assert near(narrower["range"][1], begin + 0.6 * length, 0.01 * length)
        assert near(narrower["range"][0], wider["range"][0], 0.002 * length)
        back = w.key("alt+Left")
        assert near(span(back), span(wider), 0.002 * length), "and undone"


sys.exit(run([the_map_scrolls_lanes, the_map_is_hidden_if_all_lanes_are_in_view, the_overview_is_clicked_and_resized]))
