#!/usr/bin/env python3
"""`lanescope formats`, and the documents that name the formats."""
import subprocess
import sys

from program import ROOT, json_of, run_all, text_of


def test_formats_are_listed_with_their_pages():
    rows = json_of("formats")
    names = [row["format"] for row in rows]
    assert names == sorted(names, key=str.lower) and {"Chrome and Kineto JSON", "Nsight Systems", "TORCH_TRACE"} < set(names), names
    for row in rows:
        assert (ROOT / "docs" / "formats" / row["page"]).is_file(), row
        assert all(ending.startswith(".") for ending in row["endings"].split()), row
    assert "formats" in text_of("--help")


def test_documents_name_every_format():
    check = subprocess.run([sys.executable, ROOT / "scripts" / "formats", "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


def test_help_lists_the_formats():
    text = " ".join(text_of("--help").split())
    for row in json_of("formats"):
        assert row["files"] in text, row


run_all(globals())
