#!/usr/bin/env python3
"""Tests two fingers on a touchpad: a fraction of a notch moves the timeline at once by that fraction, and no notch
counts twice."""

import json
import math
import os
import sys
import tempfile

from touchpad import NoServer, Touchpad
from window import SYNTHETIC, TRANSFORMER, Window, middle, near, run, span, xdotool

PART = 1 / 16
fingers = None


def each_part_of_a_notch_scrolls():
    with Window(SYNTHETIC) as w:
        x, y = middle(w.still()["lanes"])
        w.move(x, y)
        notch = w.wheel(x, y, 5)["scroll_y"]
        assert notch > 0 and w.wheel(x, y, 4)["scroll_y"] == 0, "a wheel beside it turns by whole notches"
        for parts in range(1, 5):
            fingers.scroll(along=PART)
            at = w.wait(lambda s: s["scroll_y"] >= parts * PART * notch - 1e-6, f"{parts} parts of a notch")["scroll_y"]
            assert near(at, parts * PART * notch, 1e-6), (at, parts, notch)
        fingers.swipe(28, along=28 * PART)
        assert near(w.still()["scroll_y"], 32 * PART * notch, 1e-6), "the notches that the server derives are ignored"
        assert near(w.wheel(x, y, 4)["scroll_y"], 16 * PART * notch, 1e-6), "but notches of the wheel are not"
        fingers.swipe(16, along=-16 * PART)
        assert near(w.still()["scroll_y"], 0, 1e-6), "and back"


def sideways_fingers_pan_and_with_ctrl_fingers_zoom():
    with Window(TRANSFORMER) as w:
        x, y = middle(w.still()["lanes"])
        w.move(x, y)
        start = w.hold("w", 0.8)
        per_px = span(start) / (start["lanes"][2] - start["lanes"][0])
        fingers.swipe(20, across=1.25)
        later = w.still()
        assert near(later["range"][0] - start["range"][0], 1.25 * 90 * per_px, 2 * per_px), "90 pixels a notch"
        assert later["scroll_y"] == start["scroll_y"]
        notch = span(w.wheel(x, y, 4, key="ctrl")) / span(later)
        before = w.still()
        # Keys and fingers reach the window on two connections: each waits until the window has seen the other.
        xdotool("keydown", "ctrl")
        w.wait_until_handled(before, 1)
        fingers.swipe(8, along=-0.5)
        w.still()
        xdotool("keyup", "ctrl")
        assert near(math.log(span(w.still()) / span(before)), 0.5 * math.log(notch), 1e-3), notch


def fingers_elsewhere_do_nothing():
    with tempfile.TemporaryDirectory() as config:
        os.mkdir(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"window_width": 900, "window_height": 600}, file)
        with Window(SYNTHETIC, config=config) as w:
            x, y = middle(w.still()["lanes"])
            w.move(1500, 900)
            fingers.swipe(16, along=1)
            w.move(x, y)
            assert w.still()["scroll_y"] == 0
            fingers.scroll(along=PART)
            assert 0 < w.wait(lambda s: s["scroll_y"] > 0, "the list inside is scrolled")["scroll_y"] < 10



try:
    with Touchpad() as fingers:
        status = run([each_part_of_a_notch_scrolls, sideways_fingers_pan_and_with_ctrl_fingers_zoom, fingers_elsewhere_do_nothing])
except NoServer as why:
    print(f"SKIPPED: touchpad_test: {why}")
    status = 77
sys.exit(status)
