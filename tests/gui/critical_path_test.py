#!/usr/bin/env python3
"""Tests the critical path, shown by a key, and what-if for a selected kernel."""

import json
import os
import subprocess
import sys

from window import BIN, SYNTHETIC, Window, run


def milliseconds(nanos):
    """Formats with four digits, as the window does."""
    return f"{nanos / 1e6:.4g} ms"


def path_by_a_key():
    with Window(SYNTHETIC) as w:
        assert w.still()["path"] == {"shown": False, "steps": None}
        w.key("k")
        state = w.wait(lambda s: s["path"]["steps"], "the critical paths")
        assert state["path"] == {"shown": True, "steps": 3}, state["path"]
        assert "Critical path of 3 steps" in w.wait(lambda s: "Critical path" in s["message"], "the message")["message"]
        assert not w.key("k")["path"]["shown"]


def what_if_of_a_kernel():
    command = [os.path.join(BIN, "lanescope"), "what-if", SYNTHETIC, "--format", "json"]
    with Window(SYNTHETIC) as w:
        w.still()
        assert "Select a kernel or operator" in w.key("shift+k")["message"]
        name = w.select("kernel gemm")["selection"]["name"]
        w.key("shift+k")
        def shown(state):
            panel = state["panels"]["What if"]
            table = panel["table"] if panel["in_front"] else None
            return table if table and table["ready"] and table["row_count"] and table["rows"][0]["what"] == name else None

        table = shown(w.wait(shown, "what if"))
        expected = json.loads(subprocess.run([*command, "--kernel", f"^{name}$"], check=True, capture_output=True).stdout)
        assert [row["change"] for row in table["rows"]] == [row["change"] for row in expected]
        assert table["rows"][0]["new_step_ns"] == milliseconds(expected[0]["new_step_ns"]), table["rows"][0]



sys.exit(run([path_by_a_key, what_if_of_a_kernel]))
