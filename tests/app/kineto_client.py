"""A client of Kineto's on-demand protocol, for tests: kineto_client.py MODE [PERIOD].

It polls the daemon in KINETO_IPC_SOCKET_DIR like a real process, every PERIOD seconds (0.2). MODE says how it behaves:
  writes  writes a trace when the daemon requests one
  busy    the same, but first reports for two seconds that it is already being profiled
  dies    exits while it should collect
  silent  accepts the configuration, but writes nothing
  launches  writes a trace without events, as a launcher of other processes does
  links   creates a symbolic link in place of the trace
"""
import os
import shutil
import socket
import struct
import sys
import time
import uuid

FOLDER = os.environ["KINETO_IPC_SOCKET_DIR"]
SAMPLE = os.environ["LANESCOPE_TEST_TRACE"]
IDLE, BUSY = 2, 0


def ask(client, state):
    """Polls the daemon. Returns the configuration that it sends, or an empty text."""
    payload = struct.pack("<iiqii", state, 2, 0, os.getpid(), os.getppid())
    try:
        client.sendto(struct.pack("<Q32s", len(payload), b"req") + payload, f"{FOLDER}/dynolog")
        reply = client.recv(65536)
    except OSError:
        return ""
    size, kind = struct.unpack_from("<Q32s", reply)
    assert len(reply) == 40 + size and kind.startswith(b"req"), reply
    return reply[40:].decode()


def record(client, config, mode):
    settings = dict(line.split("=") for line in config.splitlines())
    assert all(line.count("=") == 1 for line in config.splitlines())
    path = settings["ACTIVITIES_LOG_FILE"].replace(".json", f"_{os.getpid()}.json", 1)
    time.sleep(0.2)
    if mode == "dies":
        os._exit(1)
    if mode == "silent":
        return
    ask(client, BUSY)
    if mode == "links":
        os.symlink(SAMPLE, path)
        return
    if mode == "launches":
        with open(path + ".tmp", "w") as file:
            file.write('{"schemaVersion": 1, "traceEvents": [\n{"ph": "X", "cat": "Trace", "ts": 1, "dur": 2, "pid": "Spans", '
                       '"tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)"}]}')
    else:
        shutil.copy(SAMPLE, path + ".tmp")
    os.rename(path + ".tmp", path)


def main():
    mode, period = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.2
    client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    client.settimeout(0.09)
    client.bind(f"{FOLDER}/dynoconfigclient{uuid.uuid4()}")
    began = time.monotonic()
    while time.monotonic() - began < 120:
        busy = mode == "busy" and time.monotonic() - began < 2
        config = ask(client, BUSY if busy else IDLE)
        assert not (busy and config), "the daemon requested a trace of a busy process"
        if config:
            record(client, config, mode)
        time.sleep(period)


main()
