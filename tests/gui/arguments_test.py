#!/usr/bin/env python3
"""Tests the search in arguments that are not stored: the file is read in the background, matches appear meanwhile, and
the search can be stopped."""

import gzip
import json
import os
import sys
import tempfile

from window import SYNTHETIC, Window, middle, run, xdotool


def typed(w, text):
    assert w.key("slash")["search"]["focused"]
    xdotool("type", "--delay", "5", text)
    return w.wait(lambda s: s["search"]["text"] == text, "the text")


def searched(w, text):
    typed(w, text)
    return w.wait(lambda s: not s["search"]["busy"] and s["search"]["count"] is not None, "the search")


def with_argument(part):
    with gzip.open(SYNTHETIC, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    texts = lambda e: [f"{key}={value}".lower() for key, value in e.get("args", {}).items()]  # noqa: E731
    return sum(e["ph"] == "X" and any(part in text for text in texts(e)) for e in events)


def long_trace(folder, rounds):
    """Makes a gzip file that is small but has a long text, so that it takes a while to be read again."""
    filler = "x" * 900
    path = os.path.join(folder, "long.json.gz")
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("[")
        for i in range(rounds):
            file.write("".join(
                f'{{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":{i * 1000 + n * 10},"dur":1,'
                f'"args":{{"serial":{n},"filler":"{filler}"}}}},\n' for n in range(100)))
        file.write('{"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":1e9,"dur":1}]')
    return path


def arguments_are_found_and_stepped_through():
    wanted = with_argument("stream=7")
    assert wanted > 10
    with Window(SYNTHETIC) as w:
        w.still()
        state = searched(w, "args:stream=7")
        assert state["search"]["count"] == wanted, (state["search"], wanted)
        first = w.key("Return")
        assert first["selection"] and first["search"]["status"].startswith("1 of "), first["search"]
        w.key("Escape")
        w.key("Escape")
        narrow = searched(w, "kernel -args:stream=7")
        assert narrow["search"]["count"] < narrow["events"]


def a_long_search_shows_progress_and_can_be_stopped():
    with tempfile.TemporaryDirectory() as folder, Window(long_trace(folder, 3000)) as w:
        w.still()
        for attempt in range(8):  # a fast machine may have read the whole file before the key arrives
            typed(w, f"args:serial={attempt}")
            w.wait(lambda s: s["search"]["reading"] or s["search"]["count"], "the file to be read")
            xdotool("key", "Escape")
            state = w.wait(lambda s: not s["search"]["busy"], "the search to end")
            if "stopped at" in state["search"]["status"]:
                break
            w.key("Escape")
        status = state["search"]["status"]
        assert "stopped at" in status and not state["search"]["reading"], status
        stopped = state["search"]["count"] or 0
        if state["search"]["text"]:
            w.key("Escape")
        whole = searched(w, "args:serial=99")
        assert whole["search"]["count"] == 3000 and stopped < 40000, whole["search"]


def the_button_stops_a_search():
    with tempfile.TemporaryDirectory() as folder, Window(long_trace(folder, 3000)) as w:
        w.still()
        for attempt in range(8):
            before = typed(w, f"args:filler args:serial={attempt}")
            _, y = middle(before["search"]["box"])
            w.wait(lambda s: s["search"]["reading"] or s["search"]["count"], "the file to be read")
            xdotool("mousemove", round(before["search"]["box"][2] - 12), y, "click", 1)
            state = w.wait(lambda s: not s["search"]["busy"], "the search to end")
            if "stopped at" in state["search"]["status"]:
                return
            w.key("Escape")
            w.key("Escape")
        raise AssertionError(f"never stopped: {state['search']}")


sys.exit(run([arguments_are_found_and_stepped_through, a_long_search_shows_progress_and_can_be_stopped,
              the_button_stops_a_search]))
