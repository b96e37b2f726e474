"""Opening, failing, cancelling, threads, processes, and streams over HTTP."""
import concurrent.futures
import gzip
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import lanescope as ls
import pytest
from conftest import SYNTHETIC, temporary_files


def test_errors_have_code_path_and_place(tmp_path):
    with pytest.raises(ls.Error) as missing:
        ls.open(tmp_path / "missing.json", progress=False)
    assert missing.value.code == "io" and missing.value.path == str(tmp_path / "missing.json")
    damaged = tmp_path / "damaged.json"
    damaged.write_text("hello")
    with pytest.raises(ls.Error) as wrong:
        ls.open(damaged, progress=False)
    assert wrong.value.code in ("unsupported", "damaged") and str(damaged) in str(wrong.value)
    empty = tmp_path / "empty.json"
    empty.write_text("")
    with pytest.raises(ls.Error) as nothing:
        ls.open(empty, progress=False)
    assert nothing.value.code == "empty"
    with pytest.raises(TypeError):
        ls.open()


def test_errors_of_queries_have_an_offset(synthetic):
    with pytest.raises(ls.Error) as wrong:
        synthetic.sql("select *\nfrom slice where nothing = 1")
    assert wrong.value.code == "usage" and wrong.value.byte_offset == len("select *\nfrom slice where ")
    with pytest.raises(ls.Error, match="has no option"):
        synthetic.kernels(bye="config")
    with pytest.raises(ls.Error) as late:
        synthetic.sql("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                      timeout="50ms")
    assert late.value.code == "cancelled"


def test_names_that_are_no_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.json.gz"
    pathlib.Path(os.fsdecode(path)).write_bytes(SYNTHETIC.read_bytes())
    assert len(ls.open(path, progress=False).kernels()) > 0
    with pytest.raises(ls.Error) as missing:
        ls.open(os.fsencode(tmp_path) + b"/\xfe.json", progress=False)
    assert os.fsencode(missing.value.path).endswith(b"/\xfe.json")


def test_a_closed_trace():
    trace = ls.open(SYNTHETIC, progress=False)
    with trace as same:
        assert same is trace
    with pytest.raises(ValueError, match="closed"):
        trace.kernels()


def test_threads(synthetic):
    expected = synthetic.kernels().to_dicts()

    def work(number):
        if number % 3 == 0:
            return ls.open(SYNTHETIC, progress=False).kernels().to_dicts() == expected
        if number % 3 == 1:
            return synthetic.sql("select count(*) as n from slice")["n"] == [1348]
        return synthetic.kernels().to_dicts() == expected
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(48)))


def test_fork_after_open(synthetic):
    code = ("import lanescope as ls, os, sys\n"
            "t = ls.open(sys.argv[1], progress=False)\n"
            "t.kernels()\n"
            "pid = os.fork()\n"
            "again = ls.open(sys.argv[1], progress=False)\n"
            "n = len(again.gpu_activity()) + len(t.kernels(by='config')) + t.sql('select count(*) n from slice')['n'][0]\n"
            "if pid == 0: os._exit(0 if n > 1000 else 1)\n"
            "sys.exit(os.waitpid(pid, 0)[1] or n <= 1000)\n")
    done = subprocess.run([sys.executable, "-c", code, SYNTHETIC], timeout=60)
    assert done.returncode == 0


def test_progress_and_its_exceptions(tmp_path):
    big = tmp_path / "big.json"
    events = ",\n".join(f'{{"ph":"X","cat":"cpu_op","name":"op{i % 50}","pid":1,"tid":1,"ts":{i},"dur":1}}'
                        for i in range(1_200_000))
    big.write_text('{"traceEvents":[' + events + "]}")
    seen = []
    ls.open(big, progress=lambda done, total: seen.append((done, total)))
    assert all(0 <= done <= total for done, total in seen)

    def stop(done, total):
        raise LookupError("enough")
    if seen:  # the load took long enough to ask
        with pytest.raises(LookupError, match="enough"):
            ls.open(big, progress=stop)


def test_ctrl_c_cancels_a_query(synthetic):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        synthetic.sql("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                      timeout="60s")
    assert time.monotonic() - begin < 10
    assert synthetic.sql("select 1 as one")["one"] == [1]


def test_the_lock_is_released(synthetic):
    """Python's other threads go on during a query."""
    count = 0
    done = threading.Event()

    def run():
        try:
            synthetic.sql("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                          timeout="500ms")
        except ls.Error:
            done.set()
    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20, count


class Handler(http.server.BaseHTTPRequestHandler):
    data = b""
    pause = 0  # seconds before each third of the data

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.data)))
        self.end_headers()
        third = len(self.data) // 3 + 1
        for begin in range(0, len(self.data), third):
            time.sleep(self.pause)
            self.wfile.write(self.data[begin:begin + third])

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.data)))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    Handler.data = SYNTHETIC.read_bytes()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


def test_http(server, synthetic):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    before = set(os.listdir(tempfile.gettempdir()))
    trace = ls.open(f"{server}/run.json.gz?token=secret", progress=False)
    assert trace.kernels().to_dicts() == synthetic.kernels().to_dicts()
    assert trace.sql("select count(distinct extract_arg(arg_set_id, 'args.External id')) n from slice")["n"][0] > 10
    # The copy has no name, so it ends with the process, however that ends.
    assert not [name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("lanescope")]
    assert len(temporary_files()) == 1
    trace.close()
    del trace
    assert temporary_files() == []
    with pytest.raises(ValueError, match="opened alone"):
        ls.open(f"{server}/a.json", SYNTHETIC)


def test_a_stream_is_not_a_file_here(server, tmp_path, monkeypatch):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json.gz.notes.json").write_text("notes of another file of this name")
    with ls.open(f"{server.replace('http', 'HTTP')}/run.json.gz", progress=False) as trace:
        assert len(trace.notes()) == 0 and "<svg" in trace.timeline()
        with pytest.raises(ValueError, match="copy the file first"):
            trace.show()


def test_a_truncated_stream_keeps_what_is_readable(server):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    text = gzip.decompress(Handler.data)
    Handler.data = text[: len(text) // 2]
    trace = ls.open(f"{server}/run.json", progress=False)
    assert trace.sql("select count(*) n from slice")["n"][0] > 100
    assert "incomplete" in str(trace.info()).lower() or "truncated" in str(trace.info()).lower()


def test_progress_of_a_url_has_a_total(server):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    seen = []
    Handler.pause = 0.3
    try:
        ls.open(f"{server}/run.json.gz", progress=lambda done, total: seen.append((done, total)))
    finally:
        Handler.pause = 0
    assert seen and seen[0][1] == SYNTHETIC.stat().st_size, seen


def stream_of(data, pause=0):
    """A function that reads `data` in four parts."""
    parts = [data[i * len(data) // 4:(i + 1) * len(data) // 4] for i in range(4)]

    def read(size):
        time.sleep(pause)
        return parts.pop(0) if parts else b""
    return read


def test_the_size_of_a_stream():
    data = SYNTHETIC.read_bytes()

    def opened(size, progress=None, pause=0):
        return ls._native.open_stream(stream_of(data, pause), json.dumps({"name": "run.json.gz", "size": size}), progress)
    seen = []
    assert opened(len(data), lambda done, total: seen.append((done, total)), 0.15)
    assert seen[0] == (len(data) // 4, len(data)), seen
    assert opened(None)
    seen.clear()
    assert opened(10, lambda done, total: seen.append((done, total)), 0.15)
    assert seen[0] == (len(data) // 4, 0), "a stream that is longer than its size has no total"
    with pytest.raises(ls.Error, match=r"run\.json\.gz: the stream ended after .* of ") as early:
        opened(len(data) + 1)
    assert early.value.code == "io" and early.value.byte_offset == len(data)
    with pytest.raises(ls.Error, match="TMPDIR") as large:
        opened(1 << 60)
    assert large.value.code == "io" and large.value.path == "run.json.gz"
    with pytest.raises(ls.Error, match="whole number"):
        opened(-1)


def test_a_stream_that_does_not_fit_is_not_read():
    def read(size):
        raise AssertionError("nothing is read")
    with pytest.raises(ls.Error, match="the file has"):
        ls._native.open_stream(read, json.dumps({"size": 1 << 60}), None)


def test_a_failing_stream_leaves_nothing():
    before = set(os.listdir(tempfile.gettempdir()))

    def read(size):
        raise OSError("the line is cut")
    with pytest.raises(OSError, match="the line is cut"):
        ls._native.open_stream(read, "{}", None)
    assert set(os.listdir(tempfile.gettempdir())) - before == set()
    with pytest.raises(ValueError, match="more bytes"):
        ls._native.open_stream(lambda size: b"x" * (size + 1), "{}", None)


def test_a_path_with_a_zero_byte_is_refused():
    with pytest.raises(ValueError, match="null byte"):
        ls.open(f"{SYNTHETIC}\0.json", progress=False)


@pytest.mark.parametrize("url", ["gs://bucket/run.json", "file:///run.json", "ssh://host/run.json", "SFTP://host/run.json"])
def test_other_urls_are_refused(url, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="cannot be opened, only files and URLs"):
        ls.open(url)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gs:" / "bucket").mkdir(parents=True)
    (tmp_path / "gs:" / "bucket" / "run.json").write_bytes(SYNTHETIC.read_bytes())
    assert len(ls.open("gs://bucket/run.json", progress=False).kernels()) > 0


def test_ctrl_c_stops_waiting_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code = ("import lanescope as ls, os, signal, sys, threading\n"
            "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try: ls.open(sys.argv[1])\n"
            "except KeyboardInterrupt: sys.exit(42)\n")
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "pipe"], timeout=60)
    assert done.returncode == 42


def test_a_pipe_whose_writer_comes_late(tmp_path, synthetic):
    os.mkfifo(tmp_path / "pipe")

    def write():
        time.sleep(0.5)
        with open(tmp_path / "pipe", "wb") as pipe:
            for at in range(0, len(SYNTHETIC.read_bytes()), 10_000):
                pipe.write(SYNTHETIC.read_bytes()[at : at + 10_000])
                pipe.flush()
                time.sleep(0.02)
    writer = threading.Thread(target=write)
    writer.start()
    trace = ls.open(tmp_path / "pipe", progress=False)
    writer.join()
    assert trace.kernels().to_dicts() == synthetic.kernels().to_dicts()


def test_an_alignment_is_checked_for_one_file_too():
    with pytest.raises(ls.Error, match="An alignment is"):
        ls.open(SYNTHETIC, align="soon", progress=False)


def test_sqlite_of_python_keeps_its_memory(synthetic):
    """Python and Lanescope may use the same SQLite library, which has one limit for the whole process."""
    import sqlite3
    synthetic.sql("select 1", memory=1_000_000)
    with sqlite3.connect(":memory:") as database:
        assert database.execute("select length(zeroblob(5000000))").fetchall() == [(5_000_000,)]


def test_small_queries_do_not_stop_large_ones(synthetic):
    large = ("with recursive n(i) as (select 1 union all select i + 1 from n limit 300000) "
             "select count(*) as n from (select i, i || hex(zeroblob(50)) as t from n order by t desc)")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        result = pool.submit(lambda: synthetic.sql(large)["n"])
        while not result.done():
            synthetic.sql("select 1", memory=1_000_000)
        assert result.result() == [300_000]


def test_operators_of_graph_replays_come_from_captures(tmp_path):
    def call(name, ts, **args):
        return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 5, "args": args}

    capture = [call("hipStreamBeginCapture", 0), call("hipStreamEndCapture", 900),
               {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 80, "args": {"External id": 1}},
               call("hipLaunchKernel", 20, correlation=1, kernel="_Z4gemmPf")]
    run = [call("hipGraphLaunch", 100, correlation=7),
           {"ph": "X", "cat": "kernel", "name": "gemm(float*)", "pid": 2, "tid": 3, "ts": 130, "dur": 4, "args": {"device": 2, "stream": 3, "correlation": 7}}]
    paths = {}
    for name, events in {"capture": capture, "run": run}.items():
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
    for captures in (paths["capture"], str(paths["capture"]), [paths["capture"]]):
        with ls.open(paths["run"], graph_captures=captures, progress=False) as trace:
            assert trace.info()["graph_replays"] == {"launches": 1, "kernels": 1, "by": {"graph id": 0, "order": 1, "name": 0, "none": 0}}
            (row,) = [row for row in trace.operators().to_dicts() if row["name"] == "aten::mm"]
            assert (row["device_self_by_launch_ns"], row["replayed_calls"], row["calls"]) == (4000, 1, 0)
            assert trace.sql("select operator, attributed_by, operator_id from gpu_activity").to_dicts() == [
                {"operator": "aten::mm", "attributed_by": "order", "operator_id": None}]
            assert trace.sql("select count(*) as n from slice").to_dicts() == [{"n": 2}]
    with pytest.raises(ls.Error, match=r"none\.json"):
        ls.open(paths["run"], graph_captures=tmp_path / "none.json", progress=False)


def rows_of_all(trace):
    """All tables of a trace by name and form, without those that take options or tell of the load."""
    other = {"compare", "findings", "find", "histogram", "what-if", "summary", "info", "notes", "traces"}
    return {(row["name"], row["by"]): trace.table(row["name"], **({"by": row["by"]} if row["by"] else {})).to_dicts()
            for row in ls.tables() if row["kind"] != "text" and row["name"] not in other}


def test_the_number_of_workers_changes_nothing(synthetic):
    expected = rows_of_all(synthetic)
    assert sum(len(rows) > 0 for rows in expected.values()) > 20
    for workers in (1, 2, 5, 64):
        with ls.open(SYNTHETIC, workers=workers, progress=False) as trace:
            assert rows_of_all(trace) == expected, workers


def test_the_number_of_workers_of_a_real_trace_changes_nothing(traces):
    one, two = (ls.open(traces / "torch/v100_memory_nccl.json.gz", workers=workers, progress=False) for workers in (1, 2))
    for table in ("collectives", "kernels", "operators", "gpu_activity", "lanes"):
        rows = one.table(table)
        assert len(rows) > 3 and rows.to_dict() == two.table(table).to_dict(), table


def test_each_open_has_its_own_workers_and_limit(synthetic):
    def opened(number):
        try:
            with ls.open(SYNTHETIC, workers=1 + number % 3, memory=(1 if number % 2 else 100) << 20, progress=False) as trace:
                return len(trace.kernels())
        except ls.Error as error:
            return error.code
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(opened, range(24))) == [len(synthetic.kernels()), "no_memory"] * 12


@pytest.mark.parametrize("given", [{"workers": 0}, {"workers": 65}, {"workers": -1}, {"workers": 1.5}, {"workers": "2"},
                                   {"workers": True}, {"memory": 0}, {"memory": -1}, {"memory": 0.5}, {"memory": "1 GiB"}])
def test_wrong_workers_and_limits_are_usage_errors(given):
    with pytest.raises(ls.Error, match="takes a whole number from 1") as wrong:
        ls.open(SYNTHETIC, progress=False, **given)
    assert wrong.value.code == "usage"


LOADING = """
import contextlib
import sys
import lanescope as ls

def status(word):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(word)) * 1024

with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # resets the peak of the resident memory
peak_before = status("VmHWM:")
try:
    trace = ls.open(*sys.argv[3:], workers=int(sys.argv[1]), memory=int(sys.argv[2]), progress=False)
    print("opened")
except ls.Error as error:
    print(error.code, error)
print(status("VmHWM:") - peak_before)
"""


def peak_of(workers, memory, *paths):
    """Opens traces in a new process: what it printed, and by how many bytes its memory grew."""
    done = subprocess.run([sys.executable, "-c", LOADING, str(workers), str(memory), *map(str, paths)], check=True,
                          capture_output=True, text=True, timeout=300)
    said, grown = done.stdout.splitlines()
    return said, int(grown)


@pytest.mark.parametrize("name", ["torch/v100_memory_nccl.json.gz", "chrome/fuchsia_137k.json.gz",
                                  "torch/mi300_rccl_merged_ranks_140mb.json.gz"])
def test_a_load_stays_below_its_limit(traces, name):
    """The least limit under which a trace opens is above what the process really takes, and not far above."""
    refused, enough = 1 << 20, 257 << 20
    while enough - refused > 8 << 20:
        middle = (refused + enough) // 2
        said, grown = peak_of(2, middle, traces / name)
        assert said == "opened" or said.startswith("no_memory"), said
        assert grown <= middle, (middle, grown, said)
        refused, enough = (refused, middle) if said == "opened" else (middle, enough)
    _, grown = peak_of(2, enough, traces / name)
    assert grown <= enough <= 3 * grown + (48 << 20), (grown, enough)


def test_a_limit_refuses_a_large_file_and_not_a_small_one(tmp_path, synthetic):
    big = tmp_path / "big.json"
    events = ",\n".join(f'{{"ph":"X","cat":"cpu_op","name":"op{i % 50}","pid":1,"tid":1,"ts":{i},"dur":1}}'
                        for i in range(1_200_000))
    big.write_text('{"traceEvents":[' + events + "]}")
    limit = 60 << 20
    with ls.open(SYNTHETIC, workers=2, memory=limit, progress=False) as small:
        assert small.kernels().to_dicts() == synthetic.kernels().to_dicts()
    with pytest.raises(ls.Error, match=r"needs more than the memory limit of 60 MiB; .* of the file, so all of it needs about") as large:
        ls.open(big, workers=2, memory=limit, progress=False)
    assert large.value.code == "no_memory" and large.value.path == str(big)
    with open(big, "rb") as file, pytest.raises(ls.Error, match="memory limit") as stream:
        ls._native.open_stream(file.read, json.dumps({"name": "big.json", "workers": 2, "memory": limit}), None)
    assert stream.value.code == "no_memory"
    said, grown = peak_of(2, limit, big)
    assert said.startswith("no_memory") and grown <= limit, (said, grown)
    # Two files have one limit.
    with pytest.raises(ls.Error, match="memory limit"):
        ls.open(big, big, workers=2, memory=140 << 20, progress=False)
    assert ls.open(big, workers=2, memory=140 << 20, progress=False)
