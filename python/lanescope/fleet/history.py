"""Many runs of a job: how its figures developed, and from which run one changed. The command `lanescope fleet history`.

    history = lanescope.fleet.history.History("nightly/*")
    print(history)
    history.changes             # a list of dicts, the latest first
"""

import argparse
import datetime
import glob
import json
import os
import statistics
import sys

import lanescope
from lanescope.fleet import _store, _text
from lanescope.fleet._fleet import Fleet

MOST_CHANCE = 0.01   # as in the gate of `lanescope compare`
LEAST_RUNS = 5       # with as many runs before, runs are the samples, otherwise steps
LEAST_RATIO = 0.02   # smaller changes of a time do not count
LEAST_SHARE = 0.01   # nor do smaller changes of a share
MOST_KERNELS = 5     # that explain a change of the step time

# Name, unit, and whether a higher value is worse. MFU has one value in a run, the others one in each step.
FIGURES = {"step_ns": ("ns", True), "busy_share": ("share", False), "exposed_communication_share": ("share", True), "mfu": ("share", False)}
TITLES = {"step_ns": "step", "busy_share": "GPU busy", "exposed_communication_share": "exposed comm.", "mfu": "MFU"}


class Run:
    """The figures of one fleet. `samples`: of each figure by name, one for each step; empty if the traces do not have it."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.name = os.path.basename(fleet.out)
        facts = fleet.data("facts")
        if "begin_ns" not in facts.schema.names:
            raise ValueError(f"{fleet.out} was written by an older version: run lanescope fleet again on the traces")
        begins = facts.to_table(columns=["begin_ns"]).to_pydict()["begin_ns"]
        self.begin_ns = min((begin for begin in begins if begin is not None), default=None)
        self.ranks = len(fleet.ranks)
        self.samples = _samples_of(fleet)
        self.steps = len(self.samples["step_ns"])
        self.findings = fleet.findings

    def value(self, figure):
        """The median over the steps, or None."""
        samples = self.samples[figure]
        return statistics.median(samples) if samples else None

    def row(self):
        begin = None if self.begin_ns is None else datetime.datetime.fromtimestamp(self.begin_ns / 1e9, datetime.timezone.utc).isoformat()
        values = {figure: self.value(figure) for figure in FIGURES}
        return {"run": self.name, "folder": self.fleet.out, "begin": begin, "ranks": self.ranks, "steps": self.steps, **values,
                "findings": [{"id": one["id"], "rank": one["rank"], "cost_ns": one["cost_ns"]} for one in self.findings]}


def _samples_of(fleet):
    """The medians over the ranks in each step, without warm-up."""
    names = ["index", "time_ns", "gpu_busy_ns", "exposed_communication_ns", "warm_up"]
    steps = {}
    for row in fleet.data("steps").to_table(columns=names).to_pylist():
        if row["index"] is not None and row["time_ns"] and not row["warm_up"]:
            steps.setdefault(row["index"], []).append(row)
    samples = {figure: [] for figure in FIGURES}
    for _, rows in sorted(steps.items()):
        samples["step_ns"].append(statistics.median(row["time_ns"] for row in rows))
        for figure, part in (("busy_share", "gpu_busy_ns"), ("exposed_communication_share", "exposed_communication_ns")):
            shares = [row[part] / row["time_ns"] for row in rows if row[part] is not None]
            if shares:
                samples[figure].append(statistics.median(shares))
    known = [value for value in fleet.ranks.to_pydict()["mfu"] if value is not None]
    samples["mfu"] = [statistics.mean(known)] if known else []
    return samples


def _differs(figure, before, run):
    """Whether a run differs from the runs before, as +1 (higher), -1 or 0, with the probability of chance and what was compared."""
    value, old = run.value(figure), [one.value(figure) for one in before]
    usual = statistics.median(old)
    unit, _ = FIGURES[figure]
    small = abs(value - usual) < (LEAST_RATIO * abs(usual) if unit == "ns" else LEAST_SHARE)
    if len(before) >= LEAST_RUNS:
        basis, chance = "runs", lanescope._native.chance(old, [value])
    else:
        basis, chance = "steps", lanescope._native.chance([one for other in before for one in other.samples[figure]], run.samples[figure])
    significant = chance is not None and chance < MOST_CHANCE and not small
    return (0 if not significant else 1 if value > usual else -1), chance, basis


def _changes_of(figure, runs):
    """The runs from which a figure differs from the runs before. A run after which the figure is as before is single, no change."""
    known = [run for run in runs if run.samples[figure]]
    changes, before = [], known[:1]
    for place, run in enumerate(known[1:], 1):
        side, chance, basis = _differs(figure, before, run)
        if side == 0:
            before.append(run)
            continue
        later = known[place + 1] if place + 1 < len(known) else None
        lasting = None if later is None else _differs(figure, before, later)[0] == side
        old = statistics.median(one.value(figure) for one in before)
        worse = (side > 0) == FIGURES[figure][1]
        changes.append({"figure": figure, "run": run.name, "before": old, "after": run.value(figure), "worse": worse, "lasting": lasting,
                        "chance": chance, "basis": basis, "since_runs": len(before)})
        if figure == "step_ns":
            changes[-1]["kernels"] = _kernels(before[-1], run)
        if lasting is not False:
            before = [run]
    return changes


def _kernel_times(run):
    """The time of each kernel, divided by the steps of all ranks."""
    steps = sum(count or 0 for count in run.fleet.ranks.to_pydict()["steps"]) or 1
    times = {}
    for row in run.fleet.data("kernels").to_table(columns=["short_name", "total_ns"]).to_pylist():
        times[row["short_name"]] = times.get(row["short_name"], 0) + row["total_ns"] / steps
    return times


def _kernels(old, new):
    """The kernels whose time in a step changed most."""
    before, after = _kernel_times(old), _kernel_times(new)
    rows = [{"kernel": name, "before_ns": before.get(name, 0), "after_ns": after.get(name, 0)} for name in before.keys() | after.keys()]
    rows.sort(key=lambda row: (-abs(row["after_ns"] - row["before_ns"]), row["kernel"]))
    return [row for row in rows[:MOST_KERNELS] if row["after_ns"] != row["before_ns"]]


def folders_of(paths):
    """The folders of fleets in paths: folders of results, folders of such folders, and patterns."""
    found = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        text = os.fsdecode(path)
        names = [text] if os.path.isdir(text) else sorted(glob.glob(text))
        inside = [os.path.join(name, one) for name in names if os.path.isdir(name) and not _store.is_marked(name) for one in sorted(os.listdir(name))]
        fleets = [name for name in names + inside if _store.is_marked(name)]
        if not fleets:
            raise FileNotFoundError(f"{text}: there is no folder of results that lanescope fleet wrote")
        found += [os.path.abspath(name) for name in fleets]
    return list(dict.fromkeys(found))


class History:
    """The runs of a job, by the time at which they were recorded, or by name if a run's traces do not state the time.

    `paths`: a path or a list of them: folders that lanescope.fleet.analyse() wrote, folders of such folders, and patterns.
    `runs`: a dict for each run. `changes`: the runs from which a figure changed, the latest first. docs/fleet.md defines both."""

    def __init__(self, paths):
        runs = [Run(Fleet(folder)) for folder in folders_of(paths)]
        if all(run.begin_ns is not None for run in runs):
            runs.sort(key=lambda run: run.begin_ns)
        place = {run.name: number for number, run in enumerate(runs)}
        changes = [change for figure in FIGURES for change in _changes_of(figure, runs)]
        self.runs = [run.row() for run in runs]
        self.changes = sorted(changes, key=lambda change: -place[change["run"]])

    def json(self):
        """The runs and changes as JSON."""
        return json.dumps({"runs": self.runs, "changes": self.changes}, indent=1, ensure_ascii=False) + "\n"

    def __str__(self):
        lines = _change_lines(self.changes) if self.changes else [_no_changes(self.runs)]
        head = ["run", "recorded", "ranks", "steps", *TITLES.values(), "findings"]
        rows = [[run["run"], (run["begin"] or "")[:16].replace("T", " "), run["ranks"], run["steps"],
                 *(_shown(figure, run[figure]) for figure in FIGURES), ", ".join(sorted({one["id"] for one in run["findings"]}))]
                for run in self.runs]
        return "\n".join([*lines, "", "Runs", *_text.columns(head, rows)])


def _shown(figure, value):
    if value is None:
        return ""
    return _text.duration(value) if FIGURES[figure][0] == "ns" else _text.share(value)


def _no_changes(runs):
    if len(runs) < 2:
        return "There is one run: nothing to compare it with."
    return "No figure changed from one run to another by more than chance."


def _change_lines(changes):
    lines = []
    for change in changes:
        figure = change["figure"]
        amount = f"{_shown(figure, change['before'])} to {_shown(figure, change['after'])}"
        if FIGURES[figure][0] == "ns" and change["before"]:
            amount += f" ({100 * (change['after'] / change['before'] - 1):+.1f} %)"
        when = {True: f"From {change['run']} on", False: f"Only in {change['run']}", None: f"In {change['run']}, the latest run"}[change["lasting"]]
        against = f"the {change['since_runs']} runs" if change["since_runs"] > 1 else "the run"
        lines.append(f"{'Worse' if change['worse'] else 'Better'}: {when}, {TITLES[figure]} goes from {amount}, compared with {against} before by "
                     f"their {change['basis']}, p = {change['chance']:.2g}.")
        lines += [f"    {row['kernel']}: {_text.duration(row['before_ns'])} to {_text.duration(row['after_ns'])} in a step"
                  for row in change.get("kernels", [])]
    return lines


def main():
    parser = argparse.ArgumentParser(prog="lanescope fleet history", allow_abbrev=False,
                                     description="How the figures of many runs of a job developed, and from which run one changed.")
    parser.add_argument("fleets", nargs="+", metavar="FLEET", help="folders of results of lanescope fleet, or folders of such folders")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    given = parser.parse_args()
    try:
        found = History(given.fleets)
    except (OSError, ValueError, ImportError, lanescope.Error) as problem:
        print(f"lanescope fleet history: {problem}", file=sys.stderr)
        return 1
    sys.stdout.write(found.json() if given.format == "json" else f"{found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
