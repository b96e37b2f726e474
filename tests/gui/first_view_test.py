#!/usr/bin/env python3
"""Tests that the first picture of a trace shows its GPU work, its steps and rows of a table, for the samples and every real trace."""

import json
import os
import subprocess
import sys
import tempfile

from window import BIN, SYNTHETIC, TRANSFORMER, Window, has_real_traces, real_trace, run

SIZES = ((1280, 720), (1600, 1000))
LEAST_PIXELS = 12  # of a visible lane
ROWS = 8


def facts_of(trace):
    answer = subprocess.run([os.path.join(BIN, "lanescope"), "info", trace, "--format", "json"],
                            capture_output=True, text=True, check=False)
    return json.loads(answer.stdout) if answer.returncode == 0 else None


def real_traces():
    """Every file with exact facts that can be opened."""
    with open(real_trace("expected.json"), encoding="utf-8") as file:
        names = sorted(json.load(file))
    paths = [str(real_trace(name)) for name in names]
    return [path for path in paths if os.path.exists(path)]


class Sized(Window):
    """A window of a size in pixels."""

    def __init__(self, trace, width, height):
        self.settings = tempfile.TemporaryDirectory(prefix="lanescope_size_")
        os.makedirs(os.path.join(self.settings.name, "lanescope"))
        with open(os.path.join(self.settings.name, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"window_width": width, "window_height": height}, file)
        super().__init__(trace, config=self.settings.name)

    def __exit__(self, *problem):
        super().__exit__(*problem)
        self.settings.cleanup()


def front_table(state):
    tables = [panel["table"] for panel in state["panels"].values() if panel["in_front"] and panel["table"]]
    return tables[0] if tables else None


def check_first_view(trace, facts, size):
    with Sized(trace, *size) as w:
        state = w.still()
    assert not state["error"], (trace, state["error"])
    lanes = state["lanes_in_view"]
    if facts["gpu_activities"] > 0:
        good = [lane for lane in lanes if lane["kind"] in ("device", "stream") and lane["kernels"] > 0
                and lane["bottom"] - lane["top"] >= LEAST_PIXELS]
        assert good, (trace, size, lanes)
        # The GPU's lanes stay in view below others. With nothing else to scroll, they get the room of all lanes.
        others = [lane for lane in lanes if lane["kind"] not in ("device", "stream", "steps")]
        assert all(lane["pinned"] == bool(others) for lane in good), (trace, size, good, others)
    steps = [lane for lane in lanes if lane["kind"] == "steps"]
    assert len(steps) == (1 if state["steps"] else 0), (trace, size, steps)
    table = front_table(state)
    assert table and table["ready"], (trace, size)
    assert state["table_rows_in_view"] >= min(ROWS, table["row_count"]), (trace, size, table["row_count"])
    assert table["row_count"] > 0 or not facts["complete_by_category"], (trace, size)
    # Visible lanes are inside the window, and no lane is drawn twice.
    assert all(0 <= lane["top"] < lane["bottom"] <= size[1] for lane in lanes), (trace, size, lanes)
    docked = {lane["id"] for lane in state["pinned"]}
    assert not docked & {lane["id"] for lane in state["lane_boxes"]}, (trace, size)


def every_trace_shows_its_gpu_work_steps_and_table():
    for trace in (SYNTHETIC, TRANSFORMER):
        for size in SIZES:
            check_first_view(trace, dict(facts_of(trace), complete_events=1), size)
    if has_real_traces():
        check_real_traces()


def check_real_traces():
    with_gpu = 0
    for trace in real_traces():
        facts = facts_of(trace)
        if not facts or "/edge/" in trace:
            continue
        facts.setdefault("complete_events", 1)
        for size in SIZES:
            check_first_view(trace, facts, size)
        with_gpu += facts["gpu_activities"] > 0
    assert with_gpu >= 20, with_gpu


def a_folded_gpu_says_how_busy_it_is():
    with Window(real_trace("torch/a100_rank0_of16.json.gz")) as w:
        heads = w.wait(lambda s: any(head["folded_line"] for head in s["pinned_groups"]), "how busy")["pinned_groups"]
        (gpu,) = [head for head in heads if head["collapsed"]]
        assert gpu["name"].startswith("GPU 0") and gpu["folded_line"] == "busy 35.6 %", gpu


def python_frames_are_folded_in_three_ways():
    with Window(SYNTHETIC) as w:
        first = w.still()
        assert first["python_frames"] == "modules"
        rows = [lane["rows"] for lane in first["lane_boxes"]][0]
        own = w.wait_after_key("y", lambda s: s["python_frames"] == "own", "modules and my code")
        lines = [s["groups"][0]["line"] for s in (first, own)]
        assert "Python frames folded  Y" in lines[0] and "only your Python frames  Y" in lines[1], lines
        everything = w.wait_after_key("y", lambda s: s["python_frames"] == "all", "all frames")
        counts = [rows, own["lane_boxes"][0]["rows"], everything["lane_boxes"][0]["rows"]]
        assert counts[0] < counts[1] <= counts[2], counts
        assert "Python" not in everything["groups"][0]["line"], everything["groups"]
        again = w.wait_after_key("y", lambda s: s["python_frames"] == "modules", "modules again")
        assert again["lane_boxes"][0]["rows"] == rows


def a_click_on_a_step_selects_it_and_twice_frames_it():
    with Window(TRANSFORMER) as w:  # steps_test.py has steps that take another time on the GPU
        state = w.still()
        lane = next(lane for lane in state["lanes_in_view"] if lane["kind"] == "steps")
        step = state["steps"][1]
        left, _, right, _ = state["lanes"]
        begin, end = state["range"]
        x = left + ((step["begin"] + step["end"]) / 2 - begin) / (end - begin) * (right - left)
        y = (lane["top"] + lane["bottom"]) / 2
        chosen = w.click(x, y)
        assert chosen["selection"]["name"] == step["text"].split(" · ")[0], (chosen["selection"], step)
        framed = w.click(x, y, times=2)
        assert framed["range"][0] < step["begin"] and framed["range"][1] > step["end"]
        assert framed["range"][1] - framed["range"][0] < 1.5 * (step["end"] - step["begin"])


def the_splitter_gives_the_pinned_lanes_more_or_less_room():
    with Window(SYNTHETIC) as w:
        before = w.still()
        _, _, right, bottom = before["lanes"]
        x = before["lanes"][0] + 200
        taller = w.drag(x, bottom + 3, x, bottom - 57)
        assert abs(before["lanes"][3] - taller["lanes"][3] - 60) <= 2, (before["lanes"], taller["lanes"])
        w.click(x, taller["lanes"][3] + 3, times=2)
        assert abs(w.still()["lanes"][3] - bottom) <= 1, "a double click restores the usual height"


if __name__ == "__main__":
    sys.exit(run([every_trace_shows_its_gpu_work_steps_and_table,
                  a_folded_gpu_says_how_busy_it_is, python_frames_are_folded_in_three_ways, a_click_on_a_step_selects_it_and_twice_frames_it,
                  the_splitter_gives_the_pinned_lanes_more_or_less_room]))
