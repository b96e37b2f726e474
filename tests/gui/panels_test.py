#!/usr/bin/env python3
"""Tests the tables below the timeline: their contents, their filter, and the links between them and the timeline."""

import json
import os
import subprocess
import sys
import tempfile

from window import BIN, SYNTHETIC, TRANSFORMER, Window, has_real_traces, middle, near, real_trace, run, xdotool


def table(state, panel):
    return state["panels"][panel]["table"]


def ready(panel):
    def check(state):
        place = state["panels"].get(panel)
        return place and place["in_front"] and place["table"] and place["table"]["ready"]

    return check


def open_tab(w, panel):
    """Opens a panel by the mouse, and returns its table."""
    w.click_panel(panel)
    w.wait(ready(panel), f"the table of {panel}")
    return table(w.still(), panel)


def modules_form_a_tree():
    with Window(SYNTHETIC) as w:
        w.show_panel("Modules")
        w.wait(ready("Modules"), "the modules")
        names = [row["module"] for row in table(w.still(), "Modules")["rows"]]
        text = subprocess.run([os.path.join(BIN, "lanescope"), "table", "modules", SYNTHETIC, "--format", "json"],
                              check=True, capture_output=True).stdout
        assert names == [row["module"] for row in json.loads(text)][:len(names)]
        state = w.still()
        modules = table(state, "Modules")
        left, _ = modules["columns"]["module"]
        w.click(left + 12, modules["first_row_y"])
        folded = w.wait(lambda s: table(s, "Modules")["row_count"] == 1, "the whole model folded")
        assert not folded["selection"], "a click on the arrow does not select the row"
        w.click(left + 12, modules["first_row_y"])
        w.wait(lambda s: table(s, "Modules")["row_count"] == modules["row_count"], "it unfolded")


def a_row_leads_to_the_timeline():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        state = w.still()
        kernels = table(state, "Kernels")
        assert kernels["row_count"] > 5
        left, _, right, _ = state["panels"]["Kernels"]["box"]
        clicked = w.click(left + 60, kernels["first_row_y"])
        clicked = w.wait(lambda s: s["selection"], "the kernel to be selected")
        assert clicked["selection"]["name"] == kernels["rows"][0]["name"]
        state = w.still()
        begin, end = state["range"]
        at = state["selection"]["start"]
        assert begin <= at and at + state["selection"]["duration"] <= end, "it is in view"
        assert end - begin < 20 * state["selection"]["duration"], "and fills much of the view"


def a_step_of_the_memory_is_selected():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Memory")
        state = w.wait(lambda s: table(s, "Memory")["ready"], "the table")
        w.click(*table(state, "Memory")["forms"]["step"])
        state = w.wait(lambda s: table(s, "Memory")["ready"] and "step" in table(s, "Memory")["rows"][0], "the steps")
        left, _, _, _ = state["panels"]["Memory"]["box"]
        named = next(row["step"] for row in table(state, "Memory")["rows"])
        w.click(left + 60, table(state, "Memory")["first_row_y"])
        selection = w.wait(lambda s: s["selection"], "the step")["selection"]
        assert selection["name"] == named and named.startswith("ProfilerStep#"), (selection, named)


def kernels_by(*words):
    """Returns the output of the command line."""
    return subprocess.run([os.path.join(BIN, "lanescope"), "table", "kernels", SYNTHETIC, *words],
                          check=True, capture_output=True).stdout.decode()


def heads_sort():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        kernels = table(w.still(), "Kernels")
        for order in ([], ["--reverse"]):
            expected = [row["name"] for row in json.loads(kernels_by("--sort", "calls", *order, "--format", "json"))][:20]
            w.click(sum(kernels["columns"]["calls"]) / 2, kernels["first_row_y"] - 22)
            w.wait(lambda s: ready("Kernels")(s) and [row["name"] for row in table(s, "Kernels")["rows"]] == expected, order)


def rows_are_copied_and_saved():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        tools = table(w.still(), "Kernels")["tools"]
        w.click(*tools["save"])
        with open(w.save_as_offered("kernels.csv"), encoding="utf-8", newline="") as file:
            saved = file.read()
        assert saved == kernels_by("--format", "csv")
        w.click(*tools["copy"])
        w.wait(lambda s: s["message"] == "Copied as CSV", "the copy")
        w.key("slash")
        xdotool("key", "ctrl+v")
        first_line = saved.splitlines()[0]
        w.wait(lambda s: s["search"]["text"].startswith(first_line), "the copied text, as far as a line has space for it")


def a_selected_slice_shows_its_row():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        names = [row["name"] for row in json.loads(kernels_by("--format", "json"))]
        last = max(i for i, name in enumerate(names) if " " not in name)
        assert table(w.still(), "Kernels")["drawn"][1] < last, "there is no space for all rows"
        w.select(names[last])
        w.wait(lambda s: table(s, "Kernels")["drawn"][0] <= last <= table(s, "Kernels")["drawn"][1], names[last])
        w.select(names[0])
        w.wait(lambda s: table(s, "Kernels")["drawn"][0] == 0, names[0])


def typing_filters_the_rows():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        state = w.still()
        every = table(state, "Kernels")["row_count"]
        w.click(*table(state, "Kernels")["tools"]["filter"])
        xdotool("type", "NCCL")

        def only_those(s):
            kernels = table(s, "Kernels")
            return (kernels["ready"] and 0 < kernels["row_count"] < every
                    and all("nccl" in row["name"].lower() for row in kernels["rows"]))

        w.wait(only_those, "only rows with the text")


def a_marked_range_limits_the_tables():
    with Window(SYNTHETIC) as w:
        open_tab(w, "Kernels")
        steps = open_tab(w, "Steps")
        assert steps["row_count"] == 3, steps
        state = w.still()
        left, _, _, _ = state["panels"]["Steps"]["box"]
        w.click(left + 60, steps["first_row_y"])
        w.wait(lambda s: s["selection"] and s["selection"]["name"].startswith("ProfilerStep#"), "the step")
        w.key("r")
        w.wait(lambda s: s["marked"], "the step as a range")
        limited = w.wait(lambda s: table(s, "Steps")["ready"] and table(s, "Steps")["row_count"] == 1, "one step")
        assert table(limited, "Steps")["rows"][0]["name"] == limited["selection"]["name"]


def columns_share_the_width():
    """At the window's initial size all columns that explain a hotspot are in view; a column keeps a width that the user
    has set."""
    with Window(SYNTHETIC) as w:
        hotspots = open_tab(w, "Hotspots")
        state = w.still()
        _, _, right, _ = state["panels"]["Hotspots"]["box"]
        columns = table(state, "Hotspots")["columns"]
        for column in ("name", "calls", "total_ns", "share", "mean_ns", "occupancy"):
            assert columns[column][1] <= right, (column, columns, right)
        unknown = {"floor_ns", "lost_ns", "bound", "short_name"}
        assert not unknown & set(columns), "the sample has no known device, thus no floors and no bounds"
        assert all(x1 <= right for _, x1 in columns.values()), "no column is cut at the edge"
        assert columns["name"][1] - columns["name"][0] >= 240, columns
        edge = columns["name"][1]
        y = hotspots["first_row_y"] - 22
        for _ in range(6):  # the border can only be dragged by a pointer that rests on it, and a busy machine may lose a part of the drag
            now = table(w.still(), "Hotspots")["columns"]["name"][1]
            if near(now, edge + 60, 3):
                break
            w.move(now, y)
            w.still()
            w.drag(now, y, edge + 60, y)
        w.wait(lambda s: near(table(s, "Hotspots")["columns"]["name"][1], edge + 60, 3), "the wider column")
        w.key("h")
        w.show_panel("Hotspots")
        assert near(table(w.still(), "Hotspots")["columns"]["name"][1], edge + 60, 3), "as the user left it"


def rows_are_grouped_by_the_menu_of_a_column():
    with Window(SYNTHETIC) as w:
        kernels = open_tab(w, "Kernels")
        kinds = {row["kind"] for row in kernels["rows"]}
        y = kernels["first_row_y"] - 22
        x = middle([kernels["columns"]["calls"][0], 0, kernels["columns"]["calls"][1], 0])[0]
        w.click(x, y, button=3)
        w.still()
        item = w.wait(lambda s: "Group by this column" in table(s, "Kernels")["tools"], "the menu of the column")
        w.click(*table(item, "Kernels")["tools"]["Group by this column"])
        w.wait(lambda s: ready("Kernels")(s) and table(s, "Kernels")["group_by"] == ["calls"], "groups by calls")
        grouped = table(w.still(), "Kernels")
        assert sum(int(row["rows"]) for row in grouped["rows"]) == kernels["row_count"], grouped["rows"]
        w.click(grouped["columns"]["rows"][0] - 40, grouped["first_row_y"])
        w.wait(lambda s: ready("Kernels")(s) and table(s, "Kernels")["row_count"] > grouped["row_count"], "an open group")
        opened = table(w.still(), "Kernels")
        assert opened["row_count"] == grouped["row_count"] + int(grouped["rows"][0]["rows"]), opened
        assert opened["rows"][1]["kind"] in kinds
        assert not w.still()["selection"], "a click on a group selects nothing"
        w.click(grouped["columns"]["rows"][0] - 40, grouped["first_row_y"] + 22)
        w.wait(lambda s: s["selection"], "the kernel of a row in the group")


def hotspots_are_complete_in_a_small_window():
    """At 1280x720, the columns that rank and bound a hotspot are in view too, with their longest figures."""
    trace = real_trace("torch/h100_qwen_chat.json.gz") if has_real_traces() else SYNTHETIC
    floors = ("floor_ns", "lost_ns", "bound") if has_real_traces() else ()
    with Window(trace) as w:
        w.still()
        xdotool("search", "--name", "Lanescope", "windowsize", "1280", "720")
        w.wait(lambda s: s["panels"]["Selection"]["box"][2] <= 1280, "the smaller window")
        w.show_panel("Hotspots")
        w.wait(ready("Hotspots"), "the hotspots")
        state = w.still()
        right = state["panels"]["Hotspots"]["box"][2]
        columns = table(state, "Hotspots")["columns"]
        for column in ("name", "calls", "total_ns", "share", "mean_ns", "occupancy", *floors):
            assert columns[column][1] <= right, (column, columns, right)
        # A sorted column gives the space of the arrow to it, and no more.
        y = table(state, "Hotspots")["first_row_y"] - 22
        w.click(sum(columns["occupancy"]) / 2, y)
        sorted_by = w.still()
        last = floors[-1] if floors else "occupancy"
        assert table(sorted_by, "Hotspots")["columns"][last][1] <= right, sorted_by["panels"]["Hotspots"]


def tabs_without_space_are_listed():
    with Window(SYNTHETIC) as w:
        assert not w.still()["tab_list"]["button"], "there is space for all groups at first"
        xdotool("search", "--name", "Lanescope", "windowsize", "560", "700")
        state = w.wait(lambda s: s["tab_list"]["button"], "the button of a narrow window")
        state = w.still()
        lines = w.click(*state["tab_list"]["button"])["tab_list"]["lines"]
        groups = {panel["group"] for panel in state["panels"].values() if panel["group"]}
        assert set(lines) == groups | {"Selection", "Range", "Notes"}, lines
        for x, y in lines.values():
            assert 0 < y < 700 and 0 < x < 560, lines
        w.click(*lines["Compare"])
        w.wait(lambda s: s["panels"]["Traces"]["in_front"], "the group of the list")
        assert not w.still()["tab_list"]["lines"], "the list is closed"


def panels_share_groups():
    with Window(SYNTHETIC) as w:
        state = w.still()
        groups = {panel["group"] for panel in state["panels"].values() if panel["group"]}
        assert groups == {"Findings", "Hot", "Time", "Waiting", "Memory", "Compare", "Lists"}, groups
        assert state["panels"]["Hotspots"]["in_front"] and not state["panels"]["Kernels"]["in_front"]
        assert w.click_panel("Kernels") == 1, "its group is in front"
        assert w.click_panel("Gaps") == 1, "the first of its group"
        assert w.click_panel("Launches") == 1
        assert w.click_panel("Kernels") == 1, "the group shows the panel that was chosen there"


def empty_panels_are_grey_and_never_in_front():
    with Window(TRANSFORMER) as w:
        state = w.still()
        for name in ("Hotspots", "Kernels", "Gaps", "Launches"):
            assert "no GPU activity" in state["panels"][name]["nothing_to_show"], name
        assert state["panels"]["Operators"]["in_front"] and not state["panels"]["Operators"]["nothing_to_show"]
        assert w.click_panel("Dead windows") == 1, "the first panel of its group that has something to show"
        w.click_panel("Gaps")
        assert w.still()["panels"]["Gaps"]["in_front"], "a click shows it all the same"


def a_panel_gets_a_window_of_its_own():
    with tempfile.TemporaryDirectory() as config:
        with Window(SYNTHETIC, config=config) as w:
            w.click_panel("Kernels")
            x, y = middle(w.still()["panels"]["Kernels"]["tab"])
            w.drag(x, y, x + 30, y - 300)
            out = w.still()["panels"]
            assert out["Kernels"]["group"] is None and not out["Kernels"]["docked"], out["Kernels"]
            assert out["Hotspots"]["in_front"], "its group shows another panel"
        with Window(SYNTHETIC, config=config) as w:
            kept = w.still()["panels"]["Kernels"]
            assert kept["group"] is None and kept["in_front"], kept
            x0, y0, x1, _ = kept["box"]
            w.click(x1 - 14, y0 + 16)  # closes it
            back = w.wait(lambda s: s["panels"]["Kernels"]["group"] == "Hot", "the panel in its group")
            assert back["panels"]["Kernels"]["in_front"], back["panels"]["Kernels"]


if __name__ == "__main__":
    sys.exit(run([a_row_leads_to_the_timeline, a_step_of_the_memory_is_selected, heads_sort, rows_are_copied_and_saved, a_selected_slice_shows_its_row,
                  modules_form_a_tree, typing_filters_the_rows, a_marked_range_limits_the_tables,
                  columns_share_the_width, rows_are_grouped_by_the_menu_of_a_column, hotspots_are_complete_in_a_small_window, tabs_without_space_are_listed,
                  panels_share_groups, empty_panels_are_grey_and_never_in_front, a_panel_gets_a_window_of_its_own]))
