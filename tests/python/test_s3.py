"""URLs of s3:// through fsspec and s3fs, from moto's server on the loopback interface."""
import os
import uuid

import lanescope as ls
import pytest
from conftest import SYNTHETIC, temporary_files

pytest.importorskip("s3fs")
pytest.importorskip("flask_cors")
server_of_moto = pytest.importorskip("moto.server")
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture
def bucket(monkeypatch):
    """The URL of a new bucket with a trace."""
    import fsspec

    server = server_of_moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {**KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    # A file is fetched in several ranges.
    monkeypatch.setitem(fsspec.config.conf, "s3", {"default_block_size": 8192, "skip_instance_cache": True})
    store = fsspec.filesystem("s3")
    name = f"traces-{uuid.uuid4()}"  # moto keeps buckets until the process ends
    store.mkdir(name)
    store.pipe(f"{name}/runs/a run.json.gz", SYNTHETIC.read_bytes())
    yield f"s3://{name}/runs"
    server.stop()


def test_a_trace_in_a_bucket(bucket, synthetic):
    assert SYNTHETIC.stat().st_size > 4 * 8192
    with ls.open(f"{bucket}/a run.json.gz", progress=False) as trace:
        assert trace.paths == [f"{bucket}/a run.json.gz"]
        assert trace.kernels().to_dicts() == synthetic.kernels().to_dicts()
        assert trace.sql("select count(distinct extract_arg(arg_set_id, 'args.External id')) n from slice")["n"][0] > 10
        assert len(temporary_files()) == 1
    assert temporary_files() == []


def test_what_is_not_there(bucket):
    with pytest.raises(FileNotFoundError):
        ls.open(f"{bucket}/other.json.gz", progress=False)
    with pytest.raises(FileNotFoundError):
        ls.open("s3://nothing/run.json.gz", progress=False)
    with pytest.raises(ValueError, match="opened alone"):
        ls.open(f"{bucket}/a run.json.gz", SYNTHETIC, progress=False)
    assert temporary_files() == []
