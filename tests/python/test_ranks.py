"""Tests the comparison of ranks in Python: its inputs, and that its results equal those of the command line."""
import json

import lanescope as ls
import pytest

pyarrow = pytest.importorskip("pyarrow")


def written(folder, rank, offset, idle):
    """A recording of one of three ranks: ten steps with a kernel, and an all-reduce that ends 900 µs after the step's start."""
    events = []

    def add(cat, name, tid, begin, end, number, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if cat == "kernel" else 100, "tid": tid, "ts": begin + offset,
                       "dur": end - begin, "args": {"correlation": number, "device": 0, "stream": 7, **args}})
    for step in range(10):
        t = 1000 * step
        add("user_annotation", f"ProfilerStep#{step}", 1, t, t + 1000, 0)
        for i, (name, begin, end) in enumerate((("gemm", 20 + idle, 320 + idle), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 320 + idle, 900))):
            more = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2]", "Group size": 3,
                    "In msg nelems": 64, "Out msg nelems": 64, "dtype": "Float", "Seq": step + 1} if i else {}
            add("cuda_runtime", "cudaLaunchKernel", 1, t + begin - 8, t + begin - 4, 2 * step + i + 1)
            add("kernel", name, 7, t + begin, t + end, 2 * step + i + 1, **more)
    path = folder / f"rank{rank}.json"
    path.write_text(json.dumps({"distributedInfo": {"rank": rank, "world_size": 3}, "traceEvents": events}))
    return path


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    return [written(folder, 0, 0, 0), written(folder, 1, 50_000, 150), written(folder, 2, -70_000, 0)]


@pytest.fixture(scope="module")
def rows(paths):
    calls, work, traces = [], [], []
    for path in paths:
        with ls.open(path, progress=False) as trace:
            calls.append(pyarrow.table(trace.collectives(by="call")))
            work.append(pyarrow.table(trace.collectives(by="work")))
            about = trace.info()["distributed"]
            traces.append({"trace": len(traces), "rank": about["rank"], "world_size": about["world_size"], "name": path.name})
    whole = [pyarrow.concat_tables([t.cast(pyarrow.schema([(f.name, pyarrow.string() if pyarrow.types.is_dictionary(f.type) else f.type)
                                                           for f in t.schema])) for t in tables]) for tables in (calls, work)]
    return (*whole, pyarrow.Table.from_pylist(traces))


def test_it_finds_what_the_command_line_finds(paths, rows, command_line):
    calls, work, traces = rows
    found = ls.compare_ranks(calls, work, traces)
    names = {"ranks": "", "matched": "call", "arrivals": "arrival", "blame": "blame", "late": "late", "unmatched": "unmatched",
             "problems": "problem"}
    for name, form in names.items():
        expected = command_line("table", "ranks", *paths, *(("--by", form) if form else ()))
        if name == "ranks":
            for number, row in enumerate(expected):
                row["name"] = f"rank{number}.json"
        assert getattr(found, name).to_dicts() == expected, name
    [verdict] = found.verdicts.to_dicts()
    assert (verdict["verdict"], verdict["rank"], verdict["cost_ns"], verdict["calls"]) == ("slow-host", 1, 9 * 150_000, 9), verdict
    assert verdict["text"].startswith("rank1.json comes late to 9 collectives in steps 1 to 9, by 1.35 ms in all"), verdict
    assert [row["offset_ns"] for row in found.ranks] == [0, 50_000_000, -70_000_000]
    joined = ls.open(*paths, progress=False)
    assert joined.table("ranks", by="blame").to_dicts() == found.blame.to_dicts()


def test_forms_of_arrow(rows):
    """Chunks, dictionaries, other widths, floats with NaN instead of null, and another order of columns give the same result."""
    calls, work, traces = rows
    expected = ls.compare_ranks(calls, work, traces).arrivals.to_dicts()
    kinds = {"kind": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "group": pyarrow.large_string(), "rank": pyarrow.int16(),
             "step": pyarrow.float64(), "host": pyarrow.uint8()}
    other = calls.select(sorted(calls.column_names, reverse=True))
    other = other.cast(pyarrow.schema([(f.name, kinds.get(f.name, f.type)) for f in other.schema]))
    other = other.set_column(other.column_names.index("peer"), "peer", pyarrow.nulls(len(other)))
    chunks = pyarrow.concat_tables([other.slice(i, 7) for i in range(0, other.num_rows, 7)])
    assert ls.compare_ranks(chunks, work).arrivals.to_dicts() == [{**row, "trace": row["rank"]} for row in expected]
    assert len(ls.compare_ranks(calls).late) == 0 and len(ls.compare_ranks(calls).matched) == 10
    assert len(ls.compare_ranks(calls, min_lateness_us=1000).verdicts) == 0


def test_what_is_wrong_is_said(rows):
    calls, work, traces = rows
    for wrong in (calls.drop_columns(["begin_ns"]), calls.set_column(0, "rank", pyarrow.array(["a"] * calls.num_rows)),
                  calls.set_column(0, "rank", pyarrow.nulls(calls.num_rows, pyarrow.int64())),
                  calls.set_column(calls.column_names.index("end_ns"), "end_ns", pyarrow.array([0] * calls.num_rows))):
        with pytest.raises(ls.Error) as raised:
            ls.compare_ranks(wrong, work)
        assert raised.value.code == "usage", raised.value
    with pytest.raises(ls.Error, match="no work of the kind"):
        ls.compare_ranks(calls, work.set_column(work.column_names.index("what"), "what", pyarrow.array(["x"] * work.num_rows)))
    with pytest.raises(ls.Error):
        ls.compare_ranks(calls, no_such_limit=1)
    missing = pyarrow.concat_tables([traces, pyarrow.Table.from_pylist([{"trace": 3, "rank": 1, "world_size": 3, "name": "twice"}])])
    problems = ls.compare_ranks(calls, work, missing).problems.to_dicts()
    assert [(row["problem"], row["trace"]) for row in problems] == [("rank-twice", 3)], problems
