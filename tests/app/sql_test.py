#!/usr/bin/env python3
"""lanescope sql, end to end: against figures of other commands, of the file's JSON, and of expected.json."""
import collections
import gzip
import json
import os
import pathlib
import signal
import subprocess
import time

from program import BIN, ROOT, SAMPLES, error_of, has_real_traces, json_of, lanescope, real_trace, run_all, scratch, text_of, traces_here

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
CPU = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
REAL = ["torch/v100_memory_nccl.json.gz", "torch/h100_bert_small.json.gz", "torch/mi300_sglang_decode_graph.json.gz",
        "torch/a100_alexnet_sync.json.gz", "torch/cpu_only.json.gz"]


def sql(query, trace=SYNTHETIC, *more):
    return json_of("sql", trace, query, *more)


def values(query, trace=SYNTHETIC, *more):
    return [list(row.values()) for row in sql(query, trace, *more)]


def traces():
    return [SYNTHETIC, CPU, *traces_here(*REAL)]


def events_of(trace):
    with gzip.open(trace) as file:
        data = json.load(file)
    return data["traceEvents"] if isinstance(data, dict) else data


def test_slices_are_those_of_the_json():
    for trace in traces():
        complete = [event for event in events_of(trace) if event.get("ph") == "X" and "dur" in event and "ts" in event]
        count = collections.Counter((event.get("cat"), event["name"]) for event in complete)
        rows = values("select category, name, count(*) from slice group by 1, 2", trace)
        found = {(category, name): number for category, name, number in rows}
        for key, number in count.items():
            assert found.get(key, 0) >= number, (trace, key, number, found.get(key))
        instants = sum(event.get("ph") in ("i", "I") for event in events_of(trace))
        assert sum(found.values()) == len(complete) + instants, (trace, sum(found.values()), len(complete), instants)


def test_durations_are_those_of_expected_json():
    of_samples = json.loads((ROOT / "tests/data/expected_samples.json").read_text())
    known = [(SAMPLES / name, facts) for name, facts in of_samples.items()]
    if has_real_traces():
        of_real = json.loads(real_trace("expected.json").read_text())
        known += [(real_trace(name), of_real[name]) for name in REAL]
    for trace, facts in known:
        name = trace.name
        rows = dict(values("select category, sum(dur) from slice where category is not null and dur > 0 group by 1", trace))
        for category, nanos in facts["duration_ns_by_category"].items():
            assert rows.get(category, 0) == nanos, (name, category, nanos, rows.get(category))
        assert values("select count(*) from gpu_activity", trace) == [[facts["gpu_activities"]]], name
        assert values("select count(*) from launch", trace)[0][0] >= facts["gpu_activities_with_launch"], name


def test_arguments_are_those_of_the_json():
    for trace in traces():
        expected = collections.Counter()
        for event in events_of(trace):
            if event.get("ph") in ("i", "I") or (event.get("ph") == "X" and "dur" in event and "ts" in event):
                for key in ("External id", "correlation", "Ev Idx"):
                    if isinstance(event.get("args", {}).get(key), int):
                        expected[key, event["name"], event["args"][key]] += 1
        for key in ("External id", "correlation", "Ev Idx"):
            rows = values(f"select name, extract_arg(arg_set_id, 'args.{key}') v, count(*) from slice where v is not null group by 1, 2", trace)
            found = {(key, name, value): number for name, value, number in rows}
            wanted = {entry: number for entry, number in expected.items() if entry[0] == key}
            assert found == wanted, (trace, key, len(found), len(wanted), list(set(found.items()) ^ set(wanted.items()))[:3])


def test_tables_are_those_of_the_command_table():
    for trace in traces()[:4]:
        for name, sql_name in (("kernels", "kernels"), ("lanes", "lanes"), ("critical-path", "critical_path"),
                               ("slices", "slice_summary"), ("operators", "operators")):
            table = json_of("table", name, trace)
            rows = sql(f"select * from {sql_name}", trace)
            for row in table:  # SQL has no lists
                for key, value in row.items():
                    if isinstance(value, list):
                        row[key] = json.dumps(value, separators=(",", ":"))
            assert rows == table, (trace, name)
    by_config = json_of("table", "kernels", SYNTHETIC, "--by", "config", "--range", "step:4")
    rows = sql("select name, calls, total_ns from kernels('config', 'step:4')")
    assert rows == [{key: row[key] for key in ("name", "calls", "total_ns")} for row in by_config] and rows
    findings = json_of("findings", SYNTHETIC)
    assert [row["rule"] for row in sql("select rule from findings")] == [finding["id"] for finding in findings]


def test_our_tables_agree_with_slice():
    for trace in traces():
        for table in ("gpu_activity", "kernel", "runtime_call", "operator_call", "annotation"):
            assert values(f"select count(*) from {table} t left join slice s using (id) where s.ts is not t.ts or s.dur is not t.dur or "
                          f"s.name is not t.name or s.category is not t.category or s.track_id is not t.track_id", trace) == [[0]], (trace, table)
        launches = values("select count(*), sum(k.ts - l.ts) from flow f join slice l on f.slice_out = l.id join slice k on "
                          "f.slice_in = k.id where f.kind = 'launch'", trace)
        assert values("select count(*), sum(delay) from launch", trace) == launches, trace
        steps = json_of("table", "steps", trace)
        assert len(sql("select * from step", trace)) == len(steps), trace


# Queries of Perfetto's documentation, unchanged: docs/analysis/*.md of https://github.com/google/perfetto (Apache 2.0),
# and https://perfetto.dev/docs/analysis/perfetto-sql-getting-started. Each with what it must give on a trace whose slices,
# threads and counters have the names that the documentation uses.
def documentation_trace(folder):
    events = [{"ph": "M", "name": "thread_name", "pid": 5, "tid": 6, "args": {"name": "worker"}},
              {"ph": "M", "name": "process_name", "pid": 5, "tid": 6, "args": {"name": "app"}}]
    events += [{"ph": "X", "name": "activityStart", "cat": "e", "pid": 5, "tid": 40 + i, "ts": 300 + i, "dur": 1} for i in range(11)]
    for at in (0, 100, 200):
        events += [{"ph": "X", "name": "measure", "cat": "c", "pid": 5, "tid": 6, "ts": at, "dur": 50, "args": {"prev_comm": "x", "n": at}},
                   {"ph": "X", "name": "an interesting slice name", "cat": "c", "pid": 5, "tid": 6, "ts": at + 10, "dur": 20},
                   {"ph": "X", "name": "foo", "cat": "d", "pid": 5, "tid": 6, "ts": at + 12, "dur": 4},
                   {"ph": "C", "name": "mem.swap", "pid": 5, "ts": at, "args": {"value": at * 10}}]
    events += [{"ph": "s", "id": 1, "name": "f", "cat": "f", "pid": 5, "tid": 6, "ts": 11},
               {"ph": "f", "bp": "e", "id": 1, "name": "f", "cat": "f", "pid": 5, "tid": 6, "ts": 111}]
    path = pathlib.Path(folder) / "documentation.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


QUERIES = ROOT / "tests" / "data" / "perfetto_queries.json"


def test_queries_of_perfettos_documentation_run_unchanged():
    queries = json.loads(QUERIES.read_text())
    assert len(queries) >= 30
    with scratch() as folder:
        trace = documentation_trace(folder)
        for entry in queries:
            rows = rows_of(entry, trace)
            assert rows == entry["rows"], (entry["source"], entry["query"], rows)


def rows_of(entry, trace):
    """The result of a query of the documentation; `before` makes tables for it, and `then` reads what it makes."""
    script = ";\n".join(entry[key] for key in ("before", "query", "then") if key in entry)
    return [list(row.values()) for row in json_of("sql", trace, "-f", "-", stdin=script.encode())]


def test_formats():
    query = "select name, count(*) as n, 0.5 as half, null as nil from slice where name = 'ProfilerStep#4' group by 1"
    text = text_of("sql", SYNTHETIC, query)
    assert text.splitlines()[0].split() == ["name", "n", "half", "nil"], text
    row = sql(query)[0]
    assert row["name"] == "ProfilerStep#4" and row["n"] >= 1 and row["nil"] is None
    assert text_of("sql", SYNTHETIC, query, "--format", "csv") == f"name,n,half,nil\nProfilerStep#4,{row['n']},0.5,\n"
    assert text_of("sql", SYNTHETIC, query, "--format", "md").startswith("| name | n | half | nil |\n| --- | ---: | ---: | ---: |\n")
    arrow = lanescope("sql", SYNTHETIC, query, "--format", "arrow").stdout
    assert arrow[:6] == b"ARROW1" and arrow[-6:] == b"ARROW1"
    with scratch() as folder:
        pathlib.Path(f"{folder}/q.sql").write_text("-- a comment\n" + query + ";\n")
        assert json_of("sql", SYNTHETIC, "-f", f"{folder}/q.sql") == [row]
        assert json_of("sql", SYNTHETIC, "-f", "-", stdin=query.encode()) == [row]
        text_of("sql", SYNTHETIC, query, "--format", "csv", "-o", f"{folder}/rows.csv")
        assert pathlib.Path(f"{folder}/rows.csv").read_text().startswith("name,n,")
        message = error_of("sql", SYNTHETIC, "-f", f"{folder}/q.sql", "-o", f"{folder}/q.sql", "--force", status=1)
        assert "q.sql" in message and "-- a comment" in pathlib.Path(f"{folder}/q.sql").read_text()


def test_several_traces_have_a_column_trace():
    rows = json_of("sql", SYNTHETIC, CPU, "select count(*) as n from slice")
    assert len(rows) == 2 and list(rows[0]) == ["trace", "n"] and rows[0]["trace"] != rows[1]["trace"], rows
    assert [row["n"] for row in rows] == [sql("select count(*) as n from slice", trace)[0]["n"] for trace in (SYNTHETIC, CPU)]


def test_parameters():
    query = "select :a as a, typeof(:a) as t, @b as b, typeof(@b) as u, $c as c, ?4 as d"
    rows = sql(query, SYNTHETIC, "--param", "a=7", "--param", "b=-1.5e2", "--param=c='; drop table x; --", "--param", "4=x=y")
    assert rows == [{"a": 7, "t": "integer", "b": -150.0, "u": "real", "c": "'; drop table x; --", "d": "x=y"}], rows
    for text, kind in [("007", "text"), ("+5", "text"), ("0x10", "text"), ("1e3", "real"), ("-0", "integer"), ("", "text"),
                       ("nan", "text"), ("9223372036854775807", "integer"), ("1.", "text"), (" 1", "text"), ("null", "text")]:
        assert values("select typeof(:v) from (select :v)", SYNTHETIC, "--param", f"v={text}") == [[kind]], text
    count = values("select count(*) from slice where name = 'ProfilerStep#4'")
    assert values("select count(*) from slice where name = :name", SYNTHETIC, "--param", "name=ProfilerStep#4") == count != [[0]]
    assert values("select count(*) from kernels('', :range)", SYNTHETIC, "--param", "range=step:4")[0][0] > 0
    two = json_of("sql", SYNTHETIC, CPU, "--param", "n=3", "select :n as n")
    assert [row["n"] for row in two] == [3, 3]
    for words, text in [(["select :a"], "the parameter :a has no value\n  select :a\n         ^"),
                        (["select 1", "--param", "a=1"], "the query has no parameter :a"),
                        (["select :a", "--param", "a"], "--param takes name=value, not a"),
                        (["select :a", "--param", "=1"], "--param takes name=value, not =1"),
                        (["select :a", "--param", "a=1", "--param", "a=2"], "--param gives a two values"),
                        (["select :a", "--param", "a=9223372036854775808"], "--param a: the number 9223372036854775808 is out of range"),
                        (["select :a", "--param", "a=1e999"], "--param a: the number 1e999 is out of range")]:
        assert text in error_of("sql", SYNTHETIC, *words, status=2), words


def test_errors_show_their_place():
    message = error_of("sql", SYNTHETIC, "select name,\n  oops from slice", status=2)
    assert message.startswith("lanescope: no such column: oops (line 2)\n    oops from slice\n    ^\n"), message
    assert "takes a trace and a query" in error_of("sql", SYNTHETIC, status=2)
    assert "there is no module wattson" in error_of("sql", SYNTHETIC, "include perfetto module wattson.curves", status=2)
    assert "no-such-file" in error_of("sql", "no-such-file", "select 1", status=1)
    assert "no-such.sql" in error_of("sql", SYNTHETIC, "-f", "no-such.sql", status=1)
    assert "is no time" in error_of("sql", SYNTHETIC, "select 1", "--timeout", "soon", status=2)


ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"


def test_a_query_cannot_write_or_run_for_ever():
    with scratch() as folder:
        before = sorted(os.listdir(folder))
        for query in (f"attach '{folder}/a.db' as a; create table a.t as select 1", f"vacuum into '{folder}/b.db'", "insert into slice values (1)",
                      "pragma journal_mode = wal", f"select writefile('{folder}/c', 'x')", "select load_extension('x')", "create table main.t(a)",
                      f"create virtual table temp.t using csv(filename='{folder}/d')", "drop view slices"):
            assert error_of("sql", SYNTHETIC, query, status=2), query
        assert sorted(os.listdir(folder)) == before
    begin = time.monotonic()
    assert "took too long" in error_of("sql", SYNTHETIC, ENDLESS, "--timeout", "300ms", status=1)
    assert time.monotonic() - begin < 60
    running = subprocess.Popen([str(BIN / "lanescope"), "sql", str(SYNTHETIC), ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) != 0


run_all(globals())
