#!/usr/bin/env python3
"""Traces of torch_npu: kernels without a category, times as texts, flows in place of correlations."""
import json

from program import json_of, run_all, scratch

KERNELS = 20


def trace_of(folder):
    """As torch_npu's trace_view.json; "Overlap Analysis" repeats the kernels."""
    names = {2: "Python", 3: "CANN", 4: "Ascend Hardware", 6: "Overlap Analysis"}
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in names.items()]
    events.append({"ph": "M", "name": "thread_name", "pid": 4, "tid": 5, "args": {"name": "Stream 5"}})
    for i in range(KERNELS):
        micros = 1_715_000_000_123_456 + 50 * i
        begin, later = f"{micros}.{i:03d}", f"{micros + 30}.{i:03d}"
        flow = {"name": "async_npu", "cat": "async_npu", "bp": "e", "id": str(i)}
        task = {"Model Id": 4294967295, "Task Type": "AI_CORE", "Stream Id": 5, "Task Id": i}
        events += [{"ph": "X", "name": "aten::matmul", "pid": 2, "tid": 100, "ts": begin, "dur": 20.5, "cat": "cpu_op", "args": {"Sequence number": i}},
                   {"ph": "s", **flow, "pid": 2, "tid": 100, "ts": begin}, {"ph": "f", **flow, "pid": 4, "tid": 5, "ts": later},
                   {"ph": "X", "name": "MatMulV2", "pid": 4, "tid": 5, "ts": later, "dur": 15.25, "args": task},
                   {"ph": "X", "name": "Computing", "pid": 6, "tid": 0, "ts": later, "dur": 15.25}]
    events += [{"ph": "X", "name": "Wait", "pid": 4, "tid": 5, "ts": f"{micros + 60}.0", "dur": 1, "args": {"Task Type": "EVENT_WAIT", "Stream Id": 5}},
               {"ph": "X", "name": "memcpy", "pid": 4, "tid": 7, "ts": later, "dur": 2, "args": {"Task Type": "MEMCPY_ASYNC", "Stream Id": 7}}]
    path = f"{folder}/trace_view.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(events, file)
    return path


def test_tasks_are_work_of_the_device():
    with scratch() as folder:
        path = trace_of(folder)
        facts = json_of("info", path)
        assert (facts["gpu_activities"], facts["gpu_activities_with_launch"]) == (KERNELS + 1, KERNELS), facts
        rows = json_of("table", "kernels", path, "--by", "instance")
        kernels = [row for row in rows if row["name"] == "MatMulV2"]
        assert len(kernels) == KERNELS and {(row["stream"], row["operator"]) for row in kernels} == {(5, "aten::matmul")}, kernels[0]
        assert [row["duration_ns"] for row in kernels] == [15_250] * KERNELS
        assert sorted({row["name"] for row in rows}) == ["MatMulV2", "memcpy"], rows
        (breakdown,) = json_of("table", "breakdown", path)
        assert breakdown["compute_ns"] == KERNELS * 15_250 and breakdown["memory_ns"] == 2_000, breakdown
        (operator,) = [row for row in json_of("table", "operators", path) if row["name"] == "aten::matmul"]
        assert operator["device_total_by_launch_ns"] == KERNELS * 15_250, operator


run_all(globals())
