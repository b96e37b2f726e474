"""What tests compute from the JSON of a trace by themselves, to compare it with findings. Times are in nanoseconds."""
import functools
import gzip
import json
import pathlib

from program import SAMPLES, json_of, real_trace


def trace_of(name):
    """The path of a sample, or of a real trace of PyTorch. A path is returned as it is."""
    if isinstance(name, pathlib.Path):
        return name
    for folder in (SAMPLES, SAMPLES / "torch_cpu"):
        if (folder / f"{name}.json.gz").exists():
            return folder / f"{name}.json.gz"
    return real_trace(f"torch/{name}.json.gz")


def findings_of(name, *words):
    return {finding["id"]: finding for finding in json_of("findings", trace_of(name), *words)}


@functools.lru_cache(maxsize=2)
def events_of(name):
    path = trace_of(name)
    with (gzip.open if path.suffix == ".gz" else open)(path) as file:
        return json.load(file)["traceEvents"]


def span(event):
    """Begin and end in nanoseconds."""
    begin = round(float(event["ts"]) * 1000)
    return begin, begin + round(float(event["dur"]) * 1000)


def union(spans):
    """Sorted spans without overlaps."""
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        elif begin < end:
            out.append((begin, end))
    return out


def common(a, b):
    """What is in both of two unions."""
    out, i, k = [], 0, 0
    while i < len(a) and k < len(b):
        begin, end = max(a[i][0], b[k][0]), min(a[i][1], b[k][1])
        if begin < end:
            out.append((begin, end))
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1
    return out


def length(spans):
    return sum(end - begin for begin, end in spans)


def without(a, b):
    return length(a) - length(common(a, b))


GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def category(event):
    """In lower case and without spaces: older files write "Memcpy" and "Runtime"."""
    known = {"memcpy": "gpu_memcpy", "memset": "gpu_memset", "runtime": "cuda_runtime", "operator": "cpu_op"}
    written = str(event.get("cat")).lower()
    return known.get(written, written)


def gpu_spans(name, wanted):
    return union(span(e) for e in events_of(name) if category(e) in GPU and wanted(e))


def steps_of(name, skip=()):
    return union(span(e) for e in events_of(name) if str(e.get("name", "")).startswith("ProfilerStep#")
                 and e.get("cat") != "gpu_user_annotation" and e["name"] not in skip)


def is_communication(event):
    return event["name"].startswith("nccl") or "multimem_all_reduce" in event["name"]


def check_cost(finding, expected, share_of, tolerance=0.002):
    assert abs(finding["cost_ns"] - expected) <= tolerance * expected, (finding["cost_ns"], expected)
    assert abs(finding["share"] - expected / share_of) < 0.003, (finding["share"], expected / share_of)
