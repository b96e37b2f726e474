"""The command `lanescope fleet`."""

import argparse
import os
import sys
import time

import lanescope
from lanescope import fleet as _fleet

FAILED, WRONG_USAGE = 1, 2
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def bytes_of(text):
    """Parses a number of bytes such as 4G."""
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMG" else ""
    try:
        size = int(float(number.removesuffix(unit)) * SIZES[unit])
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise argparse.ArgumentTypeError(f"{text} is no size; write for example 4G")
    return size


def count_of(text):
    if not text.isdecimal() or not 1 <= int(text) <= 4096:
        raise argparse.ArgumentTypeError(f"{text} is not a number of workers; write 1 to 4096")
    return int(text)


def _arguments():
    parser = argparse.ArgumentParser(prog="lanescope fleet", description="Which rank of a job holds the others up, since when, why, and at what cost.",
                                     allow_abbrev=False)
    parser.add_argument("paths", nargs="+", metavar="TRACE", help="traces of the ranks: files, folders, patterns, URLs")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder of the results: new or empty")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a scheduler of Dask, such as tcp://head:8786")
    parser.add_argument("--workers", type=count_of, metavar="N", help="processes on this machine: one for each core")
    parser.add_argument("--memory", type=bytes_of, default=4 << 30, metavar="BYTES", help="what loading one trace may take (4G)")
    parser.add_argument("--resume", action="store_true", help="go on in a folder with results: read only what is new or has changed")
    parser.add_argument("--verify", action="store_true", help="with --resume: compare the files' SHA-256 instead of sizes and times alone")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    given = parser.parse_args()
    if given.verify and not given.resume:
        parser.error("--verify needs --resume")
    if given.scheduler and given.workers:
        parser.error("--workers is for this machine, and a scheduler has its own workers")
    return given


class Progress:
    """Prints the number of traces done, their rate and the remaining time on stderr."""

    def __init__(self):
        self._begin, self._said = time.monotonic(), 0.0
        self._screen = sys.stderr.isatty()

    def __call__(self, done, total):
        now = time.monotonic() - self._begin
        if done < total and now - self._said < (0.5 if self._screen else 30):
            return
        self._said = now
        rate = done / now if done else 0
        left = f", {rate:.3g} a second, {(total - done) / rate:.0f} s left" if rate and done < total else ""
        text = f"{done} of {total} traces{left}" if done < total else f"{total} traces in {now:.1f} s"
        print(f"\r\x1b[K{text}" if self._screen else text, file=sys.stderr, end="\n" if done == total or not self._screen else "", flush=True)


def run(given):
    options = {"out": given.output, "resume": given.resume, "verify": given.verify, "workers": given.workers,
               "memory": given.memory, "progress": Progress()}
    if given.scheduler is None:
        return _fleet.analyse(given.paths, **options)
    _fleet._need("distributed", "pyarrow")
    from lanescope.fleet import _cluster

    with _cluster.client_at(given.scheduler) as client:
        return _fleet.analyse(given.paths, client, **options)


def _said(problem):
    """The message of an error; of the system's errors without their number."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem)


def main():
    given = _arguments()
    try:
        found = run(given)
    except (FileNotFoundError, FileExistsError, ImportError, ConnectionError, OSError, RuntimeError, ValueError, lanescope.Error) as problem:
        print(f"lanescope fleet: {_said(problem)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("lanescope fleet: stopped; what was read is kept, and --resume goes on with it", file=sys.stderr)
        return 130
    text = found.json() if given.format == "json" else f"{found}\n"
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not found.is_compared:
        print("lanescope fleet: nothing was compared: no collective was found on two ranks", file=sys.stderr)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
