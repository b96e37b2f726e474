#!/usr/bin/env python3
"""lanescope find, end to end."""
import gzip
import json
import re

from program import SAMPLES, error_of, json_of, run_all, scratch, text_of, traces_here

TRACE = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def names(expression, *more, trace=TRACE):
    return [row["name"] for row in json_of("find", trace, expression, *more)]


def test_rows_are_sorted_by_time_and_have_all_columns():
    rows = json_of("find", TRACE, "aten::mm")
    assert len(rows) > 50
    assert set(rows[0]) == {"start_ns", "duration_ns", "name", "short_name", "category", "lane"}
    starts = [row["start_ns"] for row in rows]
    assert starts == sorted(starts)
    assert {row["category"] for row in rows} == {"cpu_op"}
    operators = {row["name"]: row["calls"] for row in json_of("table", "operators", TRACE)}
    assert names("name:aten::mm").count("aten::mm") == operators["aten::mm"]
    assert len(names("re:^aten::mm$")) == operators["aten::mm"]


def test_all_words_must_match_and_minus_negates():
    everything = len(names(" -zzzzzz"))
    assert len(names("mm")) + len(names(" -mm")) == everything
    some = names("name:mm -name:addmm")
    assert some and all("mm" in name and "addmm" not in name for name in some), some[:5]
    assert all(re.search("backward", name, re.IGNORECASE) for name in names("name:BACKWARD"))


def test_filters_by_duration_and_kind():
    rows = json_of("find", TRACE, "kind:operator dur>100us")
    assert rows and all(row["duration_ns"] > 100_000 for row in rows)
    kernels = json_of("find", SYNTHETIC, "kernel dur=1us..1s")
    assert kernels and all(row["category"] == "kernel" for row in kernels)


def test_a_search_for_a_shape_finds_its_operator():
    shapes = json_of("table", "operators", TRACE, "--by", "shape")
    wanted = next(row for row in shapes if row["name"] == "aten::mm")
    shape = wanted["input_shapes"]
    assert len(names(f'name:aten::mm "{shape}"')) >= 1, shape


def test_range_and_top_limit_the_rows():
    step = names("ProfilerStep", "--range", "step:3")
    assert step == ["ProfilerStep#3"], step
    assert names(" -zzz", "--top", "2") == names(" -zzz")[:2]


def test_errors_point_at_the_wrong_word():
    message = error_of("find", TRACE, "mm dur>fast", status=2)
    lines = message.splitlines()
    assert "Expected a duration" in lines[0], message
    assert lines[1].strip() == "mm dur>fast" and lines[2].index("^") - lines[1].index("m") == 7, message
    assert "Not a regular expression" in error_of("find", TRACE, "re:a(b", status=2)


def test_arguments_outside_memory_are_read_from_the_file():
    with gzip.open(SYNTHETIC, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    blocking = [e for e in slices if "Ev Idx" in e.get("args", {})]
    assert len(names("args:\"Ev Idx\"", trace=SYNTHETIC)) == len(blocking)
    seven = [e for e in slices if any(f"{k}={v}".lower().find("stream=7") >= 0 for k, v in e.get("args", {}).items())]
    assert seven and len(names("args:stream=7", trace=SYNTHETIC)) == len(seven)
    assert names("kernel args:stream=7 -args:stream=7", trace=SYNTHETIC) == []


def test_shapes_of_indented_files_are_found_as_pytorch_writes_them():
    with scratch() as folder:
        indented = f"{folder}/indented.json"
        with gzip.open(TRACE, "rt", encoding="utf-8") as source, open(indented, "w", encoding="utf-8") as target:
            json.dump(json.load(source), target, indent=2)
        check_shapes(indented, "128, 64", "[[128, 64], [64, 256]")
        for trace in traces_here("torch/h100_bert_small.json.gz"):
            check_shapes(trace, "141, 512", "[[1, 141, 512], [1, 141, 512]")


def check_shapes(trace, *shapes):
    with (gzip.open if str(trace).endswith(".gz") else open)(trace, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    for shape in shapes:
        holding = [e for e in events if any(shape in json.dumps(value) for value in e.get("args", {}).values())]
        assert len(holding) > 5 and len(names(f'args:"{shape}"', trace=trace)) == len(holding), (shape, len(holding))
        stored = [e for e in events if any(shape in json.dumps(e.get("args", {}).get(key, ""))
                                           for key in ("Input Dims", "Input Strides", "Concrete Inputs"))]
        assert len(names(f'"{shape}"', trace=trace)) == len(stored), (shape, len(stored))


def test_no_match_gives_an_empty_table():
    assert json_of("find", TRACE, "nothing has this") == []
    assert text_of("find", TRACE, "nothing has this", "--format", "csv") == "start_ns,duration_ns,name,short_name,category,lane\n"


run_all(globals())
