"""The cases of a test in Python: which of them run, what they print, and where the real traces are.

LANESCOPE_TRACES names the folder of real traces. A case that asks for them when there are none is printed with its result,
and `scripts/test --real-traces` runs these cases with real traces: LANESCOPE_CASES names a file that lists them.
"""
import os
import pathlib
import sys
import traceback

TESTS = pathlib.Path(__file__).resolve().parent
NO_REAL_TRACES = "LANESCOPE_TRACES names no folder of real traces"


class Skip(Exception):
    """Raised by a test case that cannot run here; says why."""


class Asked:
    in_vain = False  # whether the running case asked for real traces when there are none


def has_real_traces():
    """Whether there are real traces. A case that asks tests more if there are."""
    if os.environ.get("LANESCOPE_TRACES"):
        return True
    Asked.in_vain = True
    return False


def real_trace(name=""):
    """The path of a real trace, relative to LANESCOPE_TRACES. Skips the case if there are no real traces."""
    if not has_real_traces():
        raise Skip(NO_REAL_TRACES)
    return pathlib.Path(os.environ["LANESCOPE_TRACES"]) / name


def traces_here(*names):
    """The paths of real traces; none if there are no real traces. For checks that hold in each of several traces."""
    return [real_trace(name) for name in names] if has_real_traces() else []


def and_real(*names):
    """The names of real traces to be tested beside those of samples; none if there are no real traces."""
    return names if has_real_traces() else ()


def listed_cases():
    """The cases that the file LANESCOPE_CASES lists for this script; None without that variable."""
    if not os.environ.get("LANESCOPE_CASES"):
        return None
    script = os.path.relpath(os.path.realpath(sys.argv[0]), TESTS)
    with open(os.environ["LANESCOPE_CASES"], encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [case for entry, case in lines if entry == script]


def chosen(names):
    """The names of the cases to run: all, or those that are listed."""
    listed = listed_cases()
    if listed is None:
        return names
    unknown = set(listed) - set(names)
    if unknown or not listed:
        sys.exit(f"{os.environ['LANESCOPE_CASES']} lists for {sys.argv[0]}: {sorted(unknown) or 'nothing'}")
    return [name for name in names if name in listed]


def result_of(name, case):
    """Runs one case; prints and returns its result."""
    Asked.in_vain = False
    result = "passed"
    try:
        case()
        print(f"ok      {name}")
    except Skip as reason:
        result = "skipped"
        print(f"SKIPPED: {name}: {reason}")
    except Exception:  # whatever fails, the next case runs
        result = "failed"
        print(f"FAILED: {name}")
        traceback.print_exc(file=sys.stdout)
    if Asked.in_vain:
        print(f"REAL TRACES: {result}: {name}")
    return result


def run_cases(cases):
    """Runs functions by their names, prints each result and the totals, and returns the exit status."""
    results = [result_of(name, cases[name]) for name in chosen(list(cases))]
    passed, failed, skipped = (results.count(result) for result in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
