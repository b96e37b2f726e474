#!/usr/bin/env python3
"""Steps of servers: their batches, attention over a cache, decode below bandwidth, and their comparison, computed from the JSON."""
import re

from compare_runs import server
from program import json_of, lanescope, real_trace, run_all, scratch, text_of, traces_here
from trace_times import events_of, length, span, union

SERVERS = ("torch/vllm_graph_execution.json.gz", "torch/b300_sglang_overlapping_kernels.json.gz",
           "torch/mi300_sglang_decode_graph.json.gz", "torch/b200_eager_rank0.json.gz")
DETAILED = re.compile(r"execute_\d+_context_(\d+)\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\)_generation_(\d+)\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\)")
SIMPLE = re.compile(r"execute_context_(\d+)\((\d+)(?:_\d+)?\)_generation_(\d+)\((\d+)\)")
NEW = re.compile(r"execute_new_(\d+)_cached_(\d+)")
COLUMNS = ("phase", "requests", "query_tokens", "key_tokens")


def batch_of(name):
    """(phase, requests, query tokens, key tokens) as the name states them; None: not stated."""
    phases = {(True, True): "mixed", (True, False): "prefill", (False, True): "decode"}
    if found := DETAILED.fullmatch(name):
        n = [int(group) for group in found.groups()]
        return phases[n[0] > 0, n[5] > 0], n[0] + n[5], n[1] + n[6], n[2] + n[7]
    if found := SIMPLE.fullmatch(name):
        n = [int(group) for group in found.groups()]
        return phases[n[0] > 0, n[2] > 0], n[0] + n[2], n[1] + n[3], None
    new, cached = (int(group) for group in NEW.fullmatch(name).groups())
    if new + cached == 0:
        return None, 0, 0, 0
    return "prefill" if cached == 0 and new > 0 else None, new + cached, None, None


def is_call(event):
    return event.get("cat") in ("cuda_runtime", "cuda_driver", "hip_runtime") and "correlation" in event["args"]


def work_between(events, begin, end):
    """The GPU work that calls beginning in this time launched."""
    launched = {e["args"]["correlation"] for e in events if is_call(e) and begin <= span(e)[0] < end}
    return [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset") and e["args"].get("correlation") in launched]


def test_batches_are_those_of_the_annotations():
    compared = 0
    for trace in traces_here(*SERVERS, "torch/rtx3090_vllm.pt.trace.json.gz"):
        events = [e for e in events_of(trace) if e.get("ph") == "X" and "dur" in e]
        marks = sorted((e for e in events if e.get("cat") == "user_annotation" and e["name"].startswith("execute_")),
                       key=lambda e: span(e)[0])
        rows = json_of("table", "steps", trace)
        assert len(rows) == len(marks), trace
        for row, mark in zip(rows, marks):
            batch = batch_of(mark["name"])
            assert tuple(row[column] for column in COLUMNS) == batch, (trace, row, batch)
            if not batch[2]:
                assert row["tokens_per_second"] == batch[2] and row["gpu_time_per_token_ns"] is None
                continue
            begin = span(mark)[0]
            work = union(span(e) for e in work_between(events, begin, begin + row["duration_ns"]))
            assert length(work) == row["gpu_busy_ns"], (trace, length(work), row)
            assert abs(row["gpu_time_per_token_ns"] - length(work) / batch[2]) < 1e-6 * length(work)
            assert abs(row["tokens_per_second"] - batch[2] * 1e9 / row["time_ns"]) < 1e-6 * row["tokens_per_second"]
            compared += 1
    assert compared in (0, len(SERVERS)), compared


def pairs_of(trace):
    """(query-key pairs of causal attention, queries, keys) of the only batch in a trace."""
    found = next(match for e in events_of(trace) if (match := DETAILED.fullmatch(e.get("name", ""))))
    n = [int(group) for group in found.groups()]
    queries, keys, squares, products = (n[i] + n[i + 5] for i in range(1, 5))
    return products - (squares - queries) // 2, queries, keys


def check_attention(rows, operator, calls, sizes, batch):
    heads, kv_heads, size = sizes
    pairs, queries, keys = batch
    row = next(row for row in rows if row["operator"] == operator)
    assert row["calls"] == calls, row
    assert row["flop"] == calls * 4 * heads * size * pairs, row
    assert row["bytes_read"] == calls * 2 * size * (queries * heads + 2 * keys * kv_heads), row
    assert row["bytes_written"] == calls * 2 * size * queries * heads, row


def test_attention_over_a_cache_has_the_pairs_that_the_annotation_states():
    for trace in traces_here("torch/vllm_graph_execution.json.gz"):
        ops = [e for e in events_of(trace) if e.get("name") == "vllm::unified_attention_with_output"]
        (_, heads, size), (_, kv_heads, _) = ops[0]["args"]["Input Dims"][:2]
        check_attention(json_of("table", "models", trace), "vllm::unified_attention_with_output", len(ops),
                        (heads, kv_heads, size), pairs_of(trace))


def captured_dims(name):
    """The input shapes of each call in the capture of SGLang's decode step."""
    events = events_of(real_trace("graph/sglang_decode_capture.json.gz"))
    return [e["args"]["Input Dims"] for e in events if e.get("cat") == "cpu_op" and e["name"] == name]


PAGED = "sglang_profiler::attention_paged_attention_ragged_100"


def decode_of_sglang():
    return real_trace("torch/mi300_sglang_decode_graph.json.gz"), "--graph-capture", real_trace("graph/sglang_decode_capture.json.gz")


def test_attention_of_a_graph_replay_has_the_batch_around_its_launch():
    words = decode_of_sglang()
    dims = captured_dims(PAGED)
    (_, heads, size), (_, _, kv_heads, _) = dims[0][2:4]
    check_attention(json_of("table", "models", *words), PAGED, len(dims), (heads, kv_heads, size), pairs_of(words[0]))


def test_a_decode_step_far_below_the_bandwidth_is_a_finding():
    words = decode_of_sglang()
    finding = next(f for f in json_of("findings", *words) if f["id"] == "decode-below-bandwidth")
    evidence = {e["text"]: e["value"] for e in finding["evidence"]}
    weights = sum(2 * (x[0] * x[1] + w[0] * w[1]) for x, w in (dims[:2] for dims in captured_dims("aiter::gemm_a16w16")))
    dims = captured_dims(PAGED)
    (_, heads, size), (_, _, kv_heads, _) = dims[0][2:4]
    _, queries, keys = pairs_of(words[0])
    cache = len(dims) * 2 * size * (queries * heads + 2 * keys * kv_heads)
    products = evidence["bytes that a step's matrix products read"]
    # Outside of the capture's layers the output layer is a product, too, of [32, 4096] and [151936, 4096].
    head = 2 * (32 * 4096 + 151936 * 4096)
    assert products in (weights, weights + head), (products, weights, head)
    assert evidence["bytes that a step's attention reads from the cache"] == cache
    step = json_of("table", "steps", *words)[0]
    peak = 5.3e12  # bytes per second, of an MI300X
    # The gap of 463 ms that the profiler made before the work belongs to no use.
    use = (products + cache) / peak * 1e9 / step["gpu_busy_ns"]
    assert abs(evidence["bandwidth use while the GPU works"] / use - 1) < 0.03, (evidence, use)
    assert 0.9 * use < evidence["bandwidth use"] < use, (evidence, use)
    assert finding["cost_ns"] <= step["device_ns"] - (products + cache) / peak * 1e9
    assert not [f for f in json_of("findings", words[0]) if f["id"] == "decode-below-bandwidth"]  # its shapes are not known


def test_other_engines_state_their_batches_too():
    stated = {
        "step[EXTEND bs=2 toks=90]": ("prefill", 2, 90, None),
        "step[DECODE bs=16 g_sqsq=16 g_sqsk=500 g_sk=500]": ("decode", 16, 16, 500),
        "step[MIXED bs=4]": ("mixed", 4, None, None),
        "step[IDLE]": (None, None, None, None),
        "prefill[bs=2 tok=14721 ctx=[7803, 6918] sqsq=108745533 sqsk=119025333 sk=16221]": ("prefill", 2, 14721, 16221),
        "decode[bs=117/128 tok=117 d=117]": ("decode", 117, 117, None),
        "[Executor] _forward_step 9: 1 ctx reqs, 512 ctx tokens, 31 gen reqs": ("mixed", 32, None, None),
        "[Executor] _forward_step 10: 0 ctx reqs, 31 gen reqs": ("decode", 31, None, None),
    }
    with scratch() as folder:
        trace = server(folder, "engines.json", [(name, 100) for name in stated])
        rows = json_of("table", "steps", trace)
        assert {row["name"]: tuple(row[column] for column in COLUMNS) for row in rows} == stated
        assert {row["source"] for row in rows} == {"annotation"}
        assert text_of("sql", trace, "select sum(query_tokens), count(phase) from steps", "--format", "csv").split()[-1] == "14944,7"


def test_the_gap_that_the_profiler_made_is_no_time_of_the_step():
    for trace in traces_here("torch/mi300_sglang_decode_graph.json.gz"):
        work = sorted(span(e) for e in events_of(trace) if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))
        gaps, end = [], work[0][1]
        for begin, after in work:
            gaps.append((begin - end, end, begin))
            end = max(end, after)
        length_of_gap, _, first = max(gaps)
        assert length_of_gap > 0.9 * (end - work[0][0]), length_of_gap
        (step,) = json_of("table", "steps", trace)
        assert step["time_ns"] == step["device_ns"] == round(end - first), step
        assert step["bound"] == "device" and step["overhead_ns"] < 0.05 * step["time_ns"], step
        rows = json_of("table", "gaps", trace)
        of_device = [row for row in rows if row["stream"] is None]
        assert of_device[0]["cause"] == "recording edge" and of_device[0]["duration_ns"] == round(length_of_gap), of_device[0]
        assert not any(row["cause"] == "recording edge" for row in of_device[1:])
        (device,) = json_of("summary", trace)["devices"]
        assert device["span_ns"] == round(end - work[0][0]) and device["at_edges_ns"] == round(length_of_gap), device
        text = text_of("summary", trace)
        assert "a gap of 463.3 ms at the edge of the recording is left out" in text and "busy for 93.5 % of 10.45 ms" in text, text


def test_decode_is_compared_with_decode():
    decode, prefill = "step[DECODE bs=8]", "step[EXTEND bs=1 toks=512]"
    with scratch() as folder:
        before = server(folder, "before.json", [(decode, 100 + i % 3) for i in range(20)] + [(prefill, 400 + i % 3) for i in range(7)])
        more = server(folder, "more.json", [(decode, 100 + i % 3) for i in range(9)] + [(prefill, 400 + i % 3) for i in range(14)])
        slower = server(folder, "slower.json", [(decode, 120 + i % 3) for i in range(20)] + [(prefill, 400 + i % 3) for i in range(7)])
        assert lanescope("compare", before, more, "--fail-over", "5%").returncode == 0
        compared = lanescope("compare", before, slower, "--fail-over", "5%")
        assert compared.returncode == 3
        assert "The decode step: 101 µs → 121 µs" in compared.stdout.decode(), compared.stdout
        phases = json_of("compare", before, slower)["phases"]
        assert [(row["function"], row["verdict"], row["a_samples"]) for row in phases] == [("decode step", "slower", 20), ("prefill step", "same", 7)]
        assert json_of("compare", before, slower, "--phase", "prefill")["step"]["function"] == "prefill step"
        assert lanescope("compare", before, slower, "--phase", "prefill", "--fail-over", "5%").returncode == 0
        assert lanescope("compare", before, slower, "--phase", "mixed").returncode == 2
        larger = server(folder, "larger.json", [("step[DECODE bs=16]", 150 + i % 3) for i in range(9)])
        only = server(folder, "only.json", [(decode, 100 + i % 3) for i in range(9)])
        assert lanescope("compare", only, larger, "--fail-over", "5%").returncode == 0
        slow = server(folder, "slow.json", [(decode, 120 + i % 3) for i in range(9)])
        for row in ("decode step", "aten::mm"):
            assert lanescope("compare", only, slow, "--row", row, "--fail-over", "5%").returncode == 3, row
            assert lanescope("compare", only, only, "--row", row, "--fail-over", "5%").returncode == 0, row
        assert lanescope("compare", only, larger, "--fail-over", "5%", "--strict").returncode == 3
        assert "8 requests in A and 16 in B" in "".join(json_of("compare", only, larger)["remarks"])


run_all(globals())
