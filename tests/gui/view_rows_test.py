#!/usr/bin/env python3
"""Tests that lanes have the rows that the view needs: outer calls in one row, and no empty rows."""

import sys

from window import SYNTHETIC, Window, rows_of, run


def rows(state, lane):
    return [row for row in rows_of(state) if row["lane"] == lane]


def zoomed_to(w, expression):
    """Fits a slice into the view, and clears the selection."""
    state = w.select(expression)
    w.key("f")
    w.still()
    w.key("Escape")
    return w.still(), state["selection"]


def outer_calls_have_one_row_that_a_click_opens():
    with Window(SYNTHETIC) as w:
        w.show_python("all")
        whole = w.still()
        state, selection = zoomed_to(w, "aten::addmm")
        lane, depth = selection["lane"], selection["depth"]
        chain = next(row for row in rows(state, lane) if row["outer"])
        assert chain["outer"] >= 3, chain
        # The innermost call that covers the view has its own row below, here the operator or its caller.
        assert chain["depth"] < depth, (chain, depth)
        assert len(rows(state, lane)) < len(rows(whole, lane)), (rows(state, lane), rows(whole, lane))
        w.click((state["lanes"][0] + state["lanes"][2]) / 2, chain["y"])
        opened = w.still()
        assert opened["selection"]["depth"] == chain["depth"], (opened["selection"], chain)
        assert opened["selection"]["in_view"]
        assert not any(row["outer"] for row in rows(opened, lane)), rows(opened, lane)
        w.key("Escape")
        assert any(row["outer"] for row in rows(w.still(), lane))


def the_parent_of_a_slice_opens_the_outer_calls():
    with Window(SYNTHETIC) as w:
        w.show_python("all")
        state, selection = zoomed_to(w, "aten::addmm")
        lane = selection["lane"]
        state = w.select("aten::addmm")
        chain = next(row for row in rows(state, lane) if row["outer"])
        while w.still()["selection"]["depth"] > chain["depth"]:
            w.key("Up")
        state = w.still()
        assert state["selection"]["in_view"]
        assert not any(row["outer"] for row in rows(state, lane)), rows(state, lane)


def a_view_without_deep_calls_has_no_rows_for_them():
    with Window(SYNTHETIC) as w:
        w.show_python("all")
        whole = w.still()
        lane = w.select("cudaDeviceSynchronize")["selection"]["lane"]
        w.key("f")
        state = w.still()
        assert len(rows(state, lane)) < len(rows(whole, lane)), rows(state, lane)
        assert state["selection"]["in_view"]
        w.choose("ctrl+shift+p", "all rows of lanes")
        assert state["layout_height"] < w.still()["layout_height"]


if __name__ == "__main__":
    sys.exit(run([outer_calls_have_one_row_that_a_click_opens, the_parent_of_a_slice_opens_the_outer_calls,
                  a_view_without_deep_calls_has_no_rows_for_them]))
