#!/usr/bin/env python3
"""Writes the initial corpus of every fuzzer: small pieces of the samples, and unusual or broken traces.

usage: make_fuzz_corpus.py (from the root of the tree; needs the zstd program)
"""

import gzip
import json
import pathlib
import random
import struct
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


def sample_pieces():
    """Small valid traces: random events of every kind in the samples."""
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
    """The compressed data, and a variant: two gzip members, or a truncated zstd frame."""
    if kind == "gzip":
        half = len(data) // 2
        return gzip.compress(data, mtime=0), gzip.compress(data[:half], 1, mtime=0) + gzip.compress(data[half:], mtime=0)
    whole = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    return whole, whole[: len(whole) * 2 // 3]


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def spool_record(kind, text, layout, *values):
    """A record of a spool file: its header, and `values` packed with the struct format `layout`."""
    body = struct.pack("<" + layout, *values)
    body += bytes(-len(body) % 8)
    return struct.pack("<HHI", kind, 8 + len(body), text) + body


def spool_text(number, text):
    data = text.encode()
    return spool_record(1, number, f"I{len(data) + 1}s", len(data), data)


def spool_block(flags, process, thread, *records):
    data = b"".join(records)
    return struct.pack("<BBBH", flags, process, thread, len(data)) + data


def spools():
    facts = spool_block(3, 1, 1, spool_text(1, "train"), spool_text(2, "worker"), spool_text(3, "domain"),
                        spool_record(2, 1, "QIIII", 10, 101, 1, 1, 0), spool_record(3, 2, "II", 101, 1),
                        spool_record(4, 2, "II", 3, 7), spool_record(5, 0, "Qq", 1000, 5000),
                        spool_record(5, 0, "Qq", 9000, 9000), spool_record(6, 1, "6I", 0, 9, 0, 132, 32, 1024),
                        spool_record(7, 0, "II", 1, 0), spool_record(8, 2, "II", 1, 7),
                        spool_record(9, 2, "II", 1, 0), spool_record(10, 2, "QQ", 5, 6))
    ranges = [spool_text(1, "outer"), spool_text(2, "in\\ner \u00e9"), spool_record(20, 1, "QII", 1000, 0, 0),
              spool_record(20, 2, "QIIIIQ", 1100, 1, 7, 0xff00ff00, 3, 0x3ff0000000000000), spool_record(21, 0, "Q", 1200),
              spool_record(21, 0, "QII", 1300, 1, 0), spool_record(24, 1, "QII", 1400, 0, 0),
              spool_record(22, 1, "QIIIIQQ", 1500, 0, 0, 0, 2, 5, 9)]
    cuda = [spool_text(1, "cudaLaunchKernel"), spool_text(2, "_Z4gemmIfEvPT_i"),
            spool_record(40, 1, "qqIIII", 5100, 5200, 101, 5, 1, 0),
            spool_record(41, 2, "qqIIII3i3i3iIiiII QQQ".replace(" ", ""), 5300, 5400, 0, 1, 7, 5, 1, 2, 3, 4, 5, 6, 0, 0, 0, 32,
                         1024, 0, 0, 0, 0, 0, 0),
            spool_record(42, 0, "qqQIIII4BIIIQ", 5500, 5600, 4096, 0, 1, 7, 6, 1, 1, 3, 0, 0, 0, 0, 0),
            spool_record(43, 0, "qqQIIIIIIIIQ", 5700, 5800, 4096, 0, 1, 7, 7, 0, 3, 0, 0, 0),
            spool_record(44, 0, "qqIIIIII", 5800, 5900, 3, 1, 7, 8, 0, 0),
            spool_record(45, 0, "qqII", 5000, 5010, 65536, 101),
            spool_record(46, 0, "qQQIIIIIIII", 5000, 4096, 512, 0, 1, 0, 0, 1, 3, 101, 0),
            spool_record(60, 1, "QdIII", 1000, 1.5, 101, 0, 1)]
    yield "ranges", facts + spool_block(2, 1, 1, *ranges) + spool_block(0, 1, 2, spool_record(23, 0, "QQ", 2000, 9))
    yield "cuda", facts + spool_block(0, 1, 1, *cuda) + spool_block(2, 2, 1, *cuda)
    yield "damaged", facts + spool_block(6, 1, 1, *ranges) + spool_block(26, 1, 2, *ranges) + spool_block(10, 1, 2, *cuda)
    frames = [spool_text(1, "/usr/lib/libm.so"), spool_text(2, "_Z4gemmIfEvPT_i"), spool_text(3, "worker"), spool_text(4, "main"),
              spool_record(5, 0, "Qq", 1000, 1000), spool_record(62, 1, "II24s", 1, 3, b"abc"),
              spool_record(63, 2, "IIQII", 1, 1, 4096, 1, 0), spool_record(63, 0, "IIQII", 2, 1, 5000, 2, 0),
              spool_record(63, 4, "IIQII", 3, 0, 6000, 3, 0), spool_record(64, 3, "II", 101, 101)]
    samples = [spool_record(61, 0, f"qIIII{(len(stack) + 1) // 2 * 2}I", ns, 101, 101, 1000, len(stack), *stack, *[0] * (len(stack) % 2))
               for ns, stack in ((2000, [3, 1]), (3000, [3, 1, 2]), (4000, [3, 2]), (9000, [3, 9, 1]), (9500, [3]), (9000, []))]
    yield "samples", spool_block(3, 0, 1, *frames) + spool_block(2, 0, 1, *samples) + spool_block(0, 0, 1, *samples[:3])
    yield "cut", facts + spool_block(2, 1, 1, *ranges, *cuda) + b"\0\0\0"
    yield "raw", b"\xff\x89LSPOOL\n" + struct.pack("<IIII", 1, 0x01020304, 4096, 1)


for name, data in spools():
    write("fuzz_spool", name, data)

inputs = dict(sample_pieces()) | {name: text.encode() for name, text in ODD.items()}
for name, data in inputs.items():
    write("fuzz_json", name, data)
    start = data.find(b"[", data.find(b'"traceEvents"') if b'"traceEvents"' in data else 0)
    write("fuzz_scanner", name, data[start + 1:])
    for kind in ("gzip", "zstd"):
        whole, variant = compressed(kind, data)
        if name.endswith("_0") or name in ODD:
            write(f"fuzz_{kind}", name, whole)
        if name.endswith("_0"):
            write(f"fuzz_{kind}", name + "_parts", variant)
