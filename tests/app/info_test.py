#!/usr/bin/env python3
"""lanescope info, end to end: the facts of traces, output formats, and warnings."""
import csv
import gzip
import io
import json

from program import SAMPLES, ROOT, error_of, has_real_traces, json_of, real_trace, run_all, scratch, text_of, traces_here

KEYS = ["written_by", "format", "producer", "devices", "events", "phases", "complete_by_category", "duration_ns_by_category",
        "rows_with_complete_events", "zero_duration", "max_stack", "partial_overlaps", "gpu_activities",
        "gpu_activities_with_launch", "launches", "launches_without_gpu_record", "records_without_time",
        "records_over_successors", "graph_replays", "warnings", "load"]
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def check_expected(folder, expected):
    for name, facts in expected.items():
        if "unreadable" in facts:
            continue
        actual = json_of("info", folder / name)
        different = [key for key in facts if actual[key] != facts[key]]
        assert not different, f"{name}: {different}"


def test_facts_are_as_expected():
    check_expected(SAMPLES, json.loads((ROOT / "tests/data/expected_samples.json").read_text()))
    if has_real_traces():
        check_expected(real_trace(), json.loads(real_trace("expected.json").read_text()))


def test_an_unsupported_format_is_named():
    with scratch() as folder:
        made = f"{folder}/results.json"
        with open(made, "w", encoding="utf-8") as file:
            json.dump({"rocprofiler-sdk-tool": [{"metadata": {"pid": 7}, "buffer_records": {"kernel_dispatch": []}}]}, file)
        for trace in (made, *traces_here("rocm/rocprofv3_results.json.gz")):
            message = error_of("info", trace, status=1)
            assert "rocprofv3" in message, message
            assert "Lanescope reads" in message, message


def test_json_has_all_keys_in_order_and_plain_integers():
    facts = json_of("info", SYNTHETIC)
    assert list(facts) == KEYS, list(facts)
    assert facts["devices"][0]["name"].startswith("Synthetic GPU")
    assert facts["load"]["bytes"] == SYNTHETIC.stat().st_size
    assert facts["load"]["seconds"] > 0
    assert 0 < facts["load"]["resident_bytes"] < 1 << 30
    times = facts["duration_ns_by_category"].values()
    assert times and all(type(t) is int for t in times)
    assert facts["warnings"] == [], facts["warnings"]


def test_text_output_contains_the_main_facts():
    page = text_of("info", SYNTHETIC)
    for part in ["synthetic_step.json.gz", "Synthetic GPU", "synthetic", "gzip", "kernel", "No warnings."]:
        assert part in page, part
    assert "\x1b" not in page


def test_csv_and_markdown_have_a_row_for_each_fact():
    rows = list(csv.DictReader(io.StringIO(text_of("info", SYNTHETIC, "--format", "csv"))))
    assert list(rows[0]) == ["fact", "item", "value"]
    assert {"fact": "gpu_activities", "item": "", "value": "240"} in rows
    assert text_of("info", SYNTHETIC, "--format", "md").startswith("| fact | item | value |\n| --- |")


def test_standard_input_is_read():
    facts = json_of("info", "-", stdin=SYNTHETIC.read_bytes())
    assert facts["events"] == 2051, facts["events"]


def test_a_truncated_file_gives_its_complete_events_and_the_position_of_the_cut():
    whole = gzip.decompress(SYNTHETIC.read_bytes())
    with scratch() as folder:
        path = f"{folder}/cut.json"
        cut = whole.index(b'"cat": "kernel"') + 5
        with open(path, "wb") as file:
            file.write(whole[:cut])
        facts = json_of("info", path)
        events_before = whole[:cut].count(b'\n  {"ph"')  # the last one is incomplete
        assert facts["events"] == events_before - 1, (facts["events"], events_before)
        assert len(facts["warnings"]) == 1, facts["warnings"]
        warning = facts["warnings"][0]
        assert warning["count"] == 1 and 0 < warning["byte_offset"] <= cut, warning
        page = text_of("info", path)
        assert f"at byte {warning['byte_offset']}" in page, page


run_all(globals())
