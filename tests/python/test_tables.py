"""Every table in Python has the values of the command line."""
import lanescope as ls
import pytest
from conftest import SAMPLES, SYNTHETIC

TRACES = [SYNTHETIC, *sorted(SAMPLES.glob("torch_cpu/*.json.gz"))[:2]]


def names():
    return [(row["name"], row["by"]) for row in ls.tables()
            if row["kind"] == "table" and row["name"] not in ("compare", "findings", "find", "histogram", "what-if",
                                                             "summary", "info", "notes", "traces")]


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


def test_tables_of_events(synthetic):
    kernels = synthetic.gpu_activity()
    counted = synthetic.sql("select count(*) as n, sum(dur) as total from gpu_activity").to_dicts()
    assert counted == [{"n": len(kernels), "total": sum(kernels["dur"])}] and len(kernels) > 100
    for name in ("runtime_call", "operator_call", "annotation", "step", "gap"):
        rows = synthetic.table(name)
        assert len(rows) == synthetic.sql(f"select count(*) as n from {name}")["n"][0], name


def test_a_trace_against_itself_and_joined(command_line):
    comparison = ls.compare(SYNTHETIC, SYNTHETIC)
    assert comparison["difference_ns"][0] == 0 and comparison["verdict"][0] in ("same", "too few")
    assert "A:" in str(comparison) and comparison.text("md").count("|") > 10
    joined = ls.open(SYNTHETIC, SYNTHETIC, progress=False)
    assert len(joined.findings()) >= 0 and "<svg" in joined.timeline()
    with pytest.raises(ls.Error, match="joined from 2"):
        joined.kernels()


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
