"""Written by scripts/python_stub."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from subprocess import Popen
from typing import Any, Literal

import pandas
import polars
import pyarrow

from lanescope.profiling import profile as profile

Path = str | bytes | PathLike[str] | PathLike[bytes]
Value = int | float | str | list[int] | None
Parameter = int | float | str | None
Parameters = Sequence[Parameter] | Mapping[str, Parameter]

__version__: str
__all__: list[str]
STATUSES: dict[int, str]

class Error(Exception):
    code: str
    path: str
    byte_offset: int | None
    def __init__(self, text: str, status: int = 8, path: str = "", byte_offset: int | None = None) -> None: ...

class Table:
    def __init__(self, rows: Any) -> None: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def __getitem__(self, column: str) -> list[Any]: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_arrow(self, dictionaries: bool = True) -> pyarrow.Table: ...
    def to_pandas(self, categories: bool = False) -> pandas.DataFrame: ...
    def to_polars(self, categories: bool = False) -> polars.DataFrame: ...

class Text(str): ...

class Picture(str):
    def save(self, path: Path) -> None: ...

class Comparison(Table):
    def __init__(self, handles: Any, given: dict[str, Any]) -> None: ...
    def text(self, format: Literal["text", "md", "json"] = "text") -> str: ...

class RankComparison:
    ranks: Table
    matched: Table
    arrivals: Table
    blame: Table
    late: Table
    verdicts: Table
    unmatched: Table
    problems: Table

class Trace:
    paths: list[str]
    def __init__(self, handle: Any, paths: list[str]) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Trace: ...
    def __exit__(self, *_: object) -> None: ...
    def table(self, name: str, **options: Any) -> Table: ...
    def sql(self, query: str, parameters: Parameters | None = None, timeout: str | None = None, memory: int | None = None, temporary: bool | None = None) -> Table: ...
    def summary(self, range: str | None = None) -> str: ...
    def summary_data(self, range: str | None = None) -> dict[str, Any]: ...
    def info(self) -> dict[str, Any]: ...
    def findings(self, range: str | None = None, min_share: str | None = None, threshold: Sequence[str] | None = None) -> Table: ...
    def findings_text(self, range: str | None = None, min_share: str | None = None, threshold: Sequence[str] | None = None) -> str: ...
    def find(self, expression: str, range: str | None = None, top: int | None = None) -> Table: ...
    def histogram(self, kernel: str | None = None, operator: str | None = None, range: str | None = None) -> Table: ...
    def what_if(self, kernel: str | None = None, operator: str | None = None, faster: float | None = None, range: str | None = None, top: int | None = None) -> Table: ...
    def timeline(self, range: str | None = None, select: str | None = None, lanes: str | None = None, color: str | None = None, theme: Literal["dark", "light"] | None = None, width: float | None = None, scale: float | None = None) -> Picture: ...
    def report(self, path: Path, range: str | None = None, max_size: float | None = None) -> None: ...
    def show(self, select: str | None = None) -> Popen[bytes]: ...
    def breakdown(self, *, by: Literal["group", "tracelens"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Where the time of each GPU goes: computing, communication, memory, idle."""
    def collectives(self, *, by: Literal["call", "work"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Collectives: size, bandwidth, and the time that no computation hides."""
    def compile(self, *, by: Literal["graph", "kernel", "break", "recompile", "line"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Functions that torch.compile compiled, and the calls of their code."""
    def critical_path(self, *, by: Literal["name", "segment"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """What each step's time is made of along its critical path."""
    def dead_windows(self, *, by: Literal["parent"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Time of at least 1 µs inside operators and annotations during which nothing that they call runs."""
    def gaps(self, *, by: Literal["hta"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Idle gaps of each GPU and of single streams, and what they waited for."""
    def hotspots(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Kernels by lost time: how much longer they take than the device needs at best."""
    def kernels(self, *, by: Literal["config", "family", "instance", "node"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Kernels, copies and sets: how often each ran, and how long it took."""
    def lanes(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """The contents of each lane, and its busy time."""
    def launches(self, *, by: Literal["queue", "stream", "summary"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Every launch of GPU work: how long it waited, and after how many others."""
    def memory(self, *, by: Literal["device", "largest", "module", "operator", "step", "unfreed"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Memory of each device: its peak, and what the allocator reserved."""
    def models(self, *, by: Literal["coverage", "warning", "step"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Operators: their work by shapes, its minimum time, and the lost time."""
    def modules(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """The model's modules as a tree, with the cost of each part."""
    def operators(self, *, by: Literal["shape", "stack", "module", "step", "thread"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Calls, time, memory and work of every operator, as torch.profiler counts them."""
    def roofline(self, *, by: Literal["roof"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Operators: operations per byte and per second, compared with the device's roof."""
    def samples(self, *, by: Literal["caller", "process", "range", "thread"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Functions by the samples of stacks that contain them."""
    def sections(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Annotations as timers: how long each kind takes from run to run."""
    def slices(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Everything that has a begin and an end, by name, on CPUs and GPUs."""
    def steps(self, *, by: Literal["breakdown"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Steps: how long each took, and what limited it."""
    def synchronisations(self, *, by: Literal["call", "cause"] | None = None, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Calls in which the host waits for the GPU, what they wait for, and who caused them."""
    def traces(self, *, range: str | None = None, group_by: str | None = None, sort: str | None = None, reverse: bool = False, top: int | None = None) -> Table:
        """Several traces side by side, a row each."""
    def notes(self) -> Table:
        """Marks and notes that were made on the trace."""
    def gpu_activity(self) -> Table:
        """Kernels, copies and sets on GPUs."""
    def runtime_call(self) -> Table:
        """Calls of the CUDA or HIP runtime and driver."""
    def operator_call(self) -> Table:
        """Calls of operators."""
    def annotation(self) -> Table:
        """Annotations of users."""
    def step(self) -> Table:
        """Steps of training or inference."""
    def gap(self) -> Table:
        """Idle gaps of GPUs and streams."""

def open(*paths: Path | Sequence[Path], align: str | None = None, specs: str | None = None, graph_captures: Path | Sequence[Path] | None = None, compile_artifacts: Path | Sequence[Path] | None = None, classes: Path | None = None, progress: Callable[[int, int], object] | Literal[False] | None = None, workers: int | None = None, memory: int | None = None) -> Trace: ...
def sql(query: str, *traces: Trace | Path, parameters: Parameters | None = None, timeout: str | None = None, memory: int | None = None, temporary: bool | None = None) -> Table: ...
def compare(a: Trace | Path, b: Trace | Path, *others: Trace | Path, range: str | None = None, top: int | None = None, baseline: int | None = None) -> Comparison: ...
def compare_ranks(calls: Any, work: Any = None, traces: Any = None, **limits: float | None) -> RankComparison: ...
def tables() -> Table: ...
def columns(table: str | None = None) -> Table: ...
def record(command: Sequence[str], output: Path | None = None, options: Sequence[str] = ()) -> Trace: ...
def attach(pid: int, duration: str = "2s", output: Path | None = None) -> Trace: ...
