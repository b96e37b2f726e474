#!/usr/bin/env python3
"""Findings about the machine: throttling on a synthetic trace, cpu-contention on recordings of programs."""
import json
import sys

from program import SAMPLES, Skip, json_of, run_all, scratch, text_of
from recorded import record

# Two processes on one core, for as long as the argument says; or one.
BUSY = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
if sys.argv[2] == "two": os.fork()
used = time.process_time()
while time.process_time() - used < float(sys.argv[1]): pass
os.write(1, b"%f\\n" % (time.process_time() - used))  # at once, so that the lines of both stay whole
"""


def contention(how):
    trace, run = record(sys.executable, "-c", BUSY, "0.4", how, more=("--off-cpu",), name=f"{how}.spool")
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    return {f["id"]: f for f in json_of("findings", trace)}.get("cpu-contention"), run.stdout.split()


def test_two_programs_on_one_core_wait_for_it():
    finding, used = contention("two")
    # Each runs for 0.4 s, and nearly always one of the two waits meanwhile.
    assert finding and finding["severity"] == "high" and len(used) == 2, finding
    assert 0.6e9 < finding["cost_ns"], finding
    waits = sum(evidence["value"] for evidence in finding["evidence"])
    assert waits >= finding["cost_ns"] and finding["where"]["name"] == "[preempted]", finding


def synthetic(clock):
    """A GPU that works for 100 ms, with a counter of its clock in MHz by milliseconds."""
    events = [{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": 1000 * i, "dur": 1000,
               "args": {"device": 0, "stream": 7}} for i in range(100)]
    events += [{"ph": "C", "name": "GPU 0 SM clock", "pid": 9, "ts": 1000 * at, "args": {"MHz": value}} for at, value in clock]
    return {"traceEvents": events}


def throttling_of(clock):
    with scratch() as folder:
        path = f"{folder}/synthetic_clock.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(synthetic(clock), file)
        return {f["id"]: f for f in json_of("findings", path)}.get("throttling")


def test_a_falling_clock():
    finding = throttling_of([(0, 1980), (40, 1485), (80, 1980)])
    assert finding["cost_ns"] == 10_000_000 and abs(finding["share"] - 0.1) < 1e-6, finding  # a quarter of 40 ms
    assert (finding["where"]["start_ns"], finding["where"]["duration_ns"]) == (40_000_000, 40_000_000), finding
    assert throttling_of([(0, 600), (20, 1980)]) is None, "the clock rises when the GPU wakes up"
    assert throttling_of([(0, 1980), (50, 1935)]) is None, "hardly lower"


def test_programs_without_these_causes():
    assert "cpu-contention" not in text_of("findings", SAMPLES / "synthetic_step.json.gz")
    assert "throttling" not in text_of("findings", SAMPLES / "synthetic_step.json.gz")


run_all(globals())
