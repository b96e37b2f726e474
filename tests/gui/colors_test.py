#!/usr/bin/env python3
"""Tests colour modes, the legend and its filter with real keys and mouse."""

import contextlib
import json
import os
import sys
import tempfile

from window import SYNTHETIC, TRANSFORMER, Window, area_of, lane_box, run, xdotool

MODES = ["category", "name", "deviation", "step", "module", "occupancy", "hotspot", "bound", "family"]


def mode_is(word):
    return lambda s: "colors" in s and s["colors"]["mode"] == word and s["colors"]["counted"]


def the_key_cycles_through_all_modes():
    with Window(SYNTHETIC) as w:
        first = w.wait(mode_is("category"), "the counts")
        total = sum(first["colors"]["classes"].values())
        for word in MODES[1:] + MODES[:1]:
            xdotool("key", "c")
            state = w.wait(mode_is(word), f"colours by {word}")
            assert sum(state["colors"]["classes"].values()) == total, state["colors"]
            assert word in state["message"], state["message"]


def the_field_the_menu_and_the_palette_choose_one():
    with Window(SYNTHETIC) as w:
        state = w.wait(mode_is("category"), "the counts")
        assert w.click(*state["colors"]["field"])["menu_shown"]
        assert not w.key("Escape")["menu_shown"], "Esc closes the list"
        w.click(*state["colors"]["field"])
        x, y = state["colors"]["field"]
        w.click(x, y + 50)  # the second line
        w.wait(mode_is("name"), "the list's choice")
        w.click(*state["colors"]["field"])
        w.key("Down")
        w.key("Return")
        w.wait(mode_is("deviation"), "the mode chosen from the list by keys")
        assert w.key("ctrl+shift+p")["palette"]
        xdotool("type", "--delay", "30", "colours by occ")
        w.still()
        w.key("Return")
        w.wait(mode_is("occupancy"), "the palette's choice")


def a_trace_without_known_categories_is_coloured_by_name():
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": f"part {i % 7}", "cat": "mine", "ts": 10 * i, "dur": 5}
              for i in range(70)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        with Window(path) as w:
            w.wait(mode_is("name"), "colours by name")
            w.key("F5")
            w.wait(mode_is("name"), "the same after a reload")
            w.choose("ctrl+shift+p", "colours by cat")
            w.wait(mode_is("category"), "what was chosen")
            w.key("F5")
            state = w.wait(mode_is("category"), "the chosen mode, after a reload")
            assert state["colors"]["classes"] == {"everything else": 70}, state["colors"]


def a_mode_stays_when_the_file_is_reloaded():
    with Window(TRANSFORMER) as w:
        w.wait(mode_is("category"), "the counts")
        xdotool("key", "c")
        before = w.wait(mode_is("name"), "colours by name")
        w.key("F5")
        after = w.wait(mode_is("name"), "the same after a reload")
        assert after["colors"]["classes"] == before["colors"]["classes"]
        # Hidden slices count too.
        w.key("y")
        assert w.wait(mode_is("name"), "with other Python frames")["colors"]["classes"] == before["colors"]["classes"]


@contextlib.contextmanager
def window_with_a_deep_lane():
    """A thread is higher than the window, and its GPU has one stream."""
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": f"call {i}", "cat": "cpu_op", "ts": i, "dur": 1000 - 2 * i}
              for i in range(80)]
    events += [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 200 + 20 * i, "dur": 10,
                "args": {"device": 0, "stream": 7}} for i in range(9)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "deep.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        with Window(path) as w:
            w.wait(mode_is("category"), "the counts")
            yield w


def shows_the_stream(state):
    box = lane_box(state, "stream 7")
    _, top, _, bottom = area_of(state, box)
    return box["y0"] >= top and box["y1"] <= bottom


def toggle_pin(w, lane):
    state = w.still()
    w.move(state["heads"][0] + 100, lane_box(state, lane)["y0"] + 15)
    return w.key("p")


def a_mode_of_gpu_work_brings_it_into_view():
    with window_with_a_deep_lane() as w:
        assert w.still()["scroll_y"] == 0 and shows_the_stream(w.state()), "it is pinned at first"
        w.choose("ctrl+shift+p", "colours by hot")
        w.wait(mode_is("hotspot"), "colours by lost time")
        assert w.still()["scroll_y"] == 0, "a pinned stream is in view already"
        assert not shows_the_stream(toggle_pin(w, "stream 7")), w.state()["lane_boxes"]
        w.choose("ctrl+shift+p", "colours by module")
        w.wait(mode_is("module"), "colours by module")
        assert w.still()["scroll_y"] == 0, "calls have colours too"
        w.choose("ctrl+shift+p", "colours by hot")
        w.wait(mode_is("hotspot"), "colours by lost time")
        state = w.still()
        assert shows_the_stream(state) and state["scroll_y"] > 0, state["lane_boxes"]
        # The view stays if the stream is already visible, or if the user has moved the view.
        w.choose("ctrl+shift+p", "colours by occ")
        w.wait(mode_is("occupancy"), "colours by occupancy")
        assert w.still()["scroll_y"] == state["scroll_y"]
        w.key("F5")
        w.wait(mode_is("occupancy"), "the same after a reload")
        xdotool("key", "slash")
        xdotool("type", "--delay", "20", "call 3")
        w.key("Return")
        w.key("Escape")
        looked = w.wait(lambda s: s["selection"], "a call")
        w.choose("ctrl+shift+p", "colours by bound")
        w.wait(mode_is("bound"), "colours by what bounds")
        assert w.still()["selection"] == looked["selection"] and not shows_the_stream(w.state())


def a_mode_of_gpu_work_brings_it_into_view_among_pinned_lanes():
    with window_with_a_deep_lane() as w:
        state = toggle_pin(w, "thread 1")
        assert len(state["pinned"]) == 2 and not shows_the_stream(state), state["pinned"]
        w.choose("ctrl+shift+p", "colours by hot")
        w.wait(mode_is("hotspot"), "colours by lost time")
        assert shows_the_stream(w.still()), w.state()["pinned"]


def lost_time_uses_the_peaks_of_the_user():
    figures = {"memory_bandwidth_gb_s": 1000, "fp32": 20, "tf32_tensor": 100, "fp16_tensor": 200, "bf16_tensor": 200}
    with tempfile.TemporaryDirectory() as config:
        folder = os.path.join(config, "lanescope")
        os.mkdir(folder)
        path = os.path.join(folder, "gpu_specs.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"name": "*", "figures": figures}], file)
        for arguments, xdg in [((SYNTHETIC,), config), ((SYNTHETIC, "--specs", path), None)]:
            with Window(*arguments, "--color", "hotspot", config=xdg) as w:
                state = w.wait(mode_is("hotspot"), "lost times")
                assert "20 to 40 %" in state["colors"]["classes"], state["colors"]["classes"]
        with Window(SYNTHETIC, "--color", "hotspot") as w:
            state = w.wait(mode_is("hotspot"), "lost times")
            assert "20 to 40 %" not in state["colors"]["classes"], "this device's peaks are unknown"
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}")
        with Window(SYNTHETIC, config=config) as w:
            assert "gpu_specs.json" in w.still()["message"], "a broken file is reported"


def the_legend_filters():
    with Window(SYNTHETIC) as w:
        w.wait(mode_is("category"), "the counts")
        state = w.key("l")
        assert state["legend_shown"]
        lines = state["colors"]["legend"]
        counts = state["colors"]["classes"]
        assert set(lines) == set(counts), (lines, counts)
        w.click(*lines["GPU kernels"])
        one = w.wait(lambda s: s["colors"]["lit"], "kernels to be found")
        assert one["colors"]["chosen"] == ["GPU kernels"]
        assert one["colors"]["lit"] == counts["GPU kernels"]
        assert one["selection"] is None, "only the legend handles the click"
        xdotool("keydown", "shift")
        w.click(*lines["copies and sets"])
        xdotool("keyup", "shift")
        two = w.wait(lambda s: s["colors"]["lit"] == counts["GPU kernels"] + counts["copies and sets"], "both")
        assert set(two["colors"]["chosen"]) == {"GPU kernels", "copies and sets"}
        assert not two["colors"]["hides"]
        hidden = w.click(*two["colors"]["hidden_place"])
        assert hidden["colors"]["hides"], "hidden instead of dimmed"
        w.click(*lines["copies and sets"])
        alone = w.wait(lambda s: s["colors"]["lit"] == counts["copies and sets"], "a plain click chooses a single class")
        assert alone["colors"]["chosen"] == ["copies and sets"]
        none = w.click(*lines["copies and sets"])
        assert none["colors"]["chosen"] == [], "a second click shows all classes"


def keys_reach_the_filter_and_escape_leaves_it():
    with Window(SYNTHETIC) as w:
        w.wait(mode_is("category"), "the counts")
        for name in ("GPU kernels", "synchronisation"):
            palette = w.key("shift+c")["palette"]
            assert name in palette["lines"], palette
            xdotool("type", "--delay", "30", name[:8].lower())
            w.still()
            w.key("Return")
        state = w.wait(lambda s: s["colors"]["lit"], "their slices")
        assert set(state["colors"]["chosen"]) == {"GPU kernels", "synchronisation"}, state["colors"]["chosen"]
        xdotool("key", "c")
        state = w.wait(mode_is("name"), "colours by name")
        assert state["colors"]["chosen"] == [], "another mode has other classes"
        palette = w.key("shift+c")["palette"]
        w.key("Return")
        state = w.wait(lambda s: s["colors"]["lit"], "the first name")
        assert len(state["colors"]["chosen"]) == 1
        assert w.key("Escape")["colors"]["chosen"] == []


sys.exit(run([the_key_cycles_through_all_modes, the_field_the_menu_and_the_palette_choose_one,
              a_trace_without_known_categories_is_coloured_by_name,
              a_mode_stays_when_the_file_is_reloaded, a_mode_of_gpu_work_brings_it_into_view,
              a_mode_of_gpu_work_brings_it_into_view_among_pinned_lanes, lost_time_uses_the_peaks_of_the_user,
              the_legend_filters, keys_reach_the_filter_and_escape_leaves_it]))
