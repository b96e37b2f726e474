"""What the tests of the Python package share. They run in the build folder's package, see package_test.py."""
import contextlib
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
BIN = pathlib.Path(os.environ["LANESCOPE_BIN"])
SAMPLES = ROOT / "assets" / "samples"
SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def temporary_files():
    """The open temporary files of this process, which have no name."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the list itself
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return [link for link in links if "/lanescope-" in link]


@pytest.fixture(scope="session")
def synthetic():
    import lanescope

    return lanescope.open(SYNTHETIC, progress=False)


@pytest.fixture(scope="session")
def command_line():
    """Runs the command line, and returns its parsed JSON."""
    def run(*words):
        done = subprocess.run([BIN / "lanescope", *map(str, words), "--format", "json"], check=True, capture_output=True)
        return json.loads(done.stdout)
    return run


@pytest.fixture(scope="session")
def real_trace():
    folder = os.environ.get("LANESCOPE_TRACES")
    if not folder:
        pytest.skip("LANESCOPE_TRACES is not set")
    return pathlib.Path(folder) / "torch" / "a100_train_before.json.gz"
