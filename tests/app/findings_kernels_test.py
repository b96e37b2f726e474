#!/usr/bin/env python3
"""Which findings samples and real traces must have, and must not have. (Their costs: findings_review_test.py.)"""
import gzip
import json
import statistics

from program import SAMPLES, and_real, has_real_traces, json_of, real_trace, run_all, scratch
from made_traces import made_from_sample  # noqa: E402  in tests/, which program adds to sys.path
from trace_times import category, common, events_of, findings_of, gpu_spans, is_communication, length, span, union, without

# Traces in which a rule must not fire: three or more for each rule.
NOT_IN = {
    "no-tensor-cores": ("h100_bert_small", "h100_qwen_chat", "mi300_qwen_chat", "rtx3090_vllm.pt.trace", "b200_eager_rank0"),
    "layout-conversion": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_qwen_chat"),
    "dtype-casts": ("v100_ns_absolute_ts", "h100_bert_small", "rtx2080ti_resnet"),
    "redundant-copies": ("v100_ns_absolute_ts", "h100_bert_small", "rtx2080ti_resnet"),
    "elementwise-chains": ("b200_eager_rank0", "h100_bert_small", "h100_owlv2_shapes_stack_memory"),
    "low-waves": ("h100_bert_small", "b200_eager_rank0", "h100_owlv2_shapes_stack_memory"),
    "comm-small": ("a100_train_before", "a100_rank0_of16", "v100_train_after"),
    "unfused-optimizer": ("h100_bert_small", "a100_rank0_of16", "rtx2080ti_resnet"),
    "gradient-zeroing": ("h100_bert_small", "a100_rank0_of16", "rtx2080ti_resnet"),
    "late-rank": ("v100_memory_nccl", "a100_train_before", "a100_rank0_of16"),
    "low-occupancy": ("h100_owlv2_shapes_stack_memory", "h100_qwen_chat", "h100_bert_small"),
    "kernel-variance": ("h100_owlv2_shapes_stack_memory", "h100_qwen_chat", "v100_ns_absolute_ts"),
    "recompute": ("v100_memory_nccl", "a100_train_before", "v100_ns_absolute_ts"),
    "python-overhead": ("v100_ns_absolute_ts", "h100_qwen_chat", "v100_train_after", "h100_owlv2_shapes_stack_memory"),
    "autograd-overhead": ("h100_bert_small", "v100_ns_absolute_ts", "v100_train_after"),
    "kernel-compilation": ("vllm_graph_execution", "b300_sglang_overlapping_kernels", "b200_eager_rank0", "mi300_sglang_decode_graph"),
    # The GPU's first recorded work begins long after the host's last launch: what it did before is not in the file.
    "unexplained-idle": ("vllm_graph_execution", "h100_bert_small", "v100_memory_nccl", "v100_ns_absolute_ts"),
    "throttling": ("h100_qwen_chat", "v100_ns_absolute_ts", "h100_owlv2_shapes_stack_memory"),
    "cpu-contention": ("h100_qwen_chat", "v100_ns_absolute_ts", "cpu_only"),
    "memory-growth": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
    "near-capacity": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
    "input-preparation": ("h100_bert_small", "v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "b200_eager_rank0", "rtx2080ti_resnet"),
    "fragmentation": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
}


def test_findings_that_must_not_be_there():
    rules = set(NOT_IN)
    of_sample = rules & set(findings_of("synthetic_step"))
    assert of_sample == {"low-waves", "gradient-zeroing"}, of_sample  # as it was made
    for path in sorted((SAMPLES / "torch_cpu").glob("*.json.gz")):
        assert not rules & {f["id"] for f in json_of("findings", path)}, path
    names = and_real(*sorted({name for names in NOT_IN.values() for name in names}))
    found = {name: set(findings_of(name)) for name in names}
    wrong = [(rule, name) for rule in rules for name in NOT_IN[rule] if rule in found.get(name, ())]
    assert not wrong, wrong


def test_what_an_expert_sees_first():
    first = {"synthetic_step": "comm-exposed", "compiled_with_recompile": "recompiles"}
    if has_real_traces():
        first |= {
            "a100_rank0_of16": "unexplained-idle",
            "cpu_only": "comm-exposed",
            "h100_owlv2_shapes_stack_memory": "dataloader-wait",
            "v100_memory_nccl": "overhead-bound",
            "v100_ns_absolute_ts": "no-tensor-cores",
            "h100_qwen_chat": "elementwise-chains",
            "rtx3090_vllm.pt.trace": "low-waves",
        }
    assert {name: next(iter(findings_of(name))) for name in first} == first


def test_assumptions_and_parts_are_named():
    v100 = findings_of("v100_memory_nccl")
    assert v100["no-tensor-cores"]["confidence"] == "likely", v100["no-tensor-cores"]
    assert v100["comm-small"]["part_of"] == "comm-exposed" and v100["comm-small"]["confidence"] == "possible", v100["comm-small"]
    python = findings_of("h100_bert_small")["python-overhead"]
    assert python["part_of"] == "overhead-bound" and python["confidence"] == "certain", python
    idle = findings_of("a100_rank0_of16")["unexplained-idle"]
    assert "graph" in idle["evidence"][0]["text"] and idle["confidence"] == "possible", idle
    # The file does not say which GPU it was.
    unknown = findings_of("resnet50_autograd_2020")["no-tensor-cores"]
    assert unknown["cost_ns"] is None and unknown["confidence"] == "possible", unknown


def test_a_program_without_a_gpu():
    found = findings_of("cpu_only")
    assert "on the CPU are exposed" in found["comm-exposed"]["title"] and found["comm-exposed"]["severity"] == "high", found
    assert found["step-outlier"]["part_of"] == "comm-exposed" and "ProfilerStep#553" in found["step-outlier"]["title"], found


def test_a_gap_at_the_begin_of_the_recording_is_left_out():
    found = findings_of("mi300_sglang_decode_graph")
    assert not {"overhead-bound", "sync-in-step", "python-overhead"} & set(found), set(found)
    text = json.dumps(found["trace-problems"]["evidence"])
    assert "leave out a gap of 463.3 ms at the begin of the recording" in text, text
    # The copies are those of reshape() before the norms of queries and keys, as the capture of the graph shows.
    copies = found["redundant-copies"]
    assert copies["title"].startswith("72 copies") and abs(copies["share"] - 0.033) < 0.001, copies


def test_captures_say_nothing_of_idle_time():
    for name in ("sglang_decode_capture", "vllm_piecewise_capture.pt.trace"):
        found = {f["id"]: f for f in json_of("findings", real_trace(f"graph/{name}.json.gz"))}
        assert set(found) == {"trace-problems"}, (name, set(found))
        assert "captures CUDA graphs" in json.dumps(found["trace-problems"]["evidence"]), found


def test_first_calls_of_a_single_step():
    finding = findings_of("b200_eager_rank0")["first-step-costs"]
    events = events_of("b200_eager_rank0")
    slow = sorted((e for e in events if e["name"] == "aten::addmm" and e["dur"] > 1000), key=span)
    usual = sorted(e["dur"] for e in events if e["name"] == "aten::addmm")[53]
    assert [round(e["dur"]) for e in slow] == [1708, 2454, 1455], slow
    by_text = {e["text"]: e["value"] for e in finding["evidence"]}
    addmm = next(value for text, value in by_text.items() if "3 first calls of aten::addmm" in text)
    assert abs(addmm - 1000 * sum(e["dur"] - usual for e in slow)) < 100_000, (addmm, by_text)
    assert finding["confidence"] == "certain" and 8.1e6 < finding["cost_ns"] < 8.4e6, finding


def test_what_the_file_lacks_at_the_begin_of_the_steps():
    lacking = " ".join(e["text"] for e in findings_of("vllm_graph_execution")["trace-problems"]["evidence"])
    assert "no work of the GPU is in the file for 151.2 ms" in lacking, lacking
    counters = findings_of("a100_cupti_counters")["trace-problems"]["evidence"][0]["text"]
    assert "only counters of kernels (cuda_profiler_range)" in counters, counters
    other = " ".join(e["text"] for e in findings_of("mtia_inference")["trace-problems"]["evidence"])
    assert "the work of mtia_ccp_events is shown but not analysed" in other and "no GPU work" not in other, other


def test_advice_fits_the_program():
    # Processes load the sample's data, and gradients are reduced.
    short = ("--threshold", "dataloader-wait.min_share=0.01")  # its wait for the loader is
    of_sample = findings_of("synthetic_step", *short)
    assert "num_workers=0" not in of_sample["dataloader-wait"]["advice"]
    assert "DistributedDataParallel" in of_sample["comm-exposed"]["advice"] and "TorchRec" not in of_sample["comm-exposed"]["advice"]
    with scratch() as folder:
        single = {"_MultiProcessing": "_SingleProcess"}
        assert "num_workers=0" in findings_of(made_from_sample(folder, "x.json", rename=single), *short)["dataloader-wait"]["advice"]
    if has_real_traces():
        check_advice_of_real_traces()


def check_advice_of_real_traces():
    assert "num_workers=0" in findings_of("h100_owlv2_shapes_stack_memory")["dataloader-wait"]["advice"]
    assert "num_workers=0" not in findings_of("rtx2080ti_resnet")["dataloader-wait"]["advice"]
    # Most of its pageable copies go to the host.
    assert "pin_memory=True).copy_" in findings_of("h100_owlv2_shapes_stack_memory")["pageable-copies"]["advice"]
    assert "DataLoader(pin_memory=True)" in findings_of("rtx2080ti_resnet")["pageable-copies"]["advice"]
    assert "CUDA graphs already" in findings_of("b300_sglang_overlapping_kernels")["overhead-bound"]["advice"]
    assert "CUDA graphs already" not in findings_of("h100_bert_small")["overhead-bound"]["advice"]
    # Embeddings are exchanged by all-to-all; gradients are reduced.
    assert "TorchRec" in findings_of("a100_train_before")["comm-exposed"]["advice"]
    assert "DistributedDataParallel" in findings_of("v100_memory_nccl")["comm-exposed"]["advice"]
    # A kernel named for Ampere runs on a GPU that the file does not name.
    assert "TF32" in findings_of("resnet50_autograd_2020")["no-tensor-cores"]["advice"]


def test_the_largest_gaps_of_a_server_are_compilations_of_triton():
    name = "rtx3090_vllm.pt.trace"
    busy = gpu_spans(name, lambda event: True)
    origin = min(span(e)[0] for e in events_of(name) if e.get("ph") == "X" and "dur" in e)
    gaps = sorted((a[1] - b[0], b[0] - origin, a[1] - origin) for a, b in zip(busy, busy[1:]))
    found = findings_of(name)
    finding = found["kernel-compilation"]
    assert finding["part_of"] == "first-step-costs" and len(finding["places"]) == 2, finding
    for (_, end, begin), place in zip(gaps[:2], finding["places"]):
        assert place["name"] == "triton/runtime/jit.py(709): run", place
        inside = min(end, place["start_ns"] + place["duration_ns"]) - max(begin, place["start_ns"])
        assert inside > 0.9 * (end - begin), (begin, end, place)
    assert finding["evidence"][1]["text"] == "before kernel_unified_attention_2d", finding["evidence"]
    assert found["first-step-costs"]["evidence"][0]["value"] == finding["cost_ns"], found["first-step-costs"]


def collectives_by_step(path):
    """Kernels of NCCL by the step and the annotation around their launch ("nccl:all_to_all"), in order; and all computing, and the steps."""
    with gzip.open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and "dur" in e]
    steps = [(*span(e), e["name"]) for e in events if e["name"].startswith("ProfilerStep#") and e.get("cat") != "gpu_user_annotation"]
    launched = {e["args"]["correlation"]: e for e in events if category(e) == "cuda_runtime" and "correlation" in e["args"]}
    annotations = [e for e in events if e["name"].startswith("nccl:") and e.get("cat") != "gpu_user_annotation"]
    found = {}
    for event in sorted((e for e in events if category(e) == "kernel" and is_communication(e)), key=span):
        launch = launched[event["args"]["correlation"]]
        at = span(launch)[0]
        step = next((name for begin, end, name in steps if begin <= at < end), None)
        kind = next((e["name"] for e in annotations if e["tid"] == launch["tid"] and span(e)[0] <= at < span(e)[1]), None)
        # A kernel named SendRecv does not reduce: it is a transfer of unknown partners.
        if kind and (kind != "nccl:all_reduce" or "AllReduce" in event["name"]):
            found.setdefault((step, kind), []).append(span(event))
    computing = union(span(e) for e in events if category(e) == "kernel" and not is_communication(e))
    return found, computing, union((begin, end) for begin, end, _ in steps)


def test_a_late_rank_in_another_file():
    """Both files lack calls. Calls of one step and kind match if they end within 1 ms, and the call that starts later is late."""
    paths = [real_trace(f"torch/two_ranks/rank-{rank}.json.gz") for rank in (0, 1)]
    ranks = [collectives_by_step(path) for path in paths]
    findings = json_of("findings", *paths, "--threshold", "late-rank.min_share=0", "--min-share", "0")
    found = {f["device"]: f for f in findings if f["id"] == "late-rank"}
    (mine, computing, steps), (theirs, _, _) = ranks
    pairs = [(own, other) for key, calls in mine.items() if key[1] in ("nccl:all_to_all", "nccl:_all_gather_base")
             for own in calls for other in theirs.get(key, ()) if abs(own[1] - other[1]) < 1_000_000]
    offset = statistics.median(other[1] - own[1] for own, other in pairs)
    assert len(pairs) == 3 and abs(offset) < 1_000, (pairs, offset)
    waits = [(own[0], other[0] - offset) for own, other in pairs if other[0] - offset > own[0]]
    assert len(waits) == 3 and set(found) == {"GPU 0 of rank 0"}, (waits, list(found))
    expected = without(common(union(waits), steps), computing)
    finding = found["GPU 0 of rank 0"]
    assert abs(finding["cost_ns"] - expected) <= 2_000, (finding["cost_ns"], expected)
    assert "rank 1" in finding["title"] and finding["part_of"] == "comm-exposed", finding
    assert len(finding["places"]) == 4, finding["places"]  # three waits, and the late rank
    alone = json_of("findings", paths[0])
    assert not [f for f in alone if f["id"] == "late-rank"], alone


def test_compilation():
    compilations = [e for e in events_of("compiled_with_recompile") if e["name"].startswith("_compile.compile_inner")]
    recompiles = findings_of("compiled_with_recompile")["recompiles"]
    assert recompiles["cost_ns"] == length(union(span(e) for e in compilations)), recompiles
    assert f"{len(compilations)} compilation" in recompiles["title"], recompiles
    for name in ("convnet_stack", "threads_jit", "on_demand"):
        assert not {"recompiles", "graph-breaks", "lookup-cost"} & set(findings_of(name)), name
    if has_real_traces():
        check_compilation_of_real_traces()


def check_compilation_of_real_traces():
    def found(path):
        return {f["id"]: f for f in json_of("findings", real_trace(path))}
    first = found("compile/attn_infer/attn_infer.trace.json.gz")
    assert first["recompiles"]["share"] > 0.99 and "4 compilations" in first["recompiles"]["title"], first["recompiles"]
    assert "2 parts" in first["graph-breaks"]["title"], first["graph-breaks"]
    steady = found("compile/attn_infer/attn_infer_steady.trace.json.gz")
    assert "recompiles" not in steady and {"graph-breaks", "lookup-cost"} <= set(steady), list(steady)


run_all(globals())
