#!/usr/bin/env python3
"""lanescope record on a GPU, beside torch.profiler on the same program (work.py). scripts/test-gpu runs it.

LANESCOPE_TORCH is a Python that has PyTorch. Without a GPU every test is skipped."""
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
from program import BIN, ROOT, Skip, json_of, run_all, scratch  # noqa: E402

PYTHON = os.environ.get("LANESCOPE_TORCH", str(ROOT / "build" / "torch" / "bin" / "python"))
WORK = ROOT / "tests" / "gpu" / "work.py"
LONG = 20_000  # ns: of shorter kernels a percent is less than the clock's step


def run(*words):
    """The seconds that the work says it took."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (words, done.stderr[-2000:])
    return float(done.stdout.split()[-1])


def need_gpu():
    asks = "import sys, torch; sys.exit(0 if torch.cuda.is_available() else 3)"
    try:
        status = subprocess.run([PYTHON, "-c", asks], capture_output=True).returncode
    except OSError:
        status = 1
    if status == 3:
        raise Skip("there is no GPU here")
    if status != 0:
        raise Skip(f"{PYTHON} has no PyTorch: scripts/test-torch installs one")


def both(folder, what):
    """What our recording and torch.profiler's say of the same work."""
    need_gpu()
    recorded, profiled = f"{folder}/{what}.spool", f"{folder}/{what}.json"
    run(BIN / "lanescope", "record", "-o", recorded, "--", PYTHON, WORK, what)
    run(PYTHON, WORK, what, "--profile", profiled)
    info = json_of("info", recorded)
    assert info["warnings"] == [], info["warnings"]
    return recorded, profiled


def kernels(trace):
    return {(row["name"], row["device"], row["stream"]): row for row in json_of("table", "kernels", trace)
            if row["kind"] == "kernel"}


def compare_kernels(recorded, profiled):
    """Names, numbers, grid, block, registers and shared memory are equal; durations of long ones within a percent."""
    ours, theirs = kernels(recorded), kernels(profiled)
    assert ours and sorted(ours) == sorted(theirs), (sorted(ours), sorted(theirs))
    for key, row in ours.items():
        for what in ("calls", "configs", "grid", "block", "registers", "shared_bytes"):
            assert row[what] == theirs[key][what], (key, what, row[what], theirs[key][what])
        if row["p50_ns"] >= LONG and row["calls"] >= 50:
            assert abs(row["p50_ns"] / theirs[key]["p50_ns"] - 1) < 0.01, (key, row["p50_ns"], theirs[key]["p50_ns"])


def check_launches(trace):
    info = json_of("info", trace)
    assert info["gpu_activities"] == info["gpu_activities_with_launch"] > 0, info


def test_layers():
    with scratch() as folder:
        recorded, profiled = both(folder, "layers")
        compare_kernels(recorded, profiled)
        check_launches(recorded)


def test_a_hundred_thousand_kernels():
    with scratch() as folder:
        recorded, profiled = both(folder, "many")
        compare_kernels(recorded, profiled)
        check_launches(recorded)
        assert max(row["calls"] for row in kernels(recorded).values()) >= 100_000


def test_cuda_graphs():
    with scratch() as folder:
        recorded, profiled = both(folder, "graph")
        compare_kernels(recorded, profiled)


def test_streams_and_devices():
    with scratch() as folder:
        recorded, profiled = both(folder, "streams")
        compare_kernels(recorded, profiled)
        assert len({key[1:] for key in kernels(recorded)}) >= 4, kernels(recorded).keys()


def test_it_slows_a_program_no_more_than_torch_profiler():
    need_gpu()
    with scratch() as folder:
        plain, recorded, profiled = [], [], []
        for _ in range(5):
            plain.append(run(PYTHON, WORK, "many"))
            recorded.append(run(BIN / "lanescope", "record", "-o", f"{folder}/r.spool", "--", PYTHON, WORK, "many"))
            profiled.append(run(PYTHON, WORK, "many", "--profile", f"{folder}/p.json"))
        told = [statistics.median(times) for times in (plain, recorded, profiled)]
        print("seconds alone, recorded, under torch.profiler:", told)
        assert told[1] <= told[2], told


if __name__ == "__main__":
    run_all(globals())
