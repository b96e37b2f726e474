#!/usr/bin/env python3
"""The exit status of every command that reads a trace, for each kind of failure: 0, 1 failed, 2 wrong usage."""
import json
import os

from program import SAMPLES, lanescope, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
# Each command with its arguments after the trace. status_of() places the file that follows -o in the test's folder.
COMMANDS = {
    "info": [], "summary": [], "findings": [], "find": ["c"], "flame": [], "what-if": [], "sql": ["select 1"], "notes": [],
    "histogram": ["--kernel", "gemm"], "report": ["-o", "page.html"], "screenshot": ["-o", "view.svg"],
    "convert": ["-o", "copy.json"], "cut": ["--range", "0..1ms", "-o", "cut.json"],
    "table kernels": [], "table steps": [], "table memory": [], "table critical-path": [], "table collectives": [],
}
WRITE = [name for name, words in COMMANDS.items() if "-o" in words]
TAKE_RANGES = [name for name in COMMANDS if name not in ("info", "sql", "notes", "convert", "find")]


def status_of(command, trace, folder, *more):
    """The exit status of a command. A failed one prints nothing to stdout, and its reason to stderr."""
    words = [f"{folder}/{word}" if before == "-o" else word for before, word in zip([""] + COMMANDS[command], COMMANDS[command])]
    run = lanescope(*command.split(), trace, *words, *more)
    said = run.stderr.decode()
    if run.returncode != 0:
        assert run.stdout == b"" and said.startswith("lanescope: "), (command, more, run)
    return run.returncode


def test_every_command_that_reads_a_trace_is_here():
    lines = text_of("--help").split("Subcommands:\n")[1].split("\n\n")[0].splitlines()
    listed = {line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")}
    others = {"columns", "formats", "attach", "record", "doctor", "mcp", "help", "compare", "fleet"}
    assert listed - others == {name.split()[0] for name in COMMANDS}, listed


def test_success():
    with scratch() as folder:
        for command in COMMANDS:
            assert status_of(command, SYNTHETIC, folder) == 0, command


def test_files_that_cannot_be_read():
    with scratch() as folder:
        empty, damaged, no_events = f"{folder}/empty.json", f"{folder}/damaged.json", f"{folder}/no_events.json"
        for path, text in ((empty, ""), (damaged, '{"traceEvents": [{"ph": "X"'), (no_events, '{"traceEvents": []}')):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        nothing = f"{folder}/nothing"
        os.mkdir(nothing)
        for command in COMMANDS:
            for path in (f"{folder}/missing.json", nothing, empty, no_events, damaged):
                assert status_of(command, path, folder) == 1, (command, path)


def test_words_that_are_wrong():
    with scratch() as folder:
        for command in COMMANDS:
            assert status_of(command, SYNTHETIC, folder, "--no-such-option") == 2, command
        for command in TAKE_RANGES:
            more = [] if command != "cut" else None
            for words in ("soon", "step:99", "3ms..2ms"):
                if more is None:
                    run = lanescope("cut", SYNTHETIC, "--range", words, "-o", f"{folder}/cut.json")
                    assert run.returncode == 2, (command, words, run)
                else:
                    assert status_of(command, SYNTHETIC, folder, "--range", words) == 2, (command, words)


def test_names_that_the_trace_lacks():
    for words in (["histogram", SYNTHETIC, "--kernel", "nope"], ["what-if", SYNTHETIC, "--kernel", "nope"],
                  ["flame", SYNTHETIC, "--focus", "nope"], ["sql", SYNTHETIC, "select nope"], ["table", "nope", SYNTHETIC]):
        run = lanescope(*words)
        assert run.returncode == 2 and run.stdout == b"", (words, run)
    assert lanescope("find", SYNTHETIC, "nope").returncode == 0, "no match is an answer"


def test_what_the_trace_lacks():
    with scratch() as folder:
        kinds = {"counters": {"ph": "C", "name": "c", "pid": 1, "tid": 1, "args": {"v": 1}},
                 "instants": {"ph": "i", "s": "t", "name": "c", "pid": 1, "tid": 1},
                 "calls": {"ph": "X", "name": "c", "pid": 1, "tid": 1, "dur": 5}}
        for kind, event in kinds.items():
            path = f"{folder}/{kind}.json"
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"traceEvents": [{**event, "ts": 10 * i} for i in range(5)]}, file)
            for command in COMMANDS:
                expected = 2 if command == "histogram" else 1 if (command, kind) in (("flame", "counters"), ("flame", "instants")) else 0
                assert status_of(command, path, folder) == expected, (command, kind)
        for source in ("samples", "waiting", "gpu", "modules"):
            assert status_of("flame", f"{folder}/calls.json", folder, "--of", source) == 1, source


def test_output_that_cannot_be_written():
    with scratch() as folder:
        mine = f"{folder}/mine.json"
        with open(mine, "w", encoding="utf-8") as file:
            file.write("not written by this program")
        for command in COMMANDS:
            run = lanescope(*command.split(), SYNTHETIC, *[word for word in COMMANDS[command] if word != "-o" and "." not in word or ".." in word],
                            "-o", f"{folder}/no/such/folder/out" + ending_of(command))
            assert run.returncode == (2 if takes_no_output(run) else 1), (command, run)


def ending_of(command):
    endings = {"report": ".html", "screenshot": ".svg", "convert": ".json", "cut": ".json"}
    return endings.get(command, ".json")


def takes_no_output(run):
    return b"has no option -o" in run.stderr


run_all(globals())
