"""Opening files and URLs, with progress."""

import importlib.util as _util
import json as _json
import os as _os
import posixpath as _posixpath
import re as _re
import sys as _sys

from lanescope import _native

REMOTE = ("http://", "https://", "s3://")


def is_remote(text):
    return text.lower().startswith(REMOTE)


def _with_usual_scheme(text):
    """The URL with its scheme in small letters, as fsspec needs it; any other text as it is."""
    scheme, colon, rest = text.partition(":")
    return scheme.lower() + colon + rest if is_remote(text) else text


class _Bar:
    """A bar of tqdm, which appears only if a load takes long enough to notice."""

    def __init__(self, name):
        self._name = name
        self._bar = None
        self._calls = 0

    def _make(self, total):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of characters
            import tqdm.auto
        return tqdm.auto.tqdm(total=total or None, unit="B", unit_scale=True, desc=self._name, leave=False)

    def __call__(self, done, total):
        self._calls += 1
        if self._bar is None and self._calls >= 3:
            self._bar = self._make(total)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()


def _in_notebook():
    return "ipykernel" in _sys.modules


def _bar(name):
    if not (_in_notebook() or (_sys.stderr is not None and _sys.stderr.isatty())):
        return None
    return _Bar(name) if _util.find_spec("tqdm") else None


def _size_of(remote):
    """The size of a remote file in bytes; None if its server does not state it."""
    try:
        return remote.fs.size(remote.path)
    except Exception:  # the read that follows raises what is wrong
        return None


def _open_remote(url, options, progress):
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{url}: URLs need fsspec: pip install fsspec, and aiohttp for http, s3fs for s3") from None
    name = _posixpath.basename(url.split("?")[0].split("#")[0]) or "stream"
    # The whole file is read once, from its begin to its end: a cache of blocks would only cost memory.
    remote = fsspec.open(url, "rb", **({"block_size": 0} if url.startswith("http") else {}))
    options = {**options, "name": name, "size": _size_of(remote)}
    with remote as file:
        return _native.open_stream(file.read, _json.dumps(options), progress)


def _check_scheme(text):
    """Raises ValueError for URLs of schemes that cannot be opened. The message names an alternative."""
    scheme = _re.match("([A-Za-z][A-Za-z0-9+.-]*)://", text)
    if scheme is None or text.startswith(REMOTE) or _os.path.exists(text):
        return
    instead = {"file": "give the path of the file, without file://",
               "ssh": "the command line and the window open ssh:// addresses; copy the file with scp to open it in Python",
               }.get(scheme[1].lower(), "copy the file, and open the copy")
    raise ValueError(f"{text}: {scheme[1]}:// cannot be opened, only files and URLs of http, https and s3; {instead}")


def _text_of_path(path):
    return None if path is None else _os.fsdecode(path)


def _texts_of_paths(paths):
    if isinstance(paths, (str, bytes, _os.PathLike)):
        paths = [paths]
    return [_os.fsdecode(path) for path in paths or ()] or None


def options_of(align, specs, classes, graph_captures, compile_artifacts):
    """What is opened with the files, as the options of the same names."""
    return {"align": align, "specs": _text_of_path(specs), "classes": _text_of_path(classes),
            "graph-capture": _texts_of_paths(graph_captures), "compile-artifacts": _texts_of_paths(compile_artifacts)}


def open_all(paths, options, progress):
    """The handle of a trace, and its paths as texts."""
    texts = [_with_usual_scheme(_os.fsdecode(path)) for path in paths]
    for text in texts:
        _check_scheme(text)
    options = {key: value for key, value in options.items() if value is not None}
    bar = _bar(_os.path.basename(texts[0])) if progress is None else None
    try:
        remote = [text for text in texts if text.startswith(REMOTE)]
        if not remote:
            paths = [_os.fsencode(text) for text in texts]
            return _native.open(paths, _json.dumps(options), progress or bar or None), texts
        if len(texts) > 1:
            raise ValueError(f"{remote[0]}: a URL is opened alone; several files must be local")
        return _open_remote(texts[0], options, progress or bar or None), texts
    finally:
        if bar is not None:
            bar.close()
