#!/usr/bin/env python3
"""Measures the cost of sampling Python functions with `lanescope record`, in wall-clock and CPU time of the program and in the
recorder's own CPU time. Compares a computing Python program with the same program recorded without samples.

Usage: bench/record_python.py [ROUNDS [PYTHON]]. LANESCOPE_BIN is the folder of the programs. The variants run in turn; ratios
compare the minima and the medians.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

# Work as in a Python program: calls 17 deep, loops, and generators. The number of steps is fixed.
PROGRAM = """
import resource, sys, threading, time
def leaf(n):
    s = 0
    for i in range(n): s += i & 7
    return s
def parts(n):
    for i in range(4): yield leaf(n)
def deep(depth, n):
    return sum(parts(n)) if depth == 0 else deep(depth - 1, n) + 1
for i in range(int(sys.argv[1])):  # threads that wait
    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
begin = time.perf_counter()
for i in range(120000): deep(12, 300)
wall = time.perf_counter() - begin
use = resource.getrusage(resource.RUSAGE_SELF)
print(wall, use.ru_utime + use.ru_stime)
"""


def cpu_of_children():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def run(words):
    """Runs a command. Returns the wall-clock and CPU seconds of the program, and the CPU seconds of all other processes."""
    before = cpu_of_children()
    wall, own = map(float, subprocess.run(words, check=True, capture_output=True, text=True).stdout.split())
    return wall, own, cpu_of_children() - before - own


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    with tempfile.TemporaryDirectory(prefix="lanescope-bench-") as folder:
        script = pathlib.Path(folder) / "busy.py"
        script.write_text(PROGRAM)
        record = [pathlib.Path(os.environ["LANESCOPE_BIN"]) / "lanescope", "record", "--force", "-o", f"{folder}/busy.spool"]
        for threads in ("0", "16"):
            program = ["--", python, script, threads]
            variants = {"recorded, not sampled": [*record, *program], "100 Hz": [*record, "--python-rate", "100", *program],
                    "1000 Hz": [*record, "--python-rate", "1000", *program]}
            runs = {variant: [] for variant in variants}
            for _ in range(rounds):
                for variant, words in variants.items():
                    runs[variant].append(run(words))
            plain = list(zip(*runs["recorded, not sampled"]))
            print(f"{threads} waiting threads besides the main one")
            for variant, times in runs.items():
                wall, own, other = zip(*times)
                more = lambda times, of: (f"{100 * (min(times) / min(of) - 1):+.1f} % (medians "
                                          f"{100 * (statistics.median(times) / statistics.median(of) - 1):+.1f} %)")
                print(f"  {variant:22} wall {min(wall):.3f} s {more(wall, plain[0])}, CPU {min(own):.3f} s {more(own, plain[1])}, "
                      f"other processes {1000 * statistics.median(other):.0f} ms")


main()
