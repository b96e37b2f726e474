#!/usr/bin/env python3
"""Tests cancelling a load: the window shows a message, and can open another file."""

import gzip
import os
import sys
import tempfile

from window import SYNTHETIC, Window, run, xdotool

EVENT = '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d,"dur":2,"args":{"External id":%d}}'


def write_large(path, megabytes):
    """A compressed trace that takes seconds to read, so that a slow machine has time to cancel it. Writing it is fast:
    16 pieces are compressed once and repeated, as gzip allows."""
    many = 20_000
    pattern = ",\n".join([EVENT] * many)
    pieces = [pattern % tuple(n for i in range(at * many, (at + 1) * many) for n in (i * 3, i)) for at in range(16)]
    packed = [gzip.compress((piece + ",\n").encode(), 1) for piece in pieces]
    with open(path, "wb") as file:
        file.write(gzip.compress(b'{"traceEvents":['))
        for _ in range(megabytes * 1_000_000 // sum(map(len, pieces)) + 1):
            file.write(b"".join(packed))
        file.write(gzip.compress(pieces[0].encode()) + gzip.compress(b"]}"))


def click_cancel(w):
    """Clicks the button at the right end of the card that shows the progress, until the window has taken a click: a busy
    machine may draw no frame between the pointer's move and the click."""
    for _ in range(20):
        state = w.state()
        if not state["loading"]:
            return
        left, _, right, bottom = state["panels"]["Timeline"]["box"]
        w.move((left + right) / 2 + 230 - 52, bottom - 56)
        xdotool("click", 1)
        w.wait_until_handled(state, 2)


def a_running_load_is_cancelled():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.json.gz")
        write_large(path, 2000)
        with Window(path, loaded=False) as w:
            shown = w.wait(lambda s: s["loading"] and "lanes" in s, "the first lanes")
            assert shown["events"] > 0
            click_cancel(w)
            state = w.wait(lambda s: not s["loading"], "the load to end")
            assert state["message"] == "Loading was cancelled: large.json.gz", state["message"]
            assert state["file"] == "" and state["error"] is None and "events" not in state
            assert w.open_by_dialog(SYNTHETIC)["events"] > 1000


def a_running_load_is_cancelled_by_a_key():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.json.gz")
        write_large(path, 2000)
        with Window(path, loaded=False) as w:
            w.wait(lambda s: s["loading"] and "lanes" in s, "the first lanes")
            xdotool("key", "shift+Escape")
            state = w.wait(lambda s: not s["loading"], "the load to end")
            assert state["message"] == "Loading was cancelled: large.json.gz", state["message"]


sys.exit(run([a_running_load_is_cancelled, a_running_load_is_cancelled_by_a_key]))
