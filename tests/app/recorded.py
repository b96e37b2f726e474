"""Records programs of tests/programs and tests/standin with `lanescope record`, and reads what is in the trace."""
import atexit
import pathlib
import shutil
import subprocess
import tempfile
import time

from program import Skip, json_of, lanescope

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="lanescope-record-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def record(program, *words, more=(), status=0, name="run.spool", env=None):
    """The trace of a recorded command, and how that ended."""
    if isinstance(program, pathlib.Path) and not program.exists():
        raise Skip(f"{program.name} is not built")
    trace = FOLDER / name
    run = lanescope("record", "-o", trace, *more, "--", program, *words, env=env)
    if run.returncode == 77 and status != 77:
        raise Skip(f"{program} {words}: not with these headers")
    assert run.returncode == status, f"{program} {words}: status {run.returncode}, stderr {run.stderr!r}"
    return trace, run


def found(trace, expression):
    return json_of("find", trace, expression)


def names(trace, expression="cat:user_annotation"):
    return [row["name"] for row in found(trace, expression)]


def warnings(trace):
    return {w["code"]: w for w in json_of("info", trace)["warnings"]}


def child_of(run):
    """The pid of what a running process has started."""
    return int(subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=True).stdout)


def wait_while(recorder, what, within=60):
    """Until `what()` holds; fails at once if the recorder has ended before."""
    end = time.monotonic() + within
    while not what():
        assert recorder.poll() is None or what(), f"the recorder ended with status {recorder.returncode}"
        assert time.monotonic() < end, f"not so within {within} s"
        time.sleep(0.001)
