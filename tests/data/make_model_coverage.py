#!/usr/bin/env python3
"""make_model_coverage.py FOLDER: a lower bound of what models must cover, as tests/core/analysis/work/models_evidence_test.cpp lists it.

Counts, independently of Lanescope, for each GPU trace in FOLDER (LANESCOPE_TRACES) two percentages of kernel time: what
was launched inside an operator that multiplies matrices, convolves, normalises, attends or works element by element and
that recorded the sizes of its inputs, and the collectives that recorded the size of their message. Lanescope has models
of more operators and more sources of sizes, so its own coverage is at least this.
"""
import bisect
import gzip
import json
import pathlib
import sys
from collections import defaultdict

OPERATORS = {f"aten::{name}" for name in (
    "mm addmm bmm baddbmm cudnn_convolution cudnn_convolution_backward miopen_convolution convolution_backward "
    "cudnn_batch_norm cudnn_batch_norm_backward native_batch_norm native_batch_norm_backward _flash_attention_forward "
    "_flash_attention_backward _efficient_attention_forward _softmax _softmax_backward_data _log_softmax "
    "native_layer_norm native_layer_norm_backward add add_ sub mul mul_ div div_ copy_ relu relu_ gelu silu "
    "threshold_backward gelu_backward sum mean fill_ zero_ cat").split()}


def sizes_of(event):
    return event["args"].get("Input Dims") or event["args"].get("Input dims") or []


def events_of(path):
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        document = json.loads(file.read(), strict=False)
    for event in document["traceEvents"] if isinstance(document, dict) else document:
        if event.get("ph") == "X" and isinstance(event.get("args"), dict):
            yield event


class Thread:
    """The modelled operators of a thread, in order of their start; nested ones are each in it."""

    def __init__(self):
        self.operators = []

    def finish(self):
        self.operators.sort()
        self.starts = [start for start, _ in self.operators]
        ends, latest = [], float("-inf")
        for _, end in self.operators:
            latest = max(latest, end)
            ends.append(latest)
        self.latest = ends

    def covers(self, time):
        """Whether an operator runs then: calls are nested, so the latest end of those that began decides."""
        at = bisect.bisect_right(self.starts, time) - 1
        return at >= 0 and self.latest[at] >= time


def coverage(path):
    """Both percentages; None without kernels."""
    threads, launches, by_id, messages, kernels = defaultdict(Thread), {}, set(), set(), []
    for event in events_of(path):
        category, name, args = event.get("cat", ""), event.get("name", ""), event["args"]
        place = (event.get("pid"), event.get("tid"))
        if category.lower() == "kernel":
            kernels.append((name, args, float(event["dur"])))
        elif "correlation" in args:
            launches[args["correlation"]] = (place, float(event["ts"]))
        elif name == "record_param_comms" and args.get("In msg nelems"):
            messages.add(args.get("External id"))
        elif name in OPERATORS and any(sizes_of(event)):
            start = float(event["ts"])
            threads[place].operators.append((start, start + float(event["dur"])))
            by_id.add(args.get("External id", -1))
    for thread in threads.values():
        thread.finish()
    computed = exchanged = whole = 0.0
    for name, args, duration in kernels:
        whole += duration
        if "nccl" in name.lower():
            exchanged += duration if args.get("In msg nelems") or args.get("External id") in messages else 0
        elif args.get("correlation") in launches:
            place, time = launches[args["correlation"]]
            computed += duration if place in threads and threads[place].covers(time) else 0
        else:
            computed += duration if args.get("External id") in by_id else 0
    return (100 * computed / whole, 100 * exchanged / whole) if whole else None


def main():
    folder = pathlib.Path(sys.argv[1])
    for path in sorted(folder.glob("torch/**/*.json.gz")):
        shares = coverage(path)
        if shares:
            print(f'Evidence{{"{path.relative_to(folder)}", {shares[0]:.1f}, {shares[1]:.1f}}},', flush=True)


main()
