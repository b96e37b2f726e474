#!/usr/bin/env python3
"""The table breakdown --by group, and the classes of kernels that a user gives, against sums of the file's own records."""
import itertools
import json
import os
import pathlib
import re

from device_times import KERNELS, events_of, span
from program import error_of, json_of, lanescope, run_all, scratch, traces_here

CLASSES = {
    "^nccl": {"group": "collectives"},
    "gemm|cutlass": {"group": "products"},
    "^Mem(cpy|set)": {"group": "memory"},
    ".": {"group": "rest"},
}


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def union(ranges):
    merged = []
    for begin, end in sorted(r for r in ranges if r[0] < r[1]):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def length(ranges):
    return sum(end - begin for begin, end in ranges)


def group_of(name):
    return next(rule["group"] for pattern, rule in CLASSES.items() if re.search(pattern, name))


def records(path):
    """(name, begin, end) of the GPU's records, in ns, by device."""
    by_device = {}
    for event in events_of(path):
        if event.get("cat") in KERNELS and event.get("ph") == "X":
            by_device.setdefault(event["args"]["device"], []).append((event["name"], *span(event)))
    return by_device


def test_groups_of_real_traces_are_sums_of_their_records():
    for path in traces_here("torch/v100_train_after.json.gz", "torch/a100_rank0_of16.json.gz"):
        with scratch() as folder:
            rows = json_of("table", "breakdown", path, "--by", "group", "--classes", write(f"{folder}/classes.json", CLASSES))
        ours = {(row["device"], row["group"], row["with_group"]): row for row in rows}
        expected = 0
        for device, of_device in records(path).items():
            groups = {}
            for name, begin, end in of_device:
                groups.setdefault(group_of(name), []).append((begin, end))
            for group, ranges in groups.items():
                row = ours[device, group, None]
                others = [r for other, more in groups.items() if other != group for r in more]
                alone = length(union(ranges + others)) - length(union(others))
                assert (row["count"], row["time_ns"], row["busy_ns"], row["alone_ns"]) == (
                    len(ranges), sum(end - begin for begin, end in ranges), length(union(ranges)), alone), (path, row)
                expected += 1
            for one, two in itertools.combinations(groups, 2):
                overlap = length(union(groups[one])) + length(union(groups[two])) - length(union(groups[one] + groups[two]))
                row = ours.get((device, one, two)) or ours.get((device, two, one))
                assert (row["overlap_ns"] if row else 0) == overlap, (path, one, two, overlap, row)
                expected += overlap > 0
        assert len(ours) == len(rows) == expected, (len(ours), len(rows), expected)


def made_trace(folder):
    kernels = [("my_gather_kernel", 0, 50, 7), ("gemm", 20, 60, 8), ("void fused_allreduce_rmsnorm<float>(float*)", 100, 10, 7),
               ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 200, 10, 7)]
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
               "args": {"device": 0, "stream": stream, "correlation": i + 1}} for i, (name, ts, dur, stream) in enumerate(kernels)]
    return write(f"{folder}/made.json", {"schemaVersion": 1, "traceEvents": events})


def test_classes_change_what_kernels_count_as():
    with scratch() as folder:
        trace = made_trace(folder)
        classes = write(f"{folder}/classes.json", {"my_gather": {"class": "communication", "group": "gathers"},
                                                   "^nccl": {"class": "compute"}})
        (before,) = json_of("table", "breakdown", trace)
        (after,) = json_of("table", "breakdown", trace, "--classes", classes)
        assert (before["communication_ns"], after["communication_ns"]) == (20_000, 60_000), (before, after)
        assert after["exposed_communication_ns"] == 30_000, after
        groups = {(row["group"], row["with_group"]): row for row in json_of("table", "breakdown", trace, "--by", "group", "--classes", classes)}
        assert groups["gathers", None]["busy_ns"] == 50_000 and groups["gathers", None]["alone_ns"] == 20_000, groups
        (pair,) = [row for (_, other), row in groups.items() if other]
        assert pair["overlap_ns"] == 30_000 and "gathers" in (pair["group"], pair["with_group"]), pair
        assert groups["computing and communication", None]["count"] == 1, groups


def test_the_users_own_classes_apply_and_the_files_come_first():
    with scratch() as folder:
        trace = made_trace(folder)
        write(f"{folder}/kernel_classes.json", {"gather|nccl": {"group": "mine"}})
        own = {"XDG_CONFIG_HOME": f"{folder}/config"}
        groups = {row["group"] for row in json_of("table", "breakdown", trace, "--by", "group", env=own)}
        assert "mine" not in groups
        os.makedirs(f"{folder}/config/lanescope")
        os.rename(f"{folder}/kernel_classes.json", f"{folder}/config/lanescope/kernel_classes.json")
        rows = json_of("table", "breakdown", trace, "--by", "group", env=own)
        assert [row["count"] for row in rows if row["group"] == "mine" and not row["with_group"]] == [2], rows
        classes = write(f"{folder}/classes.json", {"gather": {"group": "from the file"}})
        rows = json_of("table", "breakdown", trace, "--by", "group", "--classes", classes, env=own)
        assert {row["group"]: row["count"] for row in rows if row["group"] in ("mine", "from the file") and not row["with_group"]} == {
            "mine": 1, "from the file": 1}, rows


def test_wrong_files_are_refused_with_the_place():
    with scratch() as folder:
        trace = made_trace(folder)
        for text, message in [("{", "No JSON (at byte"), ("[]", "No JSON object of patterns"), ('{"(": {"group": "g"}}', 'The pattern "(": no regular expression'),
                              ('{"a": {"class": "copy"}}', 'there is no class "copy"'), ('{"a": {"colour": "red"}}', 'there is no "colour"'),
                              ('{"a": {}}', "must be an object with a class, a group, or both"), ('{"a": {"group": 1}}', '"group" must be a text')]:
            path = f"{folder}/wrong.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            error = error_of("table", "breakdown", trace, "--classes", path, status=2)
            assert message in error and path in error, (text, error)
        assert "no such file" in error_of("info", trace, "--classes", f"{folder}/none.json", status=1)


def test_output_never_replaces_the_file_of_classes():
    with scratch() as folder:
        classes = write(f"{folder}/classes.json", CLASSES)
        before = pathlib.Path(classes).read_text(encoding="utf-8")
        run = lanescope("table", "breakdown", made_trace(folder), "--classes", classes, "--format", "json", "-o", classes, "--force")
        assert run.returncode != 0 and pathlib.Path(classes).read_text(encoding="utf-8") == before, run


run_all(globals())
