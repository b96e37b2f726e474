#!/usr/bin/env python3
"""Tests XLA programs in XSpace profiles: events get their HLO instruction with its operators and Python lines."""
import collections
import json
import pathlib

from program import json_of, real_trace, run_all, scratch, traces_here

from xspace_test import events_of, fields, planes_of, signed  # noqa: I001


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def message(*pairs):
    """A message of (field number, value) pairs. Values are integers, texts or messages."""
    out = b""
    for number, value in pairs:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def hlo_proto(program=7):
    """A program with dot (with a line of its own), and a fusion of add and tanh (with stack frames); "sum" is a part of reduce."""
    def instruction(name, opcode, op_name="", origin=(), called=()):
        packed = b"".join(varint(one) for one in called)
        return message((1, name), (2, opcode), (7, message((2, op_name), *origin)), *([(38, packed)] if called else []))

    fused = message((1, "fused"), (2, instruction("p", "parameter")), (2, instruction("add.1", "add", "jit(f)/add", [(15, 1)])),
                    (2, instruction("tanh.1", "tanh", "jit(f)/jvp(up)/tanh", [(15, 2)])), (5, 1))
    parts = message((1, "sum"), (2, instruction("inner", "add", "jit(f)/reduce_sum")), (5, 2))
    main = message((1, "main"), (2, instruction("x", "parameter")),
                   (2, instruction("dot", "dot", "jit(f)/dot_general", [(3, "/work/old.py"), (4, 5)])),
                   (2, instruction("fusion.1", "fusion", "jit(f)/add;jit(f)/mul", [(15, 1)], [1])),
                   (2, instruction("reduce", "reduce", "jit(f)/reduce_sum", [(15, 9)], [2])), (5, 3))
    frames = message((1, "/work/model.py"), (2, "f"), (3, message((1, 1), (2, 1), (3, 11))), (3, message((1, 1), (2, 1), (3, 12))),
                     (4, message((1, 1))), (4, message((1, 2), (2, 1))))
    return message((1, message((1, "jit_f"), (2, "main"), (3, fused), (3, parts), (3, main), (5, program), (17, frames))))


def profile(proto, events):
    """An XSpace profile of a thread whose events of 100 µs each run instructions of programs."""
    names = {1: "hlo_op", 2: "program_id", 3: "Hlo Proto"}
    stats = [(5, message((1, key), (2, message((1, key), (2, name))))) for key, name in names.items()]
    kinds = sorted({name for name, _ in events})
    kind_of = [(4, message((1, i + 1), (2, message((1, i + 1), (2, name))))) for i, name in enumerate(kinds)]
    rows = [(4, message((1, kinds.index(name) + 1), (2, i * 200_000_000), (3, 100_000_000), (4, message((1, 1), (5, name))),
                        (4, message((1, 2), (4, program))))) for i, (name, program) in enumerate(events)]
    host = message((2, "/host:CPU"), (3, message((1, 5), (2, "python"), (3, 1_000), *rows)), *kind_of, *stats)
    programs = message((2, "/host:metadata"), (4, message((1, 9), (2, message((1, 9), (2, "jit_f(7)"), (5, message((1, 3), (6, proto))))))), *stats)
    return message((1, programs), (1, host))


def test_instructions_of_a_small_program():
    with scratch() as folder:
        path = pathlib.Path(folder) / "a.xplane.pb"
        path.write_bytes(profile(hlo_proto(), [("dot", 7), ("fusion.1", 7), ("dot", 7), ("reduce", 7), ("dot", 8), ("other", 7)]))
        rows = {row["call"]: row for row in json_of("table", "compile", path, "--by", "kernel")}
        assert {name: (row["operators"], row["lines"], row["grade"], row["graph"], row["calls"], row["time_ns"], row["opcode"], row["scopes"])
                for name, row in rows.items()} == {
            "dot": ("dot_general", "old.py:5", "id", "jit_f(7)", 2, 200_000, "dot", "jit(f)/dot_general"),
            "fusion.1": ("add, mul, tanh", "model.py:11, model.py:12", "id", "jit_f(7)", 1, 100_000, "fusion",
                         "jit(f)/add, jit(f)/jvp(up)/tanh, jit(f)/mul"),
            "reduce": ("reduce_sum", None, "id", "jit_f(7)", 1, 100_000, "reduce", "jit(f)/reduce_sum")}, rows
        lines = {row["lines"]: row["time_ns"] for row in json_of("table", "compile", path, "--by", "line")}
        assert lines == {"old.py:5": 200_000, "model.py:11, model.py:12": 100_000, "not attributable": 100_000}, lines
        graph, = json_of("table", "compile", path, "--by", "graph")
        assert (graph["graph"], graph["function"], graph["sites"], graph["calls"], graph["kernel_time_ns"], graph["linked_time_ns"]) == (
            "jit_f(7)", "jit_f", 3, None, 400_000, 400_000), graph


def test_damaged_programs_are_counted():
    with scratch() as folder:
        path = pathlib.Path(folder) / "a.xplane.pb"
        proto = hlo_proto()
        for cut in range(1, len(proto), 7):
            path.write_bytes(profile(proto[:cut], [("dot", 7)]))
            rows = json_of("table", "compile", path, "--by", "kernel")
            codes = {warning["code"]: warning["count"] for warning in json_of("info", path)["warnings"]}
            assert rows == [] and codes.get("programs_not_read") == 1, (cut, rows, codes)


def instructions_of(path):
    """Returns the events that run instructions, and the opcodes of all instructions by program and name."""
    planes = planes_of(path)
    found = {}
    for number, data in fields(path.read_bytes()):
        plane = list(fields(data)) if number == 1 else []
        if (2, b"/host:metadata") not in plane:
            continue
        for key, entry in plane:
            for part, stat in fields(dict(fields(entry))[2]) if key == 4 else ():
                proto = dict(fields(stat)).get(6) if part == 5 else None
                if proto is None:
                    continue
                module = list(fields(dict(fields(proto))[1]))
                program = signed(dict(pair for pair in module if pair[0] == 5).get(5, 0))
                for part_of_module, computation in module:
                    for inside, instruction in fields(computation) if part_of_module == 3 else ():
                        if inside == 2:
                            instruction = dict(fields(instruction))
                            found[program, instruction[1].decode()] = instruction[2].decode()
    return [event for event in events_of(planes) if event[3].get("hlo_op")], found


def test_every_event_of_real_profiles_has_its_instruction():
    for path in traces_here("xplane/jax_cpu.xplane.pb", "xplane/mi300_jax_conv.xplane.pb", "compile/jax_mlp/jax_mlp.xplane.pb"):
        events, opcodes = instructions_of(path)
        on_gpu = bool(json_of("info", path)["gpu_activities"])
        calls, opcode_of = collections.Counter(), {}
        for _, _, _, stats in events:
            key = int(stats.get("program_id") or 0), stats["hlo_op"]
            # On a GPU, both the launching call and the kernel name the instruction.
            calls[key] += 1
            opcode_of[key] = opcodes[key]
        rows = [row for row in json_of("table", "compile", path, "--by", "kernel") if row["calls"] or row["kernels"]]
        said = {(int(row["graph"].rsplit("(", 1)[1][:-1]), row["call"]): row for row in rows}
        assert set(said) == set(calls) and len(rows) == len(said), (path, set(calls) ^ set(said))
        for key, row in said.items():
            assert (row["calls"] + row["kernels"], row["opcode"], row["grade"]) == (calls[key], opcode_of[key], "id"), (path, key, row)
            assert row["operators"] and (row["kernels"] > 0) == on_gpu, (path, row)
        assert sum(calls.values()) in (100, 396, 36)


def test_a_real_program_with_its_facts():
    folder = real_trace("compile/jax_mlp")
    facts = json.loads((folder / "facts.json").read_text())
    rows = {row["call"]: row for row in json_of("table", "compile", folder / "jax_mlp.xplane.pb", "--by", "kernel") if row["calls"]}
    assert set(rows) == set(facts["ops"])
    for name, fact in facts["ops"].items():
        row = rows[name]
        paths = {path for text in (fact["op_name"], *fact["op_names_inside"]) for path in text.split(";") if path}
        assert (row["calls"], row["opcode"], set((row["scopes"] or "").split(", ")) - {""}) == (fact["events"], fact["opcode"], paths), (row, fact)
        if fact["source"]:
            assert fact["source"][0].split(" ")[0] in row["lines"].split(", "), (row, fact)


if __name__ == "__main__":
    run_all(globals())
