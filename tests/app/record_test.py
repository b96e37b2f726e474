#!/usr/bin/env python3
"""lanescope record, end to end: the traces of real programs with NVTX ranges.

LANESCOPE_KILLS is the number of programs that the test of killed programs kills (12 by default)."""
import os
import random
import re
import signal
import stat
import struct
import subprocess
import time
import venv

from program import BIN, Skip, json_of, lanescope, run_all, text_of
from recorded import FOLDER, child_of, find, names, record, wait_until, warnings

C = BIN / "annotated_c"
CPP = BIN / "annotated_cpp"


def test_nested_ranges_of_a_c_program_are_recorded():
    trace, run = record(C, "nested")
    assert run.stdout == b"" and run.stderr == b"", run
    rows = find(trace, "cat:user_annotation")
    outer = [r for r in rows if r["name"] == "outer"]
    inner = [r for r in rows if r["name"].startswith("inner")]
    assert len(outer) == 3 and [r["name"] for r in inner] == [f"inner {k}" for k in range(4)] * 3
    for r in inner:
        assert r["duration_ns"] >= 200_000
        assert any(o["start_ns"] <= r["start_ns"] and
                   r["start_ns"] + r["duration_ns"] <= o["start_ns"] + o["duration_ns"] for o in outer)
    assert "wide é中" in names(trace) and 'back\\slash "quoted"' in names(trace)
    info = json_of("info", trace)
    assert info["format"] == "lanescope-spool" and info["partial_overlaps"] == 0 and info["warnings"] == [], info
    assert info["phases"]["i"] == 1
    assert stat.S_IMODE(os.stat(trace).st_mode) == 0o600


def test_output_input_and_status_are_passed_through():
    trace, run = record("sh", "-c", f"cat; echo out; echo err >&2; {C} nested; exit 5", status=5)
    assert run.stdout == b"out\n" and run.stderr == b"err\n", run
    assert len(names(trace, "name:outer")) == 3
    _, run = record(C, "nested", "33", status=33)
    _, run = record("/nonexistent/program", status=127)
    assert b"/nonexistent/program" in run.stderr
    _, run = record("sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)
    run = lanescope("record", "-o", FOLDER / "x.spool")
    assert run.returncode == 2, run


def test_a_file_that_is_not_a_recording_is_never_replaced():
    script = FOLDER / "train.py"
    script.write_text("import torch\n")
    run = lanescope("record", "-o", script, "--", C)
    assert run.returncode == 1 and b"is not a recording, so it is not replaced" in run.stderr, run
    assert script.read_text() == "import torch\n"
    link = FOLDER / "link.spool"
    link.symlink_to(script)
    assert lanescope("record", "-o", link, "--", C).returncode != 0 and link.is_symlink()
    script.write_text("")
    for more in ([], ["--force"]):  # an empty file, then a recording
        assert lanescope("record", *more, "-o", script, "--", C).returncode == 0
        assert script.read_bytes().startswith(b"\x89LSPOOL")


def test_domains_strings_categories_colours_and_payloads_are_recorded():
    trace, _ = record(C, "domains")
    assert sorted(names(trace)) == sorted(
        ["registered", "registered", "of the default domain", "payload"]), names(trace)
    assert names(trace, "args:domain=lane.scope").count("registered") == 2
    assert names(trace, "args:category=loading").count("registered") == 2
    assert names(trace, "args:color=#336699").count("registered") == 2
    assert names(trace, "args:payload=2.5").count("registered") == 2
    assert names(trace, "args:payload=-12") == ["payload"]
    assert not names(trace, "name:default args:domain=lane")
    kinds = {row["lane"]: row["kind"] for row in json_of("table", "lanes", trace)}
    assert kinds["registered"] == "async", kinds


def test_thread_names_and_ranges_across_threads_are_recorded():
    trace, _ = record(C, "threads")
    lanes = json_of("table", "lanes", trace)
    threads = [lane["lane"] for lane in lanes if lane["kind"] == "thread"]
    assert threads.count("conductor") == 1 and threads.count("worker") == 3, threads
    assert names(trace).count("on a thread") == 3
    assert names(trace).count("handed over") == 1
    assert "unclosed_begin" not in warnings(trace)


def test_forked_children_and_executed_programs_are_recorded():
    trace, _ = record(C, "forks")
    assert sorted(names(trace)) == sorted(["parent"] + ["child", "registered before"] * 3), names(trace)
    lanes = [lane for lane in json_of("table", "lanes", trace) if lane["kind"] == "thread"]
    assert len({lane["pid"] for lane in lanes}) == 4, lanes
    assert warnings(trace) == {}
    trace, _ = record(C, "exec")
    assert names(trace).count("outer") == 3 and names(trace).count("before exec") == 1
    assert "unclosed_begin" in warnings(trace)


# As torchrun does: a launcher starts ranks, whose environment says which they are.
def test_processes_are_named_by_command_line_and_rank():
    trace, _ = record("sh", "-c", f"RANK=0 {C} threads & SLURM_PROCID=12 {C} nested & wait")
    processes = {lane["process"] for lane in json_of("table", "lanes", trace) if lane["kind"] == "thread"}
    assert processes == {"annotated_c threads · rank 0", "annotated_c nested · rank 12"}, processes
    page = " ".join(text_of("summary", trace).split())
    assert "annotated_c nested · rank 12: busy for" in page and "worker of annotated_c threads · rank 0" in page, page
    assert "sh -c" not in page, page
    assert {row["process"] for row in json_of("summary", trace)["lanes"]} == processes


def test_children_forked_while_threads_register_texts_are_recorded():
    trace, _ = record(C, "busy_forks")
    assert names(trace, "cat:user_annotation kept") == ["kept by a child"] * 300


def test_exit_without_cleanup_and_crashes_lose_no_ranges():
    trace, _ = record(C, "_exit", status=7)
    assert len(names(trace, "name:inner")) == 12 and warnings(trace) == {}
    trace, _ = record(C, "crash", status=128 + signal.SIGABRT)
    assert len(names(trace, "name:inner")) == 12
    assert names(trace).count("crashing") == 1 and "unclosed_begin" in warnings(trace)


def open_ranges(trace):
    """The lengths in seconds of the two ranges that the mode "train" never ends."""
    lengths = [row["duration_ns"] * 1e-9 for row in find(trace, "cat:user_annotation train")]
    assert len(lengths) == 2, lengths
    return lengths


def test_open_ranges_end_when_their_process_ends():
    for end, status in (("abort", 128 + signal.SIGABRT), ("kill", 128 + signal.SIGKILL), ("exit", 0)):
        trace, _ = record(C, "train", "700", end, status=status)
        assert all(0.7 <= length < 1.5 for length in open_ranges(trace)), (end, open_ranges(trace))
    # The executed program makes no call, so only the recorder can see that the range's program is gone.
    trace, _ = record(C, "train", "700", "exec_silent")
    assert all(0.7 <= length < 1.2 for length in open_ranges(trace)), open_ranges(trace)
    # The executed program has open ranges, too, which end with it.
    trace, _ = record(C, "train", "500", "exec_open")
    lengths = sorted(row["duration_ns"] * 1e-9 for row in find(trace, "cat:user_annotation train"))
    assert len(lengths) == 4 and lengths[1] < 0.9 and lengths[2] > 0.95, lengths
    trace, _ = record(C, "train", "700", "exec")  # the executed program makes NVTX calls at once
    begin = min(row["start_ns"] for row in find(trace, "name:outer")) * 1e-9
    assert all(0.7 <= length <= begin for length in open_ranges(trace)), (open_ranges(trace), begin)


# The program of the shell is no child of the recorder, and the shell outlives it.
def test_open_ranges_of_descendants_end_when_these_end():
    for after in ("", f"{C} nested;"):
        trace, _ = record("sh", "-c", f"{C} train 300 kill; {after} sleep 2; exit 0")
        assert all(0.3 <= length < 1.5 for length in open_ranges(trace)), open_ranges(trace)


def test_open_ranges_of_a_running_process_end_with_the_recording():
    trace = FOLDER / "cut.spool"
    run = subprocess.run([BIN / "lanescope", "record", "-o", trace, "--duration", "800ms", "--", C, "train", "2500"])
    assert run.returncode == 0
    assert all(0.6 <= length < 1.6 for length in open_ranges(trace)), open_ranges(trace)


def test_ranges_in_many_blocks_are_complete():
    trace, _ = record(C, "many")
    info = json_of("info", trace)
    assert info["phases"]["X"] == 300_000 and info["warnings"] == [], info
    assert info["max_stack"] == 1, info


def test_a_program_that_closes_all_files_is_recorded():
    trace, _ = record(C, "closed")
    assert json_of("info", trace)["phases"]["X"] == 100_001


def test_ranges_of_a_cpp_program_are_recorded():
    trace, _ = record(CPP)
    all_names = names(trace)
    assert all_names.count("work") == 4000 and all_names.count("inside") == 4000
    assert names(trace, "args:domain=library").count("inside") == 4000
    assert len(names(trace, "args:payload=999")) == 4


def test_signals_reach_the_program_and_the_trace_is_complete():
    trace = FOLDER / "signal.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--", C, "wait"])
    wait_until(run, lambda: trace.exists() and trace.stat().st_size > 20_000)
    time.sleep(0.3)
    run.send_signal(signal.SIGTERM)
    assert run.wait(20) == 128 + signal.SIGTERM
    assert names(trace) == ["waiting"]
    assert "still_recording" not in warnings(trace)


def test_a_growing_file_can_be_read_and_survives_the_recorder():
    trace, done = FOLDER / "growing.spool", FOLDER / "growing.done"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--", C, "endless", done])
    wait_until(run, lambda: finished_pairs(done) > 0)
    time.sleep(1)
    counts = [json_of("info", trace)["phases"]["X"] for _ in range(2)]
    assert 0 < counts[0] < counts[1], counts
    child = child_of(run)
    run.kill()
    run.wait()
    time.sleep(0.3)
    os.kill(child, signal.SIGKILL)
    info = json_of("info", trace)
    assert info["phases"]["X"] > counts[1]
    assert "still_recording" in {w["code"] for w in info["warnings"]}


# The kernel sends SIGXFSZ to a process that writes beyond its limit. Our writes must not cause this signal.
def test_the_limit_on_file_sizes_ends_the_recording_but_not_the_program():
    trace, run = record("sh", "-c", f"ulimit -f 2000; exec {C} many")
    assert b"records were lost" in run.stderr, run
    assert 100 < len(names(trace)) < 300_000


def finished_pairs(done):
    """The number of ranges that the threads of the mode "endless" have counted in the file `done`."""
    if not done.exists() or done.stat().st_size < 24:
        return 0
    return sum(struct.unpack("3Q", done.read_bytes()[:24]))


def thread_lanes(trace):
    return [row for row in json_of("table", "lanes", trace) if row["kind"] == "thread"]


def span_of(lanes):
    return max(row["end_ns"] for row in lanes) - min(row["start_ns"] for row in lanes)


# Checks that the trace is complete while the program continues. Does not check how soon the recorder stops, since that
# depends on the machine's load.
def test_recording_stops_after_its_duration():
    done, trace = FOLDER / "duration.done", FOLDER / "duration.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--duration", "300ms", "--", C, "endless", done])
    wait_until(run, lambda: finished_pairs(done) > 0)
    wait_until(run, lambda: "still_recording" not in warnings(trace))
    recorded = thread_lanes(trace)
    slices = sum(row["slices"] for row in recorded)
    wait_until(run, lambda: finished_pairs(done) > slices)
    run.send_signal(signal.SIGTERM)
    assert run.wait(60) == 128 + signal.SIGTERM
    assert thread_lanes(trace) == recorded and slices > 100


def test_a_ring_keeps_only_the_last_part():
    done, trace = FOLDER / "ring.done", FOLDER / "ring.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--ring", "500ms", "--", C, "endless", done])
    wait_until(run, lambda: finished_pairs(done) > 0)
    begin = time.monotonic()
    time.sleep(4)
    run.send_signal(signal.SIGTERM)
    run.wait(60)
    ran = (time.monotonic() - begin) * 1e9
    lanes = thread_lanes(trace)
    kept = sum(row["slices"] for row in lanes)
    assert span_of(lanes) < ran / 2 and 100 < kept < finished_pairs(done) / 2, (lanes, ran, finished_pairs(done))


# A full block of a thread with few ranges would span far more than the ring's time, so such threads get small blocks.
def test_a_ring_stays_short_for_a_program_with_few_ranges():
    trace = FOLDER / "calm.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--ring", "400ms", "--", C, "calm"])
    assert run.wait(60) == 0
    assert span_of(thread_lanes(trace)) < 2_000_000_000, thread_lanes(trace)


def test_a_ring_keeps_its_time_of_a_quiet_program():
    trace, _ = record(C, "quiet", more=("--ring", "1s"))
    rows = find(trace, "cat:user_annotation")
    starts = [row["start_ns"] * 1e-9 for row in rows]
    assert {row["name"] for row in rows} == {"seldom"}, rows
    assert 8 <= len(rows) <= 12 and max(starts) - min(starts) < 1.1, starts
    counters = [row for row in json_of("table", "lanes", trace) if row["kind"] == "counter"]
    assert counters and all(row["end_ns"] - row["start_ns"] < 1_200_000_000 for row in counters), counters


def test_cut_names_are_warned_of():
    trace, run = record(C, "long_names")
    assert run.stderr == b"lanescope: names longer than 32000 bytes were cut 1 time\n", run
    assert [len(name) for name in names(trace)] == [32000, 32000]
    assert "cut 1 times" in warnings(trace)["cut_names"]["text"]


def test_a_killed_program_loses_no_finished_range():
    rounds = int(os.environ.get("LANESCOPE_KILLS", "12"))
    random.seed(7)
    for n in range(rounds):
        trace, done = FOLDER / "killed.spool", FOLDER / "killed.done"
        done.unlink(missing_ok=True)
        run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--", C, "endless", done])
        wait_until(run, lambda: finished_pairs(done) > 0)
        time.sleep(random.random() * 0.06)
        os.kill(child_of(run), signal.SIGKILL)
        assert run.wait(20) == 128 + signal.SIGKILL
        finished = sorted(struct.unpack("3Q", done.read_bytes()[:24]))
        lanes = [r["slices"] for r in json_of("table", "lanes", trace) if r["kind"] == "thread"]
        # Each thread that has started has an open range "run", and may have an open "pair".
        recorded = sorted(lanes + [1] * (3 - len(lanes)))
        for expected, actual in zip(finished, recorded):
            assert expected <= actual - 1 <= expected + 2, (n, finished, recorded)
        codes = set(warnings(trace))
        assert codes <= {"unclosed_begin"}, codes


def test_ranges_of_pythons_nvtx_package_are_recorded():
    folder = BIN.parent / "python_nvtx"
    python = folder / "bin" / "python"
    has_nvtx = python.exists() and subprocess.run([python, "-c", "import nvtx"], capture_output=True).returncode == 0
    if not has_nvtx:
        try:
            venv.create(folder, with_pip=True)
        except Exception as problem:
            raise Skip(f"no virtual environment can be created: {problem}")
        pip = subprocess.run([python, "-m", "pip", "install", "-q", "nvtx"], capture_output=True, text=True)
        if pip.returncode != 0:
            raise Skip(f"the package nvtx cannot be installed: {pip.stderr.strip()[-200:]}")
    script = FOLDER / "annotated.py"
    script.write_text("""
import nvtx, os, threading, multiprocessing
@nvtx.annotate("work", color="green", domain="mine", category="loading", payload=7)
def work(n):
    with nvtx.annotate(f"inner {n}"):
        pass
def run():
    for n in range(500):
        work(n % 10)
if __name__ == "__main__":
    thread = threading.Thread(target=run)
    thread.start()
    run()
    thread.join()
    range_id = nvtx.start_range("request", color="blue")
    nvtx.end_range(range_id)
    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join()
""")
    trace, _ = record(python, script)
    all_names = names(trace)
    assert all_names.count("work") == 1500, all_names.count("work")
    assert sum(name.startswith("inner ") for name in all_names) == 1500
    assert all_names.count("request") == 1
    assert len(names(trace, "name:work args:domain=mine args:category=loading args:payload=7")) == 1500
    assert warnings(trace) == {}, warnings(trace)


def test_the_injected_library_exports_only_its_entry_points_and_needs_only_libc():
    library = BIN / "liblanescope_inject.so"
    if not library.exists():
        raise Skip("the injected library is not built")
    exported = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
    assert symbols <= {"InitializeInjection", "InitializeInjectionNvtx2"} and "InitializeInjectionNvtx2" in symbols, symbols
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic))
    assert all(re.match(r"(libc|ld-linux.*)\.so", name) for name in needed), needed


def test_without_a_spool_the_library_does_nothing():
    if not C.exists():
        raise Skip("the programs to record are not built")
    for spool in (None, "/nonexistent/file.spool", str(C)):
        environment = {**os.environ, "NVTX_INJECTION64_PATH": str(BIN / "liblanescope_inject.so")}
        if spool:
            environment["LANESCOPE_SPOOL"] = spool
        run = subprocess.run([C, "domains"], env=environment, capture_output=True)
        assert run.returncode == 0 and run.stdout == b"" and run.stderr == b"", (spool, run)


run_all(globals())
