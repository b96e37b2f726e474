"""The course of an analysis: read every trace, compare the ranks, write the results."""

import os
import tempfile

from lanescope.fleet import _cluster, _join, _need, _page, _paths, _sums, _store
from lanescope.fleet._fleet import Fleet


def analyse(paths, client, out, resume, verify, workers, memory, limits, progress):
    _need("distributed", "pyarrow", *([] if client else ["cryptography"]))
    sources = _paths.sources_of(paths)
    out = _folder(out, resume)
    keep = ("hash" if verify else "same") if resume else ""
    with _cluster.client_of(client, workers) as at_work:
        broken = _cluster.read_all(at_work, out, sources, memory, keep, progress or (lambda done, total: None))
    return join(out, sources, broken, limits)


def join(out, sources, broken, limits):
    """Compares what was read, and writes the results. `broken`: what is wrong with some of the sources, by number."""
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
    """The folder of the results, which is made; a folder that has something else is refused."""
    if out is None:
        return tempfile.mkdtemp(prefix="lanescope-fleet-")
    out = os.path.abspath(os.fsdecode(out))
    os.makedirs(out, exist_ok=True)
    held = set(os.listdir(out))
    if held and not resume:
        raise FileExistsError(f"{out} is not empty: name a new folder, or go on with a fleet there by --resume")
    if held and not held <= {"data", "results", "fleet.json", "report.html"}:
        raise FileExistsError(f"{out} has other files than those of a fleet: name another folder")
    return out
