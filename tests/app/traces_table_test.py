#!/usr/bin/env python3
"""lanescope table traces, end to end: one row for each of several traces."""
import csv
import io
import json
import pathlib

from program import SAMPLES, error_of, json_of, real_trace, real_traces_of_pytorch, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def test_each_trace_has_a_row_in_the_given_order():
    rows = json_of("table", "traces", SYNTHETIC, TRANSFORMER)
    assert [row["file"] for row in rows] == [SYNTHETIC.name, TRANSFORMER.name]
    assert rows[0]["trace"] != rows[1]["trace"]
    assert list(csv.DictReader(io.StringIO(text_of("table", "traces", SYNTHETIC, TRANSFORMER, "--format", "csv"))))[1]["mfu"] == ""
    assert text_of("table", "traces", SYNTHETIC, TRANSFORMER, "--format", "md").count("\n") == 4


def test_its_figures_agree_with_the_other_tables():
    synthetic, transformer = json_of("table", "traces", SYNTHETIC, TRANSFORMER)
    for file, row in ((SYNTHETIC, synthetic), (TRANSFORMER, transformer)):
        steps = [step for step in json_of("table", "steps", file) if not step["warm_up"]]
        assert row["steps"] == len(steps)
        total = sum(step["time_ns"] for step in steps)
        assert abs(row["time_ns"] - total / len(steps)) < 1
        if file == SYNTHETIC:
            assert abs(row["busy_share_of_steps"] - sum(step["gpu_busy_ns"] for step in steps) / total) < 1e-9
            assert row["kernels"] == sum(step["kernels"] for step in steps) / len(steps)
    breakdown = json_of("table", "breakdown", SYNTHETIC)
    busy = sum(row["busy_ns"] for row in breakdown) / sum(row["span_ns"] for row in breakdown)
    assert abs(synthetic["busy_share_of_span"] - busy) < 1e-9
    by_step = {row["name"]: row for row in json_of("table", "models", SYNTHETIC, "--by", "step")}
    flops = [row["flop"] for name, row in by_step.items() if name != "all"]
    assert abs(synthetic["flop"] - sum(flops) / len(flops)) < 1
    # Without a GPU, its figures are missing instead of 0.
    for key in ("devices", "busy_share_of_steps", "busy_share_of_span", "hfu", "mfu", "kernels", "modelled"):
        assert transformer[key] is None, (key, transformer[key])
    peak = max(row["peak_allocated_bytes"] for row in json_of("table", "memory", TRANSFORMER))
    assert transformer["peak_memory_bytes"] == peak
    assert transformer["flop"] > 0


def convolution_trace(batch, micros):
    """A trace of three steps of `micros` µs, each with a 16-bit 3 × 3 convolution from 3 to 16 channels over 8 × 8 pixels."""
    events = []
    for step in range(3):
        at = 1000 * step
        events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": at, "dur": micros},
                   {"ph": "X", "cat": "cpu_op", "name": "aten::convolution", "pid": 1, "tid": 1, "ts": at + 5, "dur": 40,
                    "args": {"External id": step + 1, "Input Dims": [[batch, 3, 8, 8], [16, 3, 3, 3]] + [[]] * 7,
                             "Input type": ["c10::Half"] * 2 + ["", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"],
                             "Concrete Inputs": ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]}},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 5,
                    "args": {"correlation": step + 1}},
                   {"ph": "X", "cat": "kernel", "name": "convolve", "pid": 0, "tid": 7, "ts": at + 20, "dur": micros // 2,
                    "args": {"device": 0, "stream": 7, "correlation": step + 1}}]
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}], "traceEvents": events}


def test_throughput_and_utilisation_by_batch_size():
    with scratch() as folder:
        files = []
        for batch, micros in ((8, 100), (16, 120), (64, 300)):
            files.append(pathlib.Path(folder) / f"batch-{batch}.json")
            files[-1].write_text(json.dumps(convolution_trace(batch, micros)))
        rows = json_of("table", "traces", *files)
    assert [row["trace"] for row in rows] == ["batch-8", "batch-16", "batch-64"], rows
    for row, batch, micros in zip(rows, (8, 16, 64), (100, 120, 300)):
        flop = 2 * batch * 16 * 8 * 8 * 3 * 3 * 3
        assert row["samples_per_step"] == batch, row
        assert row["flop"] == flop, row
        assert row["steps"] == 3 and row["time_ns"] == 1000 * micros, row
        seconds = (2000 + micros) * 1e-6
        assert abs(row["steps_per_second"] / (3 / seconds) - 1) < 1e-9, row
        assert abs(row["samples_per_second"] / (3 * batch / seconds) - 1) < 1e-9, row
        # The peak is 989.4 TFLOP/s in 16 bits. Without a backward pass, HFU and MFU are equal.
        assert abs(row["hfu"] / (flop / (micros * 1e-6 * 989.4e12)) - 1) < 1e-3, row
        assert row["mfu"] == row["hfu"] and row["modelled"] == 1 and row["kernels"] == 1, row


def test_figures_of_real_traces():
    folder = real_trace("torch")
    v100, older, h100, mi300 = json_of("table", "traces", *(folder / f"{name}.json.gz" for name in (
        "v100_resnet50_2021", "resnet50_autograd_2020", "h100_qwen_chat", "mi300_qwen_chat")))
    # The same network and batch size; only one of the files names its device.
    assert v100["samples_per_step"] == older["samples_per_step"] == 32
    assert abs(v100["flop"] / older["flop"] - 1) < 1e-6
    assert older["hfu"] is None and older["mfu"] is None
    assert abs(v100["hfu"] / (v100["flop"] / (v100["time_ns"] * 1e-9 * 15.7e12)) - 1) < 1e-3, v100
    assert abs(v100["samples_per_second"] / (32 * v100["steps_per_second"]) - 1) < 1e-9
    # The same model on devices of two vendors. The batch size is unknown, because it is derived from convolutions.
    assert abs(h100["flop"] / mi300["flop"] - 1) < 0.01
    for row in (h100, mi300):
        assert row["samples_per_step"] is None and row["samples_per_second"] is None
        assert row["peak_memory_bytes"] > 2e9 and 0 < row["mfu"] < 1 and row["uncertain_peak"] == 0, row
    # Two ranks of one run.
    ranks = json_of("table", "traces", *(folder / "two_ranks" / f"rank-{rank}.json.gz" for rank in (0, 1)))
    assert [row["steps"] for row in ranks] == [2, 2] and all(row["flop"] > 0 and row["mfu"] is None for row in ranks), ranks


def test_a_range_applies_to_each_trace():
    whole = json_of("table", "traces", SYNTHETIC)[0]
    step = json_of("table", "steps", SYNTHETIC)[-1]
    rows = json_of("table", "traces", SYNTHETIC, SYNTHETIC, "--range", f"step:{step['index']}")
    assert len(rows) == 2 and rows[0]["trace"] != rows[1]["trace"]
    assert rows[0]["steps"] == 1 and rows[0]["time_ns"] == step["duration_ns"] and rows[0]["ci95_ns"] is None
    assert whole["steps"] > 1


def test_sort_and_top_select_rows():
    rows = json_of("table", "traces", SYNTHETIC, TRANSFORMER, "--sort", "time_ns")
    assert rows[0]["time_ns"] >= rows[1]["time_ns"]
    assert len(json_of("table", "traces", SYNTHETIC, TRANSFORMER, "--sort", "time_ns", "--top", "1")) == 1


def test_errors_name_their_cause():
    assert "no column" in error_of("table", "traces", SYNTHETIC, "--sort", "nothing", status=2)
    with scratch() as folder:
        assert "gone.json" in error_of("table", "traces", SYNTHETIC, folder + "/gone.json", status=1)
    assert "step" in error_of("table", "traces", TRANSFORMER, "--range", "step:999", status=2)
    assert "TRACE" in error_of("table", "traces", status=2)


def test_every_trace_has_its_row():
    files = [SYNTHETIC, *sorted(SAMPLES.glob("torch_cpu/*.json.gz")), *real_traces_of_pytorch(1 << 40)]
    rows = json_of("table", "traces", *files)
    assert len(rows) == len(files) == len({row["trace"] for row in rows})
    for row in rows:
        assert row["time_ns"] > 0, row
        for key in ("flop", "peak_memory_bytes", "steps", "kernels", "mfu", "hfu", "busy_share_of_span"):
            assert row[key] is None or row[key] > 0, (row["file"], key)


run_all(globals())
