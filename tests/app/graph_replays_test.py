#!/usr/bin/env python3
"""Kernels of graph replays get the operators of the capture of their graph: --graph-capture."""
import json
import os

from program import error_of, json_of, run_all, scratch, traces_here

PAIRS = {
    "vllm_piecewise": ("graph/vllm_piecewise_capture.pt.trace.json.gz", "torch/vllm_graph_execution.json.gz"),
    "sglang_decode": ("graph/sglang_decode_capture.json.gz", "torch/mi300_sglang_decode_graph.json.gz"),
}
LAYERS = 40
KERNELS = ["_Z4gemmPfi", "void norm<__bf16>(int)", "void rope(float*)"]
OPERATORS = ["aten::mm", "aten::rms_norm", "custom::rope"]


def write(folder, name, events):
    path = f"{folder}/{name}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


def call(name, ts, dur, **args):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}


def capture(kernels=None, states_kernels=True, at=0, correlation=1000):
    """One graph: each layer is a module with three operators, each of which launches a kernel."""
    kernels = kernels or KERNELS * LAYERS
    events = [call("hipStreamBeginCapture", at, 1, correlation=correlation)]
    for layer in range(0, len(kernels), 3):
        begin = at + 10 + 100 * layer
        events.append({"ph": "X", "cat": "python_function", "name": f"nn.Module: Layer_{layer // 3}", "pid": 1, "tid": 1,
                       "ts": begin, "dur": 290, "args": {"Python id": correlation + layer}})
        for i, kernel in enumerate(kernels[layer:layer + 3]):
            ts = begin + 1 + 90 * i
            number = correlation + 1 + layer + i
            events.append({"ph": "X", "cat": "cpu_op", "name": OPERATORS[i], "pid": 1, "tid": 1, "ts": ts, "dur": 80,
                           "args": {"External id": number, "Input Dims": [[8, 16], [16, 8 + layer]], "Input type": ["float", "float"]}})
            stated = {"kernel": kernel} if states_kernels else {}
            events.append(call("hipLaunchKernel", ts + 10, 5, correlation=number, **stated))
    events.append(call("hipStreamEndCapture", at + 20 + 100 * len(kernels), 1, correlation=correlation + 900))
    return events


def replays(count, kernels=None, at=100_000):
    kernels = kernels or ["gemm(float*, int)", "void norm<__bf16>(int)", "void rope(float*)"] * LAYERS
    events = []
    for n in range(count):
        begin = at + n * 10_000
        events.append(call("hipGraphLaunch", begin, 20, correlation=n + 1))
        for i, name in enumerate(kernels):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 2, "tid": 3, "ts": begin + 30 + 10 * i, "dur": 2 + i % 3,
                           "args": {"device": 2, "stream": 3, "correlation": n + 1}})
    return events


def replays_of(*words):
    return json_of("info", *words)["graph_replays"]


def by_launch(*words):
    return {row["name"]: (row["device_self_by_launch_ns"], row["replayed_calls"], row["calls"])
            for row in json_of("table", "operators", *words) if row["kind"] == "cpu" and row["replayed_calls"]}


def counts(launches, kernels, **by):
    return {"launches": launches, "kernels": kernels,
            "by": {"graph id": 0, "order": by.get("order", 0), "name": by.get("name", 0), "none": by.get("none", 0)}}


def problems(*words):
    return [(w["count"], w["text"]) for w in json_of("info", *words)["warnings"] if w["code"] == "graph_replay_differs"]


def test_every_replayed_kernel_has_its_operator():
    with scratch() as folder:
        trace, graph = write(folder, "run", replays(3)), write(folder, "capture", capture())
        kernels = 3 * LAYERS
        assert replays_of(trace) == counts(3, 3 * kernels, none=3 * kernels)
        assert replays_of(trace, "--graph-capture", graph) == counts(3, 3 * kernels, order=3 * kernels)
        assert problems(trace, "--graph-capture", graph) == []
        expected = {name: (3 * LAYERS * 1000 * (2 + i), 3 * LAYERS, 0) for i, name in enumerate(OPERATORS)}
        assert by_launch(trace, "--graph-capture", graph) == expected
        assert by_launch(trace) == {}
        rows = json_of("table", "kernels", trace, "--by", "instance", "--graph-capture", graph)
        assert [row["operator"] for row in rows] == OPERATORS * LAYERS * 3
        assert {row["attributed_by"] for row in rows} == {"order"} and {row["unattributed"] for row in rows} == {None}
        alone = json_of("table", "kernels", trace, "--by", "instance")
        assert {row["unattributed"] for row in alone} == {"a graph replay launched it, and no capture of the graph is known"}
        shapes = json_of("table", "operators", trace, "--by", "shape", "--graph-capture", graph)
        assert sum(row["name"] == "aten::mm" for row in shapes) == LAYERS
        modules = json_of("table", "modules", trace, "--graph-capture", graph)
        assert [(row["module"], row["device_ns"], row["replayed_calls"], row["calls"]) for row in modules] == [
            (f"Layer_{i}", 3 * 9000, 3, 0) for i in range(LAYERS)]
        models = json_of("table", "models", trace, "--graph-capture", graph)
        assert any(row["operator"] == "aten::mm" for row in models), models


def test_a_capture_in_the_same_file():
    with scratch() as folder:
        trace = write(folder, "both", capture() + replays(2))
        assert replays_of(trace) == counts(2, 6 * LAYERS, order=6 * LAYERS)
        rows = {row["name"]: row for row in json_of("table", "operators", trace)}
        assert rows["aten::mm"]["calls"] == LAYERS and rows["aten::mm"]["replayed_calls"] == 2 * LAYERS
        assert rows["aten::mm"]["cpu_total_ns"] == LAYERS * 80_000


def test_differences_are_reported_and_the_rest_is_kept():
    names = ["gemm(float*, int)", "void norm<__bf16>(int)", "void rope(float*)"] * LAYERS
    kernels = len(names)
    changes = {
        "removed": (names[:50] + names[51:], counts(1, kernels - 1, name=kernels - 1), 0, 1),
        "added": (names[:50] + ["other"] + names[50:], counts(1, kernels + 1, name=kernels, none=1), 1, 0),
        "renamed": (names[:50] + ["other"] + names[51:], counts(1, kernels, name=kernels - 1, none=1), 1, 1),
        "swapped": (names[:50] + [names[51], names[50]] + names[52:], counts(1, kernels, name=kernels - 1, none=1), 1, 1),
        "without the last": (names[:-1], counts(1, kernels - 1, order=kernels - 1), 0, 1),
    }
    with scratch() as folder:
        graph = write(folder, "capture", capture())
        for what, (changed, expected, missing, unused) in changes.items():
            trace = write(folder, what, replays(1, changed))
            assert replays_of(trace, "--graph-capture", graph) == expected, what
            assert problems(trace, "--graph-capture", graph) == [
                (1, f"a graph replay and its capture: {missing} of {len(changed)} kernels, copies and sets have no "
                    f"captured launch, and {unused} captured launches have no kernel")], what


def test_a_capture_of_another_model_is_refused():
    with scratch() as folder:
        other = write(folder, "other", capture(["_Z4gemmPfi", "void softmax(float*)", "void relu(float*)"] * LAYERS))
        trace = write(folder, "run", replays(2))
        assert replays_of(trace, "--graph-capture", other) == counts(2, 6 * LAYERS, none=6 * LAYERS)
        assert problems(trace, "--graph-capture", other) == [
            (2, f"a graph replay and its capture: no captured graph has the same sequence of {3 * LAYERS} kernels, copies and sets")]
        right = write(folder, "right", capture())
        both = ("--graph-capture", other, "--graph-capture", right)
        assert replays_of(trace, *both) == counts(2, 6 * LAYERS, order=6 * LAYERS)
        assert replays_of(*both, trace) == counts(2, 6 * LAYERS, order=6 * LAYERS), "the option takes one file"


def test_calls_that_do_not_state_their_kernel_are_joined_by_number():
    with scratch() as folder:
        graph = write(folder, "capture", capture(states_kernels=False))
        assert replays_of(write(folder, "run", replays(2)), "--graph-capture", graph) == counts(2, 6 * LAYERS, order=6 * LAYERS)
        fewer = write(folder, "fewer", replays(1, ["gemm(float*, int)"] * (3 * LAYERS - 1)))
        assert replays_of(fewer, "--graph-capture", graph) == counts(1, 3 * LAYERS - 1, none=3 * LAYERS - 1)


def test_graphs_that_stand_one_after_another():
    """Equal layers are graphs of their own; each replay belongs to the next one."""
    with scratch() as folder:
        events = []
        for i in range(4):
            events += capture(KERNELS, at=1000 * i, correlation=2000 * (i + 1))
            events[-1]["ts"] = 1000 * i + 900
        for event in events:
            if event["name"].startswith("nn.Module"):
                event["name"] = f"nn.Module: Block_{int(event['ts']) // 1000}"
        graph = write(folder, "capture", events)
        trace = write(folder, "run", replays(8, ["gemm(float*, int)", "void norm<__bf16>(int)", "void rope(float*)"]))
        assert replays_of(trace, "--graph-capture", graph) == counts(8, 24, order=24)
        modules = json_of("table", "modules", trace, "--graph-capture", graph)
        assert [(row["module"], row["device_ns"]) for row in modules] == [(f"Block_{i}", 18_000) for i in range(4)], modules


def test_a_capture_that_cannot_be_read_is_named():
    with scratch() as folder:
        trace = write(folder, "run", replays(1))
        assert f"{folder}/none.json" in error_of("info", trace, "--graph-capture", f"{folder}/none.json", status=1)


def test_real_pairs_to_the_microsecond():
    for path in traces_here("graph/truth.json"):
        root = path.parents[1]
        with open(path, encoding="utf-8") as file:
            truth = json.load(file)
        for name, (graph, trace) in PAIRS.items():
            expected = truth[name]
            words = (root / trace, "--graph-capture", root / graph)
            assert replays_of(*words) == counts(expected["graph_launches"], expected["replayed"], order=expected["joined_in_order"]), name
            before = {row["name"]: row["device_self_by_launch_ns"] for row in json_of("table", "operators", root / trace) if row["kind"] == "cpu"}
            after = {row["name"]: row["device_self_by_launch_ns"] for row in json_of("table", "operators", *words) if row["kind"] == "cpu"}
            added = {op: after[op] - before.get(op, 0) for op in after if after[op] != before.get(op, 0)}
            assert added == {op: round(1000 * us) for op, us in expected["by_operator_us"].items()}, (name, added)


def test_captures_beside_the_trace_are_found():
    with scratch() as folder:
        run = write(folder, "run-rank0", replays(3))
        os.mkdir(f"{folder}/capture_traces")
        write(f"{folder}/capture_traces", "bs_1_rank0", capture())
        write(f"{folder}/capture_traces", "bs_1_rank1", capture(KERNELS[:2] * LAYERS))
        facts = json_of("info", run)
        assert facts["graph_replays"]["by"]["order"] == 3 * 3 * LAYERS, facts["graph_replays"]
        assert facts["graph_captures"] == [f"{folder}/capture_traces/bs_1_rank0.json"], facts["graph_captures"]
        with open(f"{folder}/capture_traces/bs_1_rank0.json", "w", encoding="utf-8") as file:
            file.write("no trace")
        facts = json_of("info", run)
        assert facts["graph_replays"]["by"]["none"] == 3 * 3 * LAYERS and facts["graph_captures"] == [], facts
        (warning,) = [w for w in facts["warnings"] if w["code"] == "graph_capture_not_read"]
        assert "bs_1_rank0.json" in warning["text"], warning


run_all(globals())
