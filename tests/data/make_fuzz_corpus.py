#!/usr/bin/env python3
"""Writes the first inputs of every fuzzer from small pieces of the samples, and from what is odd in traces.

usage: make_fuzz_corpus.py (from the root of the tree; needs the zstd program)
"""

import gzip
import json
import pathlib
import random
import subprocess

SAMPLES = ["assets/samples/synthetic_step.json.gz", "assets/samples/torch_cpu/threads_jit.json.gz",
           "assets/samples/torch_cpu/transformer_train_shapes_memory_flops.json.gz",
           "assets/samples/torch_cpu/convnet_stack.json.gz"]
CORPUS = pathlib.Path("tests/fuzz/corpus")

ODD = {
    "begin_end": '[{"ph":"B","name":"a","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":5.5},'
                 '{"ph":"E","pid":1,"tid":1,"ts":6},{"ph":"B","name":"b","pid":1,"tid":"2","ts":"7"}]',
    "async": '{"traceEvents":[{"ph":"b","cat":"c","id":"0x1","name":"a","pid":1,"tid":1,"ts":1},'
             '{"ph":"n","cat":"c","id":"0x1","name":"m","pid":1,"tid":1,"ts":2},'
             '{"ph":"e","cat":"c","id":"0x1","pid":1,"tid":1,"ts":4},'
             '{"ph":"S","cat":"c","id2":{"local":"7"},"name":"s","pid":2,"tid":1,"ts":1},'
             '{"ph":"F","cat":"c","id2":{"local":"7"},"name":"s","pid":2,"tid":1,"ts":9}]}',
    "counters": '[{"ph":"C","name":"q","pid":1,"tid":1,"ts":1,"args":{"a":1,"b":"2.5"}},'
                '{"ph":"C","name":"q","pid":1,"tid":1,"ts":2,"args":{"a":NaN,"b":1e3}},'
                '{"ph":"M","name":"process_name","pid":1,"args":{"name":"p\\u00e9"}},'
                '{"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":-4}}]',
    "flows": '[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":2,'
             '"args":{"correlation":5}},{"ph":"s","id":5,"pid":1,"tid":1,"ts":1,"cat":"ac2g","name":"ac2g"},'
             '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4,"dur":2,"args":{"correlation":5,'
             '"device":0,"stream":7,"grid":[1,2,3],"block":[4,5,6],"registers per thread":32}},'
             '{"ph":"f","id":5,"pid":0,"tid":7,"ts":4,"cat":"ac2g","name":"ac2g","bp":"e"},'
             '{"ph":"t","id":9,"pid":0,"tid":7,"ts":4,"cat":"x","name":"y"}]',
    "broken": '{"a":1,"traceEvents":[,{"ph":"X","ts":1,"dur":2},,{"ph":"X","ts":1e3,"dur":-2.5,"args":{"x":[1,{"y":2}],}}'
              '{"ph":"X","ts":inf,"dur":"N/A"} 17 "text" null, {"ph":"X", {"ph":"i","ts":3,"s":"t"},]} trailing',
    "long_numbers": '[{"ph":"X","ts":1419117003011.5655,"dur":0.0005},{"ph":"X","ts":-99999999999999999999,'
                    '"dur":1e-400},{"ph":"X","ts":4000000000000000.5,"dur":1000000000000000},'
                    '{"ph":"X","ts":00000000000000000012.25,"dur":12e2}]',
    "cut": '{"traceEvents":[{"ph":"X","name":"whole","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","name":"cu',
}


def pieces():
    random.seed(7)
    for number, sample in enumerate(SAMPLES):
        document = json.loads(gzip.open(sample).read())
        events = document.pop("traceEvents")
        by_kind = {}
        for event in events:
            by_kind.setdefault((event.get("ph"), event.get("cat"), event.get("name", "")[:6]), []).append(event)
        kinds = sorted(by_kind, key=str)
        for part in range(3):
            some = [random.choice(by_kind[kind]) for kind in random.sample(kinds, min(len(kinds), 9))]
            indent = [None, 2, None][part]
            head = {key: value for key, value in document.items() if key != "deviceProperties" or part == 0}
            text = json.dumps({**head, "traceEvents": some * 2}, indent=indent)
            yield f"sample_{number}_{part}", text.encode()


def compressed(kind, data):
    if kind == "gzip":
        half = len(data) // 2
        return gzip.compress(data, mtime=0), gzip.compress(data[:half], 1, mtime=0) + gzip.compress(data[half:], mtime=0)
    whole = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    return whole, whole[: len(whole) * 2 // 3]


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


inputs = dict(pieces()) | {name: text.encode() for name, text in ODD.items()}
for name, data in inputs.items():
    write("fuzz_json", name, data)
    start = data.find(b"[", data.find(b'"traceEvents"') if b'"traceEvents"' in data else 0)
    write("fuzz_scanner", name, data[start + 1:])
    for kind in ("gzip", "zstd"):
        whole, other = compressed(kind, data)
        if name.endswith("_0") or name in ODD:
            write(f"fuzz_{kind}", name, whole)
        if name.endswith("_0"):
            write(f"fuzz_{kind}", name + "_parts", other)
