"""Compares the ranks of a fleet by the tables read from their traces."""

import os

import lanescope
from lanescope.fleet import _store

RESULTS = ("ranks", "matched", "arrivals", "blame", "late", "verdicts", "unmatched", "problems")
MOST_WORK = 4_000_000  # maximum number of rows of work to compare at once


def _read_all(out, facts, table):
    """One table of all files, with the number of the file in a column `trace`."""
    import pyarrow

    pieces = []
    for number, of_file in facts.items():
        rows = _store.read_part(out, of_file, table)
        if rows is not None:
            pieces.append(rows.append_column("trace", pyarrow.repeat(pyarrow.scalar(number, pyarrow.int64()), len(rows))))
    return pyarrow.concat_tables(pieces, promote_options="default").unify_dictionaries()


def _traces(facts):
    import pyarrow

    rows = [{"trace": number, "rank": rank, "world_size": of_file["world_size"], "rank_from": of_file["rank_from"],
             "name": os.path.basename(of_file["path"]) + f" {rank}" if of_file["rank_from"] == "device" else None}
            for number, of_file in facts.items()
            for rank in sorted({part["rank"] for part in of_file["parts"] if part["table"] == "calls"})]
    schema = pyarrow.schema([("trace", pyarrow.int64()), ("rank", pyarrow.int64()), ("world_size", pyarrow.int64()),
                             ("rank_from", pyarrow.string()), ("name", pyarrow.string())])
    return pyarrow.Table.from_pylist(rows, schema)


def compare(out, facts, limits):
    """Returns the tables in RESULTS by name, and (number of explained steps, number of steps), or None if all steps are explained.

    `facts`: facts of the files, by number of the file."""
    calls, traces = _read_all(out, facts, "calls"), _traces(facts)
    rows = sum(part["rows"] for of_file in facts.values() for part in of_file["parts"] if part["table"] == "work")
    if rows <= MOST_WORK:
        steps, work = None, _read_all(out, facts, "work")
    else:
        first = lanescope.compare_ranks(calls, None, traces, **limits)
        steps, work = _work_of_steps(out, facts, first.matched.to_arrow(), rows)
    result = lanescope.compare_ranks(calls, work, traces, **limits)
    return {name: getattr(result, name).to_arrow(dictionaries=False) for name in RESULTS}, steps


def _work_of_steps(out, facts, matched, rows):
    """Returns (number of chosen steps, number of steps), and the work of the chosen steps: those with the longest waits, as many as
    fit into MOST_WORK rows."""
    import pyarrow
    import pyarrow.compute

    waits = matched.group_by("step").aggregate([("wait_ns", "sum")]).sort_by([("wait_ns_sum", "descending")])
    fitting = max(1, int(len(waits) * MOST_WORK / rows))
    chosen = waits["step"].slice(0, fitting)
    pieces = []
    for number, of_file in facts.items():
        own, work = _store.read_part(out, of_file, "calls"), _store.read_part(out, of_file, "work")
        wanted = own.filter(pyarrow.compute.is_in(own["step"], value_set=chosen.combine_chunks()))
        work = work.filter(pyarrow.compute.is_in(work["call"], value_set=wanted["call"].combine_chunks()))
        pieces.append(work.append_column("trace", pyarrow.repeat(pyarrow.scalar(number, pyarrow.int64()), len(work))))
    return (len(chosen), len(waits)), pyarrow.concat_tables(pieces, promote_options="default").unify_dictionaries()
