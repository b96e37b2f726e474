#!/usr/bin/env python3
"""Tests the search (typing, counting, stepping, filtering, the table of matches) and the palettes."""

import os
import subprocess
import sys
import tempfile

from window import BIN, SYNTHETIC, TRANSFORMER, Window, middle, run, xdotool


def count_of(expression, trace=TRANSFORMER):
    out = subprocess.run([os.path.join(BIN, "lanescope"), "find", trace, expression, "--format", "csv"],
                         capture_output=True, check=True, text=True).stdout
    return len(out.splitlines()) - 1


def write(w, text):
    xdotool("type", "--delay", "30", text)
    return w.wait(lambda s: s["search"]["text"].endswith(text) and not s["search"]["busy"], f"“{text}” to be searched for")


def search(w, text):
    assert w.key("slash")["search"]["focused"], "/ goes to the search"
    write(w, text)
    return w.still()


def is_hit(state):
    return state["selection"] and "mm" in state["selection"]["name"]


def typed_counted_and_stepped_through():
    wanted = count_of("name:mm")
    with Window(TRANSFORMER) as w:
        w.still()
        found = search(w, "name:mm")
        assert found["search"]["count"] == wanted, (found["search"], wanted)
        assert found["selection"] is None, "no match is chosen yet"
        first = w.key("Return")
        assert is_hit(first) and first["search"]["status"].startswith("1 of "), first["search"]
        second = w.key("Return")
        assert second["search"]["focused"], "the field keeps the keyboard"
        assert is_hit(second) and second["selection"]["start"] >= first["selection"]["start"]
        assert second["search"]["status"].startswith("2 of ")
        back = w.key("shift+Return")
        assert back["selection"] == first["selection"], "Shift+Enter goes back"
        last = w.key("shift+Return")
        number = last["search"]["status"].split(" of ")
        assert number[0] == number[1], f"from the first to the last: {last['search']}"
        left = w.key("Escape")
        assert not left["search"]["focused"] and left["search"]["text"] == "name:mm", "Esc leaves the field"
        third = w.key("F3")
        assert third["search"]["status"].startswith("1 of "), "wraps around at the end, also outside the field"


def hits_come_into_view():
    with Window(TRANSFORMER) as w:
        state = w.still()
        w.move(*middle(state["lanes"]))
        w.hold("w", 1.0)
        w.key("Home")
        search(w, "ProfilerStep#5")
        state = w.key("Return")
        start = state["selection"]["start"]
        assert state["range"][0] <= start + 1 and start < state["range"][1], (state["range"], start)


def errors_are_reported_with_their_position():
    with Window(TRANSFORMER) as w:
        w.still()
        state = search(w, "mm dur>x")
        assert state["search"]["error"]["place"] == 7, state["search"]
        assert state["search"]["count"] is None
        for _ in range(2):
            w.key("BackSpace")
        state = w.still()
        assert state["search"]["text"] == "mm dur"
        assert state["search"]["error"] is None


def filter_history_and_clearing():
    with tempfile.TemporaryDirectory() as config:
        with Window(TRANSFORMER, config=config) as w:
            w.still()
            search(w, "addmm")
            w.key("Return")
            w.key("Escape")
            assert w.key("shift+f")["search"]["filter"] == 1, "dimmed"
            assert w.key("shift+f")["search"]["filter"] == 2, "hidden"
            assert w.key("shift+f")["search"]["filter"] == 0
            for _ in range(4):
                if w.key("Escape")["search"]["text"] == "":
                    break
            cleared = w.still()
            assert cleared["search"]["text"] == "" and cleared["search"]["count"] is None, "Esc finally clears the search"
        with Window(TRANSFORMER, config=config) as w:
            w.still()
            w.key("ctrl+f")
            w.key("Up")
            state = w.wait(lambda s: s["search"]["count"], "the last search to come back")
            assert state["search"]["text"] == "addmm", state["search"]


def the_panel_lists_them():
    wanted = count_of("kernel", SYNTHETIC)
    with Window(SYNTHETIC) as w:
        w.still()
        search(w, "kernel")
        w.key("Escape")
        state = w.choose("ctrl+shift+p", "panel find")
        state = w.wait(lambda s: s["panels"]["Find"]["in_front"] and s["panels"]["Find"]["table"]
                       and s["panels"]["Find"]["table"]["rows"], "the list")
        table = state["panels"]["Find"]["table"]
        assert len(table["rows"]) == wanted or table.get("row_count") == wanted, table


def palettes_run_commands_and_go_to_lanes():
    with Window(SYNTHETIC) as w:
        w.still()
        assert w.choose("ctrl+shift+p", "legend")["legend_shown"]
        again = w.key("ctrl+shift+p")
        assert again["palette"]["lines"][0] == "Legend", "recently used commands come first"
        assert w.key("Escape")["palette"] is None
        assert w.state()["legend_shown"], "Esc closed only the palette"
        w.key("Escape")
        lanes = w.key("ctrl+p")["palette"]["lines"]
        down = w.key("Down")["palette"]["chosen"]
        assert down == 1
        w.key("Escape")
        last = lanes[-1]
        state = w.choose("ctrl+p", last)
        assert any(lane["name"] == last for lane in state["lanes_in_view"]), (last, state["lanes_in_view"])
        # Hidden lanes, those that need scrolling and pinned ones come into view.
        hidden = w.state()["hidden_lanes"]
        for name in ("overhead", "SM Active", "stream 20"):
            state = w.choose("ctrl+p", name)
            seen = [lane for lane in state["lanes_in_view"] if lane["name"].removesuffix(" %") == name]
            assert seen, (name, state["lanes_in_view"])
        assert seen[0]["pinned"] and state["hidden_lanes"] == hidden - 1


def the_first_line_of_the_palette_is_what_the_words_name():
    with Window(SYNTHETIC) as w:
        w.still()
        for words, panels in (("what if", {"What if"}), ("compare", {"Compare", "Traces"}),
                              ("time", {"Steps", "Breakdown", "Sections", "Critical path", "What if"})):
            state = w.choose("ctrl+shift+p", words)
            front = {name for name, panel in state["panels"].items() if panel["in_front"]}
            assert front & panels, (words, front)
        exports = w.choose("ctrl+shift+p", "export")["palette"]
        assert exports and any("picture" in line.lower() for line in exports["lines"]), exports


def a_greater_than_sign_asks_for_a_command():
    with Window(TRANSFORMER) as w:
        w.key("slash")
        xdotool("type", ">")
        w.wait(lambda s: s["palette"], "the commands")
        xdotool("type", "--delay", "30", "hide slices shorter")
        w.still()
        w.key("Return")
        state = w.wait(lambda s: s["short_hidden"], "short slices to be hidden")
        assert state["search"]["text"] == "", state["search"]


sys.exit(run([typed_counted_and_stepped_through, hits_come_into_view, errors_are_reported_with_their_position,
              filter_history_and_clearing, the_panel_lists_them, palettes_run_commands_and_go_to_lanes,
              the_first_line_of_the_palette_is_what_the_words_name,
              a_greater_than_sign_asks_for_a_command]))
