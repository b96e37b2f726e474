"""Writes the simulated work of a rank as a trace like those of torch.profiler."""

import gzip
import json

EPOCH_S = 1_767_000_000          # Unix time at zero of the traces' clock, in seconds
ORIGIN_NS = 4_000_000_000_000    # start of the job on that clock
FIRST_STEP = 0
THREAD = 4000                    # thread ID of rank 0
COMPUTE, COMMUNICATION = 7, 20   # streams
LAUNCH, COPY, SYNCHRONIZE = "cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize"


class Clock:
    """A rank's clock: `offset` ns ahead of the true time at the start of the job, and `drift` ppm faster."""

    def __init__(self, offset=0, drift=0.0):
        self.offset, self.drift = offset, drift

    def read(self, true):
        return ORIGIN_NS + self.offset + true + round(true * self.drift / 1e6)


def _microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


class Sink:
    """Turns the actions of a rank into trace events. Arguments are true times in ns."""

    def __init__(self, rank, clock, devices):
        self._rank, self._clock = rank, clock
        self._process, self._device = THREAD + rank, rank % devices
        self._events, self._ids, self._numbers = [], 0, {}
        self._step = self._open = None

    def begin_step(self, step, begin):
        self._step = (step, begin)

    def end_step(self, end):
        step, begin = self._step
        self._slice("user_annotation", f"ProfilerStep#{step + FIRST_STEP}", begin, end, {"External id": self._next()})

    def load(self, begin, end):
        self._slice("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, end,
                    {"External id": self._next()})

    def copy(self, begin, call, end, start, stop, size):
        number = self._call("aten::copy_", COPY, begin, call, end)
        self._slice("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", start, stop,
                    {**self._on_stream(number, COMPUTE), "bytes": size,
                     "memory bandwidth (GB/s)": round(size / (stop - start), 3)}, COMPUTE)

    def kernel(self, operator, name, begin, call, end, start, stop):
        number = self._call(operator, LAUNCH, begin, call, end)
        self._slice("kernel", name, start, stop, {**self._on_stream(number, COMPUTE), "registers per thread": 128,
                    "shared memory": 49152, "grid": [264, 1, 1], "block": [256, 1, 1]}, COMPUTE)

    def launch_collective(self, collective, group, begin, call, end, start):
        number = self._numbers[group.name] = self._numbers.get(group.name, 0) + 1
        own = collective.elements // len(group.ranks) if "gather" in collective.kind else collective.elements
        facts = {"Collective name": collective.kind, "In msg nelems": own, "Out msg nelems": collective.elements,
                 "Group size": len(group.ranks), "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]",
                 "Process Group Name": group.name, "Process Group Description": group.about,
                 "Process Group Ranks": _list_of(group.ranks), "Seq": number}
        correlation = self._call("record_param_comms", LAUNCH, begin, call, end, {**facts, "Rank": self._rank})
        self._open = (collective.kernel, start, {**self._on_stream(correlation, COMMUNICATION), **facts})

    def end_collective(self, end):
        kernel, start, facts = self._open
        self._slice("kernel", kernel, start, end, facts, COMMUNICATION)

    def synchronize(self, begin, end):
        self._slice("cuda_runtime", SYNCHRONIZE, begin, end, {"cbid": 131, "correlation": self._next()})

    def _next(self):
        self._ids += 1
        return self._ids

    def _call(self, operator, runtime, begin, call, end, facts=None):
        """Adds an operator with a runtime call in it. Returns the correlation ID, which is also the External id."""
        number = self._next()
        self._slice("cpu_op", operator, begin, end, {"External id": number, **(facts or {})})
        self._slice("cuda_runtime", runtime, call, end, {"External id": number, "cbid": 211, "correlation": number})
        return number

    def _on_stream(self, number, stream):
        return {"External id": number, "device": self._device, "context": 1, "stream": stream, "correlation": number}

    def _slice(self, category, name, begin, end, facts, stream=None):
        process, thread = (self._process, self._process) if stream is None else (self._device, stream)
        begin, end = self._clock.read(begin), self._clock.read(end)
        self._events.append(f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{process},"tid":{thread},'
                            f'"ts":{_microseconds(begin)},"dur":{_microseconds(end - begin)},"args":{json.dumps(facts)}}}')

    def write(self, path, job, groups):
        """Writes the compressed trace. The same events give the same bytes."""
        head = json.dumps({"schemaVersion": 1, "deviceProperties": [_device(self._device)],
                           "distributedInfo": _distributed(self._rank, job.ranks, groups),
                           "displayTimeUnit": "ms", "baseTimeNanoseconds": EPOCH_S * 1_000_000_000})
        names = [json.dumps({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": "python"}})
                 for pid in (self._process, self._device)]
        text = head[:-1] + ', "traceEvents": [\n' + ",\n".join([*names, *self._events]) + "\n]}\n"
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 1, file, mtime=0) as packed:
            packed.write(text.encode())


def _list_of(ranks):
    """Formats ranks as PyTorch does: about thirty at most, then dots."""
    return str(list(ranks)) if len(ranks) <= 30 else str(list(ranks[:30]))[:-1] + ", ...]"


def _device(device):
    return {"id": device, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_029_158_912, "computeMajor": 9,
            "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
            "warpSize": 32, "sharedMemPerBlock": 49152, "numSms": 132, "regsPerMultiprocessor": 65536,
            "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472}


def _distributed(rank, ranks, groups):
    return {"backend": "nccl", "rank": rank, "world_size": ranks, "pg_count": len(groups),
            "pg_config": [{"pg_name": group.name, "pg_desc": group.about, "backend_config": "cuda:nccl",
                           "pg_size": len(group.ranks), "ranks": list(group.ranks)} for group in groups],
            "nccl_version": "2.27.5"}
