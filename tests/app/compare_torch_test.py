#!/usr/bin/env python3
"""lanescope compare on runs of a real PyTorch (tests/torch/compare_runs_test.py made and reduced them): twenty equal runs, one
that is slower on purpose, and eager against compiled. Figures are computed here from the events."""
import gzip
import itertools
import json
import pathlib
import statistics

from program import ROOT, json_of, lanescope, run_all, scratch

STORED = json.loads(gzip.decompress((ROOT / "tests" / "data" / "torch_runs.json.gz").read_bytes()))
EQUAL = sorted(name for name in STORED["runs"] if name.startswith("run"))
ENGINE = "autograd::engine::evaluate_function: "


def events_of(run):
    """Name, whether it is an operator, begin and end in ns."""
    columns = STORED["runs"][run]
    for name, is_op, begin, duration in zip(columns["name"], columns["is_op"], itertools.accumulate(columns["begin"]),
                                            columns["duration"]):
        yield STORED["names"][name], is_op, begin, begin + duration


def save(folder, *runs):
    for run in runs:
        events = [{"ph": "X", "cat": "cpu_op" if is_op else "user_annotation", "name": name, "pid": 1, "tid": 1,
                   "ts": begin / 1000, "dur": (end - begin) / 1000} for name, is_op, begin, end in events_of(run)]
        pathlib.Path(folder, f"{run}.json").write_text(json.dumps({"traceEvents": events}))
    return [pathlib.Path(folder, f"{run}.json") for run in runs]


def steps_of(run):
    return [(begin, end) for name, _, begin, end in events_of(run) if name.startswith("ProfilerStep#")]


def median_step(run):
    return statistics.median(end - begin for begin, end in steps_of(run))


def time_in_steps(run, wanted):
    """Returns the time of each step in calls with the wanted names, of which none may contain another."""
    return [sum(end - begin for name, _, begin, end in events_of(run) if name in wanted and first <= begin < last)
            for first, last in steps_of(run)]


def gate_of(*words):
    run = lanescope("compare", *words, "--format", "json", "--fail-over", "5%")
    gate = json.loads(run.stdout)["gate"]
    assert run.returncode == (3 if gate["outcome"] == "failed" else 0), (run.returncode, gate)
    return gate


def test_none_of_twenty_equal_runs_gives_an_alarm():
    with scratch() as folder:
        paths = save(folder, *EQUAL)
        assert len(paths) == 20
        for path in paths:
            others = [other for other in paths if other != path]
            gate = gate_of(path, "--baseline", *others)
            assert gate["outcome"] == "passed", (path, gate)
            expected = median_step(path.stem) / statistics.median(median_step(other.stem) for other in others)
            assert abs(gate["ratio"] - expected) < 1e-6, (path, gate, expected)


def test_a_run_that_is_slower_on_purpose_is_found():
    with scratch() as folder:
        slower, *paths = save(folder, "slower", *EQUAL)
        gate = gate_of(slower, "--baseline", *paths)
        assert gate["outcome"] == "failed", gate
        one = json_of("compare", slower, "--baseline", *paths, "--top", "0")
        assert one["step"]["a_ns"] == statistics.median(map(median_step, EQUAL))
        assert one["step"]["b_ns"] == median_step("slower") and one["step"]["verdict"] == "slower"
        # One layer is wider: what takes most of the additional time are its products.
        row = one["rows"][0]
        assert (row["function"], row["verdict"]) == ("aten::mm", "slower"), row
        assert "AddmmBackward0" in row["path"] and row["difference_ns"] > 0.3 * one["step"]["difference_ns"], row
        runs = [statistics.median(time_in_steps(run, {"aten::mm"})) for run in EQUAL]
        assert abs(row["a_ns"] - statistics.median(runs)) < 1, (row, statistics.median(runs))


def test_eager_against_compiled():
    with scratch() as folder:
        eager, compiled = save(folder, "run01", "compiled")
        one = json_of("compare", eager, compiled, "--top", "0")
        again = json_of("compare", compiled, eager, "--top", "0")
    names = {run: {name for name, *_ in events_of(run)} for run in ("run01", "compiled")}
    gone = {name for name in names["run01"] - names["compiled"] if name.startswith(ENGINE)}
    assert len(gone) >= 5, gone
    (backward,) = [row for row in one["rows"] if "CompiledFunctionBackward" in row["function"]]
    assert backward["verdict"] == "fused", backward
    assert abs(backward["a_ns"] - statistics.median(time_in_steps("run01", gone))) < 1, backward
    compiled_time = statistics.median(time_in_steps("compiled", {ENGINE + "CompiledFunctionBackward"}))
    assert abs(backward["b_ns"] - compiled_time) < 1, (backward, compiled_time)
    (forward,) = [row for row in one["rows"] if "Torch-Compiled Region" in row["function"]]
    assert forward["verdict"] == "replaced", forward
    assert "aten::layer_norm" in forward["function"] and "aten::linear" in forward["function"], forward
    # Functions that both runs have are compared by name: none is new or gone.
    loss = [row for row in one["rows"] if row["function"] in ("aten::pow", "aten::mean", "Optimizer.step#SGD.step")]
    assert len(loss) >= 3 and not {row["verdict"] for row in loss} & {"new", "gone", "replaced"}, loss
    lost = [row for row in one["rows"] if row["verdict"] in ("new", "gone") and row["function"].startswith(ENGINE)]
    assert not lost, lost
    # The other way around, one function became several.
    (backward,) = [row for row in again["rows"] if "CompiledFunctionBackward" in row["function"]]
    assert backward["verdict"] == "split", backward
    for key in ("a_ns", "b_ns"):
        assert abs(sum(row[key] for row in one["rows"]) - one["step"][key]) < 1


run_all(globals())
