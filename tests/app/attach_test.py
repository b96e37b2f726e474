#!/usr/bin/env python3
"""lanescope attach, end to end, against processes that speak Kineto's protocol."""
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from attach_processes import SAMPLE, attach, processes
from program import BIN, ROOT, SAMPLES, error_of, json_of, lanescope, run_all, scratch, text_of


def test_list_names_processes_with_rank_and_state():
    with scratch() as folder, processes(folder, "writes", "busy", rank=3) as (first, second):
        rows = json_of(*attach(folder, "--list", "--wait", "1s"))
        assert [row["pid"] for row in rows] == sorted([first.pid, second.pid]), rows
        by_pid = {row["pid"]: row for row in rows}
        assert by_pid[first.pid]["state"] == "idle" and by_pid[second.pid]["state"] == "busy", rows
        assert by_pid[first.pid]["rank"] == "3" and by_pid[second.pid]["rank"] == "4"
        assert "kineto_client.py writes" in by_pid[first.pid]["command"]
        assert set(rows[0]) == {"pid", "user", "rank", "job", "state", "command"}
        assert not os.path.exists(f"{folder}/dynolog")


def test_a_capture_writes_the_trace_that_the_process_wrote():
    with scratch() as folder, processes(folder, "writes") as (process,):
        out = f"{folder}/mine.json.gz"
        rows = json_of(*attach(folder, process.pid, "--duration", "100ms", "--shapes", "-o", out))
        assert rows == [{"pid": process.pid, "state": "complete", "file": out, "problem": None}], rows
        assert pathlib.Path(out).read_bytes() == SAMPLE.read_bytes()
        assert json_of("info", out)["events"] == json_of("info", SAMPLE)["events"]
        assert not list(pathlib.Path("/tmp").glob(f"lanescope_*_{process.pid}.json*"))


def test_attach_waits_for_a_busy_process_and_can_capture_it_twice():
    with scratch() as folder, processes(folder, "busy") as (process,):
        for name in ("a.json", "b.json"):
            text_of(*attach(folder, process.pid, "-o", f"{folder}/{name}"))
        assert os.path.exists(f"{folder}/a.json") and os.path.exists(f"{folder}/b.json")


def test_files_are_named_by_pid_and_a_process_that_dies_does_not_affect_the_other():
    with scratch() as folder, processes(folder, "writes", "dies") as (good, bad):
        run = lanescope(*attach(folder, "--wait", "1s", "-o", f"{folder}/t.json", "--format", "json"))
        rows = {row["pid"]: row for row in json.loads(run.stdout)}
        assert run.returncode == 1 and set(rows) == {good.pid, bad.pid}, run
        assert rows[good.pid]["file"] == f"{folder}/t_{good.pid}.json" and os.path.exists(rows[good.pid]["file"])
        assert rows[bad.pid]["state"] == "failed" and "ended" in rows[bad.pid]["problem"], rows


def test_a_symbolic_link_in_place_of_the_trace_is_not_followed():
    with scratch() as folder, processes(folder, "links") as (process,):
        out = f"{folder}/t.json"
        command = [BIN / "lanescope", *map(str, attach(folder, process.pid, "-o", out))]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(3)
        assert run.poll() is None, "attach accepted the link as a trace"
        run.send_signal(signal.SIGINT)
        stdout, _ = run.communicate(timeout=20)
        assert run.returncode == 1 and not os.path.exists(out), stdout
        for link in pathlib.Path("/tmp").glob(f"lanescope_*_{process.pid}.json"):
            link.unlink()


def test_an_interrupted_capture_reports_the_state_of_its_process():
    with scratch() as folder, processes(folder, "silent") as (process,):
        command = [BIN / "lanescope", *map(str, attach(folder, process.pid, "--format", "json"))]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        run.send_signal(signal.SIGTERM)
        stdout, _ = run.communicate(timeout=20)
        (row,) = json.loads(stdout)
        assert run.returncode == 1 and row["state"] in ("warming up", "collecting") and row["file"] is None, row
        assert f"_{process.pid}.json" in row["problem"] and "Interrupted" in row["problem"], row


@contextlib.contextmanager
def hostile_sender(folder):
    """Sends invalid datagrams to the daemon's socket from a thread."""
    stop = threading.Event()

    def send_garbage():
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sender.bind(f"{folder}/loud")
        sender.setblocking(False)
        random.seed(5)
        while not stop.is_set():
            size = random.choice([0, 1, 39, 40, 41, 56, 60, 5000])
            head = struct.pack("<Q32s", random.choice([0, 20, 2**63, size]), random.choice([b"req", b"ctxt", b"x"]))
            try:
                sender.sendto((head + random.randbytes(size))[:size or 64], f"{folder}/dynolog")
                sender.recv(65536)
            except OSError:
                time.sleep(0.001)

    thread = threading.Thread(target=send_garbage)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_hostile_datagrams_change_nothing():
    with scratch() as folder, hostile_sender(folder):
        message = error_of(*attach(folder, 1, "--wait", "1s"), status=1)
        assert "were not answered" in message, message
        with processes(folder, "writes") as (process,):
            text_of(*attach(folder, process.pid, "--wait", "20s", "-o", f"{folder}/t.json"))
        assert pathlib.Path(f"{folder}/t.json").read_bytes() == SAMPLE.read_bytes()


def test_the_daemon_may_be_killed_while_processes_wait():
    with scratch() as folder, processes(folder, "writes") as (process,):
        command = [BIN / "lanescope", *map(str, attach(folder, process.pid, 1, "--wait", "60s"))]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        run.kill()
        run.wait()
        assert process.poll() is None and os.path.exists(f"{folder}/dynolog")
        text_of(*attach(folder, process.pid, "-o", f"{folder}/t.json"))


def dynolog(port, reply, requests):
    """Answers one request like dynolog, and appends it to `requests`."""
    with socket.create_server(("127.0.0.1", port)) as server:
        server.settimeout(30)
        connection, _ = server.accept()
        with connection:
            (size,) = struct.unpack("<i", connection.recv(4, socket.MSG_WAITALL))
            requests.append(json.loads(connection.recv(size, socket.MSG_WAITALL)))
            text = json.dumps(reply(requests[0])).encode()
            connection.sendall(struct.pack("<i", len(text)) + text)


def test_attach_becomes_a_client_of_a_running_dynolog():
    with scratch() as folder:
        taken = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        taken.bind(f"{folder}/dynolog")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        pid = os.getpid()

        def reply(request):
            settings = dict(line.split("=") for line in request["config"].splitlines())
            path = settings["ACTIVITIES_LOG_FILE"].replace(".json", f"_{pid}.json")
            pathlib.Path(path).write_bytes(SAMPLE.read_bytes())
            return {"activityProfilersTriggered": [pid], "processesMatched": [pid], "activityProfilersBusy": 0}

        requests = []
        server = threading.Thread(target=dynolog, args=(port, reply, requests))
        server.start()
        time.sleep(0.3)
        text_of(*attach(folder, pid, "--dynolog-port", port, "-o", f"{folder}/t.json"))
        server.join()
        assert requests[0]["fn"] == "setKinetOnDemandRequest" and requests[0]["pids"] == [pid], requests
        assert pathlib.Path(f"{folder}/t.json").read_bytes() == SAMPLE.read_bytes()
        message = error_of(*attach(folder, pid, "--dynolog-port", port), status=1)
        assert "is another daemon's" in message and "dynolog" in message, message
        assert "PIDs" in error_of(*attach(folder, "--list"), status=1)
        taken.close()


def test_a_second_attach_says_what_doctor_says():
    with scratch() as folder:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        run = subprocess.Popen([BIN / "lanescope", *map(str, attach(folder, "--list", "--wait", "20s"))], stdout=subprocess.DEVNULL)
        try:
            while not os.path.exists(f"{folder}/dynolog"):
                assert run.poll() is None
                time.sleep(0.01)
            message = error_of(*attach(folder, os.getpid(), "--dynolog-port", port), status=1)
            text = lanescope("doctor", "--socket-dir", folder, "--dynolog-port", port, "--format", "json").stdout
            (check,) = [row for row in json.loads(text) if row["check"] == "daemon's socket"]
            assert check["found"] in message and check["advice"] in message, (check, message)
            assert f"process {run.pid}" in message and "lanescope attach" in message, message
        finally:
            run.kill()
            run.wait()


def test_what_cannot_succeed_fails_at_once():
    with scratch() as folder:
        begin = time.monotonic()
        assert "no process 2000000000" in error_of(*attach(folder, 2000000000), status=1)
        message = error_of(*attach(folder, os.getpid(), "-o", f"{folder}/none/t.json"), status=1)
        assert f"{folder}/none" in message, message
        assert "Is a directory" in error_of(*attach(folder, os.getpid(), "-o", folder), status=1)
        assert time.monotonic() - begin < 5
        assert os.listdir(folder) == []
    message = error_of("attach", "--iterations", "3", "--duration", "1s", status=2)
    assert "--duration" in message and "--iterations" in message, message


def test_a_launcher_that_did_nothing_is_not_complete():
    with scratch() as folder, processes(folder, "writes", "launches") as (worker, launcher):
        run = lanescope(*attach(folder, "--wait", "1s", "-o", f"{folder}/t.json", "--format", "json"))
        rows = {row["pid"]: row for row in json.loads(run.stdout)}
        assert run.returncode == 0 and rows[worker.pid]["state"] == "complete", run
        assert rows[launcher.pid]["state"] == "unused" and rows[launcher.pid]["file"] is None, rows
        assert sorted(name for name in os.listdir(folder) if name.startswith("t")) == [f"t_{worker.pid}.json"]
        assert not list(pathlib.Path("/tmp").glob(f"lanescope_*_{launcher.pid}.json*"))
        run = lanescope(*attach(folder, launcher.pid, "-o", f"{folder}/t.json"))
        assert run.returncode == 1 and b"unused" in run.stdout, run


def capture_into_a_folder(process, out, delay):
    """Makes a folder of the output's name while the trace is recorded. None: the folder came too early or too late."""
    run = subprocess.Popen([BIN / "lanescope", *map(str, attach(os.path.dirname(out), process.pid, "-o", out, "--format", "json"))],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    try:
        os.mkdir(out)
        stdout, _ = run.communicate(timeout=60)
        return (run.returncode, json.loads(stdout)[0]) if stdout else None
    except FileExistsError:
        run.communicate(timeout=60)
        return None


def test_a_trace_that_cannot_be_moved_is_named():
    with scratch() as folder, processes(folder, "writes") as (process,):
        for attempt in range(20):
            result = capture_into_a_folder(process, f"{folder}/t{attempt}.json", 0.05 * (attempt + 1))
            if result:
                break
        status, row = result
        assert status == 1 and row["state"] == "failed", row
        remaining = row["problem"].split(" remains at ")[1]
        assert pathlib.Path(remaining).read_bytes() == SAMPLE.read_bytes()
        os.unlink(remaining)
        assert not [name for name in os.listdir(folder) if name.endswith(".part")], os.listdir(folder)


def test_errors_name_their_cause():
    with scratch() as folder:
        message = error_of(*attach(folder, "--wait", "200ms"), status=1)
        assert "KINETO_USE_DAEMON=1" in message, message
        message = error_of(*attach(folder, os.getpid(), "--wait", "200ms"), status=1)
        assert f"Process {os.getpid()} did not ask" in message, message
        assert "no process 2000000000" in error_of(*attach(folder, 2000000000, "--wait", "200ms"), status=1)
        assert json_of(*attach(folder, "--list", "--wait", "200ms")) == []
    error_of(*attach("/nowhere", "--list"), status=1)
    error_of("attach", "-5", status=2)
    error_of("attach", "--duration", "soon", status=2)


run_all(globals())
