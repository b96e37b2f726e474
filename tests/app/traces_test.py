#!/usr/bin/env python3
"""Several traces on the command line: pictures of them, and commands that take one."""
import json

from program import BIN, SAMPLES, TRACES, Skip, complaint_of, lanescope, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
CPU = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def need_viewer():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")


def marked(folder, name, start):
    """A trace of two events, the second 30 µs after the first."""
    path = f"{folder}/{name}.json"
    events = [{"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "name": text, "ts": start + at, "dur": 10}
              for text, at in (("begin", 0), (f"mark of {name}", 30))]
    with open(path, "w") as file:
        json.dump(events, file)
    return path


def test_a_picture_of_several_is_another_one():
    need_viewer()
    with scratch() as folder:
        pictures = []
        for traces in ([SYNTHETIC], [SYNTHETIC, SYNTHETIC], [SYNTHETIC, CPU]):
            assert text_of("screenshot", *traces, "-o", f"{folder}/x.png", "--size", "640x480") == ""
            with open(f"{folder}/x.png", "rb") as file:
                pictures.append(file.read())
        assert len(set(pictures)) == 3


def test_an_svg_shows_both_and_their_names():
    with scratch() as folder:
        a, b = marked(folder, "baseline", 1000), marked(folder, "compiled", 500000)
        text_of("screenshot", a, b, "-o", f"{folder}/x.svg", "--align", "event:mark of")
        with open(f"{folder}/x.svg", encoding="utf-8") as file:
            svg = file.read()
        for word in ("mark of baseline", "mark of compiled", "baseline · process 1", "compiled · process 1",
                     "baseline.json · compiled.json"):
            assert word in svg, word


def test_what_cannot_be_aligned_is_told():
    need_viewer()
    with scratch() as folder:
        a, b = marked(folder, "a", 0), marked(folder, "b", 10)
        for end in ("png", "svg"):
            for how in ("clock", "step:3", "event:nothing"):
                message = complaint_of("screenshot", a, b, "-o", f"{folder}/x.{end}", "--align", how,
                                       status=2) if end == "svg" else \
                    lanescope("screenshot", a, b, "-o", f"{folder}/x.png", "--align", how).stderr.decode()
                assert "a.json" in message, message
            assert "An alignment is" in complaint_of("screenshot", a, b, "-o", f"{folder}/x.{end}", "--align", "soon",
                                                     status=2)


def test_one_that_is_broken_or_missing_fails_a_picture():
    need_viewer()
    with scratch() as folder:
        broken = f"{folder}/broken.json"
        with open(broken, "w") as file:
            file.write("{")
        for other in (broken, f"{folder}/missing.json"):
            for end in ("png", "svg"):
                run = lanescope("screenshot", SYNTHETIC, other, "-o", f"{folder}/x.{end}")
                assert run.returncode == 1 and other.encode() in run.stderr, run


def test_commands_of_one_trace_say_so():
    for words in (["info"], ["summary"], ["table", "kernels"], ["find"], ["notes"]):
        traces = [SYNTHETIC, CPU] if words != ["find"] else [SYNTHETIC, "kernel", CPU]
        message = complaint_of(*words, *traces, status=2)
        assert "takes one trace" in message, message


def test_an_svg_of_real_ranks():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES names no folder")
    with scratch() as folder:
        ranks = [TRACES / "torch" / "two_ranks" / f"rank-{n}.json.gz" for n in (0, 1)]
        text_of("screenshot", *ranks, "-o", f"{folder}/x.svg", "--align", "step:551")
        with open(f"{folder}/x.svg", encoding="utf-8") as file:
            svg = file.read()
        assert "rank 0 · " in svg and "rank 1 · " in svg


run_all(globals())
