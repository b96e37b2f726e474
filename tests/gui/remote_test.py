#!/usr/bin/env python3
"""Tests opening traces on other machines in the window. `ssh` is a script here; tests/app/remote_test.py uses a server."""

import json
import os
import subprocess
import sys
import tempfile
import time

from window import SYNTHETIC, TRANSFORMER, Skip, Window, ask_to_close, run, xdotool

FAR = "ssh://far/runs/step.json.gz"


class StandInSsh:
    """While it lives, `ssh` runs this shell script, after it has noted its process and its words."""

    def __init__(self, script):
        self.script = script

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lanescope_ssh_")
        self.calls_path = os.path.join(self.folder.name, "calls")
        path = os.path.join(self.folder.name, "ssh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$$ $*" >> {self.calls_path}\n{self.script}\n')
        os.chmod(path, 0o755)
        self.temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(self.temporary)
        self.before = {name: os.environ.get(name) for name in ("PATH", "TMPDIR")}
        os.environ["PATH"] = f"{self.folder.name}:{os.environ['PATH']}"
        os.environ["TMPDIR"] = self.temporary
        return self

    def calls(self):
        try:
            with open(self.calls_path, encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def process(self):
        """Waits for the first call of ssh, and returns its process."""
        end = time.monotonic() + 10
        while not self.calls() and time.monotonic() < end:
            time.sleep(0.02)
        return int(self.calls()[0].split()[0])

    def __exit__(self, *_):
        for name, value in self.before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        assert not os.listdir(self.temporary), os.listdir(self.temporary)
        self.folder.cleanup()


def open_files(process):
    """The deleted files that the process has open: the copies."""
    folder = f"/proc/{process.pid}/fd"
    links = []
    for name in os.listdir(folder):
        try:
            links.append(os.readlink(os.path.join(folder, name)))
        except FileNotFoundError:
            pass
    return [link for link in links if link.endswith("/copy (deleted)")]


def type_in_dialog(w, text, key="ctrl+o"):
    assert w.key(key)["dialog_shown"]
    time.sleep(0.3)
    xdotool("key", "ctrl+a")
    xdotool("type", "--delay", "15", text)
    xdotool("key", "Return")


def an_address_on_the_command_line_is_copied_and_loaded():
    with StandInSsh(f"cat {SYNTHETIC}") as ssh, Window(FAR) as w:
        state = w.wait(lambda s: "events" in s and not s["loading"], "the trace")
        assert state["file"] == FAR and state["error"] is None and state["events"] > 1000
        assert "were copied to a temporary file" in state["message"], state["message"]
        assert len(ssh.calls()) == 1 and ssh.calls()[0].endswith("-- far cat -- '/runs/step.json.gz'")
        assert len(open_files(w.process)) == 1
        # The arguments of an event are read from the copy.
        assert w.select("gemm")["selection"]["arguments"]
        assert len(ssh.calls()) == 1
        # Reading it again copies it again, and the first copy is gone.
        before = w.still()
        w.key("F5")
        w.wait(lambda s: len(ssh.calls()) == 2 and not s["loading"] and s["events"] == before["events"], "the reload")
        w.still()
        assert len(open_files(w.process)) == 1
        with open(os.path.join(w.folder.name, "lanescope", "settings.json"), encoding="utf-8") as file:
            assert json.load(file)["recent_files"] == []


def the_dialog_opens_a_typed_address_and_closing_frees_the_copy():
    with StandInSsh(f"cat {SYNTHETIC}") as ssh, Window() as w:
        w.still()
        type_in_dialog(w, FAR)
        w.wait(lambda s: s["file"] == FAR and not s["loading"] and "events" in s, "the trace")
        assert len(open_files(w.process)) == 1
        type_in_dialog(w, TRANSFORMER)
        w.wait(lambda s: s["file"] == TRANSFORMER and not s["loading"] and "events" in s, "the other trace")
        w.still()
        assert open_files(w.process) == []
        assert len(ssh.calls()) == 1


def a_wrong_address_stays_in_the_dialog():
    with StandInSsh("exit 1") as ssh, Window() as w:
        w.still()
        type_in_dialog(w, "ssh://-oProxyCommand=x/y")
        state = w.wait(lambda s: s["dialog_shown"], "the dialog to come back")
        time.sleep(0.5)
        assert w.still()["dialog_shown"] and state["file"] == ""
        # The dialog still contains the address, so that the user can correct it.
        xdotool("key", "Escape")
        w.wait(lambda s: not s["dialog_shown"], "the dialog to close")
        assert ssh.calls() == []


def an_error_of_ssh_is_shown_with_host_and_path():
    with StandInSsh("echo 'ssh: connect to host far port 22: Connection refused' >&2; exit 255"), Window(FAR) as w:
        error = w.wait(lambda s: s["error"], "the error")["error"]["text"]
        assert error == f"{FAR}: ssh cannot connect to far: ssh: connect to host far port 22: Connection refused", error
        assert w.key("Escape")["error"] is None


def cancelling_ends_ssh():
    with StandInSsh("head -c 100000 /dev/zero; exec sleep 100") as ssh, Window(FAR, loaded=False) as w:
        w.wait(lambda s: s["copying"], "the copy to begin")
        pid = ssh.process()
        assert subprocess.run(["kill", "-0", str(pid)], check=False).returncode == 0
        xdotool("key", "shift+Escape")
        state = w.wait(lambda s: not s["loading"], "the end")
        assert "cancelled" in state["message"], state["message"]
        assert state["error"] is None
        end = time.monotonic() + 10
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            time.sleep(0.05)
        assert not os.path.exists(f"/proc/{pid}")
        assert open_files(w.process) == []


def closing_the_window_ends_ssh():
    with StandInSsh("head -c 100000 /dev/zero; exec sleep 100") as ssh:
        with Window(FAR, loaded=False) as w:
            w.wait(lambda s: s["copying"], "the copy to begin")
            pid = ssh.process()
            ask_to_close(w.process)
            assert w.process.wait(timeout=20) == 0
            assert not os.path.exists(f"/proc/{pid}")


def no_session_bus_is_started():
    """Without a session bus libdbus would start one, and wait for its address on a pipe that a running ssh keeps open."""
    if os.environ.get("DBUS_SESSION_BUS_ADDRESS") or os.path.exists("/usr/bin/dbus-launch"):
        raise Skip("there is a session bus, or a program that is preferred to the test's own dbus-launch")
    with tempfile.TemporaryDirectory() as folder:
        started = os.path.join(folder, "started")
        launcher = os.path.join(folder, "dbus-launch")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {started}\n")
        os.chmod(launcher, 0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{before}"
        try:
            with Window(SYNTHETIC) as w:
                w.still()
                time.sleep(1)
        finally:
            os.environ["PATH"] = before
        assert not os.path.exists(started)


def recent_files_never_make_the_window_connect():
    with StandInSsh(f"cat {SYNTHETIC}") as ssh, tempfile.TemporaryDirectory() as config:
        os.makedirs(os.path.join(config, "lanescope"))
        with open(os.path.join(config, "lanescope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"recent_files": [FAR]}, file)
        with Window(config=config) as w:
            w.choose("ctrl+shift+p", "Open step")
            state = w.wait(lambda s: s["error"], "the error")
            assert "cannot open" in state["error"]["text"], state["error"]
            assert ssh.calls() == []


def a_remote_trace_is_added_below_a_local_one():
    with StandInSsh(f"cat {TRANSFORMER}") as ssh, Window(SYNTHETIC) as w:
        w.still()
        type_in_dialog(w, FAR, key="ctrl+shift+o")
        state = w.wait(lambda s: not s["loading"] and len(s.get("traces", {}).get("parts", [])) == 2, "two traces")
        assert [part["path"] for part in state["traces"]["parts"]] == [SYNTHETIC, FAR]
        assert len(ssh.calls()) == 1


sys.exit(run([an_address_on_the_command_line_is_copied_and_loaded,
              the_dialog_opens_a_typed_address_and_closing_frees_the_copy, a_wrong_address_stays_in_the_dialog,
              an_error_of_ssh_is_shown_with_host_and_path, cancelling_ends_ssh, closing_the_window_ends_ssh,
              no_session_bus_is_started, recent_files_never_make_the_window_connect, a_remote_trace_is_added_below_a_local_one]))
