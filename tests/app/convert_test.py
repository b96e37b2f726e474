#!/usr/bin/env python3
"""lanescope convert: the Kineto JSON that it writes, as plain text, gzip or zstd, loads as the same trace."""
import gzip
import json
import pathlib
import subprocess

from program import BIN, SAMPLES, error_of, has_real_traces, json_of, lanescope, real_traces_of_pytorch, run_all, scratch, text_of
from recorded import FOLDER, record

C = BIN / "annotated_c"
CUDA = BIN / "cuda_program"
SAME = ("complete_by_category", "duration_ns_by_category", "rows_with_complete_events", "zero_duration", "max_stack",
        "partial_overlaps", "gpu_activities", "gpu_activities_with_launch", "devices")
SUMMED_KEYS = ("static_shared_bytes", "dynamic_shared_bytes")  # Kineto's JSON only has their sum


def converted(trace, name="converted.json.gz"):
    target = FOLDER / name
    assert text_of("convert", trace, "-o", target) == ""
    return target


def lanes(trace):
    keys = ("process", "pid", "lane", "tid", "kind", "slices", "instants", "points", "start_ns", "end_ns")
    # A recording has no pid for the profiler's own work and no tid for a device as a whole; Kineto's JSON writes -1.
    return sorted([["" if row[key] in ("-1", None) else str(row[key]) for key in keys] for row in json_of("table", "lanes", trace)])


def kernels(trace):
    return [{key: value for key, value in row.items() if key not in SUMMED_KEYS}
            for row in json_of("table", "kernels", trace)]


def rows_of(table, trace):
    """A table. Correlations count the calls of a process; the file that is written has unique ones, with the process in the upper bits."""
    return [{key: value & 0xFFFFFFFF if key == "correlation" and value is not None else value for key, value in row.items()}
            for row in json_of("table", table, trace)]


def rows(trace, expression):
    return [(row["name"], row["start_ns"], row["duration_ns"]) for row in json_of("find", trace, expression)]


def check_same(trace, name="converted.json.gz"):
    target = converted(trace, name)
    before, after = json_of("info", trace), json_of("info", target)
    for key in SAME:
        assert before.get(key) == after.get(key), (trace, key, before.get(key), after.get(key))
    for phase in "Xi":
        assert before["phases"].get(phase) == after["phases"].get(phase), (trace, phase)
    assert lanes(trace) == lanes(target), trace
    assert kernels(trace) == kernels(target), trace
    for table in ("launches", "memory", "synchronisations", "operators"):
        before, after = rows_of(table, trace), rows_of(table, target)
        assert before == after, (trace, table, [pair for pair in zip(before, after) if pair[0] != pair[1]][:2])
    return target


def test_recorded_ranges():
    for mode in ("nested", "domains", "threads", "forks"):
        trace, _ = record(C, mode)
        target = check_same(trace)
        for expression in ("args:domain=lane.scope", "args:category=loading", "args:payload=2.5", "args:color=#336699"):
            assert rows(trace, expression) == rows(target, expression), (mode, expression)


def test_recorded_cuda():
    for mode in ("work", "threads", "fork_before", "exec"):
        trace, _ = record(CUDA, mode, env={"LD_LIBRARY_PATH": str(BIN / "standin")})
        check_same(trace)


def test_samples_of_pytorch():
    samples = sorted(SAMPLES.glob("torch_cpu/*.json.gz")) + [SAMPLES / "synthetic_step.json.gz"]
    assert len(samples) > 3, samples
    small = real_traces_of_pytorch(250_000)
    assert small or not has_real_traces()
    for trace in small:
        check_same(trace)
    for sample in samples:
        target = check_same(sample)
        # A second conversion changes nothing, so numbers do not drift.
        first = target.read_bytes()
        assert gzip.decompress(converted(target, "twice.json.gz").read_bytes()) == gzip.decompress(first), sample


def test_correlations_of_several_processes_stay_apart():
    events = []

    def add(category, name, pid, tid, ts, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": 2, "args": args})

    for rank in (0, 1):
        host, gpu = 10 + rank, 100 + rank
        for pid, kind in ((host, "CPU"), (gpu, "GPU")):
            events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": f"RANK {rank} - {kind}"}})
        add("cuda_runtime", "cudaLaunchKernel", host, 1, 0, correlation=3)
        add("kernel", f"work {rank}", gpu, 7, 5, correlation=3, device=rank, stream=7)
        add("cuda_runtime", "cudaEventRecord", host, 1, 10, correlation=4)
        add("cuda_runtime", "cudaStreamWaitEvent", host, 1, 20, correlation=5)
        add("cuda_sync", "Stream Wait Event", gpu, 8, 25, correlation=5, stream=8, wait_on_stream=7,
            wait_on_cuda_event_record_corr_id=4)
    trace = FOLDER / "ranks.json"
    trace.write_text(json.dumps({"traceEvents": events}))
    written = json.loads(converted(trace, "ranks_out.json").read_text())["traceEvents"]

    def numbers(key, name):
        return {event["pid"] % 10: event["args"][key] for event in written if event["name"] == name and event["ph"] == "X"}

    launched = {**numbers("correlation", "work 0"), **numbers("correlation", "work 1")}
    assert launched == numbers("correlation", "cudaLaunchKernel") and launched[0] == 3 != launched[1], launched
    recorded = numbers("correlation", "cudaEventRecord")
    assert numbers("wait_on_cuda_event_record_corr_id", "Stream Wait Event") == recorded and recorded[0] != recorded[1], recorded
    assert numbers("correlation", "Stream Wait Event") == numbers("correlation", "cudaStreamWaitEvent")


def test_nested_async_ranges_stay_nested():
    def event(phase, name, ts, number):
        return {"ph": phase, "name": name, "cat": "io", "id": number, "pid": 1, "tid": 1, "ts": ts}

    events = [event("b", "request", 0, 7), event("b", "parse", 0, 7), event("e", "parse", 2, 7), event("b", "reply", 2, 7),
              event("e", "reply", 9, 7), event("e", "request", 9, 7), event("b", "request", 4, 8), event("e", "request", 12, 8)]
    trace = FOLDER / "async.json"
    trace.write_text(json.dumps({"traceEvents": events}))
    assert [row["slices"] for row in json_of("table", "lanes", trace)] == [4]
    check_same(trace)


def test_plain_gzip_and_zstd_files_contain_the_same_text():
    trace, _ = record(C, "nested")
    plain = converted(trace, "x.json").read_bytes()
    assert gzip.decompress(converted(trace, "x.json.gz").read_bytes()) == plain
    check_same(trace, "x.json.zst")
    document = json.loads(plain)
    events = document["traceEvents"]
    assert document["schemaVersion"] == 1 and document["baseTimeNanoseconds"] > 0
    assert all({"ph", "name", "pid", "tid", "ts"} <= set(event) for event in events)
    # Viewers store times as doubles, which represent these microseconds to the nanosecond.
    assert all(0 <= event["ts"] < 2**53 / 1000 for event in events)
    wide = [event for event in events if event["name"] == "wide é中"]
    assert len(wide) == 1 and wide[0]["cat"] == "user_annotation" and wide[0]["dur"] > 0


def test_a_failed_write_is_reported_and_keeps_the_old_file():
    trace, _ = record(C, "nested")
    assert "cannot be written" in error_of("convert", trace, "-o", "/nonexistent/folder/x.json", status=1)
    before = trace.read_bytes()
    assert "this is an input" in error_of("convert", trace, "-o", trace, status=1)
    assert trace.read_bytes() == before
    with scratch() as folder:
        target = f"{folder}/x.json"
        open(target, "w").write("the previous content")
        limited = subprocess.run(["bash", "-c", f"ulimit -f 1; trap '' XFSZ; exec {BIN}/lanescope convert {trace} -o {target} --force"],
                                 capture_output=True)
        assert limited.returncode == 1 and b"cannot be written" in limited.stderr, limited
        assert open(target).read() == "the previous content"
        assert subprocess.run(["ls", folder], capture_output=True, text=True).stdout == "x.json\n"
    assert lanescope("convert", trace).returncode == 2


def test_an_argument_that_is_nested_deeply_stays_a_text():
    deep = "[" * 200_000 + "]" * 200_000
    with scratch() as folder:
        trace = pathlib.Path(folder) / "deep.json"
        trace.write_text('{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5,"args":{"deep":'
                         + deep + ',"x":1}}]}')
        text_of("convert", trace, "--format", "perfetto", "-o", trace.with_suffix(".pftrace"))
        assert deep.encode() in trace.with_suffix(".pftrace").read_bytes()
        query = "select extract_arg(arg_set_id, 'args.x') as x, length(extract_arg(arg_set_id, 'args.deep')) as deep from slice"
        assert json_of("sql", trace, query) == [{"x": 1, "deep": len(deep)}]


run_all(globals())
