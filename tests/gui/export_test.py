#!/usr/bin/env python3
"""Tests the commands of Export in the window: reports, which must be the pages that the command line makes."""

import os
import re
import subprocess
import sys

from range_test import at
from window import BIN, SYNTHETIC, TRANSFORMER, Window, ruler_y, run, xdotool


def page(path):
    """The text of a report without the random word of its content policy."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r'(nonce[-=]"?)[0-9a-f]{32}', r"\1", file.read())


def expected(w, trace, *options):
    path = os.path.join(w.folder.name, "expected.html")
    subprocess.run([os.path.join(BIN, "lanescope"), "report", trace, "-o", path, "--force", *options], check=True)
    return page(path)


def a_report_is_the_page_of_the_command_line():
    with Window(SYNTHETIC) as w:
        w.key("ctrl+e")
        assert page(w.save_as_offered("report.html")) == expected(w, SYNTHETIC)


def a_selected_range_makes_a_report_of_itself():
    with Window(SYNTHETIC) as w:
        state = w.still()
        w.drag(at(state, 0.3), ruler_y(state), at(state, 0.5), ruler_y(state))
        marked = w.wait(lambda s: s["marked"], "the range")["marked"]
        w.key("ctrl+e")
        saved = page(w.save_as_offered("report.html"))
        assert saved == expected(w, SYNTHETIC, "--range", f"{marked['begin']}ns..{marked['end']}ns")
        assert saved != expected(w, SYNTHETIC)


def a_report_is_of_the_file_that_panels_show():
    with Window(SYNTHETIC, TRANSFORMER) as w:
        w.key("ctrl+e")
        assert f"<title>{os.path.basename(SYNTHETIC)}" in page(w.save_as_offered("report.html"))


def export_lists_the_report_first():
    with Window(SYNTHETIC) as w:
        lines = w.choose("ctrl+shift+p", "export")["palette"]
        assert lines, w.state()
        shown = w.wait(lambda s: s["palette"] and s["palette"]["lines"][0].startswith("Save a report"), "the list")["palette"]
        assert len(shown["lines"]) == 7, shown
        xdotool("key", "Return")
        w.save_as_offered("report.html")


def without_a_trace_a_message_says_so():
    with Window("/nowhere/at/all.json") as w:
        w.key("Escape")
        w.key("ctrl+e")
        assert "complete trace" in w.wait(lambda s: s["message"], "the message")["message"]


if __name__ == "__main__":
    sys.exit(run([a_report_is_the_page_of_the_command_line, a_selected_range_makes_a_report_of_itself,
                  a_report_is_of_the_file_that_panels_show, export_lists_the_report_first,
                  without_a_trace_a_message_says_so]))
