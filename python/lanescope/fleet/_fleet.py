"""The results of a fleet."""

import functools
import json
import os

from lanescope.fleet import _need, _store

RESULTS = ("ranks", "steps", "matched", "arrivals", "blame", "late", "verdicts", "transfers", "unmatched", "problems")


class Fleet:
    """What was found in the traces of a job's ranks, from the folder `out` that lanescope.fleet.analyse() wrote.

    Tables of pyarrow, whose columns the page about fleets defines: `ranks`, `steps`, `matched`, `arrivals`, `blame`, `late`,
    `verdicts`, `transfers`, `unmatched`, `problems`. print() shows the findings, then tables."""

    def __init__(self, out):
        _need("pyarrow")
        self.out = os.path.abspath(os.fsdecode(out))
        if not os.path.isdir(os.path.join(self.out, "results")):
            raise FileNotFoundError(f"{self.out} has no results of a fleet")

    def __getattr__(self, name):
        if name not in RESULTS:
            raise AttributeError(f"Fleet has no table {name}: {', '.join(RESULTS)}")
        table = _store.read_table(os.path.join(self.out, "results", f"{name}.parquet"))
        setattr(self, name, table)
        return table

    def data(self, table):
        """The dataset of pyarrow of a table of every rank, such as `"kernels"`, with the column rank."""
        import pyarrow
        import pyarrow.dataset

        by_rank = pyarrow.dataset.partitioning(pyarrow.schema([("rank", pyarrow.int64())]), flavor="hive")
        return pyarrow.dataset.dataset(os.path.join(self.out, "data", table), format="parquet", partitioning=by_rank)

    @property
    def is_compared(self):
        """Whether any collective was found on two ranks. Without one there are no findings, whatever the ranks do."""
        return len(self.matched) > 0

    @functools.cached_property
    def findings(self):
        """Who holds the others up, since when, why and at what cost, as dicts, the largest cost first. Verdicts on ranks
        that are held up themselves, or for which nobody waited, are no findings."""
        rows = [{"id": row.pop("verdict"), **row} for row in self.verdicts.to_pylist()]
        accused = [row for row in rows if row["id"] == "slow-link" or (row["id"] != "held-up" and row["waited_ns"] > 0)]
        return sorted(accused, key=lambda row: -row["cost_ns"])

    def json(self):
        """The ranks, problems and findings as JSON."""
        about = {"ranks": self.ranks.to_pylist(), "problems": self.problems.to_pylist(), "findings": self.findings}
        return json.dumps(about, indent=1, ensure_ascii=False) + "\n"

    def report(self, path):
        """Writes the findings, the heat map of ranks and steps, and tables as an HTML page to a new file."""
        from lanescope.fleet import _page

        with open(path, "x", encoding="utf-8") as file:
            file.write(_page.page(self))

    def __str__(self):
        from lanescope.fleet import _text

        return _text.text(self)

    def __repr__(self):
        return f"<lanescope.fleet.Fleet of {len(self.ranks)} ranks in {self.out}>"
