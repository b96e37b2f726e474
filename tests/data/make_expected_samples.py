#!/usr/bin/env python3
"""Computes the facts of the sample traces independently of the loader, as expected values for expected_test.cpp.

  tests/data/make_expected_samples.py assets/samples > tests/data/expected_samples.json

It is deliberately slow and simple: Python's JSON parser, decimals for times, and one loop.
"""
import decimal
import gzip
import json
import pathlib
import sys
from collections import Counter, defaultdict

GPU = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
LAUNCH = {"cuda_runtime", "cuda_driver", "Runtime"}


def nanos(value):
    """Converts microseconds, a number or a text, to whole nanoseconds. None if `value` is neither."""
    if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal, str)):
        return None
    try:
        exact = decimal.Decimal(value) * 1000
    except decimal.InvalidOperation:
        return None
    return int(exact.to_integral_value(decimal.ROUND_HALF_EVEN)) if exact.is_finite() else None


def deepest_stack_and_overlaps(slices):
    """The depth of the deepest stack, and the number of partial overlaps, of one row's slices (start, duration)."""
    deepest = overlaps = 0
    stack = []
    for start, duration in sorted(slices, key=lambda s: (s[0], -s[1])):
        while stack and stack[-1] <= start:
            stack.pop()
        if stack and start + duration > stack[-1]:
            overlaps += 1
        stack.append(start + duration)
        deepest = max(deepest, len(stack))
    return deepest, overlaps


def facts(path):
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    events = document if isinstance(document, list) else document["traceEvents"]

    phases, by_category, time_by_category = Counter(), Counter(), Counter()
    rows = defaultdict(list)
    zero = 0
    gpu, launches = [], set()
    for event in events:
        if not isinstance(event, dict):
            phases["not an object"] += 1
            continue
        phases[event.get("ph", "")] += 1
        category = event.get("cat", "")
        correlation = (event.get("args") or {}).get("correlation")
        if category in LAUNCH and correlation is not None:
            launches.add(correlation)
        if event.get("ph") != "X" or "ts" not in event or "dur" not in event:
            continue
        start, duration = nanos(event["ts"]), nanos(event["dur"])
        if start is None or duration is None:
            phases["X unreadable"] += 1
            continue
        by_category[category] += 1
        time_by_category[category] += duration
        zero += duration == 0
        rows[str(event.get("pid")), str(event.get("tid"))].append((start, duration))
        if category in GPU:
            gpu.append(correlation)

    nested = [deepest_stack_and_overlaps(slices) for slices in rows.values()]
    return {
        "events": len(events),
        "phases": dict(phases),
        "complete_by_category": dict(by_category),
        "duration_ns_by_category": dict(time_by_category),
        "rows_with_complete_events": len(rows),
        "zero_duration": zero,
        "max_stack": max((deepest for deepest, _ in nested), default=0),
        "partial_overlaps": sum(overlaps for _, overlaps in nested),
        "gpu_activities": len(gpu),
        "gpu_activities_with_launch": sum(correlation in launches for correlation in gpu),
    }


def main():
    root = pathlib.Path(sys.argv[1])
    expected = {str(p.relative_to(root)): facts(p) for p in sorted(root.rglob("*.json.gz"))}
    json.dump(expected, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
