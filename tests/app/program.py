"""Runs the real lanescope program for the tests beside this file, and counts their checks.

The folders come from the environment: LANESCOPE_BIN (programs), LANESCOPE_ROOT (the tree) and, where there is one,
LANESCOPE_TRACES (real traces).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
BIN = pathlib.Path(os.environ["LANESCOPE_BIN"])
SAMPLES = ROOT / "assets" / "samples"
TRACES = pathlib.Path(os.environ["LANESCOPE_TRACES"]) if os.environ.get("LANESCOPE_TRACES") else None
sys.path.insert(0, str(ROOT / "tests"))  # for `import png`


class Skip(Exception):
    """Raised by a test that cannot be run here."""


def lanescope(*words, stdin=None, env=None, program=BIN / "lanescope"):
    """The finished run; its stdout and stderr are texts, never terminals."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([str(program), *map(str, words)], input=stdin, capture_output=True, env=environment, timeout=300)


def text_of(*words, status=0, **options):
    """Standard output of a run that must end with the given status and say nothing on stderr when that is 0."""
    run = lanescope(*words, **options)
    assert run.returncode == status, f"{words}: status {run.returncode}, stderr {run.stderr!r}"
    if status == 0:
        assert run.stderr == b"", f"{words}: stderr {run.stderr!r}"
    return run.stdout.decode("utf-8")


def json_of(*words, **options):
    return json.loads(text_of(*words, "--format", "json", **options))


def complaint_of(*words, status, **options):
    """Standard error of a run that must fail with the given status and give no data."""
    run = lanescope(*words, **options)
    assert run.returncode == status, f"{words}: status {run.returncode}, stderr {run.stderr!r}"
    assert run.stdout == b"", f"{words}: stdout {run.stdout!r}"
    message = run.stderr.decode("utf-8")
    assert message.startswith("lanescope: "), message
    return message


def scratch():
    """A folder that is gone after `with`."""
    return tempfile.TemporaryDirectory(prefix="lanescope-test-")


def run_all(namespace):
    """Runs every test_ function of a module, each on its own, and ends the program."""
    passed = failed = skipped = 0
    for name, test in list(namespace.items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            passed += 1
        except Skip as why:
            print(f"SKIPPED: {name}: {why}")
            skipped += 1
        except Exception:
            print(f"FAILED: {name}")
            traceback.print_exc(file=sys.stdout)
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
