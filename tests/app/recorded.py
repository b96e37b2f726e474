"""Records the programs of tests/programs and tests/standin with `lanescope record`, and reads the traces."""
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
    """Records a command. Returns the path of the trace and the completed process."""
    if isinstance(program, pathlib.Path) and not program.exists():
        raise Skip(f"{program.name} is not built")
    trace = FOLDER / name
    run = lanescope("record", "--force", "-o", trace, *more, "--", program, *words, env=env)
    if run.returncode == 77 and status != 77:
        raise Skip(f"{program} {words}: these CUPTI headers lack its structs")
    assert run.returncode == status, f"{program} {words}: status {run.returncode}, stderr {run.stderr!r}"
    return trace, run


def find(trace, expression):
    return json_of("find", trace, expression)


def names(trace, expression="cat:user_annotation"):
    return [row["name"] for row in find(trace, expression)]


def warnings(trace):
    return {w["code"]: w for w in json_of("info", trace)["warnings"]}


def child_of(run):
    """The pid of the only child of a running process."""
    return int(subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=True).stdout)


def wait_until(recorder, condition, seconds=60):
    """Waits until `condition()` holds. Fails if the recorder ends first, or after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert recorder.poll() is None or condition(), f"the recorder ended with status {recorder.returncode}"
        assert time.monotonic() < end, f"the condition did not hold within {seconds} s"
        time.sleep(0.001)
