"""Traces that tests make from the synthetic sample."""
import decimal
import gzip
import json
import pathlib

SYNTHETIC = pathlib.Path(__file__).resolve().parent.parent / "assets" / "samples" / "synthetic_step.json.gz"


def made_from_sample(folder, name, factor=1, device=None, without="", rename=(), **properties):
    """Writes the synthetic sample into a folder, with all times multiplied from its begin, another name of the GPU, without the
    events whose names begin with a text, with texts of names replaced, and with more properties of the file; returns the path."""
    with gzip.open(SYNTHETIC, "rt", encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    events = [e for e in trace["traceEvents"] if not (without and e["name"].startswith(without))]
    begin = min(e["ts"] for e in events if "ts" in e)
    for event in events:
        for old in rename:
            event["name"] = event["name"].replace(old, rename[old])
        if "ts" in event:
            event["ts"] = begin + (event["ts"] - begin) * factor
        if "dur" in event:
            event["dur"] *= factor
    for gpu in trace["deviceProperties"]:
        gpu["name"] = device or gpu["name"]
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps({**trace, "traceEvents": events, **properties}, default=float), encoding="utf-8")
    return path


def made_ranks(folder, **options):
    """Two ranks of one run; the second one is slower by a hundredth."""
    return [made_from_sample(folder, f"rank-{rank}.json", factor=decimal.Decimal(100 + rank) / 100,
                             distributedInfo={"backend": "nccl", "rank": rank, "world_size": 2}, **options) for rank in (0, 1)]
