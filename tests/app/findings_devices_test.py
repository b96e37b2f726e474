#!/usr/bin/env python3
"""Tests findings on several devices: one finding for devices that lose time alike, none for a device outside of steps, and wording
that fits the framework and the kind of device."""
import json

from program import json_of, run_all, scratch, text_of, traces_here

STEPS, STEP = 6, 1000  # microseconds


def event(category, name, pid, tid, begin, length, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin, "dur": length, "args": args}


def made(folder, busy, outside=()):
    """A trace of steps with the given busy time of each GPU in microseconds, and of GPUs that work only before the first step."""
    events, launch = [], 0

    def kernel(device, begin, length):
        nonlocal launch
        launch += 1
        events.append(event("cpu_op", "aten::mm", 100, 1, begin - 5, 4, **{"External id": launch}))
        events.append(event("cuda_runtime", "cudaLaunchKernel", 100, 1, begin - 4, 2, correlation=launch, **{"External id": launch}))
        events.append(event("kernel", "gemm", device, 7, begin, length, device=device, stream=7, correlation=launch, **{"External id": launch}))

    for device in outside:
        for i in range(40):
            kernel(device, -9000 + 100 * i, 90)
        kernel(device, STEP * STEPS + 5000, 90)
    for step in range(STEPS):
        events.append(event("user_annotation", f"ProfilerStep#{step + 1}", 100, 1, STEP * step, STEP))
        for device, length in busy.items():
            kernel(device, STEP * step + 100 + 10 * device, length / 2)
            kernel(device, STEP * step + 900 - length / 2 + device, length / 2)
    path = f"{folder}/made.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
    return path


def bound(path):
    return [finding for finding in json_of("findings", path) if finding["id"] == "overhead-bound"]


def test_one_finding_speaks_for_gpus_that_lose_time_alike():
    with scratch() as folder:
        path = made(folder, {0: 200, 1: 210, 2: 190, 3: 600})
        alike, other = bound(path)
        assert alike["device"] == "GPU 2" and [other["device"] for other in alike["also_on"]] == ["GPU 0", "GPU 1"], alike
        costs = {one["device"]: one["cost_ns"] / 1e3 for one in (alike, *alike["also_on"])}
        assert all(abs(costs[f"GPU {device}"] - STEPS * (STEP - busy)) < 10 for device, busy in ((0, 200), (1, 210), (2, 190))), costs
        assert other["device"] == "GPU 3" and other["also_on"] == [], other
        assert any("2 more GPUs lose" in evidence["text"] for evidence in alike["evidence"])
        text = text_of("findings", path)
        assert "GPU 2 and 2 more" in text and all(f"GPU {device}: a step takes 1 ms" in text for device in range(4)), text
        assert "torch.compile" in alike["advice"]
        # Two GPUs give two findings.
        assert [finding["also_on"] for finding in bound(made(folder, {0: 200, 1: 210}))] == [[], []]


def test_shares_are_those_of_the_other_gpus():
    with scratch() as folder:
        alike, = bound(made(folder, {0: 200, 1: 280, 2: 280}))
        text, = [evidence for evidence in alike["evidence"] if "more GPUs lose" in evidence["text"]]
        assert alike["device"] == "GPU 0" and text["text"].startswith("2 more GPUs lose 7") and " to " not in text["text"], text


def test_a_gpu_that_no_step_uses_is_not_looked_at():
    with scratch() as folder:
        path = made(folder, {0: 200}, outside=(1,))
        assert [finding["device"] for finding in bound(path)] == ["GPU 0"]
        assert "GPU 1: its work is in no step, and is not looked at." in text_of("findings", path)


def test_real_profiles_of_other_frameworks():
    for path in traces_here("xplane/mi300_jax_conv.xplane.pb", "xplane/tf_gpu_worker.xplane.pb", "more/xplane/tpu_inference_2.xplane.pb"):
        findings = json_of("findings", path)
        assert findings and not any("torch" in finding["advice"] for finding in findings), path
        assert "python-overhead" not in {finding["id"] for finding in findings}, path
        if "tpu" in path.name:
            assert [(finding["device"], sorted(other["device"] for other in finding["also_on"])) for finding in findings] == \
                [("TPU 0", ["TPU 1", "TPU 2", "TPU 3"])], findings
            for text in (text_of("findings", path), text_of("summary", path)):
                assert "TPU" in text and "GPU" not in text.replace("no GPU", ""), text
        if "tf_gpu" in path.name:
            assert {finding["device"] for finding in findings if finding["device"]} == {"GPU 4"}, findings
            assert "GPU 6: its work is in no step" in text_of("findings", path)


run_all(globals())
