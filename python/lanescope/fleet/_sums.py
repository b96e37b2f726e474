"""Statistics over the ranks of a fleet: steps, transfers, and one table of all problems."""

import statistics

from lanescope.fleet import _store


def _steps_of(out, of_file):
    rows = _store.read_part(out, of_file, "steps").to_pylist()
    return [row for row in rows if row["index"] is not None and row["time_ns"] is not None]


def with_steps(ranks, out, sources, facts):
    """Sets the names of the files in the table `ranks`, and adds columns on the steps of each rank, which are null without steps."""
    import pyarrow

    sums = {number: {**_sums_of(_steps_of(out, of_file)), "mfu": _mfu_of(out, of_file)} for number, of_file in facts.items()}
    names = [sources[number].name for number in ranks["trace"].to_pylist()]
    ranks = ranks.set_column(ranks.schema.get_field_index("name"), "name", pyarrow.array(names, pyarrow.string()))
    for name, type in (("steps", pyarrow.int64()), ("step_ns", pyarrow.int64()), ("busy_share", pyarrow.float64()),
                       ("exposed_communication_share", pyarrow.float64()), ("mfu", pyarrow.float64())):
        ranks = ranks.append_column(name, pyarrow.array([sums[number][name] for number in ranks["trace"].to_pylist()], type))
    return ranks


def _mfu_of(out, of_file):
    row, = _store.read_part(out, of_file, "figures").select(["mfu"]).to_pylist()
    return row["mfu"]


def _sums_of(rows):
    whole = sum(row["time_ns"] for row in rows)
    if not whole:
        return {"steps": len(rows), "step_ns": None, "busy_share": None, "exposed_communication_share": None}
    return {"steps": len(rows), "step_ns": round(statistics.median(row["time_ns"] for row in rows)),
            "busy_share": sum(row["gpu_busy_ns"] or 0 for row in rows) / whole,
            "exposed_communication_share": sum(row["exposed_communication_ns"] or 0 for row in rows) / whole}


def steps(out, facts):
    """A row for each step, with its times over the ranks."""
    import pyarrow

    times = {}
    for of_file in facts.values():
        for row in _steps_of(out, of_file):
            times.setdefault(row["index"], []).append(row["time_ns"])
    rows = [{"step": step, "ranks": len(of_step), "shortest_ns": min(of_step), "median_ns": round(statistics.median(of_step)),
             "longest_ns": max(of_step)} for step, of_step in sorted(times.items())]
    names = ("step", "ranks", "shortest_ns", "median_ns", "longest_ns")
    return pyarrow.Table.from_pylist(rows, pyarrow.schema([(name, pyarrow.int64()) for name in names]))


def _bus_factor(kind, ranks):
    """Bus bandwidth / algorithm bandwidth, as nccl-tests defines them."""
    if kind == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if kind in ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter") else 1


def transfers(matched):
    """A row for each kind, message size and group size, over the calls that all ranks of their group recorded."""
    import pyarrow

    times = {}
    for row in matched.select(["kind", "bytes", "group_size", "ranks", "transfer_ns"]).to_pylist():
        if row["bytes"] and row["group_size"] == row["ranks"] and row["transfer_ns"] > 0:
            times.setdefault((row["kind"], row["bytes"], row["group_size"]), []).append(row["transfer_ns"])
    rows = []
    for (kind, size, ranks), of_kind in sorted(times.items()):
        middle = statistics.median(of_kind)
        rows.append({"kind": kind, "bytes": size, "group_size": ranks, "calls": len(of_kind), "total_ns": sum(of_kind),
                     "median_ns": round(middle), "longest_ns": max(of_kind), "bus_gb_per_s": size / middle * _bus_factor(kind, ranks)})
    schema = [("kind", pyarrow.string())] + [(name, pyarrow.int64()) for name in
                                             ("bytes", "group_size", "calls", "total_ns", "median_ns", "longest_ns")]
    return pyarrow.Table.from_pylist(rows, pyarrow.schema([*schema, ("bus_gb_per_s", pyarrow.float64())]))


def problems(found, sources, facts, broken, explained):
    """One table of the files' problems and the problems of the comparison."""
    import pyarrow

    rows = [{"problem": what["problem"], "trace": number, "rank": sources[number].rank_in_name(), "text": what["text"]}
            for number, what in sorted(broken.items())]
    rows += [{"problem": "trace-truncated", "trace": number, "rank": of_file["rank"], "text": of_file["cut"]}
             for number, of_file in facts.items() if of_file["cut"]]
    rows += found.to_pylist()
    if explained is not None:
        rows.append({"problem": "not-all-explained", "trace": None, "rank": None,
                     "text": f"the {explained[0]} of {explained[1]} steps with the longest waits were explained; costs are those of these steps"})
    for row in rows:
        row["name"] = None if row["trace"] is None else sources[row["trace"]].name
    schema = pyarrow.schema([("problem", pyarrow.string()), ("trace", pyarrow.int64()), ("rank", pyarrow.int64()),
                             ("name", pyarrow.string()), ("text", pyarrow.string())])
    return pyarrow.Table.from_pylist(rows, schema)
