#!/usr/bin/env python3
"""Tests compiled programs in the window: a log of torch.compile is added, and gives the panel Compile and the selection its content."""

import json
import os
import pathlib
import sys
import tempfile

from window import Window, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from compiled_program import log_text, trace_of_compiled_code  # noqa: E402


def files(folder):
    trace, log = pathlib.Path(folder) / "step.json", pathlib.Path(folder) / "elsewhere" / "deep" / "er" / "torch.log"
    log.parent.mkdir(parents=True)
    trace.write_text(json.dumps(trace_of_compiled_code()))
    log.write_text(log_text())
    return str(trace), str(log)


def compiled_of(state):
    return state.get("compiled") if state["selection"] else None


def the_code_of_a_kernel_is_described_once_its_log_is_added():
    with tempfile.TemporaryDirectory() as folder:
        trace, log = files(folder)
        with Window(trace) as w:
            w.select("name:triton_poi_fused_relu_0")
            without = w.wait(compiled_of, "the call of the graph")["compiled"]
            assert without["site"] == "" and without["lines"] == [], without
            w.add_file("log of torch.compile", log)
            w.wait(lambda s: not s["loading"] and (compiled_of(s) or {}).get("site"), "the place in the code")
            found = w.still()["compiled"]
            assert found == {"site": "triton_poi_fused_relu_0", "graph": "0_inference", "operators": ["aten.relu.default"],
                             "lines": ["model.py:4"], "grade": "order"}, found


def the_panel_lists_functions_and_lines():
    with tempfile.TemporaryDirectory() as folder:
        trace, log = files(folder)
        with Window(trace, "--compile-artifacts", log) as w:
            w.show_panel("Compile")
            w.wait(lambda s: s["panels"]["Compile"]["in_front"] and s["panels"]["Compile"]["table"]["ready"], "the table")
            table = w.still()["panels"]["Compile"]["table"]
            assert [row["function"] for row in table["rows"]] == ["forward"], table
            w.click(*table["forms"]["line"])
            w.wait(lambda s: "lines" in s["panels"]["Compile"]["table"]["columns"], "the lines")
            rows = w.still()["panels"]["Compile"]["table"]["rows"]
            assert [row["lines"] for row in rows] == ["model.py:3", "model.py:4", "outside compiled code"], rows
            # A click on the first row goes to its longest kernel.
            w.click(w.still()["panels"]["Compile"]["box"][0] + 40, w.still()["panels"]["Compile"]["table"]["first_row_y"])
            assert w.wait(lambda s: s["selection"], "the kernel")["selection"]["name"] == "gemm"


def a_log_alone_opens_with_its_table():
    with tempfile.TemporaryDirectory() as folder:
        with Window(files(folder)[1]) as w:
            w.wait(lambda s: s["panels"]["Compile"]["in_front"], "the panel Compile")


sys.exit(run([the_code_of_a_kernel_is_described_once_its_log_is_added, the_panel_lists_functions_and_lines, a_log_alone_opens_with_its_table]))
