#!/usr/bin/env python3
"""Perfetto traces: what the command line says of them equals what a decoder of its own, below, finds in the same file."""
import collections
import gzip
import json
import struct
import zlib

from program import BIN, SAMPLES, error_of, has_real_traces, json_of, lanescope, real_trace, run_all, scratch, text_of, traces_here


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def number(value):
    out = bytearray()
    value &= 2**64 - 1
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def message(*pairs):
    """A message of (field, value): numbers, texts, bytes of messages, and doubles."""
    out = b""
    for field, value in pairs:
        if isinstance(value, float):
            out += number(field << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            out += number(field << 3) + number(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += number(field << 3 | 2) + number(len(value)) + value
    return out


def file_of(folder, *packets, name="a.pftrace"):
    path = f"{folder}/{name}"
    with open(path, "wb") as file:
        for packet in packets:
            file.write(message((1, packet)))
    return path


def begin(time, track, name, *more, **head):
    return message((8, time), (10, head.get("seq", 1)), (11, message((9, 1), (11, track), (23, name), *more)))


def end(time, track, **head):
    return message((8, time), (10, head.get("seq", 1)), (11, message((9, 2), (11, track))))


def process(uuid, pid, name):
    return message((60, message((1, uuid), (3, message((1, pid), (6, name))))))


def thread(uuid, parent, pid, tid, name):
    return message((60, message((1, uuid), (5, parent), (4, message((1, pid), (2, tid), (5, name))))))


def slices_of(path, columns="name, ts, dur", more=""):
    return [tuple(row.values()) for row in json_of("sql", path, f"SELECT {columns} FROM slice {more} ORDER BY ts, dur DESC, name")]


def warnings_of(path):
    return {row["code"]: row for row in json_of("info", path)["warnings"]}


def decoded(path):
    """(name, begin, end) of the slices of a file whose writer closes the innermost slice in the order of the file."""
    data = path.read_bytes()
    stacks, found, instants = collections.defaultdict(list), [], 0
    for _, packet in fields(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data):
        head = dict(fields(packet))
        if 11 not in head:
            continue
        event = dict(fields(head[11]))
        if event[9] == 1:
            stacks[event[11]].append((event[23].decode(), head[8]))
        elif event[9] == 2:
            name, start = stacks[event[11]].pop()
            found.append((name, start, head[8]))
        else:
            instants += 1
    return found, instants


def test_tokio():
    for path in traces_here("perfetto/tokio_tracing.pftrace"):
        slices, instants = decoded(path)
        assert len(slices) == 227 and instants == 8
        rows = json_of("sql", path, "SELECT name, dur FROM slices WHERE dur > 0")
        facts = json_of("info", path)
        assert facts["format"] == "perfetto", facts
        assert facts["phases"]["slice"] == 227 and facts["phases"]["instant"] == 8, facts["phases"]
        assert sum(facts["duration_ns_by_category"].values()) == 2654678629, facts["duration_ns_by_category"]
        assert facts["max_stack"] == 3, facts["max_stack"]
        begins = sorted((name, stop - start) for name, start, stop in slices)
        assert begins == sorted((row["name"], row["dur"]) for row in rows), "slices differ"
        assert facts["partial_overlaps"] == 0
        args = json_of("sql", path, "SELECT DISTINCT key FROM args WHERE key LIKE 'args.%'")
        assert {"args.target", "args.source.file", "args.source.line"} <= {row["key"] for row in args}, args


def test_chrome_and_android():
    for path in traces_here("more/perfetto/chrome.pftrace"):
        data = gzip.decompress(path.read_bytes())
        begins = 0
        for _, packet in fields(data):
            head = dict(fields(packet))
            begins += 11 in head and dict(fields(head[11])).get(9) == 1
        facts = json_of("info", path)
        lost = warnings_of(path).get("no_state", {"count": 0})["count"]
        assert abs(facts["phases"]["slice"] - begins) <= lost, (facts["phases"], begins, lost)
    for path in traces_here("more/perfetto/androidGpu.pftrace"):
        curves = [row for row in json_of("table", "lanes", path) if row["kind"] == "counter"]
        assert curves and all(row["points"] > 1 for row in curves), curves


class Expected:
    """Results that Perfetto's own tests expect, as rows of texts."""

    def __init__(self):
        self.files = {entry["file"]: entry for entry in json.loads(real_trace("more/perfetto-difftests/expected.json").read_text())}

    def rows(self, file, test=0):
        lines = [line.strip() for line in self.files[file]["tests"][test]["expect"].strip().splitlines()]
        return [[cell.strip('"') for cell in line.split(",")] for line in lines[1:]]


def path_of(file):
    return real_trace("more/perfetto-difftests") / file


def test_perfettos_own_slices():
    """Slices by their times, durations and names. Instants are slices without length in SQL."""
    expected = Expected()
    for file in ("track_event_tracks_slices", "track_event_instant_slices", "track_event_monotonic_trace_clock_slices",
                 "track_event_with_atrace_separate_tracks"):
        file = f"track_event.{file}.pftrace"
        wanted = sorted((int(row[4]), max(int(row[5]), 0), row[7]) for row in expected.rows(file))
        start = min(row[0] for row in wanted)
        found = [(row["ts"], row["dur"], row["name"]) for row in json_of("sql", path_of(file), "SELECT ts, dur, name FROM slice")]
        shift = start - min(row[0] for row in found)
        assert sorted((ts + shift, dur, name) for ts, dur, name in found) == wanted, (file, found, wanted)


def test_perfettos_own_curves():
    expected = Expected()
    cases = {"parsing.kernel_dpu_tmw_counter_process_counter_and_track": (0, 2),
             "track_event.incremental_counter_sequences": (0, 1), "graphics.gpu_counter_interned_descriptor": (0, 1),
             "sched.sched_cpu_util_cfs": (1, 2), "sched.cpu_frequency_limits": (0, 1), "graphics.gpu_frequency_event": (2, 3)}
    for file, (time, value) in cases.items():
        file += ".pftrace"
        wanted = sorted((int(row[time]), float(row[value])) for row in expected.rows(file))
        found = [(row["ts"], row["value"]) for row in json_of("sql", path_of(file), "SELECT ts, value FROM counter")]
        shift = min(t for t, _ in wanted) - min(t for t, _ in found)
        assert sorted((ts + shift, v) for ts, v in found) == wanted, (file, sorted(found), wanted)


def test_all_small_files_load_or_say_why():
    for file in Expected().files if has_real_traces() else []:
        run = lanescope("info", path_of(file))
        assert run.returncode == 0 or b"contains no events" in run.stderr or b"which is not read" in run.stderr, (file, run.stderr)


def test_brackets_and_nesting():
    with scratch() as folder:
        # In the order of a stack, with slices that touch and one without length.
        path = file_of(folder, process(1, 7, "prog"), thread(2, 1, 7, 8, "main"), begin(100, 2, "outer"), begin(110, 2, "a"), end(120, 2),
                       begin(120, 2, "b"), begin(120, 2, "none"), end(120, 2), end(130, 2), end(200, 2))
        assert sorted(row[::2] for row in slices_of(path)) == [("a", 10), ("b", 10), ("none", 0), ("outer", 100)]
        lane, = [row for row in json_of("table", "lanes", path) if row["slices"]]
        assert (lane["lane"], lane["kind"]) == ("main", "thread"), lane
        # All begins, then all ends, as PyTorch writes them.
        spans = [("a", 100, 200), ("b", 120, 150), ("c", 200, 220), ("none", 205, 205)]
        path = file_of(folder, thread(2, 0, 7, 8, "main"), *[begin(s, 2, n) for n, s, _ in spans], *[end(e, 2) for *_, e in spans])
        assert sorted(row[::2] for row in slices_of(path)) == sorted((n, e - s) for n, s, e in spans)
        # Each slice when it ends, inner ones first.
        path = file_of(folder, thread(2, 0, 7, 8, "main"), begin(120, 2, "in"), end(150, 2), begin(100, 2, "out"), end(200, 2))
        assert sorted(row[::2] for row in slices_of(path)) == [("in", 30), ("out", 100)]
        path = file_of(folder, thread(2, 0, 7, 8, "main"), end(90, 2), begin(100, 2, "open"), begin(150, 2, "closed"), end(160, 2))
        assert {"unclosed_begin", "unopened_end"} <= warnings_of(path).keys()


def test_interned_names_need_their_state():
    interned = message((10, 1), (13, 1), (12, message((2, message((1, 5), (2, "named"))), (1, message((1, 6), (2, "cat"))),
                                                      (3, message((1, 7), (2, "key"))), (29, message((1, 8), (2, "text"))))))
    note = message((1, 7), (17, 8))
    use = message((8, 10), (10, 1), (13, 2), (11, message((9, 1), (11, 2), (10, 5), (3, 6), (4, note))))
    stop = message((8, 20), (10, 1), (11, message((9, 2), (11, 2))))
    cleared = message((10, 1), (13, 1))
    again = message((8, 30), (10, 1), (13, 2), (11, message((9, 1), (11, 2), (10, 5))))
    lost = message((8, 50), (10, 1), (42, 1), (13, 2), (11, message((9, 3), (11, 2), (10, 5))))
    with scratch() as folder:
        path = file_of(folder, thread(2, 0, 7, 8, "t"), interned, use, stop, cleared, again, end(40, 2), lost)
        rows = json_of("sql", path, "SELECT name, category FROM slice ORDER BY ts")
        assert [(row["name"], row["category"]) for row in rows] == [("named", "cat"), ("name 5", None)], rows
        assert warnings_of(path)["no_state"]["count"] == 1 and warnings_of(path)["lost_packets"]["count"] == 1
        args = json_of("sql", path, "SELECT key, string_value FROM args JOIN slice USING (arg_set_id) WHERE key LIKE 'args.%'")
        assert args == [{"key": "args.key", "string_value": "text"}], args


def test_clocks_convert_in_chains():
    snapshot = message((10, 3), (6, message((1, message((1, 6), (2, 1000))), (1, message((1, 3), (2, 500))), (1, message((1, 1), (2, 10**18))))))
    other = message((10, 3), (6, message((1, message((1, 3), (2, 700))), (1, message((1, 64), (2, 10), (3, 1), (4, 1000))))))
    defaults = message((10, 3), (59, message((58, 64), (11, message((11, 2))))))
    deltas = [message((8, d), (10, 3), (11, message((9, kind), (23, "x")))) for d, kind in ((5, 1), (3, 2))]
    with scratch() as folder:
        path = file_of(folder, thread(2, 0, 7, 8, "t"), snapshot, other, defaults, *deltas, begin(1200, 2, "boot", seq=4), end(1300, 2, seq=4))
        rows = slices_of(path)
        # 10 µs + 5 µs on the own clock are 700 + 5000 ns on the monotonic one, and 500 ns more since the boot.
        assert [(row[0], row[2]) for row in rows] == [("boot", 100), ("x", 3000)], rows
        assert rows[1][1] - rows[0][1] == 700 + 5000 + 500 - 1200, rows


def test_counters_states_flows_and_siblings():
    def count(time, track, *more):
        return message((8, time), (10, 1), (11, message((9, 4), (11, track), *more)))
    curve = message((60, message((1, 9), (5, 1), (2, "load"), (8, message((3, 3), (4, 1024))))))
    sums = message((60, message((1, 10), (5, 1), (2, "sum"), (8, message((5, 1))))))
    states = message((60, message((1, 11), (5, 1), (2, "mode"), (18, b""))))
    siblings = [message((60, message((1, uuid), (5, 1), (2, "worker")))) for uuid in (20, 21)]
    alone = message((60, message((1, 22), (5, 1), (2, "worker"), (15, 2))))
    flow = number(47 << 3 | 1) + struct.pack("<Q", 77)
    ending = number(48 << 3 | 1) + struct.pack("<Q", 77)
    with scratch() as folder:
        path = file_of(folder, process(1, 7, "prog"), curve, sums, states, *siblings, alone, count(5, 9, (30, 3)), count(6, 9, (44, 1.5)),
                       count(5, 10, (30, 3)), count(6, 10, (30, 4)),
                       *[message((8, t), (10, 1), (11, message((9, 5), (11, 11), *n))) for t, n in ((5, [(23, "on")]), (9, [(23, "off")]), (12, []))],
                       message((8, 30), (10, 1), (11, message((9, 1), (11, 20), (23, "from")) + flow)), end(40, 20),
                       message((8, 35), (10, 1), (11, message((9, 1), (11, 21), (23, "to")) + ending)), end(50, 21), begin(60, 22, "alone"), end(61, 22))
        values = sorted((row["name"], row["value"]) for row in json_of("sql", path, "SELECT t.name, value FROM counter JOIN counter_track t ON track_id = t.id"))
        assert [value for _, value in values] == [1536.0, 3072.0, 3.0, 7.0], values
        rows = {row[0]: row[2] for row in slices_of(path)}
        assert (rows["on"], rows["off"]) == (4, 3), rows
        lanes = [row["lane"] for row in json_of("table", "lanes", path) if row["slices"]]
        assert sorted(lanes) == ["mode", "worker", "worker"], lanes
        link, = json_of("sql", path, "SELECT a.name AS a, b.name AS b FROM flow JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id")
        assert (link["a"], link["b"]) == ("from", "to"), link


def test_old_events_of_chrome():
    def legacy(delta, phase, name, *more, event=()):
        return message((10, 1), (11, message((1, delta), (23, name), (22, "c"), (6, message((2, ord(phase)), *more)), *event)))
    head = message((10, 1), (41, 1), (44, message((1, 5), (2, 6), (5, "renderer"), (6, 1000))))
    with scratch() as folder:
        path = file_of(folder, head, legacy(10, "B", "b"), legacy(5, "X", "x", (3, 7)), legacy(20, "E", ""), legacy(1, "I", "i"),
                       legacy(1, "b", "async", (11, 3)), legacy(4, "e", "async", (11, 3)), legacy(0, "C", "count", event=[(4, message((10, "n"), (4, 9)))]))
        rows = {row[0]: row for row in slices_of(path)}
        assert (rows["b"][2], rows["x"][2], rows["async"][2]) == (25000, 7000, 4000), rows
        assert rows["x"][1] - rows["b"][1] == 5000
        assert {"thread", "async", "counter"} == {row["kind"] for row in json_of("table", "lanes", path)}


def test_scheduling_and_marks():
    def ftrace(cpu, *events):
        return message((10, 5), (1, message((1, cpu), *[(2, message((1, time), (2, tid), payload)) for time, tid, payload in events])))
    def switch(prev, state, next_, name):
        return (4, message((2, prev), (4, state), (5, name), (6, next_)))
    with scratch() as folder:
        path = file_of(folder, message((2, message((1, message((1, 10), (3, "app"))), (2, message((1, 11), (2, "worker"), (3, 10)))))),
                       ftrace(0, (100, 0, switch(0, 0, 11, "worker")), (110, 11, (3, message((2, "B|10|draw\n")))), (150, 11, (3, message((2, "E|10\n")))),
                              (160, 11, (3, message((2, "C|10|frames|3\n")))), (200, 11, switch(11, 1, 0, "swapper"))),
                       ftrace(1, (300, 0, switch(0, 0, 11, "worker")), (320, 11, switch(11, 0, 12, "other")), (350, 12, switch(12, 2, 0, "swapper")),
                              (360, 0, (11, message((1, 1500000), (2, 1))))))
        found = {(row["name"], row["category"]): row["dur"] for row in json_of("sql", path, "SELECT name, category, sum(dur) AS dur FROM slice GROUP BY 1, 2")}
        assert found[("draw", "atrace")] == 40 and found[("worker", "sched")] == 120 and found[("other", "sched")] == 30, found
        assert found[("Running", "thread_state")] == 150 and found[("Sleeping", "thread_state")] == 100, found
        lanes = {row["lane"]: row for row in json_of("table", "lanes", path)}
        assert {"CPU 0", "CPU 1", "worker", "worker · states"} <= lanes.keys(), lanes.keys()


def test_compressed_packets_and_unread_ones():
    inner = b"".join(message((1, packet)) for packet in (begin(10, 2, "inside", (4, message((10, "k"), (4, 5)))), end(20, 2)))
    with scratch() as folder:
        path = file_of(folder, message((50, zlib.compress(inner))), thread(2, 0, 7, 8, "t"), begin(30, 2, "after", (4, message((10, "k"), (4, 6)))), end(40, 2),
                       message((37, b"heap")), message((37, b"heap")), message((999, b"new")))
        assert [row[::2] for row in slices_of(path)] == [("inside", 10), ("after", 10)]
        args = json_of("sql", path, "SELECT int_value FROM args JOIN slice USING (arg_set_id) WHERE key = 'args.k' ORDER BY ts")
        assert [row["int_value"] for row in args] == [5, 6], args
        warning = warnings_of(path)["unread_packets"]
        assert warning["count"] == 3 and "2 profile_packet" in warning["text"] and "1 field 999" in warning["text"], warning
        damaged = file_of(folder, message((50, b"no zlib")), begin(30, 2, "x"), end(40, 2))
        assert warnings_of(damaged)["bad_compressed_packet"]["count"] == 1


def test_pytorchs_gpu_stages():
    """Kernels as GPU stages; the call that launches one names it, and slices with the same correlation are not counted twice."""
    def stage(time, duration, event, queue, kind, *more):
        return message((8, time), (10, 1), (13, 2), (53, message((1, event), (2, duration), (5, 1), (11, 0), (13, queue), (14, kind), *more)))
    def extra(name, value):
        return (6, message((1, name), (2, str(value))))
    interned = message((10, 1), (13, 1), (12, message(
        (2, message((1, 1), (2, "cudaLaunchKernel"))), (1, message((1, 1), (2, "cuda_runtime"))), (23, message((1, 1), (2, 100))),
        (24, message((1, 1), (2, "Kernel"), (4, 2))), (24, message((1, 2), (2, "Memcpy"))), (24, message((1, 3), (2, "Annotation"))),
        (24, message((1, 9), (2, "[7] stream 7"))), (1000, message((1, 4), (3, "gemm(float*)"))), (1001, message((1, 1), (2, "registers_per_thread"))))))
    launch = message((1, message((1, 4), (2, 2))), (2, message((1, 128))), (3, message((1, 1), (4, 32))))
    call = message((8, 10), (10, 1), (13, 2), (11, message((9, 1), (11, 2), (10, 1), (3, 1), (4, message((10, "correlation"), (4, 55))), (3000, message((1, 1))))))
    with scratch() as folder:
        packets = [process(1, 100, "python"), thread(2, 1, 100, 101, "main"), interned, call, end(20, 2),
                   stage(30, 40, 1, 9, 1, (19, 4), (21, launch), extra("stream", 7)), stage(80, 5, 2, 9, 2, extra("bytes", 4096)), stage(29, 60, 3, 9, 3)]
        path = file_of(folder, *packets)
        kernel, = json_of("sql", path, "SELECT * FROM kernel")
        assert (kernel["name"], kernel["dur"], kernel["grid_x"], kernel["grid_y"], kernel["block_x"], kernel["registers_per_thread"]) == ("gemm(float*)", 40, 4, 2, 128, 32), kernel
        facts = json_of("info", path)
        assert facts["gpu_activities"] == 2 and facts["gpu_activities_with_launch"] == 1, facts
        copy, = json_of("sql", path, "SELECT bytes FROM gpu_activity WHERE category = 'gpu_memcpy'")
        assert copy["bytes"] == 4096
        own = begin(30, 3, "gemm(float*)", *[(4, message((10, key), (4, value))) for key, value in
                                             (("device", 0), ("stream", 7), ("correlation", 55))], (4, message((10, "grid"), *[(12, message((4, size))) for size in (4, 2, 1)])))
        doubled = file_of(folder, *packets, thread(3, 0, 0, 7, "stream 7"), own, end(70, 3))
        assert json_of("info", doubled)["gpu_activities"] == 2 and warnings_of(doubled)["doubled_gpu_work"]["count"] == 1


def test_rocprof():
    def slice_(time, stop, track, name, category, **notes):
        annotations = [(4, message((10, key), (6, value) if isinstance(value, str) else (4, value))) for key, value in notes.items()]
        flow = number(47 << 3 | 1) + struct.pack("<Q", notes["corr_id"])
        return [message((8, time), (10, 1), (11, message((9, 1), (11, track), (23, name), (22, category), *annotations) + flow)), end(stop, track)]
    with scratch() as folder:
        track = lambda uuid, name: message((60, message((1, uuid), (5, 1), (2, name))))
        path = file_of(folder, process(1, 50, "app"), thread(2, 1, 50, 50, "app"), track(3, "COMPUTE AGENT [4] STREAM [1] (GPU)"),
                       track(4, "COPY to AGENT [4] STREAM [1] (GPU)"),
                       *slice_(10, 20, 2, "hipLaunchKernel", "hip_api", corr_id=9, tid=50),
                       *slice_(30, 90, 3, "add(float*)", "kernel_dispatch", corr_id=9, agent="Agent 4", queue=2, workgroup_size=64, grid_size=1000, group_segment_size=512),
                       *slice_(95, 99, 4, "MEMORY_COPY_DEVICE_TO_HOST", "memory_copy", corr_id=10, copy_bytes=256))
        kernel, = json_of("sql", path, "SELECT * FROM kernel")
        assert (kernel["grid_x"], kernel["block_x"], kernel["device"]) == (16, 64, 4), kernel
        facts = json_of("info", path)
        assert facts["gpu_activities"] == 2 and facts["gpu_activities_with_launch"] == 1, facts
        assert "untried_writer" in warnings_of(path)
        kinds = {row["lane"]: row["kind"] for row in json_of("table", "lanes", path) if row["slices"]}
        assert sorted(kinds.values()) == ["stream", "stream", "thread"], kinds


def test_samples_of_stacks():
    interned = message((10, 1), (13, 1), (12, message((5, message((1, 1), (2, "main"))), (5, message((1, 2), (2, "work"))), (6, message((1, 1), (2, 1))),
                                                      (6, message((1, 2), (2, 2))), (7, message((1, 1), (2, 1), (2, 2))), (7, message((1, 2), (2, 1))))))
    sample = lambda time, stack: message((8, time), (10, 1), (13, 2), (66, message((2, 5), (3, 6), (4, stack))))
    with scratch() as folder:
        path = file_of(folder, interned, sample(1000, 1), sample(2000, 1), sample(3000, 2))
        assert [row[::2] for row in slices_of(path)] == [("main", 3000), ("work", 2000)], slices_of(path)
        assert "samples" in {row["kind"] for row in json_of("table", "lanes", path)}


def differences(trace, folder):
    """The tables in which a trace and what `lanescope convert` makes of it differ."""
    copy = f"{folder}/copy.pftrace"
    text_of("convert", trace, "-o", copy, "--force")
    return [table for table in ("kernels", "operators", "breakdown", "steps") if json_of("table", table, trace) != json_of("table", table, copy)]


def test_converted_files_are_read_back_equal():
    samples = [*sorted(SAMPLES.glob("torch_cpu/*.json.gz")), SAMPLES / "synthetic_step.json.gz"]
    real = [file for folder in ("torch",) for file in sorted(real_trace(folder).glob("*"))] if has_real_traces() else []
    small = [file for file in real if file.is_file() and file.stat().st_size < 500_000 and file.name.endswith((".json.gz", ".json"))
             and lanescope("info", file).returncode == 0]
    assert samples
    with scratch() as folder:
        for trace in [*samples, *small]:
            # Where slices overlap in part, the sums of operators follow the order of the file, which the copy does not have.
            known = ["operators"] if trace.name == "convnet_stack.json.gz" else []
            assert differences(trace, folder) == known, (trace, differences(trace, folder))


def info_within_seconds(path):
    """The facts of a file that takes minutes if its cost is quadratic in its size."""
    run = lanescope("-c", 'ulimit -t 30; exec "$@"', "sh", BIN / "lanescope", "info", path, "--format", "json", program="/bin/sh")
    assert run.returncode == 0, (path, run)
    return json.loads(run.stdout)


def snapshot(*readings):
    return message((10, 1), (6, b"".join(message((1, message((1, clock), (2, reading)))) for clock, reading in readings)))


def test_the_cost_follows_the_size():
    def instant(time, clock):
        return message((8, time), (58, clock), (10, 1), (11, message((9, 3), (11, 1), (23, "a"))))

    interned = message((10, 1), (13, 1), (12, message((3, message((1, 65535), (2, "x"))))))
    siblings = [p for i in range(16000) for p in (message((60, message((1, 1000 + i), (5, 1), (2, "same"), (15, 2)))),
                                                  begin(1000 + i, 1000 + i, "a"), end(2000 + i, 1000 + i))]
    with scratch() as folder:
        facts = info_within_seconds(file_of(folder, begin(10, 1, "a"), end(20, 1), *[interned] * 20000))
        assert facts["phases"]["slice"] == 1, facts
        path = file_of(folder, process(1, 77, "p"), *siblings)
        assert info_within_seconds(path)["phases"]["slice"] == 16000
        names = {row["name"] for row in json_of("sql", path, "SELECT DISTINCT name FROM thread_track")}
        assert names == {"same"}, names
        # One snapshot relates the clocks; none of the many after it has both.
        alone = [snapshot((200, 10 + i)) for i in range(80000)]
        times = [instant(100000 + i, 200) for i in range(80000)]
        facts = info_within_seconds(file_of(folder, snapshot((6, 1005), (200, 5)), *alone, *times))
        assert facts["phases"]["instant"] == 80000 and "no_clock_snapshot" not in {w["code"] for w in facts["warnings"]}, facts
        # Readings that fall, and thousands of clocks at once.
        falling = [snapshot((6, 2 * (400000 - i)), (200, 400000 - i)) for i in range(400000)]
        info_within_seconds(file_of(folder, *falling, instant(100, 200)))
        facts = info_within_seconds(file_of(folder, snapshot(*[(200 + i, 5 + i) for i in range(12000)], (6, 1005)), instant(5, 200), instant(12004, 12199)))
        assert facts["phases"]["instant"] == 2 and not facts["warnings"], facts


def test_clocks_take_the_shortest_way_and_the_last_snapshot():
    def instant(time, clock, name):
        return message((8, time), (58, clock), (10, 1), (11, message((9, 3), (11, 1), (23, name))))

    with scratch() as folder:
        # The ways between the clocks get shorter as the file goes on.
        path = file_of(folder, snapshot((200, 0), (201, 10)), snapshot((201, 0), (202, 100)), instant(7, 200, "unknown"), snapshot((202, 0), (6, 1000)),
                       instant(7, 200, "long"), snapshot((201, 50), (6, 550)), instant(7, 200, "shorter"), snapshot((200, 100), (6, 9100)),
                       snapshot((200, 50), (6, 10050)), instant(7, 200, "first"), instant(99, 200, "early"), instant(100, 200, "late"))
        times = dict(slices_of(path, "name, ts"))
        # A direct relation from a lower clock than the first snapshot's is the nearest one.
        wanted = {"unknown": 7, "long": 1117, "shorter": 517, "first": 10007, "early": 10099, "late": 9100}
        base = times["unknown"] - 7
        assert {name: time - base for name, time in times.items()} == wanted, times
        assert warnings_of(path)["no_clock_snapshot"]["count"] == 1


def test_numbers_of_interned_names_may_be_any():
    numbers = [1, 2, 5, 17, 18, 40, 65535, 70000, 2**63, *range(3, 80), 40]
    with scratch() as folder:
        packets = []
        for at, number in enumerate(numbers):
            packets += [message((10, 1), *([(13, 1)] if at == 0 else []), (12, message((2, message((1, number), (2, f"name {number} of {at}"))))))]
            packets += [message((8, 10 * at), (10, 1), (11, message((9, 3), (11, 2), (10, number))))]
        packets += [message((8, 10 * (len(numbers) + at)), (10, 1), (11, message((9, 3), (11, 2), (10, number)))) for at, number in enumerate(numbers)]
        last = {number: f"name {number} of {at}" for at, number in enumerate(numbers)}
        names = [name for name, in slices_of(file_of(folder, thread(2, 0, 7, 8, "t"), *packets), "name")]
        assert names == [f"name {number} of {at}" for at, number in enumerate(numbers)] + [last[number] for number in numbers], names


def test_damage():
    with scratch() as folder:
        whole = open(file_of(folder, process(1, 7, "prog"), thread(2, 1, 7, 8, "main"), *[p for i in range(50) for p in (begin(i * 10, 2, f"s{i}"), end(i * 10 + 5, 2))]), "rb").read()
        for size in range(40, len(whole), 97):
            with open(f"{folder}/cut.pftrace", "wb") as file:
                file.write(whole[:size])
            run = lanescope("info", f"{folder}/cut.pftrace", "--format", "json")
            assert run.returncode in (0, 1), run
        for bad in (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0a\x05abc", b"\x0b\x01"):
            with open(f"{folder}/bad.pftrace", "wb") as file:
                file.write(whole + bad)
            found = json_of("info", f"{folder}/bad.pftrace")
            assert found["phases"]["slice"] == 50 and found["warnings"], (bad, found["warnings"])
        with open(f"{folder}/gz.pftrace", "wb") as file:
            file.write(gzip.compress(whole)[:-12])
        assert "truncated_file" in warnings_of(f"{folder}/gz.pftrace")


if __name__ == "__main__":
    run_all(globals())
