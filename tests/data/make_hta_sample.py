#!/usr/bin/env python3
"""Writes hta_sample.json: what HTA 0.5.0 computes from assets/samples/synthetic_step.json.gz.

    pip install HolisticTraceAnalysis==0.5.0
    tests/data/make_hta_sample.py

HTA counts rows of cuda_sync as work on the device, so they are removed first. The figures of kernels are of the trace
without its ProfilerSteps: with them, HTA omits what the last step launched.
"""
import gzip
import json
import pathlib
import tempfile

from hta.trace_analysis import TraceAnalysis

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = "synthetic_step.json.gz"


def records(frame):
    return json.loads(frame.to_json(orient="records", double_precision=15))


def analysis_of(trace, folder):
    path = pathlib.Path(folder) / "trace.json.gz"
    path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    return TraceAnalysis(trace_files={0: str(path)}, trace_dir=folder)


def main():
    trace = json.loads(gzip.decompress((ROOT / "assets/samples" / SAMPLE).read_bytes()))
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "cuda_sync"]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        hta = analysis_of(trace, folder)
        found["temporal"] = records(hta.get_temporal_breakdown(visualize=False))[0]
        found["overlap"] = records(hta.get_comm_comp_overlap(visualize=False))
        found["idle"] = records(hta.get_idle_time_breakdown(ranks=[0], visualize=False)[0])
        launches = hta.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
        found["launch"] = {"launch_delay": json.loads(launches["launch_delay"].describe().to_json(double_precision=15))}
        queue = hta.get_queue_length_summary(ranks=[0]).reset_index()
        queue.columns = ["|".join(column) for column in queue.columns]
        found["queue"] = records(queue)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if not event["name"].startswith("ProfilerStep#")]
    with tempfile.TemporaryDirectory() as folder:
        kernels = analysis_of(trace, folder).get_gpu_kernel_breakdown(visualize=False, num_kernels=20)[1]
        found["kernels_top20"] = records(kernels)
    target = ROOT / "tests/data/hta_sample.json"
    target.write_text(json.dumps({SAMPLE: found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
