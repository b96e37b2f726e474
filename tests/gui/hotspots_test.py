#!/usr/bin/env python3
"""Tests hotspots, the model of a selected kernel, the roofline and the strip of lost time with real keys and mouse."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from panels_test import open_tab
from window import BIN, SYNTHETIC, TRANSFORMER, Window, middle, near, run, xdotool

import png  # beside window.py, which adds the folder of png.py

FIGURES = {"memory_bandwidth_gb_s": 1000, "fp32": 20, "tf32_tensor": 100, "fp16_tensor": 200, "bf16_tensor": 200}


@contextlib.contextmanager
def window_with_peaks(**more):
    """The sample's device is in no data sheet, so the user's file gives its peaks."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "specs.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"name": "*", "figures": FIGURES, **more}], file)
        with Window(SYNTHETIC, "--specs", path) as w:
            w.specs = path
            yield w


def rows_of(name, *words):
    text = subprocess.run([os.path.join(BIN, "lanescope"), "table", name, SYNTHETIC, "--format", "json", *words],
                          check=True, capture_output=True).stdout
    return json.loads(text)


def open_roofline(w):
    w.show_panel("Roofline")
    w.wait(lambda s: s["panels"]["Roofline"]["in_front"] and s["roofline"]["ready"] and s["roofline"]["dots"], "the roofline")
    return w.still()["roofline"]


def hotspots_are_sorted_by_lost_time_and_lead_to_their_model():
    with window_with_peaks() as w:
        shown = open_tab(w, "Hotspots")
        expected = rows_of("hotspots", "--specs", w.specs)
        assert [row["name"] for row in shown["rows"]] == [row["name"] for row in expected][:len(shown["rows"])]
        left, _, _, _ = w.state()["panels"]["Hotspots"]["box"]
        w.click(left + 60, shown["first_row_y"])
        state = w.wait(lambda s: s["selection"] and s["model"], "the model of the kernel")
        assert state["selection"]["name"] == expected[0]["name"]
        model = state["model"]
        assert model["floor_ns"] and model["bytes"] and model["bound"] in ("compute", "memory", "latency"), model


def a_kernel_without_a_model_says_why():
    with window_with_peaks() as w:
        without = next(row for row in rows_of("hotspots", "--specs", w.specs) if row["floor_ns"] is None)
        open_tab(w, "Hotspots")
        xdotool("key", "slash")
        xdotool("type", "--delay", "20", without["name"])
        w.still()
        w.key("Return")
        state = w.wait(lambda s: s["selection"] and s["model"], "the model")
        assert state["selection"]["name"] == without["name"], state["selection"]["name"]
        assert state["model"]["why_not"] == without["no_model"], state["model"]


def a_point_of_the_roofline_describes_and_leads_to_its_kernel():
    with window_with_peaks() as w:
        roofline = open_roofline(w)
        rows = [row for row in rows_of("roofline", "--specs", w.specs) if row["intensity"] and row["tflop_per_s"]]
        assert len(roofline["dots"]) == len(rows)
        assert len(roofline["roofs"]) == len({row["peak"] for row in rows}) > 1, roofline["roofs"]
        dot = roofline["dots"][0]
        w.move(dot["x"], dot["y"])
        tooltip_text = w.wait(lambda s: s["roofline"]["tooltip"], "the description of the point")["roofline"]["tooltip"]
        assert "calls" in tooltip_text or "call," in tooltip_text, tooltip_text
        name = tooltip_text.splitlines()[0]
        w.click(dot["x"], dot["y"])
        state = w.wait(lambda s: s["selection"], "its longest")
        assert state["selection"]["name"] == name
        w.click(*state["roofline"]["buttons"]["kernel"])
        kernels = w.wait(lambda s: s["roofline"]["ready"] and
                         s["roofline"]["dots"] and s["roofline"]["dots"][0]["name"] != roofline["dots"][0]["name"],
                         "points of kernels")
        names = {row["name"] for row in rows_of("hotspots", "--specs", w.specs)}
        assert {dot["name"] for dot in kernels["roofline"]["dots"]} <= names


def the_roofline_zooms_pans_and_fits():
    with window_with_peaks() as w:
        before = open_roofline(w)
        x0, y0, x1, y1 = w.state()["panels"]["Roofline"]["box"]
        x, y = (x0 + x1) / 2, (y0 + y1) / 2 + 20
        w.move(x, y)
        xdotool("click", "--repeat", 4, "--delay", 60, 4)
        closer = w.wait(lambda s: s["roofline"]["intensity"][1] < before["intensity"][1] * 0.9, "a closer look")["roofline"]
        assert closer["intensity"][0] > before["intensity"][0]
        closer = w.still()["roofline"]
        w.click(*closer["buttons"]["Fit"])
        w.wait(lambda s: near(s["roofline"]["intensity"][1] / before["intensity"][1], 1, 0.001), "everything again")


def the_roofline_is_saved():
    with window_with_peaks() as w:
        roofline = open_roofline(w)
        w.click(*roofline["buttons"]["Save SVG"])
        root = xml.etree.ElementTree.parse(w.save_as_offered("roofline.svg")).getroot()
        circles = [e for e in root.iter() if e.tag.endswith("circle") and e.get("fill-opacity")]
        assert len(circles) == len(roofline["dots"])
        w.click(*w.still()["roofline"]["buttons"]["Save PNG"])
        path = w.save_as_offered("roofline.png")
        width, height = png.size(path)
        x0, y0, x1, y1 = w.state()["panels"]["Roofline"]["box"]
        assert 0.8 * (x1 - x0) < width <= x1 - x0 and 60 < height < y1 - y0, (width, height)


def the_overview_shows_lost_time_if_floors_are_known():
    with window_with_peaks() as w:
        assert w.wait(lambda s: s["lost"], "lost time")["lost"] > 10
    with Window(TRANSFORMER) as w:
        w.still()
        assert w.state()["lost"] is None, "no GPU, no floor"
        w.show_panel("Roofline")
        state = w.wait(lambda s: s["panels"]["Roofline"]["in_front"] and s["roofline"]["ready"], "an answer")
        assert not state["roofline"]["dots"]


def nodes_of(node):
    return [node] + [each for child in node.get("children", []) for each in nodes_of(child)]


def the_roofline_gets_extra_height_while_in_front():
    with window_with_peaks() as w:
        def height(panel):
            _, y0, _, y1 = w.still()["panels"][panel]["box"]
            return y1 - y0

        open_tab(w, "Hotspots")
        low = height("Hotspots")
        open_roofline(w)
        high = height("Roofline")
        assert near(high, 420, 2) and high > low + 60, (low, high)
        # The layout, saved when something else moves, keeps the height that the tables have without the roofline.
        left, top, _, bottom = w.still()["panels"]["Selection"]["box"]
        w.drag(left - 1, (top + bottom) / 2, left - 61, (top + bottom) / 2)
        path = os.path.join(w.folder.name, "lanescope", "layout.json")
        w.wait(lambda s: os.path.exists(path), "the layout")
        with open(path, encoding="utf-8") as file:
            rows = [node for node in nodes_of(json.load(file)["docked"]) if node.get("split") == "rows"]
        assert rows and all(near(node["side"], low, 2) for node in rows), rows
        w.show_panel("Hotspots")
        w.wait(lambda s: near(s["panels"]["Hotspots"]["box"][3] - s["panels"]["Hotspots"]["box"][1], low, 2), "its old height")
        with Window(SYNTHETIC, "--specs", w.specs, config=w.folder.name) as again:
            _, y0, _, y1 = again.still()["panels"]["Hotspots"]["box"]
            assert near(y1 - y0, low, 2), (y1 - y0, low)


def unconfirmed_figures_have_a_mark():
    with window_with_peaks(uncertain=list(FIGURES)) as w:
        rows = open_tab(w, "Hotspots")["rows"]
        assert rows[0]["floor_ns"].endswith("?") and rows[0]["lost_ns"].endswith("?"), rows[0]
        assert not rows[0]["total_ns"].endswith("?")
        left, _, _, _ = w.state()["panels"]["Hotspots"]["box"]
        w.click(left + 60, w.state()["panels"]["Hotspots"]["table"]["first_row_y"])
        assert w.wait(lambda s: s["selection"] and s["model"], "the model")["model"]["uncertain"]
        roofline = open_roofline(w)
        assert all(roof.endswith("?") for roof in roofline["roofs"]), roofline["roofs"]
        dot = roofline["dots"][0]
        w.move(dot["x"], dot["y"])
        tooltip_text = w.wait(lambda s: s["roofline"]["tooltip"], "the description of the point")["roofline"]["tooltip"]
        assert "%? of the" in tooltip_text, tooltip_text
    with window_with_peaks() as w:
        assert not any("?" in row["floor_ns"] for row in open_tab(w, "Hotspots")["rows"])


def launches(*kernels):
    """Returns a trace with one launch call for each kernel; `query` is an occupancy query before a launch."""
    events = []
    for i, kernel in enumerate(kernels):
        call = "cudaOccupancyMaxActiveBlocksPerMultiprocessor" if kernel == "query" else "cudaLaunchKernel"
        events.append({"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 1, "tid": 1, "ts": 20 * i, "dur": 5,
                       "args": {"correlation": i + 1}})
        if kernel != "query":
            events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 20 * i + 8, "dur": 9,
                           "args": {"device": 0, "stream": 7, "correlation": i + 1, "grid": [4, 1, 1], "block": [64, 1, 1]}})
    return json.dumps({"traceEvents": events})


def adaptive_launches_and_unknown_occupancies_are_explained():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(launches("query", "adaptive", "plain"))
        with Window(path) as w:
            for name, planned in (("adaptive", True), ("plain", False)):
                w.select(f"kernel {name}")
                state = w.wait(lambda s, name=name: s["selection"]["name"] == name and s["model"], "the model")
                assert state["model"]["planned"] == planned, name
            rows = {row["name"]: row["planned"] for row in open_tab(w, "Kernels")["rows"]}
            assert rows == {"adaptive": "1", "plain": "0"}, rows
            for mode, said in (("occupancy", "No kernel's occupancy is known"), ("hotspot", "No kernel has a floor")):
                for _ in range(9):
                    if w.key("c")["colors"]["mode"] == mode:
                        break
                w.wait(lambda s, said=said: said in s["message"], said)
    with window_with_peaks() as w:
        for _ in range(9):
            if w.key("c")["colors"]["mode"] == "hotspot":
                break
        assert "No kernel" not in w.still()["message"]


def unusable_arguments_cause_a_warning():
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 50,
               "args": {"External id": 1, "Input Dims": [[4, 8], [9, 16]], "Input type": ["float", "float"]}},
              {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
               "args": {"correlation": 1}},
              {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 20,
               "args": {"device": 0, "stream": 7, "correlation": 1}}]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "odd.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        with Window(path) as w:
            assert w.wait(lambda s: s["model_warnings"], "the warning")["model_warnings"] == 1
            w.show_panel("Warnings")
            w.wait(lambda s: s["panels"]["Warnings"]["in_front"], "the list of warnings")
    with Window(SYNTHETIC) as w:
        assert w.still()["model_warnings"] == 0


sys.exit(run([hotspots_are_sorted_by_lost_time_and_lead_to_their_model, a_kernel_without_a_model_says_why,
              a_point_of_the_roofline_describes_and_leads_to_its_kernel, the_roofline_zooms_pans_and_fits, the_roofline_is_saved,
              the_overview_shows_lost_time_if_floors_are_known,
              the_roofline_gets_extra_height_while_in_front, unconfirmed_figures_have_a_mark,
              adaptive_launches_and_unknown_occupancies_are_explained,
              unusable_arguments_cause_a_warning]))
