#!/usr/bin/env python3
"""Tests PyTorch memory snapshots, written here with Python's pickle: curves, blocks, stacks, out-of-memory errors, and refused pickles."""
import gzip
import io
import json
import pathlib
import pickle
import pickletools
import random
import resource
import sqlite3
import subprocess
import time
import zipfile

from program import BIN, error_of, json_of, lanescope, run_all, scratch, text_of

START = 1_700_000_000_000_000  # us


def frame(name, file="model.py", line=7):
    return {"name": name, "filename": file, "line": line}


UNWINDER = {"name": "torch::unwind::unwind()", "filename": "??", "line": 0}


def entry(action, at, addr=0, size=0, frames=(), **more):
    address = {"device_free": more.pop("device_free")} if action == "oom" else {"addr": addr}
    return {"action": action, **address, "size": size, "stream": 0, "time_us": START + at, "frames": list(frames), **more}


def block(address, size, requested, state="active_allocated", frames=()):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": list(frames)}


def segment(address, blocks, device=0):
    active = [b for b in blocks if b["state"].startswith("active")]
    return {"device": device, "address": address, "total_size": sum(b["size"] for b in blocks), "stream": 0, "segment_type": "large",
            "allocated_size": sum(b["size"] for b in active), "active_size": sum(b["size"] for b in active),
            "requested_size": sum(b["requested_size"] for b in active), "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
            "blocks": blocks}


def small_snapshot():
    load, forward, mlp = frame("load", "/app/train.py", 3), frame("forward"), frame("mlp", "model.py", 20)
    addmm = {"name": "at::_ops::addmm::call(at::Tensor const&, at::Tensor const&)", "filename": "Ops.cpp", "line": 1}
    first = [UNWINDER, addmm, mlp, forward, frame("<module>", "/app/train.py", 50)]
    second = [UNWINDER, mlp, forward, frame("<module>", "/app/train.py", 50)]
    events = [
        entry("segment_alloc", 0, 0x10000, 4096, second),
        entry("alloc", 0, 0x10000, 1000, first),
        entry("alloc", 5, 0x10400, 500, second),
        entry("free_requested", 7, 0x10000, 1000, first),
        entry("free_completed", 7, 0x10000, 1000, first),
        entry("oom", 9, size=1 << 40, device_free=1 << 20, frames=second),
        entry("snapshot", 12),
    ]
    return {
        "segments": [segment(0x10000, [block(0x10000, 1024, 1000, "inactive"), block(0x10400, 512, 500, frames=second),
                                       block(0x10600, 2560, 0, "inactive")]),
                     segment(0x20000, [block(0x20000, 2048, 2000, frames=[load])])],
        "device_traces": [events, []],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1},
        "external_annotations": [{"stage": "START", "name": "step 1", "device": 0, "time_us": START + 1},
                                 {"stage": "END", "name": "step 1", "device": 0, "time_us": START + 8}],
    }


def write(path, snapshot, protocol=4):
    pathlib.Path(path).write_bytes(pickle.dumps(snapshot, protocol))
    return path


def rows_of(path, query):
    return json_of("sql", path, query)


def test_curves_are_anchored_at_the_segments():
    with scratch() as folder:
        path = write(f"{folder}/snapshot.pickle", small_snapshot())
        facts = json_of("info", path)
        assert facts["format"] == "pytorch-memory-snapshot", facts["format"]
        codes = {warning["code"] for warning in facts["warnings"]}
        assert codes == {"untried_writer"}, facts["warnings"]
        blocks = json_of("table", "memory", path, "--by", "largest")
        assert [(b["size_bytes"], b["operator"]) for b in blocks] == \
            [(2000, "load (train.py:3)"), (1000, "aten::addmm"), (500, "mlp (model.py:20)")], blocks
        unfreed = json_of("table", "memory", path, "--by", "unfreed")
        assert [b["size_bytes"] for b in unfreed] == [2000, 500], unfreed
        device, = json_of("table", "memory", path)
        assert (device["peak_allocated_bytes"], device["peak_reserved_bytes"]) == (3500, 6144), device


def test_stacks_are_calls_around_their_events():
    with scratch() as folder:
        path = write(f"{folder}/snapshot.pickle", small_snapshot())
        slices = rows_of(path, "select name, ts - (select min(ts) from slice) as at, dur from slice where category != 'user_annotation' order by ts, dur desc")
        names = [s["name"] for s in slices]
        assert names.count("forward (model.py:7)") == 1, slices  # one call over all events
        assert {"mlp (model.py:20)", "aten::addmm", "<module> (train.py:50)"} <= set(names), slices
        assert not any("unwind" in name for name in names)
        note, = rows_of(path, "select name, dur from slice where category = 'user_annotation'")
        assert note == {"name": "step 1", "dur": 7000}, note


def test_an_error_of_memory_has_a_mark_with_its_stack():
    with scratch() as folder:
        path = write(f"{folder}/snapshot.pickle", small_snapshot())
        found = text_of("find", path, "out of memory", "--format", "json")
        assert "out of memory: 1 TiB requested, 1 MiB free" in found, found


def random_snapshot(seed, count):
    """A history of which the ring keeps only the newest events, and the expected numbers."""
    chance = random.Random(seed)
    live, events, at = {}, [], 0
    stacks = [[frame(f"f{i}", f"m{i % 3}.py", i) for i in range(j, j + 5)] for j in range(20)]
    for i in range(count):
        at += chance.choice([0, 0, 1, 3, 50])
        if live and chance.random() < 0.45:
            address = chance.choice(sorted(live))
            size, stack = live.pop(address)
            events.append(entry("free_requested", at, address, size, stack))
            events.append(entry("free_completed", at, address, size, stack))
        else:
            address, size, stack = 0x7F0000000000 + 4096 * i, chance.randrange(1, 4000), chance.choice(stacks)
            live[address] = size, stack
            events.append(entry("alloc", at, address, size, stack))
    blocks = [block(address, 4096, size, frames=stack) for address, (size, stack) in sorted(live.items())]
    kept = events[len(events) // 3:]
    return {"segments": [segment(0x7F0000000000, blocks)] if blocks else [], "device_traces": [kept], "allocator_settings": {}}, kept, live


def test_random_histories_have_the_curves_of_an_own_count():
    for seed in range(5):
        snapshot, kept, live = random_snapshot(seed, 400)
        end = sum(size for size, _ in live.values())
        curve, total = [], end
        for one in reversed(kept):
            change = {"alloc": 1, "free_completed": -1}.get(one["action"], 0) * one["size"]
            if change:
                curve.append(total)
            total -= change
        in_events = {one["addr"] for one in kept if one["action"] == "alloc"}
        older = [address for address in live if address not in in_events]
        with scratch() as folder:
            path = write(f"{folder}/s.pickle", snapshot, seed % 3 + 2)
            device, = json_of("table", "memory", path)
            assert device["peak_allocated_bytes"] == max([*curve, total]), (seed, device)
            unfreed = json_of("table", "memory", path, "--by", "unfreed", "--top", "100000")
            assert sorted(b["size_bytes"] for b in unfreed) == sorted(size for size, _ in live.values()), seed
            allocated = json_of("table", "memory", path, "--by", "largest", "--top", "100000")
            assert len(allocated) == len(in_events) + len(older), seed


def test_forms_of_files():
    with scratch() as folder:
        plain = write(f"{folder}/s.pickle", small_snapshot())
        expected = text_of("table", "memory", plain, "--by", "largest", "--format", "csv")
        packed = f"{folder}/s.pickle.gz"
        pathlib.Path(packed).write_bytes(gzip.compress(pathlib.Path(plain).read_bytes()))
        with zipfile.ZipFile(f"{folder}/s.zip", "w") as archive:
            archive.write(plain, "s.pickle")
        others = [packed, f"{folder}/s.zip"] + [write(f"{folder}/s{p}.pickle", small_snapshot(), p) for p in (2, 3, 5)]
        for path in others:
            assert text_of("table", "memory", path, "--by", "largest", "--format", "csv") == expected, path


def test_times_may_be_missing():
    with scratch() as folder:
        snapshot = small_snapshot()
        for one in snapshot["device_traces"][0]:
            del one["time_us"]
        del snapshot["external_annotations"]
        facts = json_of("info", write(f"{folder}/s.pickle", snapshot))
        assert "no_times" in {warning["code"] for warning in facts["warnings"]}


class Bomb:
    def __reduce__(self):
        return (print, ("executed",))


def test_nothing_is_executed():
    with scratch() as folder:
        for protocol in (2, 3, 4, 5):
            snapshot = {**small_snapshot(), "bomb": Bomb()}
            path = write(f"{folder}/bomb.pickle", snapshot, protocol)
            message = error_of("info", path, status=1)
            assert "GLOBAL" in message and "plain data" in message, message
        path = write(f"{folder}/bytes.pickle", {"segments": [], "device_traces": [], "x": b"bytes"})
        assert "BINBYTES" in error_of("info", path, status=1)
        path = write(f"{folder}/other.pickle", {"weights": [1, 2, 3]})
        assert "no snapshot of memory" in error_of("info", path, status=1)


def test_damage_never_ends_in_a_crash():
    snapshot, _, _ = random_snapshot(9, 60)
    data = pickle.dumps(snapshot, 4)
    chance = random.Random(1)
    with scratch() as folder:
        path = f"{folder}/s.pickle"
        for size in [*range(2, len(data), len(data) // 40), len(data) - 1]:
            pathlib.Path(path).write_bytes(data[:size])
            run = lanescope("info", path, "--format", "json")
            assert run.returncode in (0, 1), (size, run.stderr)
            if run.returncode == 0:
                assert "truncated_file" in run.stdout.decode(), size
        for _ in range(60):
            bad = bytearray(data)
            for _ in range(chance.randrange(1, 6)):
                bad[chance.randrange(len(bad))] = chance.randrange(256)
            pathlib.Path(path).write_bytes(bad)
            assert lanescope("info", path).returncode in (0, 1)


def test_hostile_pickles_cost_no_memory():
    with scratch() as folder:
        path = f"{folder}/s.pickle"
        start = pickle.dumps({"segments": []}, 4)[:-1]
        for more in (b"]" * 3_000_000, b"(" * 3_000_000, b"N" * 3_000_000, b"(N" * 2_000_000, b"]\x94" + b"h\x00" * 1_000_000 + b"a" * 1_000_000):
            pathlib.Path(path).write_bytes(start + more)
            assert lanescope("info", path).returncode in (0, 1)


def test_a_snapshot_without_history_shows_what_is_in_use():
    with scratch() as folder:
        snapshot = small_snapshot()
        del snapshot["external_annotations"]
        for traces in ([], [[], []], None):
            snapshot["device_traces"] = traces
            if traces is None:
                del snapshot["device_traces"]
            path = write(f"{folder}/s.pickle", snapshot)
            facts = json_of("info", path)
            warning, = [w for w in facts["warnings"] if w["code"] == "no_history"]
            assert "torch.cuda.memory._record_memory_history()" in warning["text"], warning
            blocks = json_of("table", "memory", path, "--by", "unfreed")
            assert [(b["size_bytes"], b["operator"]) for b in blocks] == [(2000, "load (train.py:3)"), (500, "mlp (model.py:20)")], blocks
            device, = json_of("table", "memory", path)
            assert (device["peak_allocated_bytes"], device["peak_reserved_bytes"]) == (2500, 6144), device
        nothing = write(f"{folder}/empty.pickle", {"segments": [], "device_traces": [[]], "allocator_settings": {}})
        message = error_of("info", nothing, status=1)
        assert "no history of allocations" in message and "_record_memory_history()" in message, message
        assert "Record the trace again" not in message, message


def test_blocks_of_a_device_without_events_are_kept():
    with scratch() as folder:
        snapshot = small_snapshot()
        snapshot["segments"].append(segment(0x90000, [block(0x90000, 4096, 4000)], device=1))
        path = write(f"{folder}/s.pickle", snapshot)
        rows = {row["device"]: row["peak_allocated_bytes"] for row in json_of("table", "memory", path)}
        assert sorted(rows.values()) == [3500, 4000], rows
        assert {w["code"] for w in json_of("info", path)["warnings"]} == {"untried_writer"}


def test_calls_of_a_snapshot_have_no_times():
    with scratch() as folder:
        path = write(f"{folder}/s.pickle", small_snapshot())
        rows = json_of("table", "operators", path)
        calls = [row for row in rows if row["kind"] == "cpu"]
        assert calls and all(row["cpu_total_ns"] is None and row["cpu_self_ns"] is None for row in calls), rows
        note, = [row for row in rows if row["name"] == "step 1"]
        assert note["cpu_total_ns"] == 7000, note  # annotations have times
        for row in json_of("table", "slices", path):
            has_times = row["category"] not in ("cpu_op", "python_function")
            assert (row["self_ns"] is not None) == has_times and (row["total_ns"] is not None) == has_times, row
        summary = json_of("summary", path)
        assert summary["operators"] == [] and summary["lanes"] == [], summary
        assert "GPU 0: peak 3.418 KiB" in summary["story"][0], summary["story"]
        said = text_of("summary", path)
        assert "CPU time" not in said and "own on the CPU" not in said and "busiest" not in said, said
        assert json_of("findings", path) == []
        assert all(row["busy_ns"] is None for row in json_of("table", "lanes", path))
        assert "no times of calls" in error_of("flame", path, status=1)


def test_large_addresses_are_told_apart():
    """Devices may have addresses from 2**63 on, which Python writes with nine bytes."""
    with scratch() as folder:
        first, second = 2 ** 63 + 4096, 2 ** 63 + 8192
        events = [entry("alloc", 1, first, 100), entry("alloc", 2, second, 200), entry("free_completed", 3, first, 100)]
        snapshot = {"segments": [segment(first, [block(first, 512, 0, "inactive"), block(second, 512, 200)])], "device_traces": [events]}
        for protocol in (2, 3, 4, 5):
            path = write(f"{folder}/s.pickle", snapshot, protocol)
            unfreed, = json_of("table", "memory", path, "--by", "unfreed")
            assert unfreed["size_bytes"] == 200, unfreed


def odd_snapshot(protocol):
    """A small snapshot beside values of every kind that plain pickles may have."""
    values = [None] * 50_000 + [True, False, 0, 255, 256, 65535, 65536, -1, -2 ** 31, 2 ** 31, 2 ** 62, 2 ** 63 - 1, -2 ** 63, 2 ** 63, 2 ** 64 - 1, 2 ** 64,
              -2 ** 63 - 1, 2 ** 2000, -2 ** 2000, 1.5, float("inf"), float("nan"), -0.0, "", "x" * 300, "ü" * 70_000, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4),
              [], {}, [1] * 1001, {str(i): i for i in range(2500)}, {1, 2}, frozenset((3,))][:None if protocol > 3 else -2]
    shared = ["shared"]
    return {**small_snapshot(), "more": {"values": values, "shared": [shared] * 300, "lists": [[] for _ in range(3000)], "maps": [{} for _ in range(3000)]}}


def test_every_plain_value_is_read():
    with scratch() as folder:
        plain = write(f"{folder}/s.pickle", small_snapshot())
        expected = text_of("table", "memory", plain, "--by", "largest", "--format", "csv")
        for protocol in (2, 3, 4, 5):
            data = pickle.dumps(odd_snapshot(protocol), protocol)
            for pickled in (data, pickletools.optimize(data), pure_python_pickle(odd_snapshot(protocol), protocol)):
                path = f"{folder}/odd.pickle"
                pathlib.Path(path).write_bytes(pickled)
                assert text_of("table", "memory", path, "--by", "largest", "--format", "csv") == expected, protocol


def pure_python_pickle(value, protocol):
    file = io.BytesIO()
    pickle._Pickler(file, protocol).dump(value)
    return file.getvalue()


def test_dictionaries_of_many_keys_are_searched_quickly():
    with scratch() as folder:
        many = {f"key{i}": i for i in range(100_000)}
        snapshot = small_snapshot()
        snapshot["device_traces"] = [[{**many, **entry("alloc", 1, 4096, 100)}] * 100_000]
        path = write(f"{folder}/s.pickle", snapshot)
        started = time.monotonic()
        assert json_of("info", path)["events"] > 100_000
        assert time.monotonic() - started < 60  # key by key it would be hours


def test_the_same_object_again_and_again_needs_a_bounded_memory():
    """A pickle of a megabyte that stands for 10^8 calls, or 10^11 blocks."""
    deep = [[frame(f"f{i}", f"m{j}.py", i) for i in range(500)] for j in (1, 2)]
    pair = [entry("alloc", 1, 4096, 100, frames) for frames in deep]
    many = {**block(0x10000, 1024, 1000), "frames": []}
    with scratch() as folder:
        for snapshot, left_out in (({"segments": [], "device_traces": [pair * 300_000]}, "calls of stacks"),
                                   ({"segments": [], "device_traces": [pair * 3000] * 3000}, "events"),
                                   ({"segments": [segment(0, [many] * 300_000)] * 300_000, "device_traces": [pair]}, "blocks")):
            path = write(f"{folder}/s.pickle", snapshot)
            run = limited("info", path, "--format", "json")
            assert run.returncode == 0, run.stderr[-500:]
            warning, = [w for w in json.loads(run.stdout)["warnings"] if w["code"] == "too_many_references"]
            assert left_out in warning["text"] and "refers to the same objects so often" in warning["text"], warning


def limited(*words):
    """A run that may use 3 GiB of memory."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    return subprocess.run([BIN / "lanescope", *words], capture_output=True, preexec_fn=limit, timeout=300)


if __name__ == "__main__":
    run_all(globals())
