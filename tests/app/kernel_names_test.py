#!/usr/bin/env python3
"""Short names of kernels: no two rows of a table look alike, and none is too long. Families of kernels: few are "other"."""
import json
from pathlib import Path

from program import json_of, lanescope, run_all, scratch, text_of, traces_here

LONGEST = 60
ALLOWED_OTHER = 0.05
# Kernels of family "other" with more than 5 % of a trace's time, and why nothing says their family.
UNKNOWN = {}  # the name of the trace's file: the reason
REAL = ["torch", "graph", "chrome"]


def real_traces():
    for folder in REAL:
        for root in traces_here(folder):
            for path in sorted(Path(root).rglob("*.json*")):
                if path.name not in ("truth.json",):
                    yield str(path)


def kernels_of(path):
    """The kernels of a trace; none if the file is not a trace that can be read. Some traces have warnings."""
    run = lanescope("table", "kernels", path, "--format", "json")
    return json.loads(run.stdout) if run.returncode == 0 else []


def check(path, rows):
    names = {row["name"]: row["short_name"] for row in rows}
    assert len(set(names.values())) == len(names), (path, sorted(names.values()))
    assert max(map(len, names.values()), default=0) <= LONGEST, (path, max(names.values(), key=len))
    assert not any(name.startswith("_Z") for name in names.values()), path
    for row in rows:
        if row["kind"] == "communication":
            assert row["family"] == "communication", row
        if row["kind"] == "memory":
            assert row["family"] == "copy", row
    total = sum(row["total_ns"] for row in rows)
    others = {row["name"]: row["total_ns"] for row in rows if row["family"] == "other"}
    if sum(others.values()) > ALLOWED_OTHER * total:
        assert Path(path).name in UNKNOWN, (path, others)


def test_no_two_kernels_of_a_real_trace_look_alike():
    seen = 0
    names = {}
    for path in real_traces():
        rows = kernels_of(path)
        check(path, rows)
        seen += bool(rows)
        for row in rows:
            names.setdefault(row["name"], set()).add(row["short_name"])
    if seen:
        assert seen >= 20, seen
        # A name has the same short name in all traces, unless it needs a suffix in one of them.
        several = [name for name, short in names.items() if len(short) > 1]
        assert len(several) <= len(names) // 20, several


def test_every_table_of_kernels_has_the_same_names_and_families():
    for path in traces_here("torch/h100_bert_small.json.gz", "torch/vllm_graph_execution.json.gz"):
        kernels = {row["name"]: row for row in json_of("table", "kernels", path)}
        for table in (["hotspots"], ["kernels", "--by", "config"], ["kernels", "--by", "instance"], ["kernels", "--by", "node"]):
            for row in json_of("table", *table, path):
                assert row["short_name"] == kernels[row["name"]]["short_name"], (table, row)
                if "node" not in table and "instance" not in table:
                    assert row["family"] == kernels[row["name"]]["family"], (table, row)


def test_families_add_up():
    for path in traces_here("torch/a100_nccl_groups.json.gz", "torch/b200_eager_rank0.json.gz"):
        kernels = json_of("table", "kernels", path)
        families = json_of("table", "kernels", "--by", "family", path)
        assert sum(row["total_ns"] for row in families) == sum(row["total_ns"] for row in kernels)
        assert sum(row["names"] for row in families) == len(kernels)
        assert abs(sum(row["share"] for row in families) - len({row["device"] for row in kernels})) < 1e-6
        assert [row["total_ns"] for row in families] == sorted((row["total_ns"] for row in families), reverse=True)
        by_group = {row["family"]: row["total_ns"] for row in json_of("table", "kernels", "--group-by", "family", path)}
        for row in families:
            assert by_group[row["family"]] >= row["total_ns"], row


def trace_of(folder, kernels):
    """A trace in which operators launch kernels: pairs of an operator and a kernel's name."""
    events = []
    for i, (operator, name) in enumerate(kernels):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": operator, "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50, "args": {"External id": i + 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100 * i + 10, "dur": 5,
             "args": {"correlation": i + 1, "External id": i + 1}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * i + 20, "dur": 40,
             "args": {"device": 0, "stream": 7, "correlation": i + 1, "External id": i + 1}}]
    path = f"{folder}/made.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


def test_an_operator_says_what_a_kernel_without_a_telling_name_is_for():
    with scratch() as folder:
        path = trace_of(folder, [("aten::layer_norm", "generic_a"), ("vllm::rotary_embedding", "generic_b"), ("mine::unknown", "generic_c"),
                                 ("aten::layer_norm", "void flash_fwd_kernel<int>(int)")])
        families = {row["name"]: row["family"] for row in json_of("table", "kernels", path)}
        assert families == {"generic_a": "norm", "generic_b": "rope", "generic_c": "other", "void flash_fwd_kernel<int>(int)": "attention"}
        instances = {row["name"]: row["family"] for row in json_of("table", "kernels", "--by", "instance", path)}
        assert instances == families
        assert {row["family"] for row in json_of("table", "kernels", "--by", "family", path)} == set(families.values())
        rows = json_of("sql", path, "select name, family from gpu_activity")
        assert {row["name"]: row["family"] for row in rows} == families


def test_names_that_differ_in_what_a_label_drops_stay_different():
    with scratch() as folder:
        kernels = [f"Cijk_Ailk_Bljk_HHS_BH_MT16x16x64_SN_GRVWA{i}_WG16" for i in (2, 4, 8)]
        path = trace_of(folder, [("aten::mm", name) for name in kernels])
        short = {row["name"]: row["short_name"] for row in json_of("table", "kernels", path)}
        assert short == {name: f"GEMM 16×16×64 f16 NN Tensile GRVWA{i}" for name, i in zip(kernels, (2, 4, 8))}
        text = text_of("table", "kernels", path)
        for name in short.values():
            assert name in text, text
        assert kernels[0] in text_of("table", "kernels", path, "--full-names")
        (found,) = json_of("find", path, "GRVWA2")
        assert found["name"] == kernels[0]


run_all(globals())
