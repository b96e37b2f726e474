"""Runs an analysis: reads all traces, compares the ranks, and writes the results."""

import itertools
import os
import tempfile

from lanescope.fleet import _cluster, _join, _need, _page, _paths, _sums, _store
from lanescope.fleet._fleet import Fleet


def analyse(paths, client, out, resume, verify, workers, memory, limits, progress):
    _need("distributed", "pyarrow", *([] if client else ["cryptography"]))
    sources = _paths.sources_of(paths)
    out = _folder(out, resume)
    keep = ("hash" if verify else "same") if resume else ""
    try:
        with _cluster.client_of(client, workers) as at_work:
            read = _cluster.read_all(at_work, out, sources, {number: number for number in range(len(sources))}, memory, keep,
                                     progress or (lambda done, total: None))
            again = _numbered_again(read)
            if again:
                read |= _cluster.read_all(at_work, out, sources, again, memory, keep, lambda done, total: None)
        return join(out, sources, {number: result for number, result in read.items() if "problem" in result}, limits)
    finally:
        _forget_unused(out)


def _numbered_again(read):
    """The traces whose rank by order is that of another trace, each with the next rank that no trace has."""
    taken = {result["rank"] for result in read.values() if result.get("rank_from") in ("recorded", "name")}
    again = {}
    for number, result in sorted(read.items()):
        if result.get("rank_from") == "order":
            rank = next(rank for rank in itertools.count(number) if rank not in taken)
            taken.add(rank)
            if rank != result["rank"]:
                again[number] = rank
    return again


def join(out, sources, broken, limits):
    """Compares the ranks by the tables read, and writes the results. `broken`: problems of sources by number."""
    facts = {}
    for number, source in enumerate(sources):
        of_file = None if number in broken else _store.facts_of(out, source.key)
        if of_file is not None:
            facts[number] = of_file
        elif number not in broken:
            broken[number] = {"problem": "results-missing", "text": "the results of its worker are not in this folder, which all workers must see"}
    _store.remove_others(out, {sources[number].key for number in facts})
    if not facts:
        raise ValueError("no trace could be read: " + "; ".join(f"{sources[n].name}: {broken[n]['text']}" for n in list(broken)[:3]))
    results, explained = _join.compare(out, facts, limits)
    results["ranks"] = _sums.with_steps(results["ranks"], out, sources, facts)
    results["steps"] = _sums.steps(out, facts)
    results["transfers"] = _sums.transfers(results["matched"])
    results["problems"] = _sums.problems(results["problems"], sources, facts, broken, explained)
    for name, table in results.items():
        _store.write_table(os.path.join(out, "results", f"{name}.parquet"), table)
    fleet = Fleet(out)
    _store.write_text(os.path.join(out, "fleet.json"), fleet.json())
    _store.write_text(os.path.join(out, "report.html"), _page.page(fleet))
    return fleet


def _folder(out, resume):
    """Makes the folder of the results. Raises FileExistsError for a folder that holds anything but a fleet's results, or for results
    without `resume`."""
    if out is None:
        out = tempfile.mkdtemp(prefix="lanescope-fleet-")
    out = os.path.abspath(os.fsdecode(out))
    if os.path.lexists(out) and not os.path.isdir(out):
        raise FileExistsError(f"{out} is not a folder: name a new folder")
    held = os.listdir(out) if os.path.isdir(out) else []
    if held and not _store.is_marked(out):
        raise FileExistsError(f"{out} has files that lanescope fleet did not write: name a new folder")
    if held and not resume:
        raise FileExistsError(f"{out} is not empty: name a new folder, or go on with the fleet in it by --resume")
    _store.mark(out)
    return out


def _forget_unused(out):
    """Removes a folder in which nothing was written but the mark."""
    if os.listdir(out) == [_store.MARK]:
        os.remove(os.path.join(out, _store.MARK))
        os.rmdir(out)
