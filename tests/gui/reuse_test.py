#!/usr/bin/env python3
"""Tests `lanescope --reuse` with real processes: one window gives its trace to another one, which asks what to do. Windows with
--state take no part in this, so these tests read the titles of windows instead of the state."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from window import BIN, PATIENCE, SYNTHETIC, TRANSFORMER, VIEWER, Window, ask_to_close, run, xdotool

LANESCOPE = os.path.join(BIN, "lanescope")
QUIET_SECONDS = 1.5  # in which a wrong program would have acted


class Desk:
    """A user's runtime folder and settings, and the windows that are open."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lanescope_reuse_")
        self.runtime = os.path.join(self.folder.name, "run")
        os.mkdir(self.runtime, mode=0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.runtime, XDG_CONFIG_HOME=self.folder.name,
                                XDG_DATA_HOME=os.path.join(self.folder.name, "data"))
        self.processes = []
        xdotool("mousemove", 300, 10)
        return self

    def start(self, *words, **more):
        process = subprocess.Popen(words, env={**self.environment, **more}, cwd=self.folder.name)
        self.processes.append(process)
        return process

    def open(self, *traces, title):
        process = self.start(LANESCOPE, *traces)
        self.wait(lambda: title_of(process) == title, f"the title {title}")
        return process

    def sockets(self):
        return sorted(path.name for path in pathlib.Path(self.runtime, "lanescope").glob("*"))

    def reuse(self, *traces, **more):
        """Runs `lanescope --reuse`; returns its exit status, or the process if it became a window."""
        process = self.start(LANESCOPE, "--reuse", *traces, **more)
        self.wait(lambda: process.poll() is not None or titles_of(process), "an answer or a window")
        return process.poll() if process.poll() is not None else process

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {what}: {[titles_of(p) for p in self.processes]}")

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        self.folder.cleanup()


def titles_of(process):
    found = subprocess.run(["xdotool", "search", "--all", "--onlyvisible", "--pid", str(process.pid), "--name", "Lanescope"],
                           check=False, capture_output=True, text=True).stdout.split()
    return [subprocess.run(["xdotool", "getwindowname", window], check=False, capture_output=True, text=True).stdout.strip()
            for window in found]


def title_of(process):
    titles = titles_of(process)
    return titles[0].removesuffix(" – Lanescope") if titles else None


def press_until(desk, process, key, title):
    """Presses a key until the title is that: the dialog appears a moment after the answer."""
    def done():
        xdotool("key", key)
        time.sleep(0.2)
        return title_of(process) == title
    desk.wait(done, f"the title {title} after {key}")


STEP, NET = os.path.basename(SYNTHETIC), os.path.basename(TRANSFORMER)


def a_trace_is_added_below_the_open_one():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        assert desk.reuse(TRANSFORMER) == 0
        time.sleep(QUIET_SECONDS)
        assert title_of(window) == STEP, "nothing happens without the user"
        press_until(desk, window, "a", f"{STEP} and 1 more")
        assert window.poll() is None


def a_trace_replaces_the_open_one():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        link = os.path.join(desk.folder.name, "with a space and ü.json.gz")
        os.symlink(TRANSFORMER, link)
        assert desk.reuse("./" + os.path.basename(link)) == 0, "relative paths are of the sender's folder"
        time.sleep(QUIET_SECONDS)
        assert title_of(window) == STEP, "nothing happens without the user"
        press_until(desk, window, "r", os.path.basename(link))


def the_user_may_refuse_and_enter_adds():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        assert desk.reuse(TRANSFORMER) == 0
        time.sleep(QUIET_SECONDS)
        xdotool("key", "Escape")
        time.sleep(QUIET_SECONDS)
        assert title_of(window) == STEP
        xdotool("key", "Return")
        time.sleep(QUIET_SECONDS)
        assert title_of(window) == STEP, "the dialog is gone"
        assert desk.reuse(TRANSFORMER) == 0
        time.sleep(QUIET_SECONDS)
        press_until(desk, window, "Return", f"{STEP} and 1 more")


def several_traces_and_an_empty_window():
    with Desk() as desk:
        window = desk.start(VIEWER)
        desk.wait(desk.sockets, "the window to listen")
        assert desk.reuse(SYNTHETIC, TRANSFORMER) == 0
        # An empty window has nothing to lose.
        desk.wait(lambda: title_of(window) == f"{STEP} and 1 more", "both traces")


def the_newest_window_takes_the_trace():
    with Desk() as desk:
        first = desk.open(SYNTHETIC, title=STEP)
        second = desk.open(TRANSFORMER, title=NET)
        assert desk.reuse(SYNTHETIC) == 0
        time.sleep(QUIET_SECONDS)
        press_until(desk, second, "a", f"{NET} and 1 more")
        assert title_of(first) == STEP
        ask_to_close(second)
        second.wait(timeout=PATIENCE)
        assert desk.sockets() == []
        # Without a listening window, there is a new one.
        third = desk.reuse(TRANSFORMER)
        assert not isinstance(third, int) and title_of(first) == STEP


def without_a_safe_socket_there_is_a_new_window():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        assert len(desk.sockets()) == 1
        for environment in ({"XDG_RUNTIME_DIR": ""}, {"XDG_RUNTIME_DIR": desk.folder.name + "/none"}):
            other = desk.reuse(TRANSFORMER, **environment)
            assert not isinstance(other, int), environment
            desk.wait(lambda other=other: title_of(other) == NET, "the new window")
            other.kill()
        os.chmod(desk.runtime, 0o755)
        other = desk.reuse(TRANSFORMER)
        assert not isinstance(other, int)
        assert title_of(window) == STEP


def a_window_that_hangs_does_not_hold_the_user_up():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        window.send_signal(19)  # SIGSTOP
        begin = time.monotonic()
        other = desk.reuse(TRANSFORMER)
        assert not isinstance(other, int) and time.monotonic() - begin < 20
        window.send_signal(18)
        time.sleep(QUIET_SECONDS)
        xdotool("key", "a")
        time.sleep(QUIET_SECONDS)
        assert title_of(window) == STEP, "it must not open the trace a second time"


def a_window_under_test_neither_listens_nor_is_asked():
    with Desk() as desk:
        os.environ["XDG_RUNTIME_DIR"] = desk.runtime
        try:
            with Window(SYNTHETIC) as w:
                w.still()
                assert desk.sockets() == []
                other = desk.reuse(TRANSFORMER)
                assert not isinstance(other, int)
                assert w.still()["file"] == SYNTHETIC
        finally:
            del os.environ["XDG_RUNTIME_DIR"]


def wrong_words_are_reported():
    with Desk() as desk:
        window = desk.open(SYNTHETIC, title=STEP)
        for words, status in ((["/nowhere/x.json"], 1), ([TRANSFORMER, "--align", "start"], 2), ([], 2)):
            done = subprocess.run([LANESCOPE, "--reuse", *words], env=desk.environment, capture_output=True, check=False)
            assert done.returncode == status and done.stderr, (words, done)
        assert title_of(window) == STEP


sys.exit(run([a_trace_is_added_below_the_open_one, a_trace_replaces_the_open_one, the_user_may_refuse_and_enter_adds,
              several_traces_and_an_empty_window, the_newest_window_takes_the_trace, without_a_safe_socket_there_is_a_new_window,
              a_window_that_hangs_does_not_hold_the_user_up, a_window_under_test_neither_listens_nor_is_asked,
              wrong_words_are_reported]))
