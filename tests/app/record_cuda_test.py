#!/usr/bin/env python3
"""lanescope record with CUDA, end to end: the injected library finds CUPTI, and writes its records into the trace.

CUPTI is our stand-in (tests/standin/cupti.c), which fills the structs of NVIDIA's headers. So these tests check how records
are transferred, decoded and lost; they check nothing about GPUs. LANESCOPE_KILLS is the number of programs that the test of
killed programs kills (12 by default)."""
import ctypes
import os
import random
import shutil
import signal
import struct
import subprocess
import time

from program import BIN, Skip, json_of, lanescope, run_all
from recorded import FOLDER, child_of, find, names, record, wait_until, warnings

PROGRAM = BIN / "cuda_program"
STANDIN = BIN / "standin"
WORK = 8  # kernels, copies and memsets of the program's mode "work"


def environment(**more):
    """An environment in which programs find the stand-in, and not the CUPTI of a CUDA toolkit."""
    return {"LD_LIBRARY_PATH": str(STANDIN), "CUDA_HOME": "/nonexistent", "CUDA_PATH": "", **more}


def record_cuda(*words, env=None, **options):
    return record(PROGRAM, *words, env=environment(**(env or {})), **options)


def gpu_work(trace):
    info = json_of("info", trace)
    assert info["gpu_activities"] == info["gpu_activities_with_launch"], info
    return info["gpu_activities"]


def kernels(trace):
    return {row["name"]: row for row in json_of("table", "kernels", trace)}


def check_work(trace, times=1):
    """Checks every figure of the program's mode "work", run `times` times."""
    assert gpu_work(trace) == WORK * times
    rows = kernels(trace)
    gemm = rows["void gemm<float>(float*, int)"]
    assert gemm["calls"] == 2 * times and gemm["grid"] == [64, 2, 1] and gemm["block"] == [256, 1, 1], gemm
    assert gemm["registers"] == 96 and gemm["static_shared_bytes"] == 1024, gemm
    assert gemm["dynamic_shared_bytes"] == 32768 and gemm["shared_bytes"] == 33792, gemm
    assert gemm["device"] == 0 and gemm["stream"] == 7, gemm
    assert abs(gemm["total_ns"] - 50_000 * times) <= 4 * times, gemm
    small = rows["small"]
    assert small["calls"] == times and small["block"] == [32, 4, 1] and small["stream"] == 13, small
    assert small["registers"] == 16 and small["static_shared_bytes"] == 0 == small["dynamic_shared_bytes"], small
    assert abs(small["total_ns"] - 1_500 * times) <= 2 * times
    assert rows["in_graph"]["grid"] == [8, 8, 8] and rows["in_graph"]["dynamic_shared_bytes"] == 512
    copies = {name: row for name, row in rows.items() if row["kind"] == "memory"}
    assert {name: row["bytes"] for name, row in copies.items()} == {
        "Memcpy HtoD (Pageable -> Device)": 4096 * times,
        "Memcpy DtoH (Device -> Pinned)": 2048 * times,
        "Memcpy PtoP (Device -> Device)": 65536 * times,
        "Memset (Device)": 8192 * times,
    }, copies


def test_all_cuda_activities_are_in_the_trace():
    trace, run = record_cuda("work")
    assert run.stdout == b"" and run.stderr == b"", run
    check_work(trace)
    info = json_of("info", trace)
    assert info["complete_by_category"] == {
        "cuda_driver": 1, "cuda_runtime": 10, "cuda_sync": 1, "gpu_memcpy": 3, "gpu_memset": 1, "kernel": 4,
        "overhead": 1, "user_annotation": 1}, info
    device = info["devices"][0]
    assert device["name"] == "Stand-in GPU" and device["numSms"] == 132 and device["computeMajor"] == 9, device
    assert set(warnings(trace)) <= {"partial_overlap"}  # a stream's wait begins while the stream is busy
    calls = names(trace, "cat:cuda_runtime")
    assert sorted(set(calls)) == ["cudaLaunchKernel", "cudaMalloc", "cudaMemcpyAsync", "cudaMemcpyPeerAsync",
                                  "cudaMemsetAsync", "cudaStreamSynchronize", "runtime call 22"], calls
    assert names(trace, "cat:cuda_driver") == ["cuLaunchKernel"]
    launches = {row["name"]: row["call"] for row in json_of("table", "launches", trace)}
    assert launches["small"] == "cuLaunchKernel" and launches["in_graph"] == "cudaLaunchKernel", launches
    memory = json_of("table", "memory", trace)[0]
    assert memory["allocations"] == memory["frees"] == 1 and memory["peak_allocated_bytes"] == 1 << 20, memory


def test_cuda_and_nvtx_are_on_one_clock():
    for ahead in (0, -3_600_000_000_000, 12_345_678_901_234):
        trace, _ = record_cuda("work", env={"STANDIN_CLOCK": str(ahead)})
        work = find(trace, "name:work cat:user_annotation")[0]
        calls = find(trace, "cat:cuda_runtime")
        begin, end = work["start_ns"], work["start_ns"] + work["duration_ns"]
        slack = 20_000  # ns: longer than the reading of a clock, with occasional interrupts
        for call in calls:
            assert begin - slack <= call["start_ns"], (ahead, work, call)
            assert call["start_ns"] + call["duration_ns"] <= end + slack, (ahead, work, call)
        threads = {call["lane"] for call in calls} | {work["lane"]}
        assert len(threads) == 1, threads


def test_structs_of_every_version_that_the_headers_define():
    tested = 0
    for version in (18, 19, 20, 21, 22, 23, 24, 26, 27, 28, 130000, 130100, 130200, 130300, 130401, 130500):
        try:
            trace, run = record_cuda("work", env={"STANDIN_VERSION": str(version)})
        except Skip:
            continue
        assert run.stderr == b"", (version, run)
        check_work(trace)
        tested += 1
    assert tested >= 2, tested


def record_refused(reason, *words, **env):
    """Records a program whose CUDA activities are refused. The program runs on, and recorder and trace give the reason."""
    trace, run = record_cuda(*(words or ("work",)), env=env)
    message = run.stderr.decode()
    assert reason in message and run.stdout == b"", (reason, run)
    warning = warnings(trace)["recorder_warning"]
    assert reason in warning["text"], warning
    return trace


def test_unknown_versions_are_refused():
    assert gpu_work(record_refused("older than CUDA 11.8's", "loaded", STANDIN_VERSION="17")) == 0
    for version in ("29", "130600", "140000"):
        trace = FOLDER / "unknown.spool"
        run = lanescope("record", "--force", "-o", trace, "--", PROGRAM, "work", env=environment(STANDIN_VERSION=version))
        # 77: the stand-in lacks these structs too. The message shows that the recorder did not use it.
        assert run.returncode in (0, 77) and f"CUPTI's interface {version} is not known" in run.stderr.decode(), run


def test_cupti_used_by_another_profiler_or_not_permitted_is_reported():
    for status in ("39", "12"):
        trace = record_refused("another profiler is using CUPTI", STANDIN_SUBSCRIBE=status)
        assert gpu_work(trace) == 0 and names(trace) == ["work"]
    for status in ("35", "40"):
        trace = record_refused("lets only administrators profile", STANDIN_SUBSCRIBE=status)
        assert gpu_work(trace) == 0 and names(trace) == ["work"]
    assert gpu_work(record_refused("lets only administrators profile", STANDIN_ENABLE="10=35")) == 0
    assert gpu_work(record_refused("cuptiSubscribe: stand-in error 999", STANDIN_SUBSCRIBE="999")) == 0


def test_kinds_that_cupti_cannot_record_are_left_out_and_reported():
    trace = record_refused("CUPTI does not record copies between devices, memory operations: stand-in error 27",
                    STANDIN_ENABLE="22=27,49=14")
    rows = kernels(trace)
    assert "Memcpy PtoP (Device -> Device)" not in rows and rows["small"]["calls"] == 1


def test_a_missing_cupti_is_reported():
    if os.path.exists("/usr/local/cuda"):
        raise Skip("/usr/local/cuda has a CUDA toolkit, whose CUPTI would be found")
    trace, run = record(PROGRAM, "nothing", env=environment(LD_LIBRARY_PATH=""), status=82)
    assert b"no libcupti.so was found" in run.stderr, run


def test_without_a_spool_the_library_lets_cuda_start():
    script = f"import ctypes; print(ctypes.CDLL('{BIN}/liblanescope_inject.so').InitializeInjection())"
    for spool in ({}, {"LANESCOPE_SPOOL": "/nonexistent/file.spool"}, {"LANESCOPE_SPOOL": str(PROGRAM)}):
        run = subprocess.run(["python3", "-c", script], env={**os.environ, **environment(), **spool}, capture_output=True)
        assert run.returncode == 0 and run.stdout == b"1\n" and run.stderr == b"", (spool, run)


def test_no_cuda_leaves_cuda_out():
    trace, run = record_cuda("work", more=["--no-cuda"])
    assert run.stderr == b"" and gpu_work(trace) == 0 and names(trace) == ["work"]


def test_an_already_loaded_cupti_is_used():
    trace, _ = record_cuda("loaded", env={"LD_LIBRARY_PATH": str(STANDIN)})
    check_work(trace)


def stderr_of_python(env, before="pass"):
    """Standard error of a recorded Python that runs `before` and then starts CUDA. It loads no CUPTI itself."""
    script = f"import ctypes; {before}; ctypes.CDLL('{BIN}/liblanescope_inject.so').InitializeInjection()"
    _, run = record("python3", "-c", script, env=environment(**{"LD_LIBRARY_PATH": "", "STANDIN_SUBSCRIBE": "39", **env}))
    return run.stderr


def test_a_real_cupti_without_a_driver_is_refused():
    if not any(os.path.exists(f"/usr/local/cuda/{p}/libcupti.so") for p in ("lib64", "extras/CUPTI/lib64")):
        raise Skip("/usr/local/cuda has no CUDA toolkit")
    if subprocess.run(["python3", "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')"], capture_output=True).returncode == 0:
        raise Skip("this machine has a CUDA driver")
    assert b"CUDA is not recorded: cuptiSubscribe: CUPTI_ERROR" in stderr_of_python({"LD_LIBRARY_PATH": ""})


def test_cupti_is_found_in_cuda_home():
    if subprocess.run(["python3", "-c", "import ctypes; ctypes.CDLL('libcupti.so.13')"], capture_output=True).returncode == 0:
        raise Skip("the system's libraries have a libcupti.so.13, which is found first")
    for number, folder in enumerate(("extras/CUPTI/lib64", "lib64")):
        library = FOLDER / f"toolkit{number}" / folder / "libcupti.so"
        library.parent.mkdir(parents=True)
        library.symlink_to(STANDIN / "libcupti.so.13")
        assert b"another profiler is using CUPTI" in stderr_of_python({"CUDA_HOME": str(FOLDER / f"toolkit{number}")})


def test_cupti_is_found_beside_the_loaded_cuda_runtime():
    packages = FOLDER / "packages" / "nvidia"
    for folder in ("cuda_runtime/lib", "cuda_cupti/lib"):
        (packages / folder).mkdir(parents=True)
    runtime = packages / "cuda_runtime/lib/libcudart.so.12"
    shutil.copy(BIN / "liblanescope_inject.so", runtime)  # any library, because only its name counts
    (packages / "cuda_cupti/lib/libcupti.so.12").symlink_to(STANDIN / "libcupti.so.13")
    assert b"another profiler is using CUPTI" in stderr_of_python({}, f"ctypes.CDLL('{runtime}')")


def test_children_forked_before_and_after_cuda_starts_are_recorded():
    # The child that calls _exit() at once loses the records in buffers that were not yet flushed.
    trace, run = record_cuda("fork_before")
    assert run.stderr == b"" and gpu_work(trace) == 2 * WORK and len(names(trace, "name:work")) == 3
    processes = {row["pid"] for row in json_of("table", "lanes", trace) if row["kind"] == "thread" and row["pid"]}
    assert len(processes) == 3, processes
    check_work(record_cuda("fork_after")[0])


def test_exit_without_cleanup_crash_and_exec_lose_no_records():
    check_work(record_cuda("_exit", status=7)[0])
    check_work(record_cuda("crash", status=128 + signal.SIGABRT)[0])
    trace, _ = record_cuda("exec")
    assert gpu_work(trace) == 2 * WORK
    assert [row["calls"] for row in json_of("table", "kernels", trace) if row["name"] == "small"] == [1, 1]


def test_records_are_flushed_before_a_device_reset():
    check_work(record_cuda("reset")[0], times=2)


def test_a_program_may_exit_in_a_signal_handler():
    trace, run = record_cuda("signal", status=3)
    assert run.stderr == b"" and gpu_work(trace) > 1000


def test_lost_records_are_counted():
    trace, _ = record_cuda("work", env={"STANDIN_DROPS": "4711"})
    assert "4711 records were lost by CUPTI, which had no buffer" in warnings(trace)["dropped_records"]["text"]
    trace, _ = record_cuda("unfinished")
    assert "1 records were lost by CUPTI, which gave them no times" in warnings(trace)["dropped_records"]["text"]
    check_work(trace)


def test_memory_for_records_is_limited():
    trace, run = record_cuda("buffers")
    assert int(run.stdout) in range(250, 257), run
    check_work(trace)


def test_the_library_adds_one_thread_and_no_open_file_to_the_program():
    alone = subprocess.run([PROGRAM, "count_threads"], env={**os.environ, **environment()}, capture_output=True)
    assert int(record_cuda("count_threads")[1].stdout) == int(alone.stdout) + 1
    assert record_cuda("count_files")[1].stdout == b"0\n"


def test_many_kernels_and_several_threads_are_recorded_completely():
    trace, run = record_cuda("many", "100000")
    assert run.stderr == b"" and gpu_work(trace) == 100_000
    assert sum(row["calls"] for row in kernels(trace).values()) == 100_000 and warnings(trace) == {}
    trace, _ = record_cuda("threads")
    assert gpu_work(trace) == 2000
    by_lane = {}
    for row in find(trace, "cat:cuda_driver"):
        by_lane[row["lane"]] = by_lane.get(row["lane"], 0) + 1
    threads = [row for row in json_of("table", "lanes", trace) if row["kind"] == "thread" and row["slices"] == 500]
    assert len(threads) == 4, (by_lane, threads)


def test_recording_stops_after_its_duration_and_the_program_goes_on():
    trace = FOLDER / "stopped.spool"
    done = FOLDER / "stopped.done"
    run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--duration", "400ms", "--", PROGRAM, "endless", done],
                           env={**os.environ, **environment()})
    time.sleep(1.6)
    run.send_signal(signal.SIGTERM)
    run.wait(20)
    recorded = gpu_work(trace)
    launched = struct.unpack("Q", done.read_bytes()[:8])[0]
    assert 0 < recorded < launched * 0.7, (recorded, launched)
    rows = find(trace, "cat:kernel")
    assert max(r["start_ns"] for r in rows) - min(r["start_ns"] for r in rows) < 800_000_000


def test_a_killed_program_loses_only_its_last_records():
    rounds = int(os.environ.get("LANESCOPE_KILLS", "12"))
    random.seed(11)
    for n in range(rounds):
        trace, done = FOLDER / "killed.spool", FOLDER / "killed.done"
        done.unlink(missing_ok=True)
        run = subprocess.Popen([BIN / "lanescope", "record", "--force", "-o", trace, "--", PROGRAM, "endless", done],
                               env={**os.environ, **environment()})

        def launched():
            return struct.unpack("Q", done.read_bytes()[:8])[0] if done.exists() and done.stat().st_size >= 8 else 0

        wait_until(run, lambda: launched() > 0)
        time.sleep(0.3 + random.random() * 0.3)
        before = launched()
        time.sleep(1.0)  # much longer than the tenth of a second between flushes, for busy machines
        os.kill(child_of(run), signal.SIGKILL)
        assert run.wait(20) == 128 + signal.SIGKILL
        recorded = gpu_work(trace)
        assert before <= recorded <= launched() + 1, (n, before, recorded, launched())
        assert warnings(trace) == {}, warnings(trace)


if __name__ == "__main__":
    run_all(globals())
