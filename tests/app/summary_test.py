#!/usr/bin/env python3
"""lanescope summary, end to end: its sentences about real traces, and its formats."""
import csv
import gzip
import io
import json
import subprocess

from compare_runs import Run
from device_times import device_spans
from program import BIN, SAMPLES, error_of, has_real_traces, json_of, real_trace, run_all, scratch, text_of, traces_here
from trace_times import common, events_of, gpu_spans, is_communication, length, span, trace_of, union, without

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def summary_of(trace):
    """The summary as one line."""
    return " ".join(text_of("summary", trace).split())


def milliseconds(nanos):
    """As a summary writes them: with four digits."""
    return f"{nanos / 1e6:.3f} ms" if nanos >= 1e6 else f"{nanos / 1e3:.{1 if nanos >= 1e5 else 2}f} µs"


def gaps_of_sample():
    """The times in which the synthetic sample's GPU idles, by length, the longest one first: begin and end in the file."""
    busy = gpu_spans("synthetic_step", lambda event: True)
    return sorted(((a[1], b[0]) for a, b in zip(busy, busy[1:])), key=lambda gap: gap[0] - gap[1])


def check_contains(page, *parts):
    for part in parts:
        assert part in page, f"{part!r} is not in: {page}"


def test_reasons_for_an_idle_gpu():
    busy = gpu_spans("synthetic_step", lambda event: True)
    whole = busy[-1][1] - busy[0][0]
    spans = union(device_spans(SYNTHETIC))  # the GPU is behind the host
    in_steps, steps = length(common(busy, spans)), length(spans)
    longest = [end - begin for begin, end in gaps_of_sample()[:3]]
    check_contains(summary_of(SYNTHETIC), f"busy for {100 * length(busy) / whole:.1f} % of its span of {milliseconds(whole)}",
                   f"{milliseconds(in_steps)} of the steps' {milliseconds(steps)} ({100 * in_steps / steps:.1f} %)",
                   f"{milliseconds(longest[0])} at 3.261 ms, host: after Memcpy DtoD (Device -> Device) (aten::_fused_adamw_)",
                   f"{milliseconds(longest[1])} at ", f"{milliseconds(longest[2])} at ")
    for trace in traces_here("torch/h100_bert_small.json.gz"):
        check_contains(summary_of(trace), "busy for 7.9 % of its span of 3.908 ms", "The host launches too slowly",
                   "no launch ever found another one in the queue", "309.4 µs of the step's 4.426 ms (7.0 %)", "247.6 µs at 1.849 ms, host",
                   "218.4 µs", "153.9 µs at 1.278 ms, host: ", "after Memcpy DtoH (Device -> Pinned) (aten::is_nonzero)")


def test_reasons_for_long_waits_of_the_host():
    allocating = union(span(e) for e in events_of("synthetic_step") if e["name"] == "cudaMalloc")
    inside = length(common(allocating, gaps_of_sample()[1:2]))
    page = summary_of(SYNTHETIC)
    check_contains(page, f"host: in aten::addmm, cudaMalloc {milliseconds(inside)}, after vectorized_layer_norm_kernel")
    for trace in traces_here("torch/a100_alexnet_sync.json.gz"):
        check_contains(summary_of(trace), "10.03 s at 31.37 s, host: in aten::cudnn_convolution", "cudaFree",
                   "6.009 s, 525 ms", "cudaLaunchKernel 3.056 s (the first launch of its kernel: lazy loading)", "1.044 s at 42.23 s",
                   "824.6 ms at 41.4 s", "cudaMalloc", "55.5 ms of its 66.14 ms of busy time are 16 copies from or to pageable memory")


def test_the_data_loader_is_named_as_the_bottleneck():
    run = Run()
    for begin in range(0, 8000, 1000):
        run.add("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, begin + 700)
        run.op("aten::mm", begin + 710, begin + 740, [("gemm", begin + 720, begin + 920)])
    with scratch() as folder:
        check_contains(summary_of(run.save(folder, "loop.json")), "8 steps (from one call of the data loader to the next)",
                       "while the data loader runs (dataloader-wait: ", "host: in enumerate(DataLoader)", "800 µs at ")
    for trace in traces_here("torch/rtx2080ti_resnet.json.gz"):
        check_contains(summary_of(trace), "busy for 32.6 % of its span of 14.52 s", "30 steps (from one call of the data loader to the next)",
                   "The GPU idles for 48.8 % of the steps while the data loader runs (dataloader-wait: 163 ms a step, 48.8 %)",
                   "2.253 s at 3.156 ms", "enumerate(DataLoader)", "for 1.939 s", "1.845 s at 2.531 s", "cudaFree 1.054 s",
                   "cudaLaunchKernel 726.3 ms", "629.8 ms of its 4.734 s of busy time are 61 copies")


def test_the_story_and_the_steps_have_one_bound():
    known = [(SYNTHETIC, "Its steps are device-bound")]
    if has_real_traces():
        known += [(trace_of(name), sentence) for name, sentence in (
            ("v100_memory_nccl", "The GPU idles for 42.4 % of the steps because the host launches too late"),
            ("a100_rank0_of16", "Its steps after the warm-up are mixed: other idle 57.5 %, GPU work 20.0 % of their time."),
            ("v100_resnet50_2021", "The GPU idles for 32.6 % of the steps while the data loader runs"))]
    for trace, sentence in known:
        check_contains(summary_of(trace), sentence)
        summary = json_of("summary", trace)
        device = summary["devices"][0]
        steps = [step for step in json_of("table", "steps", trace) if not step["warm_up"]]
        times = device["bound_times"]
        assert times["of"] == "steps" and times["steps"] == len(steps), times
        # Where the GPU is behind, the parts are measured in the steps' time on the GPU.
        behind = summary["steps"]["pace"] == "behind"
        assert behind == ("v100_memory_nccl" not in trace.name)
        assert "a100_rank0_of16" not in trace.name or times["duration_ns"] == sum(step["device_ns"] for step in steps), times
        for key in ("data_loading_ns", "overhead_ns", *(() if behind else ("duration_ns", "gpu_busy_ns", "exposed_communication_ns"))):
            assert times[key] == sum(step[key] for step in steps), key
        assert device["bound"] in {step["bound"] for step in steps}, device["bound"]


def test_the_largest_findings_are_in_the_story():
    """The largest of each of three rules, with the objects of `lanescope findings`."""
    trace = real_trace("torch/v100_memory_nccl.json.gz") if has_real_traces() else SYNTHETIC
    costly = [found for found in json_of("findings", trace) if found["cost_ns"] is not None]
    first_of_rule = [found for i, found in enumerate(costly) if found["id"] not in [other["id"] for other in costly[:i]]]
    summary = json_of("summary", trace)
    assert summary["findings"] == first_of_rule[:3] and len(summary["findings"]) == 3, summary["findings"]
    for found in summary["findings"]:
        sentences = [sentence for sentence in summary["story"] if sentence.startswith(found["title"] + " (" + found["id"])]
        assert len(sentences) == 1, (found["title"], summary["story"])
        assert " ".join(sentences[0].split()) in " ".join(text_of("summary", trace).split()), sentences


def test_steps_communication_and_memory():
    communication = gpu_spans("synthetic_step", is_communication)
    exposed = without(communication, gpu_spans("synthetic_step", lambda e: e["cat"] == "kernel" and not is_communication(e)))
    total = length(communication)
    check_contains(summary_of(SYNTHETIC), "the GPU 1.402 ms behind; 2.798 ms, 2.824 ms, 2.593 ms",
                   f"all_reduce: 9 calls, {milliseconds(total)}, {milliseconds(exposed)} of it ({100 * exposed / total:.1f} %) exposed",
                   "GPU 0: peak 106 MiB (111 149 056 B) at 1.101 ms", "CPU: peak 8 KiB (8 192 B) at 447.4 µs")
    for trace in traces_here("torch/v100_memory_nccl.json.gz"):
        check_contains(summary_of(trace), "345.8 ms, 365.3 ms, 346.1 ms, 344.3 ms, 336.3 ms",
                   "One step differs: #3", "all_reduce: 2 020 calls, 357.3 ms, none of it overlapping with computation",
                   "busy for 57.7 % of its span of 1.733 s", "GPU 1: peak 6.174 GiB (6 629 508 096 B) at 226.9 ms", "CPU: peak 8 B at 53.08 ms")


def test_inputs_that_are_not_tensors_are_not_listed_as_shapes():
    known = [(SYNTHETIC, ("record_param_comms: 9 calls", "all with [[2800000], [], []]"))]
    known += [(trace, ("record_param_comms: 108 calls", "most with [[256, 256, 8, 8], "))
              for trace in traces_here("torch/mi300_rccl_merged_ranks_140mb.json.gz")]
    for trace, parts in known:
        page = summary_of(trace)
        check_contains(page, *parts)
        assert "[[], [], []" not in page, page


def test_the_most_expensive_operator_on_a_cpu():
    page = " ".join(text_of("summary", SAMPLES / "torch_cpu/transformer_train_shapes_memory_flops.json.gz").split())
    check_contains(page, "The file has no GPU work", "own CPU time is aten::mm", "in 72 calls", "most with [[128, 64], [64, 256]]",
                   "7.745 ms, 7.683 ms, 7.109 ms, 7.475 ms", "1 364 632 B")


def test_the_sums_that_clang_adds_are_no_work():
    """Clang writes "Total NAME" on a thread of its own for each name. The self times of its work are 600 µs and 400 µs."""
    events = [("ExecuteCompiler", 1, 0, 1000), ("Frontend", 1, 100, 600), ("Total ExecuteCompiler", 2, 0, 1000), ("Total Frontend", 3, 0, 600)]
    with scratch() as folder:
        path = f"{folder}/time-trace.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [{"ph": "X", "pid": 7, "tid": tid, "name": name, "ts": ts, "dur": dur} for name, tid, ts, dur in events],
                       "beginningOfTime": 1641999834929426}, file)
        page = " ".join(text_of("summary", path).split())
        check_contains(page, "The largest share of self time is Frontend: 600 µs of 1 ms (60.0 %), in 1 slice.", "thread 1: busy for 1 ms")
        assert "thread 2" not in page, page
        # They stay in the tables.
        assert len(json_of("table", "lanes", path)) == 3
        assert "Total Frontend" in [row["name"] for row in json_of("table", "slices", path)]


def test_a_trace_without_gpu_and_operators_names_its_slices_and_lanes():
    """The self times are 500 µs of root, 400 of parse and 300 of read."""
    events = [("root", 1, 0, 1000), ("parse", 1, 100, 300), ("read", 1, 500, 200), ("read", 2, 0, 100), ("parse", 2, 200, 100)]
    with scratch() as folder:
        path = f"{folder}/own.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"ph": "X", "pid": 7, "tid": tid, "cat": "app", "name": name, "ts": ts, "dur": dur}
                       for name, tid, ts, dur in events], file)
        page = " ".join(text_of("summary", path).split())
        check_contains(page, "The largest share of self time is root (app): 500 µs of 1.2 ms (41.7 %), in 1 slice.",
                       "The busiest lane is thread 1: it has slices for 1 ms of 1 ms (100 %).")
        top = json_of("summary", path)["top_slices"]
        assert top == {"name": "root", "category": "app", "calls": 1, "self_ns": 500_000, "self_of_all_ns": 1_200_000}, top


def test_a_recording_without_ranges_says_how_to_get_functions():
    with scratch() as folder:
        path = f"{folder}/plain.spool"
        subprocess.run([BIN / "lanescope", "record", "-o", path, "--", "sleep", "0.3"], check=True, capture_output=True)
        story = json_of("summary", path)["story"]
        assert len(story) == 1 and story[0].startswith("Only the program's use of CPU and memory was recorded"), story
        assert "lanescope record --sample" in story[0] and "torch.profiler" in story[0], story


def test_a_file_that_ends_too_early_says_so_first_and_names_no_absent_gpu_work():
    whole = gzip.decompress(SYNTHETIC.read_bytes())
    cut = whole[:whole.index(b'"cat": "gpu_') + 5]  # in the first event of a GPU
    events = cut.count(b'\n  {"ph"') - 1
    with scratch() as folder:
        path = f"{folder}/cut.json"
        with open(path, "wb") as file:
            file.write(cut)
        page = text_of("summary", path)
        assert page.splitlines()[1].startswith("This file is cut off at byte "), page
        check_contains(" ".join(page.split()), f"after {events} events. What followed, perhaps GPU work, is missing.",
                       "The part that was read has no GPU work.")
        assert "The file has no GPU work" not in page, page
        summary = json_of("summary", path)
        assert summary["incomplete"]["kind"] == "truncated" and summary["incomplete"]["events_read"] == events, summary
        assert 0 < summary["incomplete"]["byte_offset"] <= len(cut), summary
        assert json_of("summary", SYNTHETIC)["incomplete"] is None
        for words in (["table", "operators", path], ["find", path, "aten"], ["screenshot", path, "-o", f"{folder}/cut.svg"]):
            done = subprocess.run([BIN / "lanescope", *words], capture_output=True, check=True, text=True)
            assert done.stderr.startswith(f"{path}: This file is cut off at byte "), (words, done.stderr)
        done = subprocess.run([BIN / "lanescope", "table", "operators", SYNTHETIC], capture_output=True, check=True, text=True)
        assert done.stderr == "", done.stderr


def test_the_summary_of_one_step():
    whole = json_of("summary", SYNTHETIC)
    assert whole["synthetic"] and whole["range"] is None
    step = json_of("summary", SYNTHETIC, "--range", "step:4")
    assert step["steps"]["count"] == 1
    row = next(row for row in json_of("table", "steps", SYNTHETIC) if row["index"] == 4)
    assert step["range"]["end_ns"] - step["range"]["start_ns"] == row["duration_ns"]
    assert step["steps"]["max_ns"] == row["time_ns"] == row["device_ns"]  # its work takes longer than it does on the host
    assert step["devices"][0]["kernels"] < whole["devices"][0]["kernels"]


def test_json_agrees_with_the_tables():
    summary = json_of("summary", SYNTHETIC)
    for device, row in zip(summary["devices"], json_of("table", "breakdown", SYNTHETIC), strict=True):
        for key in ["device", "pid", "span_ns", "busy_ns", "idle_ns", "exposed_communication_ns"]:
            assert device[key] == row[key], key
        assert sum(cause["total_ns"] for cause in device["idle_by_cause"]) == device["idle_ns"]
    top = json_of("table", "kernels", SYNTHETIC)[0]
    assert (summary["kernels"][0]["name"], summary["kernels"][0]["total_ns"]) == (top["name"], top["total_ns"])


def test_csv_and_markdown_contain_the_sentences():
    story = json_of("summary", SYNTHETIC)["story"]
    rows = list(csv.DictReader(io.StringIO(text_of("summary", SYNTHETIC, "--format", "csv"))))
    assert [row["text"] for row in rows if row["topic"] == "story"] == story
    assert text_of("summary", SYNTHETIC, "--format", "md").startswith("| topic | text |")


def test_reads_standard_input_and_writes_a_file():
    page = text_of("summary", SYNTHETIC)
    assert text_of("summary", "-", stdin=SYNTHETIC.read_bytes()).splitlines()[1:] == page.splitlines()[1:]
    with scratch() as folder:
        assert text_of("summary", SYNTHETIC, "-o", f"{folder}/s.txt") == ""
        with open(f"{folder}/s.txt") as file:
            assert file.read() == page


def test_a_missing_step_is_wrong_usage():
    assert "99" in error_of("summary", SYNTHETIC, "--range", "step:99", status=2)


run_all(globals())
