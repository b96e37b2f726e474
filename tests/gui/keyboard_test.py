#!/usr/bin/env python3
"""Tests use without a mouse: the start screen, an error, the file dialog, the legend, menus, heights of lanes, the list
of keys."""

import json
import os
import shutil
import sys
import tempfile

from window import SYNTHETIC, TRANSFORMER, Window, lanes_of, near, run, xdotool


def in_front(state):
    return [name for name, panel in state["panels"].items() if panel["in_front"]]


def type_keys(text):
    xdotool("type", "--delay", "15", text)


def loaded(path):
    return lambda s: s["file"] == path and not s["loading"] and "events" in s


def arrows_move_on_the_start_screen():
    with Window() as w:
        assert w.key("Return")["dialog_shown"], "Open… comes first"
        assert not w.key("Escape")["dialog_shown"]
        for _ in range(3):  # past Attach… and Record…
            w.key("Right")
        xdotool("key", "Return")
        w.wait(lambda s: s["file"].endswith("synthetic_step.json.gz") and "events" in s, "the sample")


def arrows_move_in_recent_files():
    with tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"recent_files": [SYNTHETIC, TRANSFORMER]}, file)
        with Window(config=config) as w:
            w.key("Down")
            w.key("Down")
            xdotool("key", "Return")
            w.wait(loaded(TRANSFORMER), "the second of the recent files")
            before = w.still()["range"]
            assert w.key("Right")["range"] != before, "the arrow keys belong to the timeline again"


def arrows_move_on_an_error():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "late.json.gz")
        with Window(path) as w:
            w.wait(lambda s: s["error"], "the error")
            shutil.copy(SYNTHETIC, path)
            w.key("Right")
            xdotool("key", "Return")
            w.wait(loaded(path), "Try again to read it")


def arrows_move_in_the_file_dialog():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.json.gz", "b.json.gz"):
            shutil.copy(SYNTHETIC, os.path.join(folder, name))
        with Window(os.path.join(folder, "a.json.gz")) as w:
            assert w.key("ctrl+o")["dialog_shown"]
            w.key("Down")
            w.key("Down")
            xdotool("key", "Return")
            w.wait(loaded(os.path.join(folder, "b.json.gz")), "the second file of the folder")


def the_legend_filters_by_arrows():
    with Window(SYNTHETIC) as w:
        w.wait(lambda s: s["story"], "the story")
        front = in_front(w.key("l"))
        assert w.key("F6")["keys_in"] == "Legend"
        w.key("Down")
        w.key("Down")
        assert w.key("Return")["colors"]["chosen"] == ["steps, user ranges, NVTX"]
        w.key("Down")
        assert w.key("shift+Return")["colors"]["chosen"] == ["steps, user ranges, NVTX", "framework operators"]
        state = w.key("Escape")
        assert not state["keys_in"] and state["legend_shown"], "Esc returns the keys to the timeline"
        state = w.key("Escape")
        assert not state["legend_shown"] and in_front(state) == front, in_front(state)


def menus_open_by_keys_and_esc_closes_only_them():
    with Window(SYNTHETIC) as w:
        assert not w.key("shift+F10")["menu_shown"] and "Select a slice" in w.state()["message"]
        w.select("aten::addmm")
        assert w.key("shift+F10")["menu_shown"]
        state = w.key("Escape")
        assert not state["menu_shown"] and state["selection"]["name"] == "aten::addmm", state["selection"]
        assert state["search"]["text"], "the search is still there"
        w.key("shift+F10")
        w.key("Down")
        state = w.key("Return")
        selected = state["selection"]
        assert state["marked"]["begin"] == selected["start"], "its second line marks the time"
        assert w.key("ctrl+F10")["menu_shown"], "the menu of its lane"
        state = w.key("Return")
        lane = next(lane for lane in state["lane_boxes"] if lane["name"] == selected["lane"])
        assert lane["collapsed"], "its first line folds the lane"


def a_menu_of_the_mouse_is_closed_by_esc():
    with Window(SYNTHETIC) as w:
        state = w.select("aten::addmm")
        _, top, _, _ = state["lanes"]
        left, _, right, _ = state["heads"]
        w.click((left + right) / 2, top + 60, button=3)
        assert w.still()["menu_shown"]
        state = w.key("Escape")
        assert not state["menu_shown"] and state["selection"], "and nothing else"


def lanes_are_made_higher_and_lower():
    with Window(SYNTHETIC) as w:
        slice_ = w.select("aten::addmm")["selection"]

        def lane(state, name):
            box = next(lane for lane in state["lane_boxes"] if lane["name"] == name)
            return box["rows"], box["y1"] - box["y0"]

        xdotool("mousemove", 300, 10)
        full = lane(w.still(), slice_["lane"])
        lower = lane(w.key("alt+shift+Up"), slice_["lane"])
        assert lower[0] == full[0] - 1, (full, lower)
        assert lane(w.key("alt+shift+Down"), slice_["lane"]) == full
        # A curve has no slices, so the palette goes to it by its name.
        state = w.choose("ctrl+p", "memory reserved")
        name = "memory reserved · GPU 0"
        before = lane(state, name)
        higher = lane(w.key("alt+shift+Down"), name)
        assert higher[1] > 1.2 * before[1], (before, higher)


def a_name_is_copied():
    with Window(SYNTHETIC) as w:
        name = w.select("cudaLaunchKernel")["selection"]["name"]
        assert w.key("ctrl+c")["message"] == f"Copied: {name}"
        w.key("Escape")
        w.key("slash")
        xdotool("key", "ctrl+a")
        xdotool("key", "ctrl+v")
        w.wait(lambda s: s["search"]["text"] == name, "the name in the field")


def a_quick_paste_is_not_lost():
    with Window(SYNTHETIC) as w:
        w.select("cudaLaunchKernel")
        w.key("ctrl+c")
        w.key("slash")
        w.key("BackSpace")
        for times in range(1, 21):
            # Ctrl is released before V is, mostly within the same frame.
            xdotool("keydown", "ctrl", "keydown", "v", "keyup", "ctrl", "keyup", "v")
            w.wait(lambda s, n=times: s["search"]["text"].count("cudaLaunchKernel") > n - 1, f"paste {times}")


def floating_windows_leave_the_tabs_unchanged():
    for keys in (["ctrl+shift+p"], ["shift+m"], ["ctrl+p"], ["l", "F6"]):
        with Window(SYNTHETIC) as w:
            w.wait(lambda s: s["story"], "the story")
            front = in_front(w.still())
            for key in [*keys, "Escape", "Escape"]:
                w.key(key)
            assert in_front(w.still()) == front, (keys, in_front(w.state()))


def the_tab_in_front_has_bright_text():
    with Window(SYNTHETIC) as w:
        for name in ("Notes", "Range", "Selection"):
            w.show_panel(name)
            state = w.still()
            lit = [panel for panel in ("Selection", "Range", "Notes") if state["panels"][panel]["lit"]]
            assert lit == [name], (name, lit)


def the_list_of_keys_scrolls_in_a_small_window():
    with Window(SYNTHETIC) as w:
        xdotool("search", "--name", "Lanescope", "windowsize", "1280", "720")
        w.wait(lambda s: s["overview"][2] <= 1280, "the window to shrink")
        shown = w.key("question")["help"]
        assert shown["scroll"] == 0 and shown["scroll_most"] > 0, shown
        before = w.state()["range"]
        down = w.key("Next")["help"]["scroll"]
        assert down > 0
        assert w.key("Up")["help"]["scroll"] < down
        end = w.key("End")
        assert end["help"]["scroll"] == end["help"]["scroll_most"]
        assert end["range"] == before, "the view stays"
        assert w.key("Home")["help"]["scroll"] == 0


def selections_by_keys_are_described():
    with Window(SYNTHETIC) as w:
        w.wait(lambda s: s["story"], "the story")
        w.key("ctrl+a")
        assert w.still()["panels"]["Range"]["in_front"]
        w.select("ncclDevKernel")
        assert w.still()["panels"]["Selection"]["in_front"], "found by the search"
        w.key("r")
        assert w.still()["panels"]["Range"]["in_front"]
        w.key("comma")
        assert w.still()["panels"]["Selection"]["in_front"], "reached by a key"
        w.key("ctrl+a")
        w.key("g")
        w.wait(lambda s: s["gap"] and s["panels"]["Selection"]["in_front"], "the gap to be described")


def the_pointer_replaces_a_named_lane():
    with Window(SYNTHETIC) as w:
        for part, named in ((0.5, "memory reserved"), (0.4, "stream 20")):  # of the main area, and pinned
            state = w.choose("ctrl+p", named)
            lane = next(lane for lane in state["lane_boxes"] if lane["name"].startswith("thread 4788"))
            left, top, right, bottom = state["lanes"]
            y = max(lane["y0"], top) + 30
            assert y < min(lane["y1"], bottom), "the thread is in view"
            w.move(left + (right - left) * part, y)
            state = w.key("space")
            folded = [lane["name"] for lane in lanes_of(state) if lane["collapsed"]]
            assert folded == ["thread 4788 (pt_autograd_0)"], folded
            assert not any(lane["collapsed"] for lane in lanes_of(w.key("space")))


def edge(state):
    """Returns which edge is chosen: of the selection (vertical, on the right), of the tables (horizontal) or of the
    heads."""
    x0, y0, x1, y1 = state["border"]
    return "tables" if y0 == y1 else "heads" if x0 < state["lanes"][0] + 4 else "selection"


def panels_are_made_wider_and_higher():
    with Window(SYNTHETIC) as w:
        first = w.still()

        def width(state):
            left, _, right, _ = state["panels"]["Selection"]["box"]
            return right - left

        def height(state):
            _, top, _, bottom = state["panels"]["Hotspots"]["box"]
            return bottom - top

        assert first["border"] is None
        assert edge(w.key("F7")) == "selection"
        wider = w.key("Left")
        assert width(wider) == width(first) + 8, (width(first), width(wider))
        assert width(w.key("shift+Left")) == width(first) + 72
        assert w.state()["range"] == first["range"] and not w.state()["selection"], "the timeline has no keys"
        assert edge(w.key("Up")) == "tables", "an edge that ↑ can move"
        higher = w.state()
        assert height(higher) == height(first) + 8, (height(first), height(higher))
        assert width(higher) == width(first) + 72, "panels that do not touch the edge stay"
        assert edge(w.key("Tab")) == "heads"
        for _ in range(3):
            heads = w.key("Right")
        assert near(heads["heads"][2], first["heads"][2] + 24, 1), (first["heads"], heads["heads"])
        assert edge(w.key("F7")) == "selection", "after the last edge, the first"
        for _ in range(30):
            xdotool("key", "shift+Right")
        assert width(w.still()) > 40, "the panel cannot be pushed out of the window"
        assert w.key("Return")["border"] is None
        inside = w.hold("w", 0.3)
        assert w.key("Right")["range"] != inside["range"], "the arrow keys belong to the timeline again"
        with open(os.path.join(w.config, "lanescope", "layout.json"), encoding="utf-8") as file:
            assert near(json.load(file)["docked"]["side"], width(w.still()), 1), "it is kept"


def panels_are_moved_by_keys():
    with Window(SYNTHETIC) as w:
        first = w.still()

        def place(state, panel="Hotspots"):
            return state["panels"][panel]["box"]

        assert first["panel_moved"] == ""
        assert w.key("shift+F7")["panel_moved"] == "Selection"
        assert w.key("Tab")["panel_moved"] == "Hot", "a group moves as a whole"
        right = w.key("Right")
        assert place(right) == place(first, "Selection") and right["panels"]["Hotspots"]["in_front"]
        assert right["range"] == first["range"], "the timeline has no keys"
        top = w.key("Up")
        assert place(top)[0] == 0 and place(top)[2] == place(first, "Selection")[2], "along the edge of the whole area"
        assert place(top)[1] == place(first, "Timeline")[1] < place(top, "Timeline")[1], place(top)
        # Several quick steps are executed one after another.
        xdotool("key", "Down", "Left", "shift+Left")
        half = w.still()
        x0, y0, x1, y1 = place(first)
        assert place(half)[:2] == [x0, y0] and near(place(half)[2], (x0 + x1) / 2, 3), (place(first), place(half))
        out = w.key("space")
        assert not out["panels"]["Hotspots"]["docked"], out["panels"]["Hotspots"]
        x0, y0, x1, y1 = place(out)
        assert place(w.key("Down")) == [x0, y0 + 16, x1, y1 + 16]
        assert place(w.key("shift+Right")) == [x0, y0 + 16, x1 + 16, y1 + 16]
        back = w.key("space")
        assert place(back) == place(first) and back["panels"]["Hotspots"]["docked"], place(back)
        w.key("Right")
        assert w.key("Return")["panel_moved"] == ""
        inside = w.hold("w", 0.3)
        assert w.key("Right")["range"] != inside["range"], "the arrow keys belong to the timeline again"
        with open(os.path.join(w.config, "lanescope", "layout.json"), encoding="utf-8") as file:
            assert "Hot##group" in json.load(file)["docked"]["children"][1]["tabs"], "it is kept"


class Columns:
    """The columns of the table of operators, from the window's state."""

    def __init__(self, state):
        self.table = state["panels"]["Operators"]["table"]
        self.places = self.table["columns"]
        self.names = sorted(self.places, key=lambda name: self.places[name][0])

    def width(self, name):
        left, right = self.places[name]
        return right - left

    def values(self, name):
        return [row[name] for row in self.table["rows"]]


def table_of_operators(w):
    w.show_panel("Operators")
    return Columns(w.wait(lambda s: s["panels"]["Operators"]["table"]["ready"], "the table"))


def columns_are_changed_by_keys():
    with Window(TRANSFORMER) as w:
        first = table_of_operators(w)
        assert w.key("ctrl+Right")["column"] == "Name"
        for _ in range(first.names.index("calls")):
            w.key("ctrl+Right")
        assert w.state()["column"] == "Calls", w.state()["column"]
        w.key("ctrl+shift+Right")
        wider = Columns(w.key("ctrl+shift+Right")).width("calls")
        assert near(wider, first.width("calls") + 24, 3), (first.width("calls"), wider)
        assert near(Columns(w.key("ctrl+shift+Left")).width("calls"), first.width("calls") + 12, 3)
        fitted = Columns(w.key("ctrl+shift+f")).width("calls")
        for _ in range(6):
            w.key("ctrl+shift+Right")
        assert Columns(w.still()).width("calls") > fitted + 60
        assert Columns(w.key("ctrl+shift+f")).width("calls") == fitted, "as wide as its contents"
        moved = Columns(w.key("ctrl+shift+Next")).names
        at = first.names.index("calls")
        assert moved[at:at + 2] == [first.names[at + 1], "calls"], (first.names, moved)
        assert Columns(w.key("ctrl+shift+Prior")).names[:at + 2] == first.names[:at + 2]
        down = Columns(w.key("ctrl+shift+s")).values("calls")
        up = Columns(w.key("ctrl+shift+s")).values("calls")
        assert int(down[0].replace("\u202f", "").replace(" ", "")) > int(up[0]), (down[:3], up[:3])
        view = w.state()["range"]
        state = w.key("ctrl+shift+x")
        assert "calls" not in Columns(state).names and state["column"] not in ("", "Calls"), state["column"]
        assert state["range"] == view and not state["selection"], "the timeline had none of these keys"
        assert not w.key("Escape")["column"]


def columns_have_a_menu():
    with Window(TRANSFORMER) as w:
        first = table_of_operators(w)
        for _ in range(first.names.index("calls") + 1):
            w.key("ctrl+Right")
        assert w.key("F8")["menu_shown"]
        w.key("Return")
        wider = w.key("Return")
        assert wider["menu_shown"], "it stays open for further choices"
        assert near(Columns(wider).width("calls"), first.width("calls") + 24, 3)
        for _ in range(7):
            w.key("Down")
        hidden = w.key("Return")
        assert not hidden["menu_shown"]
        assert "calls" not in Columns(hidden).names, hidden["column"]
        w.key("F8")
        for _ in range(9):
            w.key("Down")
        assert "calls" in Columns(w.key("Return")).names, "as at first"
        w.key("Escape")
        assert not w.key("q")["tables_shown"]
        assert "No table is in front" in w.key("F8")["message"]


sys.exit(run([arrows_move_on_the_start_screen, arrows_move_in_recent_files, arrows_move_on_an_error,
              arrows_move_in_the_file_dialog, the_legend_filters_by_arrows,
              menus_open_by_keys_and_esc_closes_only_them, a_menu_of_the_mouse_is_closed_by_esc,
              lanes_are_made_higher_and_lower, panels_are_made_wider_and_higher,
              panels_are_moved_by_keys, columns_are_changed_by_keys, columns_have_a_menu, a_name_is_copied, a_quick_paste_is_not_lost,
              floating_windows_leave_the_tabs_unchanged, the_tab_in_front_has_bright_text,
              the_list_of_keys_scrolls_in_a_small_window, selections_by_keys_are_described,
              the_pointer_replaces_a_named_lane]))
