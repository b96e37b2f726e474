#!/usr/bin/env python3
"""HTA (HolisticTraceAnalysis) reads traces written by lanescope convert, and its results equal ours.

LANESCOPE_HTA names a Python with HTA installed. The default is the one that bench_analyse installs."""
import json
import os
import pathlib
import subprocess

import record_cuda_test as cuda
from program import BIN, Skip, json_of, run_all, text_of
from recorded import FOLDER, record

PYTHON = pathlib.Path(os.environ.get("LANESCOPE_HTA", BIN.parent / "hta" / "venv" / "bin" / "python"))
SCRIPT = """
import json, logging, sys, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
frame = analysis.t.get_trace(0)
names = analysis.t.symbol_table.get_sym_table()
result = {"rows": sorted([names[n], int(s)] for n, s in zip(frame["name"], frame["stream"]))}
if (frame["stream"] >= 0).any():
    kernels = analysis.get_gpu_kernel_breakdown(visualize=False)[1]
    launches = analysis.get_cuda_kernel_launch_stats(visualize=False)[0]
    bandwidth = analysis.get_memory_bw_summary()
    result["kernels"] = {row["name"]: float(row["sum (us)"]) for _, row in kernels.iterrows()}
    result["launches"] = len(launches)
    result["bandwidth"] = {key[1]: float(row[("memory_bw_gbps", "max")]) for key, row in bandwidth.iterrows()}
    analysis.get_temporal_breakdown(visualize=False)
    analysis.get_idle_time_breakdown(visualize=False)
    analysis.get_queue_length_summary()
print("result " + json.dumps(result))
"""


def analyse_with_hta(trace):
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import hta"], capture_output=True).returncode != 0:
        raise Skip(f"no HTA in {PYTHON}: bench_analyse installs one, LANESCOPE_HTA names another")
    target = FOLDER / "for_hta.json.gz"
    text_of("convert", trace, "-o", target)
    run = subprocess.run([PYTHON, "-c", SCRIPT, target], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(next(line for line in run.stdout.splitlines() if line.startswith("result "))[len("result "):])


def test_kernels_launches_and_copies():
    trace, _ = cuda.record_cuda("work")
    hta = analyse_with_hta(trace)
    assert len(hta["rows"]) == json_of("info", trace)["phases"]["X"], hta["rows"]
    rows = cuda.kernels(trace)
    assert set(hta["kernels"]) == set(rows), hta["kernels"]
    for name, total in hta["kernels"].items():  # HTA rounds begins up and ends down to whole microseconds
        ours = rows[name]["total_ns"] / 1000
        assert ours - 2 * rows[name]["calls"] <= total <= ours, (name, total, ours)
    launches = [row for row in json_of("table", "launches", trace) if row.get("kind", "kernel") == "kernel"]
    assert hta["launches"] > 0 and launches, hta
    for name, theirs in hta["bandwidth"].items():
        ours = max(row["bytes"] / row["total_ns"] for row in rows.values() if row["name"].startswith(name.split(" (")[0]))
        assert abs(theirs / ours - 1) < 0.01, (name, theirs, ours)
    assert hta["bandwidth"], hta


def test_ranges():
    for mode in ("nested", "domains"):
        trace, _ = record(BIN / "annotated_c", mode)
        hta = analyse_with_hta(trace)
        assert len(hta["rows"]) >= json_of("info", trace)["phases"]["X"] > 0, (mode, hta["rows"])


run_all(globals())
