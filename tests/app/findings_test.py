#!/usr/bin/env python3
"""lanescope findings, end to end. Costs are compared with figures that this file computes from the trace by itself."""
import csv
import io
import json

from compare_runs import steps
from device_times import device_spans
from program import SAMPLES, and_real, error_of, has_real_traces, json_of, real_trace, run_all, scratch, text_of, traces_here
from trace_times import check_cost, findings_of, gpu_spans, is_communication, length, steps_of, trace_of, union, without, common

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def test_exposed_communication_equals_the_files():
    for name in ("synthetic_step", *and_real("v100_memory_nccl", "a100_train_before", "a100_rank0_of16")):
        steps = steps_of(name)
        # The GPUs of two traces are behind: their steps are those on the GPU. In one, the first is warm-up.
        if name in ("synthetic_step", "a100_rank0_of16"):
            steps = union(device_spans(trace_of(name))[1 if name == "a100_rank0_of16" else 0:])
        communication = common(gpu_spans(name, is_communication), steps)
        computing = gpu_spans(name, lambda e: e["cat"] == "kernel" and not is_communication(e))
        check_cost(findings_of(name)["comm-exposed"], without(communication, computing), length(steps))


def test_idle_time_of_the_host_equals_the_files():
    # In these traces nearly all idle time has this cause, and no data loader runs.
    with scratch() as folder:
        for name in (steps(folder, "late.json", [1000] * 6), *and_real("h100_bert_small", "v100_memory_nccl")):
            idle = without(steps_of(name), gpu_spans(name, lambda e: True))
            finding = findings_of(name)["overhead-bound"]
            assert 0.95 * idle <= finding["cost_ns"] <= idle, (name, finding["cost_ns"], idle)


def test_softmaxes_of_attention():
    for name in ("synthetic_step", *and_real("h100_owlv2_shapes_stack_memory")):
        finding = findings_of(name, "--threshold", "unfused-attention.min_share=0", "--min-share", "0")["unfused-attention"]
        softmax = gpu_spans(name, lambda e: "softmax" in e["name"].lower() and "backward" not in e["name"].lower())
        # Nearly all of these softmaxes are attention's.
        assert 0.97 * length(softmax) <= finding["cost_ns"] <= length(softmax), (name, finding)
        assert finding["confidence"] == "likely"


def test_matrix_kernels_and_waits_of_a_detector():
    name = "h100_owlv2_shapes_stack_memory"
    found = findings_of(name)
    unaligned = gpu_spans(name, lambda e: "gemm" in e["name"] and ("_align1" in e["name"] or "_align2" in e["name"]))
    assert abs(found["unaligned-gemm"]["cost_ns"] - length(unaligned)) <= 0.002 * length(unaligned), found["unaligned-gemm"]
    # Behind its waits the data loader works: that time counts for the loader alone.
    assert found["sync-in-step"]["cost_ns"] is None and "calls wait for the GPU" in found["sync-in-step"]["title"], found


def test_copies_of_unpinned_memory():
    for name in ("synthetic_step", *and_real("a100_alexnet_sync")):
        found = findings_of(name, "--min-share", "0", "--threshold", "pageable-copies.min_share=0")
        copies = gpu_spans(name, lambda e: e["cat"] == "gpu_memcpy" and "Pageable" in e["name"])
        others = gpu_spans(name, lambda e: e["cat"] != "gpu_memcpy")
        assert found["pageable-copies"]["cost_ns"] == without(copies, others) > 0, (name, found["pageable-copies"])


def test_the_first_convolution_loads_code_and_allocates():
    finding = findings_of("a100_alexnet_sync")["first-step-costs"]
    text = json.dumps(finding["evidence"])
    assert "5 calls of cudaFree" in text and "1 call of cudaLaunchKernel that loads its kernel" in text, text
    assert finding["where"]["name"] == "cudaFree" and abs(finding["where"]["duration_ns"] - 6.009e9) < 1e6, finding["where"]
    assert finding["part_of"] == "overhead-bound"


def test_the_data_loader_and_odd_steps():
    found = findings_of("rtx2080ti_resnet")
    assert list(found)[0] == "dataloader-wait" and found["dataloader-wait"]["severity"] == "high", list(found)
    assert found["step-outlier"]["part_of"] == "dataloader-wait", found["step-outlier"]
    odd = findings_of("v100_memory_nccl")["step-outlier"]
    assert odd["where"]["name"] == "ProfilerStep#3" and "host" in odd["title"], odd


def test_what_a_file_lacks_for_certain_and_what_it_may_lack():
    titles = {"convnet_stack": "Not recorded: GPU work",
              "transformer_train_shapes_memory_flops": "Not recorded: GPU work, Python stacks and modules"}
    if has_real_traces():
        titles["rtx3090_vllm.pt.trace"] = "Not recorded: input shapes, memory"
        # Its step begins with the data loader, so nothing shows that GPU work is missing there.
        titles["h100_owlv2_shapes_stack_memory"] = "GPU work at the begin or the end of the steps may be missing"
    assert {name: findings_of(name)["trace-problems"]["title"] for name in titles} == titles
    assert "trace-problems" not in findings_of("synthetic_step")


def test_rules_that_must_not_fire():
    # A kernel that chooses experts, whose template names a softmax.
    assert "unfused-attention" not in findings_of("b300_sglang_overlapping_kernels")
    small = {"elementwise-chains", "dtype-casts", "redundant-copies"}
    for name, rules in (("v100_ns_absolute_ts", {"no-tensor-cores"}), ("mi300_qwen_chat", small), ("h100_qwen_chat", small)):
        costs = {rule for rule, finding in findings_of(name).items() if finding["cost_ns"]}
        assert costs == rules, (name, costs)
    text = text_of("findings", trace_of("mi300_qwen_chat"), "--min-share", "50%")
    assert "busy for 90.6 %" in text and "no finding above 50.0 %" in text, text


def test_every_trace_gives_findings_that_add_up():
    seen = 0
    folders = (SAMPLES, SAMPLES / "torch_cpu", *map(real_trace, and_real("torch", "torch_cpu")))
    for trace in (path for folder in folders for path in sorted(folder.glob("*.json.gz"))):
        findings = json_of("findings", trace)
        keys = [(f["id"], one["device"]) for f in findings for one in (f, *f["also_on"])]
        assert len(set(keys)) == len(keys), (trace.name, keys)
        costs = [f["cost_ns"] for f in findings if f["cost_ns"] is not None]
        assert costs == sorted(costs, reverse=True), (trace.name, costs)
        assert all(f["part_of"] in [i for i, d in keys if d == f["device"]] for f in findings if f["part_of"]), trace.name
        assert all(f["advice"] and f["evidence"] for f in findings), trace.name
        seen += len(findings)
    assert seen > (60 if has_real_traces() else 10), seen


def test_places_have_the_ids_of_slices_in_sql():
    checked = 0
    for trace in (SYNTHETIC, *traces_here("torch/a100_rank0_of16.json.gz", "torch/two_ranks/rank-0.json.gz")):
        places = [place for finding in json_of("findings", trace) for place in finding["places"]]
        with_id = {place["slice_id"]: place for place in places if place["slice_id"] is not None}
        ranges = [place for place in places if place["slice_id"] is None]
        assert all(place["name"].startswith(("idle", "ProfilerStep", "GPU ")) or place["lane"] is None for place in ranges), ranges
        ids = ",".join(str(i) for i in with_id)
        rows = json.loads(text_of("sql", trace, f"select id, name, ts - trace_start() as ts, dur from slice where id in ({ids})",
                                  "--format", "json"))
        assert {row["id"] for row in rows} == set(with_id) and rows, (trace, rows)
        for row in rows:
            place = with_id[row["id"]]
            assert row["name"] == place["name"] and row["dur"] == place["duration_ns"], (row, place)
            assert row["ts"] == place["start_ns"], (row, place)
        checked += len(rows)
    assert checked > (20 if has_real_traces() else 0), checked


def test_formats_ranges_and_thresholds():
    rows = list(csv.DictReader(io.StringIO(text_of("findings", SYNTHETIC, "--format", "csv"))))
    found = json_of("findings", SYNTHETIC)
    assert [row["rule"] for row in rows] == [f["id"] for f in found] and rows, rows
    assert text_of("findings", SYNTHETIC).splitlines()[-1].startswith("GPU 0: a step takes "), text_of("findings", SYNTHETIC)
    assert "no finding above 100 %" in text_of("findings", SYNTHETIC, "--min-share", "100%")
    thresholds = json_of("findings", "--list-thresholds")
    tiny = [row for row in thresholds if (row["rule"], row["name"]) == ("tiny-kernels", "max_duration")]
    assert tiny[0]["default"] == 10000 and tiny[0]["unit"] == "ns", tiny
    changed = json_of("findings", "--list-thresholds", "--threshold", "tiny-kernels.max_duration=3us")
    assert [row["value"] for row in changed if (row["rule"], row["name"]) == ("tiny-kernels", "max_duration")] == [3000], changed
    with scratch() as folder:
        with open(f"{folder}/own.json", "w", encoding="utf-8") as file:
            json.dump({"overhead-bound.min_share": "99%", "step-outlier.min_ratio": 100}, file)
        ids = [f["id"] for f in json_of("findings", SYNTHETIC, "--thresholds", f"{folder}/own.json")]
        assert "overhead-bound" not in ids and "step-outlier" not in ids, ids
        with open(f"{folder}/wrong.json", "w", encoding="utf-8") as file:
            file.write('{"nothing.at_all": 1}')
        assert "wrong.json: there is no threshold nothing.at_all" in error_of("findings", SYNTHETIC, "--thresholds", f"{folder}/wrong.json", status=2)
    assert "such as 10us" in error_of("findings", SYNTHETIC, "--threshold", "tiny-kernels.max_duration=often", status=2)
    assert "not a share" in error_of("findings", SYNTHETIC, "--min-share", "much", status=2)
    assert "cannot be read" in error_of("findings", SYNTHETIC, "--thresholds", "/", status=1)
    assert "such as 1.5" in error_of("findings", SYNTHETIC, "--threshold", "unfused-attention.max_distance=1e300", status=2)
    assert "takes a trace" in error_of("findings", status=2)
    assert json_of("findings", SYNTHETIC, "--min-share", "100%", "--range", "step:5") == []


run_all(globals())
