"""The results of a fleet."""

import functools
import json
import os

from lanescope.fleet import _need, _store

RESULTS = ("ranks", "steps", "matched", "arrivals", "blame", "late", "verdicts", "transfers", "unmatched", "problems")


class Fleet:
    """The results of lanescope.fleet.analyse(), read from its folder `out`.

    The attributes `ranks`, `steps`, `matched`, `arrivals`, `blame`, `late`, `verdicts`, `transfers`, `unmatched` and `problems`
    are pyarrow tables; the page about fleets defines their columns. print() shows the findings and some tables."""

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
        """A pyarrow dataset of one table of all ranks, such as `"kernels"`, with a column `rank`."""
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
        """Which ranks hold the others up, since when, why and at what cost: a list of dicts, the largest cost first. Leaves out
        verdicts on ranks that are held up themselves, and on ranks for which no other rank waited."""
        rows = [{"id": row.pop("verdict"), **row} for row in self.verdicts.to_pylist()]
        accused = [row for row in rows if row["id"] == "slow-link" or (row["id"] != "held-up" and row["waited_ns"] > 0)]
        return sorted(accused, key=lambda row: -row["cost_ns"])

    def json(self):
        """The ranks, problems and findings as JSON."""
        about = {"ranks": self.ranks.to_pylist(), "problems": self.problems.to_pylist(), "findings": self.findings}
        return json.dumps(about, indent=1, ensure_ascii=False) + "\n"

    def report(self, path):
        """Writes an HTML page with the findings, a heat map of ranks and steps, and tables. Raises FileExistsError if `path` exists."""
        from lanescope.fleet import _page

        with open(path, "x", encoding="utf-8") as file:
            file.write(_page.page(self))

    def __str__(self):
        from lanescope.fleet import _text

        return _text.text(self)

    def __repr__(self):
        return f"<lanescope.fleet.Fleet of {len(self.ranks)} ranks in {self.out}>"
