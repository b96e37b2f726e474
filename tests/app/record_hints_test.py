#!/usr/bin/env python3
"""lanescope record: what it says about programs that recorded nothing, and programs whose environment was cleared."""
import subprocess

from program import BIN, Skip, error_of, json_of, lanescope, run_all
from recorded import FOLDER, names, record, warnings

C = BIN / "annotated_c"
NO_CALL = b"made no NVTX call"


def needs_program():
    if not C.exists():
        raise Skip("the programs to record are not built")


def test_a_program_without_calls_is_told_apart_from_one_that_never_started():
    _, run = record("sleep", "0.1")
    assert NO_CALL in run.stderr and run.stderr.count(b"\n") == 1, run
    _, run = record("/nonexistent/program", status=127)
    assert NO_CALL not in run.stderr and run.stderr.count(b"\n") == 1, run
    _, run = record(C, "nested")
    assert run.stderr == b"", run


def test_a_cleared_environment_is_reported_with_a_remedy():
    needs_program()
    for command in ("exec env -i {}", "env -i {}; true"):
        trace, run = record("sh", "-c", command.format(f"{C} train 400"))
        assert NO_CALL not in run.stderr, run
        assert run.stderr.startswith(b"lanescope: annotated_c (process ") and run.stderr.count(b"\n") == 1, run
        assert f"lanescope record --wrap {trace} --".encode() in run.stderr and b"env -i" in run.stderr, run
        assert "recorder_warning" in warnings(trace)


def test_wrap_joins_the_recorder():
    needs_program()
    for command in (f"env -i {BIN}/lanescope record --wrap {{}} -- {C} nested 4",
                    f"env -i sh -c 'sleep 0.3; exec {BIN}/lanescope record --wrap {{}} -- {C} nested 4'"):
        trace = FOLDER / "run.spool"
        trace, run = record("sh", "-c", command.format(trace), status=4)
        assert run.stderr == b"", run
        assert names(trace).count("outer") == 3


def test_wrap_runs_the_program_in_any_case():
    needs_program()
    ended, _ = record(C, "nested")
    for trace in (ended, FOLDER / "none.spool", C):
        run = lanescope("record", "--wrap", trace, "--", "sh", "-c", "echo ran; exit 6")
        assert run.returncode == 6 and run.stdout == b"ran\n" and run.stderr.endswith(b"runs unrecorded\n"), run
    assert "--wrap" in error_of("record", "--wrap", ended, "--ring", "1s", "--", "true", status=2)


run_all(globals())
