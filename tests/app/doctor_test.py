#!/usr/bin/env python3
"""lanescope doctor: its checks on this machine, and on simulated machines where something is missing or broken."""
import json
import os
import shutil
import socket
import stat
import subprocess
import sys

from program import BIN, error_of, lanescope, run_all, scratch, text_of

KEYS = {"area", "check", "state", "found", "advice", "command"}


def doctor(folder, status=None, env=None, program=BIN / "lanescope"):
    """The checks by name, for a user whose home is `folder`."""
    home = {"HOME": folder, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "KINETO_IPC_SOCKET_DIR": folder, "DISPLAY": "",
            "WAYLAND_DISPLAY": "", "MESA_SHADER_CACHE_DISABLE": "true", **(env or {})}  # otherwise Mesa creates ~/.cache
    run = lanescope("doctor", "--format", "json", env=home, program=program)
    assert run.stderr == b"", run.stderr
    rows = json.loads(run.stdout)
    assert all(set(row) == KEYS for row in rows), rows
    assert all((row["state"] == "works") == (row["advice"] is None) for row in rows), rows
    failing = [row["check"] for row in rows if row["state"] == "fails"]
    assert run.returncode == (1 if failing else 0), (run.returncode, failing)
    if status is not None:
        assert run.returncode == status, failing
    return {row["check"]: row for row in rows}


def with_viewer(folder, script):
    """A copy of the program, with `script` in place of the viewer beside it."""
    shutil.copy(BIN / "lanescope", f"{folder}/lanescope")
    if script:
        with open(f"{folder}/lanescope-viewer", "w") as file:
            file.write(script)
        os.chmod(f"{folder}/lanescope-viewer", stat.S_IRWXU)
    return f"{folder}/lanescope"


def test_without_a_display_pictures_are_still_checked():
    with scratch() as folder:
        checks = doctor(folder)
        assert checks["display"]["state"] == "missing" and "OpenGL" not in checks, checks
        if checks["pictures"]["state"] == "works":
            assert checks["pictures"]["found"].startswith("OpenGL "), checks
        assert checks["settings folder"]["found"] == f"{folder}/.config/lanescope"
        assert checks["daemon's socket"]["state"] == "works" and checks["senders"]["state"] == "works"
        assert os.listdir(folder) == [], "doctor must not write"


def test_a_missing_viewer_is_reported_once():
    with scratch() as folder:
        checks = doctor(folder, status=0, env={"DISPLAY": ":77"}, program=with_viewer(folder, None))
        assert checks["window"]["state"] == "missing" and "not built" in checks["window"]["found"], checks["window"]
        assert "pictures" not in checks and "OpenGL" not in checks, checks


def test_a_viewer_that_crashes_or_fails_is_reported():
    outcomes = {"kill -SEGV $$": "signal 11", "exit 3": "exited with 3", "echo no EGL here; exit 1": "no EGL here"}
    for script, expected in outcomes.items():
        with scratch() as folder:
            program = with_viewer(folder, f"#!/bin/sh\n{script}\n")
            checks = doctor(folder, status=1, env={"DISPLAY": ":77"}, program=program)
            for name in ("OpenGL", "pictures"):
                assert checks[name]["state"] == "fails" and expected in checks[name]["found"], checks[name]
            assert checks["desktop portal"]["state"] == "missing"


def test_the_viewers_findings_are_reported():
    with scratch() as folder:
        program = with_viewer(folder, '#!/bin/sh\necho "OpenGL 9.9, $2"\n')
        checks = doctor(folder, status=0, env={"WAYLAND_DISPLAY": "w"}, program=program)
        assert checks["display"]["found"] == "Wayland, w"
        assert checks["OpenGL"]["found"] == "OpenGL 9.9, window"
        assert checks["pictures"]["found"] == "OpenGL 9.9, picture"


def test_unusable_folders_and_settings_fail_and_stay_unchanged():
    with scratch() as folder:
        os.makedirs(f"{folder}/.config/lanescope")
        path = f"{folder}/.config/lanescope/settings.json"
        with open(path, "w") as file:
            file.write("{half")
        checks = doctor(folder, status=1, env={"XDG_DATA_HOME": path})
        assert checks["settings"]["state"] == "fails" and "not a JSON object" in checks["settings"]["found"]
        assert checks["notes folder"]["state"] == "fails" and "XDG_DATA_HOME" in checks["notes folder"]["advice"]
        assert open(path).read() == "{half" and os.listdir(f"{folder}/.config/lanescope") == ["settings.json"]


def test_another_daemon_and_attachable_processes_are_named():
    with scratch() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(f"{folder}/dynolog")
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                                   env={**os.environ, "KINETO_USE_DAEMON": "1"})
        try:
            checks = doctor(folder)
            assert checks["daemon's socket"]["state"] == "missing", checks["daemon's socket"]
            assert "another daemon" in checks["daemon's socket"]["found"]
            assert str(sleeper.pid) in checks["processes"]["found"], checks["processes"]
        finally:
            sleeper.kill()
            sleeper.wait()


def test_text_markdown_and_csv_contain_the_same_finding():
    with scratch() as folder:
        home = {"HOME": folder, "DISPLAY": "", "WAYLAND_DISPLAY": "", "KINETO_IPC_SOCKET_DIR": folder}
        for words in ([], ["--format", "md"], ["--format", "csv"]):
            run = lanescope("doctor", *words, env=home)
            text = run.stdout.decode()
            assert "display" in text and "neither DISPLAY nor WAYLAND_DISPLAY is set" in text, text
        out = f"{folder}/doctor.json"
        lanescope("doctor", "--format", "json", "-o", out, env=home)
        assert os.path.getsize(out) > 100


def test_the_shells_limit_on_open_files_is_reported():
    with scratch() as folder:
        run = subprocess.run(["bash", "-c", f"ulimit -n 64; exec {BIN}/lanescope doctor"], capture_output=True,
                             env={**os.environ, "HOME": folder})
        assert run.returncode == 1 and b"64 at once" in run.stdout and b"ulimit -n" in run.stdout, run


def test_recording_is_checked_and_commands_fix_what_is_missing():
    with scratch() as folder:
        home = {"HOME": folder, "KINETO_IPC_SOCKET_DIR": folder}
        rows = {row["check"]: row for row in json.loads(lanescope("doctor", "--format", "json", env=home).stdout)}
        assert {"recording library", "spool folder", "HOME", "ptrace", "perf events"} <= set(rows), rows
        assert rows["HOME"]["found"] == folder and rows["HOME"]["state"] == "works", rows["HOME"]
        environment = {key: value for key, value in {**os.environ, **home}.items() if key != "HOME"}
        run = subprocess.run([BIN / "lanescope", "doctor"], capture_output=True, env=environment)
        end = run.stdout.decode().split("To fix this:")[1]
        assert "export HOME=" in end, run


def test_wrong_usage():
    error_of("doctor", "--format", "xml", status=2)
    error_of("doctor", "trace.json", status=2)
    assert "Exit status" in text_of("doctor", "--help")


run_all(globals())
