"""Collective calls and their numbers, compared with an independent count in the JSON of real traces."""
import collections
import decimal
import gzip
import json

import lanescope as ls
import pytest

SENDS = ("send", "recv")


def events_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def numbers_in_inputs(event):
    """The number of a call among its inputs, which follows a tensor if there is one; None if it is part of a tuple."""
    types, values = event["args"].get("Input type", []), event["args"].get("Concrete Inputs", [])
    place = types.index("Scalar") if "Scalar" in types[:2] and values else None
    return None if place is None else int(values[place])


def counted(events):
    """Collective calls in the order of their begin: group, type, elements, begin, duration, stream, number and its source."""
    by_id = {(e["args"].get("rank"), e["args"]["External id"]): e for e in events if e.get("name") == "record_param_comms"
             and e.get("ph") == "X" and e["args"].get("Collective name") not in (None, "wait")}
    kernels = [e for e in events if e.get("ph") == "X" and e.get("cat") == "kernel" and "Collective name" in e["args"]]
    kernels.sort(key=lambda e: e["ts"])
    begin = min(e["ts"] for e in events if "ts" in e and e.get("ph") not in ("M", None))
    calls, places = [], collections.Counter()
    for e in kernels:
        args = e["args"]
        group = (args.get("rank"), args["Process Group Name"], args["Collective name"] in SENDS)
        places[group] += 1
        recorded = args.get("Seq", numbers_in_inputs(by_id[(args.get("rank"), args["External id"])]))
        calls.append({"process_group": args["Process Group Name"], "in_elements": args["In msg nelems"],
                      "out_elements": args["Out msg nelems"], "dtype": args["dtype"], "group_size": args["Group size"],
                      "stream": args["stream"], "device": args["device"], "start_ns": nanoseconds(e["ts"]) - nanoseconds(begin),
                      "duration_ns": nanoseconds(e["dur"]), "sequence": places[group] if recorded is None else recorded,
                      "sequence_from": "counted" if recorded is None else "recorded"})
    return calls


@pytest.mark.parametrize("name, calls, source", [("a100_nccl_groups", 21, "counted"), ("b200_eager_rank0", 1, "counted"),
                                                 ("mi300_rccl_merged_ranks_140mb", 84, "recorded")])
def test_collectives_equal_an_independent_count(traces, name, calls, source):
    path = traces / f"torch/{name}.json.gz"
    expected = counted(events_of(path))
    with ls.open(path, progress=False) as trace:
        rows = [row for row in trace.collectives() if row["process_group"] is not None]  # others are no calls of torch.distributed
    assert len(rows) == len(expected) == calls

    def order(row):
        return row["start_ns"], row["device"], row["stream"]
    for row, of_file in zip(sorted(rows, key=order), sorted(expected, key=order)):
        assert {key: row[key] for key in of_file} == of_file
    assert {row["sequence_from"] for row in rows} == {source}


def test_recorded_numbers_are_equal_on_all_ranks(traces):
    """The trace has four ranks: each call has the same number, type and size on each of them."""
    with ls.open(traces / "torch/mi300_rccl_merged_ranks_140mb.json.gz", progress=False) as trace:
        rows = trace.collectives().to_dicts()
    by_number = collections.defaultdict(list)
    for row in rows:
        by_number[row["process_group"], row["sequence"]].append(row)
    assert len(by_number) == 21
    for same in by_number.values():
        assert len({row["process"] for row in same}) == 4 == len(same)
        assert len({(row["type"], row["size_bytes"], row["dtype"]) for row in same}) == 1


def test_every_call_of_a_group_counts_once(traces):
    """Without recorded groups, the calls of each stream are 1, 2, 3 …"""
    with ls.open(traces / "torch/v100_memory_nccl.json.gz", progress=False) as trace:
        rows = trace.collectives().to_dicts()
    numbers = collections.defaultdict(list)
    for row in rows:
        numbers[row["stream"]].append(row["sequence"])
    assert len(rows) == 2020 and {row["sequence_from"] for row in rows} == {"counted"}
    for of_stream in numbers.values():
        assert of_stream == list(range(1, len(of_stream) + 1))
