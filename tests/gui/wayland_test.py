#!/usr/bin/env python3
"""Tests the window on Wayland: a compositor (weston) runs in the test's X screen and passes real keys and mouse on."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from window import SYNTHETIC, Window, middle, run, span

if not shutil.which("weston"):
    print("SKIPPED: wayland_test: weston is not installed")
    sys.exit(77)


def the_window_works_on_wayland():
    with tempfile.TemporaryDirectory(prefix="lanescope_wayland_") as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        command = ["weston", "--backend=x11-backend.so", "--use-pixman", "--width=1500", "--height=950",
                   "--socket=lanescope-test", "--idle-time=0", f"--log={folder}/log"]
        weston = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 15
            while not os.path.exists(os.path.join(folder, "lanescope-test")) and time.monotonic() < end:
                time.sleep(0.1)
            os.environ["WAYLAND_DISPLAY"] = "lanescope-test"
            with Window(SYNTHETIC) as w:
                maps = open(f"/proc/{w.process.pid}/maps", encoding="utf-8").read()
                assert "libwayland-egl" in maps, "it is drawn through Wayland"
                first = w.still()
                w.move(*middle(first["lanes"]))
                assert span(w.hold("w", 0.4)) < span(first), "keys arrive"
                x, y = middle(first["lanes"])
                before = w.state()["inputs"]
                assert w.click(x, y)["inputs"] > before, "clicks arrive"
                copied = w.key("ctrl+shift+c")
                notice = w.wait(lambda s: s["message"], "a message about the picture")["message"]
                if shutil.which("wl-copy"):
                    assert notice == "Picture copied to the clipboard.", (notice, copied["message"])
                    kinds = subprocess.run(["wl-paste", "--list-types"], capture_output=True, text=True, check=True)
                    assert "image/png" in kinds.stdout, kinds.stdout
                else:
                    assert "wl-copy" in notice, notice
        finally:
            weston.terminate()
            weston.wait()


sys.exit(run([the_window_works_on_wayland]))
