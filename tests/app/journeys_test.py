#!/usr/bin/env python3
"""Typical questions of users, answered by tables on the command line. The expected answers were computed from the files
independently of lanescope."""
import gzip
import json

from program import SAMPLES, json_of, run_all, traces_here
from trace_times import gpu_spans, is_communication, length, without

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRAINING = "torch/v100_memory_nccl.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu/transformer_train_shapes_memory_flops.json.gz"


def milliseconds(nanos):
    return round(nanos / 1e6, 1)


def test_how_long_is_a_step_and_is_one_odd():
    known = [(SYNTHETIC, [("ProfilerStep#4", 1.62), ("ProfilerStep#5", 2.82), ("ProfilerStep#6", 2.59)], "ProfilerStep#6")]
    for trace in traces_here(TRAINING):
        known.append((trace, [("ProfilerStep#2", 345.77), ("ProfilerStep#3", 365.26), ("ProfilerStep#4", 346.10), ("ProfilerStep#5", 344.27),
                              ("ProfilerStep#6", 336.33)], "ProfilerStep#3"))
    for trace, milliseconds, odd in known:
        steps = json_of("table", "steps", trace)
        assert [(s["name"], round(s["duration_ns"] / 1e6, 2)) for s in steps] == milliseconds
        assert max(steps, key=lambda s: abs(s["deviation"]))["name"] == odd


def test_how_much_of_my_time_is_communication_and_how_much_is_exposed():
    communication = gpu_spans("synthetic_step", is_communication)
    computing = gpu_spans("synthetic_step", lambda e: e["cat"] == "kernel" and not is_communication(e))
    [gpu] = json_of("table", "breakdown", SYNTHETIC)
    assert gpu["busy_ns"] == length(gpu_spans("synthetic_step", lambda e: True))
    assert gpu["communication_ns"] == length(communication)
    assert gpu["exposed_communication_ns"] == without(communication, computing) > 0
    collectives = json_of("table", "collectives", SYNTHETIC)
    assert len(collectives) == 9 and {c["type"] for c in collectives} == {"all_reduce"}
    assert sum(c["duration_ns"] for c in collectives) == gpu["communication_ns"]
    for trace in traces_here(TRAINING):
        check_communication_of_training(trace)


def check_communication_of_training(trace):
    [gpu] = json_of("table", "breakdown", trace)
    assert milliseconds(gpu["busy_ns"]) == 1000.6
    assert milliseconds(gpu["communication_ns"]) == 357.3
    assert gpu["exposed_communication_ns"] == gpu["communication_ns"] and gpu["overlap"] == 0
    assert milliseconds(gpu["span_ns"]) == 1733.0 and round(100 * gpu["busy_ns"] / gpu["span_ns"], 1) == 57.7
    collectives = json_of("table", "collectives", trace)
    assert len(collectives) == 2020 and {c["type"] for c in collectives} == {"all_reduce"}
    assert sum(c["duration_ns"] for c in collectives) == gpu["communication_ns"]


def test_where_is_the_memory_peak_and_what_is_alive_there():
    with gzip.open(SYNTHETIC) as file:
        sizes = [e["args"]["Total Allocated"] for e in json.load(file)["traceEvents"]
                 if e["name"] == "[memory]" and e["args"]["Device Type"] == 1]
    known = [(SYNTHETIC, "GPU 0", max(sizes), "aten::addmm")]
    known += [(trace, "GPU 1", 6_629_508_096, "aten::mm") for trace in traces_here(TRAINING)]
    for trace, device, peak, holder in known:
        gpu = {row["device"]: row for row in json_of("table", "memory", trace)}[device]
        assert gpu["peak_allocated_bytes"] == peak
        alive = [row for row in json_of("table", "memory", trace, "--by", "operator") if row["device"] == device]
        assert alive[0]["operator"] == holder
        assert gpu["earlier_bytes"] + sum(row["at_peak_bytes"] for row in alive) == gpu["peak_allocated_bytes"]
        blocks = [row for row in json_of("table", "memory", trace, "--by", "largest") if row["at_peak"] and row["device"] == device]
        assert sum(row["size_bytes"] for row in blocks) == sum(row["at_peak_bytes"] for row in alive)


def test_which_operator_costs_most_on_the_cpu_with_which_shapes():
    expected = json.loads((SAMPLES / "torch_cpu/transformer_train_shapes_memory_flops.table.json").read_text())["tables"]
    for rows, *form in ((expected["by_name"],), (expected["by_shape"], "--by", "shape")):
        first = max(rows, key=lambda r: r["self_cpu_us"])
        ours = json_of("table", "operators", TRANSFORMER, "--sort", "cpu_self_ns", *form)[0]
        assert (ours["name"], ours["cpu_self_ns"]) == (first["name"], round(1000 * first["self_cpu_us"])), (ours, first)
        assert ours.get("input_shapes", "None") == str(first["shapes"]), (ours, first)
    steps = json_of("table", "steps", TRANSFORMER)
    assert [round(s["duration_ns"] / 1e6, 2) for s in steps] == [7.74, 7.68, 7.11, 7.47]
    [cpu] = json_of("table", "memory", TRANSFORMER)
    assert cpu["peak_allocated_bytes"] == 1_364_632


def layers_of_decode(capture, replay):
    """GPU time by decoder layer: the n-th captured launch is the n-th kernel of the one graph launch."""
    def events_of(path):
        with gzip.open(path) as file:
            return [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]

    captured = events_of(capture)
    (begin,) = [e["ts"] for e in captured if e["name"] == "hipStreamBeginCapture"]
    (end,) = [e["ts"] for e in captured if e["name"] == "hipStreamEndCapture"]
    launches = sorted(e["ts"] for e in captured if "LaunchKernel" in e["name"] and begin < e["ts"] < end)
    layers = [e for e in captured if "DecoderLayer" in e["name"] and e["cat"] == "python_function"]
    kernels = [e for e in events_of(replay) if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    graph = max((e["args"]["correlation"] for e in kernels), key=lambda c: sum(e["args"]["correlation"] == c for e in kernels))
    replayed = sorted((e for e in kernels if e["args"]["correlation"] == graph), key=lambda e: e["ts"])
    assert len(replayed) == len(launches) == 544, (len(replayed), len(launches))
    times = {}
    for ts, kernel in zip(launches, replayed):
        for layer in layers:
            if layer["ts"] <= ts < layer["ts"] + layer["dur"]:
                name = layer["name"].removeprefix("nn.Module: ")
                times[name] = times.get(name, 0) + round(1000 * kernel["dur"])
    return times


def test_which_layer_of_my_decode_step_costs_most_and_what_could_it_cost():
    for capture in traces_here("graph/sglang_decode_capture.json.gz"):
        replay = capture.parents[1] / "torch" / "mi300_sglang_decode_graph.json.gz"
        rows = {row["module"]: row for row in json_of("table", "modules", replay, "--graph-capture", capture) if "DecoderLayer" in row["module"]}
        expected = layers_of_decode(capture, replay)
        assert len(expected) == 36 and {name: row["device_ns"] for name, row in rows.items()} == expected
        longest = max(expected, key=expected.get)
        row = rows[longest]
        assert longest == "Qwen3DecoderLayer_7" and 0 < row["floor_ns"] < row["device_ns"], row
        # Its weights, 193 million in bf16, are read once at 5.3 TB/s; other kernels with a floor move little.
        weights = 2 * row["parameters"] / 5.3e3
        assert weights < row["floor_ns"] < 1.1 * weights, (weights, row)


def test_how_much_of_the_step_is_communication_of_which_library():
    for path in traces_here("torch/b200_eager_rank0.json.gz"):
        rows = json_of("table", "breakdown", path, "--by", "group")
        communication = {row["group"]: row["time_ns"] for row in rows if row["group"].startswith("communication") and not row["with_group"]}
        with gzip.open(path) as file:
            kernels = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "kernel"]
        sums = {"communication: symmetric memory": "multimem_all_reduce", "communication: NCCL": "ncclDevKernel"}
        assert communication == {group: sum(round(1000 * e["dur"]) for e in kernels if part in e["name"]) for group, part in sums.items()}


if __name__ == "__main__":
    run_all(globals())
