#!/usr/bin/env python3
"""Compiled programs: the tables of `lanescope table compile` equal what an independent reading of logs and traces says."""
import gzip
import json
import pathlib

from program import error_of, json_of, lanescope, real_trace, run_all, scratch

from compiled_program import HEAD, log_text, trace_of_compiled_code  # noqa: I001

# The traces with the facts that were computed from their logs.
PROGRAMS = {"attn_infer": ("attn_infer.trace.json.gz", "attn_infer_steady.trace.json.gz"),
            "train_mlp": ("train_mlp.trace.json.gz", "train_mlp_warm.trace.json.gz")}


def programs():
    for name, traces in PROGRAMS.items():
        path = real_trace(f"compile/{name}")
        yield json.loads((path / "facts.json").read_text()), [path / trace for trace in traces]


def logs():
    return [real_trace("compile/attn_infer/torch_compile_debug/tlparse/dedicated_log_torch_trace_f1pjizji.log.gz"),
            real_trace("compile/train_mlp/torch_trace/dedicated_log_torch_trace_osdxk4xf.log.gz")]


def names_of(places):
    return ", ".join(sorted({place.rsplit("/", 1)[-1] for place in places}, key=lambda place: (place.split(":")[0], int(place.split(":")[1]))))


def expected_sites(facts):
    """By compilation and graph: handle, operators and lines of each call. Without node mappings, only the lines are known."""
    found = {}
    for compile in facts["compiles"]:
        for graph in compile["graphs"]:
            for site in graph["call_sites"]:
                lines = set(site["lines_from_stacks"] or []) | set(site["lines_from_post_grad_comments"] or [])
                operators = ", ".join(site["aten_ops"]) if site["aten_ops"] else None
                found[compile["compile_id"], graph["aot_id"], site["call_site"]] = (operators, names_of(lines))
    return found


def test_a_small_program_on_a_gpu():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        trace, log = folder / "step.json", folder / "logs" / "dedicated_log_torch_trace_rank_0_x.log"
        trace.write_text(json.dumps(trace_of_compiled_code()))
        log.parent.mkdir()
        log.write_text(log_text())
        assert json_of("info", trace)["compile_artifacts"] == [str(log)]
        rows = [(row["call"], row["operators"], row["lines"], row["grade"], row["kernels"], row["time_ns"], row["kernel_file"])
                for row in json_of("table", "compile", trace, "--by", "kernel")]
        assert rows == [("extern_kernels.mm", "aten.mm.default", "model.py:3", "order", 1, 60_000, None),
                        ("triton_poi_fused_relu_0", "aten.relu.default", "model.py:4", "order", 1, 30_000, "cabkernel")], rows
        lines = [(row["lines"], row["code"], row["time_ns"], row["grade"]) for row in json_of("table", "compile", trace, "--by", "line")]
        assert lines == [("model.py:3", "x = a @ b", 60_000, "order"), ("model.py:4", "return x.relu()", 30_000, "order"),
                         ("outside compiled code", None, 10_000, None)], lines
        graph, = json_of("table", "compile", trace, "--by", "graph")
        assert (graph["calls"], graph["time_ns"], graph["kernel_time_ns"], graph["cache"]) == (1, 80_000, 90_000, "miss"), graph
        frame, = json_of("table", "compile", trace)
        assert (frame["function"], frame["place"], frame["compile_time_ns"], frame["recompiles"], frame["breaks"]) == (
            "forward", "model.py:2", 2_500_000_000, 1, 1), frame
        assert json_of("sql", trace, "SELECT place FROM compile_by_break") == [{"place": "model.py:5"}]
        trace.write_text(json.dumps(trace_of_compiled_code("fother")))
        rows = json_of("table", "compile", trace, "--by", "kernel")
        linked = {row["call"]: (row["graph"], row["grade"]) for row in rows if row["time_ns"]}
        assert linked == {"mm": (None, "guess"), "triton_poi_fused_relu_0": (None, "guess")}, rows
        log.write_text(log_text(pid=43))
        assert json_of("info", trace)["compile_artifacts"] == []
        assert "compile_artifact_of_another_process" in str(json_of("info", trace, "--compile-artifacts", log)["warnings"])
        assert "no such file" in error_of("table", "compile", trace, "--compile-artifacts", folder / "absent", status=1)
        log.write_text("no record")
        assert "compile_artifact_empty" in str(json_of("info", trace, "--compile-artifacts", log)["warnings"])


def test_code_is_joined_with_its_own_process_and_rank_only():
    with scratch() as folder:
        trace, log = pathlib.Path(folder) / "step.json", pathlib.Path(folder) / "dedicated_log_torch_trace_x.log"
        one = trace_of_compiled_code("None")
        log.write_text(log_text())
        trace.write_text(json.dumps(one))
        assert {row["graph"] for row in json_of("table", "compile", trace, "--by", "kernel")} == {"0_inference"}
        # Another process runs the same, and the log's own one nothing.
        other = json.loads(json.dumps(one).replace('"pid": 42', '"pid": 43'))
        other["traceEvents"].append({"ph": "X", "pid": 42, "tid": 42, "cat": "cpu_op", "name": "aten::add", "ts": 1, "dur": 1})
        trace.write_text(json.dumps(other))
        rows = json_of("table", "compile", trace, "--by", "kernel")
        assert not any(row["time_ns"] for row in rows if row["graph"]) and sum(row["time_ns"] for row in rows) == 90_000, rows
        trace.write_text(json.dumps({**one, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}}))
        log.write_text(log_text(rank=1))
        assert json_of("info", trace)["compile_artifacts"] == []
        log.write_text(log_text(rank=0))
        assert json_of("info", trace)["compile_artifacts"] == [str(log)]
        log.write_text(HEAD + '{"compilation_metrics": {"co_name": "f"}, "rank": 1, "frame_id": 0, "frame_compile_id": 0}')
        assert json_of("info", trace)["compile_artifacts"] == []


def test_shares_of_a_range_are_those_of_its_work():
    with scratch() as folder:
        trace = pathlib.Path(folder) / "step.json"
        trace.write_text(json.dumps(trace_of_compiled_code()))
        (pathlib.Path(folder) / "dedicated_log_torch_trace_x.log").write_text(log_text())
        rows = json_of("table", "compile", trace, "--by", "kernel", "--range", "0..90us")
        assert [(row["call"], row["time_ns"], row["share"]) for row in rows] == [
            ("extern_kernels.mm", 60_000, 1), ("triton_poi_fused_relu_0", 0, 0)], rows


def test_a_small_log():
    with scratch() as folder:
        log = pathlib.Path(folder) / "any name.log"
        log.write_text(log_text())
        facts = json_of("info", log)
        assert facts["format"] == "torch-trace" and facts["phases"] == {"B": 1, "E": 1, "M": 2, "i": 2}, facts
        phase, = json_of("sql", log, "SELECT name, ts, dur FROM slice WHERE dur > 0")
        assert (phase["name"], phase["dur"]) == ("dynamo", 2_000_500), phase
        log.write_text("cut\n" + log_text() + HEAD + '{"cut": \n')
        codes = {warning["code"]: warning for warning in json_of("info", log)["warnings"]}
        assert set(codes) == {"damaged_record", "foreign_lines"}, codes


def test_operators_and_lines_of_every_call_are_those_of_the_log():
    for facts, traces in programs():
        wanted = expected_sites(facts)
        # Lines that only nodes without a stack of their own have, which the compiler put in for others.
        inserted = {(compile["compile_id"], graph["aot_id"], site["call_site"])
                    for compile in facts["compiles"] for graph in compile["graphs"] for site in graph["call_sites"]
                    if set(site["lines_from_post_grad_comments"] or []) - set(site["lines_from_stacks"])}
        rows = json_of("table", "compile", traces[0], "--by", "kernel")
        found = {(row["compile_id"], row["graph"], row["handle"]): row for row in rows if row["handle"]}
        assert set(found) == set(wanted), set(found) ^ set(wanted)
        for key, (operators, lines) in wanted.items():
            assert found[key]["lines"] == lines, (key, found[key], lines)
            if operators:
                assert found[key]["operators"] == operators and found[key]["grade"] == "order", (key, found[key])
            assert found[key]["lines_grade"] == ("guess" if key in inserted else "order"), (key, found[key])


def test_every_call_of_a_graph_is_linked_by_order():
    for facts, traces in programs():
        for name, told in facts["traces"].items():
            path = real_trace("compile") / name
            graphs = {row["key"]: row["calls"] for row in json_of("table", "compile", path, "--by", "graph") if row["calls"]}
            assert graphs == told["fx_calls"], (path, graphs)
            kernels = json_of("table", "compile", path, "--by", "kernel")
            children = sum(len(runs[0]) * told["fx_calls"][key] for key, runs in told["children_of_call_in_order"].items())
            assert sum(row["calls"] for row in kernels) == children, (path, children)
            for row in json_of("table", "compile", path, "--by", "graph"):
                assert row["linked_time_ns"] == row["kernel_time_ns"], (path, row)
            lines = json_of("table", "compile", path, "--by", "line")
            assert abs(sum(row["share"] for row in lines) - 1) < 1e-9, lines
            assert sum(row["time_ns"] for row in lines) == sum(row["time_ns"] for row in kernels), path


def test_regions_have_their_calls_and_times():
    for facts, _ in programs():
        for name, told in facts["traces"].items():
            rows = {row["frame"]: row for row in json_of("table", "compile", real_trace("compile") / name)}
            by_frame = {}
            for region, about in told["regions"].items():
                calls, total = by_frame.get(int(region.split("/")[0]), (0, 0))
                by_frame[int(region.split("/")[0])] = (calls + about["count"], total + about["total_us"])
            for frame, (calls, total) in by_frame.items():
                assert rows[frame]["calls"] == calls and abs(rows[frame]["time_ns"] - total * 1000) < 10 * calls, (name, rows[frame])
                assert 0 <= rows[frame]["own_time_ns"] <= rows[frame]["time_ns"], rows[frame]


def test_compilations_breaks_and_failed_guards():
    for facts, traces in programs():
        frames = json_of("table", "compile", traces[0])
        for row in frames:
            own = [one for one in facts["compiles"] if int(one["compile_id"].split("/")[0]) == row["frame"]]
            assert row["compiles"] == len(own) and row["attempts"] == sum(one["attempts"] for one in own), row
            assert row["function"] == own[0]["function"] and row["place"] == f"{own[0]['file']}:{own[0]['line']}", row
            assert row["graphs"] == sum(len(one["graphs"]) for one in own) and row["guards"] == own[-1]["guard_count"], row
            backward = sum(one.get("lazy_backward_us") or 0 for one in own)
            forward = sum(one["frame_compile_us"] for one in own) * 1000
            assert forward <= row["compile_time_ns"] <= forward + backward * 1000, row
        breaks = [(row["compile_id"], row["attempt"], row["place"], row["reason"], row["explanation"])
                  for row in json_of("table", "compile", traces[0], "--by", "break")]
        assert breaks == [(one["compile_id"], one["attempt"], f"{one['file']}:{one['line']}", one["type"], one["explanation"])
                          for one in facts["graph_breaks"]], breaks
        guards = [(row["compile_id"], row["entry"], row["guard"]) for row in json_of("table", "compile", traces[0], "--by", "recompile")]
        assert guards == [(one["compile_id"], failed["entry"], failed["guard"])
                          for one in facts["recompiles"] for failed in one["failed_guards"]], guards


def phases_of(log):
    """Begin and end of each phase, read independently."""
    events, payload = [], None
    with gzip.open(log, "rt") as lines:
        for line in lines:
            if line.startswith("\t"):
                if payload is not None:
                    payload.append(line[1:])
            else:
                payload = [] if '{"chromium_event"' in line else None
                if payload is not None:
                    events.append(payload)
    return [json.loads("".join(event)) for event in events]


def test_a_log_alone_is_a_timeline_with_the_same_tables():
    for log in logs():
        events = phases_of(log)
        facts = json_of("info", log)
        assert facts["format"] == "torch-trace" and facts["warnings"] == [], facts
        for kind in ("B", "E"):
            assert facts["phases"][kind] == sum(event["ph"] == kind for event in events), facts["phases"]
        begins = {}
        total = 0
        for event in events:
            if event["ph"] == "B":
                begins.setdefault(event["name"], []).append(round(event["ts"] * 1000))
            elif event["ph"] == "E":
                total += round(event["ts"] * 1000) - begins[event["name"]].pop()
        assert json_of("sql", log, "SELECT sum(dur) AS total FROM slice") == [{"total": total}], total
        assert json_of("table", "compile", log, "--by", "kernel"), log
        first, = json_of("sql", log, "SELECT string_value FROM args WHERE key = 'args.compile_id' LIMIT 1")
        assert first["string_value"] == "0/0", first


def test_logs_of_other_processes_are_refused():
    for facts, traces in programs():
        for log in logs():
            if log.parent.is_relative_to(traces[0].parent):
                continue
            warnings = {row["code"]: row["text"] for row in json_of("info", traces[0], "--compile-artifacts", log)["warnings"]}
            assert str(log) in warnings["compile_artifact_of_another_process"], warnings
            assert not any(row["graph"] for row in json_of("table", "compile", traces[0], "--compile-artifacts", log, "--by", "kernel"))


def test_the_cache_alone_gives_code_by_its_key():
    path = real_trace("compile/attn_infer/attn_infer.trace.json.gz")
    cache = path.parent / "inductor_cache"
    rows = json_of("table", "compile", path, "--compile-artifacts", cache, "--by", "graph")
    assert sorted(row["graph"] for row in rows) == ["1_inference", "2_inference", "3_inference", "4_inference"], rows
    assert all(row["calls"] == 5 and row["linked_time_ns"] == row["kernel_time_ns"] for row in rows), rows
    assert json_of("info", path, "--compile-artifacts", cache)["compile_artifacts"] == [str(cache)]


def test_other_logs_and_damaged_ones():
    row, = json_of("table", "compile", real_trace("compile/logs/comp_failure.log.gz"))
    assert row["function"] == "fn" and row["failure"].startswith("BackendCompilerFailed"), row
    warnings = {row["code"]: row for row in json_of("info", real_trace("compile/logs/simple_corrupted_json.log.gz"))["warnings"]}
    assert warnings["damaged_record"]["count"] == 1 and "1 record" in warnings["damaged_record"]["text"], warnings
    log = real_trace("compile/logs/inductor_provenance_jit_cuda_log.txt.gz")
    rows = {row["call"]: row for row in json_of("table", "compile", log, "--by", "kernel")}
    triton = rows["triton_poi_fused_addmm_relu_sigmoid_0"]
    assert triton["operators"] == "aten.add.Tensor, aten.relu.default, aten.sigmoid.default" and triton["grade"] == "name", triton
    assert triton["kernel_file"] == "cblbpnydnhzljc3pj3lkezkxixus35xucszjgpgajd2vlnjwyos5", triton


def test_a_cut_log_keeps_what_is_whole():
    for log in logs():
        with scratch() as folder, gzip.open(log, "rb") as packed:
            text = packed.read()
            cut = pathlib.Path(folder) / "cut.log"
            cut.write_bytes(text[:len(text) // 2])
            assert 0 < json_of("info", cut)["events"] < json_of("info", log)["events"]
            assert lanescope("table", "compile", cut, "--by", "kernel").returncode == 0
            cut.write_bytes(text[len(text) // 2:])
            assert json_of("info", cut)["events"] > 0


def test_traces_without_artefacts_say_so():
    path = real_trace("torch/a100_rank0_of16.json.gz")
    rows = json_of("table", "compile", path, "--by", "kernel")
    assert rows and all(row["grade"] == "guess" and row["lines"] is None for row in rows), rows
    lines = [row["lines"] for row in json_of("table", "compile", path, "--by", "line")]
    assert lines == ["not attributable", "outside compiled code"], lines


if __name__ == "__main__":
    run_all(globals())
