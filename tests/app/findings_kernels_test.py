#!/usr/bin/env python3
"""Which findings real traces must have, and must not have. (Their costs: findings_review_test.py.)"""
from program import TRACES, Skip, json_of, run_all
from trace_times import events_of, findings_of, gpu_spans, span

# For each rule, three or more traces in which it must not fire.
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
    "unexplained-idle": ("h100_bert_small", "v100_memory_nccl", "v100_ns_absolute_ts"),
    "memory-growth": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
    "near-capacity": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
    "fragmentation": ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_bert_small"),
}


def test_findings_that_must_not_be_there():
    names = sorted({name for names in NOT_IN.values() for name in names})
    found = {name: set(findings_of(name)) for name in names}
    wrong = [(rule, name) for rule, names in NOT_IN.items() for name in names if rule in found[name]]
    assert not wrong, wrong


def test_what_an_expert_sees_first():
    first = {
        "a100_rank0_of16": "unexplained-idle",
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


def test_one_long_gap_is_no_matter_of_launches():
    finding = findings_of("mi300_sglang_decode_graph")["overhead-bound"]
    assert "most of it in one gap of 463.3 ms" in finding["title"] and "CUDA graph" not in finding["advice"], finding


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


def test_compilation():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES does not name a folder of real traces")

    def found(path):
        return {f["id"]: f for f in json_of("findings", TRACES / path)}
    first = found("compile/attn_infer/attn_infer.trace.json.gz")
    assert first["recompiles"]["share"] > 0.99 and "4 compilations" in first["recompiles"]["title"], first["recompiles"]
    assert "2 parts" in first["graph-breaks"]["title"], first["graph-breaks"]
    steady = found("compile/attn_infer/attn_infer_steady.trace.json.gz")
    assert "recompiles" not in steady and {"graph-breaks", "lookup-cost"} <= set(steady), list(steady)
    for path in ("torch_cpu/convnet_stack.json.gz", "torch_cpu/threads_jit.json.gz", "torch_cpu/on_demand.json.gz"):
        assert not {"recompiles", "graph-breaks", "lookup-cost"} & set(found(path)), path


run_all(globals())
