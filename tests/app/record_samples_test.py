#!/usr/bin/env python3
"""lanescope record --sample, end to end: a program whose time in each function is known, and what the samples say."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from program import BIN, Skip, complaint_of, json_of, run_all, text_of
from recorded import FOLDER, child_of, found, names, record, warnings

PROGRAM = BIN / "sampled"
UNIT = 0.4  # seconds: of one_part on each of two threads and in the child, of three_parts thrice so much on the threads
PERIOD = 10**9 // 997  # nanoseconds of CPU time, from sample to sample


def sampled(unit=UNIT, rate="", more=(), name="samples.spool"):
    """A recording of the program, its pids, and the seconds that it really spent in three_parts and in one_part, of CPU
    time and then by the clock on the wall; or a skip where the kernel forbids it."""
    trace, run = record(PROGRAM, str(unit), more=(f"--sample{rate}", *more), name=name)
    stderr = run.stderr.decode()
    if "CPU stacks are not sampled" in stderr:
        raise Skip(stderr.strip())
    assert stderr == "", stderr
    pids, cpu, wall = ([int(number) for number in line.split()] for line in run.stdout.splitlines())
    return trace, pids, [nanos / 1e9 for nanos in cpu + wall]


def by_function(trace, *words):
    return {row["function"]: row for row in json_of("table", "samples", trace, *words)}


def has_symbols(rows):
    return "three_parts" in rows


def test_names_and_shares_are_those_of_the_program():
    trace, pids, (in_three, in_one, wall_three, wall_one) = sampled()
    assert 0 <= in_three - 6 * UNIT < UNIT and 0 <= in_one - 3 * UNIT < UNIT, (in_three, in_one)
    rows = by_function(trace)
    if not has_symbols(rows):
        assert any(re.fullmatch(r"sampled\+0x[0-9a-f]+", name) for name in rows), rows
        raise Skip("built with LANESCOPE_SYMBOLS=OFF: addresses in place of names")
    three, one, both = rows["three_parts"], rows["one_part"], rows["both_parts"]
    assert three["module"] == one["module"] == "sampled"
    # 6 units on the threads; 2 there and 1 in the child, and as much more as the program tells: it asks its clock seldom.
    # The kernel's timer is not that clock: it goes on while the kernel, or the machine around a virtual one, does something
    # else in the thread's place, which was up to 11 % of the time under heavy load. It never goes faster than the wall's.
    for row, seconds, wall in ((three, in_three, wall_three), (one, in_one, wall_one),
                               (both, in_three + in_one * 2 / 3, wall_three + wall_one)):
        told = row["total_samples"] * PERIOD / 1e9
        assert 0.95 * seconds - 0.02 < told < 1.02 * wall + 0.02, (row, seconds, wall)
    # Time is counted by samples, and is not the length of what is drawn of them, which other programs stretch.
    for row in rows.values():
        assert row["total_ns"] == row["total_samples"] * PERIOD and row["self_ns"] == row["self_samples"] * PERIOD, row
    share = in_three / (in_three + in_one)
    assert abs(three["total_share"] - share) < 0.03 and abs(one["total_share"] - (1 - share)) < 0.03, (three, one, share)
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
    trace, *_ = sampled(0.05)
    for table in ("operators", "sections", "dead-windows", "hotspots", "kernels", "gaps", "steps", "breakdown"):
        assert json_of("table", table, trace) == [], table
    summary = text_of("summary", trace)
    assert "three_parts" not in summary and "samples" not in summary.replace(trace.name, ""), summary


def test_converted_they_are_the_same():
    trace, *_ = sampled(0.1)
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
    trace, *_ = sampled(0.3, "=100")
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


def made(*words):
    """A recording of the program that makes its code, and its rows of the table."""
    trace, run = record(BIN / "made", *words, more=("--sample",), name="made.spool")
    (pathlib.Path("/tmp") / f"perf-{run.stdout.decode().strip()}.map").unlink()
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    assert run.stderr == b"", run
    return trace, {row["function"]: row for row in json_of("table", "samples", trace) if row["module"] == "[JIT]"}


def test_code_that_a_program_makes_is_told_by_its_names():
    trace, rows = made("0.2")
    assert set(rows) == {"py::first:/made.py", "second"}, rows
    first, second = rows["py::first:/made.py"]["self_samples"], rows["second"]["self_samples"]
    assert abs(first / (first + second) - 4 / 5) < 0.1, rows  # 3 units and the child's 1, against 1
    processes = {lane["pid"] for lane in json_of("table", "lanes", trace) if lane["kind"] == "samples"}
    assert len(processes) == 2, processes
    assert len({slice["lane"] for slice in found(trace, "name:first cat:cpu_sample")}) >= 1
    _, late = made("0.2", "late")
    assert set(late) == {"py::first:/made.py", "second"} and late["second"]["self_samples"] > 50, late


def runtime(name, *words):
    """The functions of a language's runtime that were met: what it wrote of them goes."""
    trace, run = record(*words, more=("--sample",), name=name)
    for pid in {lane["pid"] for lane in json_of("table", "lanes", trace)}:
        (pathlib.Path("/tmp") / f"perf-{pid}.map").unlink(missing_ok=True)
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    return {row["function"]: row for row in json_of("table", "samples", trace) if row["module"] == "[JIT]"}


def test_functions_of_node():
    node = shutil.which("node")
    if not node:
        raise Skip("node is not installed")
    script = """function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
                while (process.cpuUsage().user < 700000) hot(1e5);"""
    log = ["--no-logfile-per-isolate", f"--logfile={FOLDER}/v8.log"]
    rows = runtime("node.spool", node, "--perf-basic-prof", *log, "-e", script)
    hot = sum(row["self_samples"] for name, row in rows.items() if re.search(r":[*^~+]?hot ", name))
    assert hot > 200, rows


def test_functions_of_python():
    """CPython without frame pointers hides who called its interpreter: then there is nothing to be seen."""
    asks = "import sysconfig as s; print('no-omit-frame-pointer' in str(s.get_config_var('CFLAGS')), s.get_config_var('PY_HAVE_PERF_TRAMPOLINE'))"
    for python in ("python3", "python3.14", "python3.13", "python3.12"):
        told = subprocess.run([python, "-c", asks], capture_output=True, text=True).stdout if shutil.which(python) else ""
        if told.split() == ["True", "1"]:
            break
    else:
        raise Skip("no Python that is 3.12 or later and was built with frame pointers")
    script = FOLDER / "hot.py"
    script.write_text("import time\ndef hot(n):\n    for i in range(n): pass\nwhile time.process_time() < 0.7: hot(20000)\n")
    rows = runtime("python.spool", python, "-X", "perf", script)
    assert rows[f"py::hot:{script}"]["total_samples"] > 200, rows


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


def as_nobody(trace, *command, **options):
    """A recording by a user who may do no more than others."""
    words = [BIN / "lanescope", "record", "--sample", "-o", trace, "--", *command]
    return subprocess.Popen(words, user=65534, group=65534, extra_groups=[], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, cwd=trace.parent, env={"HOME": str(trace.parent)}, **options)


def test_users_other_than_root():
    if os.geteuid() != 0:
        raise Skip("this user is another than root already")
    with tempfile.TemporaryDirectory(prefix="lanescope-nobody-") as folder:
        os.chown(folder, 65534, 65534)
        trace = pathlib.Path(folder) / "own.spool"
        try:
            run = as_nobody(trace, PROGRAM, "0.05")
        except PermissionError:
            raise Skip("others may not run what is built here") from None
        said = run.communicate()[1]
        if "not sampled" in said:
            assert "perf_event_paranoid" in said, said
            raise Skip(said.strip())
        rows = by_function(trace)
        assert said == "" and any(name == "three_parts" or name.startswith("sampled+0x") for name in rows), (said, rows)
        assert trace.stat().st_uid == 65534 and trace.stat().st_mode & 0o77 == 0, trace.stat()
        # A second one, when the first has taken what this user may have: it says so, and records all else.
        no_more = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))}
        first = as_nobody(trace, "sleep", "60", **no_more)
        try:
            while subprocess.run(["pgrep", "-x", "sleep", "-P", str(first.pid)], stdout=subprocess.DEVNULL).returncode != 0:
                assert first.poll() is None, first.stderr.read()
                time.sleep(0.05)
            said = as_nobody(pathlib.Path(folder) / "second.spool", PROGRAM, "0.02", **no_more).communicate()[1]
            assert "CPU stacks are not sampled: the memory that this user may lock" in said, said
            assert "perf_event_mlock_kb" in said and "ulimit -l" in said, said
        finally:
            first.terminate()
            first.communicate()


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
    trace, *_ = sampled(0.5, more=("--duration", "300ms"), name="short.spool")
    rows = json_of("table", "samples", trace)
    samples = sum(row["self_samples"] for row in rows)
    assert 30 < samples < 997 * 0.3 * 2 * 1.3, samples
    trace, *_ = sampled(0.3, more=("--ring", "5s"), name="ring.spool")
    assert json_of("table", "samples", trace)


run_all(globals())
