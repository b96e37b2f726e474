#!/usr/bin/env python3
"""lanescope table steps, and ranges by step, end to end."""
from program import SAMPLES, error_of, json_of, real_trace, run_all, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
INFERENCE = SAMPLES / "torch_cpu/convnet_stack.json.gz"
PARTS = ["kernel_ns", "memcpy_ns", "memset_ns", "communication_ns", "runtime_ns", "data_loader_ns", "cpu_ns", "other_ns"]


def test_durations_and_outliers_of_profiler_steps():
    steps = json_of("table", "steps", real_trace("torch/v100_memory_nccl.json.gz"))
    assert [round(step["duration_ns"] / 1e6, 2) for step in steps] == [345.77, 365.26, 346.10, 344.27, 336.33]
    assert [step["index"] for step in steps if step["outlier"]] == [3]
    assert {step["source"] for step in steps} == {"profiler"}
    assert max(steps, key=lambda step: step["deviation"])["index"] == 3


def test_a_loop_without_marks_has_steps_by_its_data_loader():
    trace = real_trace("torch/rtx2080ti_resnet.json.gz")
    steps = json_of("table", "steps", trace)
    assert len(steps) == 30 and {step["source"] for step in steps} == {"data loader"}
    slow = max(steps, key=lambda step: step["data_loading_ns"])
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
