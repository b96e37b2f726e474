#!/usr/bin/env python3
"""The text of perf script: slices and times equal those of an independent decoding of the same text."""
import collections
import gzip
import re

from program import error_of, json_of, lanescope, run_all, scratch, text_of, traces_here

HEADER = re.compile(r"^\s*(?P<comm>\S.*?)\s+(?:(?P<pid>\d+)/)?(?P<tid>\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?"
                    r"(?P<s>\d+)\.(?P<f>\d+):\s+(?:(?P<period>\d+)\s+)?(?P<event>\S+):\s*(?P<text>.*)$")
FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<symbol>.*?) \((?P<dso>[^()]*|inlined)\)$")


def is_blank(line):
    return not line.strip()


def decoded(text):
    """The events of a text: (thread, time in ns, period, event, stack), outermost first."""
    events = []
    for line in text.split("\n"):
        header = HEADER.match(line) if not line.startswith("\t") else None
        if header:
            nanos = int(header["s"]) * 10**9 + int(header["f"].ljust(9, "0"))
            cpu = header["cpu"] if header["tid"] == "0" else None
            events.append(((header["pid"], header["tid"], cpu), nanos, int(header["period"] or 0), header["event"], []))
        elif events and not is_blank(line) and FRAME.match(line):
            frame = FRAME.match(line)
            events[-1][4].insert(0, (frame["symbol"].split("+0x")[0], frame["dso"].split("/")[-1]))
    return events


def shown(symbol, module):
    plain = re.match(r"^_Z(\d+)", symbol)
    if plain:
        rest = symbol[plain.end():]
        return rest[:int(plain[1])] + "()"
    if symbol != "[unknown]":
        return symbol
    return "[unknown]" if module == "[unknown]" else module if module.startswith("[") else f"[{module}]"


def expected(events):
    """Slices (start, duration, depth, name) and CPU time of the samples of a clock."""
    threads = collections.defaultdict(list)
    for thread, time, period, _, stack in events:
        threads[thread].append((time, period, stack))
    periods = sorted(period for _, _, period, _, _ in events if period)
    distances = sorted(b[0] - a[0] for a_b in [list(zip(events, events[1:]))] for (a, b) in [((x[1], x), (y[1], y)) for x, y in a_b]
                       if a[1][0] == b[1][0] and b[0] > a[0])
    usual = periods[(len(periods) - 1) // 2] if periods else distances[(len(distances) - 1) // 2] if distances else 10**6
    slices, cpu_time = [], 0
    for samples in threads.values():
        calls, last = [], None
        for time, period, stack in sorted(samples, key=lambda sample: sample[0]):
            period = period or usual
            cpu_time += period
            end = time if last is None else max(time, last + 1)
            joins = last is not None and end - period - last <= period // 2
            begin = last if joins else end - period if last is None else max(end - period, last)
            same = 0
            while joins and same < min(len(calls), len(stack)) and calls[same][0] == stack[same]:
                same += 1
            slices += [(start, last - start, depth, shown(*frame)) for depth, (frame, start) in enumerate(calls) if depth >= same]
            calls = calls[:same] + [(frame, begin) for frame in stack[same:]]
            last = end
        slices += [(start, last - start, depth, shown(*frame)) for depth, (frame, start) in enumerate(calls)]
    return sorted(slices), cpu_time


def slices_of(path):
    rows = json_of("sql", path, "SELECT name, ts, dur, depth FROM slice WHERE category = 'cpu_sample'")
    return sorted((row["ts"], row["dur"], row["depth"], row["name"]) for row in rows)


def written(folder, text, name="run.txt"):
    with open(f"{folder}/{name}", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return f"{folder}/{name}"


def lanes(path):
    return [row["name"] for row in json_of("sql", path, "SELECT name FROM thread_track")]


def warnings(path):
    return {warning["code"]: warning["count"] for warning in json_of("info", path)["warnings"]}


def test_real_texts_are_those_of_the_decoding():
    for path in traces_here("cpu/perf_with_pid.txt", "cpu/perf_forks.txt", "cpu/perf_one_sample.txt"):
        events = decoded(path.read_text())
        slices, cpu_time = expected(events)
        assert len(slices) > 4 and slices_of(path) == slices, path
        facts = json_of("info", path)
        assert facts["format"] == "perf-script" and facts["warnings"] == [], facts
        rows = json_of("table", "samples", path)
        assert sum(row["self_ns"] for row in rows) == cpu_time, path
        assert sum(row["self_samples"] for row in rows) == len(events), path


def test_the_idle_thread_has_a_lane_for_each_cpu():
    for path in traces_here("cpu/perf_forks.txt"):
        cpus = {event[0][2] for event in decoded(path.read_text()) if event[0][1] == "0"}
        assert {lane for lane in lanes(path) if lane.startswith("swapper")} == {f"swapper CPU {cpu} · samples" for cpu in cpus}


STACK = "\t    401000 leaf+0x10 (/usr/bin/app)\n\t    402000 main+0x0 (/usr/bin/app)\n"


def test_headers_with_and_without_their_parts():
    front = {"app 7/8 [001] ": "app 8", "app 8 [001] ": "app 8", "app 8 ": "app 8", "CPU 0/KVM 7/8 [001] ": "CPU 0/KVM 8",
             "           Web Content  7/8  ": "Web Content 8", ":-1 -1/-1 [000] ": ":-1 -1", "app-1:x 8 ": "app-1:x 8"}
    for begin, lane in front.items():
        for end in ("1000 cycles: ", "cycles:ppp:", "cpu_core/cycles/P: ", "  250 cycles:u:  ", ""):
            for time in ("12.345678", "12.345678901", "12.345"):
                with scratch() as folder:
                    path = written(folder, f"{begin}{time}: {end}\n{STACK}\n")
                    assert lanes(path) == [f"{lane} · samples"], (begin, end, lanes(path))
                    nanos = 12 * 10**9 + int(time[3:].ljust(9, "0"))
                    assert slices_of(path) == [(nanos - 10**6, 10**6, 0, "main"), (nanos - 10**6, 10**6, 1, "leaf")], (begin, end)


def test_frames_of_all_forms():
    frames = {"\t  401000 f (/usr/bin/app)": "f", "\t  401000 f+0x12 (/usr/bin/app)": "f", "\t  401000 [unknown] (/usr/lib/libx.so.1)": "[libx.so.1]",
              "\t  401000 [unknown] ([unknown])": "[unknown]", "\tffffffff81000 do_idle ([kernel.kallsyms])": "do_idle",
              "\tffffffff81000 [unknown] ([kernel.kallsyms])": "[kernel.kallsyms]", "\t  401000 ns::f(int, void (*)(int)) (/a b/app (deleted))":
              "ns::f(int, void (*)(int))", "\t  401000 f (inlined)": "f", "\t  401000 _Z4betav (/a)": "beta()", "\t  401000 add": "add",
              "\t  401000 py::run:/home/a b/x.py (/tmp/perf-7.map)": "py::run:/home/a b/x.py", "        401000 f (/usr/bin/app)": "f",
              " add (/usr/bin/app)": "add", " f": "f", "\t  401000 (/usr/bin/app)": "[app]", "\t  401000 operator new(unsigned long) (/a)":
              "operator new(unsigned long)", "\t  401000": "[unknown]"}
    for line, name in frames.items():
        with scratch() as folder:
            path = written(folder, f"app 7/8 [001] 12.345678: 1000 cycles:\n{line}\n\n")
            assert [row[3] for row in slices_of(path)] == [name], (line, slices_of(path))


def test_equal_slices_stay_nested_in_a_conversion():
    with scratch() as folder:
        text_of("convert", written(folder, f"app 7/8 12.000: 1000 cycles:\n{STACK}\n"), "-o", f"{folder}/chrome.json")
        rows = json_of("sql", f"{folder}/chrome.json", "SELECT name, depth FROM slice ORDER BY depth")
        assert [row["name"] for row in rows] == ["main", "leaf"], rows


def test_source_lines_are_no_frames():
    with scratch() as folder:
        path = written(folder, "app 7/8 12.345678: 1000 cycles:\n\t  401000 f (/app)\n  app.c:12\n\t  402000 g (/app)\n  [app][402000]\n"
                               "\t  403000 main (/app)\n  app.c:?\n\n")
        assert [row[3] for row in slices_of(path)] == ["main", "g", "f"], slices_of(path)
        rows = json_of("sql", path, "SELECT key, display_value FROM args JOIN slice USING(arg_set_id) WHERE name = 'f'")
        values = {row["key"]: row["display_value"] for row in rows}
        assert values == {"args.address": "401000", "args.symbol": "f", "args.dso": "/app", "args.line": "app.c:12", "args.event": "cycles",
                          "args.period": "1000"}, values


def test_a_frame_on_the_header():
    with scratch() as folder:
        path = written(folder, "  app  8 12.345678:  250000 cpu-clock:  7f5e4b f+0x58a (/usr/lib/ld.so)\n"
                               "  app  8 12.345928:  250000 cpu-clock:  7f5e4c f+0x590 (/usr/lib/ld.so)\n")
        assert slices_of(path) == [(12345428000, 500000, 0, "f")], slices_of(path)
        assert json_of("find", path, "args:7f5e4b")[0]["name"] == "f"


def test_tracepoints_and_faults_are_instants():
    with scratch() as folder:
        path = written(folder, f"app 7/8 [001] 12.000000: 1000000 cpu-clock: \n{STACK}\n"
                               "app 7/8 [001] 12.000100: sched:sched_switch: prev_comm=app prev_pid=8 ==> next_comm=swapper/1\n"
                               f"app 7/8 [001] 12.000200: 1 page-faults: \n{STACK}\n"
                               f"app 7/8 [001] 12.000300: 77 cache-misses:u: \n{STACK}\n"
                               "app 7/8 [001] 12.000400: PERF_RECORD_COMM exec: app:7/8\n"
                               "perf 0 0.000000: PERF_RECORD_COMM: perf:1/1\n"
                               f"app 7/8 [001] 12.001000: 1000000 cpu-clock: \n{STACK}\n")
        assert [row[1] for row in slices_of(path)] == [2000000, 2000000], slices_of(path)
        rows = json_of("sql", path, "SELECT name, ts FROM instant ORDER BY ts")
        assert [row["name"] for row in rows] == ["sched:sched_switch", "page-faults", "cache-misses:u", "PERF_RECORD_COMM"], rows
        assert rows[0]["ts"] == 12_000_100_000, rows
        assert lanes(path) == ["app 8", "app 8 · samples"], lanes(path)
        table = json_of("table", "samples", path)
        assert sum(row["self_ns"] for row in table) == 2 * 10**6, table


def test_samples_of_other_events_say_so():
    with scratch() as folder:
        path = written(folder, "".join(f"app 7/8 12.{i:06}: 5000 instructions: \n{STACK}\n" for i in range(0, 5000, 1000)))
        assert warnings(path) == {"samples_of_event": 1}
        assert [row[1] for row in slices_of(path)] == [5 * 10**6] * 2, slices_of(path)


def test_long_pauses_end_a_stack():
    with scratch() as folder:
        path = written(folder, "".join(f"app 7/8 {time}: 1000000 cpu-clock: \n{STACK}\n" for time in ("1.000", "1.001", "1.0025", "1.0041", "2.000")))
        outer = [row[:2] for row in slices_of(path) if row[3] == "main"]
        assert outer == [(999_000_000, 3_500_000), (1_003_100_000, 1_000_000), (1_999_000_000, 1_000_000)], outer


def test_headers_of_the_file_are_metadata():
    with scratch() as folder:
        path = written(folder, "# ========\n# captured on    : Sat Nov 28\n# hostname : node1\n# ========\n#\n" +
                       f"app 7/8 12.0000: 1000000 cpu-clock: \n{STACK}\n")
        assert slices_of(path)
        with gzip.open(f"{folder}/run.gz", "wt", encoding="utf-8") as file, open(path, encoding="utf-8") as plain:
            file.write(plain.read())
        assert slices_of(f"{folder}/run.gz") == slices_of(path)


def test_texts_without_threads_say_so():
    with scratch() as folder:
        path = written(folder, f"12.000001: cpu-clock: \n{STACK}\n12.000002: cpu-clock: \n{STACK}\n")
        assert warnings(path) == {"threads_unknown": 1} and len(slices_of(path)) == 2, slices_of(path)


def test_texts_without_times_are_refused():
    with scratch() as folder:
        message = error_of("info", written(folder, f"app 7/8 cycles: \n{STACK}\n"), status=1)
        assert "perf script -F +pid,+tid,+time" in message, message
        for text in ("app 7/8\n", "2024-01-01 12.345: hello\n", "a,b,c\n1.234: x\n", "main;f;g 12\nmain;h 3\n"):
            error_of("info", written(folder, text), status=1)


def test_damaged_texts():
    with scratch() as folder:
        text = "".join(f"app 7/8 12.{i:06}: 1000000 cpu-clock: \n{STACK}\n" for i in (3000, 1000, 2000))
        path = written(folder, text + "garbage\n\tnothing\napp 7/8 99999999999999999999.0000: 1 cycles:\napp 7/8 13.000000: 99999999999999999999 cpu-clock: \n" + STACK)
        assert warnings(path) == {"time_backwards": 2, "unreadable_line": 3}, warnings(path)
        assert [row[1] for row in slices_of(path) if row[3] == "main"] == [3 * 10**6, 10**6], slices_of(path)
        whole = written(folder, text, "whole.txt")
        for cut in range(60, len(text)):
            run = lanescope("info", written(folder, text[:cut], "cut.txt"))
            assert run.returncode in (0, 1), cut
        deep = "\n".join(f"\t {i:x} f{i} (/a)" for i in range(1, 5000))
        assert len(slices_of(written(folder, f"app 7/8 12.000: 1000 cycles:\n{deep}\n\n", "deep.txt"))) == 1024
        assert len(slices_of(whole)) == 2
        long = written(folder, f"app 7/8 12.000: 1000 cycles:\n{STACK}\n" + "x" * 3_000_000 + f"\napp 7/8 12.001: 1000 cycles:\n{STACK}\n", "long.txt")
        assert warnings(long) == {"unreadable_line": 1} and len(slices_of(long)) == 2


def test_lines_of_windows():
    with scratch() as folder:
        path = written(folder, f"app 7/8 12.000000: 1000000 cpu-clock: \n{STACK}\n".replace("\n", "\r\n"))
        assert [row[3] for row in slices_of(path)] == ["main", "leaf"], slices_of(path)
        text_of("summary", path)


if __name__ == "__main__":
    run_all(globals())
