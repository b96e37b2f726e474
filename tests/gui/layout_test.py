#!/usr/bin/env python3
"""Tests that panels stay where the user put them until the layout is reset, and that a broken layout file is kept."""

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
    """Drags a panel out of its group into a window of its own."""
    w.click_panel(panel)
    x0, y0 = middle(w.still()["panels"][panel]["tab"])
    w.drag(x0, y0, x0 + 300, y)


def the_layout_of_panels_is_kept():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            first = w.still()
            wider = widen_selection(w, 150)
            assert near(width(wider, "Selection"), width(first, "Selection") + 150, 3)
        with Window(SYNTHETIC, config=config) as w:
            same_places(wider, w.still())
            drag_out(w, "Gaps", 200)
            floating = w.still()
            assert not floating["panels"]["Gaps"]["docked"], floating["panels"]
            other_tabs = floating["panels"]["Dead windows"]["tab"]
            assert floating["panels"]["Gaps"]["box"][3] < other_tabs[1], "the other tabs can be seen"
        with Window(SYNTHETIC, config=config) as w:
            same_places(floating, w.still())
            x0, y0, x1, y1 = floating["panels"]["Gaps"]["box"]
            w.click_panel("Dead windows")
            w.drag(*middle(w.still()["panels"]["Dead windows"]["tab"]), (x0 + x1) / 2, (y0 + y1) / 2)
            both = w.still()
            assert both["panels"]["Dead windows"]["box"] == both["panels"]["Gaps"]["box"], both["panels"]
        with Window(SYNTHETIC, config=config) as w:
            same_places(both, w.still())
            x0, y0, x1, _ = w.state()["panels"]["Gaps"]["box"]
            x = (x0 + x1) / 2
            uncovered = w.drag(x, y0 + 16, x, y0 + 356)
            timeline = uncovered["panels"]["Timeline"]["box"]
            assert uncovered["panels"]["Gaps"]["box"][1] > middle(timeline)[1], "the middle of the timeline can be seen"
            left, top, _, _ = w.state()["panels"]["Selection"]["box"]
            x0, y0, x1, y1 = w.state()["panels"]["Timeline"]["box"]
            w.drag(left + 40, top + 18, (x0 + x1) / 2, (y0 + y1) / 2)
            assert w.still()["panels"]["Timeline"]["box"] == [x0, y0, x1, y1], "the timeline is never a tab among others"
            assert not w.state()["panels"]["Selection"]["docked"]


def reset_layout_restores_the_default():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            file.write('{"keys": {"window.reset_layout": "F6"}}')
        with Window(SYNTHETIC, config=config) as w:
            first = w.still()
            widen_selection(w, 80)
            drag_out(w, "Gaps", 600)
            assert not w.still()["panels"]["Gaps"]["docked"]
            same_places(first, w.key("F6"))
        assert not os.path.exists(os.path.join(config, "lanescope", "layout.json"))
        with Window(SYNTHETIC, config=config) as w:
            same_places(first, w.still())


def a_layout_stays_with_another_file_theme_and_hidden_tables():
    with Window(SYNTHETIC) as w:
        wider = widen_selection(w, 120)
        w.key("t")
        same_places(wider, w.key("t"))
        w.key("q")
        same_places(wider, w.key("q"))


def a_broken_layout_file_is_renamed_with_a_message():
    with tempfile.TemporaryDirectory() as config:
        folder = os.path.join(config, "lanescope")
        os.makedirs(folder)
        path = os.path.join(folder, "layout.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"layout": 1, "docked": {"tabs": ["Time')
        with Window(SYNTHETIC, config=config) as w:
            notice = w.wait(lambda s: s["message"], "a message")["message"]
            assert path in notice and "layout.broken-1.json" in notice, notice
            widen_selection(w, 60)
        with open(os.path.join(folder, "layout.broken-1.json"), encoding="utf-8") as file:
            assert file.read() == '{"layout": 1, "docked": {"tabs": ["Time'
        assert os.path.exists(path), "and the new layout is saved under the original name"
        with Window(SYNTHETIC, config=config) as w:
            assert w.still()["message"] == ""


sys.exit(run([the_layout_of_panels_is_kept, reset_layout_restores_the_default,
              a_layout_stays_with_another_file_theme_and_hidden_tables,
              a_broken_layout_file_is_renamed_with_a_message]))
