#!/usr/bin/env python3
"""The trace that beginners record first: three steps of a small matrix product and an addition, whose GPU work begins only when
the profiler's start is over. What such a trace makes people ask is answered by summary and findings."""
import csv
import io
import json
from pathlib import Path

from program import json_of, run_all, scratch, text_of

GEMM = "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x5_nn"
ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16>>"
FUSED = "triton_poi_fused_add_relu_0"


def first_trace(folder, compiled=False, second=FUSED, late=2100, kernels=(5.8, 10.8, 5.9)):
    """Steps of 300, 70 and 70 µs on the host; their six kernels begin `late` µs after the first launch."""
    events, work, at, correlation = [], [], 100.0, 500

    def event(category, name, begin, duration, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 77, "tid": 77, "ts": round(begin, 3), "dur": duration, "args": args})

    for step in range(3):
        pause, product, length = (200.0, 80.0, 330.0) if step == 0 else (5.0, 30.0, 70.0)
        event("user_annotation", f"ProfilerStep#{step + 1}", at, length)
        event("user_annotation", "matmul_add", at + 1, length - 3)
        begin = at + 1 + pause
        if compiled:
            event("cpu_op", "TorchDynamo Cache Lookup", begin - 4, 4)
            event("cpu_op", "Torch-Compiled Region: 0/0", begin, length - pause - 10)
        for name, kernel, duration, grid, library in (("aten::mm", GEMM, kernels[step], [1, 1, 1], True),
                                                      ("aten::add", second if compiled else ADD, 1.6, [4, 1, 1], False)):
            correlation += 3
            own = product if library else 16.0
            event("cpu_op", name, begin + 1, own, **{"External id": correlation, "Input Dims": [[64, 64], [64, 64]]})
            if library:
                event("cuda_runtime", "cudaOccupancyMaxActiveBlocksPerMultiprocessor", begin + 3, 1, correlation=correlation + 1)
            event("cuda_runtime", "cudaLaunchKernel", begin + 6, 4, correlation=correlation, **{"External id": correlation})
            work.append((kernel, duration, grid, correlation))
            begin += own + 3
        at += length
    last = at + 60
    free = 300.0 + late
    for kernel, duration, grid, number in work:
        events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": round(free, 3), "dur": duration,
                       "args": {"device": 0, "stream": 7, "correlation": number, "grid": grid, "block": [128, 1, 1]}})
        free += duration + 1
    event("cuda_runtime", "cudaDeviceSynchronize", last, free - last + 3, correlation=9000)
    path = Path(folder) / "first.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}]}))
    return path


def said_about(topic, folder, **options):
    """The sentences of the summary about a topic."""
    rows = csv.DictReader(io.StringIO(text_of("summary", first_trace(folder, **options), "--format", "csv")))
    return [row["text"] for row in rows if row["topic"] == topic]


def test_the_steps_leave_the_gpu_idle_and_it_begins_late():
    with scratch() as folder:
        trace = first_trace(folder)
        text = text_of("summary", trace)
        story = text.split("\n\n")[0].replace("\n", " ")
        # 27.3 of 470 µs.
        assert "The steps launch 27.3 µs of GPU work in 470 µs on the host: they leave the GPU idle for 94.2 % of their time." in story, story
        assert "when all steps have ended on the host; nothing ran before it, so this delay is the profiler's start" in story, story
        assert "of its span" not in story, story
        steps = json_of("table", "steps", trace)
        assert {step["bound"] for step in steps} == {"overhead"} and sum(step["gpu_busy_ns"] for step in steps) == 27_300
        bound = next(finding for finding in json_of("findings", trace) if finding["id"] == "overhead-bound")
        assert bound["severity"] == "high", bound
        # No work seems to be missing: it is all there, late.
        assert "may have done work from before" not in text_of("findings", trace)


def test_why_is_the_first_step_wide():
    with scratch() as folder:
        finding = next(finding for finding in json_of("findings", first_trace(folder)) if finding["id"] == "first-step-costs")
        evidence = {one["text"]: one["value"] for one in finding["evidence"]}
        assert evidence["matmul_add calls nothing before aten::mm"] == 201_000, evidence
        assert evidence["aten::mm takes longer than in the other steps, where it takes 30 µs"] == 80_000, evidence


def test_why_does_the_product_ask_for_the_occupancy_and_the_addition_not():
    with scratch() as folder:
        work = said_about("GPU work", folder)
        assert len(work) == 2, work
        assert "its library asks how many blocks fit on the GPU" in work[0] and "its library" not in work[1], work


def test_why_does_one_kernel_take_longer():
    with scratch() as folder:
        work = said_about("GPU work", folder)
        assert "one call takes 10.8 µs, 1.8 times the median, with the same grid and block" in work[0], work
        assert "times the median" not in work[1], work
        even = said_about("GPU work", folder, kernels=(5.8, 6.2, 5.9))
        assert not any("times the median" in text for text in even), even


def test_why_is_the_synchronisation_so_long():
    with scratch() as folder:
        said = said_about("waiting", folder)
        assert len(said) == 1 and "cudaDeviceSynchronize of 1.8" in said[0] and "is the profiler's own" in said[0], said
        short = said_about("waiting", folder, late=300)
        assert short == [], short


def test_did_the_compiler_fuse_and_why_did_the_host_get_slower():
    with scratch() as folder:
        said = said_about("compiled", folder, compiled=True)
        assert len(said) == 2, said
        assert said[0].startswith("3 of 6 kernels were generated by torch.compile, 4.8 µs of 27.3 µs of kernel time; "
                                  "triton_poi_fused_add_relu_0 stands for add_relu."), said
        assert said[1].startswith("Before the compiled code, 3 calls of torch.compile take 12 µs on the host"), said
        said = said_about("compiled", folder, compiled=True, second=ADD)
        assert said[0].endswith("nothing was fused."), said
        assert said_about("compiled", folder) == []


run_all(globals())
