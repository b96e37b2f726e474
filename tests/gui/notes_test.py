#!/usr/bin/env python3
"""Tests marks and notes: keys create them, timeline and panel show them, and they are kept with the trace."""

import glob
import json
import os
import shutil
import sys
import tempfile

from window import SYNTHETIC, Window, middle, near, rows_of, ruler_y, run, span, time_at, x_of, xdotool


class Copy:
    """A trace in a folder of its own, so that notes can be stored beside it, and a folder for the user's files."""

    def window(self):
        return Window(self.trace, config=self.config)

    def kept(self):
        """The path of the notes in the user's data folder; None: there are none."""
        found = glob.glob(os.path.join(self.config, "data", "lanescope", "notes", "run.json.gz-*.notes.json"))
        return found[0] if found else None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lanescope_notes_")
        self.trace = os.path.join(self.folder.name, "run.json.gz")
        shutil.copy(SYNTHETIC, self.trace)
        self.beside = self.trace + ".notes.json"
        self.config = os.path.join(self.folder.name, "config")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def type_text(text):
    xdotool("type", "--delay", 15, text)


def empty_place(w):
    """A point between lanes' slices, so that a mark is where the pointer is: on the ruler."""
    state = w.still()
    left, _, right, _ = state["lanes"]
    return left, right, ruler_y(state)


def marks_measure_distances_and_are_kept():
    with Copy() as c:
        with c.window() as w:
            left, right, y = empty_place(w)
            w.move(left + 200, y)
            first = w.key("m")
            assert len(first["notes"]["list"]) == 1
            wanted = time_at(first, left + 200)
            assert near(first["notes"]["list"][0]["begin"], wanted, span(first) / (right - left) * 2)
            w.move(left + 600, y)
            two = w.key("m")["notes"]["list"]
            assert len(two) == 2 and two[0]["begin"] < two[1]["begin"]
            assert not os.path.exists(c.beside), "kept in the user's folder at once"
            with open(c.kept(), encoding="utf-8") as file:
                kept = json.load(file)
            assert [n["begin_ns"] for n in kept["notes"]] == [n["begin"] for n in two]
        with c.window() as w:
            again = w.wait(lambda s: s.get("notes", {}).get("list"), "the notes")
            assert again["notes"]["list"] == two, "there again with the trace"
            assert again["notes"]["warning"] == ""


def a_mark_near_an_edge_snaps_to_it():
    with Copy() as c, c.window() as w:
        state = w.still()
        left, _, right, _ = state["lanes"]
        # A wide slice found by trying rows: select it, then mark a few pixels right of its begin.
        for row in state["rows"]:
            picked = w.click((left + right) / 2, row["y"])
            if picked["selection"] and picked["selection"]["duration"] > span(state) / 20:
                break
        begin = picked["selection"]["start"]
        w.click((left + right) / 2, row["y"])
        framed = w.key("f")
        at = x_of(framed, begin)
        w.move(at + 4, row["y"])
        marked = w.key("m")
        assert marked["notes"]["list"][0]["begin"] == begin, (marked["notes"], begin)
        xdotool("key", "Delete")
        w.wait(lambda s: not s["notes"]["list"], "the mark to disappear")
        assert not c.kept(), "without notes there is no file"


def a_note_on_a_range_is_written_edited_deleted_and_restored():
    with Copy() as c, c.window() as w:
        left, right, y = empty_place(w)
        w.drag(left + 300, y, left + 500, y)
        w.key("shift+m")
        w.wait(lambda s: s["notes"]["editing"] is not None, "the field")
        type_text("all reduce waits here")
        xdotool("key", "Return")
        state = w.wait(lambda s: s.get("notes", {}).get("list"), "the note")
        note = state["notes"]["list"][0]
        assert note["text"] == "all reduce waits here"
        assert note["begin"] == state["marked"]["begin"] and note["end"] == state["marked"]["end"]
        assert state["notes"]["chosen"] == 0
        # A double click on the note's flag opens its text.
        w.key("Escape")
        flag = x_of(state, note["begin"]) + 5
        w.click(flag, y, times=2)
        w.wait(lambda s: s["notes"]["editing"] == "all reduce waits here", "the field with the text")
        type_text(" not")
        xdotool("key", "Escape")
        state = w.wait(lambda s: s["notes"]["editing"] is None, "the field to close")
        assert state["notes"]["list"][0]["text"] == "all reduce waits here", "Escape changes nothing"
        w.click(flag, y)
        gone = w.key("Delete")
        assert gone["notes"]["list"] == [] and not c.kept()
        back = w.key("ctrl+z")
        assert back["notes"]["list"] == [note] and c.kept()
        assert w.key("ctrl+y")["notes"]["list"] == []
        assert w.key("ctrl+z")["notes"]["list"] == [note]
        said = w.key("ctrl+s")
        assert c.beside in said["message"], said["message"]
        assert os.path.exists(c.beside)


def keys_only_edit_the_text():
    with Copy() as c, c.window() as w:
        before = w.still()
        w.move(*middle(before["lanes"]))
        w.key("shift+m")
        w.wait(lambda s: s["notes"]["editing"] is not None, "the field")
        type_text("wasd mfgq")
        xdotool("key", "Return")
        state = w.wait(lambda s: s.get("notes", {}).get("list"), "the note")
        assert state["notes"]["list"][0]["text"] == "wasd mfgq"
        assert state["range"] == before["range"] and state["tables_shown"] == before["tables_shown"]


def a_broken_file_is_renamed():
    with Copy() as c:
        with open(c.beside, "w", encoding="utf-8") as file:
            file.write("{broken")
        with c.window() as w:
            state = w.wait(lambda s: "is broken" in s.get("notes", {}).get("warning", ""), "the warning")
            aside = c.trace + ".notes.broken-1.json"
            assert os.path.basename(aside) in state["notes"]["warning"]
            with open(aside, encoding="utf-8") as file:
                assert file.read() == "{broken"
            w.key("m")
            assert c.kept(), "new notes are kept"


def notes_of_one_trace_are_kept_although_those_of_another_cannot_be():
    with Copy() as c:
        second = os.path.join(c.folder.name, "second.json.gz")
        shutil.copy(SYNTHETIC, second)
        with c.window() as w:
            w.key("m")
            kept = c.kept()
        with Window(c.trace, second, config=c.config) as w:
            os.remove(kept)
            os.makedirs(os.path.join(kept, "in the way"))
            _, _, y = empty_place(w)
            w.move(700, y)
            assert "Notes are not saved" in w.key("m")["message"]
            lane = max(row["lane_id"] for row in rows_of(w.state()))
            rows = [row for row in rows_of(w.state()) if row["lane_id"] == lane]
            w.move(700, rows[0]["y"])
            w.key("m")
            assert glob.glob(os.path.join(os.path.dirname(kept), "second.json.gz-*.notes.json")), w.state()["notes"]


def notes_of_a_changed_trace_have_a_warning():
    with Copy() as c:
        with c.window() as w:
            w.move(*middle(w.still()["lanes"]))
            w.key("m")
        with open(c.kept(), encoding="utf-8") as file:
            kept = json.load(file)
        kept["trace"]["events"] += 1
        with open(c.kept(), "w", encoding="utf-8") as file:
            json.dump(kept, file)
        with c.window() as w:
            state = w.wait(lambda s: s.get("notes", {}).get("list"), "the notes")
            assert "has changed since its notes were made" in state["notes"]["warning"]


def notes_beside_the_trace_are_not_lost():
    """Notes of a colleague, which came with the trace, are kept when the user saves others in their place."""
    with Copy() as c:
        with c.window() as w:
            w.move(*middle(w.still()["lanes"]))
            w.key("m")
        with open(c.kept(), encoding="utf-8") as file:
            kept = json.load(file)
        theirs = dict(kept, notes=[{"begin_ns": 1000, "end_ns": 1000, "text": "theirs"}])
        with open(c.beside, "w", encoding="utf-8") as file:
            json.dump(theirs, file)
        past = os.stat(c.kept()).st_mtime - 60
        os.utime(c.beside, (past, past))
        with c.window() as w:
            state = w.wait(lambda s: s.get("notes", {}).get("list"), "the notes")
            assert [note["text"] for note in state["notes"]["list"]] == [""], "the newer notes count"
            w.key("ctrl+s")
        with open(c.beside + ".older", encoding="utf-8") as file:
            assert json.load(file) == theirs
        with open(c.beside, encoding="utf-8") as file:
            assert json.load(file)["notes"] == kept["notes"]


def notes_are_saved_where_the_user_says():
    with Copy() as c, c.window() as w:
        w.move(*middle(w.still()["lanes"]))
        w.key("m")
        w.choose("ctrl+shift+p", "save the notes as")
        state = w.wait(lambda s: s["saving"], "the dialog")
        assert state["saving"].endswith("run.json.gz.notes.json"), state["saving"]
        xdotool("key", "ctrl+a")
        type_text(c.trace)
        w.wait(lambda s: s["saving"] == c.trace, "the path")
        xdotool("key", "Return")
        assert w.still()["saving"] == c.trace, "the trace is not replaced"
        other = os.path.join(c.folder.name, "mine.json")
        xdotool("key", "ctrl+a")
        type_text(other)
        w.wait(lambda s: s["saving"] == other, "the other path")
        xdotool("key", "Return")
        w.wait(lambda s: s["message"] == f"Notes saved as {other}", "the message")
        with open(other, encoding="utf-8") as file:
            assert len(json.load(file)["notes"]) == 1


sys.exit(run([marks_measure_distances_and_are_kept, a_mark_near_an_edge_snaps_to_it,
              a_note_on_a_range_is_written_edited_deleted_and_restored, keys_only_edit_the_text,
              a_broken_file_is_renamed,
                  notes_of_one_trace_are_kept_although_those_of_another_cannot_be, notes_of_a_changed_trace_have_a_warning,
              notes_beside_the_trace_are_not_lost, notes_are_saved_where_the_user_says]))
