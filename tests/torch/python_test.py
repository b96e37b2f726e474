#!/usr/bin/env python3
"""The Python package with a real PyTorch: ls.profile and ls.attach. LANESCOPE_TORCH is a Python with PyTorch, in which this file
runs itself; scripts/test-torch sets it. The package is the build folder's."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys

if __name__ == "__main__" and os.environ.get("LANESCOPE_IN_TORCH") is None:
    package = pathlib.Path(os.environ["LANESCOPE_BIN"]).parent / "python"
    os.execve(os.environ["LANESCOPE_TORCH"], [os.environ["LANESCOPE_TORCH"], __file__],
              {**os.environ, "LANESCOPE_IN_TORCH": "1", "PYTHONPATH": str(package)})

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
import torch  # noqa: E402
from program import ROOT, run_all, scratch  # noqa: E402

import lanescope as ls  # noqa: E402

torch.manual_seed(0)


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.out(torch.relu(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 32)
        self.head = Head()

    def forward(self, x):
        return self.head(self.first(x))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.01)


def train_one_step():
    optimizer.zero_grad()
    model(torch.randn(8, 16)).square().mean().backward()
    optimizer.step()


def recorded(path, steps, **options):
    """Trains under ls.profile. Returns the profile, and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), ls.profile(path, **options) as profile:
        for _ in range(steps):
            train_one_step()
            profile.step()
    return profile, printed.getvalue()


def calls_of(trace):
    return {row["name"]: row["calls"] for row in trace.operators()}


def test_a_training_loop_has_what_the_tables_need():
    for name in ("run.json", "run.json.gz"):
        with scratch() as folder:
            path = pathlib.Path(folder, name)
            profile, printed = recorded(path, 7, active=3)
            trace = profile.trace()
            assert os.listdir(folder) == [name] and (path.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
            assert printed == f"{trace.summary()}\n" and "step" in printed, printed
            assert [row["name"] for row in trace.steps()] == ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"], trace.steps()
            calls = calls_of(trace)
            assert calls["aten::addmm"] == 3 * 2 and calls["aten::relu"] == 3 and calls["aten::randn"] == 3, calls
            assert sum(count for operator, count in calls.items() if operator.startswith("Optimizer.step")) == 3, calls
            shapes = {str(row["input_shapes"]).replace(" ", "") for row in trace.operators(by="shape") if row["name"] == "aten::addmm"}
            assert len(shapes) == 2 and any("[8,16],[16,32]" in text for text in shapes), shapes
            stacks = [row for row in trace.operators(by="stack") if row["name"] == "aten::relu"]
            assert "python_test.py" in str(stacks) and "forward" in str(stacks), stacks
            modules = trace.modules().to_dicts()
            text = str(modules)
            assert all(word in text for word in ("Net", "Head", "Linear")) and len(modules) >= 4, modules
            assert len(trace.memory(by="operator")) > 3 and "aten::mm" in trace.memory(by="operator")["operator"]
            allocated = trace.sql("select count(*) as n from counter c join counter_track t on c.track_id = t.id where t.name like :name",
                                  {"name": "%alloc%"})["n"][0]
            assert allocated > 10, allocated
            assert len(trace.critical_path()) > 0


def test_a_block_without_steps_is_recorded_whole():
    with scratch() as folder:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), ls.profile(f"{folder}/run.json", quiet=True) as profile:
            train_one_step()
            train_one_step()
        assert printed.getvalue() == ""
        calls = calls_of(profile.trace())
        assert calls["aten::addmm"] == 4, calls


def test_switches_leave_things_out():
    with scratch() as folder:
        full, _ = recorded(f"{folder}/full.json", 3, active=1, quiet=True)
        bare, _ = recorded(f"{folder}/bare.json", 3, active=1, quiet=True, shapes=False, stacks=False, memory=False)
        assert os.path.getsize(f"{folder}/bare.json") < os.path.getsize(f"{folder}/full.json") / 2
        assert calls_of(bare.trace())["aten::addmm"] == calls_of(full.trace())["aten::addmm"] == 2
        assert "Net_0" in full.trace().modules()["module"] and "Net_0" not in bare.trace().modules()["module"]
        counters = "select count(*) as n from counter"
        assert bare.trace().sql(counters)["n"] == [0] and full.trace().sql(counters)["n"][0] > 10


def test_wait_and_warmup_are_steps_before():
    with scratch() as folder:
        profile, _ = recorded(f"{folder}/run.json", 9, wait=2, warmup=3, active=2, quiet=True)
        assert [row["name"] for row in profile.trace().steps()] == ["ProfilerStep#5", "ProfilerStep#6"]


def test_too_few_steps_say_so():
    with scratch() as folder:
        for steps in (0, 2):
            try:
                recorded(f"{folder}/run.json", steps, wait=2, active=3)
            except RuntimeError as error:
                assert f"called {steps} times, and recording begins after 3 steps" in str(error), error
            else:
                raise AssertionError("nothing was recorded, and nobody noticed")
            assert os.listdir(folder) == []
        # The steps before the end of a loop that ends early are kept.
        profile, printed = recorded(f"{folder}/run.json", 3, active=3)
        assert calls_of(profile.trace())["aten::addmm"] == 2 * 2 and printed


def test_the_loops_own_exception_stays():
    with scratch() as folder:
        try:
            with ls.profile(f"{folder}/run.json", active=3) as profile:
                profile.step()
                raise LookupError("the loop's own")
        except LookupError as error:
            assert "own" in str(error)
        else:
            raise AssertionError("the exception was lost")


def test_attach_to_a_running_process():
    with scratch() as folder:
        settings = pathlib.Path(folder) / "kineto.conf"
        settings.write_text("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n")
        os.environ["KINETO_IPC_SOCKET_DIR"] = folder
        environment = {**os.environ, "KINETO_USE_DAEMON": "1", "KINETO_CONFIG": str(settings)}
        process = subprocess.Popen([sys.executable, ROOT / "tests" / "torch" / "train.py", "120"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=environment)
        try:
            process.stdout.readline()
            trace = ls.attach(process.pid, duration="500ms", output=f"{folder}/run.json.gz")
            assert trace.paths == [f"{folder}/run.json.gz"]
            assert calls_of(trace)["aten::addmm"] > 4 and len(trace.modules()) > 0
            assert any(row["input_shapes"] for row in trace.operators(by="shape"))
            kept = ls.attach(process.pid, duration="100ms")
            assert calls_of(kept)["aten::addmm"] > 0
            os.remove(kept.paths[0])
            os.rmdir(os.path.dirname(kept.paths[0]))
            assert process.poll() is None
        finally:
            process.kill()
            process.wait()
        try:
            ls.attach(process.pid, output=f"{folder}/other.json")
        except ls.Error as error:
            assert "exit code" in str(error), error
        else:
            raise AssertionError("a process that has ended was attached to")


run_all(globals())
