#!/usr/bin/env python3
"""Tests that lanes can be folded, pinned, hidden, moved, resized and filtered with mouse and keys, and that this is
kept."""

import glob
import os
import sys
import tempfile

from window import SYNTHETIC, Window, middle, near, run


def head_x(state):
    return state["heads"][0] + 100


def box(state, lane, where="lane_boxes"):
    return next(b for b in state[where] if b["id"] == lane)


def ids(state, where="lane_boxes"):
    return [b["id"] for b in state[where]]


def point_at(w, lane):
    state = w.still()
    w.move(head_x(state), box(state, lane)["y0"] + 30)


def a_click_or_space_folds():
    with Window(SYNTHETIC) as w:
        state = w.still()
        folded = w.click(head_x(state), box(state, 0)["y0"] + 30)
        assert box(folded, 0)["collapsed"] and box(folded, 0)["rows"] == 1, "one row is left"
        assert not box(w.key("space"), 0)["collapsed"]
        all_folded = w.key("shift+space")
        assert all(g["collapsed"] for g in all_folded["groups"]) and not all_folded["rows"]
        assert not any(g["collapsed"] for g in w.key("shift+space")["groups"])


def pinned_lanes_stay_while_others_scroll():
    with Window(SYNTHETIC) as w:
        point_at(w, 1)
        state = w.key("p")
        assert ids(state, "pinned") == [1], state["pinned"]
        assert state["lanes"][1] > box(state, 1, "pinned")["y1"] - 1, "the other lanes are below it"
        x, y = middle(state["lanes"])
        before = box(state, 1, "pinned")
        scrolled = w.wheel(x, y, 5, 3)
        assert scrolled["scroll_y"] > 0 and box(scrolled, 1, "pinned") == before
        # A slice of the pinned lane can be selected there, and the lane can be folded.
        pinned = box(scrolled, 1, "pinned")
        left, _, right, _ = scrolled["lanes"]
        for part in range(1, 60):
            state = w.click(left + (right - left) * part / 60, pinned["y0"] + 25)
            if state["selection"]:
                break
        assert state["selection"] and "4788" in state["selection"]["lane"], state["selection"]
        w.move(head_x(state), pinned["y0"] + 30)
        assert w.key("p")["pinned"] == []


def the_pointer_acts_on_pinned_lanes():
    with Window(SYNTHETIC) as w:
        point_at(w, 3)
        state = w.key("p")
        assert ids(state, "pinned") == [3], state["pinned"]
        x, _ = middle(state["lanes"])
        pinned = box(state, 3, "pinned")
        w.move(x, (pinned["y0"] + pinned["y1"]) / 2)
        state = w.wait(lambda s: s["curve_value"] and s["hover"], "the curve's value")
        assert state["curve_value"]["lane_id"] == 3, state["curve_value"]
        assert state["hover"]["name"] == "memory allocated · GPU 0", state["hover"]


def hidden_lanes_come_back():
    with Window(SYNTHETIC) as w:
        before = ids(w.still())
        point_at(w, 3)
        state = w.key("x")
        assert 3 not in ids(state) and state["hidden_lanes"] == 1
        point_at(w, 0)
        state = w.key("x")
        assert state["hidden_lanes"] == 2 and 0 not in ids(state)
        # The line below all lanes says that lanes are hidden, and opens the list of lanes.
        x, y = middle(state["lanes"])
        state = w.wheel(x, y, 5, 60)
        bottom = state["lanes"][1] + state["layout_height"] - state["scroll_y"]
        state = w.click(head_x(state), bottom - 10)
        assert state["panels"]["Lanes"]["in_front"]
        # A box in the list shows a lane again.
        listed = state["lanes_panel"]
        place = listed["lanes"].index(0)
        panel = state["panels"]["Lanes"]["box"]
        if place > 4:
            w.click(*listed["filter"])
            w.key("4")
        state = w.still()
        listed = state["lanes_panel"]
        row = listed["lanes"].index(0)
        state = w.click(panel[0] + 24, listed["first_row_y"] + 21 * row)
        assert 0 in ids(state), "ticked"
        w.key("Escape")
        w.move(*middle(state["lanes"]))
        assert ids(w.key("shift+x")) == before


def the_list_of_lanes_is_searched():
    with Window(SYNTHETIC) as w:
        state = w.still()
        state = w.show_panel("Lanes")
        every = len(state["lanes_panel"]["lanes"])
        w.click(*state["lanes_panel"]["filter"])
        for letter in "sync":
            state = w.key(letter)
        found = state["lanes_panel"]["lanes"]
        assert 0 < len(found) < every
        assert all("sync" in box(state, lane)["name"] for lane in found)


def lanes_are_moved_by_keys_and_mouse():
    with Window(SYNTHETIC) as w:
        first = ids(w.still())
        point_at(w, 0)
        state = w.key("alt+Down")
        assert ids(state)[:2] == [1, 0], ids(state)
        point_at(w, 0)
        assert ids(w.key("alt+Up")) == first
        state = w.still()
        x = head_x(state)
        moved = w.drag(x, box(state, 2)["y0"] + 20, x, box(state, 1)["y0"] + 10)
        assert ids(moved)[:3] == [0, 2, 1], ids(moved)
        # A lane cannot leave its group, but the group itself can be moved.
        group = moved["groups"][1]
        state = w.drag(x, group["y"], x, box(moved, 0)["y0"] + 20)
        assert state["groups"][0]["name"] == group["name"], [g["name"] for g in state["groups"]]


def curves_grow_and_deep_lanes_show_fewer_rows():
    with Window(SYNTHETIC) as w:
        state = w.still()
        x = head_x(state)
        curve = box(state, 2)
        grown = w.drag(x, curve["y1"] - 2, x, curve["y1"] + 58)
        assert near(box(grown, 2)["y1"] - box(grown, 2)["y0"], curve["y1"] - curve["y0"] + 60, 3)
        deep = box(grown, 0)
        less = w.drag(x, deep["y1"] - 2, x, deep["y1"] - 2 - 6 * 19)
        assert box(less, 0)["rows"] == deep["rows"] - 6, (box(less, 0), deep)
        assert "6 rows more" in box(less, 0)["detail"]


def python_frames_and_short_slices_are_left_out():
    with Window(SYNTHETIC) as w:
        first = w.still()
        rows = box(first, 0)["rows"]
        modules = w.key("y")
        modules = w.wait(lambda s: s["python_frames"] == "modules", "modules only")
        assert box(modules, 0)["rows"] < rows
        w.key("y")
        none = w.wait(lambda s: s["python_frames"] == "none", "no Python frames")
        assert box(none, 0)["rows"] < box(modules, 0)["rows"]
        left, _, right, _ = none["lanes"]
        y = next(r["y"] for r in none["rows"] if r["lane_id"] == 0 and r["depth"] == 1)
        for part in range(1, 60):
            state = w.click(left + (right - left) * part / 60, y)
            if state["selection"]:
                break
        chosen = state["selection"]
        assert chosen["kind"] not in ("python", "module"), chosen
        for _ in range(6):
            up = w.key("Up")["selection"]
            assert up["kind"] not in ("python", "module"), "parents are visible slices"
        w.key("y")
        back = w.wait(lambda s: s["python_frames"] == "all", "all frames")
        assert box(back, 0)["rows"] == rows and back["selection"] is not None
        w.key("u")
        short = w.wait(lambda s: s["short_hidden"], "short slices to be hidden")
        assert sum(b["rows"] for b in short["lane_boxes"]) <= sum(b["rows"] for b in first["lane_boxes"])


def streams_are_grouped_by_the_menu_of_a_head():
    with Window(SYNTHETIC) as w:
        state = w.still()
        x, y = head_x(state), box(state, 0)["y0"] + 30
        w.click(x, y, button=3)
        # The menu's fourteenth line.
        w.click(x + 60, y + 346)
        state = w.wait(lambda s: s["by_stream"], "lanes by stream")
        names = [g["name"] for g in state["groups"]]
        assert "stream 7" in names and "stream 20" in names, names


def the_arrangement_of_lanes_is_kept():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            at_first = w.still()
            point_at(w, 1)
            w.key("p")
            point_at(w, 2)
            assert w.key("x")["hidden_lanes"] == 1
            point_at(w, 0)
            left = w.key("alt+Down")
        with Window(SYNTHETIC, config=config) as w:
            again = w.still()
            assert ids(again) == ids(left) and ids(again, "pinned") == [1] and again["hidden_lanes"] == 1
        (path,) = glob.glob(os.path.join(config, "lanescope", "lanes", "*.json"))
        assert os.path.basename(path).startswith("synthetic_step.json.gz-")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{ broken")
        with Window(SYNTHETIC, config=config) as w:
            fresh = w.still()
            assert ids(fresh) == ids(at_first) and fresh["pinned"] == []
            aside = glob.glob(os.path.join(config, "lanescope", "lanes", "*.broken-1.json"))
            assert aside and open(aside[0], encoding="utf-8").read() == "{ broken", "the broken file is kept for the user"


sys.exit(run([a_click_or_space_folds, pinned_lanes_stay_while_others_scroll,
              the_pointer_acts_on_pinned_lanes, hidden_lanes_come_back,
              the_list_of_lanes_is_searched, lanes_are_moved_by_keys_and_mouse,
              curves_grow_and_deep_lanes_show_fewer_rows, python_frames_and_short_slices_are_left_out,
              streams_are_grouped_by_the_menu_of_a_head, the_arrangement_of_lanes_is_kept]))
