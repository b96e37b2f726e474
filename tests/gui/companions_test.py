#!/usr/bin/env python3
"""Tests what is read beside a trace: captures of graphs and classes of kernels. Each appears, stays when the trace is loaded again,
and survives a file that cannot be read."""

import json
import os
import sys
import tempfile

from window import Window, lanes_of, run

LANE = "Graph replay"


def call(name, ts, **args):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 5, "args": args}


def files(folder):
    capture = [call("hipStreamBeginCapture", 0), call("hipStreamEndCapture", 900)]
    replay = [call("hipGraphLaunch", 100, correlation=7)]
    for i, op in enumerate(["aten::mm", "aten::relu"]):
        capture += [{"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": 10 + 100 * i, "dur": 80, "args": {"External id": i + 1}},
                    call("hipLaunchKernel", 20 + 100 * i, correlation=i + 1, kernel=f"kernel_{i}")]
        replay.append({"ph": "X", "cat": "kernel", "name": f"kernel_{i}", "pid": 2, "tid": 3, "ts": 130 + 100 * i, "dur": 80,
                       "args": {"device": 2, "stream": 3, "correlation": 7}})
    paths = []
    for name, events in {"run": replay, "capture": capture}.items():
        paths.append(os.path.join(folder, f"{name}.json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return paths


def has_lane(state):
    return not state["loading"] and "events" in state and any(box["name"] == LANE for box in lanes_of(state))


def a_capture_is_added_and_stays():
    with tempfile.TemporaryDirectory() as folder:
        trace, capture = files(folder)
        with Window(trace) as w:
            assert not has_lane(w.still())
            w.add_file("graph capture", capture)
            w.wait(has_lane, "the lane of captured calls")
            w.key("F5")
            w.still()
            w.wait(has_lane, "the lane after a reload")
            broken = os.path.join(folder, "broken.json")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("nothing")
            w.add_file("graph capture", broken)
            w.wait(lambda s: "broken.json" in s["message"], "the message")
            w.wait(has_lane, "the lane after a file that is no capture")
            assert w.still()["file"] == trace


def collectives_of(state):
    """How many slices the legend counts as collectives; None while the trace is loaded."""
    return None if state["loading"] or not state["colors"]["counted"] else state["colors"]["classes"].get("collectives", 0)


def kernels_are_classified_by_a_file():
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = files(folder)
        classes = os.path.join(folder, "classes.json")
        with open(classes, "w", encoding="utf-8") as file:
            json.dump({"kernel_1": {"class": "communication"}}, file)
        with Window(trace) as w:
            w.wait(lambda s: collectives_of(s) == 0, "no collective")
            w.add_file("classify kernels", classes)
            w.wait(lambda s: collectives_of(s) == 1, "the kernel as a collective")
            other = os.path.join(folder, "other.json")
            with open(other, "w", encoding="utf-8") as file:
                file.write("[]")
            w.add_file("classify kernels", other)
            w.wait(lambda s: "other.json" in s["message"], "the message")
            w.wait(lambda s: collectives_of(s) == 1, "the classes that were read before")
        with open(other, "w", encoding="utf-8") as file:
            json.dump({"kernel_": {"class": "communication"}}, file)
        with Window("--classes", other, trace) as w:
            w.wait(lambda s: collectives_of(s) == 2, "both kernels as collectives")


def the_command_line_gives_captures():
    with tempfile.TemporaryDirectory() as folder:
        trace, capture = files(folder)
        with Window("--graph-capture", capture, trace) as w:
            w.wait(has_lane, "the lane of captured calls")


sys.exit(run([a_capture_is_added_and_stays, kernels_are_classified_by_a_file, the_command_line_gives_captures]))
