#!/usr/bin/env python3
"""lanescope record --sample, end to end: a program whose time in each function is known, and what the samples say."""
import json
import os
import re
import signal
import subprocess
import time

from program import BIN, Skip, complaint_of, json_of, run_all, text_of
from recorded import FOLDER, child_of, found, names, record, warnings

PROGRAM = BIN / "sampled"
UNIT = 0.4  # seconds: of one_part on each of two threads and in the child, of three_parts thrice so much on the threads


def sampled(unit=UNIT, rate="", more=(), name="samples.spool"):
    """A recording of the program, or a skip where the kernel forbids it."""
    trace, run = record(PROGRAM, str(unit), more=(f"--sample{rate}", *more), name=name)
    stderr = run.stderr.decode()
    if "CPU stacks are not sampled" in stderr:
        raise Skip(stderr.strip())
    assert stderr == "", stderr
    return trace, [int(pid) for pid in run.stdout.split()]


def by_function(trace, *words):
    return {row["function"]: row for row in json_of("table", "samples", trace, *words)}


def has_symbols(rows):
    return "three_parts" in rows


def test_names_and_shares_are_those_of_the_program():
    trace, pids = sampled()
    rows = by_function(trace)
    if not has_symbols(rows):
        assert any(re.fullmatch(r"sampled\+0x[0-9a-f]+", name) for name in rows), rows
        raise Skip("built with LANESCOPE_SYMBOLS=OFF: addresses in place of names")
    three, one, both = rows["three_parts"], rows["one_part"], rows["both_parts"]
    assert three["module"] == one["module"] == "sampled"
    # 6 units on the threads; 2 there and 1 in the child. The clock is theirs: 2 % are left for its own grain.
    for row, seconds in ((three, 6 * UNIT), (one, 3 * UNIT), (both, 8 * UNIT)):
        told = row["total_ns"] / 1e9
        assert abs(told - seconds) < 0.05 * seconds + 0.02, (row, seconds)
        assert abs(row["total_samples"] - 997 * seconds) < 0.05 * 997 * seconds + 20, (row, seconds)
    assert abs(three["total_share"] - 6 / 9) < 0.03 and abs(one["total_share"] - 3 / 9) < 0.03, (three, one)
    assert three["self_share"] > 0.5 and both["self_samples"] < 20, (three, both)
    assert sum(row["self_samples"] for row in rows.values()) == \
        sum(s for s in [round(three["total_samples"] / three["total_share"])]), rows
    lanes = [lane for lane in json_of("table", "lanes", trace) if lane["kind"] == "samples"]
    assert sorted((int(lane["pid"]), lane["lane"]) for lane in lanes) == sorted(
        [(pids[0], "sampled · samples"), (pids[0], "second · samples"), (pids[1], "sampled · samples")]), lanes
    # Slices lie inside of what called them.
    assert found(trace, "name:three_parts cat:cpu_sample") and names(trace, f"args:file={PROGRAM} name:three_parts")
    assert json_of("info", trace)["partial_overlaps"] == 0 and warnings(trace) == {}, warnings(trace)


def test_samples_are_no_calls():
    trace, _ = sampled(0.05)
    for table in ("operators", "sections", "dead-windows", "hotspots", "kernels", "gaps", "steps", "breakdown"):
        assert json_of("table", table, trace) == [], table
    summary = text_of("summary", trace)
    assert "three_parts" not in summary and "samples" not in summary.replace(trace.name, ""), summary


def test_converted_they_are_the_same():
    trace, _ = sampled(0.1)
    out = FOLDER / "samples.json.gz"
    text_of("convert", trace, "-o", out)
    assert text_of("table", "samples", out) == text_of("table", "samples", trace)
    kinds = [[lane[key] for key in ("pid", "lane", "tid", "kind", "slices", "busy_ns")]
             for file in (trace, out) for lane in json_of("table", "lanes", file)]
    assert kinds[:len(kinds) // 2] == kinds[len(kinds) // 2:], kinds
    again = FOLDER / "again.json"
    text_of("convert", out, "-o", again)
    assert text_of("table", "samples", again) == text_of("table", "samples", trace)


def test_the_rate_is_that_which_is_asked_for():
    trace, _ = sampled(0.3, "=100")
    rows = json_of("table", "samples", trace)
    samples = sum(row["self_samples"] for row in rows)
    assert abs(samples - 100 * 9 * 0.3) < 30, samples
    for rate in ("=0", "=10001", "=often"):
        assert "--sample" in complaint_of("record", f"--sample{rate}", "-o", FOLDER / "x.spool", "--", PROGRAM, status=2)


def test_programs_run_by_others_and_ranges_beside_samples():
    annotated = BIN / "annotated_c"
    trace, run = record("sh", "-c", f"{PROGRAM} 0.05; {annotated} nested; exit 3", more=("--sample",), status=3)
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    rows = by_function(trace)
    assert "three_parts" in rows or any(name.startswith("sampled+") for name in rows), rows
    assert names(trace, "name:outer cat:user_annotation") == ["outer"] * 3
    threads = [lane for lane in json_of("table", "lanes", trace) if lane["kind"] == "thread"]
    assert threads and all(lane["slices"] > 0 for lane in threads), threads


def test_without_the_switch_nothing_is_sampled():
    trace, run = record(PROGRAM, "0.02")
    assert b"holds only what it used of CPU and memory" in run.stderr, run
    assert json_of("table", "samples", trace) == []


def test_recording_goes_on_where_the_kernel_refuses():
    script = FOLDER / "refuse.py"
    # A seccomp filter of six instructions: perf_event_open gives EPERM.
    script.write_text("""
import ctypes, os, platform, struct, sys
number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
head = struct.pack("HxxxxxxP", len(code), ctypes.addressof(program))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, head, 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
""")
    trace = FOLDER / "refused.spool"
    run = subprocess.run(["python3", script, BIN / "lanescope", "record", "--sample", "-o", trace, "--", PROGRAM, "0.02"],
                         capture_output=True)
    assert run.returncode == 0, run
    said = run.stderr.decode()
    assert "CPU stacks are not sampled: the kernel does not let this user sample" in said, said
    assert "perf_event_paranoid" in said and "seccomp" in said, said
    assert "CPU stacks are not sampled" in warnings(trace)["recorder_warning"]["text"]
    lanes = [lane["kind"] for lane in json_of("table", "lanes", trace)]
    assert set(lanes) == {"counter"}, lanes
    doctor = subprocess.run(["python3", script, BIN / "lanescope", "doctor", "--format", "json"], capture_output=True)
    told = [row for row in json.loads(doctor.stdout) if row["check"] == "CPU stacks"]
    assert told[0]["state"] == "missing" and "seccomp" in told[0]["advice"], told


def test_killed_programs_and_recorders_leave_what_was_sampled():
    trace = FOLDER / "killed.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--sample", "-o", trace, "--", PROGRAM, "30"])
    time.sleep(1.5)
    program = child_of(run)
    run.kill()
    run.wait()
    os.kill(program, signal.SIGKILL)
    info = json_of("info", trace)
    if info["complete_by_category"].get("cpu_sample", 0) == 0 and "recorder_warning" in warnings(trace):
        raise Skip("the kernel forbids it")
    assert info["complete_by_category"]["cpu_sample"] > 20, info
    assert json_of("table", "samples", trace)


def test_duration_and_ring():
    trace, _ = sampled(0.5, more=("--duration", "300ms"), name="short.spool")
    rows = json_of("table", "samples", trace)
    samples = sum(row["self_samples"] for row in rows)
    assert 30 < samples < 997 * 0.3 * 2 * 1.3, samples
    trace, _ = sampled(0.3, more=("--ring", "5s"), name="ring.spool")
    assert json_of("table", "samples", trace)


run_all(globals())
