#!/usr/bin/env python3
"""lanescope record --off-cpu and --pid, end to end."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from program import BIN, Skip, error_of, json_of, lanescope, run_all
from recorded import FOLDER, find, record, wait_until, warnings

PROGRAM = BIN / "waiting"
UNPRIVILEGED = {"user": 65534, "group": 65534, "extra_groups": []}


def refused(stderr):
    if "not sampled" in stderr:
        raise Skip(stderr.strip())


def waits_of(trace, lane):
    """The outermost and the innermost slices of a thread's waits, in order of time."""
    slices = [row for row in find(trace, "cat:off_cpu") if row["lane"] == f"{lane} · samples"]
    by_start = {}
    for row in slices:
        by_start.setdefault(row["start_ns"], []).append(row)
    return [rows for _, rows in sorted(by_start.items())]


def blocked_in(waits, function):
    """Those waits in a function in which the thread blocked. Under load it is also preempted there, or waits elsewhere."""
    return [rows for rows in waits if any(row["name"] == function for row in rows) and rows[-1]["name"] != "[preempted]"]


def sees_stacks(trace):
    return not any("stacks of waiting threads" in warning["text"] for warning in warnings(trace).values())


def recorded_waits(*more):
    trace, run = record(PROGRAM, "0.5", more=("--off-cpu", *more), name="waits.spool")
    refused(run.stderr.decode())
    assert run.stderr == b"", run.stderr
    slept, times = map(int, run.stdout.split())
    return trace, slept, times


def test_waits_have_their_lengths_and_stacks():
    trace, slept, times = recorded_waits()
    waits = waits_of(trace, "waiting")
    if not sees_stacks(trace):
        raise Skip("the kernel does not let this user see the stacks of waiting threads")
    sleeps = blocked_in(waits, "sleep_a_while")
    if not sleeps and any(re.search(r"\+0x", row["name"]) for rows in waits for row in rows):
        raise Skip("built with LANESCOPE_SYMBOLS=OFF, so frames have addresses instead of names")
    # The program's own measurement contains the time until it runs again, and so do the waits, up to the call's own time.
    assert len(sleeps) == times, (len(sleeps), times)
    total = sum(rows[0]["duration_ns"] for rows in sleeps)
    assert 0.95 * slept < total <= slept, (total, slept)
    for rows in sleeps:
        names = {row["name"] for row in rows}
        assert "main" in names and any("nanosleep" in name for name in names), names
        assert len({row["duration_ns"] for row in rows}) == 1, rows
    (reader,) = blocked_in(waits_of(trace, "reader"), "wait_for_pipe")
    names = {row["name"] for row in reader}
    assert any("read" in name for name in names), names
    assert reader[0]["duration_ns"] > 0.9 * slept, reader
    assert len(find(trace, "cat:off_cpu name:sleep_a_while args:state=blocked")) == times
    # Work and waits do not overlap.
    assert find(trace, "cat:cpu_sample name:work_hard")
    assert json_of("info", trace)["partial_overlaps"] == 0


def test_short_waits_are_counted():
    trace, slept, times = recorded_waits("--off-cpu=500ms")
    assert not [rows for rows in waits_of(trace, "waiting") if rows[0]["duration_ns"] < 5e8]
    (note,) = [w["text"] for w in warnings(trace).values() if "shorter than 500 ms" in w["text"]]
    count, seconds = re.search(r"(\d+) times in which.* ms: ([0-9.]+) s together", note).groups()
    assert int(count) >= times and float(seconds) > 0.95 * slept / 1e9, (note, slept, times)
    for time_of_wait in ("=0", "=never"):
        assert "--off-cpu" in error_of("record", f"--off-cpu{time_of_wait}", "--", PROGRAM, status=2)


def test_without_permission_only_the_times_are_recorded():
    if os.geteuid() != 0:
        raise Skip("the test needs root to become another user")
    if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        raise Skip("every user may see stacks of waiting threads here")
    with tempfile.TemporaryDirectory(prefix="lanescope-nobody-") as folder:
        os.chown(folder, 65534, 65534)
        trace = pathlib.Path(folder) / "waits.spool"
        try:
            run = subprocess.run([BIN / "lanescope", "record", "--off-cpu", "-o", trace, "--", PROGRAM, "0.3"], cwd=folder,
                                 capture_output=True, text=True, env={"HOME": folder}, **UNPRIVILEGED)
        except PermissionError:
            raise Skip("other users may not run the built programs") from None
        refused(run.stderr)
        assert run.stderr == "", run.stderr
        slept, times = map(int, run.stdout.split())
        blocked = [rows for rows in waits_of(trace, "waiting") if rows[0]["name"] == "[blocked]"]
        assert len(blocked) >= times and all(len(rows) == 1 for rows in blocked), blocked
        assert sum(rows[0]["duration_ns"] for rows in blocked) > 0.9 * slept, (blocked, slept)
        assert not sees_stacks(trace)


class Running:
    """The program, which has started its thread; with the recorder that attaches to it."""

    def __init__(self, seconds, *more, name="attached.spool"):
        self.trace = FOLDER / name
        self.program = subprocess.Popen([PROGRAM, str(seconds)], stdout=subprocess.PIPE, text=True)
        wait_until(self.program, self.reader_waits)
        words = [BIN / "lanescope", "record", "--force", "--pid", str(self.program.pid), *more, "-o", self.trace]
        self.recorder = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)

    def reader_waits(self):
        tasks = pathlib.Path(f"/proc/{self.program.pid}/task").iterdir()
        return any(re.search(r"\(reader\) S", (task / "stat").read_text()) for task in tasks)

    def recorded(self):
        """Waits for the recorder, and checks that it succeeds."""
        stderr = self.recorder.communicate(timeout=60)[1]
        if "not sampled" in stderr:
            self.program.kill()
            self.program.wait()
            raise Skip(stderr.strip())
        assert self.recorder.returncode == 0 and stderr == "", (self.recorder.returncode, stderr)
        return self.trace


def test_a_running_process_is_sampled_until_the_time_is_over():
    running = Running(3, "--duration", "700ms", "--off-cpu")
    trace = running.recorded()
    assert running.program.poll() is None, "the program ended with the recording"
    output = running.program.communicate(timeout=60)[0]
    assert running.program.returncode == 0 and len(output.split()) == 2, output
    rows = {row["function"]: row for row in json_of("table", "samples", trace) if row["kind"] == "CPU"}
    lanes = json_of("table", "lanes", trace)
    assert {lane["lane"] for lane in lanes if lane["kind"] == "samples"} == {"waiting · samples", "reader · samples"}, lanes
    assert {lane["process"] for lane in lanes} == {"waiting 3"}, lanes
    assert int(lanes[0]["pid"]) == running.program.pid
    # The thread has waited since before the recording: for how long is known, in what is not.
    # Under load it is also preempted.
    (reader,) = [rows for rows in waits_of(trace, "reader") if rows[-1]["name"] != "[preempted]"]
    assert [row["name"] for row in reader] == ["[blocked]"] and 6e8 < reader[0]["duration_ns"] < 2e9, reader
    if "main" not in rows:
        raise Skip("built with LANESCOPE_SYMBOLS=OFF, so frames have addresses instead of names")
    # The number of samples depends on the processor time that other programs leave.
    hard, every = rows["work_hard"], rows["main"]["total_samples"]
    assert hard["module"] == "waiting" and every > 5 and hard["total_samples"] > every / 2, rows
    if sees_stacks(trace):
        assert len(find(trace, "cat:off_cpu name:sleep_a_while")) > 10


def test_recording_a_running_process_ends_with_the_process_and_by_signals():
    trace = Running(0.5, name="ended.spool").recorded()
    assert json_of("table", "samples", trace)
    running = Running(3, name="interrupted.spool")
    time.sleep(0.5)
    running.recorder.send_signal(signal.SIGINT)
    trace = running.recorded()
    assert running.program.poll() is None, "the program ended with the recording"
    running.program.kill()
    running.program.wait()
    assert json_of("table", "samples", trace)
    assert json_of("info", trace)["complete_by_category"].get("off_cpu", 0) == 0


def test_processes_that_cannot_be_recorded_are_named():
    assert "there is no process 4194999" in error_of("record", "--pid", "4194999", status=2)
    assert "COMMAND" in error_of("record", "--pid", str(os.getpid()), "--", "ls", status=2)
    if os.geteuid() != 0:
        raise Skip("the test needs root to become another user")
    try:
        run = subprocess.run([BIN / "lanescope", "record", "--pid", str(os.getpid()), "-o", "/tmp/none.spool"],
                             capture_output=True, text=True, **UNPRIVILEGED)
    except PermissionError:
        raise Skip("other users may not run the built programs") from None
    assert run.returncode == 1 and not pathlib.Path("/tmp/none.spool").exists(), run
    assert "belongs to another user" in run.stderr and "as root" in run.stderr, run.stderr


run_all(globals())
