#!/usr/bin/env python3
"""Tests the comparison of ranks against an independent computation from the JSON of real and of small generated recordings."""
import collections
import gzip
import json
import pathlib
import statistics

from program import SAMPLES, json_of, lanescope, real_trace, run_all, scratch
from trace_times import category, is_communication, span

KINDS = {"nccl:_all_gather_base": "all_gather", "nccl:_allgather_base": "all_gather"}
EXACT = 600  # ns: precision of differences between Unix times in microseconds as floating-point numbers
ALL_WAIT = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"}


def events_in(path):
    with gzip.open(path) as file:
        return [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and "dur" in e]


def calls_by_step(path):
    """Spans of NCCL kernels by step and kind ("all_to_all"), in order."""
    events = events_in(path)
    steps = [(*span(e), int(e["name"].split("#")[1])) for e in events
             if e["name"].startswith("ProfilerStep#") and e.get("cat") != "gpu_user_annotation"]
    launched = {e["args"]["correlation"]: e for e in events if category(e) == "cuda_runtime" and "correlation" in e["args"]}
    annotations = [e for e in events if e["name"].startswith("nccl:") and e.get("cat") != "gpu_user_annotation"]
    found = collections.defaultdict(list)
    for event in sorted((e for e in events if category(e) == "kernel" and is_communication(e)), key=span):
        launch = launched[event["args"]["correlation"]]
        at = span(launch)[0]
        step = next((number for begin, end, number in steps if begin <= at < end), None)
        kind = next((KINDS.get(e["name"], e["name"][5:]) for e in annotations if e["tid"] == launch["tid"] and span(e)[0] <= at < span(e)[1]), None)
        if kind == "all_reduce" and "AllReduce" not in event["name"]:
            kind = "send_receive"  # a kernel named SendRecv does not reduce
        found[step, kind].append(span(event))
    return found


def test_two_ranks_of_a_job_of_128():
    paths = [real_trace(f"torch/two_ranks/rank-{rank}.json.gz") for rank in (0, 1)]
    first, second = (calls_by_step(path) for path in paths)
    # The files lack some calls, so numbers cannot match them. A call ends on both ranks within 1 ms.
    pairs = [(kind, a, b) for (step, kind), calls in first.items() if kind in ALL_WAIT
             for a in calls for b in second.get((step, kind), ()) if abs(a[1] - b[1]) < 1_000_000]
    rows = json_of("table", "ranks", *paths, "--by", "call")
    assert len(pairs) == 3 and collections.Counter(r["kind"] for r in rows) == collections.Counter(kind for kind, _, _ in pairs), rows
    # With fewer than eight calls, or without a significant drift, the offset is constant.
    offset = statistics.median(b[1] - a[1] for _, a, b in pairs)
    ranks = {r["rank"]: r for r in json_of("table", "ranks", *paths)}
    assert ranks[0]["clock"] == "reference" and ranks[1]["clock"] == "offset", ranks
    assert abs(ranks[1]["offset_ns"] - offset) <= EXACT, (ranks[1], offset)
    waits = {0: 0, 1: 0}
    expected = []
    for kind, a, b in pairs:
        b = (b[0] - offset, b[1] - offset)
        last = max(a[0], b[0])
        waits[0] += max(0, min(last, a[1]) - a[0])
        waits[1] += max(0, min(last, b[1]) - b[0])
        expected.append((kind, abs(a[0] - b[0]), int(b[0] > a[0])))
    found = [(r["kind"], r["spread_ns"], r["last_rank"]) for r in rows]
    for (kind, spread, last), (own, own_spread, own_last) in zip(sorted(expected), sorted(found), strict=True):
        assert kind == own and abs(spread - own_spread) <= EXACT and last == own_last, (expected, found)
    for rank, row in ranks.items():
        assert abs(row["waited_ns"] - waits[rank]) <= len(pairs) * EXACT, (row, waits)
    blame = json_of("table", "ranks", *paths, "--by", "blame")
    assert {r["waiting_rank"]: r["wait_ns"] for r in blame} == {n: r["waited_ns"] for n, r in ranks.items() if r["waited_ns"]}, blame
    reasons = {r["reason"] for r in json_of("table", "ranks", *paths, "--by", "unmatched")}
    assert reasons == {"no peer recorded", "missing on the other ranks"}, reasons
    problems = json_of("table", "ranks", *paths, "--by", "problem")
    assert [r["problem"] for r in problems] == ["rank-missing"] and "126 are missing" in problems[0]["text"], problems


def test_four_ranks_in_one_file():
    """Ranks of one file share a clock. Calls match by group and number."""
    path = real_trace("torch/mi300_rccl_merged_ranks_140mb.json.gz")
    groups = collections.defaultdict(list)
    places = collections.Counter()
    kernels = sorted((e for e in events_in(path) if category(e) == "kernel" and "Collective name" in e["args"]), key=span)
    devices = sorted({e["args"]["device"] for e in kernels})
    for event in kernels:
        args = event["args"]
        key = (args["device"], args["Process Group Name"])
        groups[args["Process Group Name"], places[key]].append((devices.index(args["device"]), *span(event), args["Collective name"]))
        places[key] += 1
    assert all(len(call) == 4 and len({kind for *_, kind in call}) == 1 for call in groups.values()), groups
    waited, blame = collections.Counter(), collections.Counter()
    for call in groups.values():
        last, begin, _, _ = max(call, key=lambda one: one[1])
        for rank, own, end, _ in call:
            waited[rank] += min(begin, end) - own
            blame[last, rank] += min(begin, end) - own
    found = json_of("table", "ranks", path)
    assert {r["rank"]: r["waited_ns"] for r in found} == dict(waited), (found, waited)
    assert all(r["offset_ns"] == 0 and r["matched"] == len(groups) for r in found), found
    rows = json_of("table", "ranks", path, "--by", "blame")
    assert {(r["late_rank"], r["waiting_rank"]): r["wait_ns"] for r in rows} == {k: v for k, v in blame.items() if v}, (rows, blame)
    assert json_of("table", "ranks", path, "--by", "unmatched") == []


def made_rank(rank, world=2, offset=0, idle=0, collectives=True, steps=10):
    """A recording of a rank: each step of 1 ms has two kernels, and an all-reduce that ends 900 µs after the step's start. From step 4
    on, the data loader takes `idle` µs longer."""
    events = []

    def add(cat, name, tid, begin, end, number, **args):
        pid = 0 if cat == "kernel" else 100
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": begin + offset, "dur": end - begin,
                       "args": {"correlation": number, "device": 0, "stream": 7, **args}})
    for step in range(steps):
        t, late = 1000 * step, idle if step >= 4 else 0
        add("user_annotation", f"ProfilerStep#{step}", 1, t, t + 1000, 0)
        add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, t + 1, t + 10 + late, 0)
        for i, (name, begin, end) in enumerate((("gemm", 20, 220), ("norm", 220, 320), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 320, 900))):
            if i == 2 and not collectives:
                continue
            number = 10 * step + i + 1
            more = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": str(list(range(world))), "Group size": world,
                    "In msg nelems": 1024, "Out msg nelems": 1024, "dtype": "Float", "Seq": step + 1} if i == 2 else {}
            add("cuda_runtime", "cudaLaunchKernel", 1, t + 11 + late + 2 * i, t + 12 + late + 2 * i, number)
            add("kernel", name, 7, t + begin + late, t + (end if i == 2 else end + late), number, **more)
    return {"distributedInfo": {"rank": rank, "world_size": world}, "traceEvents": events}


def written(folder, *ranks):
    paths = []
    for number, rank in enumerate(ranks):
        path = pathlib.Path(folder) / f"{number}.json"
        path.write_text(json.dumps(rank))
        paths.append(path)
    return paths


def test_a_data_loader_that_stalls():
    with scratch() as folder:
        paths = written(folder, made_rank(0, 3), made_rank(1, 3, offset=50_000, idle=200), made_rank(2, 3, offset=-7_000_000_000))
        verdicts = json_of("table", "ranks", *paths, "--by", "verdict")
        assert len(verdicts) == 1, verdicts
        found = verdicts[0]
        assert (found["verdict"], found["rank"], found["first_step"], found["last_step"], found["calls"]) == ("data-loader", 1, 4, 9, 6), found
        assert found["cost_ns"] == 6 * 200_000 and found["waited_ns"] == 2 * 6 * 200_000, found
        assert found["text"] == ("rank 1 comes late to 6 collectives in steps 4 to 9, by 1.2 ms in all: its GPU waits for the data loader"), found
        ranks = json_of("table", "ranks", *paths)
        assert [r["offset_ns"] for r in ranks] == [0, 50_000_000, -7_000_000_000_000], ranks
        problems = json_of("table", "ranks", *paths, "--by", "problem")
        assert [(r["problem"], r["rank"]) for r in problems] == [("clock-apart", 2)], problems
        late = json_of("table", "ranks", *paths, "--by", "late")
        assert {(r["rank"], r["cause"], r["largest"], r["excess_ns"]) for r in late} == {(1, "data loader", "data loader", 200_000)}, late
        findings = [f for f in json_of("findings", *paths) if f["id"] == "late-rank"]
        assert {f["device"] for f in findings} == {"GPU 0 of rank 0", "GPU 0 of rank 2"}, findings
        for finding in findings:
            assert finding["cost_ns"] == 6 * 200_000 and "mostly for GPU 0 of rank 1" in finding["title"], finding
            assert any(e["text"] == "GPU 0 of rank 1 is late because its GPU waits for the data loader" for e in finding["evidence"]), finding
            first, late = finding["places"][0], finding["places"][-1]
            assert late["start_ns"] == first["start_ns"] + 200_000 and late["slice_id"] != first["slice_id"], finding["places"]


def test_odd_sets_of_ranks():
    with scratch() as folder:
        paths = written(folder, made_rank(0, 4), made_rank(0, 4), made_rank(1, 4, collectives=False), made_rank(5, 8), made_rank(2, 4))
        problems = [(r["problem"], r["trace"], r["rank"]) for r in json_of("table", "ranks", *paths, "--by", "problem")]
        assert problems == [("other-job", 3, 5), ("rank-twice", 1, 0), ("rank-missing", None, 3), ("no-collectives", 2, 1)], problems
        matched = json_of("table", "ranks", *paths, "--by", "call")
        assert len(matched) == 10 and all(r["ranks"] == 2 for r in matched), matched
        reasons = collections.Counter((r["trace"], r["reason"]) for r in json_of("table", "ranks", *paths, "--by", "unmatched"))
        assert reasons == {(1, "the rank is left out"): 10, (3, "the rank is left out"): 10}, reasons


def test_a_wrong_form_and_a_missing_file():
    assert lanescope("table", "ranks", SAMPLES / "synthetic_step.json.gz", "--by", "nothing").returncode == 2
    assert lanescope("table", "ranks", "/no/such/file").returncode not in (0, 2)


run_all(globals())
