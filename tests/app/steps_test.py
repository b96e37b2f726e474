#!/usr/bin/env python3
"""lanescope table steps, and ranges by step, end to end."""
from compare_runs import Run, steps
from program import SAMPLES, error_of, json_of, run_all, scratch, text_of, traces_here
from trace_times import events_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
INFERENCE = SAMPLES / "torch_cpu/convnet_stack.json.gz"
PARTS = ["kernel_ns", "memcpy_ns", "memset_ns", "communication_ns", "runtime_ns", "data_loader_ns", "cpu_ns", "other_ns"]


def test_durations_and_outliers_of_profiler_steps():
    marks = [e for e in events_of("synthetic_step") if e["name"].startswith("ProfilerStep#") and e["cat"] == "user_annotation"]
    check_steps(SYNTHETIC, [round(e["dur"] / 1e3, 2) for e in marks], None, 5)
    for trace in traces_here("torch/v100_memory_nccl.json.gz"):
        check_steps(trace, [345.77, 365.26, 346.10, 344.27, 336.33], 3, 3)
    with scratch() as folder:
        check_steps(steps(folder, "odd.json", [1000, 1002, 1001, 2000, 1003, 1000]), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0], 3, 3)


def check_steps(trace, milliseconds, outlier, longest):
    found = json_of("table", "steps", trace)
    assert [round(step["duration_ns"] / 1e6, 2) for step in found] == milliseconds
    assert [step["index"] for step in found if step["outlier"]] == ([] if outlier is None else [outlier])
    assert {step["source"] for step in found} == {"profiler"}
    assert max(found, key=lambda step: step["deviation"])["index"] == longest


def test_a_loop_without_marks_has_steps_by_its_data_loader():
    with scratch() as folder:
        run = Run()
        for begin in range(0, 8000, 1000):
            run.add("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, begin + 600 + begin // 100)
            run.op("aten::mm", begin + 700, begin + 800, [("gemm", begin + 710, begin + 900)])
        check_steps_of_loader(run.save(folder, "loop.json"), 8)
    for trace in traces_here("torch/rtx2080ti_resnet.json.gz"):
        check_steps_of_loader(trace, 30)


def check_steps_of_loader(trace, count):
    found = json_of("table", "steps", trace)
    assert len(found) == count and {step["source"] for step in found} == {"data loader"}, found
    slow = max(found, key=lambda step: step["data_loading_ns"])
    assert slow["bound"] == "input", slow
    lane = json_of("table", "lanes", trace, "--range", f"step:{slow['index']}", "--sort", "busy_ns", "--top", "1")[0]
    assert lane["busy_ns"] <= slow["duration_ns"]


def test_a_range_by_step_equals_the_steps_time_range():
    for trace in [SYNTHETIC, INFERENCE]:
        for step in json_of("table", "steps", trace):
            span = f"{step['start_ns']}ns..{step['start_ns'] + step['duration_ns']}ns"
            by_number = text_of("table", "operators", trace, "--range", f"step:{step['index']}", "--format", "csv")
            assert by_number == text_of("table", "operators", trace, "--range", span, "--format", "csv")
    assert "it has 0, 1, 2." in error_of("table", "lanes", INFERENCE, "--range", "step:3", status=2)


def test_unnamed_steps_are_numbered():
    rows = json_of("table", "operators", INFERENCE, "--by", "step")
    assert {"step 0", "step 1", "step 2"} <= {row["step"] for row in rows}


def test_a_breakdown_adds_up_to_the_steps_duration():
    for trace in [SYNTHETIC, INFERENCE]:
        rows = json_of("table", "steps", trace, "--by", "breakdown")
        assert [row["index"] for row in rows] == [row["index"] for row in json_of("table", "steps", trace)]
        for row in rows:
            assert sum(row[part] for part in PARTS) == row["duration_ns"], row
    assert all(row["kernel_ns"] == 0 for row in rows)  # the last trace has no GPU


run_all(globals())
