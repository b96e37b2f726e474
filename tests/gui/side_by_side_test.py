#!/usr/bin/env python3
"""Tests the panel that compares traces, one row each: descriptions, clicks, ranges and saving, with real keys and
mouse."""

import csv
import os
import sys
import xml.etree.ElementTree

from window import SYNTHETIC, TRANSFORMER, Window, run, span

import png  # beside window.py, which adds the folder of png.py


def shown(w, rows):
    w.show_panel("Side by side")
    w.wait(lambda s: s["side_by_side"]["ready"] and len(s["side_by_side"]["rows"]) == rows, f"{rows} rows")
    return w.still()["side_by_side"]


def button(panel, name):
    place = next(place for place in panel["buttons"] if place["name"] == name)
    return place["x"], place["y"]


def a_row_describes_and_leads_to_its_trace():
    with Window(SYNTHETIC, TRANSFORMER) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        before = w.still()
        panel = shown(w, 2)
        assert [row["name"] for row in panel["rows"]] == [part["name"] for part in before["traces"]["parts"]]
        second = panel["rows"][1]
        w.move(second["x"], second["y"])
        lines_of_tooltip = w.wait(lambda s: s["side_by_side"]["tooltip"], "the description of the row")["side_by_side"]["tooltip"].splitlines()
        assert lines_of_tooltip[0] == second["name"] and any(line.startswith("time: ") for line in lines_of_tooltip), lines_of_tooltip
        assert "GPU busy: –" in lines_of_tooltip and "HFU: –" in lines_of_tooltip, lines_of_tooltip
        w.click(second["x"], second["y"])
        w.wait(lambda s: s["traces"]["shown_part"] == 1, "the tables of the second")
        w.still()
        # The first trace is much shorter than both together.
        first = panel["rows"][0]
        w.click(first["x"], first["y"])
        w.wait(lambda s: s["traces"]["shown_part"] == 0, "the tables of the first")
        after = w.still()
        assert span(after) < 0.5 * span(before), (span(after), span(before))


def one_trace_has_its_row_and_others_are_added():
    with Window(SYNTHETIC) as w:
        panel = shown(w, 1)
        w.click(*button(panel, "Add a trace…"))
        w.wait(lambda s: s["dialog_shown"], "the file dialog")


def a_marked_range_limits_the_figures():
    with Window(SYNTHETIC) as w:
        panel = shown(w, 1)
        row = panel["rows"][0]
        w.move(row["x"], row["y"])
        whole = w.wait(lambda s: s["side_by_side"]["tooltip"], "the whole")["side_by_side"]["tooltip"]
        assert "mean of 3 steps" in whole, whole
        w.select("ProfilerStep")
        w.key("r")
        w.show_panel("Side by side")
        w.move(row["x"], row["y"])
        w.wait(lambda s: s["side_by_side"]["tooltip"] and "of its step" in s["side_by_side"]["tooltip"], "one step")


def the_comparison_is_saved():
    with Window(SYNTHETIC, TRANSFORMER) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        panel = shown(w, 2)
        names = [row["name"] for row in panel["rows"]]
        w.click(*button(panel, "Save SVG"))
        root = xml.etree.ElementTree.parse(w.save_as_offered("traces.svg")).getroot()
        titles = [e.text.split()[0] for e in root.iter() if e.tag.endswith("title")]
        assert titles[1:] == names, titles
        w.click(*button(w.still()["side_by_side"], "Save CSV"))
        with open(w.save_as_offered("traces.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["trace"] for row in rows] == names and rows[1]["mfu"] == "", rows
        w.click(*button(w.still()["side_by_side"], "Save PNG"))
        path = w.save_as_offered("traces.png")
        width, height = png.size(path)
        assert width > 400 and 60 < height < 400, (width, height)


def a_removed_trace_has_no_row():
    with Window(SYNTHETIC, TRANSFORMER) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        shown(w, 2)
        w.show_panel("Traces")
        x, y = w.still()["traces"]["places"]["remove 1"]
        w.click(x, y)
        w.wait(lambda s: s.get("traces") and len(s["traces"]["parts"]) == 1 and not s["traces"]["busy"], "one trace")
        shown(w, 1)


sys.exit(run([a_row_describes_and_leads_to_its_trace, one_trace_has_its_row_and_others_are_added,
              a_marked_range_limits_the_figures, the_comparison_is_saved, a_removed_trace_has_no_row]))
