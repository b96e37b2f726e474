#!/usr/bin/env python3
"""Tests the flows of all slices in view (shown by a key), steps from forward to backward and back, and the highlighted
chain."""

import json
import os
import subprocess
import sys

from window import BIN, SYNTHETIC, TRANSFORMER, Window, middle, run

LANESCOPE = os.path.join(BIN, "lanescope")


def all_flows_by_a_key():
    with Window(SYNTHETIC) as w:
        state = w.still()
        assert state["flows"] == {"shown": False, "drawn": 0, "all": 0}
        x, y = middle(state["lanes"])
        w.move(x, y)
        wide = w.key("e")
        assert wide["flows"]["shown"]
        w.hold("w", 1.0)
        near = w.still()
        assert 0 < near["flows"]["drawn"] <= 400, near["flows"]
        assert near["flows"]["drawn"] <= near["flows"]["all"]
        w.key("Home")
        assert w.key("e")["flows"] == {"shown": False, "drawn": 0, "all": 0}


def from_forward_to_backward_and_back():
    with Window(TRANSFORMER) as w:
        w.still()
        forward = w.select("re:^aten::linear$")["selection"]
        number = forward["arguments"].get("Sequence number")
        assert number, forward["arguments"]
        w.key("b")
        state = w.wait(lambda s: s["selection"] and s["selection"]["start"] != forward["start"] and
                       s["selection"]["arguments"] is not None, "the other pass")
        backward = state["selection"]
        assert backward["arguments"]["Sequence number"] == number, backward["arguments"]
        assert int(backward["arguments"]["Fwd thread id"]) > 0 and backward["start"] > forward["start"]
        w.key("b")
        again = w.wait(lambda s: s["selection"] and s["selection"]["start"] < backward["start"] and
                       s["selection"]["arguments"] is not None, "back")
        assert again["selection"]["arguments"]["Sequence number"] == number
        w.key("Escape")
        w.key("Escape")
        w.key("Escape")
        assert "Select an operator" in w.key("b")["message"]


def the_chain_of_a_kernel_is_highlighted():
    with Window(SYNTHETIC) as w:
        assert w.still()["chain"] == []
        state = w.select("kernel name:gemm_bf16_128x128x32_tn_bias")
        chain = state["chain"]
        name = state["selection"]["name"]
        assert chain[-1] == name and chain[-2] == "cudaLaunchKernel", chain
        assert any(part.startswith("ProfilerStep#") for part in chain) and "aten::addmm" in chain, chain
        launch = w.key("bracketleft")
        assert launch["selection"]["name"] == "cudaLaunchKernel"
        assert name in launch["chain"], "a launch highlights the work that it launched"
        op = w.key("Up")
        assert op["selection"]["kind"] == "operator", op["selection"]
        assert name in op["chain"] and "cudaLaunchKernel" in op["chain"], op["chain"]
        w.key("Escape")
        w.key("Escape")
        assert w.key("Escape")["chain"] == []


def marks_on_the_overview_lead_to_their_slices():
    gaps = json.loads(subprocess.run([LANESCOPE, "table", "gaps", SYNTHETIC, "--format", "json"],
                                     check=True, capture_output=True).stdout)
    with Window(SYNTHETIC) as w:
        state = w.wait(lambda s: s.get("landmarks"), "the marks")
        marks = state["landmarks"]
        assert {"idle gap", "dead window", "memory peak"} <= {mark["kind"] for mark in marks}, marks
        longest = max((m for m in marks if m["kind"] == "idle gap"), key=lambda m: m["end"] - m["begin"])
        assert "idle for" in longest["text"], longest
        starts = [gap["start_ns"] for gap in gaps]
        assert longest["begin"] in starts or longest["end"] - longest["begin"] <= max(g["duration_ns"] for g in gaps)
        x, y = middle(longest["box"])
        w.move(x, y)
        state = w.click(x, y)
        begin, end = state["range"]
        assert begin <= longest["begin"] and longest["end"] <= end, (state["range"], longest)
        assert end - begin < 3 * (longest["end"] - longest["begin"]), "and little else"
        back = w.key("alt+Left")
        assert back["range"][1] - back["range"][0] > end - begin, "can be undone like any other move"


sys.exit(run([all_flows_by_a_key, from_forward_to_backward_and_back, the_chain_of_a_kernel_is_highlighted,
              marks_on_the_overview_lead_to_their_slices]))
