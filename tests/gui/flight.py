#!/usr/bin/env python3
"""flight.py [--minutes N] [--seed N] [--any-memory] [TRACE]: sends random keys, wheel
turns and clicks to the real window, and reports whether the window survives and its memory stays constant. If the window
ends, the last inputs are printed. For scripts/soak; not one of the ordinary tests."""

import argparse
import collections
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

import window
from window import SYNTHETIC, Window

KEYS = ["f", "g", "shift+g", "h", "c", "l", "q", "r", "m", "Delete", "Home", "End", "Up", "Down", "Left", "Right", "period",
        "comma", "bracketleft", "bracketright", "alt+Left", "alt+Right", "ctrl+a", "ctrl+shift+a", "BackSpace", "Escape",
        "Escape", "t", "F5", "F6", "k", "shift+k", "shift+k", "e", "b", "x", "shift+x", "p", "space", "shift+space", "y", "u",
        "shift+f", "F3", "shift+F3", "Return", "BackSpace", "shift+BackSpace"]
HELD = ["w", "s", "a", "d", "shift+w", "shift+d"]
MAY_GROW = 24 << 20  # bytes by which memory may grow from the first third of a flight to the last: caches fill, and the allocator keeps some

inputs = collections.deque(maxlen=60)  # the last inputs, each with its time


def xdotool(*words):
    inputs.append(f"{time.strftime('%H:%M:%S')} {' '.join(str(w) for w in words)}")
    window.xdotool(*words)


def private_bytes(process):
    """Anonymous memory; pages of the file do not count."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon")


def fly(w, chance):
    left, top, right, bottom = w.state().get("lanes") or (200, 120, 1200, 700)
    x, y = chance.uniform(left + 5, right - 5), chance.uniform(top + 5, bottom - 5)
    kind = chance.random()
    if kind < 0.45:
        xdotool("mousemove", round(x), round(y))
        key = chance.choice(HELD)
        xdotool("keydown", *key.split("+"))
        time.sleep(chance.uniform(0.05, 0.6))
        xdotool("keyup", *key.split("+"))
    elif kind < 0.6:
        xdotool("mousemove", round(x), round(y), "click", "--repeat", chance.randint(1, 5), "--delay", 20, chance.choice([4, 5]))
    elif kind < 0.75:
        xdotool("mousemove", round(x), round(y), "click", "--repeat", chance.choice([1, 1, 2]), "--delay", 40, 1)
    elif kind < 0.82:
        xdotool("mousemove", round(x), round(y), "mousedown", 1)
        xdotool("mousemove", round(chance.uniform(left, right)), round(chance.uniform(top, bottom)), "mouseup", 1)
    elif kind < 0.88:
        tab = chance.choice(list(w.state()["panels"].values()) or [None])
        if tab and tab["docked"] and tab["tab"][0] >= 0:  # not a tab that is scrolled out of view
            box = tab["tab"]
            xdotool("mousemove", round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2), "click", 1)
    else:
        xdotool("key", chance.choice(KEYS))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", default=SYNTHETIC)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--any-memory", action="store_true", help="memory is not checked: a sanitizer keeps freed memory")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}, {options.minutes:g} minutes through {os.path.basename(options.trace)}", flush=True)
    samples = []
    # A copy, because notes are stored beside their trace.
    with tempfile.TemporaryDirectory(prefix="lanescope_flight_") as folder, \
            Window(shutil.copy(options.trace, folder)) as w:
        end = time.monotonic() + 60 * options.minutes
        next_report = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                for _ in range(10):
                    fly(w, chance)
            except AssertionError as ended:
                raise AssertionError("\n  ".join([str(ended), "after", *inputs])) from None
            assert w.process.poll() is None, "\n  ".join([f"the viewer ended with {w.process.returncode}, after", *inputs])
            samples.append(private_bytes(w.process))
            if time.monotonic() > next_report:
                next_report += 60
                print(f"  {samples[-1] / (1 << 20):.1f} MiB", flush=True)
        xdotool("key", "Escape")
        w.still()
    third = max(1, len(samples) // 3)
    first, last = statistics.median(samples[:third]), statistics.median(samples[-third:])
    print(f"private memory: {first / (1 << 20):.1f} MiB in the first third, {last / (1 << 20):.1f} in the last, "
          f"{max(samples) / (1 << 20):.1f} at most")
    assert options.any_memory or last - first <= MAY_GROW, "memory grew"


sys.exit(main())
