#!/usr/bin/env python3
"""Records that cannot be true, and records that are missing: they are counted, and false figures are not shown."""
import json

from program import json_of, real_traces_of_pytorch, run_all, scratch, traces_here

KEYS = ["launches", "launches_without_gpu_record", "records_without_time", "records_over_successors"]


def write(folder, name, events):
    path = f"{folder}/{name}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path


def launch(number, ts, name="cudaLaunchKernel"):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 5, "args": {"correlation": number}}


def kernel(number, ts, dur, name="gemm", stream=7):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
            "args": {"correlation": number, "device": 0, "stream": stream}}


def pairs(count, begin=1_000_000_000_000):
    return [event for i in range(1, count + 1) for event in (launch(i, begin + 100 * i), kernel(i, begin + 100 * i + 10, 60))]


def figures(*words):
    facts = json_of("info", *words)
    return [facts[key] for key in KEYS], {w["code"]: (w["count"], w["byte_offset"]) for w in facts["warnings"]}


def test_records_without_a_time_are_left_out():
    with scratch() as folder:
        events = pairs(40)
        for event in events[1::4]:
            event.update(ts=0, dur=0)
        path = write(folder, "zero", events)
        counts, warnings = figures(path)
        assert counts == [40, 0, 20, 0] and warnings["record_without_time"][0] == 20, (counts, warnings)
        (row,) = json_of("table", "breakdown", path)
        assert row["span_ns"] < 5_000_000 and row["compute_ns"] == 20 * 60_000, row
        assert len(json_of("table", "kernels", path, "--by", "instance")) == 20
        offset = warnings["record_without_time"][1]
        with open(path, encoding="utf-8") as file:
            assert json.loads(file.read()[offset:].split("}}")[0] + "}}")["ts"] == 0


def test_single_events_hours_away_are_left_out_and_long_traces_are_kept():
    with scratch() as folder:
        far = write(folder, "far", pairs(400) + [{"ph": "X", "cat": "cpu_op", "name": "lost", "pid": 1, "tid": 1, "ts": 1_000_000, "dur": 5}])
        assert figures(far)[0] == [400, 0, 1, 0]
        hourly = [{"ph": "X", "name": "job", "pid": 1, "tid": 1, "ts": 7_200_000_000 * i, "dur": 1_000_000} for i in range(20)]
        assert figures(write(folder, "hourly", hourly)) == ([0, 0, 0, 0], {})


def test_a_record_over_its_successors_counts_until_the_next_one():
    with scratch() as folder:
        events = pairs(50)
        events[9]["dur"] = 1_600_000
        path = write(folder, "long", events)
        counts, warnings = figures(path)
        assert counts == [50, 0, 0, 1] and warnings["record_over_successors"][0] == 1, (counts, warnings)
        row = json_of("table", "kernels", path, "--by", "instance")[4]
        assert row["duration_ns"] == 100_000 and row["recorded_duration_ns"] == 1_600_000_000, row
        (breakdown,) = json_of("table", "breakdown", path)
        assert breakdown["span_ns"] < 6_000_000, breakdown


def test_overlaps_that_happen_stay():
    """A kernel that begins before the last one ends (programmatic launch), streams beside each other, and graph branches."""
    with scratch() as folder:
        overlap = pairs(20)
        for event in overlap[1::2]:
            event["dur"] = 150
        two = pairs(20) + [launch(100, 1_000_000_000_100), kernel(100, 1_000_000_000_120, 1500, stream=9)]
        graph = [launch(1, 1000, "cudaGraphLaunch"), kernel(1, 1100, 900), kernel(1, 1200, 50), kernel(1, 1300, 50), kernel(1, 1400, 50)]
        for name, events in {"overlap": overlap, "two": two, "graph": graph}.items():
            counts, warnings = figures(write(folder, name, events))
            assert counts[3] == 0 and "record_over_successors" not in warnings, (name, counts, warnings)


def test_launches_without_work_are_a_finding():
    with scratch() as folder:
        events = [event for event in pairs(100) if event["cat"] != "kernel" or event["args"]["correlation"] > 30]
        path = write(folder, "dropped", events)
        assert figures(path)[0] == [100, 30, 0, 0]
        (finding,) = [f for f in json_of("findings", path) if f["id"] == "trace-problems"]
        assert "the work of 30 of 100 launches is not recorded, from 0 ns to 2.9 ms" in json.dumps(finding, ensure_ascii=False).replace("\u2009", " "), finding
        whole = write(folder, "whole", pairs(100))
        assert "launches is not recorded" not in json.dumps(json_of("findings", whole))
        host_only = write(folder, "host", [event for event in pairs(100) if event["cat"] != "kernel"])
        assert figures(host_only)[0] == [100, 0, 0, 0]


def test_steps_that_lack_records_are_marked_and_left_out():
    with scratch() as folder:
        begin = 1_000_000_000_000
        steps = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": begin + 100 + 1000 * i, "dur": 990}
                 for i in range(8)]
        path = write(folder, "steps", steps + [event for event in pairs(80) if event["cat"] != "kernel" or event["args"]["correlation"] > 15])
        rows = json_of("table", "steps", path)
        assert [row["launches_without_gpu_record"] for row in rows] == [10, 5] + 6 * [0], rows
        text = json.dumps(json_of("findings", path), ensure_ascii=False)
        assert "(2 steps from ProfilerStep#0 on)" in text and "findings leave out 2 steps, which lack more than 5 %" in text.replace("\u2009", " "), text
        for finding in json_of("findings", path):
            assert finding["cost_ns"] is None or finding["cost_ns"] <= 6 * 1_000_000, finding


def test_small_inputs_from_reports():
    expected = {"dropped": [100, 30, 0, 0], "ts0": [100, 0, 60, 0], "overflow": [50, 0, 0, 1]}
    for name, counts in expected.items():
        for path in traces_here(f"../cases/{name}.json"):
            if path.exists():
                assert figures(path)[0] == counts, path


def test_real_traces_are_unchanged():
    """Counted by a script of our own: only this trace lacks the work of launches, at its end."""
    lacking = {"mi300_rccl_merged_ranks_140mb.json.gz": 66}
    for path in real_traces_of_pytorch(10**9):
        counts, _ = figures(path)
        assert counts[1:] == [lacking.get(path.name, 0), 0, 0], (path, counts)


run_all(globals())
