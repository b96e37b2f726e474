#!/usr/bin/env python3
"""docs/examples.md: each command of the page still works, and prints the same table.
(`scripts/examples --check` compares every character. This test allows new columns and digits until the page is updated.)"""
import re
import shlex

from program import ROOT, lanescope, real_trace, run_all

PAGE = ROOT / "docs" / "examples.md"


def examples():
    """The words of each command on the page, and the output lines shown for it."""
    blocks = re.findall(r"```text\n\$ lanescope (.+)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"))
    return [(shlex.split(command), output.splitlines()) for command, output in blocks]


def test_every_command_of_the_page_prints_its_table():
    assert len(examples()) > 30, "the page has too few commands"
    for words, expected in examples():
        run = lanescope(*[str(real_trace(f"torch/{w}")) if w.endswith(".json.gz") else w for w in words])
        assert run.returncode == 0, (words, run.stderr)
        actual = run.stdout.decode().splitlines()
        # Compares the first column's title, or a summary's file name: other columns are wider outside a terminal.
        assert actual[0].split("  ")[0].strip() == expected[0].split("  ")[0].strip(), (words, actual[0])
        assert len(actual) > 1 and len(expected) > 1, words


run_all(globals())
