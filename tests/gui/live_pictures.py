#!/usr/bin/env python3
"""Makes the pictures of a live capture in docs/capture.md, with a real program: `live_pictures.py FOLDER` (see
scripts/pictures)."""
import os
import pathlib
import struct
import subprocess
import sys
import time

from window import Window, type_text, xdotool

import png  # beside window.py, which adds the folder of png.py

PROGRAM = "annotated_c"  # on the PATH


def take(w, out, name):
    """Saves the window as it is on the screen, without the message that the previous picture was saved."""
    folder = pathlib.Path(w.folder.name)
    time.sleep(0.3)
    xdotool("key", "shift+F12")
    end = time.monotonic() + 15
    while not (made := sorted(folder.glob("*.png"))) or made[-1].stat().st_size == 0:
        if time.monotonic() > end:
            raise SystemExit(f"live_pictures.py: {name} was not made")
        time.sleep(0.1)
    time.sleep(0.3)
    os.replace(made[-1], out / f"{name}.png")


def take_of_screen(w, out, name):
    """While a dialog is open, F12 goes to the dialog: then the picture comes from the screen of tests/gui/with_screen."""
    window = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(w.process.pid)], check=True,
                            capture_output=True, text=True).stdout.split()[-1]
    place = subprocess.run(["xdotool", "getwindowgeometry", "--shell", window], check=True, capture_output=True, text=True)
    x, y, width, height = (int(line.partition("=")[2]) for line in place.stdout.splitlines()[1:5])
    time.sleep(0.5)
    rows = [row[3 * x:3 * (x + width)] for row in screen()[y:y + height]]
    png.write(out / f"{name}.png", rows)


def screen():
    """Returns the rows of the screen, three bytes a pixel, from Xvfb's file in the format of `xwd`."""
    data = pathlib.Path(os.environ["LANESCOPE_SCREEN"]).read_bytes()
    header = struct.unpack_from(">25I", data)
    begin, (width, height), bits, stride, colors = header[0], header[4:6], header[11], header[12], header[19]
    assert bits == 32, f"the screen has {bits} bits a pixel"
    rows = []
    for at in range(begin + 12 * colors, begin + 12 * colors + height * stride, stride):
        pixels, row = data[at:at + 4 * width], bytearray(3 * width)
        row[0::3], row[1::3], row[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]  # blue, green, red and an unused byte
        rows.append(bytes(row))
    return rows


def main():
    out = pathlib.Path(sys.argv[1]).absolute()
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        xdotool("key", "ctrl+shift+r")
        w.wait(lambda s: s["record"], "the dialog")
        type_text(w, f"{PROGRAM} training 30", lambda s: (s["record"] or {}).get("command"))
        take_of_screen(w, out, "record_dialog")
        xdotool("key", "Return")
        w.wait(lambda s: s["following"] and s.get("events") and s["content"][1] > 2e9, "two seconds")
        _, _, right, bottom = w.state()["panels"]["Selection"]["box"]
        w.move(right - 20, bottom - 20)  # where it shows no card
        take(w, out, "record_follow")
        xdotool("key", "ctrl+shift+p")
        w.wait(lambda s: s["palette"], "the palette")
        xdotool("type", "--delay", "60", "panel steps")
        w.wait(lambda s: s["palette"] and "Steps" in str(s["palette"]["lines"][:1]), "the panel's line")
        xdotool("key", "Return")
        state = w.state()
        lanes = state["lanes"]
        w.wait(lambda s: s["following"]["tables"] and s["content"][1] > 5e9, "five seconds")
        w.move(lanes[0] + (lanes[2] - lanes[0]) * 0.8, (lanes[1] + lanes[3]) / 2)
        xdotool("keydown", "w")
        w.wait(lambda s: s["target_range"][1] - s["target_range"][0] < 3e7, "the hand's zoom")
        xdotool("keyup", "w")
        row = next(r for r in w.state()["rows"] if r["lane"] == "trainer" and r["depth"] == 2)
        w.move(lanes[0] + (lanes[2] - lanes[0]) * 0.8, row["y"])
        xdotool("click", 1)
        w.wait(lambda s: s["selection"], "the selection")
        w.move(lanes[0] + 60, lanes[3] - 60)
        time.sleep(1.5)
        take(w, out, "record_hand")
        x, y = w.state()["following"]["places"]["Stop"]
        w.move(x, y)
        xdotool("click", 1)
        w.wait(lambda s: not s["following"] and not s["loading"], "the end")


main()
