#!/usr/bin/env python3
"""Tests ranges over lanes and the panel Range, marking all slices like one, and the history of selections."""

import gzip
import json
import sys
import time

from window import SYNTHETIC, Window, near, ruler_y, run, xdotool


def events_of_any_kind():
    """All but metadata."""
    with gzip.open(SYNTHETIC) as file:
        return [e for e in json.load(file)["traceEvents"] if e.get("ph") != "M" and "ts" in e]


def complete_events():
    return [e for e in events_of_any_kind() if e["ph"] == "X"]


def rows_of(state, lane):
    return [r["y"] for r in state["rows"] if r["lane_id"] == lane]


def at(state, part):
    left, _, right, _ = state["lanes"]
    return left + (right - left) * part


def panel(w, condition=lambda p: True):
    return w.wait(lambda s: s["range_panel"] and condition(s["range_panel"]), "the Range panel")["range_panel"]


def spread(count):
    """Yields fractions of a whole, each far from those before it, so that a try hits a slice soon."""
    return [(k * 0.618034) % 1 for k in range(1, count)]


def select_something(w, lane, depth):
    state = w.still()
    y = next(r["y"] for r in state["rows"] if r["lane_id"] == lane and r["depth"] == depth)
    for part in spread(60):
        state = w.click(at(state, part), y)
        if state["selection"]:
            return state
    raise AssertionError("nothing to select")


def a_drag_over_lanes_marks_those_lanes():
    with Window(SYNTHETIC) as w:
        state = w.still()
        first, second = rows_of(state, 0), rows_of(state, 1)
        one = w.drag(at(state, 0.3), first[0], at(state, 0.6), first[3])
        assert one["marked"]["lanes"] == [0], one["marked"]
        assert one["panels"]["Range"]["in_front"], "the Range panel comes to the front"
        both = w.drag(at(state, 0.3), second[-1], at(state, 0.6), first[2])
        assert both["marked"]["lanes"] == [0, 1], both["marked"]
        one_count = w.wait(lambda s: s["marked"]["slices"], "the count")["marked"]["slices"]
        y = ruler_y(state)
        everything = w.drag(at(state, 0.3), y, at(state, 0.6), y)
        assert everything["marked"]["lanes"] == [], "a drag along the ruler marks all lanes"
        counted = w.wait(lambda s: s["marked"]["slices"], "the count")
        assert counted["marked"]["slices"] > one_count


def a_drag_may_end_among_pinned_lanes_or_begin_there():
    with Window(SYNTHETIC) as w:
        state = w.still()
        thread = rows_of(state, 1)[0]
        stream, other = (next(r["y"] for r in state["pinned_rows"] if r["lane_id"] == lane) for lane in (6, 7))
        down = w.drag(at(state, 0.3), thread, at(state, 0.6), stream)
        assert down["marked"]["lanes"] == [1, 6], down["marked"]
        up = w.drag(at(state, 0.6), other, at(state, 0.3), thread)
        assert up["marked"]["lanes"] == [1, 6, 7, 15], up["marked"]
        pinned = w.drag(at(state, 0.3), stream, at(state, 0.6), other)
        assert pinned["marked"]["lanes"] == [6, 7, 15], pinned["marked"]


def the_panel_agrees_with_the_file():
    with Window(SYNTHETIC) as w:
        state = w.still()
        y = ruler_y(state)
        # From before the first event to after the last one: the range contains everything.
        w.key("ctrl+a")
        shown = panel(w)
        events = complete_events()
        assert shown["slices"] == len(events), (shown["slices"], len(events))
        sums = {}
        for e in events:
            key = (e["name"], e["cat"])
            count, total = sums.get(key, (0, 0))
            sums[key] = (count + 1, total + round(float(e["dur"]) * 1000))
        assert shown["row_count"] == len(sums)
        for row in shown["rows"]:
            same = [v for (name, _), v in sums.items() if name == row["name"]]
            assert any(count == row["count"] and near(total, row["total"], count) for count, total in same), row
            assert row["self"] <= row["total"] and near(row["mean"], row["total"] / row["count"], 1)
        totals = [row["total"] for row in shown["rows"]]
        assert totals == sorted(totals, reverse=True), "the largest total first"
        marked = w.state()["marked"]
        for gpu in shown["devices"]:
            assert near(gpu["busy"] + gpu["idle"], marked["end"] - marked["begin"], 1)
            assert gpu["busy"] > 0
        less = w.drag(at(state, 0.2), y, at(state, 0.5), y)
        fewer = panel(w, lambda p: p["slices"] < shown["slices"])
        begin, end = less["marked"]["begin"], less["marked"]["end"]
        origin = round(min(float(e["ts"]) for e in events_of_any_kind()) * 1000)
        inside = sum(begin <= float(e["ts"]) * 1000 - origin < end for e in events)
        assert near(fewer["slices"], inside, 2), (fewer["slices"], inside)


def rows_lead_to_the_timeline_and_lanes_have_a_table():
    with Window(SYNTHETIC) as w:
        w.key("ctrl+a")
        shown = panel(w)
        box = w.state()["panels"]["Range"]["box"]
        state = w.click(box[0] + 60, shown["first_row_y"])
        assert state["selection"]["name"] == shown["rows"][0]["name"], "a click selects the longest of the name"
        assert state["range"][1] - state["range"][0] < 1.2 * state["selection"]["duration"], "and frames it"
        assert state["panels"]["Range"]["in_front"], "the panel stays"
        w.click(*shown["forms"]["lanes"])
        lanes = panel(w, lambda p: "lane" in p["rows"][0])
        assert lanes["rows"][0]["busy"] >= lanes["rows"][1]["busy"] > 0
        assert sum(r["count"] for r in lanes["rows"]) == lanes["slices"]
        # The title of the first column sorts by name.
        w.click(*lanes["forms"]["names"])
        named = panel(w, lambda p: "name" in p["rows"][0])
        header = named["first_row_y"] - 32
        w.click(box[0] + 40, header)
        ordered = panel(w, lambda p: p["rows"][0] != shown["rows"][0])
        assert ordered["row_count"] == shown["row_count"]


def keys_make_and_clear_a_range():
    with Window(SYNTHETIC) as w:
        state = select_something(w, 0, 2)
        chosen = state["selection"]
        marked = w.key("r")["marked"]
        assert (marked["begin"], marked["end"]) == (chosen["start"], chosen["start"] + chosen["duration"])
        assert marked["lanes"] == []
        whole = w.key("ctrl+a")["marked"]
        view = w.still()["range"]
        assert near(whole["begin"], view[0], 2) and near(whole["end"], view[1], 2)
        state = w.key("Escape")
        assert state["marked"] is None and state["selection"], "Esc clears the range first"
        assert w.key("Escape")["selection"] is None


def all_like_one_are_counted_and_stepped_through():
    with Window(SYNTHETIC) as w:
        state = w.still()
        for part in spread(200):
            state = w.click(at(state, 0.37 + part / 4), rows_of(state, 1)[0])
            if state["selection"]:
                break
        name = state["selection"]["name"]
        kind = state["selection"]["kind"]
        w.key("ctrl+shift+a")
        alike = w.wait(lambda s: s["alike"], "all alike")["alike"]
        events = [e for e in complete_events() if e["name"] == name]
        assert alike["name"] == name and alike["count"] == len(events), (alike, len(events), kind)
        assert near(alike["total"], sum(round(float(e["dur"]) * 1000) for e in events), len(events))
        starts = []
        for _ in range(alike["count"]):
            before = w.state()["alike"]["place"]
            xdotool("key", "period")
            state = w.wait(lambda s: s["alike"]["place"] != before or alike["count"] == 1, "the next one")
            assert state["selection"]["name"] == name
            starts.append(state["selection"]["start"])
        assert len(set(starts)) == alike["count"], "each slice is visited once"
        assert w.state()["alike"]["place"] == alike["place"], "and then the first slice again"
        back = w.key("comma")
        assert back["alike"]["place"] == (alike["place"] - 1) % alike["count"]
        gone = w.key("Escape")
        assert gone["alike"] is None and gone["selection"], "Esc clears the marks first"


def the_menu_of_a_slice():
    with Window(SYNTHETIC) as w:
        state = w.still()
        y = rows_of(state, 0)[1]
        for part in spread(60):
            x = at(state, part)
            w.move(x, y)
            hover = w.still()["hover"]
            if hover and hover["kind"] != "dead window":
                break
        state = w.click(x, y, button=3)
        assert state["selection"], "a right click selects"
        assert state["alike"] is None
        w.click(x + 60, y + 58)  # the menu's third line: mark all slices like it
        assert w.wait(lambda s: s["alike"], "all alike")["alike"]["name"] == state["selection"]["name"]


def the_history_goes_back_and_forward():
    with Window(SYNTHETIC) as w:
        first = select_something(w, 0, 0)["selection"]
        second = w.key("Down")["selection"]
        third = w.key("Down")["selection"]
        view = w.still()["range"]
        place = lambda s: (s["selection"]["name"], s["selection"]["start"])  # noqa: E731
        assert place(w.key("BackSpace")) == (second["name"], second["start"])
        assert place(w.key("BackSpace")) == (first["name"], first["start"])
        assert place(w.key("shift+BackSpace")) == (second["name"], second["start"])
        assert place(w.key("shift+BackSpace")) == (third["name"], third["start"])
        assert w.still()["range"] == view, "the view has a history of its own"
        w.key("Escape")
        assert place(w.key("BackSpace")) == (third["name"], third["start"]), "the previous selection returns"
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(run([a_drag_over_lanes_marks_those_lanes, a_drag_may_end_among_pinned_lanes_or_begin_there,
                  the_panel_agrees_with_the_file, rows_lead_to_the_timeline_and_lanes_have_a_table,
                  keys_make_and_clear_a_range, all_like_one_are_counted_and_stepped_through, the_menu_of_a_slice,
                  the_history_goes_back_and_forward]))
