"""Starts processes that speak Kineto's protocol, for tests of lanescope attach."""
import contextlib
import os
import subprocess
import sys

from program import ROOT, SAMPLES

SAMPLE = SAMPLES / "torch_cpu" / "on_demand.json.gz"
CLIENT = ROOT / "tests" / "app" / "kineto_client.py"


@contextlib.contextmanager
def processes(folder, *modes, rank=None, env=None):
    """Starts one client for each mode; the clients look for the daemon's socket in `folder`."""
    environment = {**os.environ, "KINETO_IPC_SOCKET_DIR": str(folder), "LANESCOPE_TEST_TRACE": str(SAMPLE),
                   **(env or {})}
    started = []
    for number, mode in enumerate(modes):
        more = {} if rank is None else {"RANK": str(rank + number)}
        started.append(subprocess.Popen([sys.executable, str(CLIENT), mode], env={**environment, **more}))
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def attach(folder, *words):
    return ("attach", "--socket-dir", folder, *words)
