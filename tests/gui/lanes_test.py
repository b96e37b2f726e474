#!/usr/bin/env python3
"""Tests that lanes can be folded, pinned, hidden, moved, resized and filtered with mouse and keys, and that this is
kept."""

import glob
import json
import os
import sys
import tempfile

from window import SYNTHETIC, Window, lane_box, middle, near, run

# The first arrangement of the sample: two threads and three curves of the program and a curve of the GPU are in the
# main area; the GPU's streams, and the launch queue of its busier one, are pinned below them.
MAIN = [0, 1, 2, 3, 4, 5, 8, 9, 10]
PINNED = [6, 15, 7]


def head_x(state):
    return state["heads"][0] + 100


def ids(state, where="lane_boxes"):
    return [b["id"] for b in state[where]]


def point_at(w, lane):
    state = w.scroll_to(lane)
    box = lane_box(state, lane)
    w.move(head_x(state), box["y0"] + min(30, (box["y1"] - box["y0"]) / 2))


def click_in_head_menu(w, lane, line, group_ends=1):
    """Opens the menu of a lane's head by the right button, and clicks on a line below `group_ends` separators."""
    state = w.scroll_to(lane)
    x, y = head_x(state), lane_box(state, lane)["y0"] + 30
    assert w.click(x, y, button=3)["menu_shown"]
    return w.click(x + 60, y + 15 + 23 * (line - 1) + 9 * group_ends)


def select_in(w, row):
    """Clicks along a row until something is selected."""
    left, _, right, _ = w.still()["lanes"]
    for part in range(1, 60):
        state = w.click(left + (right - left) * part / 60, row["y"])
        if state["selection"]:
            return state["selection"]
    raise AssertionError(f"nothing to select in {row}")


def a_click_or_space_folds():
    with Window(SYNTHETIC) as w:
        for lane in (0, 6):  # of the main area, and pinned
            state = w.still()
            folded = w.click(head_x(state), lane_box(state, lane)["y0"] + 30)
            assert lane_box(folded, lane)["collapsed"] and lane_box(folded, lane)["rows"] == 1, "one row is left"
            assert not lane_box(w.key("space"), lane)["collapsed"]
        all_folded = w.key("shift+space")
        assert all(g["collapsed"] for g in all_folded["groups"] + all_folded["pinned_groups"])
        assert not all_folded["rows"]
        unfolded = w.key("shift+space")
        assert not any(g["collapsed"] for g in unfolded["groups"] + unfolded["pinned_groups"])


def a_folded_gpu_has_thin_rows_beside_its_name():
    with Window(SYNTHETIC) as w:
        state = w.still()
        (gpu,) = state["pinned_groups"]
        state = w.click(head_x(state), gpu["y"])
        assert state["pinned_groups"][0]["collapsed"]
        assert [(b["id"], b["rows"]) for b in state["pinned"]] == [(6, 1), (7, 1)], "one row for each stream"
        assert state["pinned"][-1]["y1"] - state["pinned"][0]["y0"] <= 24, "as high as the name"
        selected = select_in(w, state["pinned_rows"][0])
        assert selected["lane"] == "stream 7" and selected["in_view"], selected
        opened = w.click(head_x(state), state["pinned"][0]["y0"] + 5)
        assert not opened["pinned_groups"][0]["collapsed"] and ids(opened, "pinned") == PINNED


def pinned_lanes_stay_while_others_scroll():
    with Window(SYNTHETIC) as w:
        at_first = w.still()
        assert (ids(at_first), ids(at_first, "pinned")) == (MAIN, PINNED)
        point_at(w, 1)
        state = w.key("p")
        assert ids(state, "pinned") == [1, *PINNED], state["pinned"]
        assert ids(state) == [lane for lane in MAIN if lane != 1], "it is at one place only"
        assert state["lanes"][3] < state["pinned_area"][1] < lane_box(state, 1)["y0"], "the other lanes are above it"
        groups = [group["name"] for group in state["pinned_groups"]]
        assert groups[0] == state["groups"][0]["name"] and groups[1].startswith("GPU 0"), groups
        x, y = middle(state["lanes"])
        before = state["pinned"]
        scrolled = w.wheel(x, y, 5, 3)
        assert scrolled["scroll_y"] > 0 and scrolled["pinned"] == before
        # A slice of the pinned lane can be selected there, and the lane can be folded.
        selected = select_in(w, next(row for row in scrolled["pinned_rows"] if row["lane_id"] == 1))
        assert "4788" in selected["lane"], selected
        point_at(w, 1)
        assert lane_box(w.key("space"), 1)["collapsed"]
        assert not lane_box(w.key("space"), 1)["collapsed"]
        state = w.key("p")
        assert (ids(state), ids(state, "pinned")) == (MAIN, PINNED), "it has its place among the others again"


def pinned_lanes_scroll_on_their_own():
    with Window(SYNTHETIC) as w:
        before = w.still()
        assert before["pinned"][-1]["y1"] > before["pinned_area"][3], "one of them is cut off"
        state = w.wheel(*middle(before["pinned_area"]), 5, 9)
        assert state["pinned"][-1]["y1"] == state["pinned_area"][3] and state["scroll_y"] == 0, state["pinned"]
        assert state["lane_boxes"] == before["lane_boxes"]


def a_drag_of_the_border_gives_pinned_lanes_another_height():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            at_first = w.still()
            x, _ = middle(at_first["lanes"])
            y = (at_first["lanes"][3] + at_first["pinned_area"][1]) / 2
            lower = w.drag(x, y, x, y + 80)
            assert near(lower["pinned_area"][1], at_first["pinned_area"][1] + 80, 4), lower["pinned_area"]
            assert near(lower["lanes"][3], at_first["lanes"][3] + 80, 4) and lower["marked"] is None
        with Window(SYNTHETIC, config=config) as w:
            state = w.still()
            assert state["pinned_area"] == lower["pinned_area"], "it is kept"
            y = (state["lanes"][3] + state["pinned_area"][1]) / 2
            assert w.click(x, y, times=2)["pinned_area"] == at_first["pinned_area"], "a double click resets it"


def threads_without_calls_are_one_row_that_opens():
    events = [{"ph": "X", "pid": 1, "tid": thread, "name": f"part {i}", "cat": "cpu_op" if thread == 2 else "mine",
               "ts": 10 * i, "dur": 5} for thread in (1, 2, 3) for i in range(9)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "threads.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        with Window(path) as w:
            at_first = w.still()
            (lane,) = at_first["lane_boxes"]
            assert lane["name"] == "thread 2" and at_first["hidden_lanes"] == 0, lane
            state = w.click(head_x(at_first), lane["y1"] + 11)
            assert [b["name"] for b in state["lane_boxes"]] == ["thread 1", "thread 2", "thread 3"], state["lane_boxes"]
            w.choose("ctrl+shift+p", "reset the arrangement")
            assert w.still()["lane_boxes"] == at_first["lane_boxes"]
            # A slice of this lane that the search selects comes into view.
            state = w.select("lane:1 part")
            assert state["selection"]["lane"] == "thread 1" and state["selection"]["in_view"], state["selection"]


def the_pointer_acts_on_pinned_lanes():
    with Window(SYNTHETIC) as w:
        point_at(w, 3)
        state = w.key("p")
        assert ids(state, "pinned") == [3, *PINNED], state["pinned"]
        x, _ = middle(state["lanes"])
        pinned = lane_box(state, 3)
        w.move(x, (pinned["y0"] + pinned["y1"]) / 2)
        state = w.wait(lambda s: s["curve_value"] and s["hover"], "the curve's value")
        assert state["curve_value"]["lane_id"] == 3, state["curve_value"]
        assert state["hover"]["name"] == "memory allocated · GPU 0", state["hover"]


def hidden_lanes_come_back():
    with Window(SYNTHETIC) as w:
        assert w.still()["hidden_lanes"] > 0, "the first arrangement hides what the profiler made up"
        w.move(*middle(w.still()["lanes"]))
        everything = w.key("shift+x")
        assert everything["hidden_lanes"] == 0
        before = ids(everything), ids(everything, "pinned")
        for count, lane in enumerate((3, 0, 7), start=1):  # the last one is pinned
            point_at(w, lane)
            state = w.key("x")
            assert lane not in ids(state) + ids(state, "pinned") and state["hidden_lanes"] == count
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
        after = w.key("shift+x")
        assert (ids(after), ids(after, "pinned")) == before


def the_line_for_hidden_lanes_counts_pinned_ones():
    with Window(SYNTHETIC) as w:
        w.move(*middle(w.still()["lanes"]))
        w.key("shift+x")
        point_at(w, 7)
        hidden = w.key("x")
        assert hidden["hidden_lanes"] == 1 and hidden["layout_height"] > 0
        state = w.wheel(*middle(hidden["lanes"]), 5, 60)
        bottom = state["lanes"][1] + state["layout_height"] - state["scroll_y"]
        assert w.click(head_x(state), bottom - 10)["panels"]["Lanes"]["in_front"]


def the_list_of_lanes_is_searched():
    with Window(SYNTHETIC) as w:
        w.move(*middle(w.still()["lanes"]))
        w.key("shift+x")  # so that the state has a box for each lane
        state = w.show_panel("Lanes")
        every = len(state["lanes_panel"]["lanes"])
        w.click(*state["lanes_panel"]["filter"])
        for letter in "sync":
            state = w.key(letter)
        found = state["lanes_panel"]["lanes"]
        assert 0 < len(found) < every
        assert all("sync" in lane_box(state, lane)["name"] for lane in found)


def lanes_are_moved_by_keys_and_mouse():
    with Window(SYNTHETIC) as w:
        w.key("q")  # without the tables, all lanes have room
        point_at(w, 0)
        state = w.key("alt+Down")
        assert ids(state) == [1, 0, *MAIN[2:]], ids(state)
        point_at(w, 0)
        assert ids(w.key("alt+Up")) == MAIN
        state = w.still()
        x = head_x(state)
        moved = w.drag(x, lane_box(state, 2)["y0"] + 20, x, lane_box(state, 1)["y0"] + 10)
        assert ids(moved)[:3] == [0, 2, 1], ids(moved)
        # A lane cannot leave its group, but the group itself can be moved.
        group = next(g for g in moved["groups"] if g["name"].startswith("GPU 0 ·"))
        state = w.drag(x, group["y"], x, lane_box(moved, 0)["y0"] + 20)
        assert state["groups"][0]["name"] == group["name"], [g["name"] for g in state["groups"]]


def pinned_lanes_are_moved_by_keys_and_mouse():
    with Window(SYNTHETIC) as w:
        w.key("q")
        # A key moves a lane past the next one that is in view in the same area.
        point_at(w, 0)
        w.key("p")
        point_at(w, 1)
        assert ids(w.key("alt+Up")) == MAIN[1:] and ids(w.key("alt+Down")) == [2, 1, *MAIN[3:]]
        point_at(w, 6)
        assert ids(w.key("alt+Down"), "pinned") == [0, 15, 6, 7]
        point_at(w, 6)
        assert ids(w.key("alt+Up"), "pinned") == [0, *PINNED]
        point_at(w, 6)
        assert ids(w.key("alt+Up"), "pinned") == [0, *PINNED], "it stays in its group"
        state = w.scroll_to(7)
        x = head_x(state)
        w.drag(x, lane_box(state, 7)["y0"] + 20, x, lane_box(state, 6)["y0"] + 10)
        moved = w.scroll_to(0)
        assert ids(moved, "pinned") == [0, 7, 6, 15], ids(moved, "pinned")
        gpu = moved["pinned_groups"][1]
        state = w.drag(x, gpu["y"], x, lane_box(moved, 0)["y0"] + 10)
        assert ids(state, "pinned") == [7, 6, 15, 0], ids(state, "pinned")


def curves_grow_and_deep_lanes_show_fewer_rows():
    with Window(SYNTHETIC) as w:
        state = w.key("q")
        x = head_x(state)
        for lane in (2, 15):  # of the main area, and pinned
            curve = lane_box(w.still(), lane)
            grown = w.drag(x, curve["y1"] - 2, x, curve["y1"] + 58)
            now = lane_box(grown, lane)
            assert near(now["y1"] - now["y0"], curve["y1"] - curve["y0"] + 60, 3), (curve, now)
        deep = lane_box(grown, 0)
        less = w.drag(x, deep["y1"] - 2, x, deep["y1"] - 2 - 6 * 19)
        assert lane_box(less, 0)["rows"] == deep["rows"] - 6, (lane_box(less, 0), deep)
        assert "6 rows more" in lane_box(less, 0)["detail"]


def python_frames_and_short_slices_are_left_out():
    with Window(SYNTHETIC) as w:
        first = w.key("q")
        assert first["python_frames"] == "modules", "of the frames, only modules are shown at first"

        def rows_with(frames):
            return lane_box(w.wait(lambda s: s["python_frames"] == frames, f"Python frames: {frames}"), 0)["rows"]

        rows = {"modules": rows_with("modules")}
        for frames in ("own", "all", "modules"):
            w.key("y")
            rows[frames] = rows_with(frames)
        assert rows["modules"] < rows["own"] < rows["all"], rows
        assert rows["modules"] == lane_box(first, 0)["rows"]
        click_in_head_menu(w, 0, 14)
        assert rows_with("none") < rows["modules"]
        chosen = select_in(w, next(r for r in w.still()["rows"] if r["lane_id"] == 0 and r["depth"] == 1))
        assert chosen["kind"] not in ("python", "module"), chosen
        for _ in range(6):
            up = w.key("Up")["selection"]
            assert up["kind"] not in ("python", "module"), "parents are visible slices"
        w.key("y")
        assert rows_with("modules") == rows["modules"]
        back = click_in_head_menu(w, 0, 13)
        assert rows_with("all") == rows["all"] and back["selection"] is not None
        w.key("u")
        short = w.wait(lambda s: s["short_hidden"], "short slices to be hidden")
        assert sum(b["rows"] for b in short["lane_boxes"]) <= sum(b["rows"] for b in back["lane_boxes"])


def streams_are_grouped_by_the_menu_of_a_head():
    with Window(SYNTHETIC) as w:
        click_in_head_menu(w, 0, 17)
        state = w.wait(lambda s: s["by_stream"], "lanes by stream")
        names = [g["name"] for g in state["pinned_groups"]]
        assert names == ["stream 7", "stream 20"], names
        assert all(lane_box(state, lane)["name"].startswith("GPU 0") for lane in (6, 7)), state["pinned"]
        point_at(w, 7)
        unpinned = w.key("p")
        assert lane_box(unpinned, 7)["group"] == "stream 20" and 7 in ids(unpinned), "likewise in the main area"


def the_arrangement_of_lanes_is_kept():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            at_first = w.still()
            hidden = at_first["hidden_lanes"]
            point_at(w, 1)
            w.key("p")
            point_at(w, 2)
            assert w.key("x")["hidden_lanes"] == hidden + 1
            point_at(w, 15)
            w.key("p")
            point_at(w, 0)
            left = w.key("alt+Down")
            assert ids(left) != ids(at_first) and ids(left, "pinned") == [1, 6, 7]
        with Window(SYNTHETIC, config=config) as w:
            again = w.still()
            assert ids(again) == ids(left) and ids(again, "pinned") == [1, 6, 7] and again["hidden_lanes"] == hidden + 1
        (path,) = glob.glob(os.path.join(config, "lanescope", "lanes", "*.json"))
        assert os.path.basename(path).startswith("synthetic_step.json.gz-")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{ broken")
        with Window(SYNTHETIC, config=config) as w:
            fresh = w.still()
            assert ids(fresh) == ids(at_first) and ids(fresh, "pinned") == ids(at_first, "pinned")
            aside = glob.glob(os.path.join(config, "lanescope", "lanes", "*.broken-1.json"))
            assert aside and open(aside[0], encoding="utf-8").read() == "{ broken", "the broken file is kept for the user"


def the_first_arrangement_comes_back():
    with Window(SYNTHETIC) as w:
        at_first = w.still()
        point_at(w, 6)
        w.key("p")
        w.key("y")
        point_at(w, 7)
        w.key("x")
        point_at(w, 1)
        changed = w.key("p")
        assert ids(changed, "pinned") == [1, 15] and 6 in ids(changed)
        w.choose("ctrl+shift+p", "reset the arrangement")
        w.wait(lambda s: s["python_frames"] == "modules", "modules only")
        state = w.still()
        for part in ("lane_boxes", "pinned", "groups", "pinned_groups", "hidden_lanes"):
            assert state[part] == at_first[part], part


sys.exit(run([a_click_or_space_folds, a_folded_gpu_has_thin_rows_beside_its_name,
              pinned_lanes_stay_while_others_scroll, pinned_lanes_scroll_on_their_own,
              a_drag_of_the_border_gives_pinned_lanes_another_height, threads_without_calls_are_one_row_that_opens,
              the_pointer_acts_on_pinned_lanes, hidden_lanes_come_back, the_line_for_hidden_lanes_counts_pinned_ones,
              the_list_of_lanes_is_searched, lanes_are_moved_by_keys_and_mouse,
              pinned_lanes_are_moved_by_keys_and_mouse, curves_grow_and_deep_lanes_show_fewer_rows,
              python_frames_and_short_slices_are_left_out, streams_are_grouped_by_the_menu_of_a_head,
              the_arrangement_of_lanes_is_kept, the_first_arrangement_comes_back]))
