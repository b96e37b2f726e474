"""Tests a fleet whose traces are S3 objects, served by moto on the loopback interface."""
import lanescope as ls
import lanescope.fleet
import pytest
from test_s3 import bucket  # noqa: F401

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
from lanescope.fleet import synthetic  # noqa: E402
from test_fleet import client, data_of, problems_of  # noqa: E402, F401


def test_traces_in_a_bucket(client, bucket, tmp_path):  # noqa: F811
    import fsspec

    words = ["--ranks", "4", "--steps", "6", "--fault", "slow-gpu:rank=3,from=2,factor=1.3"]
    assert synthetic.main([str(tmp_path / "traces"), *words]) == 0
    store = fsspec.filesystem("s3")
    run = f"{bucket}/job"
    for path in sorted((tmp_path / "traces").iterdir()):
        store.pipe(f"{run}/{path.name}", path.read_bytes())
    fleet = ls.fleet.analyse(f"{run}/", client, tmp_path / "out")
    local = ls.fleet.analyse(tmp_path / "traces", client, tmp_path / "local")
    assert fleet.findings == local.findings and [finding["rank"] for finding in fleet.findings] == [3]
    facts = fleet.data("facts").to_table().to_pylist()
    assert all(row["path"].startswith("s3://") and row["stamp"] for row in facts)
    assert {row["sha256"] for row in facts} == {row["sha256"] for row in local.data("facts").to_table().to_pylist()}

    before = data_of(tmp_path / "out")
    times = {path: (tmp_path / "out" / path).stat().st_mtime_ns for path in before}
    store.pipe(f"{run}/rank00001.pt.trace.json.gz", (tmp_path / "traces/rank00001.pt.trace.json.gz").read_bytes()[:500])
    names = [f"{run}/rank0000{rank}.pt.trace.json.gz" for rank in (0, 1, 2, 3, 7)]
    again = ls.fleet.analyse(names, client, tmp_path / "out", resume=True)
    assert {problem for problem, _ in problems_of(again)} == {"trace-unsupported", "unreadable", "rank-missing"}
    for path, content in data_of(tmp_path / "out").items():
        assert content == before[path] and (tmp_path / "out" / path).stat().st_mtime_ns == times[path]
