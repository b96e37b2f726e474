#!/usr/bin/env python3
"""XSpace profiles: what the command line says of them equals what an independent decoding of the same file says."""
import collections
import gzip
import json
import struct

from program import BIN, error_of, json_of, lanescope, run_all, scratch, text_of, traces_here

FILES = ["xplane/jax_cpu.xplane.pb", "xplane/mi300_jax_conv.xplane.pb", "xplane/tf_gpu_worker.xplane.pb", "compile/jax_mlp/jax_mlp.xplane.pb",
         "more/xplane/tpu_inference_2.xplane.pb"]
WAITS = ("copy-done", "all-reduce-done", "dependency-wait", "barrier-cores")


def fields(data):
    """Number and value of each field of a message: an integer, eight bytes, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (2**64 - 1)

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, data[at:at + size]
        at += size


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Plane:
    """A plane with its lines: (name, timestamp, events), an event: (name, offset, duration, stats)."""

    def __init__(self, data):
        parts = collections.defaultdict(list)
        for number, value in fields(data):
            parts[number].append(value)
        self.name = parts[2][0].decode() if parts[2] else ""
        entries = [dict(fields(entry)) for entry in parts[5]]
        self.stat_names = {signed(entry.get(1, 0)): dict(fields(entry.get(2, b""))).get(2, b"").decode() for entry in entries}
        self.names, self.shared = {}, {}
        for entry in parts[4]:
            entry = dict(fields(entry))
            message = collections.defaultdict(list)
            for number, value in fields(entry.get(2, b"")):
                message[number].append(value)
            key = signed(entry.get(1, 0))
            self.names[key] = (message[4] or message[2] or [b""])[0].decode("utf-8", "replace")
            self.shared[key] = self.stats(message[5])
        self.facts = self.stats(parts[6])
        self.lines = []
        for line in parts[3]:
            line = list(fields(line))
            head = dict(pair for pair in line if pair[0] != 4)
            self.lines.append((head.get(2, b"").decode(), signed(head.get(3, 0)), [self.event(value) for number, value in line if number == 4]))

    def stats(self, messages):
        found = {}
        for message in messages:
            stat = dict(fields(message))
            name, value = self.stat_names.get(signed(stat.pop(1, 0))), None
            for number, raw in stat.items():
                value = {2: lambda v: struct.unpack("<d", v)[0], 3: int, 4: signed, 5: lambda v: v.decode("utf-8", "replace"),
                         6: lambda v: f"{len(v)} bytes", 7: self.stat_names.get}[number](raw)
            found[name] = value
        return found

    def event(self, data):
        parts = collections.defaultdict(list)
        for number, value in fields(data):
            parts[number].append(value)
        key, offset, duration = (signed((parts[number] or [0])[0]) for number in (1, 2, 3))
        return self.names.get(key, ""), offset, duration, {**self.shared.get(key, {}), **self.stats(parts[4])}


def planes_of(path):
    return [Plane(value) for number, value in fields(path.read_bytes()) if number == 1]


def events_of(planes, wanted=lambda plane, line: True):
    """Name, begin and end in ns, and stats of the events of some lines."""
    for plane in planes:
        for line, start, events in plane.lines:
            if wanted(plane.name, line):
                for name, offset, duration, stats in events:
                    yield name, start + offset // 1000, start + (offset + duration) // 1000, stats


def sums(events):
    """The number of events of each name, and the sum of their durations."""
    found = collections.defaultdict(lambda: [0, 0])
    for name, begin, end, _ in events:
        found[name][0] += 1
        found[name][1] += end - begin
    return {name: tuple(pair) for name, pair in found.items()}


def slices(path, condition):
    rows = json_of("sql", path, f"SELECT name, count(*) AS n, sum(dur) AS ns FROM slice WHERE {condition} GROUP BY name")
    return {row["name"]: (row["n"], row["ns"]) for row in rows}


def test_all_events_are_there():
    for path in traces_here(*FILES):
        facts, count = json_of("info", path), sum(1 for _ in events_of(planes_of(path)))
        words = facts["phases"]
        assert words["event"] + words.get("allocation", 0) == count, (path, words, count)
        for command in (["summary"], ["findings"], ["table", "operators"], ["table", "kernels"], ["table", "hotspots"], ["table", "steps"]):
            text_of(*command, path)


def test_work_of_gpus_and_its_launches():
    for path in traces_here("xplane/mi300_jax_conv.xplane.pb", "xplane/tf_gpu_worker.xplane.pb"):
        planes, facts = planes_of(path), json_of("info", path)
        work = list(events_of(planes, lambda plane, line: plane.startswith("/device:") and line.startswith("Stream")))
        copies = [event for event in work if "memcpy_details" in event[3]]
        kernels = [event for event in work if "kernel_details" in event[3]]
        found = {name: (rows, facts["duration_ns_by_category"][name]) for name, rows in facts["complete_by_category"].items()}
        for category, events in (("kernel", kernels), ("gpu_memcpy", copies)):
            assert found.get(category, (0, 0)) == (len(events), sum(end - begin for _, begin, end, _ in events)), (path, category, found)
        calls = {stats["correlation_id"] for _, _, _, stats in events_of(planes, lambda plane, _: plane == "/host:CPU") if "correlation_id" in stats}
        assert all(stats["correlation_id"] in calls for _, _, _, stats in work)
        assert facts["gpu_activities_with_launch"] == len(work), path
        grids = collections.Counter(stats["kernel_details"].split("grid:")[1].split(" ")[0] for _, _, _, stats in kernels)
        rows = json_of("sql", path, "SELECT grid_x, grid_y, grid_z FROM kernel")
        assert collections.Counter(f"{row['grid_x']},{row['grid_y']},{row['grid_z']}" for row in rows) == grids, path
        moved, = json_of("sql", path, "SELECT coalesce(sum(bytes), 0) AS bytes FROM gpu_activity WHERE name LIKE 'Memcpy%'")
        assert moved["bytes"] == sum(int(stats["memcpy_details"].split("size:")[1].split(" ")[0]) for _, _, _, stats in copies), path
        span, = json_of("sql", path, "SELECT min(ts) AS begin, max(ts + dur) AS end FROM gpu_activity")
        assert span["end"] - span["begin"] == max(e[2] for e in work) - min(e[1] for e in work), path


def test_flows():
    for path in traces_here("xplane/jax_cpu.xplane.pb", "xplane/mi300_jax_conv.xplane.pb"):
        made, taken = collections.Counter(), collections.Counter()
        for _, _, _, stats in events_of(planes_of(path)):
            if "_p" in stats:
                made[stats.get("_pt"), stats["_p"] % 2**64] += 1
            if "_c" in stats:
                taken[stats.get("_ct"), stats["_c"] % 2**64] += 1
        launches = json_of("info", path)["gpu_activities_with_launch"]
        all_flows, = json_of("sql", path, "SELECT count(*) AS n FROM flow")
        assert all_flows["n"] - launches == sum(n for key, n in taken.items() if key in made), (path, all_flows, launches)


def test_the_same_run_as_json():
    for path, other in zip(traces_here("xplane/jax_cpu.xplane.pb"), traces_here("chrome/jax_cpu.trace.json.gz")):
        with gzip.open(other) as file:
            rows = [row for row in json.load(file)["traceEvents"] if row.get("ph") == "X"]
        wanted = collections.defaultdict(lambda: [0, 0])
        for row in rows:
            wanted[row["name"]][0] += 1
            wanted[row["name"]][1] += round(row["dur"] * 1000)
        assert slices(path, "1") == {name: tuple(pair) for name, pair in wanted.items()} == slices(other, "1")
        steps = json_of("table", "steps", path)
        assert [row["duration_ns"] for row in steps] == [2128481, 1466011, 1099228, 779174], steps
        assert all(row["name"] == "train" for row in steps), steps


def test_waits_of_a_tpu_are_no_work():
    for path in traces_here("more/xplane/tpu_inference_2.xplane.pb"):
        planes = planes_of(path)
        ops = list(events_of(planes, lambda _, line: line == "XLA Ops"))
        is_wait = lambda name: name.split(".")[0] in WAITS  # noqa: E731
        assert slices(path, "category IN ('kernel', 'collective')") == sums(event for event in ops if not is_wait(event[0]))
        inside = events_of(planes, lambda _, line: line in ("XLA Ops", "XLA TraceMe"))
        assert slices(path, "category = 'wait'") == sums(event for event in inside if is_wait(event[0]))
        asynchronous = sums(events_of(planes, lambda _, line: line == "Async XLA Ops"))
        assert slices(path, "category = 'async_op'") == asynchronous
        facts = json_of("info", path)
        assert facts["partial_overlaps"] == 0, facts["partial_overlaps"]
        busy = [row for row in json_of("table", "hotspots", path) if row["name"].startswith(WAITS)]
        assert not busy, busy
        devices = {device["id"]: device for device in facts["devices"]}
        assert devices[0]["name"] == "TPU v6 Lite", devices
        start = [plane.facts["profile_start_time"] for plane in planes if plane.name == "Task Environment"]
        assert [facts["clock"]["unix_base_ns"]] == start, (facts["clock"], start)


def test_arguments_are_those_of_the_file():
    for path in traces_here(*FILES):
        planes = planes_of(path)
        name = {"tpu": "broadcast_add_fusion.1", "jax_cpu": "train", "jax_mlp": "dot", "mi300": "Im3d2Col", "tf": "Cast"}
        wanted = next(value for key, value in name.items() if key in path.name)
        rows = json_of("sql", path, f"SELECT key, display_value AS value FROM slice JOIN args USING (arg_set_id) WHERE name = '{wanted}'")
        found = {row["key"].removeprefix("args.") for row in rows}
        stats = set()
        for event, _, _, own in events_of(planes):
            if event.removesuffix(".kd") == wanted:
                stats |= set(own)
        assert stats <= found, (path, stats - found)


# A writer of XSpaces for what no real file has.
def varint(value):
    value %= 2**64
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


class Writer:
    """A plane whose names and stats get their numbers as they are first used."""

    def __init__(self, name):
        self.head, self.lines, self.names, self.stat_names, self.facts = field(2, name), b"", {}, {}, b""

    def stat(self, name, value):
        number = self.stat_names.setdefault(name, len(self.stat_names) + 1)
        kind = 5 if isinstance(value, str) else 2 if isinstance(value, float) else 4
        return field(1, number) + field(kind, value)

    def event(self, name, begin, end, display="", shared=None, **stats):
        number = self.names.setdefault((name, display), (len(self.names) + 1, shared or {}))[0]
        return field(4, field(1, number) + field(2, begin) + field(3, end - begin) + b"".join(field(4, self.stat(*s)) for s in stats.items()))

    def line(self, number, name, *events, start=0):
        self.lines += field(3, field(1, number) + field(2, name) + field(3, start) + b"".join(events))

    def data(self):
        made = b""
        for (name, display), (number, shared) in self.names.items():
            message = field(1, number) + field(2, name) + (field(4, display) if display else b"")
            message += b"".join(field(5, self.stat(*stat)) for stat in shared.items())
            made += field(4, field(1, number) + field(2, message))
        for name, number in self.stat_names.items():
            made += field(5, field(1, number) + field(2, field(1, number) + field(2, name)))
        return field(1, self.head + self.lines + made + self.facts)


def small_host(pid=7):
    host = Writer("/host:CPU")
    host.line(11, "main/11",
              host.event("$train.py:12 step", 0, 9_000_000), host.event("cuLaunchKernel", 1_000_000, 2_000_000, correlation_id=5, hlo_op="dot.1"),
              host.event("cuMemcpyAsync", 3_000_000, 4_000_000, correlation_id=6),
              host.event("net/a/MatMul:MatMul", 5_000_000, 6_000_999, display="MatMul", shape="(float[2,3];int32[])"), start=1_000)
    host.facts = field(6, host.stat("process_id", pid))
    return host


def small_device():
    device = Writer("/device:GPU:2")
    device.line(7, "Stream #7(Kernel,MemcpyH2D)",
                device.event("_Z4gemmPf", 2_500_000, 2_900_000, correlation_id=5,
                             kernel_details="regs:32 static_shared:1024 dynamic_shared:512 grid:4,2,1 block:64,1,1 occ_pct:50"),
                device.event("MemcpyH2D", 5_000_000, 5_100_000, correlation_id=6, memcpy_details="kind_src:pinned kind_dst:device size:4096 dest:2 async:1"),
                start=1_000)
    device.line(-1, "Steps", device.event("3", 2_000_000, 6_000_000, step_name="3"), start=1_000)
    device.line(-2, "XLA Ops", device.event("dot.1", 2_500_000, 2_900_000), start=1_000)
    device.facts = field(6, device.stat("core_count", 84)) + field(6, device.stat("device_type_string", "Card"))
    return device


def small_tpu():
    tpu = Writer("/device:TPU:1")
    loop, fusion = {"hlo_category": "while"}, {"hlo_category": "loop fusion", "flops": 100, "tf_op": "jit(f)/mul:"}
    tpu.line(3, "XLA Ops", tpu.event("%while.1 = …", 0, 10_000_000, display="while.1", shared=loop),
             tpu.event("%fusion.2 = …", 0, 4_000_000, display="fusion.2", shared=fusion),
             tpu.event("%all-gather.3 = …", 4_000_000, 5_000_000, display="all-gather.3", shared={"hlo_category": "all-gather"}),
             tpu.event("%copy-done.4 = …", 5_000_000, 9_000_000, display="copy-done.4", shared={"hlo_category": "copy-done"}),
             tpu.event("%while.5 = …", 20_000_000, 21_000_000, display="while.5", shared=loop))
    tpu.line(4, "Async XLA Ops", *[tpu.event("async-copy", 1_000_000 * i, 1_000_000 * i + 2_500_000) for i in range(4)])
    tpu.facts = field(6, tpu.stat("peak_teraflops_per_second", 918.0))
    return tpu


def written(folder, *planes, extra=b""):
    path = f"{folder}/run.xplane.pb"
    with open(path, "wb") as file:
        file.write(b"".join(plane.data() for plane in planes) + extra)
    return path


def test_a_small_profile():
    with scratch() as folder:
        clock = Writer("Task Environment")
        clock.facts = field(6, clock.stat("profile_start_time", 1_700_000_000_000_000_000))
        path = written(folder, small_host(), small_device(), clock, extra=field(4, "node1"))
        kernel, = json_of("sql", path, "SELECT * FROM kernel")
        assert (kernel["name"], kernel["device"], kernel["dur"], kernel["stream"]) == ("gemm(float*)", 2, 400, 7), kernel
        assert (kernel["grid_x"], kernel["grid_y"], kernel["block_x"], kernel["registers_per_thread"]) == (4, 2, 64, 32), kernel
        copy, = json_of("sql", path, "SELECT * FROM gpu_activity WHERE name LIKE 'Memcpy%'")
        assert (copy["name"], copy["bytes"]) == ("Memcpy HtoD (Pinned -> Device)", 4096), copy
        facts = json_of("info", path)
        assert facts["gpu_activities_with_launch"] == 2 and facts["gpu_activities"] == 2, facts
        python, = json_of("sql", path, "SELECT name FROM slice WHERE category = 'python_function'")
        assert python["name"] == "train.py(12): step", python
        operators = {row["name"]: row for row in json_of("sql", path, "SELECT * FROM operator_call")}
        assert set(operators) == {"dot.1", "MatMul"}, operators
        matmul = operators["MatMul"]
        assert (matmul["module_hierarchy"], matmul["input_dims"], matmul["dur"]) == ("net/a/MatMul", "[[2, 3], []]", 1000), matmul
        step, = json_of("table", "steps", path)
        assert (step["name"], step["index"], step["duration_ns"]) == ("ProfilerStep#3", 3, 4000), step
        assert "static_shared" in str(facts["warnings"]), facts["warnings"]


def test_a_small_tpu():
    with scratch() as folder:
        path = written(folder, small_tpu())
        found = {row["name"]: row["category"] for row in json_of("sql", path, "SELECT name, category FROM slice")}
        assert found == {"while.1": "region", "fusion.2": "kernel", "all-gather.3": "collective", "copy-done.4": "wait", "while.5": "kernel",
                         "async-copy": "async_op"}, found
        lanes = [row["lane"] for row in json_of("table", "lanes", path) if row["lane"].startswith("Async")]
        assert lanes == ["Async XLA Ops", "Async XLA Ops 2", "Async XLA Ops 3"], lanes
        assert json_of("info", path)["partial_overlaps"] == 0


def test_waits_of_a_device_are_causes_of_gaps():
    with scratch() as folder:
        tpu = Writer("/device:TPU:0")
        tpu.line(3, "XLA Ops", *[tpu.event(name, begin * 1_000_000, end * 1_000_000) for name, begin, end in
                                 (("fusion", 0, 1), ("copy-done", 1, 9), ("fusion", 9, 10), ("copy-done", 10, 12), ("fusion", 20, 21))])
        gaps = json_of("table", "gaps", written(folder, tpu))
        assert {(row["duration_ns"], row["cause"]) for row in gaps} == {(8000, "dependency"), (10000, None)}, gaps


def test_several_hosts_in_one_file():
    with scratch() as folder:
        path = written(folder, small_host(), small_device(), small_host(), small_device(), extra=field(4, "a") + field(4, "b"))
        facts = json_of("info", path)
        assert facts["gpu_activities_with_launch"] == 4, facts
        names = {row["process"] for row in json_of("table", "lanes", path)}
        assert names == {"a", "b"}, names


def test_damage():
    with scratch() as folder:
        whole = b"".join(plane.data() for plane in (small_host(), small_device(), small_tpu()))
        path = f"{folder}/cut.xplane.pb"
        for size in range(1, len(whole), 7):
            with open(path, "wb") as file:
                file.write(whole[:size])
            run = lanescope("info", path)
            assert run.returncode in (0, 1, 2), (size, run)
            if run.returncode == 0:
                assert b"truncated_file" in run.stdout, (size, run.stdout)
        huge = Writer("/host:CPU")
        huge.line(1, "main", huge.event("far", 2**62, 2**63 - 1), huge.event("back", 100, 50), huge.event("fine", 0, 1000), start=2**61)
        path = written(folder, huge)
        warnings = {warning["code"] for warning in json_of("info", path)["warnings"]}
        assert "unreadable_time" in warnings, warnings
        sound = small_host().data()
        with open(path, "wb") as file:
            file.write(sound + field(1, field(2, "/device:GPU:0") + b"\x1a\xff\xff\xff\xff\x0f") + small_device().data())
        facts = json_of("info", path)
        assert facts["gpu_activities_with_launch"] == 2 and "damaged_record" in {w["code"] for w in facts["warnings"]}, facts


def within_seconds(*words):
    """The JSON of a command that takes minutes if its cost is quadratic in the size of its file."""
    run = lanescope("-c", 'ulimit -t 30; exec "$@"', "sh", BIN / "lanescope", *words, "--format", "json", program="/bin/sh")
    assert run.returncode == 0, (words, run)
    return json.loads(run.stdout)


def test_the_cost_follows_the_size():
    with scratch() as folder:
        facts = within_seconds("info", written(folder, small_host(), small_device(), extra=b"\x0a\x00" * 1_000_000))
        assert facts["gpu_activities_with_launch"] == 2, facts
        assert facts["warnings"][0]["code"] == "too_many_lines" and str(1_000_002 - 65_536) in facts["warnings"][0]["text"], facts["warnings"]
        many = Writer("/host:CPU")
        many.line(1, "main", many.event("op", 0, 5_000))
        stats = b"".join(field(4, field(1, 10 + i % 200_000) + field(4, i)) for i in range(200_001))
        many.lines = field(3, field(1, 1) + field(2, "main") + field(4, field(1, 1) + field(2, 0) + field(3, 5_000) + stats))
        path = written(folder, many)
        rows = within_seconds("sql", path, "SELECT count(*) AS n, max(CASE WHEN key = 'args.stat 10' THEN display_value END) AS first FROM args")
        assert [(row["n"], str(row["first"])) for row in rows] == [(200_000, "0")], rows


def test_a_cut_is_within_the_file():
    with scratch() as folder:
        whole = b"".join(plane.data() for plane in (small_host(), small_device(), small_tpu()))
        for size in range(100, len(whole), 13):
            for name, data in (("cut.xplane.pb", whole[:size]), ("cut.xplane.pb.gz", gzip.compress(whole[:size]))):
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(data)
                cuts = [w for w in json_of("info", f"{folder}/{name}")["warnings"] if w["code"] == "truncated_file"]
                assert len(cuts) <= 1 and all(0 <= cut["byte_offset"] <= size for cut in cuts), (name, size, cuts)
        for path in traces_here("xplane/tf_gpu_worker.xplane.pb"):
            with open(f"{folder}/cut.xplane.pb", "wb") as file:
                file.write(path.read_bytes()[:1_000_000])
            cut = next(w for w in json_of("info", f"{folder}/cut.xplane.pb")["warnings"] if w["code"] == "truncated_file")
            assert cut["byte_offset"] < 1_000_000, cut


def test_names_of_what_is_not_read():
    with scratch() as folder:
        with open(f"{folder}/run.xplane.riegeli", "wb") as file:
            file.write(bytes.fromhex("83af70d10d884a3f0000000000000000400000000000000091bac23c9287e1a9") + bytes(32))
        assert "Riegeli" in error_of("info", f"{folder}/run.xplane.riegeli", status=1)
        # A folder opens the profiles in it.
        one = json_of("info", written(folder, small_host()))
        assert json_of("info", folder)["events"] == one["events"] > 0


if __name__ == "__main__":
    run_all(globals())
