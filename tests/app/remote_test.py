#!/usr/bin/env python3
"""Traces on other machines, read through ssh from a server of our own on the loopback interface."""
import gzip
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time
import urllib.parse

from program import BIN, SAMPLES, Skip, error_of, lanescope, run_all, scratch
from ssh_server import SshServer, reason_to_skip

import png  # noqa: E402  from tests, whose path program.py adds

SAMPLE = SAMPLES / "synthetic_step.json.gz"
OTHER = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"

if reason := reason_to_skip():
    print(f"SKIPPED: {reason}")
    sys.exit(77)

PLACE = scratch()
FOLDER = pathlib.Path(PLACE.name)
(FOLDER / "server").mkdir()
(FOLDER / "runs").mkdir()
(FOLDER / "tmp").mkdir()
SERVER = SshServer(FOLDER / "server")
ENVIRONMENT = {}


def url(path, host="far"):
    """The address of a path, with the characters that a URL's path may have as they are."""
    return f"ssh://{host}" + urllib.parse.quote(str(path), safe="/~")


def run(*words, **more):
    return lanescope(*words, env={**ENVIRONMENT, **more})


def refusal(address, status=1, **more):
    message = error_of("info", address, status=status, env={**ENVIRONMENT, **more})
    return message.removeprefix("lanescope: ")


def table_of(path):
    done = run("table", "kernels", path, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return done.stdout


def nothing_is_left():
    left = list((FOLDER / "tmp").iterdir())
    assert not left, left


def wait_for(condition, what):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def test_a_remote_trace_is_that_of_the_local_file():
    assert table_of(url(SAMPLE)) == table_of(SAMPLE)
    assert SERVER.arguments() == [b"-o", b"BatchMode=no", b"--", b"far", b"cat", b"--", f"'{SAMPLE}'".encode()]
    nothing_is_left()


def test_the_size_of_the_copy_is_stated():
    done = run("summary", url(SAMPLE))
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert said.startswith(f"{url(SAMPLE)}: ") and str(FOLDER / "tmp") in said and "removed" in said, said
    assert said.split(": ")[1].split(" were")[0].endswith("B"), said


def test_user_and_port_are_passed_on():
    address = f"ssh://{SERVER.user}@127.0.0.1:{SERVER.port}{SAMPLE}"
    assert table_of(address) == table_of(SAMPLE)
    assert SERVER.arguments()[2:6] == [b"-p", str(SERVER.port).encode(), b"--", f"{SERVER.user}@127.0.0.1".encode()]


def test_names_of_files_never_reach_a_shell():
    names = ["a b.json.gz", "it's.json.gz", 'say "x".json.gz', "$(touch x).json.gz", "`touch x`.json.gz", "; touch x;.json.gz",
             "ü€漢.json.gz", "-rf.json.gz", "100%.json.gz", "back\\slash.json.gz", "*.json.gz", "q?a#b&c.json.gz"]
    home = pathlib.Path(os.path.expanduser("~"))
    before = set(home.iterdir())
    for name in names:
        path = FOLDER / "runs" / name
        path.write_bytes(SAMPLE.read_bytes())
        done = run("table", "traces", url(path), "--format", "csv")
        assert done.returncode == 0, (name, done.stderr)
        path.unlink()
    assert set(home.iterdir()) == before
    assert not [path for path in FOLDER.rglob("x")]


def test_a_path_below_the_login_folder():
    home = pathlib.Path(os.path.expanduser("~"))
    path = home / "-lanescope remote test.json.gz"
    path.write_bytes(SAMPLE.read_bytes())
    try:
        assert table_of(url("/~/" + path.name)) == table_of(SAMPLE)
    finally:
        path.unlink()


def test_other_commands_and_several_traces():
    assert run("compare", url(SAMPLE), url(SAMPLE)).returncode == 0
    assert run("find", url(SAMPLE), "kernel").stdout == run("find", SAMPLE, "kernel").stdout
    query = "select count(*) as n from slice"
    assert run("sql", url(SAMPLE), query).stdout == run("sql", SAMPLE, query).stdout
    with scratch() as folder:
        for name, trace in (("far.json", url(SAMPLE)), ("near.json", SAMPLE)):
            done = run("cut", trace, "--range", "step:4", "-o", f"{folder}/{name}")
            assert done.returncode == 0, done.stderr
        far, near = (pathlib.Path(folder, name).read_bytes() for name in ("far.json", "near.json"))
        assert len(far) > 1000 and far == near, "arguments are read from the copy"
    nothing_is_left()


def test_a_picture_of_the_window():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("the window is not built")
    with scratch() as folder:
        for name, trace in (("far.png", url(SAMPLE)), ("near.png", SAMPLE), ("far.svg", url(SAMPLE))):
            done = run("screenshot", trace, "-o", f"{folder}/{name}", "--size", "800x600")
            assert done.returncode == 0, done.stderr
        (width, height, far), (_, _, near) = (png.read(f"{folder}/{name}.png") for name in ("far", "near"))
        # OpenGL in software rounds a few edges differently from run to run.
        differing = sum(a != b for rows in zip(far, near) for a, b in zip(*rows))
        assert differing < width * height * 3 / 1000, differing
        assert "<svg" in pathlib.Path(folder, "far.svg").read_text()


def test_unsafe_addresses_are_refused_before_ssh_runs():
    SERVER.calls_path.unlink(missing_ok=True)
    for address, why in (("ssh://far/a%0ab", "control characters"), ("ssh://far/a\nb", "control characters"),
                         ("ssh://far/a%00b", "control characters"), ("ssh://-oProxyCommand=touch%20x/y", "begin with -"),
                         ("ssh://-l@far/y", "begin with -"), ("ssh://me:secret@far/y", "password"),
                         ("ssh://far", "no path"), ("ssh://far/folder/", "folder"), ("ssh://far:0/x", "port"),
                         ("ssh://$(touch x)/y", "characters that hosts do not have")):
        assert why in refusal(address, status=2), address
        opened = run(address)
        assert opened.returncode == 2 and why in opened.stderr.decode(), (address, opened)
    assert not SERVER.calls_path.exists()


def test_other_schemes_are_for_python():
    for address in ("https://host/x.json.gz", "http://host/x.json", "s3://bucket/x.json"):
        assert "Python" in refusal(address, status=2), address
    assert "without file://" in refusal("file:///x.json", status=2)
    followed = run("--follow", url(SAMPLE))
    assert followed.returncode == 2 and b"on this machine" in followed.stderr, followed


def test_a_missing_file_and_a_folder():
    message = refusal(url(FOLDER / "runs" / "none.json"))
    assert f"there is no file {FOLDER}/runs/none.json on far" in message, message
    message = refusal(url(FOLDER / "runs"))
    assert "is a folder on far" in message, message
    (FOLDER / "runs" / "empty.json").write_bytes(b"")
    assert "is empty" in refusal(url(FOLDER / "runs" / "empty.json"))
    nothing_is_left()


def test_a_file_that_may_not_be_read():
    if os.getuid() == 0:
        raise Skip("root may read everything")
    path = FOLDER / "runs" / "secret.json"
    path.write_bytes(b"{}")
    path.chmod(0)
    assert "may not be read" in refusal(url(path))


def test_hosts_that_cannot_be_reached():
    message = refusal("ssh://no-such-host.invalid/x.json")
    assert "ssh cannot connect to no-such-host.invalid: " in message and "resolve" in message, message
    message = refusal("ssh://127.0.0.1:1/x.json")
    assert "ssh cannot connect to 127.0.0.1: " in message and "refused" in message, message


def test_a_host_key_that_is_not_known():
    known = FOLDER / "server" / "known_hosts"
    kept = known.read_text()
    known.write_text("")
    try:
        message = refusal(url(SAMPLE))
        assert "ssh cannot connect to far: Host key verification failed." in message, message
    finally:
        known.write_text(kept)


def test_a_key_that_is_not_accepted():
    allowed = FOLDER / "server" / "authorized_keys"
    kept = allowed.read_text()
    allowed.write_text("")
    try:
        message = refusal(url(SAMPLE))
        assert "ssh cannot connect to far: " in message and "Permission denied" in message, message
    finally:
        allowed.write_text(kept)


def test_without_ssh():
    with scratch() as folder:
        assert "openssh-client" in refusal(url(SAMPLE), PATH=folder)


def test_a_truncated_file_shows_its_complete_events():
    path = FOLDER / "runs" / "half.json"
    text = gzip.decompress(OTHER.read_bytes())
    path.write_bytes(text[: len(text) // 2])
    done = run("info", url(path))
    assert done.returncode == 0 and b"truncated" in done.stdout + done.stderr, done


class SlowFile:
    """A pipe on the server, into which a test writes as it likes."""

    def __init__(self, name):
        self.path = FOLDER / "runs" / name
        os.mkfifo(self.path)

    def __enter__(self):
        return self

    def open(self):
        self.into = open(self.path, "wb", buffering=0)

    def __exit__(self, *_):
        self.into.close()
        self.path.unlink()


def test_a_connection_that_breaks_is_an_error():
    with SlowFile("slow.json") as slow:
        child = subprocess.Popen([BIN / "lanescope", "info", url(slow.path)], env={**os.environ, **ENVIRONMENT},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        slow.open()
        slow.into.write(b'{"traceEvents":[' + b" " * 30000)
        time.sleep(0.5)
        SERVER.end_sessions()
        out, said = child.communicate(timeout=60)
        assert child.returncode == 1 and out == b"", said
        assert b"Check the path" not in said
        assert b"the connection to far ended after 29.31 KiB" in said, said
    nothing_is_left()


def test_a_killed_program_leaves_neither_copy_nor_ssh():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with SlowFile(f"slow{int(number)}.json") as slow:
            child = subprocess.Popen([BIN / "lanescope", "info", url(slow.path)], env={**os.environ, **ENVIRONMENT},
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            slow.open()
            slow.into.write(b" " * 1000)
            wait_for(SERVER.sessions, "the connection")
            child.send_signal(number)
            child.wait(timeout=30)
            nothing_is_left()
            # ssh notices at the next byte that nobody reads.
            try:
                for _ in range(100):
                    slow.into.write(b" " * 1000)
                    time.sleep(0.02)
            except BrokenPipeError:
                pass
            wait_for(lambda: not SERVER.sessions(), "ssh to end")


def test_a_terminal_shows_progress_only_when_bytes_arrive():
    with SlowFile("progress.json") as slow:
        terminal, side = pty.openpty()
        child = subprocess.Popen([BIN / "lanescope", "info", url(slow.path)], env={**os.environ, **ENVIRONMENT},
                                 stdin=side, stdout=subprocess.PIPE, stderr=side)
        os.close(side)
        slow.open()
        time.sleep(1)
        assert not select.select([terminal], [], [], 0)[0], "a password prompt would be overwritten"
        slow.into.write(b"[" + b" " * 40000)
        assert select.select([terminal], [], [], 20)[0]
        text = os.read(terminal, 4000).decode()
        assert "Copying: 39.06 KiB" in text, text
        child.kill()
        child.communicate()
        os.close(terminal)


def test_a_full_disk_is_reported():
    small = FOLDER / "small"
    small.mkdir()
    big = FOLDER / "runs" / "big.json"
    with open(big, "wb") as file:
        file.truncate(40 << 20)
    command = f'mount -t tmpfs -o size=8m tmpfs {small} && exec {BIN}/lanescope info "$1"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", command, "sh", url(big)], check=False, capture_output=True,
                          env={**os.environ, **ENVIRONMENT, "TMPDIR": str(small)}, timeout=100)
    if b"unshare" in done.stderr or b"mount" in done.stderr:
        raise Skip("no file system can be mounted here: " + done.stderr.decode().strip())
    said = done.stderr.decode()
    assert done.returncode == 1 and str(small) in said and "set TMPDIR" in said, said


with SERVER:
    ENVIRONMENT.update(PATH=SERVER.path, TMPDIR=str(FOLDER / "tmp"), XDG_DATA_HOME=str(FOLDER / "data"))
    try:
        run_all(globals())
    finally:
        PLACE.cleanup()
