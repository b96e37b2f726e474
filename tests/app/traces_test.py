#!/usr/bin/env python3
"""Several traces on the command line: pictures of them, and commands that accept only one."""
import json

from program import BIN, SAMPLES, Skip, error_of, has_real_traces, lanescope, real_trace, run_all, scratch, text_of
from made_traces import made_ranks  # noqa: E402  in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
CPU = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def need_viewer():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")


def write_trace(folder, name, start):
    """Writes a trace of two events, the second 30 µs after the first. Returns its path."""
    path = f"{folder}/{name}.json"
    events = [{"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "name": text, "ts": start + at, "dur": 10}
              for text, at in (("begin", 0), (f"mark of {name}", 30))]
    with open(path, "w") as file:
        json.dump(events, file)
    return path


def test_pictures_of_one_and_two_traces_differ():
    need_viewer()
    with scratch() as folder:
        pictures = []
        for traces in ([SYNTHETIC], [SYNTHETIC, SYNTHETIC], [SYNTHETIC, CPU]):
            assert text_of("screenshot", *traces, "-o", f"{folder}/x.png", "--size", "640x480") == ""
            with open(f"{folder}/x.png", "rb") as file:
                pictures.append(file.read())
        assert len(set(pictures)) == 3


def test_an_svg_shows_both_traces_and_their_names():
    with scratch() as folder:
        a, b = write_trace(folder, "baseline", 1000), write_trace(folder, "compiled", 500000)
        text_of("screenshot", a, b, "-o", f"{folder}/x.svg", "--align", "event:mark of")
        with open(f"{folder}/x.svg", encoding="utf-8") as file:
            svg = file.read()
        for word in ("mark of baseline", "mark of compiled", "baseline · process 1", "compiled · process 1",
                     "baseline.json · compiled.json"):
            assert word in svg, word


def test_failed_alignments_are_errors():
    need_viewer()
    with scratch() as folder:
        a, b = write_trace(folder, "a", 0), write_trace(folder, "b", 10)
        for end in ("png", "svg"):
            for how in ("clock", "step:3", "event:nothing"):
                message = error_of("screenshot", a, b, "-o", f"{folder}/x.{end}", "--align", how,
                                       status=2) if end == "svg" else \
                    lanescope("screenshot", a, b, "-o", f"{folder}/x.png", "--align", how).stderr.decode()
                assert "a.json" in message, message
            assert "An alignment is" in error_of("screenshot", a, b, "-o", f"{folder}/x.{end}", "--align", "soon",
                                                     status=2)


def test_a_broken_or_missing_trace_is_an_error():
    need_viewer()
    with scratch() as folder:
        broken = f"{folder}/broken.json"
        with open(broken, "w") as file:
            file.write("{")
        for other in (broken, f"{folder}/missing.json"):
            for end in ("png", "svg"):
                run = lanescope("screenshot", SYNTHETIC, other, "-o", f"{folder}/x.{end}")
                assert run.returncode == 1 and other.encode() in run.stderr, run


def test_commands_for_one_trace_reject_a_second():
    for words in (["summary"], ["table", "kernels"], ["find"], ["notes"]):
        traces = [SYNTHETIC, CPU] if words != ["find"] else [SYNTHETIC, "kernel", CPU]
        message = error_of(*words, *traces, status=2)
        assert "takes one trace" in message, message


def test_an_svg_of_ranks():
    with scratch() as folder:
        pairs = [(made_ranks(folder), 5)]
        if has_real_traces():
            pairs.append(([real_trace(f"torch/two_ranks/rank-{n}.json.gz") for n in (0, 1)], 551))
        for ranks, step in pairs:
            text_of("screenshot", *ranks, "-o", f"{folder}/x.svg", "--align", f"step:{step}")
            with open(f"{folder}/x.svg", encoding="utf-8") as file:
                svg = file.read()
            assert "rank 0 · " in svg and "rank 1 · " in svg


run_all(globals())
