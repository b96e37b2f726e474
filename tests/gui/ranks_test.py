#!/usr/bin/env python3
"""The panel of ranks: who holds the others up, in which steps, and the way to the timeline."""

import json
import os
import sys
import tempfile

from window import Window, has_real_traces, near, real_trace, run, span

STEPS, STEP, SLOW_FROM, SLOW_RANK = 12, 1000, 6, 1  # microseconds


def rank(folder, number, ranks=3):
    """Makes a rank: in each step a kernel, which is slower on one rank, and the all-reduce that waits for it."""
    events = []
    for step in range(STEPS):
        begin = 5000 + STEP * step
        slow = number == SLOW_RANK and step >= SLOW_FROM
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 40, "tid": 1, "ts": begin, "dur": STEP})
        arrival = 700 if slow else 500
        for kernel, (name, at, until) in enumerate((("gemm", 100, arrival - 10), ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", arrival, 900))):
            correlation = 2 * step + kernel + 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 40, "tid": 1, "ts": begin + 10 + 20 * kernel,
                           "dur": 5, "args": {"correlation": correlation}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": begin + at, "dur": until - at,
                           "args": {"correlation": correlation, "device": 0, "stream": 7}})
    path = os.path.join(folder, f"rank-{number}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"distributedInfo": {"rank": number, "world_size": ranks}, "traceEvents": events}, file)
    return path


def compared(w):
    return w.wait(lambda s: not s["loading"] and s.get("rank_comparison"), "the comparison")["rank_comparison"]


def the_slow_rank_is_named_and_its_step_opens():
    with tempfile.TemporaryDirectory() as folder:
        with Window(*(rank(folder, number) for number in range(3))) as w:
            w.show_panel("Ranks")
            ranks = compared(w)
            verdict, = ranks["verdicts"]
            assert verdict["verdict"] == "slow-gpu" and "rank 1" in verdict["text"], verdict
            assert near(verdict["cost_ns"], 200_000 * (STEPS - SLOW_FROM), 24_000), verdict
            assert ranks["conclusion"] == "" and ranks["problems"] == [] and ranks["steps"] == list(range(STEPS)), ranks
            assert [row["rank"] for row in ranks["rows"]] == ["rank 0", "rank 1", "rank 2"]
            assert ranks["rows"][1]["caused_ns"] == [0] * SLOW_FROM + [400_000] * (STEPS - SLOW_FROM), ranks["rows"][1]
            # A cell leads to its step on its rank.
            cells = w.wait(lambda s: s["rank_comparison"]["cells"]["width"] > 0, "the cells")["rank_comparison"]["cells"]
            w.click(cells["x"] + 8.5 * cells["width"], cells["y"] + 1.5 * cells["height"])
            state = w.wait(lambda s: s["selection"], "the collective")
            assert "AllReduce" in state["selection"]["name"] and state["traces"]["shown_part"] == 1, state["selection"]
            assert [peer["late"] for peer in state["traces"]["ranks"]] == [0, 200_000, 0], state["traces"]["ranks"]
            assert near(span(w.still()), 200_000, 100_000), span(w.still())
            # The verdict leads to the call that it costs most in.
            w.key("Escape")
            (text, middle), = compared(w)["links"].items()
            assert text == "Rank 1 holds the others up from step 6 to 11: its GPU is slow", text
            w.click(*middle)
            w.wait(lambda s: s["selection"] and "AllReduce" in s["selection"]["name"], "the call of the verdict")


def nothing_is_said_of_a_single_rank():
    with tempfile.TemporaryDirectory() as folder:
        with Window(rank(folder, 0)) as w:
            state = w.wait(lambda s: not s["loading"] and s["range"], "the trace")
            assert "rank_comparison" not in state


def real_ranks_without_common_steps():
    if not has_real_traces():
        return
    with Window(*(real_trace(f"torch/two_ranks/rank-{number}.json.gz") for number in (0, 1))) as w:
        ranks = compared(w)
        assert [row["rank"] for row in ranks["rows"]] == ["rank 0", "rank 1"], ranks
        assert "nothing-compared" not in ranks["problems"], ranks


if __name__ == "__main__":
    sys.exit(run([the_slow_rank_is_named_and_its_step_opens, nothing_is_said_of_a_single_rank, real_ranks_without_common_steps]))
