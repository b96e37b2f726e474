"""The time of steps on their devices, from the raw events of a file alone: to compare it with the program's."""
import gzip
import json
from bisect import bisect_right
from decimal import Decimal

KERNELS = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime", "hip_runtime"}


def events_of(path):
    text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
    data = json.loads(text, parse_float=Decimal)
    return data["traceEvents"] if isinstance(data, dict) else data


def nanos(micros):
    return int(Decimal(micros) * 1000)


def span(event):
    begin = nanos(event["ts"])
    return begin, begin + nanos(event.get("dur", 0))


def device_spans(path):
    return spans_of_steps(events_of(path))


def spans_of_steps(events, marked=None):
    """By step in order of time: from the end of the previous step's work to the end of its own, in nanoseconds; None: it launched
    no work. Of several devices, the longest. `marked`: the steps on the host, if
    they are not ProfilerSteps."""
    steps, calls, work = {}, {}, []
    for event in events:
        if event.get("ph") != "X":
            continue
        category = event.get("cat")
        if category in CALLS and "correlation" in event.get("args", {}):
            calls.setdefault(event["args"]["correlation"], event)
        elif category in KERNELS:
            work.append(event)
        elif event["name"].startswith("ProfilerStep#") and category != "gpu_user_annotation":
            key = event["name"]
            if key not in steps or span(event)[1] - span(event)[0] > steps[key][1] - steps[key][0]:
                steps[key] = span(event)
    order = sorted(marked or steps.values())
    begins = [begin for begin, _ in order]
    own = [None] * len(order)
    for event in work:
        call = calls.get(event.get("args", {}).get("correlation"))
        if not call:
            continue
        at = bisect_right(begins, nanos(call["ts"])) - 1
        if at < 0 or nanos(call["ts"]) >= order[at][1]:
            continue
        begin, end = span(event)
        device = event["args"].get("device")
        first, last = (own[at] or {}).get(device, (begin, end))
        own[at] = {**(own[at] or {}), device: (min(first, begin), max(last, end))}
    spans, ends = [], {}
    for by_device in own:
        found = []
        for device, (begin, end) in (by_device or {}).items():
            start = ends.get(device, begin)
            ends[device] = max(ends.get(device, end), end)
            found.append((start, ends[device]))
        spans.append(max(found, key=lambda span: span[1] - span[0]) if found else None)
    return spans
