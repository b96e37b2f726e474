#!/usr/bin/env python3
"""lanescope table and lanescope columns, end to end."""
import csv
import gzip
import io
import json
import os
import pty
import struct
import fcntl
import subprocess
import termios

from program import BIN, SAMPLES, error_of, json_of, lanescope, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def slices_by_row():
    """Maps (pid, tid) to (start, end, is_annotation) in ns after the earliest event, read from the sample's JSON."""
    from decimal import Decimal

    events = json.loads(gzip.decompress(SYNTHETIC.read_bytes()), parse_float=Decimal)["traceEvents"]
    events = [e for e in events if e["ph"] != "M"]
    origin = min(int(e["ts"] * 1000) for e in events)
    rows = {}
    for e in events:
        if e["ph"] == "X":
            start = int(e["ts"] * 1000) - origin
            rows.setdefault((str(e["pid"]), str(e["tid"])), []).append(
                (start, start + int(e["dur"] * 1000), e.get("cat") == "gpu_user_annotation"))
    return rows


def covered(intervals, begin=0, end=1 << 62):
    """The time in [begin, end) that the intervals cover together, without annotations."""
    total, reached = 0, begin
    for start, stop, is_annotation in sorted(intervals):
        if is_annotation:
            continue
        total += max(0, min(stop, end) - max(start, reached))
        reached = max(reached, min(stop, end))
    return total


def test_lanes_have_the_slices_of_the_file():
    rows = slices_by_row()
    lanes = {(lane["pid"], lane["tid"]): lane for lane in json_of("table", "lanes", SYNTHETIC) if lane["slices"]}
    assert lanes.keys() == rows.keys(), (lanes.keys(), rows.keys())
    for row, intervals in rows.items():
        lane = lanes[row]
        assert lane["slices"] == len(intervals), row
        assert lane["busy_ns"] == covered(intervals), row
        assert lane["start_ns"] <= min(i[0] for i in intervals), row
        assert lane["end_ns"] >= max(i[1] for i in intervals), row


def test_the_option_summary_equals_the_grouping_by_summary():
    summary = json_of("table", "launches", SYNTHETIC, "--summary")
    assert summary == json_of("table", "launches", SYNTHETIC, "--by", "summary")
    assert summary[0]["call"] is None and summary[0]["launches"] == len(json_of("table", "launches", SYNTHETIC))
    assert sum(row["launches"] for row in summary[1:]) == summary[0]["launches"]
    assert "--summary" in error_of("table", "gaps", SYNTHETIC, "--summary", status=2)


def test_lanes_have_the_kinds_of_streams_threads_and_counters():
    lanes = json_of("table", "lanes", SYNTHETIC)
    stream = next(lane for lane in lanes if lane["tid"] == "7" and lane["kind"] == "stream")
    assert stream["device"] == 0 and stream["points"] is None, stream
    thread = next(lane for lane in lanes if lane["tid"] == "4711")
    assert thread["kind"] == "thread" and thread["device"] is None, thread
    counter = next(lane for lane in lanes if lane["lane"] == "SM Active %")
    assert counter["kind"] == "counter", counter
    assert counter["points"] == 82, counter


def test_a_range_limits_counts_and_times():
    rows = slices_by_row()
    lanes = json_of("table", "lanes", SYNTHETIC, "--range", "2ms..3.5ms")
    lane = next(lane for lane in lanes if lane["tid"] == "7")
    intervals = rows["0", "7"]
    inside = [i for i in intervals if i[0] < 3_500_000 and i[1] > 2_000_000]
    assert lane["slices"] == len(inside)
    assert lane["busy_ns"] == covered(intervals, 2_000_000, 3_500_000)


def test_a_step_can_be_the_range():
    lanes = json_of("table", "lanes", SYNTHETIC, "--range", "step:5")
    thread = next(lane for lane in lanes if lane["tid"] == "4711")
    assert thread["busy_ns"] == thread["end_ns"] - thread["start_ns"], thread


def test_sort_reverse_and_top_select_rows():
    busy = [lane["busy_ns"] for lane in json_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns")]
    assert busy == sorted(busy, reverse=True)
    backwards = [lane["busy_ns"] for lane in json_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns", "--reverse")]
    assert backwards == sorted(busy)
    top = json_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns", "--top", "2")
    assert [lane["busy_ns"] for lane in top] == busy[:2]


def test_csv_and_json_have_the_same_content():
    objects = json_of("table", "lanes", SYNTHETIC)
    rows = list(csv.DictReader(io.StringIO(text_of("table", "lanes", SYNTHETIC, "--format", "csv"))))
    plain = [{key: "" if value is None else str(value) for key, value in o.items()} for o in objects]
    assert rows == plain


def test_markdown_is_a_table():
    lines = text_of("table", "lanes", SYNTHETIC, "--format", "md").splitlines()
    assert len({line.count(" | ") for line in lines}) == 1, lines
    assert lines[1].startswith("| --- |") and "---: |" in lines[1]


def test_output_goes_to_a_file_and_stdout_stays_empty():
    with scratch() as folder:
        path = f"{folder}/lanes.json"
        assert text_of("table", "lanes", SYNTHETIC, "--format", "json", "-o", path) == ""
        with open(path) as file:
            assert json.load(file) == json_of("table", "lanes", SYNTHETIC)


def test_output_that_cannot_be_written_is_an_error():
    assert "/no/such/folder" in error_of("columns", "-o", "/no/such/folder/x", status=1)
    with open("/dev/full", "w") as full:
        run = subprocess.run([BIN / "lanescope", "columns"], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1 and b"No space left" in run.stderr, run


def test_columns_lists_the_columns_of_the_tables():
    names = [c["column"] for c in json_of("columns", "lanes")]
    assert names == list(json_of("table", "lanes", SYNTHETIC)[0])
    assert {c["table"] for c in json_of("columns")} >= {"lanes", "info", "columns"}


def on_terminal(*words, columns, env=None):
    """The output of a run on a terminal that is `columns` wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **(env or {})}
    environment.pop("NO_COLOR", None) if env is None else None
    run = subprocess.Popen([BIN / "lanescope", *map(str, words)], stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    printed = b""
    try:
        while block := os.read(ours, 65536):
            printed += block
    except OSError:  # the program has closed the terminal
        pass
    os.close(ours)
    assert run.wait() == 0, printed
    return printed.decode("utf-8").replace("\r\n", "\n")


def test_breakdown_parts_add_up():
    for where in [[], ["--range", "2ms..3.5ms"]]:
        (gpu,) = json_of("table", "breakdown", SYNTHETIC, *where)
        assert gpu["device"] == 0 and gpu["span_ns"] == gpu["busy_ns"] + gpu["idle_ns"], gpu
        exposed = gpu["exposed_communication_ns"] + gpu["exposed_memory_ns"]
        assert gpu["busy_ns"] == gpu["compute_ns"] + exposed and gpu["busy_ns"] > 0, gpu
        (theirs,) = json_of("table", "breakdown", SYNTHETIC, "--by", "tracelens", *where)
        assert theirs["busy_time_ns"] == gpu["busy_ns"] and theirs["total_time_ns"] == gpu["span_ns"], theirs


def test_output_on_a_terminal_is_coloured_and_fits_its_width():
    for columns in [200, 80, 50]:
        printed = on_terminal("table", "lanes", SYNTHETIC, columns=columns)
        assert "\x1b[1m" in printed
        plain = printed.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
        assert max(map(len, plain.splitlines())) <= columns, plain


FUNCTION = "reduce_kernel" + "_of_parts" * 50
KERNEL = f"void at::native::{FUNCTION}<512, Op<" + "float, " * 50 + "4>>(int, float*)"
SHORT = FUNCTION[:40] + "…" + FUNCTION[-19:]  # 60 characters


def one_kernel(folder):
    """A trace of one kernel with a name of 900 characters."""
    event = {"ph": "X", "cat": "kernel", "name": KERNEL, "pid": 0, "tid": 7, "ts": 1, "dur": 2,
             "args": {"device": 0, "stream": 7}}
    path = f"{folder}/one.json"
    with open(path, "w") as file:
        json.dump({"traceEvents": [event]}, file)
    return path


def test_piped_text_has_a_width_and_short_names():
    with scratch() as folder:
        path = one_kernel(folder)
        for columns, width in [("", 160), ("90", 90), ("0", 160), ("wide", 160)]:
            run = subprocess.run([BIN / "lanescope", "table", "kernels", path], capture_output=True, text=True,
                                 env={**os.environ, "COLUMNS": columns})
            lines = run.stdout.splitlines()
            assert width - 25 < max(map(len, lines)) <= width, (columns, lines)
            assert lines[1].startswith(SHORT[:20]), lines
            if width == 90:
                assert " more column" in lines[-1] and "--format csv" in lines[-1], lines
            else:
                assert len(lines) == 2, lines  # there is room for every column that says something
        whole = text_of("table", "kernels", path, "--full-names").splitlines()
        assert whole[1].startswith(KERNEL) and "more columns" not in whole[-1], whole
        assert KERNEL in on_terminal("table", "kernels", path, "--full-names", columns=80)
        text_of("table", "kernels", path, "-o", f"{folder}/out.txt")
        with open(f"{folder}/out.txt") as file:
            assert max(len(line.rstrip("\n")) for line in file) <= 160


def test_data_has_whole_and_short_names():
    with scratch() as folder:
        path = one_kernel(folder)
        for row in [json_of("table", "kernels", path)[0], json_of("find", path, "kernel")[0],
                    json_of("table", "kernels", path, "--by", "instance")[0],
                    next(csv.DictReader(io.StringIO(text_of("table", "slices", path, "--format", "csv"))))]:
            assert row["name"] == KERNEL, row
            assert row["short_name"] == SHORT, row
            assert list(row).index("short_name") == list(row).index("name") + 1, row


def test_definitions_of_columns_are_whole_on_a_pipe():
    text = " ".join(text_of("columns", "gaps").split())
    for column in json_of("columns", "gaps"):
        assert column["definition"].split()[-1] in text, column


def test_a_sorted_column_has_one_unit():
    lines = text_of("table", "lanes", SYNTHETIC, "--sort", "busy_ns").splitlines()
    at = lines[0].index("busy") + len("busy")
    units = {line[:at].split()[-1] for line in lines[1:] if line[:at].split()[-1] in ("ns", "µs", "ms", "s")}
    assert len(units) == 1, lines


def test_rows_are_grouped_in_every_format():
    rows = json_of("table", "kernels", SYNTHETIC)
    groups = json_of("table", "kernels", SYNTHETIC, "--group-by", "operator")
    assert list(groups[0])[:2] == ["operator", "rows"], groups[0]
    assert set(groups[0]) == set(rows[0]) | {"rows"}
    assert [g["total_ns"] for g in groups] == sorted((g["total_ns"] for g in groups), reverse=True)
    for group in groups:
        inside = [row for row in rows if row["operator"] == group["operator"]]
        assert group["rows"] == len(inside)
        for key in ("calls", "total_ns", "outliers"):
            assert group[key] == sum(row[key] for row in inside), (key, group)
        mean = sum(row["mean_ns"] * row["calls"] for row in inside) / group["calls"]
        assert abs(group["mean_ns"] - mean) < 1e-6 * mean
        assert group["p50_ns"] is None and group["max_ns"] == max(row["max_ns"] for row in inside)
        names = {row["name"] for row in inside}
        assert group["name"] == (f"{len(names)} different" if len(names) > 1 else names.pop())
    as_csv = list(csv.DictReader(io.StringIO(text_of("table", "kernels", SYNTHETIC, "--group-by", "operator",
                                                     "--format", "csv"))))
    assert [row["rows"] for row in as_csv] == [str(g["rows"]) for g in groups]
    assert text_of("table", "kernels", SYNTHETIC, "--group-by", "operator", "--format", "md").count("\n") == len(groups) + 2


def test_groups_in_groups_are_indented_in_text_and_flat_in_data():
    by = ["--group-by", "kind,operator"]
    flat = json_of("table", "kernels", SYNTHETIC, *by)
    assert list(flat[0])[:3] == ["kind", "operator", "rows"], flat[0]
    assert len({(row["kind"], row["operator"]) for row in flat}) == len(flat)
    kinds = list(dict.fromkeys(row["kind"] for row in flat))
    lines = text_of("table", "kernels", SYNTHETIC, *by, "--sort", "calls").splitlines()
    assert lines[0].startswith("kind / operator "), lines
    assert sorted(line.split()[0] for line in lines[1:] if not line.startswith(" ")) == sorted([*kinds, lines[-1].split()[0]])
    assert sum(line.startswith("  ") for line in lines) == len(flat), lines
    top = json_of("table", "kernels", SYNTHETIC, *by, "--top", "1")
    assert top == [row for row in flat if row["kind"] == kinds[0]]
    by_name = json_of("table", "kernels", SYNTHETIC, "--group-by", "kind", "--sort", "kind", "--reverse")
    assert [row["kind"] for row in by_name] == sorted(kinds, reverse=True)


def test_groups_need_columns_of_the_table():
    assert "it has: name short_name kind" in error_of("table", "kernels", SYNTHETIC, "--group-by", "nothing", status=2)
    assert "it has: kind rows name" in error_of("table", "kernels", SYNTHETIC, "--group-by", "kind", "--sort", "nothing", status=2)
    assert "two different" in error_of("table", "kernels", SYNTHETIC, "--group-by", "kind,kind", status=2)
    assert "two different" in error_of("table", "kernels", SYNTHETIC, "--group-by", "kind,name,stream", status=2)
    assert "no groups" in error_of("table", "operators", SYNTHETIC, "--group-by", "kind", "--format", "torch", status=2)


def test_no_color_is_honoured():
    assert "\x1b" not in on_terminal("table", "lanes", SYNTHETIC, columns=80, env={"NO_COLOR": "1"})


def test_a_closed_pipe_gives_no_error_message():
    run = subprocess.run(f"{BIN}/lanescope columns | head -n 1", shell=True, capture_output=True)
    assert run.stderr == b"" and run.stdout.startswith(b"table"), run


run_all(globals())
