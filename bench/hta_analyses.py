"""Runs seven analyses of HTA (HolisticTraceAnalysis) on a trace, and prints the seconds of each on a line.

    hta_analyses.py TRACE

The time of the imports does not count.
"""
import sys
import time

from hta.trace_analysis import TraceAnalysis

ANALYSES = [
    ("get_temporal_breakdown", {"visualize": False}),
    ("get_idle_time_breakdown", {"visualize": False}),
    ("get_gpu_kernel_breakdown", {"visualize": False}),
    ("get_comm_comp_overlap", {"visualize": False}),
    ("get_cuda_kernel_launch_stats", {"visualize": False}),
    ("get_queue_length_summary", {}),
    ("get_memory_bw_summary", {}),
]


def main():
    begin = time.perf_counter()
    analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
    print(time.perf_counter() - begin, "load")
    for name, options in ANALYSES:
        start = time.perf_counter()
        getattr(analysis, name)(**options)
        print(time.perf_counter() - start, name)
    print(time.perf_counter() - begin, "all")


main()
