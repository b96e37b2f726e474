#!/usr/bin/env python3
"""lanescope info, end to end: exact facts, formats, and warnings."""
import csv
import gzip
import io
import json

from program import SAMPLES, ROOT, TRACES, Skip, complaint_of, json_of, run_all, scratch, text_of

KEYS = ["format", "producer", "devices", "events", "phases", "complete_by_category", "duration_ns_by_category",
        "rows_with_complete_events", "zero_duration", "max_stack", "partial_overlaps", "gpu_activities",
        "gpu_activities_with_launch", "warnings", "load"]
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def check_expected(folder, expected):
    for name, facts in expected.items():
        if "unreadable" in facts:
            continue
        found = json_of("info", folder / name)
        different = [key for key in facts if found[key] != facts[key]]
        assert not different, f"{name}: {different}"


def test_samples_have_their_exact_facts():
    check_expected(SAMPLES, json.loads((ROOT / "tests/data/expected_samples.json").read_text()))


def test_real_traces_have_their_exact_facts():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES names no folder of real traces")
    check_expected(TRACES, json.loads((TRACES / "expected.json").read_text()))


def test_another_format_is_named():
    if not TRACES:
        raise Skip("LANESCOPE_TRACES names no folder of real traces")
    message = complaint_of("info", TRACES / "rocm/rocprofv3_results.json.gz", status=1)
    assert "rocprofv3" in message, message
    assert "Lanescope reads" in message, message


def test_json_has_all_keys_in_order_and_plain_integers():
    found = json_of("info", SYNTHETIC)
    assert list(found) == KEYS, list(found)
    assert found["devices"][0]["name"].startswith("Synthetic GPU")
    assert found["load"]["bytes"] == SYNTHETIC.stat().st_size
    assert found["load"]["seconds"] > 0
    assert 0 < found["load"]["resident_bytes"] < 1 << 30
    times = found["duration_ns_by_category"].values()
    assert times and all(type(t) is int for t in times)
    assert found["warnings"] == [], found["warnings"]


def test_text_page_tells_the_main_facts():
    page = text_of("info", SYNTHETIC)
    for part in ["synthetic_step.json.gz", "Synthetic GPU", "synthetic", "gzip", "kernel", "No warnings."]:
        assert part in page, part
    assert "\x1b" not in page


def test_csv_and_markdown_hold_a_row_for_each_fact():
    rows = list(csv.DictReader(io.StringIO(text_of("info", SYNTHETIC, "--format", "csv"))))
    assert list(rows[0]) == ["fact", "item", "value"]
    assert {"fact": "gpu_activities", "item": "", "value": "240"} in rows
    assert text_of("info", SYNTHETIC, "--format", "md").startswith("| fact | item | value |\n| --- |")


def test_standard_input_is_read():
    found = json_of("info", "-", stdin=SYNTHETIC.read_bytes())
    assert found["events"] == 2051, found["events"]


def test_a_cut_file_gives_what_it_holds_and_says_where_it_ends():
    whole = gzip.decompress(SYNTHETIC.read_bytes())
    with scratch() as folder:
        path = f"{folder}/cut.json"
        cut = whole.index(b'"cat": "kernel"') + 5
        with open(path, "wb") as file:
            file.write(whole[:cut])
        found = json_of("info", path)
        events_before = whole[:cut].count(b'\n  {"ph"')  # one of them is cut
        assert found["events"] == events_before - 1, (found["events"], events_before)
        assert len(found["warnings"]) == 1, found["warnings"]
        warning = found["warnings"][0]
        assert warning["count"] == 1 and 0 < warning["byte_offset"] <= cut, warning
        page = text_of("info", path)
        assert f"at byte {warning['byte_offset']}" in page, page


run_all(globals())
