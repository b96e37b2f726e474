#!/usr/bin/env python3
"""Measures the cost of `lanescope record --sample` for a computing program, in CPU time. Compares it with the same program
recorded without samples, and under Linux's `perf record` if that is installed.

Usage: bench/record_samples.py [ROUNDS [COMMAND...]]. LANESCOPE_BIN is the folder of the programs. The variants run in turn; ratios
compare the minima. COMMAND is another program than the built-in one; it must print its own CPU seconds.
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#define APART __attribute__((noinline, noipa))
static uint64_t table[1 << 12];
APART uint64_t leaf(uint64_t s) {
    for (int i = 0; i < 2000; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        table[s >> 52] += s;
    }
    return s;
}
APART uint64_t deep(int depth, uint64_t s) { return (depth == 0 ? leaf(s) : deep(depth - 1, s)) + 1; }
int main(void) {
    uint64_t s = 1;
    for (int i = 0; i < 250000; i++) s += deep(16, s);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%.6f\\n", (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
    return s == 42;
}
"""


def cpu_of_children():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def run(words):
    """Runs a command. Returns the CPU seconds of the program, and of all other processes."""
    before = cpu_of_children()
    output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    own = float(output)
    return own, cpu_of_children() - before - own


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with tempfile.TemporaryDirectory(prefix="lanescope-bench-") as folder:
        program = pathlib.Path(folder) / "busy"
        flags = ["-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
        subprocess.run(["cc", *flags, "-x", "c", "-o", program, "-"], input=PROGRAM, check=True, text=True)
        command = sys.argv[2:] or [program]
        record = [pathlib.Path(os.environ["LANESCOPE_BIN"]) / "lanescope", "record", "--force", "-o", f"{folder}/busy.spool"]
        variants = {"recorded, not sampled": [*record, "--", *command],
                    "--sample (997 Hz)": [*record, "--sample", "--", *command],
                    "--sample=99": [*record, "--sample=99", "--", *command],
                    "--off-cpu": [*record, "--off-cpu", "--", *command]}
        if shutil.which("perf"):
            variants["perf record -g -F 997"] = ["perf", "record", "-q", "-F", "997", "-e", "cpu-clock", "-g", "-o",
                                             f"{folder}/perf.data", "--", *command]
            variants["… --call-graph dwarf,32768"] = ["perf", "record", "-q", "-F", "997", "-e", "cpu-clock", "--call-graph", "dwarf,32768",
                                                      "-o", f"{folder}/perf.data", "--", *command]
        runs = {variant: [] for variant in variants}
        for _ in range(rounds):
            for variant, words in variants.items():
                runs[variant].append(run(words))
    plain = [own for own, _ in runs["recorded, not sampled"]]
    for variant, times in runs.items():
        own = [seconds for seconds, _ in times]
        print(f"{variant:24} program {min(own):.4f} s: {100 * (min(own) / min(plain) - 1):+.1f} % (medians "
              f"{100 * (statistics.median(own) / statistics.median(plain) - 1):+.1f} %), "
              f"other processes {1000 * statistics.median(other for _, other in times):.0f} ms")


main()
