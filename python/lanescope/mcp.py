"""A server of the Model Context Protocol on stdin and stdout: assistants ask it about traces.

    lanescope mcp FOLDER...        (or: python -m lanescope.mcp FOLDER...)

It reads only files below the given folders, writes none, and opens no network connection. Results are limited in size.
Needs the package mcp: pip install "lanescope[mcp]".
"""

import argparse
import contextlib
import functools
import json
import os
import sys

import lanescope

MOST_BYTES = 60_000  # of an answer
MOST_ROWS = 200
MOST_TRACES = 4  # kept open
SQL_LIMITS = {"timeout": "30s", "memory": 256 << 20, "temporary": False}


class Server:
    """The tools, without the protocol. Paths are relative to one of the folders, or absolute inside one."""

    def __init__(self, folders):
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._traces = {}

    def path_of(self, path):
        """The real path of a file below the folders; links that lead out are refused."""
        for folder in self._folders:
            real = os.path.realpath(os.path.join(folder, path))
            if below(folder, real) and os.path.isfile(real):
                return real
        raise ValueError(f"{path}: no such file below the folders of this server")

    def trace(self, path):
        real = self.path_of(path)
        stamp = (real, os.stat(real).st_mtime_ns)
        if stamp not in self._traces:
            opened = lanescope.open(real, progress=False)
            while len(self._traces) >= MOST_TRACES:
                del self._traces[next(iter(self._traces))]
            self._traces[stamp] = opened
        return self._traces[stamp]

    def shown(self, where, name):
        """Returns the path with which path_of() finds this file, or None, for example for a link that leads out of the folders."""
        path = os.path.join(where, name)
        relative = [os.path.relpath(path, folder) for folder in self._folders if below(folder, path)]
        real = os.path.realpath(path)
        for candidate in (*relative, path):
            try:
                if self.path_of(candidate) == real:
                    return candidate
            except ValueError:
                continue
        return None

    def files(self):
        """Names of the files below the folders that can be traces, with their sizes in bytes; `more`: there are others."""
        found = []
        for folder in self._folders:
            for where, folders, names in os.walk(folder):
                folders.sort()
                for name in sorted(names):
                    if name.endswith((".json", ".json.gz", ".json.zst", ".spall", ".spool")):
                        shown = self.shown(where, name)
                        if shown is None:
                            continue
                        if len(found) == MOST_ROWS:
                            return {"files": found, "more": True}
                        with contextlib.suppress(OSError):  # the file was removed meanwhile
                            found.append({"path": shown, "bytes": os.path.getsize(self.path_of(shown))})
        return {"files": found, "more": False}

    def rows(self, table, limit):
        limit = max(1, min(int(limit), MOST_ROWS))
        values = lanescope._native.columns_of(table._rows, 0, limit)
        rows = [dict(zip(values, row)) for row in zip(*values.values())]
        while len(rows) > 1 and not fits({"rows": rows, "row_count": len(table)}):
            rows.pop()
        if rows and not fits({"rows": rows, "row_count": len(table)}):
            rows = [{name: cut(value, MOST_BYTES // (12 * len(values))) for name, value in rows[0].items()}]
        return {"rows": rows, "row_count": len(table)}


def below(folder, path):
    return os.path.commonpath([folder, path]) == folder


def fits(value):
    """Returns whether a value fits into an answer. The SDK writes JSON with an indent of 2."""
    return len(json.dumps(value, ensure_ascii=False, indent=2).encode()) <= MOST_BYTES


def cut(value, characters):
    """Cuts a long text and says how many characters are left out; returns other values unchanged."""
    if not isinstance(value, str) or len(value) <= characters:
        return value
    return f"{value[:characters]}… ({len(value) - characters} more characters)"


def limited_facts(facts):
    """Replaces the longest values of a dict until it fits into an answer."""
    facts = dict(facts)
    for name in sorted(facts, key=lambda name: -len(json.dumps(facts[name]))):
        if fits(facts):
            break
        facts[name] = "left out, because it is too long"
    return facts


def limited(text):
    """A text that fits into an answer."""
    data = text.encode()
    if len(data) <= MOST_BYTES:
        return text
    return data[:MOST_BYTES].decode(errors="ignore") + "\n… (the rest is left out)"


def make_server(folders):
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:  # version 1 of the SDK
        from mcp.server.fastmcp import FastMCP as MCPServer
        from mcp.server.fastmcp.exceptions import ToolError

    server = Server(folders)
    mcp = MCPServer("lanescope", instructions="Profiles of machine-learning programs on CPUs and GPUs. Times are in "
                    "ns. Begin with files(), then findings() or summary() of a trace.")

    def tool(function):
        """Registers a tool; the assistant reads why it failed."""
        @functools.wraps(function)
        def call(*words, **options):
            try:
                return function(*words, **options)
            except (lanescope.Error, OSError, ValueError, OverflowError) as error:
                raise ToolError(str(error)) from error
        return mcp.tool()(call)

    @tool
    def files() -> dict:
        """The traces that can be opened; `more`: there are others."""
        return server.files()

    @tool
    def open(path: str) -> dict:
        """Exact facts of a trace, and its problems."""
        return limited_facts(server.trace(path).info())

    @tool
    def summary(path: str, range: str | None = None) -> str:
        """What happened, on one screen. range: "A..B" such as "1.2ms..3ms", or "step:N"."""
        return limited(str(server.trace(path).summary(range=range)))

    @tool
    def findings(path: str, range: str | None = None) -> str:
        """What costs time, how much, why, where, and what to try."""
        return limited(str(server.trace(path).findings_text(range=range)))

    @tool
    def tables() -> list[dict]:
        """The names of all tables, with what they contain."""
        return [row for row in lanescope.tables() if row["kind"] != "text"]

    @tool
    def columns(table: str) -> dict:
        """The columns of a table with their units and definitions."""
        return server.rows(lanescope.columns(table), MOST_ROWS)

    @tool
    def table(path: str, name: str, by: str | None = None, range: str | None = None, sort: str | None = None,
              limit: int = 20) -> dict:
        """Rows of a table, at most 200. by: a form from tables(); sort: a column, numbers from the largest."""
        return server.rows(server.trace(path).table(name, by=by, range=range, sort=sort), limit)

    @tool
    def sql(path: str, query: str, limit: int = 50,
            parameters: dict[str, str | int | float | None] | list[str | int | float | None] | None = None) -> dict:
        """Rows of an SQL query over Perfetto's tables (slice, thread, process, track, counter, flow, args) and all of
        tables(), at most 200. parameters: values of the query's :name as an object, or of ? as a list; names of
        kernels and operators belong there rather than into the query."""
        return server.rows(server.trace(path).sql(query, parameters, **SQL_LIMITS), limit)

    @tool
    def compare(before: str, after: str) -> str:
        """What changed between two runs, as Markdown."""
        traces = server.trace(before), server.trace(after)
        return limited(str(lanescope.compare(*traces).text("md")))

    @tool
    def picture(path: str, range: str | None = None, lanes: str | None = None) -> str:
        """The timeline as an SVG. Give a range of a few ms if it is too large."""
        svg = str(server.trace(path).timeline(range=range, lanes=lanes, width=1200))
        if len(svg.encode()) > 10 * MOST_BYTES:
            raise ValueError("The picture is too large: give a shorter range, or lanes")
        return svg

    return mcp


def main():
    parser = argparse.ArgumentParser(prog="lanescope mcp", description="Answers assistants about traces.")
    parser.add_argument("folder", nargs="+", help="only files below these folders are read")
    folders = parser.parse_args().folder
    for folder in folders:
        if not os.path.isdir(folder):
            sys.exit(f"lanescope mcp: {folder} is no folder")
    try:
        server = make_server(folders)
    except ImportError:
        sys.exit('lanescope mcp: needs the package mcp: pip install "lanescope[mcp]"')
    server.run()


if __name__ == "__main__":
    main()
