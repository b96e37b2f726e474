#!/usr/bin/env python3
"""prepare.py ROOT SOURCE: collects the pages of the documentation site in the folder SOURCE, and its styles beside it.

The Markdown in docs/ stays as it is. The site also has an overview, HACKING.md with the pages of examples/extend, CHANGELOG.md if it exists, and one
page for each table of docs/tables.md, which `scripts/columns` writes from the registry.
"""

import pathlib
import re
import shutil
import sys

# Texts of docs/site that become pages; {tables} stands for the list of all tables.
PAGES = ["index.md", "tables.md", "findings.md"]


def tables_of(text):
    """The rows of docs/tables.md by table, in their order, without the column that names the table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, rows = lines[0], lines[2:]
    assert head.startswith("| table | column |"), head
    tables = {}
    for row in rows:
        name, rest = re.fullmatch(r"\| (\S.*?) \| (.*)", row).groups()
        tables.setdefault(name, []).append("| " + rest)
    return head.replace("| table |", "|", 1), tables


def anchor_of(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def write_tables(source, text):
    """A page for each table, and the list of all tables in place of {tables}."""
    head, tables = tables_of(text)
    folder = source / "tables"
    folder.mkdir()
    rule = "| " + " | ".join("---" for _ in head.strip("| ").split(" | ")) + " |"
    links = []
    for name, rows in tables.items():
        page = anchor_of(name)
        (folder / f"{page}.md").write_text(
            f"# {name}\n\n{len(rows)} columns, in their order. [All tables, and what the titles mean](../tables.md)\n\n"
            + "\n".join([head, rule, *rows]) + "\n", encoding="utf-8")
        links.append(f"| [{name}](tables/{page}.md) | {len(rows)} | " + ", ".join(
            f"`{row.split(' | ')[0].strip('| ')}`" for row in rows[:6]) + (", …" if len(rows) > 6 else "") + " |")
    return "\n".join(["| table | columns | the first ones |", "| --- | --- | --- |", *links])


def without_empty_lists(text, source):
    """Drops patterns of a list of pages that match none, and lists without pages: Sphinx would warn."""
    def kept(block):
        lines = [line for line in block.group().splitlines() if not re.search(r"[*[]", line) or list(source.glob(line + ".md"))]
        pages = [line for line in lines[1:-1] if line and not line.startswith(":")]
        return "\n".join(lines) if pages else ""

    return re.sub(r"^```\{toctree\}\n.*?^```$", kept, text, flags=re.MULTILINE | re.DOTALL)


def with_one_title(text):
    """Titles after the first one, and what is below them, become sections of it: a page has one entry in the list of pages."""
    lines, titles, fence = [], 0, None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and line.strip() == fence:
            fence = None
        elif fence is None and re.match(r"#+ ", line):
            titles += line.startswith("# ")
            line = "#" + line if titles > 1 else line
        lines.append(line)
    return "\n".join(lines) + "\n"


def prepare(root, source):
    docs, site = root / "docs", root / "docs" / "site"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(docs, source, ignore=shutil.ignore_patterns("site"))
    for path in source.rglob("*.md"):
        path.write_text(with_one_title(path.read_text(encoding="utf-8")), encoding="utf-8")
    columns = (source / "tables.md").read_text(encoding="utf-8")
    static = source.parent / "static"
    shutil.rmtree(static, ignore_errors=True)
    shutil.copytree(site / "static", static)
    shutil.copy(root / "assets" / "desktop" / "org.lanescope.Lanescope.svg", static / "lanescope.svg")
    for name in ("HACKING.md", "CHANGELOG.md"):
        path = root / name
        if path.exists():
            (source / name.lower()).write_text(path.read_text(encoding="utf-8").replace("](docs/", "]("), encoding="utf-8")
    for path in sorted((root / "examples" / "extend").glob("*/README.md")):
        page = source / path.relative_to(root)
        page.parent.mkdir(parents=True)
        shutil.copy(path, page)
    for name in PAGES:
        text = (site / name).read_text(encoding="utf-8")
        if "{tables}" in text:
            text = text.replace("{tables}", write_tables(source, columns))
        (source / name).write_text(without_empty_lists(text, source), encoding="utf-8")


if __name__ == "__main__":
    prepare(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
