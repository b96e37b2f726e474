#!/usr/bin/env python3
"""Tests the launch queue below each stream: it agrees with the table, shows its length, folds and hides; there is none
without a GPU."""

import json
import os
import subprocess
import sys

from window import SYNTHETIC, TRANSFORMER, Window, lane_box, lanes_of, middle, run, x_of

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
    return [b for b in lanes_of(state) if b["name"] == "launch queue"]


def show_all(w):
    """Shows the queues of other streams than the busiest one, too."""
    w.move(*middle(w.still()["lanes"]))
    return w.key("shift+x")


def middle_y(box):
    return (box["y0"] + box["y1"]) / 2


def at_first_the_busiest_stream_has_its_queue_below():
    by_stream = curves()
    busiest = max(by_stream, key=lambda stream: len(by_stream[stream]))
    with Window(SYNTHETIC) as w:
        state = w.still()
        (queue,) = queues(state)
        at = state["pinned"].index(queue)
        assert queue["detail"] == f"work waiting · stream {busiest}", queue
        assert state["pinned"][at - 1]["name"] == f"stream {busiest}", state["pinned"]


def each_stream_has_a_queue_with_its_length():
    expected = curves()
    assert any(length > 1 for curve in expected.values() for _, length in curve), "the sample has waiting activities"
    with Window(SYNTHETIC) as w:
        boxes = show_all(w)["pinned"]
        assert len([b for b in boxes if b["name"] == "launch queue"]) == len(expected), (boxes, list(expected))
        for at, box in enumerate(boxes):
            if box["name"] == "launch queue":
                assert box["detail"] == f"work waiting · {boxes[at - 1]['name']}", "directly below its stream"
        for queue in queues({"lane_boxes": [], "pinned": boxes}):
            box = lane_box(w.scroll_to(queue["id"]), queue["id"])
            curve = expected[int(box["detail"].split()[-1])]
            # The longest ranges of constant length, so that a pixel lies inside each.
            stretches = sorted(zip(curve, curve[1:]), key=lambda pair: pair[0][0] - pair[1][0])[:3]
            for (begin, length), (end, _) in stretches:
                state = w.still()
                w.move(x_of(state, (begin + end) / 2), middle_y(box))
                seen = w.wait(lambda s: s["curve_value"] and begin <= s["curve_value"]["time"] < end,
                              "the value at the pointer")
                assert seen["curve_value"]["lane_id"] == box["id"], seen["curve_value"]
                assert seen["curve_value"]["value"] == length, seen["curve_value"]


def a_queue_folds_and_hides_like_any_lane():
    with Window(SYNTHETIC) as w:
        at_first = show_all(w)
        for queue in queues(at_first):
            state = w.scroll_to(queue["id"])
            box = lane_box(state, queue["id"])
            head = state["heads"][0] + 100
            folded = lane_box(w.click(head, box["y0"] + 15), box["id"])
            assert folded["collapsed"] and folded["y1"] - folded["y0"] < box["y1"] - box["y0"]
            w.move(head, middle_y(folded))
            state = w.key("x")
            assert box["id"] not in [b["id"] for b in lanes_of(state)] and state["hidden_lanes"] == 1
            assert show_all(w)["hidden_lanes"] == 0


def a_trace_without_a_gpu_has_none():
    with Window(TRANSFORMER) as w:
        assert not queues(w.still())


sys.exit(run([at_first_the_busiest_stream_has_its_queue_below, each_stream_has_a_queue_with_its_length,
              a_queue_folds_and_hides_like_any_lane, a_trace_without_a_gpu_has_none]))
