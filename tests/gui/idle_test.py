#!/usr/bin/env python3
"""Tests dead windows and idle gaps on the lanes: they agree with the tables, a key shows and hides them, the pointer
describes them, and keys step through them."""

import json
import os
import subprocess
import sys

from window import SYNTHETIC, Window, lane_box, middle, run, span, x_of

ROW = 22  # pixels between rows of a table
LANESCOPE = os.path.join(os.environ["LANESCOPE_BIN"], "lanescope")


def table(name):
    text = subprocess.run([LANESCOPE, "table", name, SYNTHETIC, "--format", "json"], check=True, capture_output=True).stdout
    return json.loads(text)


def shown(w, condition=lambda s: True):
    return w.wait(lambda s: s.get("idle_known") and condition(s) and not s["moving"], "idle spans")


def look_at(w, start, duration):
    """Zooms until a span takes at least an eighth of the view."""
    state = shown(w)
    while span(state) > 8 * duration:
        w.move(x_of(state, start + duration / 2), state["lanes"][1] + 60)
        state = w.hold("w", 0.15)
    return shown(w)


def scroll_to_the_gpu(w):
    """Scrolls to the end of the pinned lanes, where the streams are."""
    state = shown(w)
    return w.wheel(*middle(state["pinned_area"]), 5, times=25)


def check_spans(state, expected_spans, min_px):
    px = (state["lanes"][2] - state["lanes"][0]) / span(state)
    for idle in state["idle"]:
        assert (idle["start"], idle["duration"]) in expected_spans[idle["cause"] is None], idle
        assert idle["duration"] * px > min_px[idle["cause"] is None], "too narrow to be seen"


def lanes_show_the_spans_of_the_tables():
    windows = [(d["start_ns"], d["duration_ns"]) for d in table("dead-windows") if d["kind"] == "dead"]
    gaps = [(g["start_ns"], g["duration_ns"]) for g in table("gaps")]
    expected_spans, min_px = {True: set(windows), False: set(gaps)}, {True: 39, False: 7}
    with Window(SYNTHETIC) as w:
        state = look_at(w, *windows[0])
        check_spans(state, expected_spans, min_px)
        assert [i for i in state["idle"] if (i["start"], i["duration"]) == windows[0]], "the longest dead window"
        w.key("Home")
        w.key("f")
        state = scroll_to_the_gpu(w)
        check_spans(state, expected_spans, min_px)
        assert [i for i in state["idle"] if i["cause"] and (i["start"], i["duration"]) == gaps[0]], "the longest gap"


def a_key_shows_and_hides_spans():
    with Window(SYNTHETIC) as w:
        assert scroll_to_the_gpu(w)["idle"]
        w.key("i")
        assert not shown(w, lambda s: not s["idle_shown"])["idle"]
        w.key("i")
        assert shown(w, lambda s: s["idle_shown"])["idle"]


def the_walk_stops_at_gaps_of_streams():
    with Window(SYNTHETIC) as w:
        shown(w)
        w.key("g")
        w.wait(lambda s: s["gap"] and not s["moving"], "a gap")
        assert spans_of_the_gap(w), "while no stream of a device runs anything, one of them has a gap"


def a_click_on_a_row_of_gaps_says_what_the_walk_says():
    with Window(SYNTHETIC) as w:
        shown(w)
        w.key("g")
        walked = w.wait(lambda s: s["gap"] and not s["moving"], "a gap")
        w.key("Escape")
        w.wait(lambda s: not s["gap"], "no gap")
        w.show_panel("Gaps")
        state = w.wait(lambda s: s["panels"]["Gaps"]["table"] and s["panels"]["Gaps"]["table"]["ready"], "the table")
        gaps = state["panels"]["Gaps"]["table"]
        rows = [(row["start_ns"], row["duration_ns"], row["stream"] is None) for row in table("gaps")]
        place = rows.index((walked["gap"]["start"], walked["gap"]["duration"], True))
        assert not any(of_device for _, _, of_device in rows[:place]), "G begins with the longest gap of a device"
        w.click(state["panels"]["Gaps"]["box"][0] + 60, gaps["first_row_y"] + ROW * place)
        clicked = w.wait(lambda s: s["gap"] and not s["moving"], "the gap of the row")
        assert clicked["gap"] == walked["gap"], (clicked["gap"], walked["gap"])
        assert spans_of_the_gap(w)


def spans_of_the_gap(w):
    """The idle spans in view that contain the described gap, without scrolling."""
    state = shown(w)
    gap = state["gap"]
    end = gap["start"] + gap["duration"]
    return [i for i in state["idle"] if i["cause"] and i["start"] <= gap["start"] and i["start"] + i["duration"] >= end]


def the_walk_brings_hidden_lanes_of_the_gap_into_view():
    with Window(SYNTHETIC) as w:
        shown(w)
        state = scroll_to_the_gpu(w)
        for lane in [lane for lane in state["pinned"] if lane["name"].startswith("stream")]:
            state = w.scroll_to(lane["id"])
            box = lane_box(state, lane["id"])
            w.move(state["heads"][0] + 60, box["y0"] + min(30, (box["y1"] - box["y0"]) / 2))
            w.key("x")
        assert not [lane for lane in w.still()["pinned"] if lane["name"].startswith("stream")], "all streams are hidden"
        w.key("g")
        w.wait(lambda s: s["gap"] and not s["moving"], "a gap")
        assert spans_of_the_gap(w), [lane["name"] for lane in w.still()["pinned"]]


def the_pointer_on_a_gap_shows_cause_and_neighbours():
    with Window(SYNTHETIC) as w:
        state = scroll_to_the_gpu(w)
        gap = max((i for i in state["idle"] if i["cause"]), key=lambda i: i["duration"])
        w.move(gap["x"], gap["y"])
        hover = w.wait(lambda s: s["hover"] and s["hover"]["kind"] == "idle gap of a stream", "the card of the gap")["hover"]
        assert hover["lines"]["Cause"] == gap["cause"], (hover, gap)
        sides = [g for g in table("gaps") if g["start_ns"] == gap["start"] and g["duration_ns"] == gap["duration"]]
        assert sides, gap
        for label, key in (("After", "before"), ("Before", "after")):
            if sides[0][key]:
                assert hover["lines"][label] in sides[0][key], (hover, sides[0])


def the_pointer_on_a_dead_window_shows_the_call():
    window = table("dead-windows")[0]
    with Window(SYNTHETIC) as w:
        state = look_at(w, window["start_ns"], window["duration_ns"])
        dead = [i for i in state["idle"] if i["start"] == window["start_ns"] and i["cause"] is None]
        w.move(dead[0]["x"], dead[0]["y"])
        hover = w.wait(lambda s: s["hover"] and s["hover"]["kind"] == "dead window", "the card of the window")["hover"]
        assert hover["lines"]["In"] in window["parent"], (hover, window)


if __name__ == "__main__":
    sys.exit(run([lanes_show_the_spans_of_the_tables, a_key_shows_and_hides_spans, the_walk_stops_at_gaps_of_streams,
                  a_click_on_a_row_of_gaps_says_what_the_walk_says, the_walk_brings_hidden_lanes_of_the_gap_into_view,
                  the_pointer_on_a_gap_shows_cause_and_neighbours, the_pointer_on_a_dead_window_shows_the_call]))
