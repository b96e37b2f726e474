"""What the tests of the Python package share. They run in the build folder's package, see package_test.py."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
sys.path.insert(0, str(ROOT / "tests"))
from cases import NO_REAL_TRACES, has_real_traces, real_trace  # noqa: E402

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


@pytest.fixture
def traces():
    """The folder of real traces."""
    if not has_real_traces():
        pytest.skip(NO_REAL_TRACES)
    return real_trace()


def pytest_terminal_summary(terminalreporter):
    """Prints skipped tests, and which of them need real traces, as tests/cases.py does."""
    for report in terminalreporter.stats.get("skipped", []):
        file, _, case = report.nodeid.partition("::")
        name, reason = f"{os.path.basename(file)}::{case}", report.longrepr[2].removeprefix("Skipped: ")
        terminalreporter.write_line(f"SKIPPED: {name}: {reason}")
        if reason == NO_REAL_TRACES:
            terminalreporter.write_line(f"REAL TRACES: skipped: {name}")
