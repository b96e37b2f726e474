#!/usr/bin/env python3
"""lanescope record --sample, end to end: samples of a program whose time in each function is known."""
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

from program import BIN, Skip, error_of, json_of, run_all, text_of
from recorded import FOLDER, child_of, find, names, record, warnings

PROGRAM = BIN / "sampled"
UNIT = 0.4  # seconds of one_part on each of two threads and in the child; three_parts runs three times as long on the threads
PERIOD = 10**9 // 997  # nanoseconds of CPU time between samples


def sampled(unit=UNIT, rate="", more=(), name="samples.spool"):
    """Records the program. Returns the trace, the program's pids, and the seconds that it measured in three_parts and in
    one_part: first CPU time, then wall-clock time. Skips the test if the kernel forbids sampling."""
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


def test_functions_have_the_shares_that_the_program_measures():
    trace, pids, (in_three, in_one, wall_three, wall_one) = sampled()
    assert 0 <= in_three - 6 * UNIT < UNIT and 0 <= in_one - 3 * UNIT < UNIT, (in_three, in_one)
    rows = by_function(trace)
    if not has_symbols(rows):
        assert any(re.fullmatch(r"sampled\+0x[0-9a-f]+", name) for name in rows), rows
        raise Skip("built with LANESCOPE_SYMBOLS=OFF, so frames have addresses instead of names")
    three, one, both = rows["three_parts"], rows["one_part"], rows["both_parts"]
    assert three["module"] == one["module"] == "sampled"
    # three_parts runs 6 units on the threads; one_part runs 2 units there and 1 in the child. Both run a little longer,
    # because the program reads its clock rarely; it prints the actual times. The kernel's sampling timer differs from that
    # clock: it continues while the kernel or a hypervisor interrupts the thread, which was up to 11 % of the time under
    # heavy load. It never runs faster than wall-clock time.
    for row, seconds, wall in ((three, in_three, wall_three), (one, in_one, wall_one),
                               (both, in_three + in_one * 2 / 3, wall_three + wall_one)):
        sampled_seconds = row["total_samples"] * PERIOD / 1e9
        assert 0.95 * seconds - 0.02 < sampled_seconds < 1.02 * wall + 0.02, (row, seconds, wall)
    # Times are samples times period. The drawn slices are longer when other programs interrupt the thread.
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
    # Slices are nested in their callers.
    assert find(trace, "name:three_parts cat:cpu_sample") and names(trace, f"args:file={PROGRAM} name:three_parts")
    assert json_of("info", trace)["partial_overlaps"] == 0 and warnings(trace) == {}, warnings(trace)


def test_callers_are_found_without_frame_pointers():
    trace, run = record(BIN / "no_frame_pointers", "0.4", more=("--sample",), name="no_frame_pointers.spool")
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    rows = by_function(trace)
    if "leaf" not in rows:
        raise Skip("built with LANESCOPE_SYMBOLS=OFF, so stacks are not unwound")
    chain = ["main", "first_call", "second_call", "qsort_r", "compare", "leaf"]
    # The C library's name for the function that sorts; "qsort" itself only calls it.
    qsort = max((name for name in rows if name.startswith("qsort")), key=lambda name: rows[name]["total_samples"])
    totals = [rows[qsort if name == "qsort_r" else name]["total_samples"] for name in chain]
    samples = sum(row["self_samples"] for row in rows.values())
    assert rows["leaf"]["self_samples"] > 0.9 * samples > 200, rows
    # A few samples are in the loader, and before or after the calls.
    assert totals == sorted(totals, reverse=True) and totals[-1] > 0.95 * totals[0] > 0.9 * samples, (chain, totals, samples)
    assert not any(re.fullmatch("0x[0-9a-f]+", name) for name in rows), rows


def test_tables_of_calls_ignore_samples():
    trace, *_ = sampled(0.05)
    for table in ("operators", "sections", "dead-windows", "hotspots", "kernels", "gaps", "steps", "breakdown"):
        assert json_of("table", table, trace) == [], table


def test_samples_by_caller_thread_process_and_range():
    trace, pids, _ = sampled(0.1)
    samples = sum(row["self_samples"] for row in json_of("table", "samples", trace))
    threads = json_of("table", "samples", trace, "--by", "thread")
    assert sorted((int(row["pid"]), row["thread"]) for row in threads) == sorted(
        [(pids[0], "sampled"), (pids[0], "second"), (pids[1], "sampled")]), threads
    processes = json_of("table", "samples", trace, "--by", "process")
    assert [(int(row["pid"]), row["threads"]) for row in processes] == [(pids[0], 2), (pids[1], 1)], processes
    ranges = json_of("table", "samples", trace, "--by", "range")
    assert [row["range"] for row in ranges] == [None], ranges
    for rows in (threads, processes, ranges):
        assert sum(row["samples"] for row in rows) == samples, rows
    if has_symbols(by_function(trace)):
        callers = json_of("table", "samples", trace, "--by", "caller")
        assert ("three_parts", "both_parts") in [(row["function"], row["caller"]) for row in callers], callers
        assert all(row["busiest_function"] == "three_parts" for row in ranges + processes[:1]), (ranges, processes)
        assert "is in three_parts (sampled)" in text_of("summary", trace), text_of("summary", trace)
        folded = text_of("flame", trace, "--of", "samples", "--weight", "samples")
        assert sum(int(line.rpartition(" ")[2]) for line in folded.splitlines()) == samples, folded


def test_converted_samples_give_the_same_table():
    trace, *_ = sampled(0.1)
    out = FOLDER / "samples.json.gz"
    text_of("convert", trace, "-o", out)
    # Rows with equal values have no order.
    table = sorted(text_of("table", "samples", trace).splitlines())
    assert sorted(text_of("table", "samples", out).splitlines()) == table
    before, after = ([[lane[key] for key in ("pid", "lane", "tid", "kind", "slices", "busy_ns")]
                      for lane in json_of("table", "lanes", file)] for file in (trace, out))
    assert before == after, (before, after)
    again = FOLDER / "again.json"
    text_of("convert", out, "-o", again)
    assert sorted(text_of("table", "samples", again).splitlines()) == table


def test_the_sampling_rate_is_the_requested_one():
    trace, *_ = sampled(0.3, "=100")
    rows = json_of("table", "samples", trace)
    samples = sum(row["self_samples"] for row in rows)
    assert abs(samples - 100 * 9 * 0.3) < 30, samples
    for rate in ("=0", "=10001", "=often"):
        assert "--sample" in error_of("record", f"--sample{rate}", "-o", FOLDER / "x.spool", "--", PROGRAM, status=2)


def test_a_shells_children_are_sampled_and_keep_their_ranges():
    annotated = BIN / "annotated_c"
    trace, run = record("sh", "-c", f"{PROGRAM} 0.05; {annotated} nested; exit 3", more=("--sample",), status=3)
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    rows = by_function(trace)
    assert "three_parts" in rows or any(name.startswith("sampled+") for name in rows), rows
    assert names(trace, "name:outer cat:user_annotation") == ["outer"] * 3
    threads = [lane for lane in json_of("table", "lanes", trace) if lane["kind"] == "thread"]
    assert threads and all(lane["slices"] > 0 for lane in threads), threads


def record_generated_code(*words):
    """Records the program that generates code. Returns the trace, and the table's rows for that code."""
    trace, run = record(BIN / "jit", *words, more=("--sample",), name="jit.spool")
    (pathlib.Path("/tmp") / f"perf-{run.stdout.decode().strip()}.map").unlink()
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    assert run.stderr == b"", run
    return trace, {row["function"]: row for row in json_of("table", "samples", trace) if row["module"] == "[JIT]"}


def test_generated_functions_have_their_names_from_the_map_file():
    trace, rows = record_generated_code("0.2")
    assert set(rows) == {"py::first:/jit.py", "second"}, rows
    first, second = rows["py::first:/jit.py"]["self_samples"], rows["second"]["self_samples"]
    assert abs(first / (first + second) - 4 / 5) < 0.1, rows  # 3 units and 1 in the child, compared with 1
    processes = {lane["pid"] for lane in json_of("table", "lanes", trace) if lane["kind"] == "samples"}
    assert len(processes) == 2, processes
    assert len({slice["lane"] for slice in find(trace, "name:first cat:cpu_sample")}) >= 1
    _, late = record_generated_code("0.2", "late")
    assert set(late) == {"py::first:/jit.py", "second"} and late["second"]["self_samples"] > 50, late


def jit_functions(name, *words):
    """Records a language runtime. Returns the table's rows for its JIT-compiled functions, and removes its map files."""
    trace, run = record(*words, more=("--sample",), name=name)
    for pid in {lane["pid"] for lane in json_of("table", "lanes", trace)}:
        (pathlib.Path("/tmp") / f"perf-{pid}.map").unlink(missing_ok=True)
    if b"not sampled" in run.stderr:
        raise Skip(run.stderr.decode().strip())
    return {row["function"]: row for row in json_of("table", "samples", trace) if row["module"] == "[JIT]"}


def test_functions_of_node_have_names():
    node = shutil.which("node")
    if not node:
        raise Skip("node is not installed")
    script = """function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
                while (process.cpuUsage().user < 700000) hot(1e5);"""
    log = ["--no-logfile-per-isolate", f"--logfile={FOLDER}/v8.log"]
    rows = jit_functions("node.spool", node, "--perf-basic-prof", *log, "-e", script)
    hot = sum(row["self_samples"] for name, row in rows.items() if re.search(r":[*^~+]?hot ", name))
    assert hot > 200, rows


def test_functions_of_python_have_names():
    """Needs a CPython built with frame pointers, since without them the stack of its functions cannot be unwound."""
    script = "import sysconfig as s; print('no-omit-frame-pointer' in str(s.get_config_var('CFLAGS')), s.get_config_var('PY_HAVE_PERF_TRAMPOLINE'))"
    for python in ("python3", "python3.14", "python3.13", "python3.12"):
        output = subprocess.run([python, "-c", script], capture_output=True, text=True).stdout if shutil.which(python) else ""
        if output.split() == ["True", "1"]:
            break
    else:
        raise Skip("no Python 3.12 or later with frame pointers is installed")
    script = FOLDER / "hot.py"
    script.write_text("import time\ndef hot(n):\n    for i in range(n): pass\nwhile time.process_time() < 0.7: hot(20000)\n")
    rows = jit_functions("python.spool", python, "-X", "perf", script)
    assert rows[f"py::hot:{script}"]["total_samples"] > 200, rows


def test_without_the_option_nothing_is_sampled():
    trace, run = record(PROGRAM, "0.02")
    assert b"contains only its use of CPU and memory" in run.stderr, run
    assert json_of("table", "samples", trace) == []


def test_recording_goes_on_where_the_kernel_refuses():
    script = FOLDER / "refuse.py"
    # A seccomp filter that lets perf_event_open fail with EPERM.
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
    run = subprocess.run(["python3", script, BIN / "lanescope", "record", "--force", "--sample", "-o", trace, "--", PROGRAM, "0.02"],
                         capture_output=True)
    assert run.returncode == 0, run
    message = run.stderr.decode()
    assert "CPU stacks are not sampled: the kernel does not let this user sample" in message, message
    assert "perf_event_paranoid" in message and "seccomp" in message, message
    assert "CPU stacks are not sampled" in warnings(trace)["recorder_warning"]["text"]
    lanes = [lane["kind"] for lane in json_of("table", "lanes", trace)]
    assert set(lanes) == {"counter"}, lanes
    doctor = subprocess.run(["python3", script, BIN / "lanescope", "doctor", "--format", "json"], capture_output=True)
    checks = [row for row in json.loads(doctor.stdout) if row["check"] == "CPU stacks"]
    assert checks[0]["state"] == "missing" and "seccomp" in checks[0]["advice"], checks


def as_nobody(trace, *command, **options):
    """Starts a recording as the user nobody, who has no privileges."""
    words = [BIN / "lanescope", "record", "--force", "--sample", "-o", trace, "--", *command]
    return subprocess.Popen(words, user=65534, group=65534, extra_groups=[], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, cwd=trace.parent, env={"HOME": str(trace.parent)}, **options)


def test_users_without_privileges_can_sample():
    if os.geteuid() != 0:
        raise Skip("the test needs root to become another user")
    with tempfile.TemporaryDirectory(prefix="lanescope-nobody-") as folder:
        os.chown(folder, 65534, 65534)
        trace = pathlib.Path(folder) / "own.spool"
        try:
            run = as_nobody(trace, PROGRAM, "0.05")
        except PermissionError:
            raise Skip("other users may not run the built programs") from None
        message = run.communicate()[1]
        if "not sampled" in message:
            assert "perf_event_paranoid" in message, message
            raise Skip(message.strip())
        rows = by_function(trace)
        assert message == "" and any(name == "three_parts" or name.startswith("sampled+0x") for name in rows), (message, rows)
        assert trace.stat().st_uid == 65534 and trace.stat().st_mode & 0o77 == 0, trace.stat()
        # The first recording takes all memory that this user may lock. The second one says so, and records everything else.
        no_locked_memory = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))}
        first = as_nobody(trace, "sleep", "60", **no_locked_memory)
        try:
            while subprocess.run(["pgrep", "-x", "sleep", "-P", str(first.pid)], stdout=subprocess.DEVNULL).returncode != 0:
                assert first.poll() is None, first.stderr.read()
                time.sleep(0.05)
            message = as_nobody(pathlib.Path(folder) / "second.spool", PROGRAM, "0.02", **no_locked_memory).communicate()[1]
            assert "CPU stacks are not sampled: the memory that this user may lock" in message, message
            assert "perf_event_mlock_kb" in message and "ulimit -l" in message, message
        finally:
            first.terminate()
            first.communicate()


def test_samples_survive_when_recorder_and_program_are_killed():
    trace = FOLDER / "killed.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "--sample", "-o", trace, "--", PROGRAM, "30"])
    time.sleep(1.5)
    program = child_of(run)
    run.kill()
    run.wait()
    os.kill(program, signal.SIGKILL)
    info = json_of("info", trace)
    if info["complete_by_category"].get("cpu_sample", 0) == 0 and "recorder_warning" in warnings(trace):
        raise Skip("the kernel forbids sampling")
    assert info["complete_by_category"]["cpu_sample"] > 20, info
    assert json_of("table", "samples", trace)


def test_samples_with_a_duration_and_in_a_ring():
    trace, *_ = sampled(0.5, more=("--duration", "300ms"), name="short.spool")
    rows = json_of("table", "samples", trace)
    samples = sum(row["self_samples"] for row in rows)
    assert 30 < samples < 997 * 0.3 * 2 * 1.3, samples
    trace, *_ = sampled(0.3, more=("--ring", "5s"), name="ring.spool")
    assert json_of("table", "samples", trace)


run_all(globals())
