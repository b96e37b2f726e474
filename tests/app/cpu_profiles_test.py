#!/usr/bin/env python3
"""speedscope files and V8's CPU profiles: slices and times equal those of an independent decoding of the same file."""
import decimal
import gzip
import json

from program import error_of, json_of, lanescope, run_all, scratch, text_of, traces_here

decimal.getcontext().prec = 60
NANOS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}


def rounded(number):
    return int(number.to_integral_value(rounding=decimal.ROUND_HALF_EVEN))


def slices_of(path):
    """Name, start, duration and number of samples of all slices, sorted."""
    rows = json.loads(lanescope("sql", path, "SELECT name, ts, dur FROM slice", "--format", "json").stdout)
    return sorted((row["name"], row["ts"], row["dur"]) for row in rows)


def merged(samples):
    """Slices of samples (begin, end, stack of (identity, name)), outermost first: neighbours in the same functions are one slice."""
    done, open_calls, last = [], [], None
    for begin, end, stack in samples:
        same = 0
        if last == begin:
            while same < min(len(stack), len(open_calls)) and stack[same][0] == open_calls[same][0]:
                same += 1
        done += [(name, start, last - start) for _, name, start in open_calls[same:]]
        open_calls = open_calls[:same] + [(*entry, begin) for entry in stack[same:]]
        last = end
    return sorted(done + [(name, start, last - start) for _, name, start in open_calls])


def speedscope_slices(text):
    file = json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
    frames = file["shared"]["frames"]
    slices = []
    for profile in file["profiles"]:
        unit = NANOS.get(profile["unit"])
        if not unit:
            continue
        if profile["type"] == "evented":
            open_calls = []
            for event in profile["events"]:
                if event["type"] == "O":
                    open_calls.append((event["frame"], event["at"]))
                    continue
                frame, begin = open_calls.pop()
                assert frame == event["frame"]
                slices.append((frames[int(frame)]["name"], rounded(begin * unit), rounded(event["at"] * unit) - rounded(begin * unit)))
            continue
        samples, at = [], profile["startValue"]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            names = [frames[int(number)] for number in stack]
            entries = [((frame["name"], frame.get("file")), frame["name"]) for frame in names]
            if rounded((at + weight) * unit) > rounded(at * unit):
                samples.append((rounded(at * unit), rounded((at + weight) * unit), entries))
            at += weight
        slices += merged(samples)
    return sorted(slices)


def profile(**members):
    frames = [{"name": name, "file": f"/src/{name}.c", "line": 10 + i} for i, name in enumerate("abcd")]
    return {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
            "profiles": [{"type": "evented", "name": "main", "unit": "microseconds", "startValue": 0, "endValue": 100, **members}]}


def sampled(samples, weights, unit="milliseconds", **members):
    return profile(type="sampled", unit=unit, samples=samples, weights=weights, **members)


def events(*words):
    """Events of words such as "O2@1.5"."""
    return [{"type": word[0], "frame": int(word[1]), "at": decimal.Decimal(word[3:])} for word in words]


def write(folder, name, value):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        json.dump(value, file, default=float)
    return f"{folder}/{name}"


def warnings(path):
    return {warning["code"]: warning["count"] for warning in json_of("info", path)["warnings"]}


def test_sampled_files_are_those_of_the_decoding():
    for path in traces_here("cpu/sampled.speedscope.json"):
        slices = slices_of(path)
        assert slices == speedscope_slices(path.read_text()), slices
        assert ("a", 0, 14 * 10**9) in slices and len(slices) == 5, slices


def test_profiles_that_count_no_time_have_no_timeline():
    for path in traces_here("cpu/evented.speedscope.json", "cpu/out_of_order.speedscope.json"):
        message = error_of("info", path, status=1)
        assert 'count "none", not time' in message, message


def test_the_same_files_with_a_unit():
    for path in traces_here("cpu/evented.speedscope.json"):
        with scratch() as folder:
            text = path.read_text().replace('"none"', '"milliseconds"')
            timed = f"{folder}/timed.json"
            with open(timed, "w", encoding="utf-8") as file:
                file.write(text)
            assert slices_of(timed) == speedscope_slices(text)
            assert warnings(timed) == {}


def test_frames_out_of_order_keep_their_times():
    for path in traces_here("cpu/out_of_order.speedscope.json"):
        with scratch() as folder:
            with open(f"{folder}/timed.json", "w", encoding="utf-8") as file:
                file.write(path.read_text().replace('"none"', '"nanoseconds"'))
            assert slices_of(f"{folder}/timed.json") == [("A", 0, 1), ("A", 2, 3), ("A", 3, 1), ("B", 2, 2)]
            assert warnings(f"{folder}/timed.json")["ends_out_of_order"] == 1


def test_all_units_are_exact():
    weights = [decimal.Decimal(text) for text in ("0.1", "0.2", "1e-9", "12.000000001", "3.0000000005", "0.7", "0.0000000004")]
    for unit in NANOS:
        with scratch() as folder:
            text = json.dumps(sampled([[0, 1]] * 3 + [[0]] * 2 + [[2], []], ["W"] * 7, unit))
            for weight in weights:
                text = text.replace('"W"', str(weight), 1)
            with open(f"{folder}/run.json", "w", encoding="utf-8") as file:
                file.write(text)
            assert slices_of(f"{folder}/run.json") == speedscope_slices(text), unit


def test_pauses_and_lines():
    with scratch() as folder:
        value = sampled([[0, 1], [], [0, 1], [0, 2]], [1, 2, 3, 4])
        value["shared"]["frames"][2] = {"name": "b", "file": "/src/b.c", "line": 99}  # another line of the same function
        path = write(folder, "run.json", value)
        assert slices_of(path) == [("a", 0, 10**6), ("a", 3 * 10**6, 7 * 10**6), ("b", 0, 10**6), ("b", 3 * 10**6, 7 * 10**6)]
        rows = json_of("table", "samples", path)
        assert {row["function"]: (row["self_samples"], row["self_ns"]) for row in rows} == {"a": (0, 0), "b": (3, 8 * 10**6)}, rows


def test_arguments_can_be_found():
    with scratch() as folder:
        path = write(folder, "run.json", profile(events=events("O0@1.0", "O1@2.25", "C1@3.0", "C0@4.0")))
        assert slices_of(path) == [("a", 1000, 3000), ("b", 2250, 750)]
        found = json_of("find", path, "args:line=11")
        assert [row["name"] for row in found] == ["b"], found
        values = json_of("sql", path, "SELECT key, display_value FROM args JOIN slice USING(arg_set_id) WHERE name = 'b'")
        assert {row["key"]: row["display_value"] for row in values} == {"args.file": "/src/b.c", "args.line": "11"}, values


def test_several_profiles_are_lanes_in_order():
    with scratch() as folder:
        value = sampled([[0]], [1], name='Process 12 Thread 0x7F "MainThread"')
        value["profiles"] += [dict(value["profiles"][0], name='Process 12 Thread 0x80 "worker"'),
                              dict(value["profiles"][0], name="memory", unit="bytes"),
                              dict(profile(events=events("O0@1", "C0@2"))["profiles"][0], name="calls")]
        path = write(folder, "run.json", dict(value, exporter="py-spy@0.4.1"))
        lanes = [row["name"] for row in json_of("sql", path, "SELECT name FROM thread_track")]
        assert lanes == ["MainThread 0x7F · samples", "worker 0x80 · samples", "calls"], lanes
        facts = json_of("info", path)
        assert facts["producer"] == "py-spy@0.4.1" and facts["format"] == "speedscope"
        assert warnings(path) == {"profile_without_time": 1, "times_are_placed": 1}


def test_python_files_are_samples_of_python():
    with scratch() as folder:
        value = sampled([[0, 1], [0]], [0.01, 0.02], "seconds")
        for frame in value["shared"]["frames"]:
            frame["file"] = "/home/user/model.py"
        assert json_of("info", write(folder, "run.json", value))["complete_by_category"] == {"python_sample": 2}


def test_damaged_events():
    with scratch() as folder:
        cases = {
            "unclosed": (events("O0@1", "O1@2", "C1@3"), [("a", 1000, 99000), ("b", 2000, 1000)], {"unclosed_begin": 1}),
            "unopened": (events("C1@3", "O0@4", "C0@5"), [("a", 4000, 1000), ("b", 3000, 0)], {"unopened_end": 1}),
            "unknown": (events("O0@1", "O9@2", "C9@3", "C0@4"), [("a", 1000, 3000), ("frame 9", 2000, 1000)], {"unknown_frame": 1}),
            "backwards": (events("O0@5", "O1@6", "C1@4", "C0@7"), [("a", 5000, 2000), ("b", 6000, 0)], {"time_backwards": 1}),
            "wrong": (events("O0@5", "C0@7") + [{"type": "O", "frame": -1, "at": 1}, {"type": "X", "frame": 1, "at": 1}, 7, None,
                                                 {"type": "O", "frame": 1, "at": "soon"}, {"type": "O", "frame": 1, "at": 1e300}],
                      [("a", 5000, 2000)], {"unreadable_event": 6}),
        }
        for name, (list_of_events, slices, warned) in cases.items():
            path = write(folder, f"{name}.json", profile(events=list_of_events))
            assert slices_of(path) == slices, (name, slices_of(path))
            assert warnings(path) == warned, (name, warnings(path))


def test_damaged_samples():
    with scratch() as folder:
        path = write(folder, "run.json", sampled([[0], [1], [99], [2], [3]], [1, -1, 1, 0]))
        assert slices_of(path) == [("a", 0, 10**6), ("frame 99", 10**6, 10**6)], slices_of(path)
        assert warnings(path) == {"unreadable_weight": 1, "unknown_frame": 1, "sample_without_time": 1, "samples_without_weight": 1}
        for value in (sampled([[0]], []), profile(events=[]), {"$schema": "speedscope"}, dict(profile(), profiles=[]), dict(profile(), profiles=7),
                      profile(unit=7, events=[]), sampled(None, None)):
            error_of("info", write(folder, "bad.json", value), status=1)


def test_a_file_cut_anywhere():
    with scratch() as folder:
        text = json.dumps(sampled([[0, 1], [0, 2], [0]] * 30, [1, 2, 3] * 30))
        whole = set(speedscope_slices(text))
        path = f"{folder}/run.json"
        for cut in range(100, len(text), 97):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:cut])
            run = json_of("info", path) if cut > text.index("weights") + 15 else None
            if run:
                assert "truncated_file" in {warning["code"] for warning in run["warnings"]}, cut
                assert all(any(name == other[0] and begin == other[1] and length <= other[2] for other in whole)
                           for name, begin, length in slices_of(path)), cut
        with gzip.open(f"{folder}/run.json.gz", "wt", encoding="utf-8") as file:
            file.write(text)
        assert slices_of(f"{folder}/run.json.gz") == speedscope_slices(text)


def test_an_export_of_a_flame_graph_opens_again():
    with scratch() as folder:
        path = write(folder, "run.json", sampled([[0, 1], [0, 2]], [1, 2]))
        text_of("flame", path, "-o", f"{folder}/out.speedscope.json", "--format", "speedscope")
        assert json_of("info", f"{folder}/out.speedscope.json")["format"] == "speedscope"


def test_equal_slices_stay_nested_in_a_conversion():
    with scratch() as folder:
        value = sampled([[3, 2, 1, 0]], [1])
        path = write(folder, "run.json", value)
        text_of("convert", path, "-o", f"{folder}/chrome.json")
        rows = json_of("sql", f"{folder}/chrome.json", "SELECT name FROM slice ORDER BY depth")
        assert [row["name"] for row in rows] == ["d", "c", "b", "a"], rows


def v8_samples(file):
    """Begin, end and stack of the samples of a profile of V8, as Chrome shows them."""
    nodes, parent = {}, {}

    def walk(node, above):
        nodes[node["id"]] = node.get("callFrame", node)
        if above is not None:
            parent[node["id"]] = above
        for child in node.get("children", ()):
            if isinstance(child, dict):
                walk(child, node["id"])
            else:
                parent[child] = node["id"]

    for node in file.get("nodes") or [file["head"]]:
        walk(node, None)
    times = file.get("timestamps")
    if times is None:
        times, at = [], file["startTime"]
        for delta in file["timeDeltas"]:
            at += delta
            times.append(at)
    ids = file["samples"]
    order = sorted(range(len(ids)), key=lambda i: times[i])
    ids, starts = [ids[i] for i in order], [times[i] for i in order]
    distances = sorted(b - a for a, b in zip(starts, starts[1:]) if b > a)
    interval = distances[(len(distances) - 1) // 2]
    last = times[-1] if len(times) > len(ids) else file["endTime"]
    ends = starts[1:] + [last if last > starts[-1] else starts[-1] + interval]
    samples = []
    for node, begin, end in zip(ids, starts, ends):
        stack, at = [], node
        while at is not None:
            name = nodes[at]["functionName"]
            if name != "(root)":
                stack.insert(0, (at, name or "(anonymous)"))
            at = parent.get(at)
        if end - begin > 10 * interval:
            end = begin + interval
        if end > begin:
            samples.append((begin * 1000, end * 1000, stack))
    return samples, interval * 1000


def test_profiles_of_v8_are_those_of_the_decoding():
    for path in traces_here("cpu/v8_simple.cpuprofile", "cpu/node_example.cpuprofile"):
        samples, interval = v8_samples(json.loads(path.read_text()))
        assert slices_of(path) == merged(samples), path
        facts = json_of("info", path)
        assert facts["format"] == "cpuprofile" and facts["warnings"] == [], facts
        rows = json_of("table", "samples", path)
        assert sum(row["self_samples"] for row in rows if row["function"] == "d") == 28, rows
        assert sum(row["self_samples"] for row in rows) == len(samples), rows
        assert sum(row["self_ns"] for row in rows) == sum(end - begin for begin, end, _ in samples), rows


def v8_file(samples, deltas, **more):
    names = ["(root)", "main", "", "leaf", "(idle)"]
    frames = [{"functionName": name, "scriptId": "1", "url": "file:///app/main.js", "lineNumber": i, "columnNumber": 0} for i, name in enumerate(names)]
    nodes = [{"id": i + 1, "callFrame": frame, "hitCount": 0} for i, frame in enumerate(frames)]
    nodes[0]["children"], nodes[1]["children"], nodes[2]["children"] = [2, 5], [3], [4]
    return {"nodes": nodes, "startTime": 10_000, "endTime": 20_000, "samples": samples, "timeDeltas": deltas, **more}


def test_idle_times_and_long_gaps():
    with scratch() as folder:
        file = v8_file([2, 4, 4, 5, 5, 3, 2], [100, 100, 100, 100, 100, 100, 5000], endTime=15_700)
        path = write(folder, "run.cpuprofile", file)
        samples, interval = v8_samples(file)
        assert interval == 100_000
        assert slices_of(path) == merged(samples) and len(slices_of(path)) == 7, slices_of(path)
        assert json_of("info", path)["complete_by_category"] == {"cpu_sample": 6, "off_cpu": 1}
        assert ("(idle)", 10_400_000, 200_000) in slices_of(path), slices_of(path)
        assert "lineNumber" in text_of("sql", path, "SELECT key FROM args JOIN slice USING(arg_set_id) WHERE name = 'leaf'")


def test_nodes_that_name_their_parents():
    with scratch() as folder:
        file = v8_file([4, 4], [10, 10])
        expected = merged(v8_samples(file)[0])
        parents = {child: node["id"] for node in file["nodes"] for child in node.pop("children", ())}
        for node in file["nodes"]:
            if node["id"] in parents:
                node["parent"] = parents[node["id"]]
        assert slices_of(write(folder, "run.cpuprofile", file)) == expected


def test_damaged_profiles_of_v8():
    with scratch() as folder:
        path = write(folder, "run.cpuprofile", v8_file([4, 77, 2, 2, 2], [10, 10, -5, 10, "soon"]))
        assert set(warnings(path)) == {"unknown_node", "time_backwards", "unreadable_time"}, warnings(path)
        loop = v8_file([4, 4, 2], [10, 10, 10])
        loop["nodes"][3]["children"] = [2]
        assert slices_of(write(folder, "loop.cpuprofile", loop))
        for value in (v8_file([], []), v8_file([1, 2], []), v8_file(None, 3), dict(v8_file([1], [1]), samples={"a": 1}),
                      {"nodes": [{"callFrame": 3}]}):
            error_of("info", write(folder, "bad.cpuprofile", value), status=1)
        text = json.dumps(v8_file([2, 4, 3] * 40, [100] * 120))
        for cut in range(text.index("timeDeltas") + 20, len(text), 31):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:cut])
            assert "truncated_file" in warnings(path), cut


def test_other_profilers_are_named():
    with scratch() as folder:
        firefox = {"meta": {"interval": 1, "processType": 0, "product": "Firefox"}, "libs": [], "threads": []}
        assert "Firefox Profiler" in error_of("info", write(folder, "firefox.json", firefox), status=1)
        for text, word in (("# callgrind format\nevents: Ir\n", "Callgrind"), ("PERFILE2\0\0\0\0", "perf script -F +pid,+tid,+time"),
                           ('<?xml version="1.0"?>\n<trace-query-result>', "Instruments")):
            with open(f"{folder}/file", "w", encoding="utf-8") as file:
                file.write(text)
            assert word in error_of("info", f"{folder}/file", status=1), word


if __name__ == "__main__":
    run_all(globals())
