#!/usr/bin/env python3
"""Tests attaching in the window to processes that speak Kineto's protocol: they are listed, chosen and captured, and
their traces open."""
import contextlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from window import PATIENCE, ROOT, SAMPLES, SYNTHETIC, Window, run, xdotool  # noqa: F401

SAMPLE = pathlib.Path(SAMPLES) / "torch_cpu" / "on_demand.json.gz"
CLIENT = pathlib.Path(ROOT) / "tests" / "app" / "kineto_client.py"


@contextlib.contextmanager
def processes(*modes, period=0.2):
    """Starts clients of these modes as ranks; returns them and the folder of their socket, where the window must listen
    too."""
    with tempfile.TemporaryDirectory(prefix="lanescope_attach_") as folder:
        os.environ["KINETO_IPC_SOCKET_DIR"] = folder
        started = [subprocess.Popen([sys.executable, str(CLIENT), mode, str(period)],
                                    env={**os.environ, "LANESCOPE_TEST_TRACE": str(SAMPLE), "RANK": str(rank)})
                   for rank, mode in enumerate(modes)]
        try:
            yield started, folder
        finally:
            for process in started:
                process.kill()
                process.wait()


def attach(w, rows):
    w.key("ctrl+shift+l")
    return w.wait(lambda s: s.get("attach") and s["attach"]["shown"] and len(s["attach"]["rows"]) == rows,
                  f"{rows} processes")


def states_until(w, condition):
    """All states of the only process in order, and the state of the window at the end."""
    seen = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        state = w.state()
        for row in (state.get("attach") or {"rows": []})["rows"]:
            if not seen or seen[-1] != row["state"]:
                seen.append(row["state"])
        if condition(state):
            return seen, state
        time.sleep(0.02)
    raise AssertionError(f"waited in vain; the states were {seen}")


def a_process_is_captured_by_keys_and_its_trace_opens():
    with processes("writes") as ((process,), _), Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        (row,) = attach(w, 1)["attach"]["rows"]
        assert row["pid"] == process.pid and row["state"] == "idle" and row["rank"] == "0" and row["chosen"], row
        assert "kineto_client.py writes" in row["command"], row
        state = w.key("s")
        assert state["attach"]["with"] == {"shapes": True, "stack": False, "memory": False, "flops": False,
                                           "modules": False}
        w.key("d")  # into the duration's field, whose whole text is selected
        xdotool("type", "--delay", "20", "100ms")
        xdotool("key", "Return")
        seen, state = states_until(w, lambda s: s["file"].endswith(".json") and not s["loading"])
        assert seen[:2] == ["idle", "waiting"] or seen[:2] == ["idle", "warming up"], seen
        assert "warming up" in seen and seen[-1] in ("warming up", "collecting", "writing", "complete"), seen
        assert pathlib.Path(state["file"]).read_bytes() == SAMPLE.read_bytes(), state["file"]
        assert w.wait(lambda s: s["events"] and not s["dialog_shown"], "the trace")["error"] is None
        assert w.wait(lambda s: not s.get("attach"), "the socket to be released")


def several_ranks_are_chosen_and_open_as_one_timeline():
    with processes("writes", "writes", "silent") as (started, _), Window(SYNTHETIC) as w:
        rows = attach(w, 3)["attach"]["rows"]
        assert [r["pid"] for r in rows] == [p.pid for p in started], "by rank"
        w.key("Down")
        w.key("Down")
        state = w.key("space")
        assert [r["chosen"] for r in state["attach"]["rows"]] == [True, True, False], state["attach"]
        w.key("Return")
        state = w.wait(lambda s: s.get("traces") and len(s["traces"]["parts"]) == 2 and not s["loading"], "both")
        assert state["traces"]["aligned_by"] == "clock", state["traces"]
        assert [p["path"].endswith(f"_{started[i].pid}.json") for i, p in enumerate(state["traces"]["parts"])] == [True, True]


def a_process_that_is_killed_during_a_capture_is_reported():
    with processes("silent") as ((process,), _), Window(SYNTHETIC) as w:
        attach(w, 1)
        w.key("Return")
        states_until(w, lambda s: s["attach"]["rows"][0]["state"] in ("warming up", "collecting"))
        process.kill()
        process.wait()
        state = w.wait(lambda s: s["attach"]["ended"] == 1, "the end")
        (outcome,) = state["attach"]["outcomes"]
        assert outcome["problem"] == "The process ended before its trace was written", outcome
        assert state["attach"]["rows"] == [] and state["file"] == SYNTHETIC, state["attach"]
        assert state["attach"]["shown"], "the dialog shows the message"
        assert not w.key("Escape")["dialog_shown"]


def a_capture_can_be_cancelled_and_continues_without_the_dialog():
    with processes("silent") as (_, _folder), Window(SYNTHETIC) as w:
        attach(w, 1)
        w.key("Return")
        w.wait(lambda s: s["attach"]["under_way"], "the capture")
        w.key("Escape")
        state = w.wait(lambda s: not s["dialog_shown"], "the dialog to close")
        assert state["attach"]["under_way"], state["attach"]
        w.key("ctrl+shift+l")
        w.wait(lambda s: s["attach"]["shown"], "the dialog again")
        w.key("x")
        state = w.wait(lambda s: s["attach"]["ended"] == 1, "the end")
        assert state["attach"]["cancelled"] and not state["attach"]["under_way"], state["attach"]
        w.key("Escape")
        w.wait(lambda s: not s.get("attach"), "the socket to be released")


def nobody_asks():
    with processes() as (_, folder), Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        attach(w, 0)
        w.wait(lambda s: s["attach"]["way"] == "daemon", "the socket")
        assert os.path.exists(f"{folder}/dynolog")
        w.wait(lambda s: s["attach"]["nobody_asked"], "seven seconds")
        state = w.key("c")
        assert "KINETO_USE_DAEMON=1" in state["message"], state["message"]
        w.key("Return")  # there is no process to capture
        assert not w.state()["attach"]["under_way"]
        w.key("Escape")
        w.wait(lambda s: not s.get("attach"), "the socket to be released")
        assert not os.path.exists(f"{folder}/dynolog")


def a_socket_that_cannot_be_created_is_reported():
    with processes():
        os.environ["KINETO_IPC_SOCKET_DIR"] = "/no/such/folder"
        with Window(SYNTHETIC) as w:
            w.key("ctrl+shift+l")
            state = w.wait(lambda s: s.get("attach") and s["attach"]["way"] == "none", "the problem")
            assert "/no/such/folder" in state["attach"]["problem"], state["attach"]


def dynolog(server, reply):
    connection, _ = server.accept()
    with connection:
        (size,) = struct.unpack("<i", connection.recv(4, socket.MSG_WAITALL))
        text = json.dumps(reply(json.loads(connection.recv(size, socket.MSG_WAITALL)))).encode()
        connection.sendall(struct.pack("<i", len(text)) + text)


def requests_go_to_a_running_dynolog():
    with processes() as (_, folder), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as taken:
        taken.bind(f"{folder}/dynolog")
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"],
                                   env={**os.environ, "KINETO_USE_DAEMON": "1"})

        def reply(request):
            settings = dict(line.split("=") for line in request["config"].splitlines())
            path = settings["ACTIVITIES_LOG_FILE"].replace(".json", f"_{sleeper.pid}.json")
            pathlib.Path(path).write_bytes(SAMPLE.read_bytes())
            return {"activityProfilersTriggered": [sleeper.pid], "processesMatched": [sleeper.pid]}

        try:
            with socket.create_server(("127.0.0.1", 0)) as server:
                thread = threading.Thread(target=dynolog, args=(server, reply), daemon=True)
                thread.start()
                with Window(SYNTHETIC, "--dynolog-port", str(server.getsockname()[1])) as w:
                    w.key("ctrl+shift+l")
                    state = w.wait(lambda s: s.get("attach") and sleeper.pid in
                                   [r["pid"] for r in s["attach"]["rows"]], "the process")
                    assert state["attach"]["way"] == "dynolog" and "daemon" in state["attach"]["problem"]
                    w.key("Return")
                    w.wait(lambda s: s["file"].endswith(".json") and not s["loading"], "the trace")
                thread.join()
        finally:
            sleeper.kill()
            sleeper.wait()


sys.exit(run([a_process_is_captured_by_keys_and_its_trace_opens, several_ranks_are_chosen_and_open_as_one_timeline,
              a_process_that_is_killed_during_a_capture_is_reported,
              a_capture_can_be_cancelled_and_continues_without_the_dialog, nobody_asks,
              a_socket_that_cannot_be_created_is_reported, requests_go_to_a_running_dynolog]))
