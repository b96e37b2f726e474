#!/usr/bin/env python3
"""lanescope attach with a real PyTorch. LANESCOPE_TORCH is a Python with PyTorch; scripts/test-torch sets it."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
from program import BIN, ROOT, json_of, lanescope, run_all, scratch, text_of  # noqa: E402

TRAIN = ROOT / "tests" / "torch" / "train.py"


@contextlib.contextmanager
def training(folder, count=1, *words):
    """Starts `count` training processes, which poll the daemon in `folder` once a second."""
    settings = pathlib.Path(folder) / "kineto.conf"
    settings.write_text("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n")
    environment = {**os.environ, "KINETO_USE_DAEMON": "1", "KINETO_CONFIG": str(settings), "KINETO_IPC_SOCKET_DIR": str(folder)}
    started = [subprocess.Popen([os.environ["LANESCOPE_TORCH"], TRAIN, "300", *words], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, env={**environment, "RANK": str(rank)}) for rank in range(count)]
    try:
        for process in started:
            process.stdout.readline()
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def attach(folder, *words):
    return ("attach", "--socket-dir", folder, "--wait", "30s", *words)


def operators(path):
    return {row["name"]: row["calls"] for row in json_of("table", "operators", path)}


def test_short_and_long_captures_and_all_options():
    with scratch() as folder, training(folder) as (process,):
        time.sleep(12)  # without a daemon, training must continue
        assert process.poll() is None
        calls = []
        for duration in ("50ms", "3s"):
            out = f"{folder}/{duration}.json"
            text_of(*attach(folder, process.pid, "--duration", duration, "-o", out))
            calls.append(operators(out)["aten::addmm"])
        assert calls[0] > 0 and calls[1] > 10 * calls[0], calls
        out = f"{folder}/all.json"
        text_of(*attach(folder, process.pid, "--shapes", "--stack", "--memory", "--flops", "--modules", "-o", out))
        assert any(row["input_shapes"] for row in json_of("table", "operators", out, "--by", "shape"))
        assert b"REQUEST_TRACE_ID" not in pathlib.Path(out).read_bytes() and b"trace_id" in pathlib.Path(out).read_bytes()
        assert process.poll() is None


def test_a_capture_of_iterations_has_that_many_steps():
    with scratch() as folder, training(folder) as (process,):
        for iterations in (1, 4, 3, 3):
            out = f"{folder}/t.json"
            text_of(*attach(folder, process.pid, "--iterations", iterations, "--force", "-o", out))
            steps = sum(calls for name, calls in operators(out).items() if name.startswith("Optimizer.step"))
            assert steps == iterations, operators(out)


def test_captures_of_two_processes_start_together():
    with scratch() as folder, training(folder, 2) as both:
        rows = json_of("attach", "--socket-dir", folder, "--wait", "5s", "--duration", "300ms", "-o", f"{folder}/t.json")
        assert [row["state"] for row in rows] == ["complete"] * 2, rows
        assert {row["pid"] for row in rows} == {process.pid for process in both}
        starts = []
        for row in rows:
            trace = json.loads(pathlib.Path(row["file"]).read_bytes())
            base = trace.get("baseTimeNanoseconds", 0)
            starts.append(base + 1000 * min(event["ts"] for event in trace["traceEvents"] if event.get("cat") == "cpu_op"))
        assert abs(starts[0] - starts[1]) < 1.5e9, starts


def test_attach_waits_for_a_process_that_profiles_itself():
    with scratch() as folder, training(folder, 1, "profiled") as (process,):
        out = f"{folder}/t.json"
        text_of(*attach(folder, process.pid, "-o", out))
        assert operators(out)["aten::addmm"] > 0 and process.poll() is None


def test_a_process_killed_while_collecting_is_reported():
    with scratch() as folder, training(folder) as (process,):
        command = [BIN / "lanescope", *map(str, attach(folder, process.pid, "--duration", "20s", "--format", "json"))]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(8)
        process.send_signal(signal.SIGKILL)
        process.wait()
        stdout, _ = run.communicate(timeout=30)
        (row,) = json.loads(stdout)
        assert run.returncode == 1 and row["state"] == "failed" and "ended" in row["problem"], row


def test_killing_the_daemon_does_not_affect_training():
    with scratch() as folder, training(folder) as (process,):
        for _ in range(3):
            run = subprocess.Popen([BIN / "lanescope", *map(str, attach(folder, process.pid, "--duration", "20s"))])
            time.sleep(2)
            run.kill()
            run.wait()
        time.sleep(25)  # until the requested captures have ended, if they began at all
        assert process.poll() is None
        assert lanescope(*attach(folder, process.pid, "-o", f"{folder}/t.json")).returncode == 0
        assert process.poll() is None


run_all(globals())
