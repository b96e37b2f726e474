#!/usr/bin/env python3
"""lanescope table models, hotspots and roofline, end to end: samples, a user's specs, and uncertain figures."""
import json
import pathlib

from program import SAMPLES, error_of, json_of, run_all, scratch, text_of

CPU = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def test_cpu_operators_have_work_but_no_floor():
    rows = json_of("table", "models", CPU)
    products = [row for row in rows if row["operator"] == "aten::addmm"]
    assert products
    for row in products:
        assert row["flop"] == row["flop_dense"] > 0 and row["bytes"] == row["bytes_read"] + row["bytes_written"]
        assert row["kernel_ns"] is None and row["floor_ns"] is None and row["bound"] == "unknown"


def test_hotspots_and_kernels_agree():
    kernels = {row["name"]: row for row in json_of("table", "kernels", SYNTHETIC)}
    for row in json_of("table", "hotspots", SYNTHETIC):
        for key in ("calls", "total_ns", "floor_ns", "lost_ns", "bound"):
            assert row[key] == kernels[row["name"]][key], (row["name"], key)


def test_the_users_specs_change_floors_and_broken_files_are_errors():
    plain = {row["name"]: row["floor_ns"] for row in json_of("table", "hotspots", SYNTHETIC)}
    with scratch() as folder:
        specs = pathlib.Path(folder) / "specs.json"
        specs.write_text(json.dumps([{"name": "*", "figures": {"memory_bandwidth_gb_s": 1, "fp32": 0.001,
                                                              "tf32_tensor": 0.001, "fp16_tensor": 0.001,
                                                              "bf16_tensor": 0.001}}]))
        slow = {row["name"]: row["floor_ns"] for row in json_of("table", "hotspots", SYNTHETIC, "--specs", specs)}
        known = [name for name, floor in slow.items() if floor]
        assert known
        assert all(slow[name] > (plain[name] or 0) for name in known)
        for text, expected in (("{}", "No JSON list of devices"), ('[{"name": "*"', "No JSON (at byte 14)")):
            specs.write_text(text)
            message = error_of("table", "hotspots", SYNTHETIC, "--specs", specs, status=2)
            assert expected in message and "specs.json" in message and "Correct the file, or move it away" in message, message
            assert "Record the trace again" not in message, message


def test_results_of_an_uncertain_figure_are_marked():
    figures = {"memory_bandwidth_gb_s": 1000, "fp32": 20, "tf32_tensor": 100, "fp16_tensor": 200, "bf16_tensor": 200}
    with scratch() as folder:
        specs = pathlib.Path(folder) / "specs.json"

        def outputs(table, *words):
            texts = [text_of("table", table, SYNTHETIC, "--specs", specs, "--format", f, "--full-names", *words)
                     for f in ("text", "md")]
            return json_of("table", table, SYNTHETIC, "--specs", specs, *words), texts

        specs.write_text(json.dumps([{"name": "*", "figures": figures}]))
        for table in ("hotspots", "models", "kernels", "roofline", "traces"):
            rows, texts = outputs(table)
            assert not any("uncertain" in text or "?" in text for text in texts), table
            assert all(not value for row in rows for key, value in row.items() if key.startswith("uncertain")), table
        specs.write_text(json.dumps([{"name": "*", "figures": figures, "uncertain": ["memory_bandwidth_gb_s"]}]))
        rows, texts = outputs("hotspots")
        marked = [row for row in rows if row["uncertain"]]
        assert marked and all(row["uncertain"] is None for row in rows if row["floor_ns"] is None)
        for text in texts:
            assert text.count("?") == 2 * len(marked) and "uncertain" not in text, text  # floor and lost
        rows, texts = outputs("roofline")
        bound = [row for row in rows if row["uncertain_roof"]]
        assert bound and all(row["roof_tflop_per_s"] < row["peak_tflop_per_s"] and not row["uncertain"] for row in bound)
        assert all(text.count("?") == 2 * len(bound) for text in texts)
        rows, texts = outputs("roofline", "--by", "roof")
        assert all(row["uncertain_bandwidth"] == 1 and row["uncertain"] == 0 for row in rows)
        assert all(text.count("?") == 2 * len(rows) for text in texts), texts  # bandwidth and ridge
        assert "?" not in outputs("traces")[1][0], "utilisation does not depend on the bandwidth"
        specs.write_text(json.dumps([{"name": "*", "figures": figures, "uncertain": ["tf32_tensor", "fp32", "fp16_tensor", "bf16_tensor"]}]))
        rows, texts = outputs("traces")
        assert rows[0]["uncertain_peak"] == 1 and texts[1].count("%?") == 2, texts
        rows, texts = outputs("models", "--by", "step")
        assert all(row["uncertain_peak"] for row in rows if row["hfu"]) and "%?" in texts[0]


def launch(at, name, kernel, dims=(), types=(), **arguments):
    """Events of an operator at `at` µs, its launch call, and its kernel, which lasts 20 µs."""
    inputs = {"Input Dims": dims, "Input type": types} if dims else {}
    return [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 50,
             "args": {"External id": at + 1, **inputs, **arguments}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 5,
             "args": {"correlation": at + 1}},
            {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": at + 20, "dur": 20,
             "args": {"device": 0, "stream": 7, "correlation": at + 1}}]


def test_inconsistent_heads_and_negative_copy_sizes_have_no_model():
    half = ["c10::Half"] * 3 + [""] * 6
    values = {"Concrete Inputs": ["", "", "", "", "", "8", "8", "0.", "True"]}
    events = launch(0, "aten::_flash_attention_forward", "flash", [[2, 8, 6, 64], [2, 8, 3, 64], [2, 8, 3, 64]] + [[]] * 6, half, **values)
    events += launch(100, "aten::_flash_attention_forward", "flash", [[2, 8, 3, 64], [2, 8, 5, 64], [2, 8, 5, 64]] + [[]] * 6, half, **values)
    events += launch(200, "aten::_flash_attention_forward", "flash", [[2, 8, 3, 64], [4, 8, 3, 64], [4, 8, 3, 64]] + [[]] * 6, half, **values)
    events.append({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD (Device -> Device)", "pid": 0, "tid": 7, "ts": 300, "dur": 20,
                   "args": {"device": 0, "stream": 7, "bytes": -5, "correlation": 999}})
    with scratch() as folder:
        trace = pathlib.Path(folder) / "odd.json"
        trace.write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}],
                                     "traceEvents": events}))
        assert len(json_of("table", "models", trace)) == 1
        rows = json_of("table", "models", trace, "--by", "warning")
        assert [(row["warning"], row["count"]) for row in rows] == [("misfit_shapes", 2)], rows
        copy = next(row for row in json_of("table", "hotspots", trace) if row["name"].startswith("Memcpy"))
        assert copy["floor_ns"] is None and copy["bound"] == "unknown", copy


def test_arguments_that_models_cannot_use_give_warnings():
    shapes = [[[4, 8], [8, 16]], [[4, 8], [9, 16]], [[-1, 8], [8, 16]], [[4000000000, 4000000000], [4000000000, 16]]]
    events = [event for i, dims in enumerate(shapes) for event in launch(100 * i, "aten::mm", "gemm", dims, ["float", "float"])]
    events += launch(900, "aten::mm", "gemm", [[4, 8], [8, 16]], ["float", "float"], **{"Input Strides": [[8, 1, 1], [16, 1]]})
    with scratch() as folder:
        trace = pathlib.Path(folder) / "odd.json"
        trace.write_text(json.dumps({"traceEvents": events}))
        assert len(json_of("table", "models", trace)) == 3
        rows = {row["warning"]: row for row in json_of("table", "models", trace, "--by", "warning")}
        for code in ("misfit_shapes", "unreadable_shapes", "misfit_strides", "work_beyond_64_bits"):
            assert rows[code]["count"] == 1 and rows[code]["text"].startswith("aten::mm [["), rows
        reasons = {row["reason"] for row in json_of("table", "models", trace, "--by", "coverage")}
        assert {"shapes do not fit the operator", "shapes are not integers", "its work does not fit 64 bits"} <= reasons
    assert not json_of("table", "models", SYNTHETIC, "--by", "warning")


run_all(globals())
