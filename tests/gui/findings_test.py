#!/usr/bin/env python3
"""Tests the findings in the window: beside the timeline, in their panel, on the overview; and their thresholds."""

import json
import os
import subprocess
import sys
import tempfile

from window import SYNTHETIC, BIN, Window, middle, run, traces_here, xdotool

LANESCOPE = os.path.join(BIN, "lanescope")
REAL = ("h100_bert_small.json.gz", "h100_owlv2_shapes_stack_memory.json.gz", "a100_rank0_of16.json.gz",
        "rtx3090_vllm.pt.trace.json.gz")


def command_line(trace, *words):
    return json.loads(subprocess.run([LANESCOPE, "findings", trace, "--format", "json", *words], check=True,
                                     capture_output=True).stdout)


def known(w):
    return w.wait(lambda s: s.get("findings") and s["findings"]["ready"], "the findings")


def rule(state, name):
    names = [finding["rule"] for finding in state["findings"]["list"]]
    assert name in names, names
    return names.index(name)


def is_framed(state, place):
    """Whether the view shows all of a place, and at most five times as much; at least some nanoseconds are in view."""
    begin, end = state["range"]
    length = place["duration_ns"]
    inside = begin <= place["start_ns"] and place["start_ns"] + length <= end
    return inside and end - begin < max(5 * length, 2000)


def the_window_and_the_command_line_say_the_same():
    for trace in [SYNTHETIC, *traces_here(*(f"torch/{name}" for name in REAL))]:
        expected = command_line(trace)
        with Window(trace) as w:
            found = known(w)["findings"]
            assert [f["rule"] for f in found["list"]] == [f["id"] for f in expected], (trace, found)
            for shown, printed in zip(found["list"], expected, strict=True):
                assert shown["title"] == printed["title"] + ".", (shown, printed)
                assert shown["severity"] == printed["severity"] and shown["advice"] == printed["advice"]
                assert len(shown["places"]) == len(printed["places"]), shown
                assert shown["page"] == printed["link"], shown
            text = " ".join(subprocess.run([LANESCOPE, "findings", trace], check=True, capture_output=True,
                                           text=True).stdout.split())
            for line in found["conclusion"]:
                assert line in text, line


def is_at(state, place):
    """Whether a place of a finding is selected: a slice or an idle gap."""
    return any(one and one["start"] == place["start_ns"] for one in (state["gap"], state["selection"]))


def a_click_on_a_card_frames_one_place_after_another():
    check_cards(SYNTHETIC, "comm-exposed")
    for trace in traces_here("torch/h100_bert_small.json.gz"):
        check_cards(trace, "overhead-bound")


def check_cards(trace, name):
    expected = command_line(trace)
    with Window(trace) as w:
        state = known(w)
        sync = rule(state, "sync-in-step")
        state = w.click(*middle(state["finding_cards"]["boxes"][sync]))
        place = expected[sync]["places"][0]
        state = w.wait(lambda s: s["selection"] and s["selection"]["in_view"], "the call")
        assert state["selection"]["name"] == place["name"] and state["selection"]["start"] == place["start_ns"], state["selection"]
        assert is_framed(w.still(), place), (w.state()["range"], place)
        w.key("Escape")
        state = w.wait(lambda s: s["finding_cards"]["boxes"], "the cards")
        assert state["findings"]["chosen"] == sync
        first = rule(state, name)
        places = expected[first]["places"]
        for number in (0, 1, 2):
            state = w.wait(lambda s: s["finding_cards"]["boxes"], "the cards")
            w.click(*middle(state["finding_cards"]["boxes"][first]))
            state = w.wait(lambda s, n=number: s["findings"]["place"] == n and is_at(s, places[n]), f"place {number}")
            assert is_framed(w.still(), places[number]), (state["range"], places[number])
            assert state["findings"]["list"][first]["place"].startswith(f"{number + 1} of {len(places)}: ")
            w.key("Escape")


def keys_walk_through_places_and_findings():
    for trace in (SYNTHETIC, *traces_here("torch/h100_bert_small.json.gz")):
        check_keys(trace)


def check_keys(trace):
    expected = command_line(trace)
    with Window(trace) as w:
        known(w)
        for number in (0, 1):
            w.key("ctrl+g")
            place = expected[0]["places"][number]
            state = w.wait(lambda s, n=number: s["findings"]["chosen"] == 0 and s["findings"]["place"] == n, "the place")
            state = w.wait(lambda s, p=place: is_at(s, p), "the slice or the gap")
            assert is_framed(w.still(), place), (state["range"], place)
        w.key("ctrl+shift+g")
        state = w.wait(lambda s: s["findings"]["chosen"] == 1 and s["findings"]["place"] == 0, "the next finding")
        assert is_framed(w.still(), expected[1]["places"][0]), state["range"]


def enter_in_the_panel_goes_to_the_place_of_the_finding_that_the_arrows_chose():
    for trace in (SYNTHETIC, *traces_here("torch/h100_bert_small.json.gz")):
        check_enter(trace)


def check_enter(trace):
    expected = command_line(trace)
    with Window(trace) as w:
        sync = rule(known(w), "sync-in-step")  # whose places are slices
        w.show_panel("Findings")
        for _ in range(4):
            if w.key("F6")["keys_in"] == "Findings":
                break
        assert w.state()["keys_in"] == "Findings", w.state()["keys_in"]
        pointed = [w.key("Down")["findings_panel"]["pointed"] for _ in range(sync + 1)]
        assert pointed == list(range(sync + 1)), pointed
        assert w.state()["findings_panel"]["described"] == sync, "its evidence is beside the list"
        w.key("Return")
        place = expected[sync]["places"][0]
        state = w.wait(lambda s: s["findings"]["chosen"] == sync and s["selection"], "the place")
        assert state["selection"]["name"] == place["name"], state["selection"]
        assert state["selection"]["in_view"] and is_framed(w.still(), place), (state["range"], place)
        w.key("Up")
        assert w.still()["findings_panel"]["pointed"] == sync - 1, "the arrows go on in the panel"


def the_evidence_is_shown_under_the_pointer():
    with Window(SYNTHETIC) as w:
        state = known(w)
        for number in (0, 2):
            w.move(*middle(state["finding_cards"]["boxes"][number]))
            w.wait(lambda s, n=number: s["finding_cards"]["pointed"] == n, "the evidence")


def places_are_marked_on_the_overview():
    with Window(SYNTHETIC) as w:
        state = known(w)
        state = w.wait(lambda s: any(m["kind"] == "finding" for m in s["landmarks"]), "the marks")
        marks = [mark for mark in state["landmarks"] if mark["kind"] == "finding"]
        heavy = [f for f in state["findings"]["list"] if f["severity"] in ("high", "medium") and f["places"]]
        assert sorted(m["text"] + "." for m in marks) == sorted(f["title"] for f in heavy), (marks, heavy)
        mark = max(marks, key=lambda m: m["end"] - m["begin"])
        state = w.click(*middle(mark["box"]))
        shared = [m for m in state["landmarks"] if m["box"][0] == mark["box"][0]]
        assert any(state["range"][0] <= m["begin"] and m["end"] <= state["range"][1] for m in shared), (state["range"], shared)
        few = len(marks)
        w.key("ctrl+g")
        state = w.wait(lambda s: s["findings"]["chosen"] == 0, "a chosen finding")
        marks = [mark for mark in state["landmarks"] if mark["text"].startswith("Place ")]
        assert len(marks) == len(state["findings"]["list"][0]["places"]) and len(marks) + few > few + 1, marks


def a_marked_range_limits_the_findings_that_are_shown():
    with Window(SYNTHETIC) as w:
        whole = known(w)["findings"]
        assert not whole["of_range"]
        w.show_panel("Findings")
        w.key("ctrl+g")
        w.wait(lambda s: s["selection"], "the place")
        w.key("r")
        state = w.wait(lambda s: s["findings"]["of_range"] and s["findings"]["ready"], "the findings of the range")
        assert state["findings"]["conclusion"] != whole["conclusion"]
        w.key("Escape")
        state = w.wait(lambda s: not s["findings"]["of_range"] and s["findings"]["ready"], "all findings")
        assert state["findings"]["conclusion"] == whole["conclusion"]


def the_tab_names_what_the_panel_shows():
    with Window(SYNTHETIC) as w:
        state = known(w)
        tab = w.wait(lambda s: s["panels"]["Selection"]["tab_text"] != "Selection", "the findings")["panels"]["Selection"]
        assert tab["tab_text"] == f"Findings {len(state['findings']['list'])}", tab
        assert w.select("gemm")["panels"]["Selection"]["tab_text"] == "Selection"
        w.key("Escape")
        w.key("Escape")
        again = w.wait(lambda s: not s["selection"], "nothing selected")
        w.show_panel("Notes")
        behind = w.still()["panels"]["Selection"]
        assert behind["tab_text"] == tab["tab_text"] and not behind["in_front"], behind
        w.click(*middle(again["panels"]["Selection"]["tab"]))
        assert w.still()["panels"]["Selection"]["in_front"]


def the_list_of_thresholds_draws_what_is_in_view():
    with Window(SYNTHETIC) as w:
        known(w)
        w.show_panel("Findings")
        w.choose("ctrl+shift+p", "thresholds of findings")
        first = w.wait(lambda s: len(s["findings_panel"]["fields"]) > 5, "the list")["findings_panel"]["fields"]
        x0, y0, x1, y1 = w.still()["panels"]["Timeline"]["box"]
        w.wheel((x0 + x1) / 2, (y0 + y1) / 2, 5, times=60)
        last = w.still()["findings_panel"]["fields"]
        assert set(last) - set(first) and set(first) - set(last), "neither begin nor end of the list shows all of it"


def thresholds_are_changed_kept_and_reset():
    with tempfile.TemporaryDirectory() as config:
        os.mkdir(os.path.join(config, "lanescope"))
        settings = os.path.join(config, "lanescope", "settings.json")
        with open(settings, "w", encoding="utf-8") as file:
            json.dump({"thresholds": {"no-rule.min_share": "1%"}}, file)
        with Window(SYNTHETIC, config=config) as w:
            state = known(w)
            assert len(state["findings"]["threshold_problems"]) == 1 and "no-rule.min_share" in state["message"], state["message"]
            exposed = rule(state, "comm-exposed")
            w.show_panel("Findings")
            state = w.click(*middle(w.state()["findings_panel"]["boxes"][exposed]))
            assert state["findings_panel"]["described"] == exposed
            w.click(*state["findings_panel"]["fields"]["comm-exposed.min_share"])
            xdotool("key", "ctrl+a")
            xdotool("type", "--delay", "40", "90%")
            w.key("Return")
            state = w.wait(lambda s: s["findings"]["ready"] and s["findings"]["thresholds"], "the change")
            assert state["findings"]["thresholds"] == "1 threshold differs from its default.", state["findings"]["thresholds"]
            assert "comm-exposed" not in [f["rule"] for f in state["findings"]["list"]]
            # The list of all has the field of a rule that finds nothing.
            w.choose("ctrl+shift+p", "thresholds of findings")
            state = w.wait(lambda s: "comm-exposed.min_share" in s["findings_panel"]["fields"], "all thresholds")
            w.wait(lambda s: kept(settings).get("comm-exposed.min_share") == "90%", "the settings to be saved")
            assert kept(settings)["no-rule.min_share"] == "1%", "what is not understood is kept"
        with Window(SYNTHETIC, config=config) as w:
            state = known(w)
            assert state["findings"]["thresholds"], "they last"
            w.choose("ctrl+shift+p", "thresholds of findings")
            state = w.wait(lambda s: "reset comm-exposed.min_share" in s["findings_panel"]["fields"], "the list")
            w.click(*state["findings_panel"]["fields"]["reset comm-exposed.min_share"])
            state = w.wait(lambda s: s["findings"]["ready"] and not s["findings"]["thresholds"], "the default")
            rule(state, "comm-exposed")


def kept(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("thresholds", {})


if __name__ == "__main__":
    sys.exit(run([the_window_and_the_command_line_say_the_same, a_click_on_a_card_frames_one_place_after_another,
                  keys_walk_through_places_and_findings,
                  enter_in_the_panel_goes_to_the_place_of_the_finding_that_the_arrows_chose,
                  the_evidence_is_shown_under_the_pointer, places_are_marked_on_the_overview,
                  a_marked_range_limits_the_findings_that_are_shown, the_tab_names_what_the_panel_shows,
                  the_list_of_thresholds_draws_what_is_in_view, thresholds_are_changed_kept_and_reset]))
