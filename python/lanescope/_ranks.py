"""Compares ranks by rows taken from their traces."""

from lanescope import Table, _native, _options


class RankComparison:
    """The results of compare_ranks(), as tables: `ranks` (clocks, and sums of waits), `matched` (matched calls: arrival
    spread, and who came last), `arrivals` (each rank at each matched call), `blame` (how long each rank waited for each other
    rank), `late` (causes of late arrivals), `verdicts` (which ranks hold the others up, and why), `unmatched` (calls that match
    no call of another rank, and why) and `problems` (what is wrong with the set of ranks). `lanescope.columns("ranks")`
    defines the columns."""

    NAMES = ("ranks", "matched", "arrivals", "blame", "late", "verdicts", "unmatched", "problems")

    def __init__(self, rows):
        for name, one in zip(self.NAMES, rows):
            setattr(self, name, Table(one))

    def __repr__(self):
        counts = ", ".join(f"{len(getattr(self, name))} {name}" for name in self.NAMES)
        return f"<RankComparison: {counts}>"


def _stream(table):
    return None if table is None else table.__arrow_c_stream__()


def compare_ranks(calls, work=None, traces=None, **limits):
    """Compares the ranks of a job: their clocks, who came last to each collective, how long the others waited, and why.

    `calls`: the rows of `t.collectives(by="call")` of all ranks, in one Arrow table of any library, with a column `trace` (the
    number of the file) if the rank does not identify it. `work`: likewise of `t.collectives(by="work")`; only calls whose work
    is there are explained. `traces`: a row for each file, with `trace`, `rank`, `world_size`, `name`, and
    `rank_from`, which is "recorded", "name" (of the file) or "order" (of the files).

    Optional limits: `min_lateness_us`, `noise_factor`, `uncertainty_factor`, `min_cost_share`, `cause_share`,
    `slow_gpu_factor`, `slow_gpu_share`, `slow_link_factor`; docs/ranks.md defines them."""
    rows = _native.compare_ranks(_stream(calls), _stream(work), _stream(traces), _options(limits))
    return RankComparison(rows)
