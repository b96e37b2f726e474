"""The task of a worker: reads one trace, and writes its small tables as Parquet."""

import hashlib
import json
import os

import lanescope
from lanescope.fleet import _paths, _store

# The tables to keep of each trace, with their options.
TABLES = {"calls": ("collectives", {"by": "call"}), "work": ("collectives", {"by": "work"}), "steps": ("steps", {}),
          "breakdown": ("breakdown", {}), "kernels": ("kernels", {}), "operators": ("operators", {}),
          "memory": ("memory", {"by": "device"}), "findings": ("findings", {}), "figures": ("traces", {})}
BY_RANK = ("calls", "work")  # tables with a column `rank`: one file may hold several ranks


class _Hashing:
    """Reads a stream, and computes its hash."""

    def __init__(self, file):
        self._file, self.hash = file, hashlib.sha256()

    def read(self, size):
        data = self._file.read(size)
        self.hash.update(data)
        return data


def hash_of(path):
    """The hexadecimal SHA-256 of a file or object."""
    import fsspec

    with fsspec.open(path, "rb") if _paths.is_url(path) else open(path, "rb") as file:
        hashing = _Hashing(file)
        while hashing.read(1 << 20):
            pass
    return hashing.hash.hexdigest()


def _open(source, memory):
    """Returns the trace and the SHA-256 of its file."""
    if not _paths.is_url(source.path):
        return lanescope.open(source.path, progress=False, workers=1, memory=memory), hash_of(source.path)
    import fsspec

    options = {"name": source.name, "size": source.size or None, "workers": 1, "memory": memory}
    with fsspec.open(source.path, "rb") as file:
        hashing = _Hashing(file)
        handle = lanescope._native.open_stream(hashing.read, lanescope._options(options), None)
    return lanescope.Trace(handle, [source.path]), hashing.hash.hexdigest()


def read(out, source, number, memory, keep=""):
    """Reads one trace, and writes its tables. `number`: the rank, if neither the file nor its name states one. `keep`: "same" keeps what
    was read from a file of the same size and time, "hash" also compares the content; "" reads the file again. Returns its rank
    and what states the rank, {"rank", "rank_from"}, or what is wrong with the trace, {"problem", "text"}."""
    facts = _kept(out, source, number, keep == "hash") if keep else None
    if facts is None:
        _store.remove_parts(out, source.key)
        if source.missing:
            return {"problem": "unreadable", "text": source.missing}
        try:
            tables, facts = _tables_of(source, number, memory)
        except lanescope.Error as error:
            return {"problem": f"trace-{error.code.replace('_', '-')}", "text": _without(source.path, str(error))}
        except Exception as error:  # of fsspec and its stores, which raise errors of many kinds
            return {"problem": "unreadable", "text": f"{type(error).__name__}: {_without(source.path, str(error))}"}
        _write(out, source, tables, facts)
    return {"rank": facts["rank"], "rank_from": facts["rank_from"]}


def _without(path, text):
    return text[len(path):].lstrip(": ") if text.startswith(path) else text


def _tables_of(source, number, memory):
    trace, digest = _open(source, memory)
    with trace:
        info = trace.info()
        tables = {name: trace.table(table, **options).to_arrow() for name, (table, options) in TABLES.items()}
    return tables, _facts(source, number, info, digest, _has_devices(tables["calls"]))


def _has_devices(calls):
    """Whether a file has several ranks, which are numbers of its devices."""
    import pyarrow.compute

    return len(pyarrow.compute.unique(calls["rank"].drop_null())) > 1


def _cut(info):
    """The message that the file is truncated, or ""."""
    told = [warning["text"] for warning in info.get("warnings") or [] if warning["code"].startswith("truncated")]
    return told[-1] if told else ""


def _unix_begin(clock):
    """The Unix time of the first event, or None if the file does not state it."""
    base = clock.get("unix_base_ns")
    return None if base is None else base + clock["begin_ns"]


def _facts(source, number, info, digest, has_devices):
    job, clock = info.get("distributed") or {}, info.get("clock") or {}
    ways = ((None if has_devices else job.get("rank"), "recorded"), (None if has_devices else source.rank_in_name(), "name"),
            (number, "device" if has_devices else "order"))
    rank, origin = next((rank, origin) for rank, origin in ways if rank is not None)
    return {"path": source.path, "size": source.size, "stamp": source.stamp, "sha256": digest,
            "program": lanescope.__version__, "layout": _store.LAYOUT, "rank": rank, "rank_from": origin,
            "world_size": job.get("world_size"), "backend": job.get("backend") or "", "producer": info.get("producer") or "",
            "format": info.get("format") or "", "host": clock.get("host") or "", "clock": clock.get("unix_base_from") or "",
            "devices": ", ".join(sorted({device.get("name") or "" for device in info.get("devices") or []})),
            "events": info.get("events"), "cut": _cut(info), "begin_ns": _unix_begin(clock)}


def _by_rank(table, facts):
    """Yields each rank with its rows, without the column `rank`. Rows without a rank belong to the rank of the file."""
    import pyarrow.compute

    ranks = pyarrow.compute.fill_null(table["rank"], facts["rank"])
    rows = table.drop_columns(["rank"])
    for rank in sorted(pyarrow.compute.unique(ranks).to_pylist()) or [facts["rank"]]:
        yield rank, rows.filter(pyarrow.compute.equal(ranks, rank))


def _write(out, source, tables, facts):
    import pyarrow

    parts = []
    for name, table in tables.items():
        for rank, rows in _by_rank(table, facts) if name in BY_RANK else [(facts["rank"], table)]:
            path = _store.part_path(out, name, rank, source.key)
            size = _store.write_table(path, rows)
            parts.append({"table": name, "rank": rank, "rows": len(rows), "bytes": size,
                          "path": os.path.relpath(path, os.path.join(out, "data"))})
    told = {**{key: value for key, value in facts.items() if key != "rank"}, "parts": json.dumps(parts)}
    schema = pyarrow.schema([(key, pyarrow.int64() if key in ("size", "layout", "world_size", "events", "begin_ns") else pyarrow.string())
                             for key in told])
    _store.write_table(_store.part_path(out, "facts", facts["rank"], source.key), pyarrow.Table.from_pylist([told], schema))


def _kept(out, source, number, verify):
    """The facts of a file that is still the same, if the results have all of it, or None. `verify` compares its content, too."""
    facts = _store.facts_of(out, source.key)
    if facts is None or source.missing:
        return None
    same = (facts["path"], facts["size"], facts["stamp"], facts["program"], facts["layout"]) == \
        (source.path, source.size, source.stamp, lanescope.__version__, _store.LAYOUT)
    same = same and (facts["rank_from"] in ("recorded", "name") or facts["rank"] == number)
    return facts if same and (not verify or hash_of(source.path) == facts["sha256"]) else None
