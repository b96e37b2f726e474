#!/usr/bin/env python3
"""When lanescope record begins and pauses: after a delay, by a range, by the program's profiler calls, by a command."""
import collections
import os
import signal
import subprocess
import time

from program import BIN, Skip, error_of, json_of, lanescope, run_all
from record_cuda_test import record_cuda
from recorded import FOLDER, child_of, names, record, wait_until, warnings

ANNOTATED = BIN / "annotated_c"


def captured(wanted, mode, expression="cat:user_annotation"):
    trace, run = record(ANNOTATED, mode, more=("--capture-range", wanted))
    assert run.stderr == b"", run
    return collections.Counter(names(trace, expression))


def test_only_what_is_inside_the_range_is_recorded():
    assert captured("outer", "nested") == {"outer": 3, **{f"inner {i}": 3 for i in range(4)}}
    assert captured("inner 2", "nested") == {"inner 2": 3}
    assert captured("wide é中", "nested") == {"wide é中": 1}


def test_ranges_of_a_domain():
    # The range of the domain is pushed and popped, and later started and ended by its id.
    inside = {"registered": 2, "of the default domain": 1}
    assert captured("registered@lane.scope", "domains") == inside
    assert captured("registered", "domains") == inside
    trace, run = record(ANNOTATED, "domains", more=("--capture-range", "registered@elsewhere"))
    assert names(trace) == [] and b"opened no range registered@elsewhere" in run.stderr, run


def test_a_range_of_a_child_and_one_that_another_thread_ends():
    assert captured("child", "forks") == {"child": 3, "registered before": 3}
    # The children were forked inside the range. They do not end it.
    assert captured("parent", "forks") == {"parent": 1, "child": 3, "registered before": 3}
    assert captured("handed over", "threads") == {"handed over": 1, "on a thread": 1}


def test_a_range_that_a_crash_leaves_open():
    trace, _ = record(ANNOTATED, "crash", more=("--capture-range", "crashing"), status=134)
    assert names(trace) == ["crashing"], names(trace)


def test_the_programs_profiler_calls_begin_and_end_captures():
    trace, run = record_cuda("profiled", more=("--capture-range", "cudaProfilerApi"))
    assert run.stderr == b"", run
    kernels = {row["name"]: row["calls"] for row in json_of("table", "kernels", trace)}
    assert kernels["small"] == 2 and kernels["in_graph"] == 2, kernels  # of five
    assert collections.Counter(names(trace)) == {"work": 2}, names(trace)
    _, run = record_cuda("work", more=("--capture-range", "cudaProfilerApi"))
    assert b"nothing was recorded: no call of cudaProfilerStart was seen" in run.stderr, run


def times_of(trace, name):
    rows = json_of("find", trace, f"name:{name}")
    return len(rows), (max(row["start_ns"] for row in rows) - min(row["start_ns"] for row in rows)) / 1e9


def test_a_delay():
    trace, run = record(ANNOTATED, "calm", more=("--delay", "2s"))
    count, length = times_of(trace, "pair")
    # The program has 40,000 ranges in a little over four seconds.
    assert 1000 < count < 25000 and length < 3.5, (count, length)
    assert "paused for a part" in str(warnings(trace)), warnings(trace)
    trace, run = record(ANNOTATED, "calm", more=("--delay", "1s", "--duration", "1s"))
    count, length = times_of(trace, "pair")
    assert count > 1000 and length < 1.3, (count, length)
    _, run = record(ANNOTATED, "nested", more=("--delay", "1000s"))
    assert b"nothing was recorded: the program ended before the delay was over" in run.stderr, run


def paused_recorder(name, *words):
    if not ANNOTATED.exists():
        raise Skip("annotated_c is not built")
    trace = FOLDER / name
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--paused", *words, "--", ANNOTATED, "calm"],
                           stderr=subprocess.PIPE)
    wait_until(run, lambda: trace.exists() and subprocess.run(["pgrep", "-P", str(run.pid)], stdout=subprocess.DEVNULL).returncode == 0)
    time.sleep(0.3)
    return trace, run


def control(word, pid, status=0):
    done = lanescope("record", "--control", word, str(pid))
    assert done.returncode == status, done
    return done.stderr.decode()


def test_another_command_begins_and_pauses_the_recording():
    trace, run = paused_recorder("controlled.spool")
    program = child_of(run)
    control("stop", program)  # it is paused already
    control("start", program)
    time.sleep(0.7)
    control("stop", run.pid)  # the recorder's id does as well
    time.sleep(0.7)
    control("start", run.pid)
    time.sleep(0.3)
    control("stop", program)
    assert run.wait() == 0 and run.stderr.read() == b"", run
    starts = sorted(row["start_ns"] for row in json_of("find", trace, "name:pair"))
    pauses = [b - a for a, b in zip(starts, starts[1:]) if b - a > 300e6]
    assert len(pauses) == 1 and 1000 < len(starts) < 20000, (pauses, len(starts))


def test_control_says_what_is_wrong():
    assert "there is no process" in control("start", 2**22 + 1, status=1)
    assert "is not recorded by lanescope record" in control("start", os.getpid(), status=1)
    assert "1234" in error_of("record", "--control", "start", "python", status=2)
    assert "--control" in error_of("record", "--control", "pause", "1", status=2)
    assert "excludes" in error_of("record", "--control", "start", "--sample", "1", status=2)
    trace, run = paused_recorder("ended.spool", "--duration", "300ms")
    control("start", run.pid)
    time.sleep(1.2)
    assert "the recording has ended" in control("start", run.pid, status=1)
    os.kill(child_of(run), signal.SIGKILL)
    assert run.wait() == 128 + signal.SIGKILL
    assert names(trace, "name:pair"), "nothing was recorded"


def test_a_paused_recording_that_nobody_begins():
    _, run = record(ANNOTATED, "nested", more=("--paused",))
    assert b"nothing was recorded: nobody called lanescope record --control start" in run.stderr, run


if __name__ == "__main__":
    run_all(globals())
