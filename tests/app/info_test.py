#!/usr/bin/env python3
"""lanescope info, end to end: the facts of traces, output formats, and warnings."""
import csv
import gzip
import io
import json

from program import SAMPLES, ROOT, error_of, has_real_traces, json_of, real_trace, run_all, scratch, text_of, traces_here

from made_traces import made_from_sample  # noqa: E402  in tests/, which program adds to sys.path

KEYS = ["written_by", "format", "producer", "devices", "events", "phases", "complete_by_category", "duration_ns_by_category",
        "rows_with_complete_events", "zero_duration", "max_stack", "partial_overlaps", "gpu_activities",
        "gpu_activities_with_launch", "launches", "launches_without_gpu_record", "records_without_time",
        "records_over_successors", "graph_replays", "graph_captures", "compile_artifacts", "warnings", "load", "distributed", "clock", "hash",
        "alignment"]
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
        made = f"{folder}/run_kernel_stats.csv"
        with open(made, "w", encoding="utf-8") as file:
            file.write("Name,Calls,TotalDurationNs\nf,1,2\n")
        for trace in (made, *traces_here("more/rocprof-compute/mi200_dispatch_0_1_pmc_perf.csv")):
            message = error_of("info", trace, status=1)
            assert "rocprof" in message, message
            assert "Lanescope reads" in message or "open " in message, message


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


def crc64_xz(data):
    """CRC-64/XZ."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
        table.append(byte)
    crc = 2**64 - 1
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return f"{crc ^ 2**64 - 1:016x}"


def hash_of(path):
    """The documented hash of a file."""
    data = path.read_bytes()
    return crc64_xz(data if len(data) <= 2 << 20 else data[:1 << 20] + data[-(1 << 20):])


def test_job_clock_and_hash_are_those_of_the_file():
    assert crc64_xz(b"123456789") == "995dc9bbdf1939fa"
    for path in [SYNTHETIC, *traces_here("torch/a100_nccl_groups.json.gz", "torch/v100_ns_absolute_ts.json.gz",
                                         "torch/cpu_only.json.gz", "torch/rtx2080ti_resnet.json.gz")]:
        facts = json_of("info", path)
        raw = json.loads(gzip.decompress(path.read_bytes()))
        assert facts["hash"] == hash_of(path), path
        job = raw.get("distributedInfo")
        if job is None:
            assert facts["distributed"] is None
        else:
            assert {key: facts["distributed"][key] for key in ("rank", "world_size", "backend")} == {
                key: job.get(key) for key in ("rank", "world_size", "backend")}
            assert [(group["name"], group["size"], group["ranks"]) for group in facts["distributed"]["process_groups"]] == [
                (group["pg_name"], group["pg_size"], group["ranks"]) for group in job.get("pg_config", [])]
        clock = facts["clock"]
        assert clock["host"] == raw.get("host_name"), clock
        recorded = raw.get("baseTimeNanoseconds")
        if recorded:
            assert (clock["unix_base_ns"], clock["unix_base_from"]) == (recorded, "recorded")
        starts = [event["ts"] for event in raw["traceEvents"] if "ts" in event and event.get("ph") != "M"]
        assert abs(clock["begin_ns"] - 1000 * min(starts)) < 1000, (clock, min(starts))
        assert facts["alignment"] is None


def test_several_files_have_their_offsets():
    with scratch() as folder:
        base = 1_700_000_000_000_000_000
        paths = [made_from_sample(folder, f"rank-{rank}.json", baseTimeNanoseconds=base + 5_000_001 * rank,
                                  distributedInfo={"rank": rank, "world_size": 2}) for rank in (0, 1)]
        facts = json_of("info", *paths)
        files = facts["alignment"]["files"]
        assert [file["offset_ns"] for file in files] == [0, 5_000_001], "the best alignment is by the clock"
        assert facts["alignment"]["by"] == "clock" and [file["path"] for file in files] == [str(path) for path in paths]
        assert facts["events"] == sum(file["events"] for file in files)
        alone = [json_of("info", path) for path in paths]
        for file, own in zip(files, alone):
            assert {key: file[key] for key in ("distributed", "clock", "hash", "events")} == {
                key: own[key] for key in ("distributed", "clock", "hash", "events")}
        started = json_of("info", *paths, "--align", "start")["alignment"]
        assert started["by"] == "start" and [file["offset_ns"] for file in started["files"]] == [0, 0], started
        page = text_of("info", *paths)
        assert "2 files, aligned by clock" in page and "5.000001 ms" in page, page
        assert "An alignment is" in error_of("info", *paths, "--align", "soon", status=2)


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
