#!/usr/bin/env python3
"""The C interface used by a C program alone (tests/programs/api.c)."""
import re
import subprocess

from program import BIN, ROOT, SAMPLES, json_of, run_all

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def output():
    run = subprocess.run([BIN / "api", SYNTHETIC], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stderr == "", run
    return run.stdout


def tables(lines):
    """Tables of the output: head and rows, each a list of cells."""
    found = []
    for line in lines:
        cells = line.split("\t")
        if found and len(cells) == len(found[-1][0]) > 1:
            found[-1].append(cells)
        else:
            found.append([cells])
    return [table for table in found if len(table) > 1]


def test_results_equal_the_command_line():
    lines = output().splitlines()
    *others, kernels = tables(lines)
    (steps,) = (table for table in others if "duration_ns" in table[0])  # printed twice, which looks like one table here
    expected = json_of("table", "steps", SYNTHETIC)
    index = steps[0].index("duration_ns")
    durations = [row[index] for row in steps if row[index].isdigit()]
    assert durations == [str(row["duration_ns"]) for row in expected] * 2, durations
    expected = json_of("table", "kernels", SYNTHETIC, "--by", "config", "--top", "5")
    column = kernels[0].index("total_ns")
    assert [row[column] for row in kernels[1:]] == [str(row["total_ns"]) for row in expected]
    assert "slices\n1348" in "\n".join(lines) and "summary of 1 bytes" in lines and "3 rows" in lines


def test_errors_say_what_is_wrong():
    said = {line.split(":")[0]: line for line in output().splitlines() if ": status " in line}
    for name, status, text in [
            ("missing", 1, 'path "/nonexistent/trace.json"'), ("no table", 5, "there are: breakdown"),
            ("no option", 5, "it has: by range"), ("no json", 5, "no JSON object"),
            ("wrong type", 5, 'a whole number from 0, not "ten"'), ("no range", 5, "is not a range of time"),
            ("no trace", 5, "needs a trace"), ("no name", 5, "needs the name of a table"),
            ("no script", 5, "needs a script"), ("no place", 5, "place of the trace is null"),
            ("no alignment", 5, "An alignment is start"),
            ("no workers", 5, "Option workers of open takes a whole number from 1 to 64, not 0"),
            ("many workers", 5, "from 1 to 64, not 65"), ("part of a worker", 5, "from 1 to 64, not 1.5"),
            ("no memory", 5, "Option memory of open takes a whole number from 1, not 0"),
            ("wordy memory", 5, 'not "1 GiB"'), ("workers of a stream", 5, "of open_stream takes a whole number from 1 to 64, not -1"),
            ("little memory", 7, "more than the memory limit of 976.6 KiB; at least 24"),
            ("empty stream", 4, 'path "run.json", offset known, run.json: is empty'), ("sql", 5, "no such table: nowhere"), ("stream", 1, "cannot be read"),
            ("early end", 1, "run.json: the stream ended after 0 B of 7 B"), ("large stream", 1, "free, and the file has"),
            ("cancelled", 6, "cancelled"), ("timeout", 6, "too long")]:
        assert f"status {status} {status}," in said[name] and text in said[name], said[name]


def test_parameters_of_queries():
    lines = output().splitlines()
    assert "text\twhole\treal\tmissing\tyes" in lines and "'; drop table x; -- é\t9223372036854775807\t0.5\tnull\t1" in lines
    assert lines[lines.index("first\tsum") + 1] == "20\t42"
    said = {line.split(":")[0]: line for line in lines if ": status " in line}
    for name, text in [
            ("no value", "offset known, the parameter :step has no value"), ("no second", "the parameter ?2 has no value"),
            ("surplus", "the query has no parameter ?2"), ("surplus name", "the query has no parameter :step"),
            ("no list", "no JSON array or object"), ("no array", "no JSON array or object"),
            ("inner", "parameter 1 is a list or an object"), ("twice", "Parameter a has two values"),
            ("too large", "parameter 1 has more than 64 bits"), ("far too large", "parameter n has more than 64 bits")]:
        assert "status 5 5," in said[name] and text in said[name], said[name]


def test_only_the_interface_is_exported():
    names = subprocess.run(["nm", "-D", "--defined-only", BIN / "liblanescope.so"], check=True, capture_output=True,
                           text=True).stdout
    symbols = [line.split()[2] for line in names.splitlines()]
    header = (ROOT / "api" / "lanescope.h").read_text()
    declared = set(re.findall(r"\b(lanescope_\w+)\(", header))
    assert set(symbols) <= declared and len(symbols) >= 14, set(symbols) ^ declared


run_all(globals())
