#!/usr/bin/env python3
"""lanescope table models, hotspots and roofline, end to end: the sample, a user's specs, and the sheet that is current."""
import json
import pathlib
import subprocess

from program import ROOT, SAMPLES, complaint_of, json_of, run_all, scratch

CPU = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def test_operators_of_the_cpu_have_work_and_no_floor():
    rows = json_of("table", "models", CPU)
    products = [row for row in rows if row["operator"] == "aten::addmm"]
    assert products
    for row in products:
        assert row["flop"] == row["flop_dense"] > 0 and row["bytes"] == row["bytes_read"] + row["bytes_written"]
        assert row["kernel_ns"] is None and row["floor_ns"] is None and row["bound"] == "unknown"


def test_hotspots_and_kernels_tell_the_same():
    kernels = {row["name"]: row for row in json_of("table", "kernels", SYNTHETIC)}
    for row in json_of("table", "hotspots", SYNTHETIC):
        for key in ("calls", "total_ns", "floor_ns", "lost_ns", "bound"):
            assert row[key] == kernels[row["name"]][key], (row["name"], key)


def test_specs_of_the_user_change_floors():
    plain = {row["name"]: row["floor_ns"] for row in json_of("table", "hotspots", SYNTHETIC)}
    with scratch() as folder:
        specs = pathlib.Path(folder) / "specs.json"
        specs.write_text(json.dumps([{"name": "*", "figures": {"memory_bandwidth_gb_s": 1, "fp32": 0.001,
                                                              "tf32_tensor": 0.001, "fp16_tensor": 0.001,
                                                              "bf16_tensor": 0.001}}]))
        slow = {row["name"]: row["floor_ns"] for row in json_of("table", "hotspots", SYNTHETIC, "--specs", specs)}
        known = [name for name, floor in slow.items() if floor]
        assert known
        assert all(slow[name] > (plain[name] or 0) for name in known)
        specs.write_text("{}")
        for text, told in (("{}", "No JSON list of devices"), ('[{"name": "*"', "No JSON (at byte 14)")):
            specs.write_text(text)
            said = complaint_of("table", "hotspots", SYNTHETIC, "--specs", specs, status=2)
            assert told in said and "specs.json" in said and "Mend that file, or move it away" in said, said
            assert "Record the trace again" not in said, said


def test_arguments_that_models_cannot_use_are_told():
    shapes = [[[4, 8], [8, 16]], [[4, 8], [9, 16]], [[-1, 8], [8, 16]], [[4000000000, 4000000000], [4000000000, 16]]]
    events = []
    for i, dims in enumerate(shapes):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50,
             "args": {"External id": i + 1, "Input Dims": dims, "Input type": ["float", "float"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100 * i + 10, "dur": 5,
             "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 100 * i + 20, "dur": 20,
             "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
    with scratch() as folder:
        trace = pathlib.Path(folder) / "odd.json"
        trace.write_text(json.dumps({"traceEvents": events}))
        assert len(json_of("table", "models", trace)) == 2
        told = {row["warning"]: row for row in json_of("table", "models", trace, "--by", "warning")}
        for code in ("misfit_shapes", "unreadable_shapes", "work_beyond_64_bits"):
            assert told[code]["count"] == 1 and told[code]["text"].startswith("aten::mm [["), told
        reasons = {row["reason"] for row in json_of("table", "models", trace, "--by", "coverage")}
        assert {"shapes do not fit the operator", "shapes are no whole numbers", "its work does not fit 64 bits"} <= reasons
    assert not json_of("table", "models", SYNTHETIC, "--by", "warning")


def test_the_sheet_is_current():
    assert subprocess.run([ROOT / "scripts" / "gpu-specs", "--check"]).returncode == 0


run_all(globals())
