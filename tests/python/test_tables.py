"""Every table in Python has the values of the command line."""
import os

import lanescope as ls
import pytest
from conftest import SAMPLES, SYNTHETIC
from made_traces import made_ranks

TRACES = [SYNTHETIC, *sorted(SAMPLES.glob("torch_cpu/*.json.gz"))[:2]]


def names():
    return [(row["name"], row["by"]) for row in ls.tables()
            if row["kind"] == "table" and row["name"] not in ("compare", "findings", "find", "histogram", "what-if",
                                                             "summary", "info", "notes", "traces", "ranks")]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_every_table_equals_the_command_line(path, command_line):
    with_rows = 0
    with ls.open(path, progress=False) as trace:
        for name, by in names():
            words = ["table", name, path, *(["--by", by] if by else [])]
            expected = command_line(*words)
            assert trace.table(name, by=by).to_dicts() == expected, (name, by)
            with_rows += len(expected) > 0
    assert with_rows > 15, with_rows


def test_options_are_those_of_the_command_line(synthetic, command_line):
    for options, words in [
        ({"by": "config", "range": "step:5"}, ["--by", "config", "--range", "step:5"]),
        ({"sort": "calls", "reverse": True, "top": 4}, ["--sort", "calls", "--reverse", "--top", "4"]),
        ({"group_by": "operator,name", "top": 2}, ["--group-by", "operator,name", "--top", "2"]),
    ]:
        assert synthetic.kernels(**options).to_dicts() == command_line("table", "kernels", SYNTHETIC, *words), options


def test_other_results(synthetic, command_line):
    assert synthetic.find("kernel dur>100us", top=5).to_dicts() == command_line(
        "find", SYNTHETIC, "kernel dur>100us", "--top", "5")
    assert synthetic.what_if(top=3).to_dicts() == command_line("what-if", SYNTHETIC, "--top", "3")
    for factor in (0, 1e-300, 1e300):
        with pytest.raises(ls.Error, match=r"faster of what-if takes a number from 1e-06 to 1e\+06"):
            synthetic.what_if(kernel="gemm", faster=factor)
    assert synthetic.summary_data() == command_line("summary", SYNTHETIC)
    expected = command_line("info", SYNTHETIC)
    actual = synthetic.info()
    for changing in ("load_seconds", "resident_bytes"):
        actual.pop(changing, None), expected.pop(changing, None)
    assert {key: value for key, value in actual.items() if "load" not in key} == {
        key: value for key, value in expected.items() if "load" not in key}
    assert [row["rule"] for row in synthetic.findings()] == [
        finding["id"] for finding in command_line("findings", SYNTHETIC)]
    assert sum(synthetic.histogram(kernel="gemm")["count"]) > 0


def test_facts_of_several_files(tmp_path, command_line):
    paths = made_ranks(tmp_path)
    with ls.open(*paths, align="start", progress=False) as ranks:
        facts, rows = ranks.info(), ranks.table("info").to_dicts()
    assert facts["alignment"] == command_line("info", *paths, "--align", "start")["alignment"]
    assert facts["alignment"]["by"] == "start"
    assert [file["distributed"]["rank"] for file in facts["alignment"]["files"]] == [0, 1]
    offsets = {row["item"]: int(row["value"]) for row in rows if row["fact"] == "offset_ns"}
    assert offsets == {file["name"]: file["offset_ns"] for file in facts["alignment"]["files"]} and len(offsets) == 2


def test_tables_of_events(synthetic):
    kernels = synthetic.gpu_activity()
    counted = synthetic.sql("select count(*) as n, sum(dur) as total from gpu_activity").to_dicts()
    assert counted == [{"n": len(kernels), "total": sum(kernels["dur"])}] and len(kernels) > 100
    for name in ("runtime_call", "operator_call", "annotation", "step", "gap"):
        rows = synthetic.table(name)
        assert len(rows) == synthetic.sql(f"select count(*) as n from {name}")["n"][0], name


HOSTILE = ["'", '"', "'; drop table slice; --", "a\0b", "🚀 %s ? :name $1", "", "\n"]


def test_parameters_of_queries(synthetic):
    assert synthetic.sql("select ? as a, ? as b, ?1 as c", (1, "x")).to_dicts() == [{"a": 1, "b": "x", "c": 1}]
    rows = synthetic.sql("select :a as a, @b as b, $c as c", {"a": None, "b": 0.1, "c": True}).to_dicts()
    assert rows == [{"a": None, "b": 0.1, "c": 1}]
    for text in HOSTILE:
        assert synthetic.sql("select hex(?) as h", [text])["h"] == [text.encode().hex().upper()]
    for number in (-(1 << 63), (1 << 63) - 1, 5e-324, 1.7976931348623157e308, -0.5):
        assert synthetic.sql("select ? as n", [number])["n"] == [number], number
    name = synthetic.kernels()["name"][0]
    found = synthetic.sql("select count(*) as n from kernel where name = :name and dur > :least", {"name": name, "least": 0})
    assert found["n"] == synthetic.sql(f"select count(*) as n from kernel where name = '{name}'")["n"] != [0]
    script = "create table t as select ? as first; select first, ?2 as second from t where first = ?1"
    assert synthetic.sql(script, [4, 5]).to_dicts() == [{"first": 4, "second": 5}]
    assert synthetic.sql("select * from steps('', :range)", {"range": "step:5"}).to_dicts() == [
        {**row, **{key: str(value).replace(" ", "") for key, value in row.items() if isinstance(value, list)}}
        for row in synthetic.steps(range="step:5")]
    rows = ls.sql("select ? as n, count(*) as c from slice", synthetic, synthetic, parameters=[3])
    assert rows["n"] == [3, 3] and rows["c"][0] == rows["c"][1] > 0


def test_other_libraries_numbers_are_parameters(synthetic):
    numpy = pytest.importorskip("numpy")
    rows = synthetic.sql("select typeof(?) as a, typeof(?) as b, typeof(?) as c",
                         [numpy.int64(7), numpy.float64(7), numpy.str_("7")]).to_dicts()
    assert rows == [{"a": "integer", "b": "real", "c": "text"}]


def test_wrong_parameters_are_named(synthetic):
    for query, given, kind, text in [
        ("select :step", {}, ls.Error, "the parameter :step has no value"),
        ("select :step", [1], ls.Error, "the parameter :step has no value"),
        ("select ?, ?", [1], ls.Error, r"the parameter \?2 has no value"),
        ("select ?", [1, 2], ls.Error, r"the query has no parameter \?2"),
        ("select :a", {"a": 1, "b": 2}, ls.Error, "the query has no parameter :b"),
        ("select ?", None, ls.Error, r"the parameter \?1 has no value"),
        ("select ?", [1 << 63], OverflowError, "parameter 1 has more than 64 bits"),
        ("select :n", {"n": -(1 << 63) - 1}, OverflowError, "parameter n has more than 64 bits"),
        ("select ?", [b"x"], TypeError, "parameter 1 is of type bytes"),
        ("select :n", {"n": [1]}, TypeError, "parameter n is of type list"),
        ("select ?", [float("nan")], ValueError, "finite"), ("select ?", [float("-inf")], ValueError, "finite"),
        ("select ?", ["\udc80"], UnicodeEncodeError, "surrogates"), ("select ?", "x", TypeError, "not str"),
        ("select ?", {1}, TypeError, "not set"), ("select ?", {1: 1}, TypeError, "not 1"),
    ]:
        with pytest.raises(kind, match=text):
            synthetic.sql(query, given)
    with pytest.raises(ls.Error) as missing:
        synthetic.sql("select 1,\n  :step", {})
    assert missing.value.code == "usage" and missing.value.byte_offset == len("select 1,\n  ")


def test_a_trace_against_itself_and_joined(command_line):
    comparison = ls.compare(SYNTHETIC, SYNTHETIC)
    assert comparison["difference_ns"][0] == 0 and comparison["verdict"][0] in ("same", "too few")
    assert "A:" in str(comparison) and comparison.text("md").count("|") > 10
    for phase, says in (("decode", "no steady step is known to be decode"), ("lunch", "not a phase")):
        with pytest.raises(ls.Error, match=says):
            ls.compare(SYNTHETIC, SYNTHETIC, phase=phase)
    joined = ls.open(SYNTHETIC, SYNTHETIC, progress=False)
    assert len(joined.findings()) >= 0 and "<svg" in joined.timeline()
    with pytest.raises(ls.Error, match="joined from 2: open each alone"):
        joined.kernels()


def test_notes_are_only_read(tmp_path):
    path = tmp_path / "run.json.gz"
    path.write_bytes(SYNTHETIC.read_bytes())
    notes = tmp_path / "run.json.gz.notes.json"
    with ls.open(path, progress=False) as trace:
        assert len(trace.notes()) == 0 and "number" in trace.notes().columns
        notes.write_text("nonsense")
        for ask in (trace.notes, trace.timeline):
            with pytest.raises(ls.Error, match="is broken"):
                ask()
        assert notes.read_text() == "nonsense" and len(os.listdir(tmp_path)) == 2
        with pytest.raises(ls.Error, match="has no option"):
            trace.notes(top=1)
    assert {row["column"] for row in ls.columns("notes").to_dicts()} == set(trace_columns_of_notes())


def trace_columns_of_notes():
    return ls.open(SYNTHETIC, progress=False).notes().columns


def test_a_picture_is_an_svg(synthetic, tmp_path):
    picture = synthetic.timeline()
    picture.save(tmp_path / "x.svg")
    with pytest.raises(ValueError, match="ends in .svg"):
        picture.save(tmp_path / "x.png")
    assert os.listdir(tmp_path) == ["x.svg"]


def test_methods_have_documentation():
    for name, _ in names():
        method = getattr(ls.Trace, name.replace("-", "_"))
        assert method.__doc__ and f"lanescope.columns({name!r})" in method.__doc__
    columns = ls.columns("kernels").to_dicts()
    assert {"column", "unit", "definition"} <= set(columns[0])


def test_rows_columns_and_slices(synthetic):
    table = synthetic.kernels()
    assert list(table)[2] == table.to_dicts()[2] and table.columns == list(table.to_dict())
    assert table["name"] == [row["name"] for row in table]
    with pytest.raises(KeyError):
        table["nothing"]
    empty = synthetic.kernels(range="0..1ns")
    assert len(empty) == 0 and empty.to_dicts() == [] and "name" in empty.columns


def test_columns_of_events():
    for name in ("gpu_activity", "runtime_call", "operator_call", "annotation", "step", "gap"):
        rows = ls.columns(name).to_dicts()
        assert rows and {row["table"] for row in rows} == {name} and all(row["definition"] for row in rows), name


def test_queries_over_paths(synthetic):
    rows = ls.sql("select count(*) as n from slice", synthetic, SYNTHETIC, str(SYNTHETIC)).to_dicts()
    assert [row["n"] for row in rows] == [1348] * 3
    with pytest.raises(TypeError, match="traces or paths"):
        ls.sql("select 1")


def test_queries_over_a_joined_trace(tmp_path):
    check_joined(made_ranks(tmp_path))


def test_queries_over_a_joined_trace_of_real_ranks(traces):
    check_joined([traces / "torch" / "two_ranks" / f"rank-{rank}.json.gz" for rank in (0, 1)])


def check_joined(ranks):
    query = "select ?1 as given, count(*) as n, max(ts) - min(ts) as span, sum(extract_arg(arg_set_id, 'args.bytes')) as bytes from slice"
    alone = [ls.open(path, progress=False).sql(query, [7]).to_dicts()[0] for path in ranks]
    with ls.open(*ranks, align="start", progress=False) as joined:
        together = joined.sql(query, [7]).to_dicts()
        assert len(ls.sql("select 1", joined, ranks[0])) == 3
    assert len(together) == 2 and len({row.pop("trace") for row in together}) == 2
    assert together == alone
