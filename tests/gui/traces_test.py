#!/usr/bin/env python3
"""Tests several traces in one window: they are opened together, added, moved, aligned, removed, reloaded, and
distinguished."""

import json
import os
import shutil
import sys
import tempfile

from window import PATIENCE, SYNTHETIC, TRANSFORMER, Window, has_real_traces, near, real_trace, run, span, x_of, xdotool  # noqa: F401


def rank(folder, number, start, kernel_at):
    """Makes one of two ranks: a step, a launch and its all-reduce; times in microseconds."""
    def event(cat, name, ts, dur, tid, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": 0 if cat == "kernel" else 40 + number, "tid": tid,
                "ts": start + ts, "dur": dur, "args": args}
    events = [event("user_annotation", "ProfilerStep#3", 0, 400, 1), event("user_annotation", "ProfilerStep#4", 400, 600, 1),
              event("cuda_runtime", "cudaLaunchKernel", 500, 10, 1, correlation=5),
              event("kernel", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", kernel_at, 900 - kernel_at, 7,
                    correlation=5, device=0, stream=7),
              event("kernel", f"own_kernel_{number}", 910, 50, 7, correlation=6, device=0, stream=7)]
    path = os.path.join(folder, f"rank-{number}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"distributedInfo": {"rank": number, "world_size": 2}, "traceEvents": events}, file)
    return path


def joined(w, parts):
    def are_there(s):
        traces = s.get("traces")  # missing for a moment while the files are reloaded
        return not s["loading"] and traces and len(traces["parts"]) == parts and not traces["busy"]

    return w.wait(are_there, f"{parts} traces")


def begins(state):
    return [part["begin"] for part in state["traces"]["parts"]]


def select(w, name):
    """Selects by the search, which finds a slice in any lane."""
    w.key("slash")
    xdotool("type", "--delay", "20", name)
    w.wait(lambda s: s["search"]["count"], "what was searched")
    w.key("Return")
    w.key("Escape")
    w.key("Escape")
    return w.still()


def place(state, what):
    return state["traces"]["places"][what]


def two_ranks_are_below_each_other():
    with tempfile.TemporaryDirectory() as folder:
        with Window(rank(folder, 0, 1000, 520), rank(folder, 1, 9000, 700)) as w:
            state = joined(w, 2)
            assert [p["name"] for p in state["traces"]["parts"]] == ["rank 0", "rank 1"], state["traces"]
            assert state["traces"]["aligned_by"] == "start" and begins(state) == [0, 0]
            assert near(span(state), 1_000_000, 250_000), span(state)
            # The panels show the trace of the selected slice.
            state = select(w, "own_kernel_1")
            assert state["traces"]["shown_part"] == 1
            assert state["selection"]["name"] == "own_kernel_1" and state["selection"]["arguments"], state["selection"]
            kernels = state["panels"]["Kernels"]["table"]["rows"]
            assert len(kernels) == 2 and "own_kernel_0" not in json.dumps(kernels), kernels
            state = w.key("ctrl+t")
            assert state["traces"]["shown_part"] == 0
            state = w.wait(lambda s: "own_kernel_0" in json.dumps(s["panels"]["Kernels"]["table"]), "the other table")


def a_collective_leads_across_the_ranks():
    with tempfile.TemporaryDirectory() as folder:
        with Window(rank(folder, 0, 1000, 520), rank(folder, 1, 1000, 700)) as w:
            joined(w, 2)
            state = select(w, "ncclKernel")
            ranks = w.wait(lambda s: s["traces"]["ranks"], "the other rank")["traces"]["ranks"]
            assert [r["rank"] for r in ranks] == ["rank 0", "rank 1"], ranks
            assert [r["late"] for r in ranks] == [0, 180_000], ranks
            select(w, "own_kernel_0")
            assert w.wait(lambda s: not s["traces"]["ranks"], "no ranks of another kernel")
    if has_real_traces():
        check_real_ranks([real_trace(f"torch/two_ranks/rank-{n}.json.gz") for n in (0, 1)])


def check_real_ranks(ranks):
    with Window(*ranks) as w:
        state = joined(w, 2)
        assert state["traces"]["aligned_by"] == "clock"
        select(w, "ncclKernel dur>62ms")  # a collective that both files contain: they were cut at random
        ranks = w.wait(lambda s: s["traces"]["ranks"], "the other rank")["traces"]["ranks"]
        assert len(ranks) == 2 and 0 < max(r["late"] for r in ranks) < 1e9, ranks


def traces_are_moved_by_keys_and_by_the_panel():
    with tempfile.TemporaryDirectory() as folder:
        with Window(rank(folder, 0, 1000, 520), rank(folder, 1, 9000, 700)) as w:
            joined(w, 2)
            select(w, "own_kernel_1")
            before = w.key("f")
            view = before["range"]
            w.move(before["lanes"][0] + 5, before["lanes"][1] - 60)  # no lane under the pointer
            w.key("alt+shift+Right")
            state = w.wait(lambda s: begins(s)[1:] and begins(s)[1] > 0 and not s["traces"]["busy"], "the move")
            assert state["traces"]["aligned_by"] == "hand"
            moved = begins(state)[1]
            assert near(moved, 10 * span(before) / (before["lanes"][2] - before["lanes"][0]), 50), moved
            state = w.wait(lambda s: s["selection"], "the selection again")
            assert state["selection"]["name"] == "own_kernel_1"
            assert state["range"] == view, (state["range"], view)
            assert state["selection"]["start"] == before["selection"]["start"] + moved
            state = w.show_panel("Traces")
            w.click(*place(state, "later 1"))
            state = w.wait(lambda s: begins(s)[1:] == [moved + 10_000] and not s["traces"]["busy"], "10 µs later")
            # A begin can be typed.
            x, y = place(state, "begin 1")
            w.click(x, y)
            xdotool("key", "ctrl+a")
            xdotool("type", "--delay", "20", "1.5 ms")
            w.key("Return")
            state = w.wait(lambda s: begins(s)[1:] == [1_500_000] and not s["traces"]["busy"], "the typed begin")
            w.click(*place(w.still(), "start"))
            state = w.wait(lambda s: begins(s) == [0, 0] and s["traces"]["aligned_by"] == "start", "start again")


def traces_are_aligned_by_two_events_and_by_a_step():
    with tempfile.TemporaryDirectory() as folder:
        with Window(rank(folder, 0, 1000, 520), rank(folder, 1, 9000, 700)) as w:
            joined(w, 2)
            start = select(w, "own_kernel_0")["selection"]["start"]
            state = w.key("ctrl+l")
            assert "another trace" in state["message"], state["message"]
            select(w, "ncclKernel dur<300us")  # the lane of rank 1
            w.key("ctrl+l")
            state = w.wait(lambda s: s["traces"]["aligned_by"] == "hand" and s["selection"]
                           and s["selection"]["start"] == start, "two events side by side")
            assert begins(state) == [0, 210_000], begins(state)
            state = w.show_panel("Traces")
            x, y = place(state, "step number")
            w.click(x, y)
            xdotool("key", "ctrl+a")
            xdotool("type", "4")
            w.key("Return")
            state = w.wait(lambda s: s["traces"]["aligned_by"] == "step", "the step")
            assert begins(state) == [0, 0], begins(state)


def a_trace_is_added_and_removed():
    with Window(SYNTHETIC) as w:
        state = w.wait(lambda s: s["traces"]["parts"], "the first")
        events = state["events"]
        w.key("ctrl+shift+o")
        w.wait(lambda s: s["dialog_shown"], "the dialog")
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "5", TRANSFORMER)
        w.key("Return")
        state = joined(w, 2)
        assert state["events"] > events
        assert [p["path"] for p in state["traces"]["parts"]] == [SYNTHETIC, TRANSFORMER]
        state = w.show_panel("Traces")
        w.click(*place(state, "remove 0"))
        state = joined(w, 1)
        assert state["traces"]["parts"][0]["path"] == TRANSFORMER


def folds_stay_when_a_trace_is_added_and_removed():
    with Window(SYNTHETIC) as w:
        state = w.wait(lambda s: s.get("traces") and s["traces"]["parts"], "the first")
        head = state["groups"][0]
        folded = w.click(state["heads"][0] + 60, head["y"])
        assert folded["groups"][0]["collapsed"] and not folded["groups"][1]["collapsed"]
        w.key("ctrl+shift+o")
        w.wait(lambda s: s["dialog_shown"], "the dialog")
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "5", TRANSFORMER)
        w.key("Return")
        joined(w, 2)
        state = w.still()
        assert state["groups"][0]["collapsed"], "folded groups stay folded"
        assert sum(group["collapsed"] for group in state["groups"]) == 1, "and no other group is"
        state = w.show_panel("Traces")
        w.click(*place(state, "remove 1"))
        joined(w, 1)
        assert [g["collapsed"] for g in w.still()["groups"]][:2] == [True, False]


def an_unreadable_file_leaves_the_others():
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("no trace at all")
        with Window(SYNTHETIC, broken, TRANSFORMER) as w:
            state = joined(w, 2)
            assert state["error"] is None
            problem = state["traces"]["problems"][0]
            assert problem["path"] == broken and broken in problem["text"], problem
            assert "broken.json is not shown" in state["message"], state["message"]
        with Window(broken, broken + "2") as w:
            error = w.wait(lambda s: s["error"], "the error")["error"]
            assert broken in error["text"], error


def only_the_changed_file_is_reloaded():
    with tempfile.TemporaryDirectory() as folder:
        first, second = rank(folder, 0, 1000, 520), rank(folder, 1, 9000, 700)
        with Window(first, second) as w:
            joined(w, 2)
            before = select(w, "own_kernel_0")
            rank(folder, 1, 9000, 600)
            state = w.wait(lambda s: "has changed" in s["message"], "the message")
            assert "rank-1" in state["message"], state["message"]
            joined(w, 2)
            state = w.wait(lambda s: s["selection"], "the selection")
            assert state["selection"]["name"] == "own_kernel_0" and state["range"] == before["range"]
            select(w, "ncclKernel")
            ranks = w.wait(lambda s: s["traces"]["ranks"], "the other rank")["traces"]["ranks"]
            assert [r["late"] for r in ranks] == [0, 80_000], ranks


def notes_are_kept_with_their_own_trace():
    with tempfile.TemporaryDirectory() as folder:
        first, second = rank(folder, 0, 1000, 520), rank(folder, 1, 9000, 700)
        with Window(first, second) as w:
            joined(w, 2)
            state = select(w, "own_kernel_1")
            w.move(state["lanes"][0] - 20, 5)
            w.key("shift+m")
            xdotool("type", "--delay", "20", "late")
            state = w.key("Return")
            assert [n["text"] for n in state["notes"]["list"]] == ["late"], state["notes"]
            kept = os.listdir(os.path.join(w.config, "data", "lanescope", "notes"))
            assert len(kept) == 1 and kept[0].startswith(os.path.basename(second)), kept
            with open(os.path.join(w.config, "data", "lanescope", "notes", kept[0]), encoding="utf-8") as file:
                note = json.load(file)["notes"][0]
            assert note["begin_ns"] == 910_000 and note["text"] == "late", note
            # A note moves with its trace.
            state = w.show_panel("Traces")
            w.click(*place(state, "later 1"))
            state = w.wait(lambda s: s["notes"]["list"] and s["notes"]["list"][0]["begin"] == 920_000, "the note moved")


if __name__ == "__main__":
    sys.exit(run([two_ranks_are_below_each_other, a_collective_leads_across_the_ranks,
                  traces_are_moved_by_keys_and_by_the_panel, traces_are_aligned_by_two_events_and_by_a_step,
                  a_trace_is_added_and_removed,
                  folds_stay_when_a_trace_is_added_and_removed, an_unreadable_file_leaves_the_others,
                  only_the_changed_file_is_reloaded, notes_are_kept_with_their_own_trace]))
