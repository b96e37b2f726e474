#!/usr/bin/env python3
"""F12 saves what the window shows; and `screenshot` without a display gives the same picture."""

import os
import subprocess
import sys
import time
import zlib

from window import BIN, SYNTHETIC, TRANSFORMER, Window, run

NEAR = 24  # of 255: a channel that differs by less is the same to the eye
MOST_FAR = 0.0002  # part of the pixels that may differ by more
STATUS = 24  # pixels at the bottom: the load time differs from run to run


def read_png(path):
    """Width, height and the rows of an RGB picture of 8 bits a channel."""
    with open(path, "rb") as file:
        data = file.read()
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[24:26] == b"\x08\x02", data[:26]
    packed, at = b"", 8
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    return width, height, unfiltered(zlib.decompress(packed), width * 3)


def unfiltered(data, stride):
    rows, before = [], bytearray(stride)
    for start in range(0, len(data), stride + 1):
        kind, row = data[start], bytearray(data[start + 1:start + 1 + stride])
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, before))
        elif kind:
            for i in range(stride):
                left = row[i - 3] if i >= 3 else 0
                up, corner = before[i], before[i - 3] if i >= 3 else 0
                row[i] = (row[i] + (left, 0, (left + up) // 2, paeth(left, up, corner))[kind - 1]) & 255
        rows.append(row)
        before = row
    return rows


def paeth(left, up, corner):
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner


def part_that_differs(a, b):
    """Of the pixels above the status bar."""
    assert a[:2] == b[:2], (a[:2], b[:2])
    far = 0
    for p, q in zip(a[2][:-STATUS], b[2][:-STATUS]):
        if p != q:
            far += sum(max(abs(p[i + c] - q[i + c]) for c in range(3)) > NEAR for i in range(0, len(p), 3))
    return far / (a[0] * (a[1] - STATUS))


def saved_by_f12(w):
    w.move(300, 10)  # on the top bar, where nothing answers
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
    return read_png(out)


def f12_saves_what_the_window_shows():
    with Window(SYNTHETIC) as w:
        first = read_png(saved_by_f12(w))
        assert first[:2] == (1600, 1000)
        w.wait(lambda s: not s["message"], "the message to go")
        time.sleep(1.1)  # names of pictures count seconds
        w.key("t")
        light = read_png(saved_by_f12(w))
        assert part_that_differs(first, light) > 0.5, "another theme is another picture"


def without_a_display_the_picture_is_the_same():
    for trace, theme in [(SYNTHETIC, "dark"), (TRANSFORMER, "light")]:
        with Window(trace, "--theme", theme) as w:
            window = read_png(saved_by_f12(w))
            picture = headless(w, trace, "--theme", theme)
            part = part_that_differs(window, picture)
            print(f"        {theme}: {part * 1e6:.0f} of a million pixels differ")
            assert part <= MOST_FAR, part
            other = headless(w, trace, "--theme", theme, "--range", "1ms..2ms")
            assert part_that_differs(window, other) > 10 * MOST_FAR, "another range is seen to differ"


sys.exit(run([f12_saves_what_the_window_shows, without_a_display_the_picture_is_the_same]))
