#!/usr/bin/env python3
"""Tests the launch queue below each stream: it agrees with the table, shows its length, folds and hides; there is none
without a GPU."""

import json
import os
import subprocess
import sys

from window import SYNTHETIC, TRANSFORMER, Window, run, x_of

LANESCOPE = os.path.join(os.environ["LANESCOPE_BIN"], "lanescope")


def curves():
    """The changes of each stream's queue."""
    text = subprocess.run([LANESCOPE, "table", "launches", SYNTHETIC, "--by", "queue", "--format", "json"], check=True,
                          capture_output=True).stdout
    by_stream = {}
    for row in json.loads(text):
        by_stream.setdefault(row["stream"], []).append((row["start_ns"], row["queue_length"]))
    return by_stream


def queues(state):
    return [b for b in state["lane_boxes"] if b["name"] == "launch queue"]


def scroll_to(w, box):
    """Brings the middle of a lane into view."""
    state = w.still()
    left, top, right, bottom = state["lanes"]
    while not top + 40 < middle_y(box) < bottom - 5:
        box = next(b for b in w.wheel((left + right) / 2, top + 30, 5)["lane_boxes"] if b["id"] == box["id"])
    return box


def middle_y(box):
    return (box["y0"] + box["y1"]) / 2


def each_stream_has_a_queue_with_its_length():
    expected = curves()
    assert any(length > 1 for curve in expected.values() for _, length in curve), "the sample has waiting activities"
    with Window(SYNTHETIC) as w:
        boxes = w.still()["lane_boxes"]
        assert len(queues({"lane_boxes": boxes})) == len(expected), (boxes, list(expected))
        for at, box in enumerate(boxes):
            if box["name"] == "launch queue":
                assert box["detail"] == f"work waiting · {boxes[at - 1]['name']}", "directly below its stream"
        box = scroll_to(w, queues(w.still())[0])
        curve = expected[int(box["detail"].split()[-1])]
        # The longest ranges of constant length, so that a pixel lies inside each.
        stretches = sorted(zip(curve, curve[1:]), key=lambda pair: pair[0][0] - pair[1][0])[:3]
        for (begin, length), (end, _) in stretches:
            state = w.still()
            w.move(x_of(state, (begin + end) / 2), middle_y(box))
            seen = w.wait(lambda s: s["curve_value"] and begin <= s["curve_value"]["time"] < end, "the value at the pointer")
            assert seen["curve_value"]["lane_id"] == box["id"] and seen["curve_value"]["value"] == length, seen["curve_value"]


def a_queue_folds_and_hides_like_any_lane():
    with Window(SYNTHETIC) as w:
        box = scroll_to(w, queues(w.still())[0])
        head = w.still()["heads"][0] + 100
        folded = next(b for b in queues(w.click(head, box["y0"] + 15)) if b["id"] == box["id"])
        assert folded["collapsed"] and folded["y1"] - folded["y0"] < box["y1"] - box["y0"]
        state = w.key("x")
        assert box["id"] not in [b["id"] for b in state["lane_boxes"]] and state["hidden_lanes"] == 1


def a_trace_without_a_gpu_has_none():
    with Window(TRANSFORMER) as w:
        assert not queues(w.still())


sys.exit(run([each_stream_has_a_queue_with_its_length, a_queue_folds_and_hides_like_any_lane,
              a_trace_without_a_gpu_has_none]))
