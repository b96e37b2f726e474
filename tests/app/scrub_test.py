#!/usr/bin/env python3
"""lanescope convert and cut with --scrub: no path, host, user, command line or secret is left in the file."""
import gzip
import json

from perfetto_file import messages_of
from program import SAMPLES, has_real_traces, json_of, lanescope, real_traces_of_pytorch, run_all, text_of
from recorded import FOLDER

# What must not be found in the output, nor any part that tells as much.
SECRETS = ["node17", "example.com", "jdoe42", "Max Muster", "acme", "customer", "hunter2", "sk-abcdefghijklmnop", "10.1.2.3",
           "fe80::1a2b", "me@intra.org", "train.py --", "private_key_value", "/home", "C:\\", "Windows-Folder", "site-packages",
           "intra", "mast_job", "abcdef0123", "secret_project", "confidential", "unix_socket", "q7-notes",
           "10.9.8.7", "12345678", "2001:db8", "cluster.local", "170 1234567"]


def events():
    def x(name, ts, cat="cpu_op", **args):
        return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": 1, "ts": ts, "dur": 5, "args": args}
    return [
        x("/home/Max Muster/acme/lib/python3/site-packages/torch/nn/modules/module.py(1501): _call_impl", 0, "python_function"),
        x("customer/acme/train_loop.py(7): step", 10, "python_function"),
        x("C:\\Windows-Folder\\My Files (x86)\\acme\\run.py(3): main", 20, "python_function"),
        x("load /data/customer/acme/part-1.parquet for jdoe42", 30, "user_annotation"),
        x("POST https://intra.example.com:8443/v1?token=hunter2", 40, "user_annotation"),
        x("connect 10.1.2.3:29500 and fe80::1a2b:3 as me@intra.org", 50, "user_annotation"),
        x("login password=hunter2 api_key: sk-abcdefghijklmnop1234", 60, "user_annotation"),
        x("on node17 of node17.example.com", 70, "user_annotation"),
        x("password: 12345678 for db01.cluster.local at 2001:db8::1", 75, "user_annotation", master_addr="10.9.8.7:29500",
          peer="10.9.8.7", phone="+49 170 1234567"),
        x("aten::mm", 80, **{"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"], "External id": 7,
                             "Concrete Inputs": ["", "True", "[1, 2]", "/data/customer/x.bin", "secret_project"],
                             "Call stack": "/home/Max Muster/acme/model.py(12): forward;torch/nn/module.py(5): __call__",
                             "env": {"HOME": "/home/jdoe42", "KEY": "private_key_value"}, "note": "confidential",
                             "argv": ["train.py", "--key", "private_key_value"], "weights": [1.5, 2], "size": "12 bytes"}),
        {"ph": "i", "s": "t", "name": "opened /run/unix_socket", "cat": "q", "pid": 1, "tid": 1, "ts": 85,
         "args": {"where": "/data/customer", "n": 3}},
        {"ph": "C", "name": "queue of jdoe42", "pid": 1, "ts": 86, "args": {"value": 4}},
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "/usr/bin/python3 train.py --key=private_key_value"}},
        {"ph": "M", "name": "process_labels", "pid": 1, "tid": 0, "args": {"labels": "CPU of node17"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "loader of jdoe42"}},
    ]


def trace_with_secrets():
    trace = FOLDER / "secrets.json"
    trace.write_text(json.dumps({
        "schemaVersion": 1, "host_name": "node17.example.com", "username": "jdoe42", "mast_job_name": "acme-abcdef0123",
        "traceName": "/home/Max Muster/acme/trace.json", "command": "train.py --key private_key_value", "notes": ["q7-notes"],
        "with_stack": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "numSms": 132}],
        "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "hostname": "node17", "ip": "10.1.2.3"},
        "traceEvents": events()}))
    return trace


def scrubbed(command, trace, target):
    """The bytes of the scrubbed file, decompressed, and what the command says."""
    words = ["--range", "0..1s"] if command == "cut" else []
    run = lanescope(command, trace, *words, "-o", target, "--scrub")
    assert run.returncode == 0 and run.stdout == b"", run
    data = target.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, run.stderr.decode()


def test_nothing_is_left():
    trace = trace_with_secrets()
    for secret in SECRETS:
        assert json.dumps(secret)[1:-1] in trace.read_text(), secret  # the test would notice it
    for command in ("convert", "cut"):
        for name in ("clean.json", "clean.json.gz", "clean.pftrace", "clean.pftrace.gz"):
            data, said = scrubbed(command, trace, FOLDER / name)
            found = [secret for secret in SECRETS if secret.lower().encode() in data.lower()
                     or json.dumps(secret)[1:-1].encode() in data]
            assert not found, (command, name, found)
            assert said.startswith("lanescope: removed: "), said


def test_what_stays_and_what_is_said():
    _, said = scrubbed("convert", trace_with_secrets(), FOLDER / "clean.json")
    whole = json.loads((FOLDER / "clean.json").read_text())
    names = [event["name"] for event in whole["traceEvents"] if event["ph"] == "X"]
    assert names[:4] == ["module.py(1501): _call_impl", "train_loop.py(7): step", "run.py(3): main",
                         "load part-1.parquet for <user 1>"], names
    args = next(event["args"] for event in whole["traceEvents"] if event["name"] == "aten::mm")
    assert args == {"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"], "External id": 7,
                    "Concrete Inputs": ["", "True", "[1, 2]", "", ""], "weights": [1.5, 2], "size": "12 bytes",
                    "Call stack": "model.py(12): forward;torch/nn/module.py(5): __call__"}, args
    assert whole["deviceProperties"] == [{"id": 0, "name": "NVIDIA H100", "numSms": 132}]
    assert whole["distributedInfo"] == {"backend": "nccl", "rank": 3, "world_size": 8}
    assert whole["with_stack"] == 1 and "command" not in whole and whole["host_name"] == "<host>"
    meta = {event["name"]: list(event["args"].values())[0] for event in whole["traceEvents"] if event["ph"] == "M"}
    assert meta["process_name"] == "python3" and meta["thread_name"] == "loader of <user 1>", meta
    for part in ("user names in", "host names in", "paths in", "command lines in 1 text", "network addresses in 2 texts",
                 "mail addresses in 1 text", "(Concrete Inputs, argv, env, master_addr, note, peer, phone, where)",
                 "(command, host_name, mast_job_name, notes, traceName, username)"):
        assert part in said, (part, said)


def test_domains_relative_folders_and_short_names():
    def x(name, ts, cat="user_annotation"):
        return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": 1, "ts": 10 * ts, "dur": 5, "args": {}}
    names = {
        "connect gpu3.lab.de and node1.acme.ai:29500": "connect <host> and <host>:29500",
        "on Node.Corp": "on <host>",
        "open ./acme/run7/last and ../acme/x.pkl": "open <path> and x.pkl",
        "read acme/big.gguf": "read big.gguf",
        "for max, by max": "for max, by <user 1>",
        "user=max": "user=<user 1>",
        "open /home/max/x.bin": "open x.bin",
        "load '/home/li/acme/y.pt' for li": "load 'y.pt' for <user 2>",
        # These are names of programs.
        "max": "max", "aten::max": "aten::max", "li.forward": "li.forward", "amax(max)": "amax(max)",
        "layer1/conv/weight": "layer1/conv/weight", "torch.nn.functional": "torch.nn.functional",
        "self.net.layer": "self.net.layer", "model.de": "model.de", "aten.add.int": "aten.add.int", "loss 1./2": "loss 1./2",
    }
    trace = FOLDER / "names.json"
    trace.write_text(json.dumps({"traceEvents": [x(name, i) for i, name in enumerate(names)]}))
    scrubbed("convert", trace, FOLDER / "clean.json")
    whole = json.loads((FOLDER / "clean.json").read_text())
    assert [event["name"] for event in whole["traceEvents"] if event["ph"] == "X"] == list(names.values()), whole


def test_times_and_shapes_stay_in_samples():
    for sample in (SAMPLES / "synthetic_step.json.gz", *sorted(SAMPLES.glob("torch_cpu/*.json.gz"))):
        target = FOLDER / "clean_sample.json.gz"
        scrubbed("convert", sample, target)
        whole = FOLDER / "whole_sample.json.gz"
        text_of("convert", sample, "-o", whole)
        before, after = json_of("info", whole), json_of("info", target)
        for key in ("complete_by_category", "duration_ns_by_category", "phases", "gpu_activities", "devices"):
            assert before.get(key) == after.get(key), (sample, key)
        for table in (["kernels"], ["operators"], ["operators", "--by", "shape"], ["memory"], ["steps"], ["models"]):
            if lanescope("table", *table, sample).returncode == 0:
                assert json_of("table", *table, sample) == json_of("table", *table, target), (sample, table)


def test_hosts_users_and_paths():
    checked = 0
    for trace in (*sorted(SAMPLES.glob("torch_cpu/*.json.gz")), *real_traces_of_pytorch(1_300_000)):
        whole = json.loads(gzip.decompress(trace.read_bytes()))
        private = [value for key, value in whole.items() if isinstance(value, str) and len(value) > 3
                   and any(word in key for word in ("host", "user", "job_name", "workflow"))]
        data, _ = scrubbed("convert", trace, FOLDER / "real.json.gz")
        for value in private:
            assert value.encode() not in data, (trace, value)
        for word in (b"/home/", b"/usr/", b"/tmp/", b"facebook.com", b"site-packages", b"dist-packages"):
            assert word not in data, (trace, word, data[data.index(word) - 60:][:160])
        checked += len(private)
    assert checked > 5 or not has_real_traces(), checked


def test_perfetto_has_the_same_names():
    trace = trace_with_secrets()
    scrubbed("convert", trace, FOLDER / "clean.json")
    scrubbed("convert", trace, FOLDER / "clean.pftrace")
    whole = json.loads((FOLDER / "clean.json").read_text())
    _, messages = messages_of(FOLDER / "clean.pftrace")
    names = {entry.name for packet in messages.packet for entry in packet.interned_data.event_names} - {""}
    assert names == {event["name"] for event in whole["traceEvents"] if event["ph"] in "Xi"}


run_all(globals())
