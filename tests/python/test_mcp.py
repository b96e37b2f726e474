"""The MCP server, asked by the SDK's own client."""
import asyncio
import json
import os
import shutil
import sys

import pytest
from conftest import SYNTHETIC

pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    served = tmp_path / "served"
    served.mkdir()
    shutil.copy(SYNTHETIC, served / "run.json.gz")
    shutil.copy(SYNTHETIC, tmp_path / "secret.json.gz")
    (served / "link.json.gz").symlink_to(tmp_path / "secret.json.gz")
    (tmp_path / "served_too").mkdir()
    shutil.copy(SYNTHETIC, tmp_path / "served_too" / "other.json.gz")
    return served


def ask(folder, *calls):
    """The texts of the tools' answers; an exception's text for errors."""
    async def run():
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "lanescope.mcp", str(folder)],
                                           env=dict(os.environ))
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            answers = []
            for name, arguments in calls:
                result = await session.call_tool(name, arguments)
                failed = result.is_error if hasattr(result, "is_error") else result.isError
                answers.append((failed, "".join(part.text for part in result.content)))
            return tools, answers
    return asyncio.run(asyncio.wait_for(run(), 120))


def test_tools(folder):
    trace = {"path": "run.json.gz"}
    tools, answers = ask(folder, ("open", trace), ("summary", trace), ("findings", trace), ("tables", {}),
                         ("table", {**trace, "name": "kernels", "limit": 3}),
                         ("sql", {**trace, "query": "select count(*) as n from slice"}),
                         ("sql", {**trace, "query": "select :a as a, :b as b, :c as c, typeof(:d) as d",
                                  "parameters": {"a": "'; drop", "b": 7, "c": 0.5, "d": None}}),
                         ("sql", {**trace, "query": "select typeof(?) as a, ? as b", "parameters": ["7", 8]}),
                         ("compare", {"before": "run.json.gz", "after": "run.json.gz"}),
                         ("picture", {**trace, "range": "step:5"}), ("files", {}), ("columns", {"table": "kernels"}))
    assert tools >= {"open", "summary", "findings", "tables", "table", "sql", "compare", "picture"}
    assert not any(failed for failed, _ in answers), answers
    texts = [text for _, text in answers]
    assert json.loads(texts[0])["format"] and "GPU 0" in texts[1] and len(texts[2]) > 200
    assert len(json.loads(texts[4])["rows"]) == 3 and json.loads(texts[4])["row_count"] > 20
    assert json.loads(texts[5])["rows"] == [{"n": 1348}]
    assert json.loads(texts[6])["rows"] == [{"a": "'; drop", "b": 7, "c": 0.5, "d": "null"}]
    assert json.loads(texts[7])["rows"] == [{"a": "text", "b": 8}]
    assert "|" in texts[8] and "<svg" in texts[9] and "run.json.gz" in texts[10]


@pytest.mark.parametrize("path", ["../secret.json.gz", "link.json.gz", "../served_too/other.json.gz", "/etc/passwd",
                                  "", ".", "ssh://host/run.json", "http://127.0.0.1/run.json", "run.json.gz\0"])
def test_nothing_outside_the_folders(folder, path):
    _, answers = ask(folder, ("open", {"path": path}), ("sql", {"path": path, "query": "select 1"}))
    assert all(failed for failed, _ in answers), answers


def test_answers_are_limited(folder):
    trace = {"path": "run.json.gz"}
    many = "with recursive n(i) as (select 1 union all select i + 1 from n limit 100000) select i, printf('%500d', i) t from n"
    _, answers = ask(folder, ("sql", {**trace, "query": many, "limit": 1000000}),
                     ("sql", {**trace, "query": "attach 'x.db' as x"}),
                     ("sql", {**trace, "query": "create table mine(x)"}),
                     ("table", {**trace, "name": "nothing"}),
                     ("sql", {**trace, "query": "select :a", "parameters": {"b": 1}}),
                     ("sql", {**trace, "query": "select :a", "parameters": {"a": 1 << 70}}))
    failed, text = answers[0]
    assert not failed and len(text.encode()) < 300_000
    assert [failed for failed, _ in answers[1:]] == [True] * 5, answers[1:]
    assert ["attach files" in answers[1][1], "cannot" in answers[2][1], "there are:" in answers[3][1]] == [True] * 3
    assert "parameter :a has no value" in answers[4][1] and "64 bits" in answers[5][1], answers[4:]
    assert os.listdir(folder) and not os.path.exists("x.db")


def test_files_are_those_that_can_be_opened(folder):
    os.mkfifo(folder / "pipe.json")
    (folder / "gone.json").symlink_to(folder / "nothing")
    (folder / "inside.json.gz").symlink_to("run.json.gz")
    _, [(failed, text)] = ask(folder, ("files", {}))
    assert not failed, text
    assert {"inside.json.gz", "run.json.gz"} == {name for name in os.listdir(folder) if name in text}, text


def test_equal_names_in_two_folders(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(SYNTHETIC, tmp_path / name / "run.json.gz")
    from lanescope.mcp import Server
    server = Server([tmp_path / "a", tmp_path / "b"])
    paths = [file["path"] for file in server.files()["files"]]
    assert paths == ["run.json.gz", str(tmp_path / "b" / "run.json.gz")]
    assert [server.path_of(path) for path in paths] == [str(tmp_path / name / "run.json.gz") for name in ("a", "b")]


def test_many_files_are_cut_and_say_so(tmp_path):
    from lanescope.mcp import MOST_ROWS, Server
    for number in range(MOST_ROWS):
        (tmp_path / f"{number}.json").write_text("x")
    server = Server([tmp_path])
    assert len(server.files()["files"]) == MOST_ROWS and not server.files()["more"]
    (tmp_path / "z.json").write_text("x")
    assert len(server.files()["files"]) == MOST_ROWS and server.files()["more"]


def test_long_values_are_cut(folder):
    trace = {"path": "run.json.gz"}
    _, answers = ask(folder, ("sql", {**trace, "query": "select hex(zeroblob(100000)) as a, 7 as b"}),
                     ("table", {**trace, "name": "gpu_activity", "limit": 200}))
    (failed, text), (_, rows) = answers
    assert not failed and len(text.encode()) < 60_100 and len(rows.encode()) < 60_100, (len(text), len(rows))
    row = json.loads(text)["rows"][0]
    assert row["a"].startswith("0000") and row["a"].endswith(" more characters)") and row["b"] == 7, text[-100:]


def test_long_facts_are_left_out():
    from lanescope.mcp import limited_facts
    facts = limited_facts({"format": "kineto-json", "metadata": {"log": "x" * 100_000}})
    assert facts == {"format": "kineto-json", "metadata": "left out, because it is too long"}


def test_modules_of_queries(folder):
    query = "INCLUDE PERFETTO MODULE slices.with_context; select count(*) as n from thread_slice"
    _, [(failed, text)] = ask(folder, ("sql", {"path": "run.json.gz", "query": query}))
    assert not failed and json.loads(text)["rows"][0]["n"] > 0, text
