#!/usr/bin/env python3
"""Tests conveniences: pictures of any size, the clipboard, a file that changes, settings that are kept."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from window import SYNTHETIC, TRANSFORMER, Window, middle, near, run, span, xdotool

import png  # beside window.py, which adds the folder of png.py


def the_dialog_saves_a_picture_of_another_size():
    with Window(SYNTHETIC) as w:
        before = w.still()
        assert w.key("F12")["dialog_shown"]
        time.sleep(0.3)
        path = os.path.join(w.folder.name, "large.png")
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", 15, path)
        xdotool("key", "Return")
        w.wait(lambda s: path in s["message"], "the message")
        assert png.size(path) == (1600, 1000)
        after = w.wait(lambda s: not s["dialog_shown"], "the dialog to close")
        for key in ("range", "lanes", "scroll_y", "theme"):
            assert after[key] == before[key], key
        assert w.key("F12")["dialog_shown"]
        assert not w.key("Escape")["dialog_shown"]


def an_offered_size_is_drawn_again_and_the_window_stays():
    with Window(SYNTHETIC) as w:
        w.move(*middle(w.still()["lanes"]))
        w.hold("w", 0.4)
        before = w.key("F12")
        time.sleep(0.3)
        x, y = find_choice(w, "3840×2160")
        w.click(x, y)
        xdotool("key", "Return")
        message = w.wait(lambda s: "Picture saved as" in s["message"], "the message")["message"]
        path = message.split("Picture saved as ")[1]
        assert png.size(path) == (3840, 2160), path
        after = w.still()
        assert after["lanes"] == before["lanes"] and near(span(after), span(before), span(before) * 1e-9)
        assert after["panels"].keys() == before["panels"].keys()


def the_dialog_copies_by_keys_and_saves_nothing():
    with Window(SYNTHETIC) as w:
        w.key("F12")
        w.key("Tab")
        w.key("Tab")
        w.key("Return")
        message = w.wait(lambda s: s["message"], "the message")["message"]
        assert "clipboard" in message or "needs xclip" in message, message
        assert not w.still()["dialog_shown"]
        assert [name for name in os.listdir(w.folder.name) if name.endswith(".png")] == []


def find_choice(w, name):
    """Returns the middle of a button of the dialog."""
    box = w.still()["picture_choices"][name]
    return middle(box)


def a_copied_picture_is_on_the_clipboard():
    if not shutil.which("xclip"):
        with Window(SYNTHETIC) as w:
            w.key("ctrl+shift+c")
            state = w.wait(lambda s: "xclip" in s["message"], "what to install")
            assert "needs xclip" in state["message"]
        return
    with Window(SYNTHETIC) as w:
        w.key("ctrl+shift+c")
        w.wait(lambda s: "copied" in s["message"], "the message")
        data = subprocess.run(["xclip", "-selection", "clipboard", "-t", "image/png", "-o"], capture_output=True, check=True,
                              timeout=20).stdout
        assert png.size(data) == (1600, 1000)


def a_changed_file_is_reloaded_with_the_same_view():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json.gz")
        shutil.copy(SYNTHETIC, path)
        with Window(path) as w:
            first = w.still()
            w.move(*middle(first["lanes"]))
            view = w.hold("w", 0.5)
            shutil.copy(TRANSFORMER, path + ".new")
            os.replace(path + ".new", path)
            state = w.wait(lambda s: s.get("events", first["events"]) != first["events"] and not s["loading"], "the new file")
            assert "has changed" in state["message"], state["message"]
            after = w.still()
            whole = after["content"][1] - after["content"][0]
            assert near(span(after), min(span(view), whole * 1.2), span(view) * 1e-3), "the same range of time"
            assert near(after["range"][0], view["range"][0], span(view) * 1e-3) or after["range"][0] < view["range"][0]


def f5_reloads_and_keeps_view_selection_and_range():
    with Window(SYNTHETIC) as w:
        state = w.still()
        left, _, right, _ = state["lanes"]
        for row in state["rows"][2:]:
            picked = w.click((left + right) / 2, row["y"])
            if picked["selection"]:
                break
        w.key("f")
        before = w.key("r")
        xdotool("key", "F5")
        time.sleep(0.5)
        after = w.wait(lambda s: not s["loading"] and s.get("selection") and s.get("marked"), "the file to be reloaded")
        after = w.still()
        assert after["selection"]["name"] == before["selection"]["name"]
        assert after["selection"]["start"] == before["selection"]["start"]
        assert [after["marked"][k] for k in ("begin", "end")] == [before["marked"][k] for k in ("begin", "end")]
        assert near(after["range"][0], before["range"][0], 1) and near(after["range"][1], before["range"][1], 1)


def switches_stay_when_the_file_is_reloaded():
    with Window(SYNTHETIC) as w:
        for key in ("i", "e", "k", "shift+f"):
            before = w.key(key)
        switches = lambda s: (s["idle_shown"], s["flows"]["shown"], s["path"]["shown"], s["search"]["filter"])
        assert switches(before) == (False, True, True, 1), switches(before)
        xdotool("key", "F5")
        w.after_inputs(before, 2)
        w.wait(lambda s: not s["loading"] and s["path"]["steps"], "the file to be reloaded")
        assert switches(w.still()) == switches(before), switches(w.state())


def a_window_is_no_larger_than_the_screen():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"window_width": 3000, "window_height": 2000}, file)
        with Window(SYNTHETIC, config=config) as w:
            _, _, right, bottom = w.still()["panels"]["Selection"]["box"]
            assert right <= 1600 and bottom <= 1000, (right, bottom)


def a_message_disappears_by_itself_or_by_a_click():
    with Window(SYNTHETIC) as w:
        w.key("ctrl+s")
        state = w.wait(lambda s: s["message"], "the message")
        began = time.monotonic()
        w.wait(lambda s: not s["message"], "it to go")
        assert time.monotonic() - began < 10
        w.key("ctrl+s")
        w.wait(lambda s: s["message"], "the message")
        clicked = time.monotonic()
        w.click(800, 945)
        w.wait(lambda s: not s["message"], "it to go")
        assert time.monotonic() - clicked < 3, "long before it disappears by itself"


def settings_last():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            assert w.key("t")["theme"] == "light"
            xdotool("search", "--name", "Lanescope", "windowsize", "1300", "800")
            w.wait(lambda s: s["overview"][2] <= 1300, "the window to shrink")
            wanted = ("light", 1300, 800)
            for _ in range(100):
                with open(os.path.join(config, "lanescope", "settings.json"), encoding="utf-8") as file:
                    kept = json.load(file)
                found = (kept["theme"], kept["window_width"], kept["window_height"])
                if found == wanted:
                    break
                time.sleep(0.05)
            assert found == wanted, "saved while the window is open, so that a crash loses nothing"
        with Window(SYNTHETIC, config=config) as w:
            state = w.still()
            assert state["theme"] == "light" and state["overview"][2] <= 1300


sys.exit(run([the_dialog_saves_a_picture_of_another_size, an_offered_size_is_drawn_again_and_the_window_stays,
              the_dialog_copies_by_keys_and_saves_nothing,
              a_copied_picture_is_on_the_clipboard, a_changed_file_is_reloaded_with_the_same_view,
              f5_reloads_and_keeps_view_selection_and_range,
              switches_stay_when_the_file_is_reloaded, a_window_is_no_larger_than_the_screen, a_message_disappears_by_itself_or_by_a_click, settings_last]))
