#!/usr/bin/env python3
"""Tests fleets of 64 and 1,024 synthetic ranks, with killed worker processes and a restarted scheduler.

    tests/fleet/soak.py [--ranks 64,1024]        scripts/soak fleet runs it, with the packages that it needs

Prints measurements: traces per second, CPU time per trace, memory of the client. Ends with "N passed, N failed, N skipped"."""
import argparse
import json
import logging
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import distributed
import lanescope.fleet
from lanescope.fleet import synthetic

FAULTS = {"slow-gpu": ("slow-gpu:rank=37,from=7,factor=1.2", "slow-gpu"),
          "slow-host": ("slow-host:rank=12,from=4,factor=12", "slow-host"),
          "data-loader": ("data-loader:rank=3,from=5,to=5,ms=20", "data-loader"),
          "late-link": ("late-link:rank=21,from=5,factor=3", "slow-link"),
          "imbalance": ("imbalance:rank=50,from=3,factor=1.25", "more-work")}
CLOCKS = ["--fault", "clock:offset=50,drift=20"]
failed = []
passed = 0


def check(name, holds, about=""):
    global passed
    print(f"{'ok' if holds else 'FAILED'}: {name}{'' if holds else f': {about}'}", flush=True)
    if holds:
        passed += 1
    else:
        failed.append(name)


def cluster(workers):
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)


def generate(folder, ranks, *words):
    """Writes the traces. Returns the content of truth.json."""
    command = [sys.executable, "-m", "lanescope.fleet.synthetic", str(folder), "--ranks", str(ranks), "--steps", "12", *CLOCKS, *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "truth.json").read_text())


def data_of(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.glob("data/**/*.parquet"))}


def named(fleet, fault, expected):
    """Whether all findings accuse this rank, and the first has the expected cause, step and cost."""
    if not fleet.findings:
        return False
    first = fleet.findings[0]
    return (first["id"], first["rank"], first["first_step"]) == (expected, fault["rank"], fault["first_step"]) and \
        abs(first["cost_ns"] / fault["cost_ns"] - 1) <= 0.02 and {one["rank"] for one in fleet.findings} == {fault["rank"]}


def faults_of(ranks, folder, client):
    for name, (words, expected) in FAULTS.items():
        truth, = generate(folder / "traces", ranks, "--fault", words)["faults"]
        fleet = lanescope.fleet.analyse(folder / "traces", client, folder / "out")
        check(f"{ranks} ranks, {name}", named(fleet, truth, expected), f"{fleet.findings} {truth}")
        shutil.rmtree(folder / "out")


def healthy(ranks, folder):
    """Analyses a job without a fault with one worker and with two: the data are equal, and no rank is accused. Returns the data."""
    generate(folder / "healthy", ranks)
    data, rates = [], []
    for workers in (1, 2):
        with cluster(workers) as local, distributed.Client(local) as client:
            begin = time.monotonic()
            fleet = lanescope.fleet.analyse(folder / "healthy", client, folder / f"out{workers}")
            rates.append(ranks / (time.monotonic() - begin))
        data.append(data_of(folder / f"out{workers}"))
    check(f"{ranks} ranks without a fault", fleet.findings == [] and len(fleet.problems) == 0, f"{fleet.findings} {fleet.problems.to_pylist()}")
    check(f"{ranks} ranks: two workers write what one writes", data[0] == data[1])
    print(f"{ranks} ranks: {rates[0]:.1f} traces a second with one worker, {rates[1]:.1f} with two", flush=True)
    return data[0]


def killed(ranks, folder, expected):
    """Kills a worker while it reads."""
    with cluster(2) as local, distributed.Client(local) as client:
        def kill(done, total):
            if done == total // 3:
                os.kill(next(iter(client.run(os.getpid).values())), 9)
        # Kills from another thread, because the worker may be too busy to answer with its process ID.
        fleet = lanescope.fleet.analyse(folder / "healthy", client, folder / "killed",
                                        progress=lambda done, total: threading.Thread(target=kill, args=(done, total)).start())
    check(f"{ranks} ranks: a killed worker changes nothing", data_of(folder / "killed") == expected, fleet.problems.to_pylist())


def restarted(ranks, folder, expected):
    """Ends the scheduler during the analysis, and continues with another one."""
    class Ends(Exception):
        pass

    def end(done, total):
        if done >= total // 2:
            raise Ends
    try:
        with cluster(2) as local, distributed.Client(local) as client:
            lanescope.fleet.analyse(folder / "healthy", client, folder / "restarted", progress=end)
    except Ends:
        pass
    kept = len(list(folder.glob("restarted/data/facts/*/*.parquet")))
    with cluster(2) as local, distributed.Client(local) as client:
        lanescope.fleet.analyse(folder / "healthy", client, folder / "restarted", resume=True)
    check(f"{ranks} ranks: another scheduler goes on", 0 < kept < ranks and data_of(folder / "restarted") == expected, f"{kept} ranks were kept")


def large(ranks, folder):
    truth, = generate(folder / "large", ranks, "--fault", FAULTS["slow-gpu"][0])["faults"]
    with cluster(2) as local, distributed.Client(local) as client:
        begin, times = time.monotonic(), os.times()
        fleet = lanescope.fleet.analyse(folder / "large", client, folder / "out")
        seconds, used = time.monotonic() - begin, os.times().user - times.user
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    check(f"{ranks} ranks, slow-gpu", named(fleet, truth, "slow-gpu"), f"{fleet.findings} {truth}")
    print(f"{ranks} ranks: {seconds:.1f} s with two workers, of which the client computed {used:.1f} s; at most {memory:.0f} MiB in the client", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="64,256,1024", help="sizes of fleets; the smallest with every fault")
    sizes = sorted(int(size) for size in parser.parse_args().ranks.split(","))
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="lanescope-soak-") as name:
            folder = pathlib.Path(name)
            if size == sizes[0]:
                with cluster(2) as local, distributed.Client(local) as client:
                    faults_of(size, folder, client)
                expected = healthy(size, folder)
                killed(size, folder, expected)
                restarted(size, folder, expected)
            large(size, folder)
    print(f"{passed} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
