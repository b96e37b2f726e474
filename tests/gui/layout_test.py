#!/usr/bin/env python3
"""Panels stay where they were put, until they are sent back; a broken layout file is the user's and stays as it is."""

import os
import sys
import tempfile

from window import SYNTHETIC, Window, middle, near, run


def width(state, panel):
    left, _, right, _ = state["panels"][panel]["box"]
    return right - left


def same_places(a, b):
    for name in a["panels"]:
        assert a["panels"][name]["docked"] == b["panels"][name]["docked"], name
        for p, q in zip(a["panels"][name]["box"], b["panels"][name]["box"]):
            assert near(p, q, 2), (name, a["panels"][name], b["panels"][name])


def widen_selection(w, by):
    left, top, _, bottom = w.still()["panels"]["Selection"]["box"]
    y = (top + bottom) / 2
    return w.drag(left - 1, y, left - 1 - by, y)


def drag_out(w, panel, y):
    """Drags a panel out of its tabs, to a window of its own that begins near the left."""
    x0, y0 = middle(w.still()["panels"][panel]["tab"])
    w.drag(x0, y0, x0 + 60, y)


def panels_are_found_where_they_were_left():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            first = w.still()
            wider = widen_selection(w, 150)
            assert near(width(wider, "Selection"), width(first, "Selection") + 150, 3)
        with Window(SYNTHETIC, config=config) as w:
            same_places(wider, w.still())
            drag_out(w, "Memory", 450)
            floating = w.still()
            assert not floating["panels"]["Memory"]["docked"], floating["panels"]
        with Window(SYNTHETIC, config=config) as w:
            same_places(floating, w.still())
            x0, y0, x1, y1 = floating["panels"]["Memory"]["box"]
            w.drag(*middle(floating["panels"]["Gaps"]["tab"]), (x0 + x1) / 2, (y0 + y1) / 2)
            both = w.still()
            assert both["panels"]["Gaps"]["box"] == both["panels"]["Memory"]["box"], both["panels"]
        with Window(SYNTHETIC, config=config) as w:
            same_places(both, w.still())
            left, top, _, _ = w.state()["panels"]["Selection"]["box"]
            x0, y0, x1, y1 = w.state()["panels"]["Timeline"]["box"]
            w.drag(left + 40, top + 18, (x0 + x1) / 2, (y0 + y1) / 2)
            assert w.still()["panels"]["Timeline"]["box"] == [x0, y0, x1, y1], "the timeline is never a tab among others"
            assert not w.state()["panels"]["Selection"]["docked"]


def reset_layout_brings_back_the_first():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            file.write('{"keys": {"window.reset_layout": "F6"}}')
        with Window(SYNTHETIC, config=config) as w:
            first = w.still()
            widen_selection(w, 80)
            drag_out(w, "Memory", 600)
            assert not w.still()["panels"]["Memory"]["docked"]
            same_places(first, w.key("F6"))
        assert not os.path.exists(os.path.join(config, "lanescope", "layout.json"))
        with Window(SYNTHETIC, config=config) as w:
            same_places(first, w.still())


def a_layout_holds_over_another_file_theme_and_hidden_tables():
    with Window(SYNTHETIC) as w:
        wider = widen_selection(w, 120)
        w.key("t")
        same_places(wider, w.key("t"))
        w.key("q")
        same_places(wider, w.key("q"))


def a_broken_layout_file_is_set_aside_with_a_message():
    with tempfile.TemporaryDirectory() as config:
        folder = os.path.join(config, "lanescope")
        os.makedirs(folder)
        path = os.path.join(folder, "layout.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"layout": 1, "docked": {"tabs": ["Time')
        with Window(SYNTHETIC, config=config) as w:
            told = w.wait(lambda s: s["message"], "a message")["message"]
            assert path in told and "layout.broken-1.json" in told, told
            widen_selection(w, 60)
        with open(os.path.join(folder, "layout.broken-1.json"), encoding="utf-8") as file:
            assert file.read() == '{"layout": 1, "docked": {"tabs": ["Time'
        assert os.path.exists(path), "and the new one is kept under the old name"
        with Window(SYNTHETIC, config=config) as w:
            assert w.still()["message"] == ""


sys.exit(run([panels_are_found_where_they_were_left, reset_layout_brings_back_the_first,
              a_layout_holds_over_another_file_theme_and_hidden_tables,
              a_broken_layout_file_is_set_aside_with_a_message]))
