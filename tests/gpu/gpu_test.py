#!/usr/bin/env python3
"""lanescope record on a GPU, compared with torch.profiler on the same program (work.py). scripts/test-gpu runs this test.

LANESCOPE_TORCH is a Python with PyTorch. Without a GPU, all tests are skipped."""
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
from program import BIN, ROOT, Skip, json_of, run_all, scratch  # noqa: E402

PYTHON = os.environ.get("LANESCOPE_TORCH", str(ROOT / "build" / "torch" / "bin" / "python"))
WORK = ROOT / "tests" / "gpu" / "work.py"
LONG = 20_000  # ns; for shorter kernels, one percent is less than the clock's resolution


def run(*words):
    """Runs a command. Returns the seconds that it prints as its last word."""
    finished = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, (words, finished.stderr[-2000:])
    return float(finished.stdout.split()[-1])


def need_gpu():
    script = "import sys, torch; sys.exit(0 if torch.cuda.is_available() else 3)"
    try:
        status = subprocess.run([PYTHON, "-c", script], capture_output=True).returncode
    except OSError:
        status = 1
    if status == 3:
        raise Skip("this machine has no GPU")
    if status != 0:
        raise Skip(f"{PYTHON} has no PyTorch: scripts/test-torch installs one")


def record_and_profile(folder, mode):
    """Runs the work twice. Returns the paths of our recording and of torch.profiler's trace."""
    need_gpu()
    recorded, profiled = f"{folder}/{mode}.spool", f"{folder}/{mode}.json"
    run(BIN / "lanescope", "record", "-o", recorded, "--", PYTHON, WORK, mode)
    run(PYTHON, WORK, mode, "--profile", profiled)
    info = json_of("info", recorded)
    assert info["warnings"] == [], info["warnings"]
    return recorded, profiled


def kernels(trace):
    return {(row["name"], row["device"], row["stream"]): row for row in json_of("table", "kernels", trace)
            if row["kind"] == "kernel"}


def compare_kernels(recorded, profiled):
    """Checks that names, counts and launch configurations are equal, and that durations of long kernels differ by less than 1 %."""
    ours, theirs = kernels(recorded), kernels(profiled)
    assert ours and sorted(ours) == sorted(theirs), (sorted(ours), sorted(theirs))
    for key, row in ours.items():
        for column in ("calls", "configs", "grid", "block", "registers", "shared_bytes"):
            assert row[column] == theirs[key][column], (key, column, row[column], theirs[key][column])
        if row["p50_ns"] >= LONG and row["calls"] >= 50:
            assert abs(row["p50_ns"] / theirs[key]["p50_ns"] - 1) < 0.01, (key, row["p50_ns"], theirs[key]["p50_ns"])


def check_launches(trace):
    info = json_of("info", trace)
    assert info["gpu_activities"] == info["gpu_activities_with_launch"] > 0, info


def test_kernels_of_layers_equal_the_profilers():
    with scratch() as folder:
        recorded, profiled = record_and_profile(folder, "layers")
        compare_kernels(recorded, profiled)
        check_launches(recorded)


def test_a_hundred_thousand_kernels_are_complete():
    with scratch() as folder:
        recorded, profiled = record_and_profile(folder, "many")
        compare_kernels(recorded, profiled)
        check_launches(recorded)
        assert max(row["calls"] for row in kernels(recorded).values()) >= 100_000


def test_kernels_in_cuda_graphs_equal_the_profilers():
    with scratch() as folder:
        recorded, profiled = record_and_profile(folder, "graph")
        compare_kernels(recorded, profiled)


def test_kernels_on_all_streams_and_devices_are_recorded():
    with scratch() as folder:
        recorded, profiled = record_and_profile(folder, "streams")
        compare_kernels(recorded, profiled)
        assert len({key[1:] for key in kernels(recorded)}) >= 4, kernels(recorded).keys()


def test_recording_is_not_slower_than_torch_profiler():
    need_gpu()
    with scratch() as folder:
        plain, recorded, profiled = [], [], []
        for _ in range(5):
            plain.append(run(PYTHON, WORK, "many"))
            recorded.append(run(BIN / "lanescope", "record", "-o", f"{folder}/r.spool", "--", PYTHON, WORK, "many"))
            profiled.append(run(PYTHON, WORK, "many", "--profile", f"{folder}/p.json"))
        medians = [statistics.median(times) for times in (plain, recorded, profiled)]
        print("seconds not recorded, recorded, under torch.profiler:", medians)
        assert medians[1] <= medians[2], medians


if __name__ == "__main__":
    run_all(globals())
