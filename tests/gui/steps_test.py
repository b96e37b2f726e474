#!/usr/bin/env python3
"""The lane of steps: where the host runs ahead of the GPU, it has a second row with the steps' time on the GPU."""
import json
import os
import sys
import tempfile

from window import TRANSFORMER, Window, run


def ahead(folder, steps=4, host=10_000, work=25_000):
    """Steps of 10 ms on the host that each launch a kernel of 25 ms."""
    events = []
    for i in range(steps):
        begin = i * host
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i + 3}", "pid": 8, "tid": 8, "ts": begin, "dur": host - 10, "args": {}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 8, "tid": 8, "ts": begin + 100, "dur": 500, "args": {"External id": i + 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 8, "tid": 8, "ts": begin + 110, "dur": 8, "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 200 + i * work, "dur": work - 1,
             "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
    path = os.path.join(folder, "ahead.json")
    with open(path, "w") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


def steps_lane(state):
    return next(lane for lane in state["lanes_in_view"] if lane["kind"] == "steps")


def the_time_on_the_gpu_has_a_row():
    with tempfile.TemporaryDirectory() as folder, Window(ahead(folder)) as w:
        state = w.wait(lambda s: s.get("steps"), "the steps")
        assert [step["text"] for step in state["steps"]][1] == "ProfilerStep#4 · 9.99 ms on the host"
        assert state["steps"][1]["device"]["text"] == "#4 · 25 ms on the GPU · GPU busy 100 % · device-bound"
        assert state["steps"][1]["device"]["end"] - state["steps"][1]["device"]["begin"] == 25_000_000
        two_rows = steps_lane(state)
        high = two_rows["bottom"] - two_rows["top"]
    with Window(TRANSFORMER) as w:
        one_row = steps_lane(w.wait(lambda s: s.get("steps"), "the steps"))
        assert high > 1.4 * (one_row["bottom"] - one_row["top"]), (high, one_row)


def time_at(state, nanos):
    """The x of a time of the file."""
    left, _, right, _ = state["lanes"]
    begin, end = state["range"]
    return left + (nanos - begin) / (end - begin) * (right - left)


def a_click_frames_the_step_on_both():
    with tempfile.TemporaryDirectory() as folder, Window(ahead(folder)) as w:
        w.wait(lambda s: s.get("steps"), "the steps")
        for on_device in (False, True):
            w.key("Home")
            w.key("Escape")
            state = w.key("f")
            state = w.still()
            step = state["steps"][2]
            lane = steps_lane(state)
            box = step["device"] if on_device else step
            y = lane["bottom"] - 7 if on_device else lane["top"] + 9
            w.click(time_at(state, (box["begin"] + box["end"]) / 2), y)
            state = w.wait(lambda s: not s["moving"] and s["selection"], "the step")
            assert state["selection"]["name"] == "ProfilerStep#5", state["selection"]
            begin, end = state["range"]
            assert begin <= step["begin"] and step["device"]["end"] <= end, (state["range"], step)
            # Framed, not only in view.
            assert end - begin < 1.5 * (step["device"]["end"] - step["begin"]), (state["range"], step)


def each_row_describes_its_own_time():
    with tempfile.TemporaryDirectory() as folder, Window(ahead(folder)) as w:
        state = w.wait(lambda s: s.get("steps"), "the steps")
        step, lane = state["steps"][1], steps_lane(state)
        w.move(time_at(state, (step["begin"] + step["end"]) / 2), lane["top"] + 9)
        card = w.wait(lambda s: s["hover"], "the step on the host")["hover"]
        assert card["name"] == "ProfilerStep#4" and card["lines"]["Duration"] == "9.99 ms", card
        device = step["device"]
        w.move(time_at(state, (device["begin"] + device["end"]) / 2), lane["bottom"] - 7)
        card = w.wait(lambda s: s["hover"] and s["hover"]["kind"] != card["kind"], "the step on the GPU")["hover"]
        assert card["name"] == "ProfilerStep#4", card
        assert (card["lines"]["On the GPU"], card["lines"]["On the host"]) == ("25 ms", "9.99 ms"), card


def steps_that_end_together_have_one_row():
    with Window(TRANSFORMER) as w:
        state = w.wait(lambda s: s.get("steps"), "the steps")
        assert all(step["device"] is None for step in state["steps"]), state["steps"]


if __name__ == "__main__":
    sys.exit(run([the_time_on_the_gpu_has_a_row, a_click_frames_the_step_on_both, each_row_describes_its_own_time,
                  steps_that_end_together_have_one_row]))
