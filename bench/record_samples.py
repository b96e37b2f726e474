#!/usr/bin/env python3
"""What `lanescope record --sample` costs a program that computes, in CPU time: against the same program recorded without
samples and, where it is installed, under Linux's `perf record`.

bench/record_samples.py [ROUNDS]; LANESCOPE_BIN is the folder of the programs. Runs go by turns; ratios are of the least of each.
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
    """CPU seconds of the program, and of all that ran beside it."""
    before = cpu_of_children()
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    own = float(told)
    return own, cpu_of_children() - before - own


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with tempfile.TemporaryDirectory(prefix="lanescope-bench-") as folder:
        program = pathlib.Path(folder) / "busy"
        flags = ["-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
        subprocess.run(["cc", *flags, "-x", "c", "-o", program, "-"], input=PROGRAM, check=True, text=True)
        record = [pathlib.Path(os.environ["LANESCOPE_BIN"]) / "lanescope", "record", "-o", f"{folder}/busy.spool"]
        ways = {"recorded, not sampled": [*record, "--", program],
                "--sample (997 Hz)": [*record, "--sample", "--", program],
                "--sample=99": [*record, "--sample=99", "--", program]}
        if shutil.which("perf"):
            ways["perf record -g -F 997"] = ["perf", "record", "-q", "-F", "997", "-e", "cpu-clock", "-g", "-o",
                                             f"{folder}/perf.data", "--", program]
        runs = {way: [] for way in ways}
        for _ in range(rounds):
            for way, words in ways.items():
                runs[way].append(run(words))
    plain = [own for own, _ in runs["recorded, not sampled"]]
    for way, told in runs.items():
        own = [seconds for seconds, _ in told]
        print(f"{way:24} program {min(own):.4f} s: {100 * (min(own) / min(plain) - 1):+.1f} % (medians "
              f"{100 * (statistics.median(own) / statistics.median(plain) - 1):+.1f} %), "
              f"beside it {1000 * statistics.median(beside for _, beside in told):.0f} ms")


main()
