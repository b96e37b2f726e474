"""Compares HTA's critical path with ours, edge by edge: the share of its time that is also on our path.

    hta_path.py TRACE ANNOTATION INSTANCE RANGE

ANNOTATION and INSTANCE select a step for HTA; RANGE is the same step for `lanescope --range`. Run it with the Python that
has HTA; LANESCOPE_BIN is the folder of lanescope. It needs pandas 2, because HTA 0.5.0 fails with pandas 3, or loses the
dependencies of streams.
"""
import collections
import json
import logging
import os
import subprocess
import sys
import warnings

import pandas
from hta.trace_analysis import TraceAnalysis

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

LANESCOPE = os.path.join(os.environ["LANESCOPE_BIN"], "lanescope")
ROUNDED = 1000  # ns, because HTA rounds begins up and ends down to whole µs
ACTIVITIES = ("kernel", "communication", "copy")


def table(name, trace, *words):
    text = subprocess.run([LANESCOPE, "table", name, trace, "--format", "json", *words], check=True, capture_output=True)
    return json.loads(text.stdout)


def path_of_hta(trace, annotation, instance):
    """The edges of HTA's path: kind, name, weight, begin and end of the edge and of its event, in µs of HTA's clock."""
    analysis = TraceAnalysis(trace_files={0: trace}, trace_dir="")
    graph, found = analysis.critical_path_analysis(rank=0, annotation=annotation, instance_id=instance)
    assert found, "HTA found no path"
    names = analysis.t.symbol_table.sym_table
    edges = []
    for begin, end in zip(graph.critical_path_nodes, graph.critical_path_nodes[1:]):
        edge = graph.edges[begin, end]["object"]
        event = graph.get_event_attribution_for_edge(edge)
        row = graph.trace_df.loc[graph.node_list[begin].ev_idx if event is None else event]
        kind = edge.type.name.lower()
        if kind == "operator_kernel":
            kind = "activity" if row["stream"] >= 0 else "cpu"
        edges.append({"kind": kind, "name": names[int(row["name"])], "weight": int(edge.weight),
                      "begin": graph.node_list[begin].ts, "end": graph.node_list[end].ts,
                      "event": float(row["ts"]), "event_end": float(row["ts"] + row["dur"])})
    return edges


def clock_shift(edges, trace):
    """How far HTA's clock is ahead of ours, in ns: the most frequent difference of its path's activities."""
    starts = collections.defaultdict(list)
    for row in table("kernels", trace, "--by", "instance"):
        starts[row["name"]].append(row["start_ns"])
    shifts = collections.Counter(round(edge["event"] - start / 1000) for edge in edges if edge["kind"] == "activity"
                                 for start in starts[edge["name"]])
    return shifts.most_common(1)[0][0] * 1000


def overlap(begin, end, segment):
    return max(0, min(end, segment["start_ns"] + segment["duration_ns"] + ROUNDED) - max(begin, segment["start_ns"] - ROUNDED))


def is_inside(segment, begin, end):
    end_of_segment = segment["start_ns"] + segment["duration_ns"]
    return segment["start_ns"] >= begin - 2 * ROUNDED and end_of_segment <= end + 2 * ROUNDED


def main():
    assert pandas.__version__ < "3", "HTA 0.5.0 needs pandas 2"
    trace, annotation, instance, span = sys.argv[1:]
    edges = path_of_hta(trace, annotation, int(instance))
    segments = table("critical-path", trace, "--by", "segment", "--range", span)
    by_name = collections.defaultdict(list)
    for segment in segments:
        by_name[segment["name"]].append(segment)
    shift = clock_shift(edges, trace)
    time, common, count = collections.Counter(), collections.Counter(), collections.Counter()
    for edge in [edge for edge in edges if edge["weight"] > 0]:
        kind = edge["kind"]
        begin, end = edge["begin"] * 1000 - shift, edge["end"] * 1000 - shift
        if kind in ("activity", "cpu"):
            candidates = by_name[edge["name"]]
        else:
            candidates = [segment for segment in segments if segment["part"] in ("gap", "launch")]
        common_time = min(sum(overlap(begin, end, segment) for segment in candidates) / 1000, edge["weight"])
        time[kind] += edge["weight"]
        common[kind] += common_time
        count[kind] += 1
    for kind in time:
        print(f"HTA {kind}: {count[kind]} edges, {time[kind] / 1e3:.3f} ms; on ours {common[kind] / 1e3:.3f} ms "
              f"({100 * common[kind] / time[kind]:.1f} %)")
    theirs = collections.defaultdict(list)
    for edge in edges:
        if edge["kind"] == "activity":
            theirs[edge["name"]].append((edge["event"] * 1000 - shift, edge["event_end"] * 1000 - shift))
    ours = [segment for segment in segments if segment["part"] in ACTIVITIES]
    shared = [segment for segment in ours
              if any(is_inside(segment, *event) for event in theirs[segment["name"]])]
    print(f"our activities: {sum(s['duration_ns'] for s in ours) / 1e6:.3f} ms; on HTA's "
          f"{sum(s['duration_ns'] for s in shared) / 1e6:.3f} ms")
    for segment in sorted((s for s in ours if s not in shared), key=lambda s: -s["duration_ns"])[:3]:
        print(f"    only ours: {segment['duration_ns'] / 1e3:.1f} µs at {segment['start_ns'] / 1e3:.1f} µs, {segment['name'][:60]}")


main()
