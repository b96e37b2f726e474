#!/usr/bin/env python3
"""Tests opening files, also broken ones, recent files, and that an idle window uses no CPU."""

import json
import os
import re
import shutil
import sys
import tempfile
import time

from window import SYNTHETIC, TRANSFORMER, Window, run, xdotool


def cpu_ticks(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def the_window_reports_a_broken_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "broken.json")
        with open(path, "wb") as file:
            file.write(b"\x00\x01\x02 this is no trace \xff" * 10)
        with Window(path) as w:
            error = w.wait(lambda s: s["error"], "the error")["error"]
            assert path in error["text"], error
            state = w.key("Escape")
            assert state["error"] is None


def the_window_reports_a_missing_file():
    with Window("/nowhere/at/all.json") as w:
        error = w.wait(lambda s: s["error"], "the error")["error"]
        assert "/nowhere/at/all.json" in error["text"]


def a_truncated_file_shows_its_complete_events():
    import gzip
    with gzip.open(TRANSFORMER) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.json")
        with open(path, "wb") as file:
            file.write(text[: len(text) // 2])
        with Window(path) as w:
            state = w.wait(lambda s: "events" in s, "the half trace")
            assert state["error"] is None
            assert state["events"] > 1000
            assert state["warnings"] > 0


def the_dialog_opens_a_typed_path_and_it_becomes_recent():
    with Window() as w:
        assert w.still()["file"] == ""
        state = w.open_by_dialog(SYNTHETIC)
        assert state["events"] > 1000
        with open(os.path.join(w.folder.name, "lanescope", "settings.json"), encoding="utf-8") as file:
            assert json.load(file)["recent_files"] == [SYNTHETIC]


def the_table_in_front_is_not_empty():
    def in_front(w):
        shown = [name for name, panel in w.still()["panels"].items() if panel["in_front"]]
        return [name for name in shown if name not in ("Timeline", "Selection")]

    events = [{"ph": "X", "pid": 1, "tid": 1, "name": "work", "ts": 10 * i, "dur": 5} for i in range(100)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "other.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        config = os.path.join(folder, "config")
        with Window(path, config=config) as w:
            assert in_front(w) == ["Slices"]
            w.open_by_dialog(TRANSFORMER)
            assert in_front(w) == ["Operators"]
            w.open_by_dialog(SYNTHETIC)
            assert in_front(w) == ["Hotspots"]
            w.open_by_dialog(path)
            assert in_front(w) == ["Slices"]
        assert not os.path.exists(os.path.join(config, "lanescope", "layout.json")), "nobody moved anything"
        with Window(SYNTHETIC, config=config) as w:
            w.show_panel("Sections")
            w.open_by_dialog(path)
            assert in_front(w) == ["Sections"], "the chosen table stays"
            w.show_panel("Kernels")
            assert in_front(w) == ["Kernels"], "although it is empty"
            w.open_by_dialog(TRANSFORMER)
            assert in_front(w) == ["Operators"], "an empty panel is never in front at first"


def a_stray_event_does_not_determine_the_first_view():
    day = 86_400e6
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": "work", "ts": day + 10 * i, "dur": 5} for i in range(1000)]
    events.append({"ph": "X", "pid": 1, "tid": 2, "name": "stray", "ts": 0, "dur": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stray.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        with Window(path) as w:
            state = w.still()
            assert re.search("of 86.400 s, and is shown first; F shows", state["message"]), state["message"]
            begin, end = state["range"]
            assert end - begin < 20e6, (begin, end)
            begin, end = w.key("f")["range"]
            assert end - begin > 86_400e9, (begin, end)


def times_open(process, path):
    folder = f"/proc/{process.pid}/fd"
    return sum(os.readlink(os.path.join(folder, one)) == path for one in os.listdir(folder))


def a_reloaded_trace_releases_the_previous_one():
    with tempfile.TemporaryDirectory() as folder, Window(shutil.copy(SYNTHETIC, folder)) as w:
        path = w.still()["file"]
        if not w.state()["tables_shown"]:
            w.key("q")
        for panel in ("Dead windows", "Gaps", "Launches", "Kernels"):
            w.show_panel(panel)
            assert w.still()["panels"][panel]["table"]["rows"], panel
            # Panels that are no longer drawn must release the trace, too.
            xdotool("key", "F5")
            w.key("q")
            w.wait(lambda s: times_open(w.process, path) == 1, f"the previous trace to be released ({panel})")
            assert w.key("q")["tables_shown"]


def an_idle_window_uses_no_cpu():
    with Window(SYNTHETIC) as w:
        w.still()
        time.sleep(1)
        before = cpu_ticks(w.process)
        time.sleep(4)
        assert cpu_ticks(w.process) - before <= 1, "ticks of 10 ms in 4 s"


sys.exit(run([the_window_reports_a_broken_file, the_window_reports_a_missing_file,
              a_truncated_file_shows_its_complete_events, the_dialog_opens_a_typed_path_and_it_becomes_recent,
              the_table_in_front_is_not_empty,
              a_stray_event_does_not_determine_the_first_view, a_reloaded_trace_releases_the_previous_one,
              an_idle_window_uses_no_cpu]))
