#!/usr/bin/env python3
"""Tests of Python functions in `lanescope record --sample`: real interpreters of several versions run programs whose calls and
shares of time are known."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from program import BIN, Skip, error_of, json_of, run_all
from recorded import FOLDER, child_of, find, record, warnings

RATE = ("--python-rate", "200")


def pythons():
    """The interpreters of 3.11 and later on this machine, by version."""
    names = ["/usr/bin/python3", *(shutil.which(f"python3.{minor}") for minor in range(11, 16))]
    found = {}
    for path in [*names, *sorted(pathlib.Path.home().glob(".pyenv/versions/*/bin/python3"))]:
        if path and os.access(path, os.X_OK):
            run = subprocess.run([path, "-c", "import platform; print(platform.python_version())"], capture_output=True, text=True)
            version = tuple(map(int, re.findall(r"\d+", run.stdout)[:3]))
            if run.returncode == 0 and (3, 11) <= version < (3, 15):
                found.setdefault(version, pathlib.Path(path))
    return found


PYTHONS = pythons()


def each_python(test):
    """Runs a test with each interpreter."""
    def of_all():
        if not PYTHONS:
            raise Skip("no Python of 3.11 to 3.14 is installed")
        for version, path in PYTHONS.items():
            try:
                test(path)
            except AssertionError as failure:
                raise AssertionError(f"Python {version}: {failure}") from failure
    of_all.__name__ = test.__name__
    return of_all


class Call:
    def __init__(self, event, parent):
        self.name, self.args = event["name"], event["args"]
        self.start, self.end = event["ts"], event["ts"] + event["dur"]
        self.parent, self.children = parent, []

    @property
    def samples(self):
        return self.args["samples"]

    @property
    def own(self):
        return self.samples - sum(child.samples for child in self.children)

    def stack(self):
        return ([] if self.parent is None else self.parent.stack()) + [self.name]


def sampled(python, text, *words, more=RATE, name="program"):
    """Records a script. Returns its calls by (pid, tid), and the trace."""
    script = FOLDER / f"{name}.py"
    script.write_text(text)
    trace, run = record(python, script, *words, more=more, name=f"{name}.spool")
    assert b"Python" not in run.stderr, run.stderr
    return calls_of(trace), trace


def calls_of(trace):
    output = trace.with_suffix(".json")
    subprocess.run([BIN / "lanescope", "convert", "--force", trace, "-o", output], check=True, capture_output=True)
    events = [event for event in json.loads(output.read_text())["traceEvents"] if event.get("cat") == "python_sample"]
    threads = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        calls = threads[event["pid"], event["tid"]]
        parent = calls[-1] if calls else None
        while parent and parent.end < event["ts"] + event["dur"] - 1e-6:
            parent = parent.parent
        calls.append(Call(event, parent))
        if parent:
            parent.children.append(calls[-1])
    return threads


def of_name(threads, name):
    return [call for calls in threads.values() for call in calls if call.name == name]


def samples_of(threads, name):
    return sum(call.samples for call in of_name(threads, name))


SHARES = """
import sys, time
def work(n):
    s = 0
    for i in range(n): s += i & 7
    return s
def three():
    return work(30000)
def one():
    return work(10000)
class Steps:
    def run(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            three()
            one()
Steps().run(float(sys.argv[1]))
"""


@each_python
def test_shares_of_time_and_places_of_functions(python):
    threads, trace = sampled(python, SHARES, "1.5")
    (calls,) = threads.values()
    three, one = samples_of(threads, "three"), samples_of(threads, "one")
    assert three + one > 150, (three, one)
    assert abs(three / (three + one) - 0.75) < 0.1, (three, one)
    run = of_name(threads, "Steps.run")
    assert len(run) == 1 and run[0].parent.name == "<module>", [call.stack() for call in run]
    work = of_name(threads, "work")
    assert {call.stack()[-2] for call in work} <= {"three", "one"}
    assert sum(call.own for call in work) > 0.9 * (three + one)
    script = str(trace.with_suffix(".py"))
    places = {call.name: (call.args["file"], call.args["line"]) for call in calls}
    assert places["work"] == (script, 3) and places["Steps.run"] == (script, 12), places
    lines = collections.Counter(call.args["line of first sample"] for call in work)
    assert lines[5] > 0.9 * lines.total() and set(lines) <= {3, 4, 5, 6}, lines
    assert {call.args["module"] for call in work} == {"program.py"}
    # A converted trace has the same facts when it is read again.
    converted, again = trace.with_suffix(".json"), trace.with_suffix(".again.json")
    subprocess.run([BIN / "lanescope", "convert", "--force", converted, "-o", again], check=True, capture_output=True)
    facts = [sorted((event["ts"], event["name"], event["args"]["samples"], event["args"]["gil_samples"], event["args"]["running_samples"])
                    for event in json.loads(file.read_text())["traceEvents"] if event.get("cat") == "python_sample")
             for file in (converted, again)]
    assert facts[0] == facts[1] and facts[0]
    lanes = {lane["lane"]: lane for lane in json_of("table", "lanes", trace) if lane["kind"] == "samples"}
    assert any(name.endswith(" · Python") for name in lanes), lanes
    # It computes all the time, alone: it runs, and holds the GIL.
    gil, running = sum(call.args["gil_samples"] for call in work), sum(call.args["running_samples"] for call in work)
    total = sum(call.samples for call in work)
    assert gil > 0.95 * total and running > 0.95 * total, (gil, running, total)


STRUCTURE = """
import sys, time
def c(): return 1
def b(): return c() + c()
def e(n): return n
def d(): return e(1) + e(2)
def g():
    yield b()
    yield d()
def r(n): return d() if n == 0 else r(n - 1)
def a(end):
    while time.perf_counter() < end:
        for i in range(300):
            b(); d()
            for x in g(): pass
            r(3)
a(time.perf_counter() + float(sys.argv[1]))
"""
CALLERS = {"c": {"b"}, "b": {"a", "g"}, "e": {"d"}, "d": {"a", "g", "r"}, "g": {"a"}, "r": {"a", "r"}, "a": {"<module>"}}


@each_python
def test_stacks_of_short_functions_are_possible(python):
    threads, trace = sampled(python, STRUCTURE, "2", more=("--python-rate", "1000"))
    calls = [call for calls in threads.values() for call in calls if call.name in CALLERS]
    wrong = [call.stack() for call in calls if call.parent is None or call.parent.name not in CALLERS[call.name]]
    wrong += [call.stack() for call in calls if call.stack().count("r") > 4]
    assert not wrong, wrong[:5]
    total = samples_of(threads, "a")
    assert total > 500 and {call.name for call in calls} == set(CALLERS), (total, {call.name for call in calls})
    assert sum(call.own for call in of_name(threads, "a")) < 0.7 * total


REPLACED = """
import sys, time
end = time.perf_counter() + float(sys.argv[1])
def work(until):
    while time.perf_counter() < until: pass
i = 0
while time.perf_counter() < end:
    i += 1
    names = {"work": work, "perf_counter": time.perf_counter}
    exec(compile(f"def f{i:06}():\\n" + "\\n" * i + f"    work(perf_counter() + 0.003)\\n", f"<{i:06}>", "exec"), names)
    begin = time.time_ns()
    names.pop(f"f{i:06}")()
    print(i, begin, time.time_ns(), flush=True)
"""


@each_python
def test_functions_that_replace_others_have_their_own_names(python):
    script = FOLDER / "replaced.py"
    script.write_text(REPLACED)
    trace, run = record(python, script, "1.5", more=("--python-rate", "500"), name="replaced.spool")
    times = {int(i): (int(begin), int(end)) for i, begin, end in (line.split() for line in run.stdout.decode().splitlines())}
    calls = [call for calls in calls_of(trace).values() for call in calls if re.fullmatch(r"f\d{6}", call.name)]
    assert len(calls) > 100, len(calls)
    origin = json.loads(trace.with_suffix(".json").read_text()).get("baseTimeNanoseconds", 0)
    off = []  # by how much a sample was taken outside of its function, in nanoseconds
    for call in calls:
        i = int(call.name[1:])
        assert call.args["file"] == f"<{i:06}>" and call.args["line"] == 1, call.args
        assert call.args["line of first sample"] in (1, i + 2), (call.name, call.args)
        begin, end = times[i]
        taken = origin + call.end * 1000
        off.append(max(begin - taken, taken - end, 0))
    # Its time is that after the last read, and the recorder may have waited for a processor in between.
    assert sorted(off)[int(len(off) * 0.95)] < 1e6, sorted(off)[-20:]


THREADS = """
import hashlib, sys, threading, time
def wait(seconds): time.sleep(seconds)
def digest(end):
    data = b"x" * (1 << 25)
    while time.perf_counter() < end: hashlib.sha256(data).digest()
def compute(end):
    n = 0
    while time.perf_counter() < end: n += 1
seconds = float(sys.argv[1])
end = time.perf_counter() + seconds
threads = [threading.Thread(target=wait, args=(seconds,), name="waiting"), threading.Thread(target=digest, args=(end,), name="digest")]
for thread in threads: thread.start()
compute(end)
for thread in threads: thread.join()
"""


@each_python
def test_threads_that_wait_compute_and_run_without_the_gil(python):
    threads, trace = sampled(python, THREADS, "1.5")
    assert len(threads) == 3, list(threads)

    def parts(name):
        # On a busy machine samples are missing, and a call has a slice on each side of the gap.
        calls = of_name(threads, name)
        samples = sum(call.samples for call in calls)
        assert samples > 150, (name, samples)
        return [sum(call.args[kind] for call in calls) / samples for kind in ("gil_samples", "running_samples")]

    gil, running = parts("wait")
    assert gil < 0.05 and running < 0.05, (gil, running)
    gil, running = parts("digest")  # hashlib releases the GIL
    assert gil < 0.5 and running > 0.5, (gil, running)
    gil, running = parts("compute")
    assert gil > 0.8, (gil, running)


FORKED = """
import multiprocessing, sys, time
def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end: pass
def child(seconds): work(seconds)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[2])
    workers = [context.Process(target=child, args=(float(sys.argv[1]),)) for _ in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
"""


@each_python
def test_child_processes_are_sampled(python):
    for method in ("fork", "spawn"):
        threads, trace = sampled(python, FORKED, "0.7", method, name="forked")
        pids = {pid for (pid, tid), calls in threads.items() if any(call.name == "child" for call in calls)}
        assert len(pids) == 2, (method, list(threads))
        assert samples_of(threads, "work") > 100, (method, samples_of(threads, "work"))


DEEP = """
import sys, time
sys.setrecursionlimit(10000)
def down(n, seconds):
    if n > 0: return down(n - 1, seconds)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end: pass
down(int(sys.argv[1]), float(sys.argv[2]))
"""


@each_python
def test_deep_recursion_keeps_the_outermost_functions(python):
    threads, _ = sampled(python, DEEP, "300", "0.5", name="deep")
    assert max(len(call.stack()) for call in of_name(threads, "down")) == 302
    threads, _ = sampled(python, DEEP, "3000", "0.5", name="deep")
    (cut,) = of_name(threads, "[deeper calls]")
    assert cut.samples > 50 and cut.stack() == ["<module>"] + ["down"] * 511 + ["[deeper calls]"], cut.stack()


UNICODE = """
import time
def größe(end):
    while time.perf_counter() < end: pass
def 関数(end): größe(end)
def 𝔞𝔟(end): 関数(end)
exec(compile("𝔞𝔟(time.perf_counter() + 0.5)", "<файл>", "exec"))
"""


@each_python
def test_names_of_all_widths(python):
    threads, _ = sampled(python, UNICODE, name="unicode")
    stack = of_name(threads, "größe")[-1].stack()
    assert stack == ["<module>", "<module>", "ab", "関数", "größe"], stack  # Python normalises 𝔞𝔟
    assert any(call.args["file"] == "<файл>" for call in of_name(threads, "<module>"))


def test_a_program_that_becomes_another_python():
    if len(PYTHONS) < 2:
        raise Skip("only one version of Python is installed")
    first, second = list(PYTHONS.values())[:2]
    text = SHARES.replace("Steps().run(float(sys.argv[1]))", "Steps().run(0.4)\nif len(sys.argv) > 1:\n"
                          "    import os\n    os.execv(sys.argv[1], [sys.argv[1], __file__])")
    threads, trace = sampled(first, text, second)
    assert len({pid for pid, tid in threads}) == 1
    runs = of_name(threads, "Steps.run")
    assert len(runs) == 2 and all(run.samples > 40 for run in runs), [(run.samples, run.start) for run in runs]


def test_options():
    python = next(iter(PYTHONS.values()), None)
    if not python:
        raise Skip("no Python of 3.11 to 3.14 is installed")
    script = FOLDER / "options.py"
    script.write_text(SHARES)
    for words, low, high in ((("--sample=50",), 30, 60), (("--sample=50", "--python-rate", "off"), 0, 0),
                             (("--python-rate", "20"), 5, 12), ((), 0, 0)):
        trace, _ = record(python, script, "0.5", more=words, name="options.spool")
        samples = samples_of(calls_of(trace), "Steps.run")
        assert low <= samples <= high, (words, samples)
    for rate in ("0", "1001", "often", "-1", ""):
        if rate:
            assert "--python-rate" in error_of("record", f"--python-rate={rate}", "-o", FOLDER / "x.spool", "--", "true", status=2)


def test_an_old_python_is_named():
    old = sorted(pathlib.Path.home().glob(".pyenv/versions/3.10*/bin/python3"))
    if not old:
        raise Skip("no Python 3.10 is installed")
    trace, run = record(old[0], "-c", "import time; time.sleep(0.5)", more=RATE, name="old.spool")
    assert b"it is Python 3.10 or older, and the layouts of 3.11 to 3.14 are known" in run.stderr, run.stderr
    assert "3.10 or older" in warnings(trace)["recorder_warning"]["text"]
    assert not calls_of(trace)


def test_samples_survive_a_killed_recorder():
    python = next(iter(PYTHONS.values()), None)
    if not python:
        raise Skip("no Python of 3.11 to 3.14 is installed")
    script = FOLDER / "killed.py"
    script.write_text(SHARES)
    trace = FOLDER / "killed.spool"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", *RATE, "-o", trace, "--", python, script, "30"])
    time.sleep(1.5)
    program = child_of(run)
    run.kill()
    run.wait()
    time.sleep(0.2)
    assert pathlib.Path(f"/proc/{program}/stat").read_text().split(") ")[1][0] == "R"
    os.kill(program, signal.SIGKILL)
    assert samples_of(calls_of(trace), "Steps.run") > 100


run_all(globals())
