#!/usr/bin/env python3
"""Tests the panel Compare with real keys and mouse: its words and rows are those of `lanescope compare`, and rows lead to
both traces."""

import json
import os
import subprocess
import sys
import tempfile

from window import BIN, ROOT, SYNTHETIC, TRANSFORMER, Window, and_real, run, traces_here

sys.path.insert(0, os.path.join(ROOT, "tests", "app"))
from compare_runs import server  # noqa: E402
from made_traces import made_from_sample  # noqa: E402  (in tests, whose path window.py adds)


def pairs(folder, *names):
    """The synthetic sample made slower on another GPU, and pairs of real traces."""
    made = [str(made_from_sample(folder, f"{name}.json", device=name, factor=factor)) for name, factor in (("Before", 1), ("After", 2))]
    return [made, *([str(path) for path in traces_here(*(f"torch/{name}.json.gz" for name in pair))] for pair in and_real(*names))]


def command(*arguments):
    return subprocess.run([os.path.join(BIN, "lanescope"), "compare", *arguments], check=True, capture_output=True,
                          text=True).stdout


def shown(w):
    w.show_panel("Compare")
    w.wait(lambda s: s["compare"]["ready"], "the comparison")
    return w.still()


def table(state):
    return state["panels"]["Compare"]["table"]


def check_words(state, paths):
    """Each text of the panel is in the command's, apart from line ends."""
    text = " ".join(command(*paths).split())
    words = state["compare"]["text"]
    for sentence in [*words["sides"], words["comparability"], *words["differences"], *words["remarks"], *words["compiled"],
                     words["step"], *words["notes"]]:
        assert " ".join(sentence.split()) in text, (sentence, text)
    # And nothing of the head is missing.
    head = text[:text.index("The step:")]
    for sentence in [*words["sides"], words["comparability"], *words["differences"], *words["remarks"], *words["compiled"],
                     *(["Compiled code"] if words["compiled"] else [])]:
        head = head.replace(" ".join(sentence.split()), "")
    assert not head.strip(), head


def traces_are_compared_as_by_the_command():
    with tempfile.TemporaryDirectory() as folder:
        for paths in pairs(folder, ("h100_qwen_chat", "mi300_qwen_chat"), ("a100_train_before", "v100_train_after")):
            check_comparison(paths)


def check_comparison(paths):
    with Window(*paths) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        state = shown(w)
        check_words(state, paths)
        one = json.loads(command(*paths, "--format", "json", "--top", "0"))
        rows = [one["step"], *one["rows"]]
        assert table(state)["row_count"] == len(rows), (table(state)["row_count"], len(rows))
        assert any(line.startswith("device: ") for line in state["compare"]["text"]["differences"])
        for row, expected in zip(table(state)["rows"], rows):
            assert row["verdict"] in (expected["verdict"], "–", ""), (row, expected)
            assert row["function"] == expected["function"], (row, expected)
            if expected["a_ns"] and expected["b_ns"]:
                assert (expected["difference_ns"] < 0) == row["difference_ns"].startswith(("-", "−")), (row, expected)


def a_row_leads_to_both_traces():
    with tempfile.TemporaryDirectory() as folder:
        for paths in pairs(folder, ("a100_train_before", "v100_train_after")):
            check_row(paths)


def check_row(paths):
    with Window(*paths) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        state = shown(w)
        rows = table(state)["rows"]
        place = next(i for i, row in enumerate(rows[:8]) if i > 0 and row["verdict"] in ("slower", "faster", "unclear", "too few"))
        x = sum(table(state)["columns"]["function"]) / 2
        pitch = 22

        def click(part):
            at = table(w.still())["first_row_y"] + pitch * place
            w.click(x, at)
            w.wait(lambda s: s["selection"] and s["traces"]["shown_part"] == part, f"a call of trace {part}")
            w.wait(lambda s: s["compare"]["ready"], "the same comparison")
            return w.still()["selection"]

        name = rows[place]["function"].split(" ")[0].split("…")[0]
        first = click(0)
        second = click(1)
        assert first["start"] != second["start"], (first, second)
        assert first["name"].startswith(name[:8]) and second["name"].startswith(name[:8]), (first, second, name)
        assert click(0)["start"] == first["start"]


def a_and_b_are_swapped_and_aligned():
    with tempfile.TemporaryDirectory() as folder:
        for paths in pairs(folder, ("h100_qwen_chat", "mi300_qwen_chat")):
            check_swap(paths)


def check_swap(paths):
    with Window(*paths) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        state = shown(w)
        assert state["compare"]["traces"] == [0, 1]
        w.click(*state["compare"]["places"]["swap"])
        w.wait(lambda s: s["compare"]["ready"] and s["compare"]["traces"] == [1, 0], "B and A")
        state = w.still()
        check_words(state, paths[::-1])
        w.click(*state["compare"]["places"]["align"])
        w.wait(lambda s: s["traces"]["aligned_by"] == "step" and not s["traces"]["busy"], "the step")
        w.wait(lambda s: s["compare"]["ready"], "the comparison of aligned traces")
        check_words(w.still(), paths[::-1])


def a_trace_does_not_differ_from_itself():
    with Window(SYNTHETIC, SYNTHETIC) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        state = shown(w)
        words = state["compare"]["text"]
        assert not words["differences"] and words["step"].endswith("no difference."), words
        check_words(state, (SYNTHETIC, SYNTHETIC))


def steps_of_servers_are_compared_phase_by_phase():
    decode, prefill = "step[DECODE bs=8]", "step[EXTEND bs=1 toks=512]"
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(server(folder, name, [(decode, time + i % 3) for i in range(12)] + [(prefill, 400 + i % 3) for i in range(7)]))
                 for name, time in (("before.json", 100), ("after.json", 130))]
        with Window(*paths) as w:
            w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
            whole = shown(w)
            check_words(whole, paths)
            w.click(*whole["compare"]["places"]["phase"])
            choices = w.wait(lambda s: "decode steps" in s["compare"]["places"], "the phases")["compare"]["places"]
            assert "prefill steps" in choices and "mixed steps" not in choices, choices
            w.click(*choices["decode steps"])
            w.wait(lambda s: s["compare"]["ready"] and s["compare"]["phase"] == "decode", "steps of one phase")
            step = w.still()["compare"]["text"]["step"]
            assert step.startswith("The decode step: 101 µs → 131 µs") and step in " ".join(command(*paths, "--phase", "decode").split()), step


def one_trace_says_how_to_add_another():
    with Window(SYNTHETIC) as w:
        state = shown(w)
        assert state["compare"]["text"] is None and state["compare"]["traces"] is None
        w.click(*state["compare"]["places"]["add"])
        w.wait(lambda s: s["dialog_shown"], "the file dialog")


def different_programs_have_no_table():
    with Window(SYNTHETIC, TRANSFORMER) as w:
        w.wait(lambda s: len(s["traces"]["parts"]) == 2 and not s["traces"]["busy"], "both traces")
        compare = shown(w)["compare"]
        one = json.loads(command(SYNTHETIC, TRANSFORMER, "--format", "json"))
        assert compare["comparable"] == one["comparable"]
        assert compare["text"]["remarks"] == one["remarks"], (compare["text"], one["remarks"])


sys.exit(run([traces_are_compared_as_by_the_command, a_row_leads_to_both_traces, a_and_b_are_swapped_and_aligned,
              a_trace_does_not_differ_from_itself, steps_of_servers_are_compared_phase_by_phase, one_trace_says_how_to_add_another,
              different_programs_have_no_table]))
