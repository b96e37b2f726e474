#!/usr/bin/env python3
"""Times from a file to pandas frames of kernels and operators, beside the load of HTA (HolisticTraceAnalysis), in one run.

    bench/python.py TRACE [ROUNDS]

Run it with a Python that has lanescope, pandas and HTA. Goal: at least 40 times as fast as HTA. HTA's load makes a frame
of all events; ours are the frames of single GPU activities and operator calls. Each round is a process of its own, and the
two take turns; times begin after the imports. Also prints the memory that the frames share with the library.
"""
import statistics
import subprocess
import sys

GOAL = 40

OURS = """
import sys, time
import lanescope as ls, pandas, pyarrow
begin = time.perf_counter()
trace = ls.open(sys.argv[1], progress=False)
opened = time.perf_counter()
kernels, operators = trace.gpu_activity(), trace.operator_call()
made = time.perf_counter()
frames = kernels.to_pandas(categories=True), operators.to_pandas(categories=True)
end = time.perf_counter()
print(end - begin, opened - begin, made - opened, end - made, len(frames[0]), len(frames[1]))
before = pyarrow.total_allocated_bytes()
tables = kernels.to_arrow(), operators.to_arrow()
print(sum(table.nbytes for table in tables), pyarrow.total_allocated_bytes() - before)
"""

THEIRS = """
import logging, sys, time, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
begin = time.perf_counter()
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
print(time.perf_counter() - begin, len(analysis.t.get_trace(0)))
"""


def run(code, trace):
    done = subprocess.run([sys.executable, "-c", code, trace], check=True, capture_output=True, text=True)
    return [[float(word) for word in line.split()] for line in done.stdout.strip().splitlines()[-2:]]


def main():
    trace = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(run(OURS, trace))
        theirs.append(run(THEIRS, trace)[-1])
    seconds = statistics.median(times[0][0] for times in ours)
    hta = statistics.median(times[0] for times in theirs)
    opened, made, framed, kernels, operators = (statistics.median(times[0][i] for times in ours) for i in range(1, 6))
    shared, copied = ours[0][1]
    print(f"lanescope: {seconds * 1e3:.0f} ms (open {opened * 1e3:.0f}, tables {made * 1e3:.0f}, pandas "
          f"{framed * 1e3:.0f}) for {kernels:.0f} GPU activities and {operators:.0f} operator calls")
    print(f"HTA: {hta * 1e3:.0f} ms for {theirs[0][1]:.0f} events")
    print(f"Arrow tables: {shared / 1e6:.1f} MB, of which pyarrow allocated {copied / 1e6:.1f} MB")
    ratio = hta / seconds
    print(f"{ratio:.1f} times as fast (goal: {GOAL}): {'passed' if ratio >= GOAL else 'FAILED'}")
    sys.exit(0 if ratio >= GOAL else 1)


main()
