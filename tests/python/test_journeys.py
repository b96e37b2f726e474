"""A question that people bring to Python: the time of the attention kernels by layer, as docs/journeys.md answers it."""
import gzip
import json
import re

import lanescope
from conftest import ROOT


def query_of_the_page():
    page = (ROOT / "docs" / "journeys.md").read_text(encoding="utf-8")
    return re.search(r't\.sql\("(.*)"\)\.to_pandas\(\)', page)[1]


def layers_of(events):
    """Layers, and the time of the flash kernels that were launched inside them, computed from the events."""
    modules = [e for e in events if e.get("cat") == "python_function" and re.search("BertLayer_[0-9]", e["name"])]
    launches = {e["args"]["correlation"]: e for e in events if e.get("cat") == "cuda_runtime"}
    times = {}
    for kernel in events:
        if kernel.get("cat") != "kernel" or "flash" not in kernel["name"]:
            continue
        launch = launches[kernel["args"]["correlation"]]
        for module in modules:
            if module["tid"] == launch["tid"] and module["ts"] <= launch["ts"] < module["ts"] + module["dur"]:
                times[module["name"]] = times.get(module["name"], 0) + round(kernel["dur"] * 1000)
    return times


def test_attention_kernels_by_layer(traces):
    path = traces / "torch" / "h100_bert_small.json.gz"
    frame = lanescope.open(path, progress=False).sql(query_of_the_page()).to_pandas()
    found = dict(zip(frame["layer"], (int(ns) for ns in frame["ns"])))
    assert len(found) == 4
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert found == layers_of(json.load(file)["traceEvents"])
