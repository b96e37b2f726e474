"""Runs made for the tests of lanescope compare."""
import itertools
import json
import pathlib

from program import real_trace


def real(name):
    return real_trace(f"{name}.json.gz")


class Run:
    """A trace of steps, on one thread and one GPU, in microseconds."""

    def __init__(self):
        self.events, self.correlation = [], 0

    def add(self, category, name, begin, end, tid=1, pid=100, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin,
                            "dur": end - begin, "args": arguments})

    def op(self, name, begin, end, kernels=()):
        """An operator; `kernels`: name, begin and end of what it launches."""
        self.add("cpu_op", name, begin, end)
        for kernel, start, stop in kernels:
            self.correlation += 1
            self.add("cuda_runtime", "cudaLaunchKernel", begin + 1, begin + 2, correlation=self.correlation)
            self.add("kernel", kernel, start, stop, tid=7, pid=0, correlation=self.correlation, device=0, stream=7)

    def save(self, folder, name, **more):
        path = pathlib.Path(folder) / name
        path.write_text(json.dumps({"traceEvents": self.events, **more}))
        return path


def steps(folder, name, durations, extra=None, **more):
    """Steps of the given durations: an aten::mm that takes all but 200 us, with a kernel of 100 us."""
    run, at = Run(), 0
    for i, duration in enumerate(durations):
        run.add("user_annotation", f"ProfilerStep#{i}", at, at + duration)
        run.op("aten::mm", at + 100, at + duration - 100, [("gemm", at + 150, at + 250)])
        if extra:
            extra(run, at)
        at += duration
    return run.save(folder, name, **more)


def exact_p(a, b):
    """Two-sided Mann-Whitney by counting all divisions; without ties."""
    order = sorted(a + b)
    ranks = [order.index(x) for x in a]
    middle = len(a) * (len(order) - 1) / 2
    seen = abs(sum(ranks) - middle)
    ways = list(itertools.combinations(range(len(order)), len(a)))
    return sum(abs(sum(way) - middle) >= seen - 1e-9 for way in ways) / len(ways)


def server(folder, name, steps):
    """A trace of server steps (annotation, microseconds), each with one matrix product."""
    run, at = Run(), 0
    for annotation, time in steps:
        run.add("user_annotation", annotation, at, at + time)
        run.op("aten::mm", at + 1, at + 20, [("gemm", at + 10, at + time - 5)])
        at += time
    return run.save(folder, name)
