#!/usr/bin/env python3
"""Findings about kernels and the host, compared with figures that this file computes from the JSON of real traces."""
import bisect
import re

from program import TRACES, Skip, json_of, run_all
from trace_times import (category, check_cost, common, events_of, findings_of, gpu_spans, is_communication, length, span, steps_of, union,
                         without)

PLAIN = re.compile(r"(volta|turing|ampere|maxwell)_(sgemm|cgemm|gcgemm|scudnn)|convolve_sgemm<float|dgrad\w*<float|"
                   r"wgrad\w*<float|winograd\w*<float|fft[12]d_[rc]2[rc]|simt_sgemm")


def in_steps(name):
    """Whether an event begins in a step."""
    steps = steps_of(name)
    begins = [begin for begin, _ in steps]

    def test(event):
        at = bisect.bisect_right(begins, span(event)[0]) - 1
        return at >= 0 and span(event)[0] < steps[at][1]
    return test


def kernels_of(name, categories=("kernel",)):
    inside = in_steps(name)
    return sorted((e for e in events_of(name) if category(e) in categories and inside(e)), key=span)


def operators_by_id(name):
    return {e["args"]["External id"]: e for e in events_of(name) if category(e) == "cpu_op" and "External id" in e["args"]}


def total(events):
    return length(union(span(e) for e in events))


def test_products_in_32_bits():
    saved = 1 - 15.7 / 125  # rates of a V100 in NVIDIA's white paper
    for name in ("v100_ns_absolute_ts", "v100_memory_nccl", "v100_resnet50_2021", "v100_train_after"):
        plain = [e for e in kernels_of(name) if PLAIN.search(e["name"])]
        finding = findings_of(name)["no-tensor-cores"]
        check_cost(finding, saved * total(plain), length(steps_of(name)), tolerance=0.02)
        assert finding["confidence"] == "likely", finding
    # bf16 on tensor cores.
    for name in ("h100_bert_small", "h100_qwen_chat", "mi300_qwen_chat", "rtx3090_vllm.pt.trace", "b200_eager_rank0"):
        assert "no-tensor-cores" not in findings_of(name), name


def test_layout_conversion():
    for name in ("a100_nccl_groups",):
        kernels = [e for e in kernels_of(name) if "nchwToNhwc" in e["name"] or "nhwcToNchw" in e["name"]]
        check_cost(findings_of(name)["layout-conversion"], total(kernels), length(steps_of(name)))
    for name in ("v100_memory_nccl", "h100_owlv2_shapes_stack_memory", "h100_qwen_chat"):
        assert "layout-conversion" not in findings_of(name), name


def copies_of(name):
    """Kernels of aten::copy_ with the types of source and destination, and the copies' operators."""
    operators = operators_by_id(name)
    for kernel in kernels_of(name):
        op = operators.get(kernel["args"].get("External id"))
        if op and op["name"] == "aten::copy_":
            yield kernel, op, op["args"]["Input type"][:2]


def test_casts():
    for name in ("h100_qwen_chat", "mi300_qwen_chat"):
        operators = operators_by_id(name)
        casts = [kernel for kernel, _, (to, source) in copies_of(name) if to != source]
        casts += [e for e in kernels_of(name) if "float16_copy_kernel" in e["name"] and e["args"].get("External id") not in operators]
        check_cost(findings_of(name)["dtype-casts"], total(casts), length(steps_of(name)), tolerance=0.02)
    for name in ("v100_ns_absolute_ts", "h100_bert_small", "rtx2080ti_resnet"):
        assert "dtype-casts" not in findings_of(name), name


def test_copies_on_the_same_gpu():
    makers = ("aten::contiguous", "aten::clone", "aten::reshape", "aten::matmul", "aten::flatten", "aten::addmm", "aten::baddbmm")
    for name in ("h100_qwen_chat", "mi300_qwen_chat"):
        around = union(span(e) for e in events_of(name) if category(e) == "cpu_op" and e["name"] in makers)
        begins = [begin for begin, _ in around]

        def is_inside(op):
            at = bisect.bisect_right(begins, span(op)[0]) - 1
            return at >= 0 and span(op)[1] <= around[at][1]
        copies = [kernel for kernel, op, (to, source) in copies_of(name) if to == source and is_inside(op)]
        check_cost(findings_of(name)["redundant-copies"], total(copies), length(steps_of(name)), tolerance=0.02)


def size_of(op):
    """The number of elements of the largest input; of lists none."""
    largest = 0
    for dims in op["args"].get("Input Dims", []):
        if dims and not isinstance(dims[0], list):
            size = 1
            for n in dims:
                size *= n
            largest = max(largest, size)
    return largest


def test_elementwise_chains():
    for name in ("h100_qwen_chat", "mi300_qwen_chat"):
        operators = operators_by_id(name)
        cost, chain, size = 0, [], 0

        def close(chain):
            joints = [2] * len(chain)
            if len(chain) < 2:
                return 0
            joints[0] = joints[-1] = 1
            return sum((end - begin) * n // 3 for (begin, end), n in zip(chain, joints))
        for event in kernels_of(name, ("kernel", "gpu_memcpy", "gpu_memset")):
            begin, end = span(event)
            fits = category(event) == "kernel" and "elementwise_kernel" in event["name"] and end - begin >= 5000
            op = operators.get(event["args"].get("External id")) if fits else None
            now = size_of(op) if op else 0
            if now == 0 or now != size:
                cost += close(chain)
                chain = []
            size = now
            if now:
                chain.append((begin, end))
        cost += close(chain)
        check_cost(findings_of(name)["elementwise-chains"], cost, length(steps_of(name)), tolerance=0.02)
    for name in ("b200_eager_rank0", "h100_bert_small", "h100_owlv2_shapes_stack_memory"):
        assert "elementwise-chains" not in findings_of(name), name


def inside_calls(name, prefix):
    """The spans of calls by thread."""
    calls = {}
    for event in events_of(name):
        if event.get("ph") == "X" and str(event["name"]).startswith(prefix) and event.get("cat") != "gpu_user_annotation":
            calls.setdefault(event["tid"], []).append(span(event))
    return calls


def launched_inside(name, calls):
    launches = set()
    for event in events_of(name):
        if category(event) in ("cuda_runtime", "cuda_driver"):
            begin = span(event)[0]
            if any(b <= begin < e for b, e in calls.get(event["tid"], ())):
                launches.add(event["args"].get("correlation"))
    return union(span(e) for e in events_of(name) if category(e) in ("kernel", "gpu_memcpy", "gpu_memset")
                 and not is_communication(e) and e["args"].get("correlation") in launches)


def check_calls(name, prefix, rule):
    calls = inside_calls(name, prefix)
    work = common(launched_inside(name, calls), steps_of(name))
    busy = gpu_spans(name, lambda e: True)
    steps = steps_of(name)
    waiting = common(union(one for spans in calls.values() for one in spans), steps)
    expected = length(work) + without(waiting, busy)
    check_cost(findings_of(name)[rule], expected, length(steps), tolerance=0.01)


def test_the_optimizer_and_zeroed_gradients():
    check_calls("v100_memory_nccl", "Optimizer.zero_grad#", "gradient-zeroing")
    check_calls("v100_resnet50_2021", "Optimizer.zero_grad#", "gradient-zeroing")
    check_calls("v100_memory_nccl", "Optimizer.step#", "unfused-optimizer")
    for name in ("h100_bert_small", "a100_rank0_of16", "rtx2080ti_resnet"):
        assert not {"gradient-zeroing", "unfused-optimizer"} & set(findings_of(name)), name


def test_small_collectives():
    name = "v100_memory_nccl"
    small = union(span(e) for e in kernels_of(name) if is_communication(e) and span(e)[1] - span(e)[0] < 500_000)
    computing = gpu_spans(name, lambda e: category(e) == "kernel" and not is_communication(e))
    finding = findings_of(name)["comm-small"]
    check_cost(finding, without(small, computing), length(steps_of(name)))
    assert finding["part_of"] == "comm-exposed" and finding["confidence"] == "possible", finding
    for name in ("a100_train_before", "a100_rank0_of16", "v100_train_after"):
        assert "comm-small" not in findings_of(name), name


def test_kernels_with_few_blocks():
    for name, multiprocessors in (("v100_train_after", 80), ("a100_train_before", 108)):
        cost = []
        for event in kernels_of(name):
            begin, end = span(event)
            blocks = event["args"]["grid"][0] * event["args"]["grid"][1] * event["args"]["grid"][2]
            if not is_communication(event) and end - begin >= 10_000 and blocks < multiprocessors:
                cost.append((begin, begin + int((end - begin) * (1 - blocks / multiprocessors))))
        check_cost(findings_of(name)["low-waves"], length(union(cost)), length(steps_of(name)), tolerance=0.02)
    for name in ("h100_bert_small", "b200_eager_rank0", "h100_owlv2_shapes_stack_memory"):
        assert "low-waves" not in findings_of(name), name


def test_idle_time_of_python():
    # In this trace one thread launches all, and it is the host that lets the GPU idle.
    name = "h100_bert_small"
    host = [e for e in events_of(name) if category(e) in ("cpu_op", "cuda_runtime", "cuda_driver", "overhead")]
    calls = union(span(e) for e in host)
    busy = gpu_spans(name, lambda e: True)
    waiting = without(steps_of(name), union(busy + calls))
    finding = findings_of(name)["python-overhead"]
    assert 0.9 * waiting <= finding["cost_ns"] <= waiting, (finding["cost_ns"], waiting)
    assert finding["part_of"] == "overhead-bound" and finding["confidence"] == "certain", finding


def test_idle_time_without_a_recorded_cause():
    found = findings_of("a100_rank0_of16")
    first = found["unexplained-idle"]
    assert list(found)[0] == "unexplained-idle" and first["confidence"] == "possible", list(found)
    busy = gpu_spans("a100_rank0_of16", lambda e: True)
    idle = without(steps_of("a100_rank0_of16"), busy)
    assert 0.5 * idle < first["cost_ns"] < idle, (first["cost_ns"], idle)
    assert "graph" in first["evidence"][0]["text"], first["evidence"]
    for name in ("h100_bert_small", "v100_memory_nccl", "v100_ns_absolute_ts"):
        assert "unexplained-idle" not in findings_of(name), name


def test_compilation():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES does not name a folder of real traces")

    def found(path):
        return {f["id"]: f for f in json_of("findings", TRACES / path)}
    first = found("compile/attn_infer/attn_infer.trace.json.gz")
    assert first["recompiles"]["share"] > 0.99 and "4 compilations" in first["recompiles"]["title"], first["recompiles"]
    assert "2 parts" in first["graph-breaks"]["title"], first["graph-breaks"]
    steady = found("compile/attn_infer/attn_infer_steady.trace.json.gz")
    assert "recompiles" not in steady and "graph-breaks" in steady, list(steady)
    assert abs(steady["lookup-cost"]["cost_ns"] - 273_015) < 1000, steady["lookup-cost"]
    again = found("torch_cpu/compiled_with_recompile.json.gz")["recompiles"]
    assert abs(again["cost_ns"] - 234.2e6) < 1e5, again
    for path in ("torch_cpu/convnet_stack.json.gz", "torch_cpu/threads_jit.json.gz", "torch_cpu/on_demand.json.gz"):
        assert not {"recompiles", "graph-breaks", "lookup-cost"} & set(found(path)), path


run_all(globals())
