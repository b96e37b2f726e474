#!/usr/bin/env python3
"""Tests selecting with the mouse and stepping with keys: slices, their arguments, their flows, ranges of time."""

import gzip
import json
import os
import sys
import tempfile

from window import SYNTHETIC, TRANSFORMER, Window, middle, near, run, span, x_of, xdotool


def events_of(path):
    with gzip.open(path) as file:
        return json.load(file)["traceEvents"]


def row(state, lane, depth):
    for candidate in state["rows"]:
        if lane in candidate["lane"] and candidate["depth"] == depth:
            return candidate["y"]
    raise AssertionError(f"no row of {lane} at depth {depth} in view")


def place_of(state):
    """The selected slice, without its arguments, which arrive later."""
    return state["selection"]["start"], state["selection"]["depth"]


def click_selects_and_reads_arguments():
    with Window(TRANSFORMER) as w:
        state = w.still()
        lane = state["rows"][0]["lane"]
        y = row(state, lane, 0)
        left, _, right, _ = state["lanes"]
        found = None
        for part in range(1, 20):
            clicked = w.click(left + (right - left) * part / 20, y)
            if clicked["selection"]:
                found = clicked["selection"]
                break
        assert found, "something is selected on the outermost row"
        w.wait(lambda s: s["selection"] and s["selection"]["arguments"] is not None, "the arguments")
        selection = w.still()["selection"]
        same = [e for e in events_of(TRANSFORMER) if e.get("ph") == "X" and e["name"] == selection["name"]
                and near(float(e["dur"]) * 1000, selection["duration"], 1)]
        assert same, f"{selection['name']} is in the file with that duration"
        arguments = selection["arguments"]
        assert any(set(map(str, e.get("args", {}))) == set(arguments) for e in same), f"{arguments} are its arguments"


def the_selected_slice_is_explained():
    with Window(TRANSFORMER) as w:
        state = w.still()
        lane = state["rows"][0]["lane"]
        left, _, right, _ = state["lanes"]
        for part in range(1, 40):
            state = w.click(left + (right - left) * part / 40, row(state, lane, 0))
            if state["selection"]:
                break
        described = state["selection"]
        expected = "One step of the training" if described["name"].startswith("ProfilerStep") else ""
        assert described["explanation"].startswith(expected) and described["explanation"].endswith("."), described
        seen = {described["explanation"]}
        for _ in range(4):
            state = w.key("Down")
            seen.add(state["selection"]["explanation"])
        assert len(seen) >= 3, f"nested slices are distinguished: {seen}"


def parents_children_and_neighbours():
    with Window(TRANSFORMER) as w:
        state = w.still()
        lane = state["rows"][0]["lane"]
        left, _, right, _ = state["lanes"]
        for part in range(1, 40):
            state = w.click(left + (right - left) * part / 40, row(state, lane, 1))
            if state["selection"]:
                break
        child = state["selection"]
        assert child and child["depth"] == 1
        parent = w.key("Up")["selection"]
        assert parent["depth"] == 0
        assert parent["start"] <= child["start"]
        assert parent["start"] + parent["duration"] >= child["start"] + child["duration"]
        first = w.key("Down")["selection"]
        assert first["depth"] == 1 and first["start"] <= child["start"]
        following = w.key("period")["selection"]
        assert following["start"] >= first["start"] and following != first, ". goes on"
        assert w.key("comma")["selection"]["start"] == first["start"], ", goes back"
        gone = w.key("Escape")
        assert gone["selection"] is None


def frame_and_double_click():
    with Window(TRANSFORMER) as w:
        state = w.still()
        lane = state["rows"][0]["lane"]
        left, _, right, _ = state["lanes"]
        for part in range(4, 40):
            state = w.click(left + (right - left) * part / 40, row(state, lane, 1))
            if state["selection"]:
                break
        chosen = state["selection"]
        framed = w.key("f")
        assert framed["range"][0] < chosen["start"] and framed["range"][1] > chosen["start"] + chosen["duration"]
        assert span(framed) < chosen["duration"] * 1.2 + 100, "F frames the selection"
        everything = w.key("f")
        assert span(everything) > span(framed) * 1.5, "F again frames the whole trace"
        x = x_of(everything, chosen["start"] + chosen["duration"] / 2)
        zoomed = w.click(x, row(everything, lane, chosen["depth"]), times=2)
        assert span(zoomed) < span(everything) / 1.5, "a double click zooms to the slice"
        at = zoomed["selection"]
        assert zoomed["range"][0] < at["start"] and zoomed["range"][1] > at["start"] + at["duration"]


def flows_lead_from_launch_to_kernel_and_back():
    launches = {e["args"]["correlation"]: e for e in events_of(SYNTHETIC)
                if e.get("cat") == "cuda_runtime" and "correlation" in e.get("args", {})}
    with Window(SYNTHETIC) as w:
        state = w.still()
        lane = state["rows"][0]["lane"]
        left, _, right, _ = state["lanes"]
        for part in range(1, 40):
            state = w.click(left + (right - left) * part / 40, row(state, lane, 0))
            if state["selection"]:
                break
        for _ in range(400):
            state = w.state()
            if state["selection"]["kind"] == "runtime" and state["selection"]["launches"]:
                break
            before = place_of(state)
            xdotool("key", "period")
            state = w.wait(lambda s: place_of(s) != before, "the next slice")
        launch = w.still()["selection"]
        assert launch["launches"], "a call that launches is found along the lane"
        kernel = w.key("bracketright")["selection"]
        assert kernel["kind"] in ("kernel", "memory", "communication"), kernel["kind"]
        assert kernel["name"] == launch["launches"][0]
        assert kernel["start"] >= launch["start"]
        assert kernel["origin"][-1] == launch["name"]
        w.wait(lambda s: s["selection"]["arguments"] is not None, "the kernel's arguments")
        correlation = int(w.still()["selection"]["arguments"]["correlation"])
        assert launches[correlation]["name"] == launch["name"]
        back = w.key("bracketleft")["selection"]
        assert (back["name"], back["start"]) == (launch["name"], launch["start"])


def a_drag_marks_a_range():
    with Window(TRANSFORMER) as w:
        state = w.still()
        y = state["rows"][0]["y"]
        left, _, right, _ = state["lanes"]
        x0 = left + (right - left) * 0.3
        x1 = left + (right - left) * 0.6
        marked = w.drag(x0, y, x1, y)
        assert marked["marked"], "a range is marked"
        assert near(marked["marked"]["begin"], state["range"][0] + 0.3 * span(state), span(state) / 100)
        assert near(marked["marked"]["end"], state["range"][0] + 0.6 * span(state), span(state) / 100)
        w.wait(lambda s: s["marked"]["slices"], "the number of slices in the range")
        assert marked["range"] == state["range"], "and the view stays"
        assert w.key("Escape")["marked"] is None
        w.hold("w", 0.6)
        before = w.still()
        panned = w.drag(x1, y, x0, y, button=2)
        assert panned["range"][0] > before["range"][0], "the middle button pans"
        assert panned["marked"] is None


def the_overview_moves_the_view():
    with Window(TRANSFORMER) as w:
        state = w.still()
        left, top, right, bottom = state["overview"]
        y = (top + bottom) / 2
        at = lambda part: left + (right - left) * part  # noqa: E731
        new = w.drag(at(0.4), y, at(0.5), y) if span(state) < state["content"][1] - state["content"][0] else None
        w.move(*middle(state["lanes"]))
        w.hold("w", 0.8)
        before = w.still()
        jumped = w.drag(at(0.05), y, at(0.15), y)
        content = state["content"]
        length = content[1] - content[0]
        assert near(jumped["range"][0], content[0] + 0.05 * length, 0.02 * length), (new, before["range"], jumped["range"])
        assert near(span(jumped), 0.1 * length, 0.02 * length), "a new window is drawn"
        moved = w.drag(at(0.1), y, at(0.5), y)
        assert near(moved["range"][0], content[0] + 0.45 * length, 0.02 * length), "the window is dragged"
        assert near(span(moved), span(jumped), 0.001 * length)
        wider = w.drag(at(0.55), y, at(0.75), y)
        assert near(span(wider), 0.3 * length, 0.02 * length), "its edge is dragged"


def the_overview_leaves_out_a_jump_of_the_clock():
    """One event at time 0, and all others three days later: the overview shows only those."""
    begin = 3 * 86_400_000_000
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": "first", "ts": 0, "dur": 1}]
    events += [{"ph": "X", "pid": 1, "tid": 1, "name": f"call {i}", "ts": begin + 1000 * i, "dur": 700} for i in range(1000)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jump.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)
        with Window(path) as w:
            state = w.still()
            left, top, right, bottom = state["overview"]
            y = (top + bottom) / 2
            w.drag(left + (right - left) * 0.25, y, left + (right - left) * 0.5, y)
            shown = w.still()["range"]
            assert near(shown[0], begin * 1000 + 250_000_000, 10_000_000), shown
            assert near(shown[1], begin * 1000 + 500_000_000, 10_000_000), shown


def heads_fold_groups():
    with Window(TRANSFORMER) as w:
        state = w.still()
        group = state["groups"][0]
        x = (state["heads"][0] + state["heads"][2]) / 2
        folded = w.click(x, group["y"])
        assert folded["groups"][0]["collapsed"]
        assert len(folded["rows"]) < len(state["rows"])
        assert not w.click(x, group["y"])["groups"][0]["collapsed"]


sys.exit(run([click_selects_and_reads_arguments, the_selected_slice_is_explained, parents_children_and_neighbours, frame_and_double_click,
              flows_lead_from_launch_to_kernel_and_back, a_drag_marks_a_range, the_overview_moves_the_view,
              the_overview_leaves_out_a_jump_of_the_clock, heads_fold_groups]))
