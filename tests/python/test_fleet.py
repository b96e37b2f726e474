"""Tests fleets of synthetic traces: all known faults are found with rank, step and cost, and nothing else is found."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import BIN, SYNTHETIC

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
import lanescope as ls  # noqa: E402
import lanescope.fleet  # noqa: E402
from lanescope.fleet import _kineto, _paths, _store, synthetic  # noqa: E402

RANKS, STEPS = 8, 10
FAULTS = {"slow-gpu": ("slow-gpu:rank=5,from=6,factor=1.2", "slow-gpu"),
          "slow-host": ("slow-host:rank=2,from=4,factor=12", "slow-host"),
          "data-loader": ("data-loader:rank=3,from=5,to=5,ms=20", "data-loader"),
          "late-link": ("late-link:rank=6,from=5,factor=3", "slow-link"),
          "imbalance": ("imbalance:rank=1,from=3,factor=1.25", "more-work")}


@pytest.fixture(scope="module")
def client():
    """A client with one worker in this process."""
    import distributed

    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as one:
        yield one


def generate(folder, *words):
    words = [str(folder), "--ranks", str(RANKS), "--steps", str(STEPS), *words]
    assert synthetic.main(words) == 0
    return json.loads((folder / "truth.json").read_text())


def data_of(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(pathlib.Path(out).glob("data/**/*.parquet"))}


def analyse(client, paths, out, **options):
    return ls.fleet.analyse(paths, client, out, **options)


@pytest.fixture(scope="module")
def healthy(client, tmp_path_factory):
    """A job without a fault, whose clocks differ and drift: its traces, truth and results."""
    folder = tmp_path_factory.mktemp("healthy")
    truth = generate(folder / "traces", "--fault", "clock:offset=50,drift=20")
    return folder / "traces", truth, analyse(client, folder / "traces", folder / "out")


def problems_of(fleet):
    return {(row["problem"], row["rank"]) for row in fleet.problems.to_pylist()}


def test_the_same_seed_writes_the_same_bytes(tmp_path, capsys):
    def written(name, *words):
        generate(tmp_path / name, "--fault", "clock:offset=50,drift=20", *words)
        return [path.read_bytes() for path in sorted((tmp_path / name).iterdir())]
    assert written("a") == written("b") != written("c", "--seed", "1")


@pytest.mark.parametrize("fault, expected", [("slow", "no fault is named slow"), ("slow-gpu:rank=1", "needs rank and factor"),
                                             ("slow-gpu:rank=8,factor=2", "ranks are 0 to 7"), ("slow-gpu:rank=1,factor=x", "needs a number"),
                                             ("slow-gpu:rank=1,factor=0.5", "too small"), ("data-loader:rank=1,ms=1,to=99", "steps 0 to 9"),
                                             ("clock:speed=1", "no option is named speed")])
def test_wrong_faults_are_explained(tmp_path, capsys, fault, expected):
    assert synthetic.main([str(tmp_path / "x"), "--ranks", "8", "--steps", "10", "--fault", fault]) == 2
    assert expected in capsys.readouterr().err and not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_rank_step_and_cost(client, tmp_path, name):
    words, expected = FAULTS[name]
    truth, = generate(tmp_path / "traces", "--fault", words, "--fault", "clock:offset=50,drift=20")["faults"]
    fleet = analyse(client, tmp_path / "traces", tmp_path / "out")
    first = fleet.findings[0]
    assert (first["id"], first["rank"], first["first_step"], first["last_step"]) == \
        (expected, truth["rank"], truth["first_step"], truth["last_step"]), fleet.findings
    assert first["cost_ns"] == pytest.approx(truth["cost_ns"], rel=0.02)
    assert {finding["rank"] for finding in fleet.findings} == {truth["rank"]}, fleet.findings
    assert f"Rank {truth['rank']} holds the others up" in str(fleet)
    assert problems_of(fleet) == set()


def test_two_faults_are_told_apart(client, tmp_path):
    truth = generate(tmp_path / "traces", "--fault", FAULTS["slow-gpu"][0], "--fault", FAULTS["data-loader"][0])
    fleet = analyse(client, tmp_path / "traces", tmp_path / "out")
    found = {(finding["id"], finding["rank"]): finding for finding in fleet.findings}
    assert set(found) == {("slow-gpu", 5), ("data-loader", 3)}
    for fault in truth["faults"]:
        assert found[fault["kind"], fault["rank"]]["cost_ns"] == pytest.approx(fault["cost_ns"], rel=0.02)


def test_nobody_is_accused_without_a_fault(healthy):
    fleet = healthy[2]
    assert fleet.findings == [] and problems_of(fleet) == set()
    assert "No rank holds the others up" in str(fleet)
    assert len(fleet.unmatched) == 0 and len(fleet.matched) == STEPS * (4 + 4 * 2 + 4)


def test_clocks_are_recovered(healthy):
    _, truth, fleet = healthy
    clocks = {clock["rank"]: _kineto.Clock(clock["offset_ns"], clock["drift_ppm"]) for clock in truth["clocks"]}
    rows = {row["rank"]: row for row in fleet.ranks.to_pylist()}
    reference, = [rank for rank, row in rows.items() if row["clock"] == "reference"]
    assert max(abs(clock.offset) for clock in clocks.values()) > 10_000_000, "the clocks are apart"
    drifts = [rows[rank]["drift_ppm"] - clocks[rank].drift + clocks[reference].drift for rank in rows]
    assert max(abs(clock.drift) for clock in clocks.values()) > 10 and max(map(abs, drifts)) < 5, drifts
    for rank, row in rows.items():
        for true in (0, truth["job_ns"] // 2, truth["job_ns"]):  # 5 ppm are 0.3 µs in half the job
            local = clocks[rank].read(true) + _kineto.EPOCH_S * 10**9
            corrected = local - row["offset_ns"] - round(row["drift_ppm"] / 1e6 * (local - row["at_ns"]))
            assert abs(corrected - clocks[reference].read(true) - _kineto.EPOCH_S * 10**9) < 1_500, (rank, true)


def test_tables_of_every_rank(healthy):
    _, _, fleet = healthy
    kernels = fleet.data("kernels").to_table(columns=["rank", "calls"]).to_pydict()
    assert set(kernels["rank"]) == set(range(RANKS))
    calls = fleet.data("calls").to_table()
    assert len(calls) == RANKS * STEPS * 9 and calls["rank"].type == "int64"
    facts = fleet.data("facts").to_table().to_pylist()
    assert {row["rank_from"] for row in facts} == {"recorded"} and {row["world_size"] for row in facts} == {RANKS}
    assert [row["ranks"] for row in fleet.steps.to_pylist()] == [RANKS] * STEPS
    kinds = {(row["kind"], row["group_size"]): row["calls"] for row in fleet.transfers.to_pylist()}
    assert kinds == {("all_reduce", 8): 4 * STEPS, ("all_gather", 4): 8 * STEPS, ("all_reduce", 2): 4 * STEPS}


def test_the_page_loads_nothing(healthy):
    fleet = healthy[2]
    page = pathlib.Path(fleet.out, "report.html").read_text()
    assert "<svg" in page and "prefers-color-scheme" in page and len(page) < 200_000
    assert "http:" not in page and "https:" not in page and "<script" not in page
    told = json.loads(pathlib.Path(fleet.out, "fleet.json").read_text())
    assert set(told) == {"ranks", "problems", "findings"} and len(told["ranks"]) == RANKS


def test_resume_reads_only_what_is_new_or_changed(client, healthy, tmp_path):
    traces, _, fleet = healthy
    shutil.copytree(traces, tmp_path / "traces", copy_function=shutil.copy2)
    some = sorted((tmp_path / "traces").glob("*.gz"))
    first = analyse(client, some[:5], tmp_path / "out")
    assert ("rank-missing", 5) in problems_of(first)
    with pytest.raises(FileExistsError, match="--resume"):
        analyse(client, some, tmp_path / "out")
    times = {path: os.stat(tmp_path / "out" / path).st_mtime_ns for path in data_of(tmp_path / "out")}
    cut, = (tmp_path / "out").glob("data/calls/rank=2/*.parquet")
    cut.write_bytes(cut.read_bytes()[:-10])
    os.utime(some[3], ns=(1, 1))
    (tmp_path / "out/data/work/rank=1/0123456789abcdef.parquet.77.part").write_bytes(b"PAR1")
    analyse(client, some, tmp_path / "out", resume=True)
    read = {path.split("rank=")[1][0] for path in times if os.stat(tmp_path / "out" / path).st_mtime_ns != times[path]}
    assert read == {"2", "3"}
    analyse(client, some, tmp_path / "fresh")
    assert data_of(tmp_path / "out") == data_of(tmp_path / "fresh")
    assert not list((tmp_path / "out").glob("**/*.part"))
    for name in ("matched", "verdicts", "ranks"):
        path = f"results/{name}.parquet"
        assert (tmp_path / "out" / path).read_bytes() == (tmp_path / "fresh" / path).read_bytes()


def test_verify_compares_the_content(client, healthy, tmp_path):
    traces, _, _ = healthy
    path = tmp_path / "rank00000.pt.trace.json.gz"
    shutil.copy2(traces / path.name, path)
    analyse(client, path, tmp_path / "out")
    before = os.stat(path)
    data = bytearray(path.read_bytes())
    data[4] ^= 1  # the time in the gzip header: size and events stay the same
    with open(path, "r+b") as file:
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    told = data_of(tmp_path / "out")
    analyse(client, path, tmp_path / "out", resume=True)
    assert data_of(tmp_path / "out") == told
    analyse(client, path, tmp_path / "out", resume=True, verify=True)
    changed = {name.split("/")[1] for name, content in data_of(tmp_path / "out").items() if content != told[name]}
    assert changed == {"facts"}


def rewrite(source, target, change):
    """Writes a copy of a trace with changed JSON."""
    with gzip.open(source, "rt") as file:
        trace = json.load(file)
    change(trace)
    with gzip.open(target, "wt", compresslevel=1) as file:
        json.dump(trace, file)


def test_bad_input_is_said_in_one_table(client, healthy, tmp_path):
    traces, _, _ = healthy
    files = sorted(traces.glob("*.gz"))
    folder = tmp_path / "traces"
    folder.mkdir()
    for path in files[:5]:
        shutil.copy2(path, folder)
    (folder / files[5].name).write_bytes(files[5].read_bytes()[:9000])  # truncated

    def without_collectives(trace):
        trace["traceEvents"] = [event for event in trace["traceEvents"] if "nccl" not in event["name"] and "comms" not in event["name"]]

    def of_another_job(trace):
        trace["distributedInfo"].update(world_size=64, rank=40)

    def hours_later(trace):
        trace["baseTimeNanoseconds"] += 3 * 3600 * 10**9
    rewrite(files[6], folder / files[6].name, without_collectives)
    rewrite(files[4], folder / files[4].name, hours_later)
    rewrite(files[3], folder / "rank40.json.gz", of_another_job)
    shutil.copy2(files[2], folder / "rank00002_again.json.gz")
    (folder / "notes.json").write_text("{}")
    fleet = analyse(client, [folder, tmp_path / "nowhere.json.gz"], tmp_path / "out")
    found = {row["problem"] for row in fleet.problems.to_pylist()}
    assert {"rank-twice", "rank-missing", "other-job", "clock-apart", "no-collectives", "unreadable"} <= found, found
    broken = {row["name"]: row["problem"] for row in fleet.problems.to_pylist() if row["name"]}
    assert broken["nowhere.json.gz"] == "unreadable" and broken[files[5].name] == "trace-truncated", broken
    assert all(row["text"] for row in fleet.problems.to_pylist())
    assert {0, 1, 2, 3} <= set(fleet.ranks["rank"].to_pylist())
    assert str(tmp_path / "nowhere") not in str(fleet)


def test_ranks_come_from_the_name_or_the_order(client, healthy, tmp_path):
    def forget(trace):
        del trace["distributedInfo"]
    for name, number in (("a_rank1.json.gz", 0), ("b_rank0.json.gz", 1), ("c.json.gz", 2)):
        rewrite(sorted(healthy[0].glob("*.gz"))[number], tmp_path / name, forget)
    fleet = analyse(client, str(tmp_path / "*.gz"), tmp_path / "out")
    facts = {pathlib.Path(row["path"]).name: (row["rank"], row["rank_from"]) for row in fleet.data("facts").to_table().to_pylist()}
    assert facts == {"a_rank1.json.gz": (1, "name"), "b_rank0.json.gz": (0, "name"), "c.json.gz": (2, "order")}
    assert ("rank-by-order", 2) in problems_of(fleet)


def test_a_rank_by_order_is_not_that_of_another_trace(client, healthy, tmp_path):
    def forget(trace):
        del trace["distributedInfo"]
    rewrite(healthy[0] / "rank00005.pt.trace.json.gz", tmp_path / "a.json.gz", forget)
    for number in (0, 1):
        shutil.copy2(healthy[0] / f"rank0000{number}.pt.trace.json.gz", tmp_path)
    fleet = analyse(client, tmp_path, tmp_path / "out")
    assert ("rank-by-order", 2) in problems_of(fleet) and not any(problem == "rank-twice" for problem, _ in problems_of(fleet))
    assert sorted(fleet.ranks["rank"].to_pylist()) == [0, 1, 2]
    assert {row["rank"] for row in fleet.data("steps").to_table().to_pylist()} == {0, 1, 2}
    before = data_of(fleet.out)
    analyse(client, tmp_path, tmp_path / "out", resume=True)
    assert data_of(fleet.out) == before


def with_two_devices(trace):
    """A recording of two GPUs, which states no rank: the same work on both."""
    del trace["distributedInfo"]
    for event in list(trace["traceEvents"]):
        device = event.get("args", {}).get("device")
        if device is not None:
            trace["traceEvents"].append({**event, "pid": device + 4, "args": {**event["args"], "device": device + 4}})


def test_files_of_several_devices_are_no_second_recordings(client, healthy, tmp_path):
    for name, number in (("node_rank0.json.gz", 0), ("other_rank0.json.gz", 1)):
        rewrite(healthy[0] / f"rank0000{number}.pt.trace.json.gz", tmp_path / name, with_two_devices)
    fleet = analyse(client, tmp_path, tmp_path / "out")
    assert not any(problem in ("rank-twice", "rank-by-order") for problem, _ in problems_of(fleet)), fleet.problems.to_pylist()
    assert sorted((row["trace"], row["rank"]) for row in fleet.ranks.to_pylist()) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_nothing_compared_is_said(client, healthy, tmp_path):
    fleet = analyse(client, healthy[0] / "rank00003.pt.trace.json.gz", tmp_path / "out")
    assert fleet.findings == [] and ("nothing-compared", None) in problems_of(fleet)
    page = pathlib.Path(fleet.out, "report.html").read_text()
    for text in (str(fleet), page):
        assert "Nothing was compared" in text and "No rank holds" not in text


def test_two_runs_mixed_accuse_nobody(client, healthy, tmp_path):
    """Rank 0 of one run, whose steps take longer, among ranks of another one."""
    def slower(trace):
        for event in trace["traceEvents"]:
            for time in ("ts", "dur"):
                if time in event:
                    event[time] = round(event[time] * 1.28, 3)
    for path in sorted(healthy[0].glob("*.gz")):
        shutil.copy2(path, tmp_path)
    rewrite(healthy[0] / "rank00000.pt.trace.json.gz", tmp_path / "rank00000.pt.trace.json.gz", slower)
    fleet = analyse(client, tmp_path, tmp_path / "out")
    assert problems_of(fleet) == {("other-run", 0)} and fleet.findings == []
    assert len(fleet.matched) > 0


def test_nothing_that_can_be_read(client, tmp_path):
    with pytest.raises(FileNotFoundError, match="no traces"):
        analyse(client, tmp_path, tmp_path / "out")
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ValueError, match="no trace could be read: x.json"):
        analyse(client, tmp_path / "x.json", tmp_path / "out")


def test_other_files_stay(client, tmp_path):
    """A folder that looks like a fleet's, but was not written by one."""
    mine = [tmp_path / "held" / name for name in ("data/train/rank=0/part.parquet", "results/ranks.parquet", "fleet.json", "report.html")]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="did not write"):
            analyse(client, SYNTHETIC, tmp_path / "held", resume=resume)
    assert {path.read_text() for path in mine} == {"mine"} and len(list((tmp_path / "held").rglob("*.*"))) == 4
    with pytest.raises(FileExistsError, match="is not a folder"):
        analyse(client, SYNTHETIC, mine[2])


def test_resume_keeps_files_beside_its_own(client, healthy, tmp_path):
    shutil.copytree(healthy[2].out, tmp_path / "out")
    mine = [tmp_path / "out/data/calls/rank=0" / name for name in ("notes.txt", "mine.parquet", "backup.parquet.part")]
    for path in mine:
        path.write_text("mine")
    analyse(client, healthy[0], tmp_path / "out", resume=True)
    assert {path.read_text() for path in mine} == {"mine"}


def test_a_run_that_fails_leaves_no_folder(client, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ValueError):
        analyse(client, tmp_path / "x.json", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_sources(tmp_path):
    for name in ("rank10.json.gz", "rank2.json", "truth.json", "notes.txt"):
        (tmp_path / name).write_text("{}")
    found = _paths.sources_of([tmp_path, tmp_path / "rank2.json", tmp_path / "notes.txt"])
    assert [(source.name, source.rank_in_name()) for source in found] == [("rank10.json.gz", 10), ("rank2.json", 2), ("notes.txt", None)]
    assert [source.name for source in _paths.sources_of(str(tmp_path / "rank?.json"))] == ["rank2.json"]
    assert _paths.sources_of(tmp_path / "none.json")[0].missing


def test_a_part_of_another_size_is_not_whole(healthy, tmp_path):
    source = _paths.sources_of(sorted(healthy[0].glob("*.gz"))[0])[0]
    shutil.copytree(healthy[2].out, tmp_path / "out")
    assert _store.facts_of(tmp_path / "out", source.key)["rank"] == 0
    part, = (tmp_path / "out").glob("data/steps/rank=0/*.parquet")
    part.unlink()
    assert _store.facts_of(tmp_path / "out", source.key) is None


def test_a_missing_package_is_named():
    with pytest.raises(ls.fleet.MissingPackage, match="no_such_package: pip install distributed pyarrow cryptography"):
        ls.fleet._need("sys", "no_such_package")


def command(*words):
    environment = {**os.environ, "LANESCOPE_PYTHON": sys.executable}
    return subprocess.run([BIN / "lanescope", "fleet", *map(str, words)], capture_output=True, text=True, env=environment, timeout=300)


def test_the_command(healthy, tmp_path):
    traces, _, fleet = healthy
    done = command(traces, "-o", tmp_path / "out", "--workers", "1", "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["findings"] == fleet.findings == [] and told["problems"] == []
    assert [row["rank"] for row in told["ranks"]] == list(range(RANKS)) and told["ranks"] == fleet.ranks.to_pylist()
    assert f"{RANKS} traces" in done.stderr
    assert {path.split("/", 1)[1] for path in data_of(tmp_path / "out")} == {path.split("/", 1)[1] for path in data_of(fleet.out)}
    again = command(traces, "-o", tmp_path / "out", "--workers", "1")
    assert again.returncode == 1 and "--resume" in again.stderr and "Traceback" not in again.stderr
    none = command(tmp_path / "none*.json", "-o", tmp_path / "new")
    assert none.returncode == 1 and "no traces" in none.stderr and "Traceback" not in none.stderr
    assert not (tmp_path / "new").exists()
    one = command(traces / "rank00000.pt.trace.json.gz", "-o", tmp_path / "one", "--workers", "1")
    assert one.returncode == 1 and "nothing was compared" in one.stderr and "Nothing was compared" in one.stdout
    refused = command(traces, "-o", "/proc/lanescope-fleet", "--workers", "1")
    assert refused.returncode == 1 and "Errno" not in refused.stderr and "/proc/lanescope-fleet: " in refused.stderr
    lost = command(traces, "-o", tmp_path / "new", "--scheduler", "here")
    assert lost.returncode == 1 and "no scheduler answers" in lost.stderr and "Traceback" not in lost.stderr
    assert command(traces, "-o", tmp_path / "new", "--verify").returncode == 2
