#!/usr/bin/env python3
"""lanescope cut: the tables of the new trace must have the same numbers as those of the original for that range."""
import gzip
import json

from perfetto_file import read_perfetto
from program import SAMPLES, error_of, has_real_traces, json_of, lanescope, real_traces_of_pytorch, run_all, scratch, text_of
from recorded import FOLDER

SAMPLE = SAMPLES / "synthetic_step.json.gz"
# Times count from the first event of the file, which a cut moves.
MOVED = ("start_ns", "end_ns", "begin_ns", "first_ns", "last_ns", "peak_at_ns", "at_ns", "time_ns", "longest_start_ns")
TABLES = (["kernels"], ["kernels", "--by", "name"], ["operators"], ["launches"], ["memory"], ["memory", "--by", "device"],
          ["memory", "--by", "operator"], ["memory", "--by", "largest"], ["slices"], ["breakdown"], ["hotspots"],
          ["synchronisations"], ["collectives"], ["models"], ["modules"], ["sections"])


def cut(trace, range, name="cut.json.gz"):
    target = FOLDER / name
    assert text_of("cut", trace, "--range", range, "-o", target) == ""
    return target


def tables_of(trace):
    """The tables that exist and have a value in the trace's step."""
    return [words for words in TABLES if lanescope("table", *words, trace, "--format", "json").returncode == 0]


def rows(words, trace, range):
    """A table of a range, without times and numbers that count from the begin of the file."""
    found = json_of("table", *words, trace, "--range", range)
    found = [{key: value for key, value in row.items() if key not in MOVED and
              not (key == "sequence" and row["sequence_from"] == "counted")} for row in found]
    return sorted(found, key=lambda row: json.dumps(row))  # rows that are equal in the sorted column have no order


def time_of(trace, name, start, duration):
    """The range of a step in a file, whose times count from its own first event: `start` after that of `name`."""
    mark = min(row["start_ns"] for row in json_of("find", trace, f'"{name}"') if row["name"] == name)
    return f"{mark + start}ns..{mark + start + duration}ns"


def check_step(trace, step):
    target = cut(trace, f"step:{step}")
    row, = (row for row in json_of("table", "steps", trace) if row["index"] == step)
    mark = min(slice["start_ns"] for slice in json_of("find", trace, f'"{row["name"]}"') if slice["name"] == row["name"])
    for words in tables_of(trace):
        ranges = [time_of(file, row["name"], row["start_ns"] - mark, row["duration_ns"]) for file in (trace, target)]
        before, after = rows(words, trace, ranges[0]), rows(words, target, ranges[1])
        assert before == after, (trace, step, words, first_difference(before, after))
    if row["definition"] == "annotation":  # other steps end with the next one, which a cut does not have
        for words in (["kernels"], ["operators"], ["memory"]):
            assert rows(words, trace, f"step:{step}") == rows(words, target, f"step:{step}"), (trace, step, words)
        after, = (row for row in json_of("table", "steps", target) if row["index"] == step)
        for key in ("name", "index", "duration_ns", "gpu_busy_ns", "kernels", "cpu_self_ns"):
            assert row[key] == after[key], (trace, step, key, row, after)
    return target


def first_difference(before, after):
    for one, other in zip(before, after):
        if one != other:
            return {key: (one[key], other.get(key)) for key in one if one[key] != other.get(key)}, one
    return len(before), len(after), (before + [None])[len(after):][:1], (after + [None])[len(before):][:1]


def numbered_steps(trace):
    listed = json_of("table", "steps", trace)
    return [row["index"] for row in listed if str(row["name"]).startswith("ProfilerStep#")]


def test_a_trace_of_counters():
    with scratch() as folder:
        whole, part = f"{folder}/whole.json", f"{folder}/part.json"
        with open(whole, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [{"ph": "C", "name": "c", "pid": 1, "tid": 1, "ts": 10 * i, "args": {"v": i}} for i in range(5)]}, file)
        text_of("cut", whole, "--range", "15us..35us", "-o", part)
        with open(part, encoding="utf-8") as file:
            values = [event["args"]["v"] for event in json.load(file)["traceEvents"] if event["ph"] == "C"]
        assert values == [1, 2, 3], values  # the first is the value at the range's begin
        assert "contains no event" in error_of("cut", whole, "--range", "41us..50us", "-o", part, status=2)


def test_steps():
    checked = 0
    for trace in (SAMPLE, *sorted(SAMPLES.glob("torch_cpu/*.json.gz"))):
        for step in numbered_steps(trace)[:3]:
            target = check_step(trace, step)
            checked += 1
            assert json_of("info", target)["events"] < json_of("info", trace)["events"]
    assert checked >= 4, checked
    checked = 0
    for trace in real_traces_of_pytorch(900_000):
        for step in numbered_steps(trace)[1:2]:
            check_step(trace, step)
            checked += 1
    assert checked > 1 or not has_real_traces(), checked


def events_of(path):
    with gzip.open(path) as file:
        return json.load(file)


def test_borders():
    """Slices over a border stay whole; flows have both ends; the launch of a kernel inside is kept with its callers."""
    def x(name, start, duration, tid=1, pid=1, cat="cpu_op", **args):
        return {"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}
    launch = {"cat": "cuda_runtime"}
    events = [
        x("over both", 0, 100), x("before", 1, 4), x("caller", 6, 10), x("cudaLaunchKernel", 7, 2, correlation=1, **launch),
        x("ends at the begin", 17, 3), x("over the begin", 20.5, 10), x("inside", 31, 2), x("over the end", 38, 5),
        x("cudaLaunchKernel", 39, 0.5, correlation=2, **launch), x("after", 50, 1),
        x("cudaLaunchKernel", 52, 0.5, correlation=3, **launch),
        x("two before", 10, 1, 7, 0, "kernel", stream=7, device=0), x("one before", 12, 1, 7, 0, "kernel", stream=7, device=0),
        x("early", 32, 2, 7, 0, "kernel", correlation=1, stream=7, device=0),
        x("late", 60, 2, 7, 0, "kernel", correlation=2, stream=7, device=0),
        x("later", 70, 2, 7, 0, "kernel", correlation=3, stream=7, device=0),
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
        {"ph": "i", "name": "mark", "s": "t", "pid": 1, "tid": 1, "ts": 35}, {"ph": "i", "name": "late mark", "s": "t", "pid": 1, "tid": 1, "ts": 40},
        *({"ph": "C", "name": "load", "pid": 1, "ts": t, "args": {"value": t}} for t in (5, 15, 25, 35, 45))]
    trace, target = FOLDER / "borders.json", FOLDER / "borders_cut.json.gz"
    trace.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
    text_of("cut", trace, "--range", "20us..40us", "-o", target)
    whole = events_of(target)
    kept = sorted((e["ts"], e["name"], e["dur"]) for e in whole["traceEvents"] if e["ph"] == "X")
    assert kept == [(0, "over both", 100), (6, "caller", 10), (7, "cudaLaunchKernel", 2), (12, "one before", 1), (20.5, "over the begin", 10),
                    (31, "inside", 2), (32, "early", 2), (38, "over the end", 5), (39, "cudaLaunchKernel", 0.5),
                    (60, "late", 2)], kept
    assert [e["name"] for e in whole["traceEvents"] if e["ph"] == "i"] == ["mark"]
    assert [e["ts"] for e in whole["traceEvents"] if e["ph"] == "C"] == [15, 25, 35]
    for phase in "sf":
        assert sorted(e["id"] for e in whole["traceEvents"] if e["ph"] == phase) == [1, 2], phase
    assert whole["deviceProperties"] == [{"id": 0, "name": "GPU"}]
    names = {(e["name"], e["args"]["name"]) for e in whole["traceEvents"] if e["ph"] == "M" and "name" in e["args"]}
    assert {("process_name", "python"), ("thread_name", "main")} <= names, names
    as_perfetto = FOLDER / "borders.pftrace"
    text_of("cut", trace, "--range", "20us..40us", "-o", as_perfetto)
    actual = read_perfetto(as_perfetto)
    assert sorted((s.start / 1000, s.name, s.duration / 1000) for s in actual.slices) == kept
    assert len(actual.flows) == 2 and [i.name for i in actual.instants] == ["mark"]
    assert [time for series in actual.counters.values() for time, _ in series] == [15000, 25000, 35000]


def test_refusals():
    with scratch() as folder:
        target = f"{folder}/x.json"
        assert "step" in error_of("cut", SAMPLE, "--range", "step:99999", "-o", target, status=2)
        assert "no event" in error_of("cut", SAMPLE, "--range", "900s..901s", "-o", target, status=2)
        assert "--range" in error_of("cut", SAMPLE, "-o", target, status=2)
        assert "--output" in error_of("cut", SAMPLE, "--range", "step:1", status=2)
        copy = f"{folder}/copy.json.gz"
        with open(copy, "wb") as file:
            file.write(SAMPLE.read_bytes())
        assert lanescope("cut", copy, "--range", "0s..1s", "-o", copy).returncode == 1  # its own input
        with open(copy, "rb") as file:
            assert file.read() == SAMPLE.read_bytes()


run_all(globals())
