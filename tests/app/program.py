"""Runs the real lanescope program for the tests beside this file, and counts their checks.

The folders come from the environment: LANESCOPE_BIN (programs) and LANESCOPE_ROOT (the tree).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
BIN = pathlib.Path(os.environ["LANESCOPE_BIN"])
SAMPLES = ROOT / "assets" / "samples"
sys.path.insert(0, str(ROOT / "tests"))  # so that tests can import png.py

from cases import Skip, and_real, has_real_traces, real_trace, run_cases, traces_here  # noqa: E402, F401


def lanescope(*words, stdin=None, env=None, program=BIN / "lanescope"):
    """Runs the program to its end, and returns the completed process. Its stdout and stderr are pipes, not terminals."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([str(program), *map(str, words)], input=stdin, capture_output=True, env=environment, timeout=300)


def text_of(*words, status=0, **options):
    """Standard output of a run. Its exit status must be `status`; if that is 0, its stderr must be empty."""
    run = lanescope(*words, **options)
    assert run.returncode == status, f"{words}: status {run.returncode}, stderr {run.stderr!r}"
    if status == 0:
        assert run.stderr == b"", f"{words}: stderr {run.stderr!r}"
    return run.stdout.decode("utf-8")


def json_of(*words, **options):
    """The parsed JSON that a command prints with --format json."""
    return json.loads(text_of(*words, "--format", "json", **options))


def error_of(*words, status, **options):
    """Standard error of a run. Its exit status must be `status`, and its stdout must be empty."""
    run = lanescope(*words, **options)
    assert run.returncode == status, f"{words}: status {run.returncode}, stderr {run.stderr!r}"
    assert run.stdout == b"", f"{words}: stdout {run.stdout!r}"
    message = run.stderr.decode("utf-8")
    assert message.startswith("lanescope: "), message
    return message


def real_traces_of_pytorch(largest):
    """Paths of real traces up to a number of compressed bytes; none if there are no real traces."""
    files = sorted(real_trace("torch").glob("*.json.gz")) if has_real_traces() else []
    return [file for file in files if file.stat().st_size <= largest]


def scratch():
    """A temporary folder, which the end of `with` removes."""
    return tempfile.TemporaryDirectory(prefix="lanescope-test-")


def run_all(namespace):
    """Runs every function of a module named test_*, prints the counts, and exits with 1 if a test failed."""
    sys.exit(run_cases({name: test for name, test in namespace.items() if name.startswith("test_")}))
