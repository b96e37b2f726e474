"""The programs of Lanescope: the command line and the window."""

import os as _os
import shutil as _shutil
import subprocess as _subprocess
import sys as _sys
import tempfile as _tempfile

from lanescope import Error, _opening

HERE = _os.path.dirname(_os.path.abspath(__file__))


def path_of(program):
    """A program of the package, of the build folder that the package is in, or on PATH."""
    for folder in (_os.path.join(HERE, "bin"), _os.path.join(HERE, "..", "..", "bin")):
        candidate = _os.path.normpath(_os.path.join(folder, program))
        if _os.access(candidate, _os.X_OK):
            return candidate
    found = _shutil.which(program)
    if found is None:
        raise Error(f"There is no program {program}: neither in the package nor on PATH", 1)
    return found


def run_program(program):
    """Becomes the program; the entry points of the package."""
    path = path_of(program)
    _os.environ["LANESCOPE_PYTHON"] = _sys.executable
    _os.execv(path, [program, *_sys.argv[1:]])


def command_line():
    run_program("lanescope")


def viewer():
    run_program("lanescope-viewer")


def show(paths, options):
    """Starts the window; returns the process. `options`: words of its command line with their values, or None."""
    remote = [path for path in paths if _opening.is_remote(path)]
    if remote:
        raise ValueError(f"{remote[0]}: the window opens files and ssh:// addresses; copy the file first")
    words = [path_of("lanescope-viewer")]
    for word, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                words += [word, _os.fsdecode(one)]
    return _subprocess.Popen([*words, "--", *paths])


def _run(words, name):
    done = _subprocess.run(words, stdin=_subprocess.DEVNULL)
    if done.returncode != 0:
        raise Error(f"{name} failed with exit code {done.returncode}: see its messages", 1)


def _new_output(suffix):
    folder = _tempfile.mkdtemp(prefix="lanescope-")
    return _os.path.join(folder, "recorded" + suffix)


def record(command, output=None, options=()):
    """Runs `lanescope record`; returns the recording's path."""
    if isinstance(command, str):
        raise TypeError("command is a list of words, such as [\"python\", \"train.py\"]")
    output = _os.fspath(output) if output is not None else _new_output(".spool")
    _run([path_of("lanescope"), "record", *options, "-o", output, "--", *command], "lanescope record")
    return output


def attach(pid, duration="2s", output=None):
    """Runs `lanescope attach`; returns the trace's path."""
    output = _os.fspath(output) if output is not None else _new_output(".json.gz")
    _run([path_of("lanescope"), "attach", str(int(pid)), "--duration", duration, "--shapes", "--stack", "--modules",
          "-o", output], "lanescope attach")
    return output
