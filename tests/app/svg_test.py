#!/usr/bin/env python3
"""lanescope screenshot -o X.svg: the timeline as a well-formed SVG file with texts."""
import json
import pathlib
import shutil
import xml.etree.ElementTree as xml

from program import SAMPLES, error_of, json_of, lanescope, run_all, scratch, traces_here

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
TRANSFORMER = SAMPLES / "torch_cpu/transformer_train_shapes_memory_flops.json.gz"
SVG = "{http://www.w3.org/2000/svg}"


def svg_of(trace, *words):
    with scratch() as folder:
        out = pathlib.Path(folder) / "x.svg"
        run = lanescope("screenshot", trace, "-o", out, *words)
        assert run.returncode == 0, run.stderr
        return xml.fromstring(out.read_bytes())


def texts_of(svg):
    return [text.text for text in svg.iter(SVG + "text")]


def test_names_are_texts_and_slices_have_the_right_positions():
    row = max((r for r in json_of("table", "kernels", SYNTHETIC, "--by", "instance") if r["step"] == 5),
              key=lambda r: r["duration_ns"])
    begin, end = row["start_ns"], row["start_ns"] + row["duration_ns"]
    around = f"{begin - row['duration_ns']}ns..{end + row['duration_ns']}ns"
    svg = svg_of(SYNTHETIC, "--range", around, "--theme", "light", "--size", "1396x400")
    assert svg.get("width") == "1396"
    texts = texts_of(svg)
    short = row["name"].split("(")[0]
    assert any(short.startswith(text.rstrip("…")) for text in texts if len(text) > 8), (short, texts)
    # 1200 units show three times the kernel's length: the kernel is 400 wide, less a gap of 1.
    wide = [r for r in svg.iter(SVG + "rect")
            if abs(float(r.get("x")) - 596) < 0.6 and abs(float(r.get("width")) - 399) < 1.2]
    assert wide, "no rectangle at the kernel's position"
    assert any("synthetic sample" in text for text in texts), "a synthetic trace must be marked as synthetic"


def test_launch_queues_are_lanes_of_their_own():
    texts = texts_of(svg_of(SYNTHETIC, "--lanes", "^launch queue"))
    streams = {row["stream"] for row in json_of("table", "launches", SYNTHETIC, "--by", "queue")}
    assert texts.count("launch queue") == len(streams) > 0, texts
    assert any(text.startswith("max ") for text in texts), texts
    assert not any("launch queue" in text for text in texts_of(svg_of(TRANSFORMER))), "a trace without a GPU has no launches"


def test_notes_and_the_selection_are_drawn():
    with scratch() as folder:
        trace = pathlib.Path(folder) / "run.json.gz"
        shutil.copy(SYNTHETIC, trace)
        (trace.parent / "run.json.gz.notes.json").write_text(json.dumps(
            {"lanescope_notes": 1, "trace": {}, "notes": [{"begin_ns": 3500000, "end_ns": 4000000, "text": "<here> & \"there\""}]}))
        svg = svg_of(trace, "--select", "ProfilerStep#5")
        assert any("<here> & \"there\"" in text for text in texts_of(svg)), texts_of(svg)
        framed = [r for r in svg.iter(SVG + "rect") if r.get("fill") == "none" and r.get("stroke-width") == "1.5"]
        assert len(framed) == 1


def test_distances_between_marks_are_drawn():
    with scratch() as folder:
        trace = pathlib.Path(folder) / "run.json.gz"
        shutil.copy(SYNTHETIC, trace)
        marks = [{"begin_ns": t, "end_ns": t, "text": ""} for t in (1000000, 3000000, 4250000)]
        marks.insert(1, {"begin_ns": 2000000, "end_ns": 2500000, "text": "a range between them"})
        (trace.parent / "run.json.gz.notes.json").write_text(
            json.dumps({"lanescope_notes": 1, "trace": {}, "notes": marks}))
        svg = svg_of(trace, "--range", "0.5ms..5ms", "--size", "1096x400")
        lines = [r for r in svg.iter(SVG + "rect") if r.get("class") == "distance"]
        # 900 units show 4.5 ms.
        assert [(float(r.get("x")), float(r.get("width"))) for r in lines] == [(296, 400), (696, 250)], lines
        texts = texts_of(svg)
        assert "2 ms" in texts and "1.25 ms" in texts, [t for t in texts if t.endswith(" ms")]
        # A distance with one end in view reaches to the edge. One with no end in view, or without room for its text, is left out.
        assert len([r for r in svg_of(trace, "--range", "2ms..3.5ms").iter(SVG + "rect") if r.get("class")]) == 2
        assert not [r for r in svg_of(trace, "--range", "1.5ms..2.5ms").iter(SVG + "rect") if r.get("class")]


def test_gaps_busy_shares_and_dead_windows_are_drawn():
    gap = max((r for r in json_of("table", "gaps", SYNTHETIC) if r["cause"] == "host" and r["streams"] == "7"),
              key=lambda r: r["duration_ns"])
    begin, end = gap["start_ns"], gap["start_ns"] + gap["duration_ns"]
    svg = svg_of(SYNTHETIC, "--range", f"{begin - gap['duration_ns']}ns..{end + gap['duration_ns']}ns", "--size", "1396x400")
    assert any(text.endswith("· host") for text in texts_of(svg)), texts_of(svg)
    assert any("busy " in text and " of its span" in text for text in texts_of(svg)), "the GPU's header must contain its busy share"
    window = max((w for w in json_of("table", "dead-windows", SYNTHETIC) if w["kind"] == "dead"), key=lambda r: r["duration_ns"])
    begin, end = window["start_ns"], window["start_ns"] + window["duration_ns"]
    svg = svg_of(SYNTHETIC, "--range", f"{begin - window['duration_ns']}ns..{end + window['duration_ns']}ns",
                 "--size", "1396x400")
    hatched = [r for r in svg.iter(SVG + "rect") if r.get("fill") == "url(#dead)"]
    assert any(abs(float(r.get("x")) - 596) < 1 and abs(float(r.get("width")) - 400) < 1 for r in hatched), len(hatched)
    assert list(svg.iter(SVG + "pattern")), "the hatching's pattern must be defined"


def test_flows_of_the_selection_are_drawn():
    row = next(r for r in json_of("table", "launches", SYNTHETIC) if r["kernel_start_ns"])
    span = f"{row['launch_start_ns'] - 20000}ns..{row['kernel_start_ns'] + 40000}ns"
    flows = [p for p in svg_of(SYNTHETIC, "--range", span, "--select", row["name"]).iter(SVG + "path")
             if p.get("class") == "flow"]
    assert len(flows) == 1, len(flows)
    assert not [p for p in svg_of(SYNTHETIC, "--range", span).iter(SVG + "path") if p.get("class") == "flow"]


def test_only_the_requested_lanes_are_drawn():
    texts = texts_of(svg_of(SYNTHETIC, "--lanes", "^stream (7|20)$"))
    assert "stream 7" in texts and "stream 20" in texts, texts
    assert not any("4711" in text or "hidden" in text for text in texts), texts
    whole = texts_of(svg_of(SYNTHETIC, "--lanes", "synthetic training"))
    assert any("4711" in text for text in whole) and not any(text.startswith("stream") for text in whole)


def test_every_colour_mode_has_its_legend():
    legends = {"category": "operator", "name": "ProfilerStep#5", "deviation": "less than half the median",
               "step": "ProfilerStep#5", "module": "Linear_0", "occupancy": "100 %"}
    fills = set()
    for mode, line in legends.items():
        svg = svg_of(SYNTHETIC, "--color", mode, "--range", "3.35ms..4.55ms", "--size", "2400x800")
        assert line in texts_of(svg), (mode, texts_of(svg)[-20:])
        fills.add(frozenset(r.get("fill") for r in svg.iter(SVG + "rect")))
    assert len(fills) == len(legends), "two colour modes must not look the same"
    assert "category" in error_of("screenshot", SYNTHETIC, "-o", "x.svg", "--color", "rainbow", status=2)


def test_traces_give_documents():
    samples = (SYNTHETIC, *sorted(SAMPLES.glob("torch_cpu/*.json.gz")))
    real = traces_here("torch/h100_bert_small.json.gz", "torch/v100_memory_nccl.json.gz", "torch/mi300_qwen_chat.json.gz")
    for trace in (*samples, *real):
        assert len(list(svg_of(trace).iter(SVG + "rect"))) > 100, trace


def test_wrong_usage():
    assert "--panel" in error_of("screenshot", SYNTHETIC, "-o", "x.svg", "--panel", "Steps", status=2)
    assert "No slice" in error_of("screenshot", SYNTHETIC, "-o", "x.svg", "--select", "nothing of that name", status=2)
    assert "No lane" in error_of("screenshot", SYNTHETIC, "-o", "x.svg", "--lanes", "nothing of that name", status=2)
    assert "cannot be read" in error_of("screenshot", SYNTHETIC, "-o", "x.svg", "--lanes", "(", status=2)
    with scratch() as folder:
        run = lanescope("screenshot", SYNTHETIC, "-o", pathlib.Path(folder) / "no" / "x.svg")
        assert run.returncode == 1 and run.stderr


run_all(globals())
