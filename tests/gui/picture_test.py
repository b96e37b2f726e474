#!/usr/bin/env python3
"""Tests that F12 saves a picture of the window, and that `screenshot` makes the same picture without a display."""

import os
import subprocess
import sys
import time

from window import BIN, SYNTHETIC, TRANSFORMER, Window, run

import png  # beside window.py, which adds the folder of png.py

NEAR = 24  # of 255: a smaller difference of a channel is not visible
MOST_FAR = 0.0002  # fraction of the pixels that may differ by more
STATUS = 24  # pixels at the bottom: the load time differs from run to run


def part_that_differs(a, b):
    """The fraction of the pixels above the status bar that differ."""
    assert a[:2] == b[:2], (a[:2], b[:2])
    far = 0
    for p, q in zip(a[2][:-STATUS], b[2][:-STATUS]):
        if p != q:
            far += sum(max(abs(p[i + c] - q[i + c]) for c in range(3)) > NEAR for i in range(0, len(p), 3))
    return far / (a[0] * (a[1] - STATUS))


def saved_by_f12(w):
    w.move(800, 992)  # on the status bar, where nothing reacts to the pointer
    w.still()
    before = set(os.listdir(w.folder.name))
    w.key("shift+F12")
    state = w.wait(lambda s: ".png" in s["message"], "the message")
    new = [name for name in set(os.listdir(w.folder.name)) - before if name.endswith(".png")]
    assert len(new) == 1 and new[0] in state["message"], (new, state["message"])
    return os.path.join(w.folder.name, new[0])


def headless(w, trace, *options):
    out = os.path.join(w.folder.name, "headless.png")
    subprocess.run([os.path.join(BIN, "lanescope"), "screenshot", trace, "-o", out, "--size", "1600x1000", *options],
                   check=True, env=dict(os.environ, DISPLAY="", LIBGL_ALWAYS_SOFTWARE="1"))
    return png.read(out)


def f12_saves_what_the_window_shows():
    with Window(SYNTHETIC) as w:
        first = png.read(saved_by_f12(w))
        assert first[:2] == (1600, 1000)
        w.wait(lambda s: not s["message"], "the message to disappear")
        time.sleep(1.1)  # names of pictures contain the second
        w.key("t")
        light = png.read(saved_by_f12(w))
        assert part_that_differs(first, light) > 0.5, "another theme is another picture"


def without_a_display_the_picture_is_the_same():
    for trace, theme in [(SYNTHETIC, "dark"), (TRANSFORMER, "light")]:
        with Window(trace, "--theme", theme) as w:
            window = png.read(saved_by_f12(w))
            picture = headless(w, trace, "--theme", theme)
            part = part_that_differs(window, picture)
            print(f"        {theme}: {part * 1e6:.0f} of a million pixels differ")
            assert part <= MOST_FAR, part
            other = headless(w, trace, "--theme", theme, "--range", "1ms..2ms")
            assert part_that_differs(window, other) > 10 * MOST_FAR, "another range gives another picture"


sys.exit(run([f12_saves_what_the_window_shows, without_a_display_the_picture_is_the_same]))
