#!/usr/bin/env python3
"""Tests that held keys, the wheel and single keys change the visible range as users expect, on a real trace."""

import json
import os
import sys
import time

from window import SYNTHETIC, TRANSFORMER, Window, middle, near, run, span, time_at, xdotool


def zoom_and_pan_with_held_keys():
    with Window(TRANSFORMER) as w:
        whole = w.still()
        x, y = middle(whole["lanes"])
        w.move(x, y)
        start = w.still()
        under = time_at(start, x)
        closer = w.hold("w", 0.6)
        assert span(closer) < span(start) / 2, "W zooms in"
        assert near(time_at(closer, x), under, span(closer) / 200), "and what is under the cursor stays there"
        right = w.hold("d", 0.4)
        assert right["range"][0] > closer["range"][0], "D goes to later times"
        assert near(span(right), span(closer), span(closer) * 1e-6), "and keeps the zoom"
        left = w.hold("a", 0.4)
        assert left["range"][0] < right["range"][0], "A goes to earlier times"
        away = w.hold("s", 0.3)
        assert span(away) > span(left), "S zooms out"


def shift_is_faster():
    with Window(TRANSFORMER) as w:
        w.move(*middle(w.still()["lanes"]))
        w.hold("w", 1.2)
        start = w.still()
        slow = w.hold("d", 0.4)
        w.key("alt+Left")
        xdotool("keydown", "shift")
        before = w.still()
        fast = w.hold("d", 0.4)
        xdotool("keyup", "shift")
        slow_way = slow["range"][0] - start["range"][0]
        fast_way = fast["range"][0] - before["range"][0]
        assert fast_way > 1.5 * slow_way, f"{fast_way} against {slow_way}"


def wheel_scrolls_pans_and_zooms():
    with Window(TRANSFORMER) as w:
        state = w.still()
        x, y = middle(state["lanes"])
        w.move(x, y)
        w.hold("w", 0.8)
        state = w.still()
        under = time_at(state, x)
        closer = w.wheel(x, y, 4, 3, key="ctrl")
        assert span(closer) < span(state) * 0.7, "Ctrl + wheel zooms"
        assert near(time_at(closer, x), under, span(closer) / 200), "at the cursor"
        panned = w.wheel(x, y, 5, 3, key="shift")
        assert panned["range"][0] > closer["range"][0], "Shift + wheel pans"
        assert near(span(panned), span(closer), span(closer) * 1e-6)
    with Window(SYNTHETIC) as w:
        panned = w.still()
        x, y = middle(panned["lanes"])
        scrolled = w.wheel(x, y, 5, 2)
        assert scrolled["scroll_y"] > panned["scroll_y"], "the wheel scrolls lanes"
        assert scrolled["range"] == panned["range"], "and nothing else"


def a_tilted_wheel_pans():
    with Window(TRANSFORMER) as w:
        x, y = middle(w.still()["lanes"])
        w.move(x, y)
        inside = w.hold("w", 0.8)
        per_px = span(inside) / (inside["lanes"][2] - inside["lanes"][0])
        later = w.wheel(x, y, 7, 2)
        assert near(later["range"][0] - inside["range"][0], 180 * per_px, 2 * per_px), "90 pixels a notch"
        assert later["scroll_y"] == inside["scroll_y"]
        assert near(w.wheel(x, y, 6, 2)["range"][0], inside["range"][0], per_px), "and back"
        # At the end of the trace, the rest of a turn has no effect, and is not applied later.
        for _ in range(3):
            end = w.wheel(x, y, 7, 60)
        assert w.wheel(x, y, 7, 5)["range"] == end["range"]
        assert near(end["range"][0] - w.wheel(x, y, 6)["range"][0], 90 * per_px, 2 * per_px)


def directions_of_the_wheel_can_be_reversed():
    with Window(TRANSFORMER) as w:
        x, y = middle(w.still()["lanes"])
        w.move(x, y)
        before = w.hold("w", 0.8)
        w.choose("ctrl+shift+p", "zooms in the other direction")
        assert span(w.wheel(x, y, 5, 2, key="ctrl")) < span(before) * 0.8
        w.choose("ctrl+shift+p", "pan in the other direction")
        before = w.still()
        assert w.wheel(x, y, 5, 2, key="shift")["range"][0] < before["range"][0]
        path = os.path.join(w.config, "lanescope", "settings.json")
        end = time.monotonic() + 10
        settings = {"wheel_pan_reversed": False}
        while time.monotonic() < end and not settings["wheel_pan_reversed"]:
            time.sleep(0.1)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    settings = json.load(file)
        assert settings["wheel_zoom_reversed"] and settings["wheel_pan_reversed"], settings


def home_end_frame_and_history():
    with Window(TRANSFORMER) as w:
        whole = w.still()
        w.move(*middle(whole["lanes"]))
        closer = w.hold("w", 0.8)
        home = w.key("Home")
        assert home["range"][0] <= whole["content"][0], "Home shows the start"
        assert near(span(home), span(closer), span(closer) * 1e-3)
        end = w.key("End")
        assert end["range"][1] >= whole["content"][1] * 0.999, "End shows the end"
        back = w.key("alt+Left")
        assert near(back["range"][0], home["range"][0], span(home) / 100), "Alt + Left goes back"
        again = w.key("alt+Right")
        assert near(again["range"][0], end["range"][0], span(end) / 100), "Alt + Right goes forward"
        framed = w.key("f")
        assert near(span(framed), whole["content"][1] - whole["content"][0], span(framed) * 0.02), "F frames all"


def switches():
    with Window(TRANSFORMER) as w:
        assert w.still()["theme"] == "dark"
        assert w.key("t")["theme"] == "light"
        assert w.key("l")["legend_shown"]
        assert not w.key("Escape")["legend_shown"]
        assert w.key("question")["help_shown"]
        assert not w.key("question")["help_shown"]
        shown = w.still()
        hidden = w.key("q")
        assert not hidden["tables_shown"]
        assert hidden["lanes"][3] > shown["lanes"][3], "the lanes take the space"
        assert w.key("q")["lanes"] == shown["lanes"]
        assert w.key("ctrl+o")["dialog_shown"]
        assert not w.key("Escape")["dialog_shown"]


sys.exit(run([zoom_and_pan_with_held_keys, shift_is_faster, wheel_scrolls_pans_and_zooms, a_tilted_wheel_pans,
              directions_of_the_wheel_can_be_reversed, home_end_frame_and_history,
              switches]))
