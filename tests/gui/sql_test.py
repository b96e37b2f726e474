#!/usr/bin/env python3
"""Tests the panel SQL: writing and running a query, rows that lead to the timeline, errors, completion, cancelling, saved queries."""

import csv
import io
import os
import subprocess
import sys
import time

from window import BIN, SYNTHETIC, Window, middle, near, press, run, span, x_of, xdotool

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
KERNELS = "select name, ts, dur from kernel order by dur desc"


def sql(query):
    """The rows of the command line."""
    out = subprocess.run([os.path.join(BIN, "lanescope"), "sql", SYNTHETIC, query, "--format", "csv"], capture_output=True, check=True,
                         text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def open_panel(w):
    """Through the palette; then the editor has the keyboard."""
    w.show_panel("SQL")
    w.wait(lambda s: s["sql"]["tables"] > 20, "the names of tables")
    state = w.still()
    state = w.click(*state["sql"]["editor"])
    assert state["sql"]["focused"], state["sql"]
    return state


def write(w, query):
    """Replaces the text of the editor."""
    state = w.still()
    if not state["sql"]["focused"]:
        w.click(*state["sql"]["editor"])
    for _ in range(4):
        before = w.still()
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "25", query)
        w.wait_until_handled(before, 2 * (len(query) + 2))
        if w.still()["sql"]["text"] == query:
            return
    raise AssertionError(f"typed {query!r} in vain: {w.state()['sql']['text']!r}")


def answer(w, query):
    """Writes and runs a query, and returns the state with its answer."""
    write(w, query)
    answers = w.still()["sql"]["answers"]
    press(w, "ctrl+Return")
    w.wait(lambda s: s["sql"]["answers"] > answers, "an answer")
    return w.still()


def table(state):
    return state["panels"]["SQL"]["table"]


def a_query_has_the_rows_of_the_command_line():
    expected = sql(KERNELS)
    with Window(SYNTHETIC) as w:
        open_panel(w)
        state = answer(w, KERNELS)
        assert state["sql"]["note"] == "" and state["sql"]["row_count"] == len(expected), state["sql"]
        rows = table(state)["rows"]
        assert [(row["name"], row["ts"], row["dur"]) for row in rows] == [
            (row["name"], row["ts"], row["dur"]) for row in expected[:len(rows)]]
        # A row leads to its place.
        x = (table(state)["columns"]["name"][0] + table(state)["columns"]["name"][1]) / 2
        before = span(state)
        state = w.click(x, table(state)["first_row_y"])
        longest = int(expected[0]["dur"])
        assert longest <= span(state) < min(before, 20 * longest), (span(state), longest)


def an_error_says_its_place():
    with Window(SYNTHETIC) as w:
        open_panel(w)
        state = answer(w, "select ts, nowhere from slice")
        assert state["sql"]["note"] == "Line 1, column 12: no such column: nowhere", state["sql"]
        assert state["sql"]["caret"] == [1, 12] and state["sql"]["focused"], state["sql"]
        # Keys of the timeline are text here, until Esc leaves the editor with its text.
        state = w.key("Escape")
        assert not state["sql"]["focused"] and state["sql"]["text"] == "select ts, nowhere from slice", state["sql"]


def names_are_completed_by_tab():
    with Window(SYNTHETIC) as w:
        open_panel(w)
        write(w, "select * from runt")
        state = w.key("Tab")
        assert state["sql"]["text"] == "select * from runtime_", "what all names have in common"
        state = w.key("Tab")
        assert "runtime_call" in state["sql"]["words"], state["sql"]
        xdotool("type", "--delay", "25", "ca")
        w.still()
        assert w.key("Tab")["sql"]["text"] == "select * from runtime_call ", w.state()["sql"]
        xdotool("type", "--delay", "25", "where runtime_call.d")
        w.still()
        assert w.key("Tab")["sql"]["text"].endswith("runtime_call.dur "), "the only column with d"


def a_long_query_is_cancelled_and_an_idle_panel_draws_nothing():
    with Window(SYNTHETIC) as w:
        open_panel(w)
        write(w, ENDLESS)
        press(w, "ctrl+Return")
        state = w.wait(lambda s: s["sql"]["running"], "the query to run")
        assert "Cancel" in state["sql"]["places"], state["sql"]
        time.sleep(0.5)
        assert w.state()["sql"]["running"], "nobody has stopped it yet"
        press(w, "Escape")
        w.wait(lambda s: not s["sql"]["running"], "the query to end")
        state = w.still()
        assert state["sql"]["note"].startswith("Cancelled after "), state["sql"]
        # Closing the window while a query runs does not wait for it.
        w.click(*state["sql"]["editor"])
        press(w, "ctrl+Return")
        w.wait(lambda s: s["sql"]["running"], "the query to run again")
        w.process.terminate()
        assert w.process.wait(timeout=20) is not None


def rows_become_lanes():
    with Window(SYNTHETIC) as w:
        open_panel(w)
        before = answer(w, KERNELS)
        count = before["sql"]["row_count"]
        state = w.click(*before["sql"]["places"]["Show as lane"])
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "25", "my kernels")
        w.key("Return")
        state = w.wait(lambda s: s["query_lanes"], "the lane")
        state = w.still()
        lane, = state["query_lanes"]
        assert lane["name"] == "my kernels" and lane["count"] == count and lane["left_out"] == 0, lane
        height = lane["box"][3] - lane["box"][1]
        assert near(state["lanes"][1], before["lanes"][1] + height, 0.1), "the lanes of the trace are below it"
        # A curve, under the next name.
        answer(w, "select ts, dur as value from kernel order by ts")
        w.click(*w.still()["sql"]["places"]["Show as lane"])
        w.key("Return")
        w.wait(lambda s: len(s["query_lanes"]) == 2, "the second lane")
        state = w.still()
        assert state["query_lanes"][1]["name"] == "SQL 2", state["query_lanes"]
        # The card under the pointer, and a click: the longest kernel.
        longest = sql(KERNELS)[0]
        origin = int(sql("select start_ts from trace_bounds")[0]["start_ts"])
        begin = int(longest["ts"]) - origin
        x = round((x_of(state, begin) + x_of(state, begin + int(longest["dur"]))) / 2)
        y = state["query_lanes"][0]["box"][1] + 8
        w.move(x, y)
        hover = w.wait(lambda s: s["hover"], "the card")["hover"]
        assert hover["kind"] == "row of a query" and longest["name"].startswith(hover["name"][:8]), (hover, longest)
        state = w.click(x, y)
        assert (state["marked"]["begin"], state["marked"]["end"]) == (begin, begin + int(longest["dur"])), state["marked"]
        w.click(*middle(state["query_lanes"][0]["remove"]))
        state = w.wait(lambda s: len(s["query_lanes"]) == 1, "the first lane to go")
        assert state["query_lanes"][0]["name"] == "SQL 2", state["query_lanes"]


def queries_are_remembered_and_saved():
    with Window(SYNTHETIC) as w:
        open_panel(w)
        answer(w, "select 1 as one")
        answer(w, "select 2 as two")
        assert w.key("ctrl+Up")["sql"]["text"] == "select 2 as two"
        assert w.key("ctrl+Up")["sql"]["text"] == "select 1 as one"
        assert w.key("ctrl+Down")["sql"]["text"] == "select 2 as two"
        state = w.click(*w.still()["sql"]["places"]["Saved"])
        w.click(*state["sql"]["places"]["name"])
        xdotool("type", "--delay", "25", "pair")
        w.key("Return")
        w.key("Escape")
        # The settings are written a moment after a change.
        settings = os.path.join(w.config, "lanescope", "settings.json")
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if os.path.exists(settings):
                with open(settings, encoding="utf-8") as file:
                    text = file.read()
                if '"pair": "select 2 as two"' in text:
                    break
            time.sleep(0.1)
        else:
            raise AssertionError("the query was not saved")
        assert text.count("select 1 as one") == 1, text


if __name__ == "__main__":
    sys.exit(run([a_query_has_the_rows_of_the_command_line, an_error_says_its_place, names_are_completed_by_tab,
                  a_long_query_is_cancelled_and_an_idle_panel_draws_nothing, rows_become_lanes, queries_are_remembered_and_saved]))
