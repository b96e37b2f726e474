#!/usr/bin/env python3
"""lanescope compare, end to end. Figures are compared with those that this file computes from the traces by itself."""
import gzip
import json
import pathlib
import random
import statistics

from compare_runs import Run, exact_p, real, steps
from device_times import device_spans, events_of, span
from program import SAMPLES, and_real, error_of, has_real_traces, json_of, lanescope, real_trace, run_all, scratch, text_of, traces_here
from trace_times import common, length, union
from made_traces import made_ranks  # noqa: E402  in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def test_medians_ratio_and_p_of_steps():
    a = [1000, 1010, 1003, 1001, 1007, 1006]
    b = [1100, 1002, 1111, 1103, 1108, 1107, 1113]
    with scratch() as folder:
        one = json_of("compare", steps(folder, "a.json", a), steps(folder, "b.json", b))
    step = one["step"]
    assert step["kind"] == "step" and one["comparable"] is True
    assert step["a_ns"] == statistics.median(a) * 1000 and step["b_ns"] == statistics.median(b) * 1000
    assert step["difference_ns"] == step["b_ns"] - step["a_ns"]
    assert abs(step["ratio"] - step["b_ns"] / step["a_ns"]) < 1e-9
    assert abs(step["p"] - exact_p(a, b)) < 1e-9, (step["p"], exact_p(a, b))
    assert step["ratio_low"] <= step["ratio"] <= step["ratio_high"]
    # A bootstrap of our own agrees with the interval's ends.
    draw = random.Random(1)
    ratios = sorted(statistics.median(draw.choices(b, k=len(b))) / statistics.median(draw.choices(a, k=len(a)))
                    for _ in range(20000))
    assert abs(step["ratio_low"] - ratios[500]) < 0.02 and abs(step["ratio_high"] - ratios[19499]) < 0.02
    rows = {row["function"]: row for row in one["rows"]}
    assert rows["aten::mm"]["a_ns"] == (statistics.median(a) - 200) * 1000
    assert rows["aten::mm"]["b_ns"] == (statistics.median(b) - 200) * 1000
    assert rows["aten::mm"]["a_gpu_ns"] == 100_000 and rows["aten::mm"]["a_calls"] == 1
    assert rows["(outside of functions)"]["a_ns"] == 200_000
    # Two functions are tested.
    assert rows["aten::mm"]["p"] == step["p"] and abs(rows["aten::mm"]["p_holm"] - 2 * step["p"]) < 1e-12


def test_the_rows_add_up_to_the_step():
    for a, b in ((SYNTHETIC, SYNTHETIC), (SYNTHETIC, TRANSFORMER)):
        for top in ("0", "3", "20"):
            one = json_of("compare", a, b, "--top", top)
            if not one["comparable"]:
                continue
            for key in ("a_ns", "b_ns", "difference_ns"):
                assert abs(sum(row[key] for row in one["rows"]) - one["step"][key]) < 1, (a, b, top, key)
            assert one["rows"][-1]["kind"] == "remainder"
            if top == "3":
                assert [row["kind"] for row in one["rows"]].count("function") == 3


def busy_of(path):
    """For each ProfilerStep, the time in which a kernel, copy or set runs: in the step, or in its time on a GPU that is behind."""
    events = [e for e in events_of(path) if e.get("ph") == "X"]
    busy = union(span(e) for e in events if e.get("cat", "").lower() in ("kernel", "gpu_memcpy", "gpu_memset"))
    if json_of("summary", path)["steps"]["pace"] == "behind":
        return [length(common(busy, [step])) for step in device_spans(path)]
    marks = [e for e in events if e["name"].startswith("ProfilerStep#") and e.get("cat") == "user_annotation"]
    return [length(common(busy, [span(mark)])) for mark in marks]


def test_gpu_time():
    for path in (SYNTHETIC, *traces_here("torch/a100_train_before.json.gz", "torch/v100_memory_nccl.json.gz")):
        one = json_of("compare", path, path, "--top", "0")
        assert one["step"]["a_samples"] == len(busy_of(path))
        assert abs(one["step"]["a_gpu_ns"] - statistics.median(busy_of(path))) < 1, path


def test_two_ranks_of_one_run():
    with scratch() as folder:
        pairs = [made_ranks(folder)]
        if has_real_traces():
            pairs.append([real(f"torch/two_ranks/rank-{rank}") for rank in (0, 1)])
        for ranks in pairs:
            one = json_of("compare", *ranks)
            assert one["comparable"] and one["step"]["verdict"] == "too few"
            different = {fact["fact"] for fact in one["facts"] if fact["differs"]}
            assert {"rank"} <= different <= {"rank", "functions with other input shapes"}, different
            assert abs(one["step"]["ratio"] - 1) < 0.05


def test_every_trace_equals_itself():
    folders = ("torch", "torch/two_ranks", "torch_cpu", "chrome", "chrome/edge")
    paths = [path for folder in (SAMPLES, SAMPLES / "torch_cpu", *map(real_trace, and_real(*folders)))
             for path in sorted(folder.glob("*.json*")) if not path.name.endswith(".table.json")]
    compared = 0
    for path in paths:
        run = lanescope("compare", path, path, "--format", "json", "--top", "0", "--fail-over", "0%")
        if run.returncode == 1:  # damaged on purpose
            continue
        assert run.returncode == 0, (path, run)
        one = json.loads(run.stdout)
        assert not any(fact["differs"] for fact in one["facts"]), path
        if not one["comparable"]:
            continue
        compared += 1
        for row in [one["step"], *one["rows"]]:
            assert row["difference_ns"] == 0 and row["verdict"] in ("same", None), (path, row)
            assert row["p"] in (1, None), (path, row)
        assert one["gate"]["outcome"] in ("passed", "not judged")
    assert compared > (50 if has_real_traces() else 5), compared


def test_a_trace_and_its_half():
    """The first half of its steps is as fast as all."""
    check_half(SAMPLES / "torch_cpu" / "on_demand.json.gz", "Optimizer.step#", 41)
    for path in traces_here("torch/rtx2080ti_resnet.json.gz"):
        check_half(path, "enumerate(DataLoader)", 16)


def check_half(path, mark, steps):
    with gzip.open(path) as file:
        whole = json.load(file)
    end = sorted(e["ts"] for e in whole["traceEvents"] if e.get("ph") == "X" and e["name"].startswith(mark))[steps]
    whole["traceEvents"] = [e for e in whole["traceEvents"] if e.get("ph") == "M" or float(e.get("ts", 0)) < end]
    with scratch() as folder:
        half = pathlib.Path(folder) / "half.json"
        half.write_text(json.dumps(whole))
        one = json_of("compare", path, half, "--fail-over", "20%")
    samples = {fact["fact"]: fact for fact in one["facts"]}["samples"]
    assert samples["a"] != samples["b"], samples
    assert one["gate"]["outcome"] == "passed", one["gate"]
    assert one["step"]["verdict"] in ("same", "unclear"), one["step"]
    assert not [r for r in one["rows"] if r["verdict"] in ("slower", "faster")], one["rows"]


def test_the_gate():
    fast, slow = [1000 + i for i in range(8)], [1200 + i for i in range(8)]
    with scratch() as folder:
        a, b = steps(folder, "a.json", fast), steps(folder, "b.json", slow)
        few = steps(folder, "few.json", slow[:4])
        gate = lambda *words, status: text_of("compare", *words, status=status)
        assert "Gate: failed" in gate(a, b, "--fail-over", "5%", status=3)
        assert "Gate: passed" in gate(a, b, "--fail-over", "25%", status=0)
        assert "Gate: passed" in gate(b, a, "--fail-over", "0%", status=0)
        assert "Gate: passed" in gate(a, a, "--fail-over", "0", status=0)
        assert "Gate: failed" in gate(a, b, "--fail-over", "5%", "--row", "aten::mm", status=3)
        assert "Gate: passed" in gate(a, b, "--fail-over", "5%", "--row", "(outside of functions)", status=0)
        assert "Gate: not judged" in gate(a, few, "--fail-over", "5%", status=0)
        assert "Gate: not judged" in gate(a, few, "--fail-over", "5%", "--strict", status=3)
        assert "5 is not a share: write 5% or 0.05" in lanescope("compare", a, b, "--fail-over", "5").stderr.decode()
        assert "no function is named nothing" in error_of("compare", a, b, "--fail-over", "5%", "--row", "nothing", status=2)
        assert "aten::mm" in error_of("compare", a, b, "--fail-over", "5%", "--row", "mm", status=2)
        result = json.loads(text_of("compare", a, b, "--fail-over", "5%", "--format", "json", status=3))["gate"]
        assert result["outcome"] == "failed" and result["threshold"] == 0.05 and abs(result["p"] - exact_p(fast, slow)) < 1e-9
        assert "Gate: failed" in gate(a, b, "--fail-over", "5%", "--format", "md", status=3)
        # B is fast enough, C is not.
        assert gate(a, a, b, "--fail-over", "5%", status=3).count("Gate:") == 2


def test_a_baseline_of_runs():
    with scratch() as folder:
        runs = [steps(folder, f"run{i}.json", [1000 + i, 1002 + i, 1001 + i]) for i in range(5)]
        usual, slow = steps(folder, "usual.json", [1003] * 3), steps(folder, "slow.json", [1300] * 3)
        one = json_of("compare", usual, "--baseline", *runs)
        assert one["runs_a"] == 5 and one["step"]["a_samples"] == 5 and one["step"]["a_ns"] == 1_003_000
        text_of("compare", usual, "--fail-over", "1%", "--baseline", *runs)
        text_of("compare", slow, "--fail-over", "1%", "--baseline", *runs, status=3)
        assert "at least 5 runs" in error_of("compare", usual, "--baseline", *runs[:4], status=2)
        assert "new run" in error_of("compare", "--baseline", *runs, status=2)
        # An output never replaces one of them.
        error_of("compare", usual, "-o", runs[0], "--baseline", *runs, status=1)
        assert json.loads(runs[0].read_text())["traceEvents"]


def test_eager_and_compiled():
    """Three operators of a module, and one region that fuses them."""
    def eager(run, at):
        run.add("python_function", "nn.Module: Net_0", at + 100, at + 700)
        for i, name in enumerate(("aten::layer_norm", "aten::gelu", "aten::add")):
            run.op(name, at + 150 + 100 * i, at + 170 + 100 * i, [(name, at + 180 + 100 * i, at + 240 + 100 * i)])
        run.op("aten::mm", at + 500, at + 520, [("gemm", at + 530, at + 630)])

    def compiled(run, at):
        run.add("python_function", "nn.Module: Net_0", at + 100, at + 700)
        run.op("Torch-Compiled Region: 0/0", at + 150, at + 170, [("triton_fused", at + 180, at + 250)])
        run.op("aten::mm", at + 500, at + 520, [("sm90_gemm", at + 530, at + 630)])

    with scratch() as folder:
        paths = []
        for name, body in (("eager.json", eager), ("compiled.json", compiled)):
            run = Run()
            for i in range(6):
                run.add("user_annotation", f"ProfilerStep#{i}", 1000 * i, 1000 * i + 1000)
                body(run, 1000 * i)
            paths.append(run.save(folder, name))
        rows = {row["function"]: row for row in json_of("compare", *paths)["rows"]}
    fused = rows["aten::layer_norm + aten::gelu + aten::add → Torch-Compiled Region: 0/0"]
    assert fused["verdict"] == "fused" and fused["path"] == "nn.Module: Net_0"
    # The 10 us between an operator and its kernel, in which nothing runs, are the module's.
    assert fused["a_ns"] == 3 * 80_000 and fused["b_ns"] == 90_000
    assert rows["aten::mm"]["verdict"] == "same" and rows["aten::mm"]["a_inside"].startswith("gemm")
    assert rows["aten::mm"]["b_inside"].startswith("sm90_gemm")


def test_functions_without_a_row_of_their_own():
    all_rows, few = (json_of("compare", SYNTHETIC, SYNTHETIC, "--top", top)["rows"] for top in ("0", "3"))
    others = [row for row in few if row["kind"] == "others"]
    left = [row for row in all_rows if row["kind"] in ("function", "others")]
    shown = [row for row in few if row["kind"] == "function"]
    assert len(others) == 1 and len(shown) == 3, few
    assert others[0]["function"] == f"{sum(row['places'] for row in left) - sum(row['places'] for row in shown)} other functions"
    assert others[0]["verdict"] is None and others[0]["p"] is None and others[0]["a_ns"] > 0


run_all(globals())
