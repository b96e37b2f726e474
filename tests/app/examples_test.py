#!/usr/bin/env python3
"""docs/examples.md: each command that it shows still answers for its trace, and with the table that is shown.
(`scripts/examples --check` holds the page to the letter; columns and digits may be added before it is written anew.)"""
import re
import shlex

from program import ROOT, TRACES, Skip, lanescope, run_all

PAGE = ROOT / "docs" / "examples.md"


def shown():
    """Each command of the page with the lines that it shows."""
    blocks = re.findall(r"```text\n\$ lanescope (.+)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"))
    return [(shlex.split(command), said.splitlines()) for command, said in blocks]


def test_every_command_of_the_page_still_answers():
    assert len(shown()) > 30, "the page shows tables"
    if not TRACES:
        raise Skip("LANESCOPE_TRACES names no folder of real traces")
    for words, told in shown():
        run = lanescope(*[str(TRACES / "torch" / w) if w.endswith(".json.gz") else w for w in words])
        assert run.returncode == 0, (words, run.stderr)
        said = run.stdout.decode().splitlines()
        # Of a table the head, of a summary the name of the file; names are longer outside of a terminal.
        assert said[0].split("  ")[0].strip() == told[0].split("  ")[0].strip(), (words, said[0])
        assert len(said) > 1 and len(told) > 1, words


run_all(globals())
