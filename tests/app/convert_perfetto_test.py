#!/usr/bin/env python3
"""lanescope convert to Perfetto's protobuf: read with the published messages, it has every slice, instant, flow and point
of the JSON that lanescope convert writes, at the same nanosecond and with the same arguments."""
import collections
import gzip
import json
from decimal import Decimal

from perfetto_file import messages_of, read_perfetto
from program import BIN, SAMPLES, has_real_traces, json_of, lanescope, real_trace, run_all, scratch, text_of
from recorded import FOLDER, record

LARGEST = 800_000  # bytes of a compressed trace: larger ones take too long to decode in Python


def nanos(microseconds):
    result = Decimal(microseconds) * 1000
    assert result == int(result), microseconds
    return int(result)


def plain(value):
    """JSON's value as annotations have it: null and empty lists are texts."""
    if value is None or value == [] or value == {}:
        return json.dumps(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value


def plain_args(event):
    return {key: plain(value) for key, value in event["args"].items()}


def ordered(slices):
    return sorted(slices, key=lambda s: (s[:4], json.dumps(s[4:], sort_keys=True, default=str)))


class Json:
    """What is expected of the Perfetto file, from the JSON file."""

    def __init__(self, path):
        data = path.read_bytes()
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        whole = json.loads(text, parse_float=Decimal)
        self.base = whole["baseTimeNanoseconds"]
        self.events = whole["traceEvents"]
        self.names = {(event["name"], event["pid"], event["tid"]): next(iter(event["args"].values()))
                      for event in self.events if event["ph"] == "M"}

    def process(self, pid):
        name, labels = self.names.get(("process_name", pid, 0), ""), self.names.get(("process_labels", pid, 0), "")
        both = f"{labels} ({name})" if name and labels else name or labels or f"process {pid}"
        return {both, f"{name},{labels}" if labels else name}

    def events_of(self, phase):
        return [event for event in self.events if event["ph"] == phase]

    def slices(self):
        """Name, category, start, duration, pid, tid and arguments; async ranges have the tid None."""
        for event in self.events_of("X"):
            yield (event["name"], event.get("cat", ""), nanos(event["ts"]), nanos(event["dur"]), event["pid"],
                   event["tid"], plain_args(event))
        opened = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] == "b":
                opened[event["pid"], event.get("cat"), event["name"], event["id"]].append(event)
            elif event["ph"] == "e":
                begin = opened[event["pid"], event.get("cat"), event["name"], event["id"]].pop()
                yield (begin["name"], begin.get("cat", ""), nanos(begin["ts"]), nanos(event["ts"]) - nanos(begin["ts"]),
                       begin["pid"], None, plain_args(begin))

    def flows(self):
        begins = {}
        for event in self.events:
            if event["ph"] == "s":
                begins[event["cat"], event["id"]] = event
        for event in self.events_of("f"):
            begin = begins[event["cat"], event["id"]]
            yield nanos(begin["ts"]), nanos(event["ts"])


def check_place(truth, track, pid, tid):
    assert track.process in truth.process(pid), (track, pid, truth.process(pid))
    if track.tid is not None:
        assert (track.pid, track.tid) == (pid, tid), (track, pid, tid)
    if tid is not None:
        assert track.name == truth.names[("thread_name", pid, tid)], (track, tid)


def check_same(trace, name="x.pftrace"):
    as_json, as_perfetto = FOLDER / "x.json", FOLDER / name
    text_of("convert", trace, "-o", as_json)
    text_of("convert", trace, "-o", as_perfetto)
    return compare(trace, as_json, as_perfetto)


def compare(trace, as_json, as_perfetto):
    truth, actual = Json(as_json), read_perfetto(as_perfetto)
    offset = truth.base - (actual.clocks[1] - actual.clocks[6]) if actual.clocks else 0
    if not actual.clocks:
        assert truth.base == 0, truth.base
        first = min((nanos(event["ts"]) for event in truth.events if event["ph"] != "M"))
        offset = max(0, -first)  # Perfetto has no times before 0
    expected = ordered((n, c, start + offset, duration, args, pid, tid)
                       for n, c, start, duration, pid, tid, args in truth.slices())
    found = ordered((*s[:4], s.args, s.track) for s in actual.slices)
    assert len(expected) == len(found), (trace, len(expected), len(found))
    for want, have in zip(expected, found):
        assert want[:5] == have[:5], (trace, want, have)
        check_place(truth, have[5], *want[5:])
    instants = [event for phase in "in" for event in truth.events_of(phase)]
    assert (sorted((event["name"], nanos(event["ts"]) + offset, json.dumps(plain_args(event), sort_keys=True))
                   for event in instants)
            == sorted((i.name, i.start, json.dumps(i.args, sort_keys=True)) for i in actual.instants)), trace
    assert (collections.Counter((begin + offset, end + offset) for begin, end in truth.flows())
            == collections.Counter((begin.start, end.start) for begin, end in actual.flows)), trace
    check_counters(trace, truth, actual, offset)
    return actual


def check_counters(trace, truth, actual, offset):
    points = collections.defaultdict(list)
    for event in truth.events_of("C"):
        (series, value), = event["args"].items()
        title = event["name"] if series == "value" else f"{event['name']} · {series}"
        points[title].append((nanos(event["ts"]) + offset, float(value)))
    found = collections.defaultdict(list)
    for track, series in actual.counters.items():
        found[track.name] += series
    for title, series in points.items():
        assert sorted(series) == sorted(found[title]), (trace, title)
    # Curves of memory are not in the JSON: it has the allocator's events.
    lanes = [row for row in json_of("table", "lanes", trace) if row["kind"] == "counter"]
    assert sum(len(series) for series in found.values()) == sum(row["points"] for row in lanes), trace


def test_samples_and_real_traces():
    for sample in [*sorted(SAMPLES.glob("torch_cpu/*.json.gz")), SAMPLES / "synthetic_step.json.gz"]:
        actual = check_same(sample)
        assert actual.slices, sample
    if not has_real_traces():
        return
    files = [file for folder in ("torch", "chrome") for file in sorted(real_trace(folder).glob("*.json*"))
             if file.stat().st_size < LARGEST]
    overlapping = 0
    for file in files:
        actual = check_same(file)
        names = collections.Counter((track.process, track.name) for track in actual.tracks.values())
        overlapping += sum(count > 1 for count in names.values())
    assert len(files) > 10 and overlapping > 0, (len(files), overlapping)


def test_a_nanosecond_matters():
    sample = SAMPLES / "torch_cpu" / "threads_jit.json.gz"
    check_same(sample)
    _, trace = messages_of(FOLDER / "x.pftrace")
    changed = [packet for packet in trace.packet if packet.track_event.type == 1][7]  # a slice's begin
    changed.timestamp += 1
    (FOLDER / "late.pftrace").write_bytes(trace.SerializeToString())
    try:
        compare(sample, FOLDER / "x.json", FOLDER / "late.pftrace")
    except AssertionError:
        return
    raise AssertionError("a slice that begins a nanosecond late was not noticed")


def test_files_of_pytorch_themselves():
    """The numbers in the profiler's own file, without Lanescope's JSON between."""
    for sample in sorted(SAMPLES.glob("torch_cpu/*.json.gz")):
        events = json.loads(gzip.decompress(sample.read_bytes()), parse_float=Decimal)["traceEvents"]
        target = FOLDER / "own.pftrace.gz"
        text_of("convert", sample, "-o", target)
        actual = read_perfetto(target)
        expected = sorted((e["name"], e["cat"], nanos(e["ts"]), nanos(e["dur"])) for e in events if e["ph"] == "X")
        assert expected == sorted(s[:4] for s in actual.slices), sample


def test_recordings():
    for mode in ("nested", "domains", "threads", "forks"):
        check_same(record(BIN / "annotated_c", mode)[0])
    check_same(record(BIN / "cuda_program", "work", env={"LD_LIBRARY_PATH": str(BIN / "standin")})[0])


def test_small_edges():
    """Equal times, slices without length, overlaps, gaps of one nanosecond, and times before zero."""
    events = [("parent", 0, 10), ("child of equal begin", 0, 4), ("from end to end", 4, 6), ("point at the end", 10, 0),
              ("next", 10, 5), ("point", 12, 0), ("point again", 12, 0), ("overlaps next", 13, 9), ("inside both", 14, 1),
              ("after a gap", 16, 1), ("before all", -7, 3)]
    with scratch() as folder:
        for order in (events, events[::-1]):
            trace = f"{folder}/edges.json"
            with open(trace, "w") as file:
                json.dump([{"ph": "X", "name": name, "pid": 5, "tid": 6, "ts": start / 1000, "dur": duration / 1000,
                            "args": {"list": [[1, 2], []], "text": "é\n", "yes": True, "none": None, "big": 2**64 - 1}}
                           for name, start, duration in order], file)
            actual = check_same(trace)
            assert sorted(s[:1] + s[2:4] for s in actual.slices) == sorted((n, s + 7, d) for n, s, d in events)


def test_format_and_refusals():
    sample = SAMPLES / "synthetic_step.json.gz"
    with scratch() as folder:
        as_perfetto, same = f"{folder}/a.bin", f"{folder}/b.perfetto-trace"
        text_of("convert", sample, "-o", as_perfetto, "--format", "perfetto")
        text_of("convert", sample, "-o", same)
        text_of("convert", sample, "-o", same)  # its own file is replaced
        with open(as_perfetto, "rb") as one, open(same, "rb") as two:
            assert one.read() == two.read()
        text_of("convert", sample, "-o", f"{folder}/c.pftrace", "--format", "kineto")
        with open(f"{folder}/c.pftrace") as file:
            assert json.load(file)["traceEvents"]
        with open(f"{folder}/mine.pftrace", "wb") as file:
            file.write(b"\n\x04mine")
        run = lanescope("convert", sample, "-o", f"{folder}/mine.pftrace")
        assert run.returncode == 1 and b"--force" in run.stderr, run


run_all(globals())
