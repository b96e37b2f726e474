#!/usr/bin/env python3
"""Tests archives and folders in the window: a single trace is opened; several are offered in a list."""

import gzip
import os
import shutil
import sys
import tempfile
import zipfile

from window import SYNTHETIC, TRANSFORMER, Window, run


def archive_of(folder, *files):
    path = os.path.join(folder, "runs.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            archive.write(file, "runs/" + os.path.basename(file))
        archive.writestr("readme.txt", "text")
    return path


def an_archive_with_one_trace_opens_it():
    with tempfile.TemporaryDirectory() as folder, Window(archive_of(folder, SYNTHETIC)) as w:
        state = w.wait(lambda s: "events" in s and not s["loading"], "the trace")
        assert state["events"] > 1000 and state["palette"] is None, state


def several_traces_are_offered():
    with tempfile.TemporaryDirectory() as folder:
        path = archive_of(folder, SYNTHETIC, TRANSFORMER)
        with Window(path, loaded=False) as w:
            lines = w.wait(lambda s: s["palette"], "the list")["palette"]["lines"]
            names = sorted("runs/" + os.path.basename(file) for file in (SYNTHETIC, TRANSFORMER))
            assert lines == ["All 2 together", *names], lines
            w.key("Down")
            w.key("Return")
            one = w.wait(lambda s: "events" in s and not s["loading"], "the chosen trace")
            assert one["file"] == f"{path}/{names[0]}", one["file"]
            assert one["error"] is None


def all_are_opened_together():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SYNTHETIC, os.path.join(folder, "a.json.gz"))
        with gzip.open(TRANSFORMER) as source, open(os.path.join(folder, "b.json"), "wb") as target:
            shutil.copyfileobj(source, target)
        with Window(folder, loaded=False) as w:
            w.wait(lambda s: s["palette"], "the list")
            w.key("Return")
            state = w.wait(lambda s: "events" in s and not s["loading"], "both traces")
            assert state["file"] == os.path.join(folder, "a.json.gz"), state["file"]
            with Window(SYNTHETIC) as other:
                assert state["events"] > other.still()["events"]


sys.exit(run([an_archive_with_one_trace_opens_it, several_traces_are_offered, all_are_opened_together]))
