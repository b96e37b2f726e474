#!/usr/bin/env python3
"""lanescope record: names of traces, several recorders at once, and traces that cannot be written."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

from program import BIN, Skip, error_of, json_of, lanescope, run_all, scratch
from recorded import child_of, names, wait_until

C = BIN / "annotated_c"
RECORD = [BIN / "lanescope", "record"]
ENVIRONMENT = {**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def start(folder, *words, env=None):
    return subprocess.Popen([*RECORD, *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**ENVIRONMENT, **(env or {})})


def run(folder, *words, env=None):
    process = start(folder, *words, env=env)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def needs_program():
    if not C.exists():
        raise Skip("the programs to record are not built")


def test_recorders_that_start_together_without_a_name_write_one_trace_each():
    needs_program()
    with scratch() as folder:
        recorders = [start(folder, "--", C, "nested") for _ in range(6)]
        for recorder in recorders:
            out, err = recorder.communicate(timeout=60)
            assert recorder.returncode == 0 and err == b"", err
        expected = {"annotated_c.spool"} | {f"annotated_c.{n}.spool" for n in range(2, 7)}
        assert set(os.listdir(folder)) == expected, os.listdir(folder)
        for name in expected:
            assert names(f"{folder}/{name}").count("outer") == 3, name


def test_one_of_the_recorders_with_the_same_name_records_and_all_programs_run():
    needs_program()
    for _ in range(5):
        with scratch() as folder:
            recorders = [start(folder, "-o", "x.spool", "--", "sh", "-c", f"{C} nested; sleep 0.5; echo ran; exit 4")
                         for _ in range(4)]
            unrecorded = 0
            for recorder in recorders:
                out, err = recorder.communicate(timeout=60)
                assert recorder.returncode == 4 and out == b"ran\n", (recorder.returncode, out, err)
                if err:
                    assert err == b"lanescope: x.spool is being written by another recorder; the program runs unrecorded\n", err
                    unrecorded += 1
            assert unrecorded == 3, unrecorded
            assert names(f"{folder}/x.spool").count("outer") == 3 and os.listdir(folder) == ["x.spool"]


def test_a_trace_that_is_being_written_is_not_replaced():
    needs_program()
    with scratch() as folder:
        first = start(folder, "-o", "x.spool", "--", C, "wait")
        trace = pathlib.Path(folder, "x.spool")
        wait_until(first, lambda: trace.exists() and trace.stat().st_size > 20_000)
        inode = trace.stat().st_ino
        for more in ([], ["--force"]):
            status, out, err = run(folder, *more, "-o", "x.spool", "--", "sh", "-c", "echo ran; exit 3")
            assert status == 3 and out == b"ran\n" and err.count(b"\n") == 1 and b"another recorder" in err, err
        assert trace.stat().st_ino == inode
        os.kill(child_of(first), signal.SIGTERM)
        first.wait(60)
        assert names(trace) == ["waiting"]


def test_an_earlier_recording_is_replaced_only_by_force():
    needs_program()
    with scratch() as folder:
        assert run(folder, "-o", "x.spool", "--", C, "nested")[0] == 0
        before = pathlib.Path(folder, "x.spool").read_bytes()
        status, out, err = run(folder, "-o", "x.spool", "--", "echo", "ran")
        assert status == 1 and out == b"" and b"--force" in err and b"%n" in err, (status, out, err)
        assert pathlib.Path(folder, "x.spool").read_bytes() == before
        assert run(folder, "--force", "-o", "x.spool", "--", C, "domains")[0] == 0
        assert "registered" in names(f"{folder}/x.spool")


def test_placeholders_name_the_trace():
    with scratch() as folder:
        status, out, _ = run(folder, "-o", "a-%p-%h-%q{SLURM_PROCID}-%%-%n.spool", "--", "sh", "-c", "echo $$",
                             env={"SLURM_PROCID": "3"})
        assert status == 0
        assert os.listdir(folder) == [f"a-{out.decode().strip()}-{socket.gethostname()}-3-%-1.spool"], os.listdir(folder)
    with scratch() as folder:
        before = time.strftime("%Y%m%d-%H%M%S")
        for _ in range(2):
            assert run(folder, "-o", "%n.spool", "--", "true")[0] == 0
        assert sorted(os.listdir(folder)) == ["1.spool", "2.spool"]
        os.remove(f"{folder}/1.spool")
        assert run(folder, "-o", "%n.spool", "--", "true")[0] == 0
        assert sorted(os.listdir(folder)) == ["1.spool", "2.spool"]
        assert run(folder, "-o", "t%t", "--", "true")[0] == 0
        [timed] = [name for name in os.listdir(folder) if name.startswith("t")]
        assert re.fullmatch(r"t\d{8}-\d{6}", timed) and before <= timed[1:] <= time.strftime("%Y%m%d-%H%M%S")


def test_wrong_placeholders_are_errors_before_the_program_starts():
    with scratch() as folder:
        for name, reason in (("%x", "%x"), ("a%", "%"), ("%q{NO_SUCH_VARIABLE}", "NO_SUCH_VARIABLE"), ("%q", "NAME")):
            status, out, err = run(folder, "-o", name, "--", "sh", "-c", "echo ran")
            assert status == 2 and out == b"" and reason.encode() in err, (name, status, out, err)
        assert os.listdir(folder) == []


def test_a_program_runs_though_its_trace_cannot_be_written():
    with scratch() as folder:
        os.mkdir(f"{folder}/taken")
        pathlib.Path(folder, "file").write_text("x")
        for name in ("none/x.spool", "file/x.spool", "a" * 300, "/proc/x.spool"):
            status, out, err = run(folder, "-o", name, "--", "sh", "-c", "echo ran; exit 9")
            assert status == 9 and out == b"ran\n", (name, status, out, err)
            assert err.count(b"\n") == 1 and err.endswith(b"the program runs unrecorded\n"), err
        status, out, err = run(folder, "-o", "none/x.spool", "--", "sh", "-c", "kill -9 $$")
        assert status == 137, status
    status, out, err = run("/proc", "--", "sh", "-c", "echo ran; exit 9")
    assert status == 9 and out == b"ran\n" and b"unrecorded" in err, err


def test_a_signal_reaches_a_program_that_is_not_recorded():
    with scratch() as folder:
        recorder = start(folder, "-o", "none/x.spool", "--", "sh", "-c", "trap 'exit 11' TERM; echo up; while :; do sleep 0.05; done")
        assert recorder.stdout.readline() == b"up\n"
        recorder.send_signal(signal.SIGTERM)
        assert recorder.wait(60) == 11


def test_a_program_that_cannot_be_started_leaves_no_trace():
    with scratch() as folder:
        status, _, err = run(folder, "--", "/nonexistent/program")
        assert status == 127 and err.count(b"\n") == 1 and b"NVTX" not in err, err
        pathlib.Path(folder, "plain").write_text("x")
        status, _, err = run(folder, "--", "./plain")
        assert status == 126 and err.count(b"\n") == 1, err
        assert os.listdir(folder) == ["plain"]


def test_the_window_without_a_display_does_not_change_the_exit_status():
    needs_program()
    environment = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    with scratch() as folder:
        status, _, err = run(folder, "--open", "-o", "x.spool", "--", C, "nested", "5", env=environment)
        assert status == 5 and b"no display" in err and err.count(b"\n") == 1, (status, err)
        assert json_of("info", f"{folder}/x.spool")["format"] == "lanescope-spool"


run_all(globals())
