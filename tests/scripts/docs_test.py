#!/usr/bin/env python3
"""The documentation site: what its check finds, and which pages are collected. `scripts/soak docs` builds the real site."""
import fnmatch
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
SITE = ROOT / "docs" / "site"


def module(name):
    spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(loaded)
    return loaded


CHECK, PREPARE = module("check"), module("prepare")


def checked(**files):
    """What the check prints for a site of these files, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"searchindex.js": "x" * 200, "index.html": "<p id=here>Text</p>", **files}
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SITE / "check.py", folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


def test_a_sound_site_has_no_problem():
    status, text = checked(**{
        "index.html": '<a href="a/b.html#place">x</a><a href="#here"><p id=here><img src="p.png">'
                      '<a href="https://example.org/">outside</a><style>p { background: url(data:image/png;base64,AA) }</style>',
        "a/b.html": '<h1 id="place">x</h1><a href="../index.html">', "p.png": "", "s.css": "a { background: url(p.png) }"})
    assert status == 0 and "2 pages, 0 problems; 1 links" in text, text


def test_everything_that_is_loaded_from_elsewhere_is_found():
    for page in ('<script src="https://cdn.example/x.js">', '<img src="//example.org/x.png">',
                 '<link rel="stylesheet" href="http://example.org/x.css">', '<link rel="preconnect" href="https://example.org">',
                 '<img srcset="a.png 1x, https://example.org/b.png 2x" src="a.png">', '<iframe src="https://example.org">',
                 '<style>@import "https://fonts.example/x";</style>', '<p style="background: url(//example.org/x.png)">',
                 '<form action="https://example.org/search">'):
        status, text = checked(**{"page.html": page, "a.png": ""})
        assert status == 1 and "loads" in text, (page, text)
    for name, text in (("s.css", "@font-face { src: url('https://fonts.example/x.woff2') }"),
                       ("s.css", "@import url(//fonts.example/x.css);"), ("s.js", 'fetch("https://example.org/x")'),
                       ("s.js", 'new WebSocket("wss://example.org")')):
        status, said = checked(**{name: text})
        assert status == 1 and name in said, (text, said)


def test_broken_links_are_found():
    for page, why in (('<a href="none.html">', "does not exist"), ('<a href="index.html#none">', "no such place"),
                      ('<a href="#none">', "no such place"), ('<img src="none.png">', "does not exist")):
        status, text = checked(**{"page.html": page})
        assert status == 1 and why in text, (page, text)
    status, text = checked(**{"searchindex.js": ""})
    assert status == 1 and "index" in text, text


def test_each_table_of_the_registry_has_a_page():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source")
        PREPARE.prepare(ROOT, source)
        columns = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
        names = {line.split(" | ")[0].strip("| ") for line in columns.splitlines()[2:] if line.startswith("| ")} - {"table", "---"}
        pages = {path.stem for path in (source / "tables").glob("*.md")}
        assert len(names) > 50 and pages == {PREPARE.anchor_of(name) for name in names}, names
        rows = sum(len(re.findall(r"^\|", path.read_text(encoding="utf-8"), re.MULTILINE)) - 2
                   for path in (source / "tables").glob("*.md"))
        assert rows == len([line for line in columns.splitlines() if line.startswith("| ")]) - 2
        # Pages for Python have no place while there is none of them, and one as soon as there is.
        python = bool(list((ROOT / "docs").glob("python*.md")))
        assert ("python*" in (source / "index.md").read_text(encoding="utf-8")) == python
        (source / "python.md").write_text("# Python\n", encoding="utf-8")
        text = (SITE / "index.md").read_text(encoding="utf-8")
        assert "python*" in PREPARE.without_empty_lists(text, source)
        # Each page is in some list, or it could not be found.
        lists = "".join(path.read_text(encoding="utf-8") for path in source.glob("*.md"))
        entries = [line for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", lists, re.MULTILINE | re.DOTALL)
                   for line in block.splitlines()]
        for path in source.rglob("*.md"):
            page = path.relative_to(source).with_suffix("").as_posix()
            found = [entry for entry in entries if fnmatch.fnmatchcase(page, entry)]
            assert len(found) == (page != "index"), (page, found)


def test_a_page_has_one_title():
    text = PREPARE.with_one_title("# A\n## B\n```sh\n# no title\n```\n# C\n## D\n")
    assert text == "# A\n## B\n```sh\n# no title\n```\n## C\n### D\n", text


def test_versions_are_pinned_with_hashes():
    requirements = (SITE / "requirements.txt").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[a-z])", requirements.strip())
    assert len(blocks) > 20
    for block in blocks:
        assert re.match(r"[a-z0-9-]+==[0-9]", block) and "--hash=sha256:" in block, block


def main():
    failed = 0
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    for name, test in tests:
        try:
            test()
        except AssertionError as why:
            failed += 1
            print(f"FAILED: {name}: {why}")
    print(f"{len(tests) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
