#!/usr/bin/env python3
"""Steps on the device: against a count from the raw JSON, and through every command that uses the time of a step."""
import json

from pathlib import Path

from device_times import device_spans
from program import SAMPLES, Skip, error_of, json_of, lanescope, real_trace, run_all, scratch, text_of, traces_here

REAL = ["v100_ns_absolute_ts", "a100_rank0_of16", "v100_memory_nccl", "a100_train_before", "h100_bert_small", "h100_qwen_chat"]


def case(name):
    path = real_trace().parent / "cases" / name
    if not path.exists():
        raise Skip("there is no folder of cases beside the real traces")
    return path


def test_the_time_on_the_device_equals_a_count_from_the_raw_events():
    compared = 0
    for path in [SAMPLES / "synthetic_step.json.gz", *traces_here(*(f"torch/{name}.json.gz" for name in REAL))]:
        expected = [span and span[1] - span[0] for span in device_spans(path)]
        found = [row["device_ns"] for row in json_of("table", "steps", path)]
        assert len(found) == len(expected), path
        for ours, theirs in zip(found, expected):
            assert (ours is None) == (theirs is None), (path, ours, theirs)
            assert ours is None or abs(ours - theirs) <= 2, (path, ours, theirs)  # files round to whole ns twice
            compared += 1
    assert compared >= 3


def loop(folder, name, step, work, steps=12, first=3, jitter=(0, 7, -5, 3), windows=1):
    """A trace of annotated steps of `step` µs that each launch five kernels of `work` µs."""
    events, correlation, free = [], 0, 0
    for i in range(steps):
        begin = i * step + (i // (steps // windows)) * 20 * step
        number = first + i % (steps // windows)
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": begin, "dur": step})
        for k in range(5):
            correlation += 1
            at = begin + 10 + k * step // 6
            ids = {"correlation": correlation, "External id": correlation}
            events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": at, "dur": step // 8, "args": {"External id": correlation}})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5, "dur": 5, "args": ids})
            start = max(free, at + 20)
            length = work + jitter[correlation % len(jitter)]
            free = start + length
            events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": start, "dur": length,
                           "args": {"device": 0, "stream": 7, **ids}})
    path = Path(folder) / name
    path.write_text(json.dumps({"traceEvents": events, "schemaVersion": 1}))
    return path


def gate(a, b, limit="5%"):
    return lanescope("compare", a, b, "--fail-over", limit).returncode


def test_the_gate_sees_a_slower_gpu_behind_a_host_that_runs_ahead():
    with scratch() as folder:
        a = loop(folder, "a.json", 1000, 500)
        for factor in (1.1, 1.6):
            b = loop(folder, "b.json", 1000, int(500 * factor))
            compared = json_of("compare", a, b)
            assert abs(compared["step"]["a_ns"] - 2_500_000) < 30_000, compared["step"]
            assert abs(compared["step"]["ratio"] - factor) < 0.02, compared["step"]
            assert compared["step"]["verdict"] == "slower"
            mm = next(row for row in compared["rows"] if row["function"] == "aten::mm")
            assert mm["verdict"] == "slower" and mm["a_calls"] == mm["b_calls"] == 5, mm
            assert any("The host runs ahead of the GPU" in remark for remark in compared["remarks"])
            assert gate(a, b) == 3 and gate(b, a) == 0
        # A slower host that still runs ahead costs nothing.
        slower_host = loop(folder, "c.json", 1400, 500)
        assert gate(a, slower_host) == 0 and gate(slower_host, a) == 0
        # Where the host limits both, its time counts.
        fast = loop(folder, "d.json", 1000, 50)
        slow = loop(folder, "e.json", 1500, 50)
        assert gate(fast, slow) == 3 and gate(slow, fast) == 0


def test_all_commands_take_the_work_that_a_step_launched():
    with scratch() as folder:
        trace = loop(folder, "ahead.json", 1000, 500)
        steps = json_of("table", "steps", trace)
        assert all(abs(step["device_ns"] - 2_500_000) < 40_000 for step in steps), steps
        assert all(step["time_ns"] == step["device_ns"] for step in steps)
        assert {step["bound"] for step in steps} == {"device"} and not any(step["outlier"] for step in steps)
        for range_ in ("step:5", "step:14", "step:5..7"):
            count = 15 if ".." in range_ else 5
            assert json_of("table", "kernels", trace, "--range", range_)[0]["calls"] == count
            assert len(json_of("table", "kernels", trace, "--by", "instance", "--range", range_)) == count
            assert len(json_of("find", trace, "kind:kernel", "--range", range_)) == count
            assert json_of("table", "hotspots", trace, "--range", range_)[0]["calls"] == count
            busy = json_of("table", "breakdown", trace, "--range", range_)[0]
            assert busy["idle_ns"] == 0 and abs(busy["span_ns"] / count - 500_000) < 8_000, busy
            folded = text_of("flame", trace, "--of", "gpu", "--range", range_)
            assert abs(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) / count - 500_000) < 8_000
        rows = json_of("table", "models", trace, "--by", "step")
        assert all(abs(row["duration_ns"] - 2_500_000) < 40_000 for row in rows[1:])
        change = json_of("what-if", trace, "--kernel", "gemm", "--faster", "2")
        assert "2.5" in str(change) or abs(change[0]["step_ns"] - 2_500_000) < 40_000, change
        summary = json_of("summary", trace)
        assert summary["steps"]["pace"] == "host ahead" and abs(summary["steps"]["median_ns"] - 2_500_000) < 30_000
        assert summary["steps"]["median_host_ns"] == 1_000_000
        assert "The host runs ahead of the GPU: a step takes 1 ms on the host" in text_of("findings", trace)
        sql = json_of("sql", trace, "select device_ns, time_ns from steps")
        assert [row["device_ns"] for row in sql] == [step["device_ns"] for step in steps]


def test_repeated_numbers_are_told_apart():
    with scratch() as folder:
        trace = loop(folder, "windows.json", 1000, 60, windows=3)
        steps = json_of("table", "steps", trace)
        assert [step["window"] for step in steps] == [1] * 4 + [2] * 4 + [3] * 4
        said = lanescope("table", "kernels", trace, "--range", "step:4")
        assert "Step 4 occurs in 3 recorded windows; step:4 is that of window 1" in said.stderr.decode()
        assert lanescope("table", "kernels", trace, "--range", "step:4@2").stderr == b""
        assert json_of("table", "kernels", trace, "--range", "step:4@2")[0]["calls"] == 5
        assert "recorded window 4" in error_of("table", "lanes", trace, "--range", "step:4@4", status=2)
        labels = {row["step"] for row in json_of("table", "operators", trace, "--by", "step")}
        assert "ProfilerStep#4@2" in labels and len(labels - {None, ""}) == 12, labels
        text = text_of("summary", trace)
        assert "12 steps (ProfilerStep#3 to #6) in 3 recorded windows" in text and "in 3 recorded windows." in text
        findings = json_of("findings", trace)
        longest = max(place["duration_ns"] for finding in findings for place in finding["places"])
        assert longest <= 1_010_000, findings


def test_small_differences_of_steps_are_noise():
    with scratch() as folder:
        trace = loop(folder, "even.json", 1000, 50, jitter=(0,))
        events = json.loads(trace.read_text())
        annotations = [event for event in events["traceEvents"] if event["name"].startswith("ProfilerStep")]
        annotations[5]["dur"] += 12  # 1.2 % over the median
        trace.write_text(json.dumps(events))
        assert "differ" not in text_of("summary", trace) and "step-outlier" not in text_of("findings", trace)
        annotations[5]["dur"] += 88
        for later in annotations[6:]:
            later["ts"] += 100
        trace.write_text(json.dumps(events))
        assert "One step differs: #8 takes 1.1 ms" in text_of("summary", trace) or "step-outlier" in text_of("summary", trace)


def test_the_cases_from_public_reports():
    a, b = case("host_ahead_a.json"), case("host_ahead_b.json")
    compared = json_of("compare", a, b)["step"]
    assert round(compared["a_ns"] / 1e6) == 25 and round(compared["b_ns"] / 1e6) == 40 and compared["verdict"] == "slower"
    assert gate(a, b) == 3 and gate(b, a) == 0
    four = json_of("table", "steps", case("host_ahead.json"))
    assert all(round(step["device_ns"] / 1e6) == 25 and round(step["duration_ns"] / 1e6) == 10 for step in four), four
    assert len(json_of("table", "steps", case("repeated_steps.json"))) == 12
    detected = json_of("table", "steps", case("async_steps.json"))
    assert all(round(step["time_ns"] / 1e5) == 157 for step in detected), detected
    assert all(finding["share"] is None or finding["share"] <= 0.03 for finding in json_of("findings", case("async_steps.json")))
    late = text_of("summary", case("late_gpu.json"))
    assert "leave the GPU idle for 94.9 %" in late and "the profiler's start" in late and "84.5 % of its span" not in late.split("\n\n")[0]
    assert {step["bound"] for step in json_of("table", "steps", case("late_gpu.json"))} == {"overhead"}


run_all(globals())
