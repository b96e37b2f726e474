#!/usr/bin/env python3
"""lanescope notes, end to end."""
import json
import pathlib
import shutil

from program import SAMPLES, json_of, lanescope, run_all, scratch, text_of

NOTES = {"lanescope_notes": 1, "trace": {"name": "run.json.gz", "bytes": 0, "events": 0},
         "notes": [{"begin_ns": 700, "end_ns": 900, "text": "a range"}, {"begin_ns": 10, "end_ns": 10, "text": ""},
                   {"begin_ns": 1000, "end_ns": 1000, "text": "later"}]}


def copy_with_notes(folder):
    trace = pathlib.Path(folder) / "run.json.gz"
    shutil.copy(SAMPLES / "synthetic_step.json.gz", trace)
    notes = json.loads(json.dumps(NOTES))
    notes["trace"]["bytes"] = trace.stat().st_size
    notes["trace"]["events"] = json_of("info", trace)["events"]
    (trace.parent / "run.json.gz.notes.json").write_text(json.dumps(notes), encoding="utf-8")
    return trace


def test_notes_are_sorted_by_time():
    with scratch() as folder:
        rows = json_of("notes", copy_with_notes(folder))
    assert rows == [
        {"number": 1, "start_ns": 10, "duration_ns": 0, "since_mark_ns": None, "text": None},
        {"number": 2, "start_ns": 700, "duration_ns": 200, "since_mark_ns": None, "text": "a range"},
        {"number": 3, "start_ns": 1000, "duration_ns": 0, "since_mark_ns": 990, "text": "later"}], rows


def test_a_trace_without_notes_gives_no_rows():
    assert json_of("notes", SAMPLES / "synthetic_step.json.gz") == []


def test_a_changed_trace_gives_a_warning_and_a_broken_file_stays():
    with scratch() as folder:
        trace = copy_with_notes(folder)
        file = trace.parent / "run.json.gz.notes.json"
        file.write_text(file.read_text().replace('"events": ', '"events": 1'))
        run = lanescope("notes", trace)
        assert run.returncode == 0 and b"has changed since its notes were made" in run.stderr and b"a range" in run.stdout
        file.write_text("{")
        run = lanescope("notes", trace)
        assert run.returncode == 0 and b"is broken" in run.stderr
        assert file.read_text() == "{", "a command that only reads renames nothing"


run_all(globals())
