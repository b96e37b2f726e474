#!/usr/bin/env python3
"""Tests changing keys in the list of keys and in the settings, and using the menu without a mouse."""

import json
import os
import sys
import tempfile

from window import SYNTHETIC, TRANSFORMER, Window, middle, run, span, xdotool


def settings_of(window):
    with open(os.path.join(window.config, "lanescope", "settings.json"), encoding="utf-8") as file:
        return json.load(file)


def a_key_is_changed_by_a_click_and_the_next_key():
    with Window(TRANSFORMER) as w:
        shown = w.key("question")
        place = shown["help"]["commands"]["window.legend"]
        assert place["keys"] == "L", place
        w.click(place["x"], place["y"])
        changed = w.key("ctrl+j")
        assert changed["help"]["commands"]["window.legend"]["keys"] == "Ctrl+J", changed["help"]
        assert settings_of(w)["keys"] == {"window.legend": ["Ctrl+J"]}
        w.key("Escape")
        assert not w.key("l")["legend_shown"], "the old key is free"
        assert w.key("ctrl+j")["legend_shown"], "the new one works"
        w.key("Escape")
        shown = w.key("F1")
        w.click(place["x"], place["y"])
        back = w.key("BackSpace")
        assert back["help"]["commands"]["window.legend"]["keys"] == "L", "Backspace brings the first key back"
        assert settings_of(w)["keys"] == {}


def a_key_is_changed_without_a_mouse():
    with Window(TRANSFORMER) as w:
        assert w.choose("ctrl+shift+p", "change the key")["palette"], "the commands are offered"
        xdotool("type", "--delay", "30", "legend")
        assert w.key("Return")["help_shown"]
        assert settings_of(w).get("keys", {}) == {}, "the key that chose the line is not taken as the new key"
        assert w.key("ctrl+j")["help"]["commands"]["window.legend"]["keys"] == "Ctrl+J"
        w.key("Escape")
        assert w.key("ctrl+j")["legend_shown"]


def symbols_and_used_keys():
    with Window(TRANSFORMER) as w:
        place = w.key("question")["help"]["commands"]["view.frame"]
        w.click(place["x"], place["y"])
        assert w.key("semicolon")["help"]["commands"]["view.frame"]["keys"] == ";"
        w.click(place["x"], place["y"])
        taken = w.key("t")["help"]
        assert taken["commands"]["view.frame"]["keys"] == "T"
        assert taken["commands"]["window.theme"]["keys"] == ""
        assert any("no longer window.theme" in problem for problem in taken["problems"]), taken["problems"]
        place = taken["commands"]["view.frame"]  # the list has one more key
        w.click(place["x"], place["y"])
        w.key("Escape")
        assert w.state()["help"]["commands"]["view.frame"]["keys"] == "T", "Esc changes nothing"


def settings_define_keys_and_their_mistakes_are_reported():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        keys = {"view.zoom_in": "I", "view.frame": "Hyper+F", "view.fly": "Y"}
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"keys": keys}, file)
        with Window(TRANSFORMER, config=config) as w:
            start = w.still()
            w.move(*middle(start["lanes"]))
            assert span(w.hold("w", 0.4)) == span(start), "W is no longer waited for"
            assert span(w.hold("i", 0.4)) < span(start), "I zooms in"
            problems = " ".join(w.key("question")["help"]["problems"])
            assert "No command is called “view.fly”." in problems, problems
            assert "“Hyper+F” cannot be read" in problems, problems
            w.key("q")
            assert settings_of(w)["keys"]["view.fly"] == ["Y"], "unknown entries are kept"


def keys_move_through_the_menu():
    with Window(TRANSFORMER) as w:
        assert w.key("F10")["menu_shown"]
        # Moves over the groups and the panels; in the group Window down to the legend.
        for _ in range(w.state()["menu"].index("Window")):
            w.key("Down")
        w.key("Right")
        w.key("Down")
        state = w.key("Return")
        assert state["legend_shown"] and not state["menu_shown"], "Enter chooses"
        before = w.key("Escape")["range"]
        w.key("F10")
        assert w.key("w")["range"] == before, "the open menu keeps the keys"
        assert not w.key("Escape")["menu_shown"]


def panels_are_used_without_a_mouse():
    os.environ["BROWSER"] = "true"  # one of the links leads to a page of documentation
    with Window(SYNTHETIC) as w:
        w.click_panel("Kernels")
        w.wait(lambda s: (s["panels"]["Kernels"]["table"] or {}).get("ready"), "the kernels")
        w.move(700, 300)
        assert w.key("F6")["keys_in"] == "Selection"
        assert w.key("F6")["keys_in"] == "Kernels"
        names = [row["name"] for row in w.state()["panels"]["Kernels"]["table"]["rows"]]
        before = w.state()["range"]
        w.key("Down")
        w.key("Down")
        assert w.still()["selection"] is None and w.state()["range"] == before, "the arrow keys belong to the panel"
        w.key("Return")
        above = w.wait(lambda s: s["selection"], "a row to be chosen")["selection"]["name"]
        w.key("Down")
        chosen = w.key("Return")["selection"]["name"]
        assert names.index(chosen) == names.index(above) + 1, (above, chosen)
        begin = w.still()["range"]
        assert w.hold("w", 0.3)["range"] != begin, "other keys still belong to the timeline"
        assert w.key("Escape")["keys_in"] == "Kernels", "Esc leaves the rows"
        for name in ("Up", *["Tab"] * 3, "Return"):  # the filter, two forms, the third
            w.key(name)
        w.wait(lambda s: (s["panels"]["Kernels"]["table"] or {}).get("rows")
               and "configs" not in s["panels"]["Kernels"]["table"]["rows"][0], "another form")
        state = w.key("Escape")
        assert not state["keys_in"] and state["selection"], "Esc only leaves the panel"
        w.key("F6")
        w.key("F6")
        assert not w.key("F6")["keys_in"], "after the last panel, the timeline has the keys again"
        # A link of the panel Selection.
        assert w.key("F6")["keys_in"] == "Selection"
        for _ in range(8):
            w.key("Down")
            w.key("Return")
            if w.state()["selection"]["name"] != chosen:
                break
        assert w.state()["selection"]["name"] != chosen, "Enter follows a link"
        w.click(*middle(w.state()["lanes"]))
        assert not w.still()["keys_in"], "a click returns the keys to the timeline"


sys.exit(run([a_key_is_changed_by_a_click_and_the_next_key, a_key_is_changed_without_a_mouse, symbols_and_used_keys,
              settings_define_keys_and_their_mistakes_are_reported, keys_move_through_the_menu,
              panels_are_used_without_a_mouse]))
