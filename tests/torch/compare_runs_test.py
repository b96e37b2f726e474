#!/usr/bin/env python3
"""lanescope compare with a real PyTorch: twenty runs of one model, one that is slower on purpose, and eager against compiled.
LANESCOPE_TORCH is a Python with PyTorch; scripts/test-torch sets it. Beside the tests, `compare_runs_test.py --save FOLDER`
stores the reduced runs in tests/data/torch_runs.json.gz, for tests/app/compare_torch_test.py; FOLDER already has them or
receives them."""
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
from program import ROOT, json_of, lanescope, run_all, scratch  # noqa: E402

RUNS = [f"run{i:02}" for i in range(1, 21)]


def make(folder, name, *words):
    path = pathlib.Path(folder) / f"{name}.json"
    if not path.exists():
        subprocess.run([os.environ["LANESCOPE_TORCH"], ROOT / "tests" / "torch" / "small_model.py", path, *words], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def gate_of(*words):
    return json.loads(lanescope("compare", *words, "--format", "json").stdout)["gate"]


def make_all(folder):
    return {**{name: make(folder, name) for name in RUNS}, "slower": make(folder, "slower", "slower"),
            "compiled": make(folder, "compiled", "compiled")}


def reduced(path):
    """The events in columns, times in ns from the first: name, category, begin, duration. Of the one thread that works."""
    events = [e for e in json.loads(path.read_bytes())["traceEvents"]
              if e.get("ph") == "X" and e.get("cat") in ("cpu_op", "user_annotation")]
    first = min(e["ts"] for e in events)
    return [[e["name"], e["cat"], round((e["ts"] - first) * 1000), round(e["dur"] * 1000)] for e in events]


def save(folder):
    # The twenty runs keep only events of at least 5 us, which limits the file's size.
    runs = {name: [event for event in reduced(path) if name in ("run01", "compiled") or event[3] >= 5000]
            for name, path in make_all(folder).items()}
    target = ROOT / "tests" / "data" / "torch_runs.json.gz"
    names = sorted({event[0] for events in runs.values() for event in events})
    number = {name: i for i, name in enumerate(names)}
    columns = {run: {"name": [number[e[0]] for e in events], "is_op": [int(e[1] == "cpu_op") for e in events],
                     "begin": [e[2] - before[2] for e, before in zip(events, [[0, 0, 0], *events])],
                     "duration": [e[3] for e in events]} for run, events in runs.items()}
    text = json.dumps({"names": names, "runs": columns}, separators=(",", ":"))
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def test_no_alarm_among_equal_runs_and_one_for_a_slower_run():
    with scratch() as folder:
        runs = [make(folder, name) for name in RUNS]
        alarms = []
        for run in runs:
            others = [other for other in runs if other != run]
            gate = gate_of(run, "--baseline", *others, "--fail-over", "5%")
            alarms += [run] if gate["outcome"] == "failed" else []
        # Each run has a chance of 1 in 100.
        assert len(alarms) <= 1, alarms
        gate = gate_of(make(folder, "slower", "slower"), "--baseline", *runs, "--fail-over", "5%")
        assert gate["outcome"] == "failed", gate


def test_a_compiled_model_is_fused_and_replaced():
    with scratch() as folder:
        rows = json_of("compare", make(folder, "run01"), make(folder, "compiled", "compiled"), "--top", "0")["rows"]
        verdicts = {row["verdict"] for row in rows if "Compiled" in row["function"]}
        assert verdicts <= {"fused", "replaced"} and "fused" in verdicts, verdicts
        assert not [row for row in rows if row["verdict"] == "gone" and "Backward" in row["function"]], rows


if "--save" in sys.argv:
    save(sys.argv[-1])
else:
    run_all(globals())
