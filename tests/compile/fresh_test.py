#!/usr/bin/env python3
"""Tests programs that a real PyTorch compiles on the CPU: lanescope's output equals the programs' own counts and PyTorch's counters.
LANESCOPE_TORCH is a Python with PyTorch; scripts/test-compile sets it."""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
from program import ROOT, json_of, run_all  # noqa: E402

PROGRAM = ROOT / "tests" / "compile" / "train_program.py"
FOLDER = tempfile.TemporaryDirectory(prefix="lanescope-compile-")


@functools.cache
def made(name):
    """Returns the facts of a run, and its trace. The run "warm" uses the caches of the run "cold"."""
    if name == "warm":
        made("cold")
    folder = pathlib.Path(FOLDER.name) / name
    folder.mkdir()
    compiled = {"TORCH_TRACE": folder / "logs", "INDUCTOR_PROVENANCE": 1, "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": 1,
                "TORCHINDUCTOR_CACHE_DIR": pathlib.Path(FOLDER.name) / "cache"}
    subprocess.run([os.environ["LANESCOPE_TORCH"], PROGRAM, "eager" if name == "eager" else "compiled", folder], check=True, capture_output=True,
                   env={**os.environ, **({} if name == "eager" else {key: str(value) for key, value in compiled.items()})})
    return json.loads((folder / "facts.json").read_text()), folder / "trace.json"


def compiled_by(name, by):
    return json_of("table", "compile", made(name)[1], "--by", by)


def place(facts, *names):
    return {f"train_program.py:{facts['lines'][name]}" for name in names}


def test_functions_with_their_compilations_guards_and_calls():
    facts, trace = made("cold")
    rows = json_of("table", "compile", trace)
    by_frame = {}
    for one in facts["compiles"]:
        by_frame.setdefault(int(one["id"].split("/")[0]), []).append(one)
    assert {row["frame"] for row in rows} == set(by_frame), rows
    for row in rows:
        known = by_frame[row["frame"]]
        assert (row["function"], row["compiles"]) == (known[-1]["function"], len(known)), (row, known)
        assert row["place"].endswith(f":{known[-1]['line']}"), (row, known)
    for function, calls in facts["calls"].items():
        # Every call runs compiled code, including the code after the graph break.
        assert [row["calls"] for row in rows if row["function"] == function] == [calls], (function, rows)


def test_breaks_and_recompilations():
    facts, _ = made("cold")
    breaks = compiled_by("cold", "break")
    assert len(breaks) == facts["breaks"] and {row["place"] for row in breaks} == place(facts, "break"), breaks
    recompiles = compiled_by("cold", "recompile")
    assert {row["function"] for row in recompiles} == {"loss_of"} and "size" in recompiles[0]["guard"], recompiles
    assert len({row["compile_id"] for row in recompiles}) == sum(one["function"] == "loss_of" for one in facts["compiles"]) - 1


def test_kernels_with_their_operators_and_lines():
    facts, trace = made("cold")
    ran = [row for row in compiled_by("cold", "kernel") if row["calls"]]
    assert ran and {row["grade"] for row in ran} <= {"id", "nest", "order"}, ran
    whole = {name for row in ran for name in (row["lines"] or "").split(", ") if name}
    marked = place(facts, *(name for name in facts["lines"] if name != "break"))
    assert whole == marked, (whole ^ marked)
    for operator, name in (("aten.mm.default", "product"), ("aten.tanh.default", "activation"), ("aten.sin.default", "before"),
                           ("aten.cos.default", "after"), ("aten.relu.default", "relu"), ("lanescope.scaled.default", "custom")):
        with_it = [row for row in ran if operator in (row["operators"] or "").split(", ")]
        assert with_it and any(place(facts, name) <= set(row["lines"].split(", ")) for row in with_it), (operator, with_it)
    # A call of a graph runs all calls in its code.
    graphs = {(row["compile_id"], row["graph"]): row for row in compiled_by("cold", "graph")}
    for row in ran:
        assert row["calls"] == graphs[row["compile_id"], row["graph"]]["calls"], row
    forward = [row for row in graphs.values() if row["function"] == "loss_of" and (row["graph"] or "").endswith("forward")]
    backward = [row for row in graphs.values() if row["function"] == "loss_of" and (row["graph"] or "").endswith("backward")]
    assert sum(row["calls"] for row in forward) == sum(row["calls"] for row in backward) == facts["calls"]["loss_of"], graphs
    lines = compiled_by("cold", "line")
    assert sum(row["time_ns"] for row in lines) == sum(row["time_ns"] for row in ran) and abs(sum(row["share"] for row in lines) - 1) < 1e-9
    assert json_of("info", trace)["compile_artifacts"], "the log beside the trace"


def test_a_warm_run_hits_the_cache_and_does_not_differ():
    states = {row["cache"] for row in compiled_by("cold", "graph")}, {row["cache"] for row in compiled_by("warm", "graph")}
    assert states == ({"miss"}, {"hit"}), states
    compiled = json_of("compare", made("cold")[1], made("warm")[1])["compiled"]
    assert {row["change"] for row in compiled["graphs"]} == {row["change"] for row in compiled["fusions"]} == {"same"}, compiled["sentences"]
    assert compiled["guards"] == [], compiled["guards"]


def test_eager_operators_become_kernels():
    rows = {row["operator"]: row for row in json_of("compare", made("eager")[1], made("cold")[1])["compiled"]["origins"]}
    for name in ("aten::mm", "aten::tanh", "aten::sin", "aten::cos", "aten::relu"):
        assert rows[name]["kernels"] and rows[name]["calls"] > 0, rows.get(name)


if __name__ == "__main__":
    run_all(globals())
