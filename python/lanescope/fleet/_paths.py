"""Finds the files of a fleet. Paths, folders, patterns and URLs become sources, with a stamp that shows changes."""

import dataclasses
import glob
import hashlib
import os
import posixpath
import re

import lanescope

ENDINGS = (".json", ".json.gz", ".json.zst", ".spool", ".pftrace", ".perfetto-trace", ".sqlite", ".rpd", ".xplane.pb")
NOT_TRACES = {"truth.json"}  # written by lanescope.fleet.synthetic
PATTERN = re.compile(r"[*?\[]")


@dataclasses.dataclass(frozen=True)
class Source:
    """A file or object. `stamp`: modification time and inode of a file, ETag or time of an object, or "" if unknown.
    `missing`: why it cannot be accessed, or ""."""

    path: str
    size: int
    stamp: str
    missing: str = ""

    @property
    def key(self):
        """Identifies the file in the results: the start of the SHA-256 of its path."""
        return hashlib.sha256(self.path.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    @property
    def name(self):
        return posixpath.basename(self.path.rstrip("/"))

    def rank_in_name(self):
        """The last number after "rank" in the name, or None."""
        return lanescope._native.rank_in_name(self.name.encode("utf-8", "replace").decode())


def is_url(text):
    return re.match("[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def sources_of(paths):
    """The sources of all paths, without duplicates. Files of a folder or pattern are sorted by name. Raises FileNotFoundError for
    a folder or pattern without traces."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    found = {}
    for path in paths:
        text = os.fsdecode(path)
        for source in _remote(text) if is_url(text) else _local(text):
            found.setdefault(source.path, source)
    if not found:
        raise FileNotFoundError("lanescope.fleet needs traces, and there are none")
    return list(found.values())


def _is_trace(name):
    return name.endswith(ENDINGS) and name not in NOT_TRACES


def _local(text):
    if os.path.isdir(text):
        names = [os.path.join(text, name) for name in sorted(os.listdir(text)) if _is_trace(name)]
    elif os.path.exists(text) or not PATTERN.search(text):
        names = [text]
    else:
        names = [name for name in sorted(glob.glob(text, recursive=True)) if os.path.isfile(name)]
    if not names:
        raise FileNotFoundError(f"{text}: there are no traces")
    return [_file(os.path.abspath(name)) for name in names]


def _file(path):
    try:
        facts = os.stat(path)
    except OSError as problem:
        return Source(path, 0, "", problem.strerror or str(problem))
    return Source(path, facts.st_size, f"{facts.st_mtime_ns} {facts.st_ino}")


def _remote(text):
    import fsspec

    store, path = fsspec.core.url_to_fs(text)
    if PATTERN.search(path):
        names = sorted(store.glob(path))
    elif store.isdir(path):
        names = sorted(name for name in store.ls(path, detail=False) if _is_trace(posixpath.basename(name)))
    else:
        names = [path]
    if not names:
        raise FileNotFoundError(f"{text}: there are no traces")
    return [_object(store, name) for name in names]


def _object(store, path):
    url = store.unstrip_protocol(path)
    try:
        facts = store.info(path)
    except OSError as problem:
        return Source(url, 0, "", str(problem) or type(problem).__name__)
    stamp = next((facts[key] for key in ("ETag", "etag", "LastModified", "mtime", "created") if facts.get(key)), "")
    return Source(url, facts.get("size") or 0, str(stamp))
