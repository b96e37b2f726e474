#!/usr/bin/env python3
"""Kernels of every library that communicates count as communication, in totals and in the table of collectives."""
import gzip
import json

from program import json_of, run_all, scratch, traces_here

KERNELS = [
    ("void deep_ep::internode::dispatch<false, 8, false, 8>(int4*, float*)", "DeepEP", "all_to_all"),
    ("void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int4*)", "DeepEP", "all_to_all"),
    ("void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*)", "custom all-reduce", "all_reduce"),
    ("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "symmetric memory", "all_reduce"),
    ("void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<0, __nv_bfloat16, 8>(int)", "TensorRT-LLM", "all_reduce"),
    ("nvshmem_alltoall_kernel", "NVSHMEM", "all_to_all"),
    ("void quickreduce::allreduce_prototype_twoshot<int>()", "quick-reduce", "all_reduce"),
    ("void userbuffers_fp16_sum_inplace_gpu_rr_ag<8>()", "userbuffers", "all_gather"),
    ("mscclpp::allreduce6<half>()", "MSCCL++", "all_reduce"),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "NCCL", "all_reduce"),
]


def trace_of(folder, names):
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * i, "dur": 50,
               "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, name in enumerate(names)]
    path = f"{folder}/made.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


def test_every_library_counts():
    with scratch() as folder:
        path = trace_of(folder, [name for name, _, _ in KERNELS] + ["gemm", "triton_poi_fused_all_reduce_wait_tensor_0"])
        (breakdown,) = json_of("table", "breakdown", path)
        assert breakdown["communication_ns"] == 50_000 * len(KERNELS) and breakdown["compute_ns"] == 100_000, breakdown
        rows = json_of("table", "collectives", path)
        assert [(row["name"], row["library"], row["type"]) for row in rows] == KERNELS, rows


def test_an_operator_says_what_an_unknown_kernel_does():
    # (operator, kernel, whether it communicates)
    launches = [("vllm::all_reduce", "crystal_kernel", True), ("aten::mm", "unheard_of_kernel", False), ("vllm::all_reduce", "unheard_of_kernel", False),
                ("c10d::allreduce_", "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)", False),
                ("c10d::allreduce_", "quartz_kernel", True), ("my_lib::step", "lonely_kernel", False),
                ("record_param_comms", "jade_kernel", True), ("moe::all_to_all_metadata", "agate_kernel", False),
                ("my_lib::small_reduce_scattering", "onyx_kernel", False), ("_c10d_functional::wait_tensor", "opal_kernel", False)]
    events = []
    for i, (operator, kernel, _) in enumerate(launches):
        events += [{"ph": "X", "cat": "cpu_op", "name": operator, "pid": 1, "tid": 1, "ts": 100 * i, "dur": 40, "args": {"External id": i + 1}},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100 * i + 10, "dur": 5,
                    "args": {"correlation": i + 1, "External id": i + 1}},
                   {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 100 * i + 20, "dur": 50,
                    "args": {"device": 0, "stream": 7, "correlation": i + 1, "External id": i + 1}}]
    with scratch() as folder:
        path = f"{folder}/made.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        (breakdown,) = json_of("table", "breakdown", path)
        assert breakdown["communication_ns"] == 150_000, breakdown
        assert {row["name"] for row in json_of("table", "collectives", path)} == {kernel for _, kernel, communicates in launches if communicates}
        own = f"{folder}/classes.json"
        with open(own, "w", encoding="utf-8") as file:
            json.dump({"quartz": {"class": "compute"}}, file)
        (breakdown,) = json_of("table", "breakdown", path, "--classes", own)
        assert breakdown["communication_ns"] == 100_000, breakdown


def test_totals_of_a_real_trace():
    for path in traces_here("torch/b200_eager_rank0.json.gz"):
        with gzip.open(path) as file:
            events = json.load(file)["traceEvents"]
        kernels = [e for e in events if e.get("cat") == "kernel" and ("multimem_all_reduce" in e["name"] or e["name"].startswith("nccl"))]
        rows = json_of("table", "collectives", path)
        assert len(rows) == len(kernels) == 74, (len(rows), len(kernels))
        expected = sum(round(1000 * e["dur"]) for e in kernels)
        assert sum(row["duration_ns"] for row in rows) == expected and abs(expected - 2_141_500) < 500, expected
        assert {row["library"] for row in rows} == {"NCCL", "symmetric memory"}


run_all(globals())
