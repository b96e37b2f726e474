#!/usr/bin/env python3
"""Tests lanescope compare with compiled programs: differences of graphs, fusions and guards, and the kernels of eager operators."""
import json
import pathlib

from program import json_of, lanescope, real_trace, run_all, scratch, text_of

from compiled_program import CODE, HEAD, log_text, trace_of_compiled_code  # noqa: I001

GUARDS = """TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'torch.Tensor'>
| | +- TYPE_MATCH: ___check_type_id(L['x'], ADDRESS), type=<class 'torch.Tensor'>  # y = x  # model.py:3 in forward
| | +- TENSOR_MATCH: check_tensor(L['x'], size=[SIZE, 4])  # y = x  # model.py:3 in forward
"""
# One kernel instead of two.
FUSED_CODE = CODE.replace("triton_poi_fused_relu_0", "triton_poi_fused_mm_relu_0").replace(
    "    # [Provenance debug handles] extern_kernels.mm:1\n    extern_kernels.mm(a, b, out=buf0)\n", "")
FUSED_TRACE = json.dumps(trace_of_compiled_code()).replace("triton_poi_fused_relu_0", "triton_poi_fused_mm_relu_0")


def guards(address, size):
    record = HEAD + json.dumps({"dynamo_cpp_guards_str": {}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})
    text = GUARDS.replace("ADDRESS", str(address)).replace("SIZE", str(size))
    return record + "\n" + "".join(f"\t{line}\n" for line in text.rstrip().split("\n"))


def run_in(folder, name, log, trace=None):
    """Writes a trace and its log to a folder. Returns the trace."""
    folder = pathlib.Path(folder) / name
    folder.mkdir()
    path = folder / f"{name}.json"
    path.write_text(trace or json.dumps(trace_of_compiled_code()))
    if log:
        (folder / "dedicated_log_torch_trace_x.log").write_text(log)
    return path


def fused_log():
    return log_text().replace("\n".join("\t" + line for line in CODE.split("\n")), "\n".join("\t" + line for line in FUSED_CODE.split("\n"))).replace(
        json.dumps({"cppCodeToPost": {"extern_kernels.mm:1": ["mm"], "triton_poi_fused_relu_0:2": ["relu"]}}),
        json.dumps({"cppCodeToPost": {"triton_poi_fused_mm_relu_0:2": ["mm", "relu"]}}))


def eager_trace():
    events = trace_of_compiled_code()
    rows = [row for row in events["traceEvents"] if "Compiled" not in row["name"]]
    for row in rows:
        if row["name"] == "cuLaunchKernel":
            rows.append({**row, "cat": "cpu_op", "name": "aten::relu", "ts": 58, "dur": 10, "args": {}})
        if row["name"].startswith("triton"):
            row.update(name="relu_kernel", dur=50)
    return json.dumps({**events, "traceEvents": rows})


def test_two_runs_of_the_same_code_do_not_differ():
    with scratch() as folder:
        one = run_in(folder, "one", log_text() + guards(94696536844016, 8))
        two = run_in(folder, "two", log_text() + guards(94696536840000, 8))
        compiled = json_of("compare", one, two)["compiled"]
        assert [row["change"] for row in compiled["graphs"]] == ["same"], compiled
        assert [row["change"] for row in compiled["fusions"]] == ["same", "same"] and compiled["guards"] == [], compiled
        assert compiled["origins"] == [] and compiled["sentences"] == ["Graphs: 1 the same.", "Kernels of graphs in both: 2 the same."], compiled


def test_a_fusion_a_guard_and_a_break_that_differ():
    with scratch() as folder:
        one = run_in(folder, "one", log_text() + guards(1, 8))
        two = run_in(folder, "two", fused_log().replace("Reason: print", "Reason: item") + guards(2, 16), FUSED_TRACE)
        compared = json_of("compare", one, two)
        compiled = compared["compiled"]
        graph, = compiled["graphs"]
        assert (graph["change"], graph["a"], graph["b"], graph["a_kernels"], graph["b_kernels"], graph["a_ns"], graph["b_ns"]) == (
            "changed", "0_inference in 0/0", "0_inference in 0/0", 2, 1, 90_000, 30_000), graph
        fusion, = compiled["fusions"]
        assert (fusion["change"], fusion["operators"], fusion["a"], fusion["b"], fusion["lines"]) == (
            "fused", "aten.mm.default, aten.relu.default", "extern_kernels.mm, triton_poi_fused_relu_0", "triton_poi_fused_mm_relu_0",
            "model.py:3, model.py:4"), fusion
        texts = {(row["change"], row["kind"], row["text"]) for row in compiled["guards"]}
        assert texts == {("gone", "graph break", "print"), ("new", "graph break", "item"),
                         ("gone", "guard", "TENSOR_MATCH: check_tensor(L['x'], size=[8, 4])"),
                         ("new", "guard", "TENSOR_MATCH: check_tensor(L['x'], size=[16, 4])")}, texts
        assert compiled["sentences"] == ["Graphs: 1 changed.", "Kernels of graphs in both: 1 fused.", "Graph breaks: 1 only in A, 1 only in B.",
                                         "Guards: 1 only in A, 1 only in B."], compiled["sentences"]
        text = text_of("compare", one, two)
        assert text.index("Compiled code") < text.index("Kernels of graphs in both: 1 fused.") < text.index("The whole trace:"), text
        back = json_of("compare", two, one)["compiled"]["fusions"]
        assert [row["change"] for row in back] == ["split"], back


def test_a_graph_that_only_one_run_has():
    with scratch() as folder:
        one = run_in(folder, "one", log_text())
        two = run_in(folder, "two", log_text().replace('"co_name": "forward"', '"co_name": "other"'))
        changes = [(row["change"], row["function"]) for row in json_of("compare", one, two)["compiled"]["graphs"]]
        assert sorted(changes) == [("gone", "forward"), ("new", "other")], changes


def test_eager_operators_and_the_kernels_that_they_became():
    with scratch() as folder:
        eager = run_in(folder, "eager", None, eager_trace())
        compiled = run_in(folder, "compiled", fused_log(), FUSED_TRACE)
        for first, second in ((eager, compiled), (compiled, eager)):
            changes = json_of("compare", first, second)["compiled"]
            assert changes["graphs"] == changes["guards"] == [], changes
            rows = {row["operator"]: row for row in changes["origins"]}
            assert set(rows) == {"aten::mm", "aten::relu", "aten::add"}, rows
            for name, time in (("aten::mm", 60_000), ("aten::relu", 50_000)):
                row = rows[name]
                assert (row["time_ns"], row["kernels"], row["kernel_time_ns"], row["left_calls"], row["grade"]) == (
                    time, "triton_poi_fused_mm_relu_0", 30_000, 0, "order"), row
            add = rows["aten::add"]
            assert (add["kernels"], add["kernel_time_ns"], add["left_calls"], add["left_ns"], add["grade"]) == (None, None, 1, 10_000, None), add
            sides = ("A", "B") if first == eager else ("B", "A")
            assert changes["sentences"] == ["2 operators of {}, with 92 % of their time, are compiled in {} into 1 kernel: 110 us became 30 us."
                                            .format(*sides).replace(" us", " µs")], changes["sentences"]


def test_compiled_code_without_its_log():
    with scratch() as folder:
        one, two = run_in(folder, "one", log_text()), run_in(folder, "two", None)
        compiled = json_of("compare", one, two)["compiled"]
        assert compiled["graphs"] == [] and "B runs compiled code, and no log" in compiled["sentences"][0], compiled
        assert b"runs compiled code" in lanescope("compare", one, two, "--format", "csv").stderr
        assert "**Compiled code**" in text_of("compare", one, two, "--format", "md")
        plain = run_in(folder, "plain", None, eager_trace())
        assert json_of("compare", plain, plain)["compiled"] is None and "Compiled code" not in text_of("compare", plain, plain)


def test_a_real_program_and_its_warm_run():
    folder = real_trace("compile/train_mlp")
    compiled = json_of("compare", folder / "train_mlp.trace.json.gz", folder / "train_mlp_warm.trace.json.gz", "--compile-artifacts",
                       folder / "torch_trace", "--compile-artifacts", folder / "torch_trace_warm")["compiled"]
    # The caches return the same code.
    assert {row["change"] for row in compiled["graphs"]} == {row["change"] for row in compiled["fusions"]} == {"same"}, compiled["sentences"]
    assert len(compiled["graphs"]) == 6 and compiled["guards"] == [], compiled["sentences"]
    other = real_trace("compile/attn_infer") / "attn_infer.trace.json.gz"
    compiled = json_of("compare", folder / "train_mlp.trace.json.gz", other)["compiled"]
    assert {row["change"] for row in compiled["graphs"]} == {"gone", "new"} and compiled["fusions"] == [], compiled["sentences"]


if __name__ == "__main__":
    run_all(globals())
