#!/usr/bin/env python3
"""Keys are changed in the list of keys and in the settings, and the menu is walked by the keyboard alone."""

import json
import os
import sys
import tempfile

from window import TRANSFORMER, Window, middle, run, span


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


def signs_and_taken_keys():
    with Window(TRANSFORMER) as w:
        place = w.key("question")["help"]["commands"]["view.frame"]
        w.click(place["x"], place["y"])
        assert w.key("semicolon")["help"]["commands"]["view.frame"]["keys"] == ";"
        w.click(place["x"], place["y"])
        taken = w.key("t")["help"]
        assert taken["commands"]["view.frame"]["keys"] == "T"
        assert taken["commands"]["window.theme"]["keys"] == ""
        assert any("no longer window.theme" in problem for problem in taken["problems"]), taken["problems"]
        place = taken["commands"]["view.frame"]  # the list has grown
        w.click(place["x"], place["y"])
        w.key("Escape")
        assert w.state()["help"]["commands"]["view.frame"]["keys"] == "T", "Esc leaves it as it is"


def settings_name_keys_and_their_mistakes_are_told():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        keys = {"view.zoom_in": "I", "view.frame": "Hyper+F", "view.fly": "Y"}
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"keys": keys}, file)
        with Window(TRANSFORMER, config=config) as w:
            start = w.still()
            w.move(*middle(start["lanes"]))
            assert span(w.hold("w", 0.4)) == span(start), "W is no longer asked"
            assert span(w.hold("i", 0.4)) < span(start), "I zooms in"
            problems = " ".join(w.key("question")["help"]["problems"])
            assert "No command is called “view.fly”." in problems, problems
            assert "“Hyper+F” cannot be read" in problems, problems
            w.key("q")
            assert settings_of(w)["keys"]["view.fly"] == ["Y"], "what is not known is kept"


def the_menu_is_walked_by_keys():
    with Window(TRANSFORMER) as w:
        assert w.key("F10")["menu_shown"]
        # The groups, then the panels; in Window down to the legend.
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


sys.exit(run([a_key_is_changed_by_a_click_and_the_next_key, signs_and_taken_keys,
              settings_name_keys_and_their_mistakes_are_told, the_menu_is_walked_by_keys]))
