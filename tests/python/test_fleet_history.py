"""lanescope fleet history: the figures of many runs, and from which run one changed."""

import json
import os
import random
import statistics
import subprocess
import sys

import pytest
from conftest import BIN

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
import lanescope as ls  # noqa: E402
import lanescope.fleet  # noqa: E402
from lanescope.fleet import history, synthetic  # noqa: E402


class MadeRun:
    """A run with these samples of a figure, as history.Run has them."""

    def __init__(self, name, **samples):
        self.name, self.samples = name, {figure: samples.get(figure, []) for figure in history.FIGURES}

    def value(self, figure):
        return statistics.median(self.samples[figure]) if self.samples[figure] else None


def runs_of(values, figure, noise=0.003, steps=12):
    """Runs whose steps scatter around these values."""
    numbers = random.Random(7)
    return [MadeRun(f"run{place}", **{figure: [value * (1 + noise * numbers.gauss(0, 1)) for _ in range(steps)]})
            for place, value in enumerate(values)]


def changes(values, figure="busy_share", **options):
    found = history._changes_of(figure, runs_of(values, figure, **options))
    return [(change["run"], change["lasting"], change["worse"], change["basis"]) for change in found]


def test_nothing_changes_without_a_reason():
    assert changes([0.8] * 12) == []
    assert changes([0.8, 0.803, 0.799, 0.801, 0.8, 0.802, 0.799, 0.8]) == []


def test_a_lasting_change_is_found_once():
    assert changes([0.8] * 6 + [0.7] * 6) == [("run6", True, True, "runs")]
    assert changes([0.8] * 3 + [0.9] * 6) == [("run3", True, False, "steps")]
    assert changes([0.8] * 6 + [0.7] * 6 + [0.8] * 6) == [("run6", True, True, "runs"), ("run12", True, False, "runs")]


def test_a_single_run_that_differs_is_no_lasting_change():
    assert changes([0.8] * 6 + [0.6] + [0.8] * 4) == [("run6", False, True, "runs")]


def test_the_latest_run_may_be_the_first_of_a_change():
    assert changes([0.8] * 6 + [0.7]) == [("run6", None, True, "runs")]


def test_small_changes_do_not_count():
    assert changes([0.8] * 6 + [0.795] * 6, noise=1e-5) == []


def test_a_figure_of_one_value_needs_five_runs():
    assert changes([0.4] * 4 + [0.2], "mfu", steps=1) == []
    assert changes([0.4] * 6 + [0.2], "mfu", steps=1) == [("run6", None, True, "runs")]


def test_higher_is_worse_for_exposed_communication():
    assert changes([0.1] * 6 + [0.2] * 2, "exposed_communication_share") == [("run6", True, True, "runs")]


def test_runs_without_a_figure_are_passed_over():
    runs = runs_of([0.8] * 6 + [0.7], "busy_share")
    runs.insert(3, MadeRun("empty"))
    assert [change["run"] for change in history._changes_of("busy_share", runs)] == ["run6"]


def test_chance_is_that_of_the_gate():
    assert ls._native.chance([1, 2, 3, 4], [1, 2, 3, 4, 5]) is None
    assert ls._native.chance([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]) == pytest.approx(1)
    assert ls._native.chance([10, 11, 12, 13, 14], [20, 21, 22, 23, 24]) == pytest.approx(2 / 252)
    assert ls._native.chance([10, 11, 12, 13, 14], [50]) < 1e-4
    with pytest.raises(TypeError):
        ls._native.chance(1, [2])
    with pytest.raises(TypeError):
        ls._native.chance(["x"], [2])


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """Two runs that are alike, and one with a slow GPU."""
    import distributed

    folder = tmp_path_factory.mktemp("nightly")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        for seed, (name, faults) in enumerate((("monday", []), ("tuesday", []), ("wednesday", ["--fault", "slow-gpu:rank=2,factor=1.3"]))):
            assert synthetic.main([str(folder / "traces" / name), "--ranks", "4", "--steps", "10", "--seed", str(seed), *faults]) == 0
            ls.fleet.analyse(folder / "traces" / name, client, folder / "fleets" / name)
    return folder / "fleets"


def test_the_run_from_which_steps_take_longer(nightly):
    found = history.History(nightly)
    assert [run["run"] for run in found.runs] == ["monday", "tuesday", "wednesday"]
    assert all(run["steps"] >= 9 and run["ranks"] == 4 and run["begin"] for run in found.runs), found.runs
    slower, = [change for change in found.changes if change["figure"] == "step_ns"]
    assert (slower["run"], slower["worse"], slower["lasting"], slower["basis"]) == ("wednesday", True, None, "steps"), slower
    assert slower["after"] > 1.05 * slower["before"]
    assert slower["kernels"] and all(row["after_ns"] != row["before_ns"] for row in slower["kernels"])
    text = str(found)
    assert "Worse: In wednesday, the latest run, step goes from" in text and "slow-gpu" in text
    assert history.History([nightly / "monday", nightly / "tuesday"]).changes == []
    assert "nothing to compare" in str(history.History(nightly / "monday"))


def command(*words):
    environment = {**os.environ, "LANESCOPE_PYTHON": sys.executable}
    return subprocess.run([BIN / "lanescope", "fleet", *map(str, words)], capture_output=True, text=True, env=environment, timeout=300)


def test_the_command(nightly, tmp_path):
    done = command("history", nightly, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(history.History(nightly).json())
    assert "Runs" in command("history", nightly / "monday", nightly / "tuesday").stdout
    none = command("history", tmp_path)
    assert none.returncode == 1 and "no folder of results" in none.stderr and "Traceback" not in none.stderr
    assert command("history").returncode == 2 and command("traces").returncode == 2
