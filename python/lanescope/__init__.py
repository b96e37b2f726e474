"""Profiles of machine-learning programs: every table of Lanescope in Python. An example::

    import lanescope as ls
    t = ls.open("run.pt.trace.json.gz")
    print(t.summary())
    t.kernels(by="config", range="step:3").to_pandas()
    t.sql("select name, sum(dur) from slice group by 1 order by 2 desc limit 10")

Times are in ns. A range is `"A..B"` with units (`"1.2ms..3ms"`) or `"step:N"`.
"""

import json as _json
import os as _os
import sys as _sys

if "t" in getattr(_sys, "abiflags", ""):
    raise ImportError("Lanescope does not support free-threaded Python: use the usual build of this version")

from lanescope import _native  # noqa: E402

__all__ = "Error Table Trace attach columns compare compare_ranks open profile record sql tables".split()
__version__ = _native.version()

STATUSES = {1: "io", 2: "unsupported", 3: "damaged", 4: "empty", 5: "usage", 6: "cancelled", 7: "no_memory",
            8: "internal"}


class Error(Exception):
    """A failure of Lanescope. `code`: `"io"`, `"unsupported"`, `"damaged"`, `"empty"`, `"usage"`, `"cancelled"`,
    `"no_memory"` or `"internal"`. `path`: the file that is wrong, or `""`. `byte_offset`: the place in the
    decompressed file or in a query, or None."""

    def __init__(self, text, status=8, path="", byte_offset=None):
        super().__init__(f"{path}: {text}" if path and not text.startswith(path) else text)
        self.code = STATUSES.get(status, "internal")
        self.path = path
        self.byte_offset = byte_offset


_native.set_error(Error)


def _options(given):
    """The text of options; those that are None are left out."""
    return _json.dumps({key: value for key, value in given.items() if value is not None})


def _parameters(given):
    if given is None:
        return None
    from lanescope import _values

    return _values.parameters(given)


class Table:
    """Rows of plain values, by columns. Any reader of Arrow's PyCapsule interface takes it as it is:
    `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.sql("select * from t")`."""

    def __init__(self, rows):
        self._rows = rows
        self._names = None

    def __arrow_c_stream__(self, requested_schema=None):
        """Arrow's PyCapsule interface: a new stream over the rows, which shares their memory."""
        return _native.stream(self._rows)

    def __len__(self):
        """The number of rows."""
        return _native.row_count(self._rows)

    @property
    def columns(self):
        """The names of the columns."""
        if self._names is None:
            self._names = list(_native.columns_of(self._rows, 0, 0))
        return list(self._names)

    def __getitem__(self, column):
        """The values of a column as a list; unknown values are None."""
        return self.to_dict()[column]

    def __iter__(self):
        """The rows, a dict each."""
        block = 1024
        for first in range(0, len(self), block):
            values = _native.columns_of(self._rows, first, first + block)
            for row in zip(*values.values()):
                yield dict(zip(values, row))

    def to_dict(self):
        """A dict of lists, by column."""
        return _native.columns_of(self._rows, 0, len(self))

    def to_dicts(self):
        """A list of dicts, by row."""
        return list(self)

    def to_arrow(self, dictionaries=True):
        """A pyarrow.Table, which shares the memory. Texts are dictionary arrays, or plain strings if
        `dictionaries` is false."""
        import pyarrow

        table = pyarrow.table(self)
        if dictionaries:
            return table
        types = [field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type
                 for field in table.schema]
        fields = [field.with_type(type) for field, type in zip(table.schema, types)]
        return table.cast(pyarrow.schema(fields, metadata=table.schema.metadata))

    def to_pandas(self, categories=False):
        """A pandas.DataFrame. Texts are strings, or categories, which take less memory, if `categories` is true.
        Whole numbers with unknown values become pandas' Int64, so that no digit is lost."""
        import pandas
        import pyarrow

        table = self.to_arrow(dictionaries=categories)
        unknown = [field.name for field, column in zip(table.schema, table.columns)
                   if pyarrow.types.is_integer(field.type) and column.null_count]
        if not unknown:
            return table.to_pandas()
        # pyarrow would make floats of these columns, and floats lose digits of large numbers.
        series = {}
        for field, column in zip(table.schema, table.columns):
            if field.name in unknown:
                missing = column.is_null().to_numpy()
                series[field.name] = pandas.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), missing.copy())
        frame = table.drop_columns(unknown).to_pandas()
        return pandas.concat([frame, pandas.DataFrame(series, index=frame.index)], axis=1)[table.column_names]

    def to_polars(self, categories=False):
        """A polars.DataFrame. Texts are strings, or categories if `categories` is true."""
        import polars

        frame = polars.DataFrame(self)
        if categories:
            return frame
        texts = [name for name, type in frame.schema.items() if type in (polars.Categorical, polars.Enum)]
        return frame.with_columns(polars.col(texts).cast(polars.String)) if texts else frame

    def __repr__(self):
        from lanescope import _display

        return _display.text(self)

    def _repr_html_(self):
        from lanescope import _display

        return _display.html(self)


class Text(str):
    """A text whose representation is itself, so that a notebook shows its lines."""

    def __repr__(self):
        return str(self)


class Picture(str):
    """An SVG, which notebooks show as a picture."""

    def _repr_html_(self):
        return str(self)

    def __repr__(self):
        return f"<SVG of {len(self)} bytes>"

    def save(self, path):
        """Writes the SVG to a new file, whose name ends in .svg."""
        if not _os.fsdecode(path).endswith(".svg"):
            raise ValueError(f"{_os.fsdecode(path)}: a timeline is an SVG, so its name ends in .svg")
        with _open_new(path) as file:
            file.write(self)


def _open_new(path):
    return _os.fdopen(_os.open(path, _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL, 0o666), "w", encoding="utf-8")


class Trace:
    """An opened trace, with a method for each of lanescope.tables(). Any threads may use it. `with` closes it."""

    def __init__(self, handle, paths, opened_with=None):
        self._handle, self.paths = handle, paths
        self._opened_with = {f"--{name}": value for name, value in (opened_with or {}).items()}

    def _handles(self):
        if self._handle is None:
            raise ValueError("The trace is closed")
        return (self._handle,)

    def close(self):
        """Frees the memory as soon as no call uses the trace."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def table(self, name, **options):
        """A table by its name. Options are those of `lanescope table NAME`: by, range, group_by, sort, reverse, top."""
        return Table(_native.table(self._handles(), name, _options(options)))

    def sql(self, query, parameters=None, timeout=None, memory=None, temporary=None):
        """The rows of an SQL query. Perfetto's tables exist too: see the page about SQL. A trace of several files gives
        the rows of each file in turn; the column trace tells them apart. `parameters`: the values of
        `?` as a sequence, or those of `:name` as a mapping, as in Python's sqlite3: None, int, float or str; every
        parameter needs one, and every value a parameter. `timeout`: such as `"10s"`; `memory`: bytes at most (1 GiB);
        `temporary=False`: no temporary tables. Ctrl+C stops it."""
        given = {"timeout": timeout, "memory": memory, "temporary": temporary}
        return Table(_native.sql(self._handles(), query, _parameters(parameters), _options(given)))

    def summary(self, range=None):
        """What happened, on one screen. Notebooks show it with a picture of the timeline."""
        from lanescope import _display

        text = _native.text(self._handles(), "summary", _options({"range": range}))
        return _display.Summary(text, lambda: self.timeline(range=range))

    def summary_data(self, range=None):
        """The summary as a dict; times in ns."""
        return _json.loads(_native.text(self._handles(), "summary", _options({"range": range, "format": "json"})))

    def info(self):
        """Exact facts of the file, its job and clock, and its problems, as a dict. Of several files also how they were
        aligned, with the offset of each."""
        return _json.loads(_native.text(self._handles(), "info", _options({"format": "json"})))

    def findings(self, range=None, min_share=None, threshold=None):
        """What costs time, how much, why and where: a table, the largest cost first. `min_share`: such as `"1%"`;
        `threshold`: a list of `"RULE.NAME=VALUE"`."""
        return self.table("findings", range=range, min_share=min_share, threshold=threshold)

    def findings_text(self, range=None, min_share=None, threshold=None):
        """The findings in sentences, with evidence and advice."""
        given = {"range": range, "min_share": min_share, "threshold": threshold}
        return Text(_native.text(self._handles(), "findings", _options(given)))

    def find(self, expression, range=None, top=None):
        """The slices that match an expression, such as `"kernel dur>1ms"`."""
        return self.table("find", expression=expression, range=range, top=top)

    def histogram(self, kernel=None, operator=None, range=None):
        """Durations of a kernel or operator, whose name matches a regular expression: a row for each bin."""
        return self.table("histogram", kernel=kernel, operator=operator, range=range)

    def what_if(self, kernel=None, operator=None, faster=None, range=None, top=None):
        """Step time if something were faster; without kernel and operator: what would help most."""
        return self.table("what-if", kernel=kernel, operator=operator, faster=faster, range=range, top=top)

    def timeline(self, range=None, select=None, lanes=None, color=None, theme=None, width=None, scale=None):
        """The timeline as an SVG, which notebooks show."""
        given = {"range": range, "select": select, "lanes": lanes, "color": color, "theme": theme, "width": width,
                 "scale": scale}
        return Picture(_native.text(self._handles(), "timeline", _options(given)))

    def report(self, path, range=None, max_size=None):
        """Writes one HTML page with summary, findings, timeline and tables to a new file."""
        page = _native.text(self._handles(), "report", _options({"range": range, "max-size": max_size}))
        with _open_new(path) as file:
            file.write(page)

    def show(self, select=None):
        """Opens the window with the trace. `select`: the name of a slice to go to."""
        from lanescope import _programs

        return _programs.show(self.paths, {**self._opened_with, "--select": select})

    def __repr__(self):
        return f"<lanescope.Trace {', '.join(self.paths)}>"


def open(*paths, align=None, specs=None, graph_captures=None, compile_artifacts=None, classes=None, progress=None, workers=None, memory=None):
    """Opens a trace, or several on a common clock. Paths may be URLs of http, https and s3, which need the package fsspec.
    `align`: `"start"`, `"clock"`, `"step:N"` or `"event:NAME"`; `specs`: what devices can do; `graph_captures`: captures of
    replayed graphs; `compile_artifacts`: logs of TORCH_TRACE, or folders with logs or caches; `classes`: classes of kernels;
    `progress`: a function of the bytes read and of all bytes (0: unknown), or False: by default tqdm's bar if it is there;
    `workers`: threads that read, by default one for each core; `memory`: bytes that loading may take."""
    from lanescope import _opening

    if len(paths) == 1 and isinstance(paths[0], (list, tuple)):
        paths = tuple(paths[0])
    if not paths:
        raise TypeError("lanescope.open() takes a path")
    about = _opening.options_of(align, specs, classes, graph_captures, compile_artifacts)
    return Trace(*_opening.open_all(paths, {**about, "workers": workers, "memory": memory}, progress), about)


def sql(query, *traces, parameters=None, timeout=None, memory=None, temporary=None):
    """Runs a query over traces or paths in turn; the column trace tells rows apart. Options: see Trace.sql()."""
    if not traces:
        raise TypeError("lanescope.sql() takes a query, and traces or paths")
    opened = [_opened(trace) for trace in traces]
    handles = tuple(handle for trace in opened for handle in trace._handles())
    given = {"timeout": timeout, "memory": memory, "temporary": temporary}
    return Table(_native.sql(handles, query, _parameters(parameters), _options(given)))


def _opened(trace):
    return trace if isinstance(trace, Trace) else open(trace)


class Comparison(Table):
    """What changed from A to B: a row for the step, then one for each function. print() shows it in sentences."""

    def __init__(self, handles, given):
        self._handles = handles
        self._given = given
        super().__init__(_native.table(handles, "compare", _options(given)))

    def text(self, format="text"):
        """The comparison in sentences; `format="md"` is for a pull request, `"json"` for scripts."""
        return Text(_native.text(self._handles, "compare", _options({**self._given, "format": format})))

    def __str__(self):
        return str(self.text())


def compare(a, b, *others, range=None, top=None, baseline=None, phase=None):
    """What changed between runs: paths or traces. The first is compared with each of the others. `baseline`: the number,
    at least five, of leading runs of one program; their variation decides which changes count. `phase`: "decode", …"""
    handles = tuple(_opened(trace)._handles()[0] for trace in (a, b, *others))
    return Comparison(handles, {"range": range, "top": top, "baseline": baseline, "phase": phase})


def tables():
    """All tables and texts by name, with what they contain."""
    return Table(_native.tables())


def columns(table=None):
    """The columns of a table with their units and definitions, or of all tables."""
    return Table(_native.columns(table))


def profile(path, active=None, wait=0, warmup=None, shapes=True, stacks=True, memory=True, quiet=False):
    """Records the PyTorch code of a `with` block with torch.profiler, and writes a trace: `active` steps after `wait`
    and `warmup` steps (1 by default if `active` is given). Call step() at the end of each step; without `active` the
    whole block is recorded. An example::

        with ls.profile("run.json.gz", active=3) as p:
            for batch in loader:
                train(batch)
                p.step()

    Shapes of inputs, Python's stacks with the calls of modules, and allocations are what Lanescope's tables need. They
    cost time: pass `stacks=False` or `memory=False` for less. At the end the summary is printed, unless `quiet`. If the
    block ends early, what was recorded until then is kept. An existing file is not replaced."""
    from lanescope import profiling

    return profiling.profile(path, active, wait, warmup, shapes, stacks, memory, quiet)


def record(command, output=None, options=()):
    """Runs a program under `lanescope record` and opens what was recorded. `command`: a list of words; `output`: the
    new file, by default in a temporary folder, which is kept; `options`: words for `lanescope record`."""
    from lanescope import _programs

    return open(_programs.record(command, output, options))


def attach(pid, duration="2s", output=None):
    """Makes a running PyTorch process record for `duration`, and opens the trace. The process must have been started
    with `KINETO_USE_DAEMON=1`. `output`: the new file, by default in a temporary folder, which is kept."""
    from lanescope import _programs

    return open(_programs.attach(pid, duration, output))


def _add_table_methods():
    """A method of Trace for each table of the registry of one trace, and for each table of single events."""
    listed = _native.columns_of(_native.tables(), 0, 1 << 20)
    forms = {}
    for name, by, kind, about in zip(listed["name"], listed["by"], listed["kind"], listed["about"]):
        if kind != "text" and name not in ("compare", "ranks"):
            forms.setdefault(name, (about, kind, []))[2].append(by)
    for name, (about, kind, words) in forms.items():
        method = name.replace("-", "_")
        if not hasattr(Trace, method):
            # Single events and notes have no forms and take no options.
            words = None if kind == "event table" or name == "notes" else [word for word in words if word]
            setattr(Trace, method, _table_method(name, method, about, words))


def _table_method(name, method, about, forms):
    def make(self, **options):
        return self.table(name, **options)

    by, word = (f" by: {', '.join(forms)}.", "by, ") if forms else ("", "")
    options = f" Options: {word}range, group_by, sort, reverse, top."
    make.__name__, make.__qualname__ = method, f"Trace.{method}"
    make.__doc__ = f"{about}{by}{'' if forms is None else options} Columns: lanescope.columns({name!r})."
    return make


_add_table_methods()
from lanescope._ranks import compare_ranks  # noqa: E402
