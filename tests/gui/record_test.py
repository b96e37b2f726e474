#!/usr/bin/env python3
"""Recording a program in the window, and following a recording: lanes grow, the hand stops the view, the end is whole."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from window import BIN, SYNTHETIC, Skip, Window, press, run, type_text, xdotool

PROGRAM = pathlib.Path(BIN) / "annotated_c"
LANESCOPE = pathlib.Path(BIN) / "lanescope"


def events_of(path):
    """As the command line reads the file, from its beginning."""
    told = subprocess.run([LANESCOPE, "info", path, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)["events"]


def click_on(w, name):
    x, y = w.state()["following"]["places"][name]
    w.move(x, y)
    xdotool("click", 1)


def standing(w):
    """How many events there are, once what came before a pause is read and nothing more comes."""
    for _ in range(10):
        events = w.state()["events"]
        time.sleep(1)
        if w.state()["events"] == events:
            return events
    raise AssertionError("more comes while it is paused")


def grown(w, least):
    return w.wait(lambda s: s["following"] and s["events"] > least, f"more than {least} events")


def in_field(w, name):
    """What is typed before the field has the keys would be lost."""
    w.wait(lambda s: s["record"] and s["record"]["field"] == name, f"the field {name}")


def type_command(w, command):
    press(w, "ctrl+shift+r")
    in_field(w, "Command")
    type_text(w, command, lambda s: s["record"] and s["record"]["command"])


def record(w, command, ring=""):
    type_command(w, command)
    if ring:
        for name in ("Folder", "File", "Duration", "Ring"):
            press(w, "Tab")
            in_field(w, name)
        type_text(w, ring, lambda s: s["record"] and s["record"]["ring"])
    press(w, "Return")


def stacks_are_sampled_when_that_is_switched_on():
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        type_command(w, f"{pathlib.Path(BIN) / 'sampled'} 0.5")
        assert not w.state()["record"]["samples"]
        press(w, "alt+s")
        w.wait(lambda s: s["record"]["samples"], "the switch")
        told = subprocess.run([LANESCOPE, "doctor", "--format", "json"], capture_output=True, text=True).stdout
        if any(row["check"] == "CPU stacks" and row["state"] != "works" for row in json.loads(told)):
            raise Skip("the kernel does not let stacks be sampled")
        press(w, "Return")
        kinds = {"sampled · samples", "second · samples"}
        w.wait(lambda s: s.get("rows") and kinds <= {r["lane"] for r in s["rows"]}, "lanes of samples")


def a_program_is_recorded_and_shown_while_it_grows():
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        record(w, f"{PROGRAM} training 60")
        state = w.wait(lambda s: s["following"] and s.get("events"), "the first lanes")
        assert state["file"].endswith("/annotated_c.spool"), state["file"]
        first = state["events"]
        state = grown(w, first + 200)
        assert {"trainer", "data loader"} <= {r["lane"] for r in state["rows"]}, state["rows"]
        assert state["following"]["follows"] and state["following"]["dropped"] == 0, state["following"]
        assert 0 < state["following"]["memory_bytes"] < state["following"]["memory_cap"], state["following"]
        end = state["content"][1]
        state = w.wait(lambda s: s["content"][1] > end + 5e8, "half a second more")
        begin, until = state["range"]
        assert until > end, "the view goes along"

        # The hand: the view stands, the lanes grow on.
        lanes = state["lanes"]
        w.move((lanes[0] + lanes[2]) / 2, (lanes[1] + lanes[3]) / 2)
        press(w, "w")
        state = w.wait(lambda s: not s["following"]["follows"], "the view to be let go")
        time.sleep(0.5)
        stands = w.state()["target_range"]
        state = grown(w, state["events"] + 100)
        assert w.state()["target_range"] == stands, "it stands where the hand has left it"
        press(w, "n")
        state = w.wait(lambda s: s["following"]["follows"], "following again")
        span = stands[1] - stands[0]
        state = w.wait(lambda s: s["target_range"][1] > stands[1] + 3e8, "the end")
        assert abs((state["target_range"][1] - state["target_range"][0]) / span - 1) < 0.01, "with the zoom of the hand"

        # A slice that is selected stays so.
        press(w, "slash")
        w.wait(lambda s: s["search"]["focused"], "the search to take keys")
        type_text(w, "optimizer", lambda s: s["search"]["text"])
        w.wait(lambda s: s["search"]["status"].endswith("found") or " of " in s["search"]["status"], "what is found")
        for _ in range(10):  # a search begins anew with a snapshot, and finds nothing for a moment
            press(w, "Return")
            if w.state()["selection"]:
                break
        press(w, "Escape")
        state = w.wait(lambda s: s["selection"], "the selection")
        name, at = state["selection"]["name"], state["selection"]["start"]
        assert name == "optimizer", state["selection"]
        state = grown(w, state["events"] + 300)
        assert state["selection"]["name"] == name and state["selection"]["start"] == at, state["selection"]

        # Pause, and on.
        click_on(w, "Pause")
        w.wait(lambda s: s["following"]["paused"], "the pause")
        events = standing(w)
        click_on(w, "Resume")
        grown(w, events + 100)

        # Tables of what came so far.
        assert w.wait(lambda s: s["following"]["tables"], "tables")

        # Panels tell of it, and of what comes: how often the selected range ran, what is in the time of it.
        press(w, "h")
        state = w.wait(lambda s: s["statistics"], "statistics of the selected range")
        count = state["statistics"]["figures"]["Count"]
        state = w.wait(lambda s: s["statistics"] and s["statistics"]["figures"]["Count"] != count, "more of them")
        press(w, "r")
        state = w.wait(lambda s: s["range_panel"], "what is in its time")
        assert name in [row["name"] for row in state["range_panel"]["rows"]], state["range_panel"]
        press(w, "Escape")
        press(w, "m")
        w.wait(lambda s: "when the recording has ended" in (s.get("message") or ""), "why there is no note yet")

        # The end: the file as a whole.
        click_on(w, "Stop")
        state = w.wait(lambda s: not s["following"] and not s["loading"] and s.get("events"), "the whole")
        assert state["error"] is None, state["error"]
        assert state["events"] == events_of(state["file"]), "as many as the command line reads"
        assert state["selection"] and state["selection"]["name"] == name, "the selection stays"
        press(w, "ctrl+shift+p")
        w.wait(lambda s: s["palette"], "the palette")
        type_text(w, "end the program", lambda s: s["palette"] and s["palette"]["text"])
        press(w, "Return")
        state = w.wait(lambda s: "143" in (s.get("message") or ""), "the program to be ended")


def a_program_that_cannot_be_run_is_told_in_the_dialog():
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        record(w, "/no/such/program")
        state = w.wait(lambda s: s["record"] and s["record"]["problem"], "the problem")
        assert "/no/such/program: No such file or directory" in state["record"]["problem"], state["record"]
        assert state["error"] is None and state["file"] == "", state["file"]
        in_field(w, "Command")
        type_text(w, "'not closed", lambda s: s["record"] and s["record"]["command"])
        press(w, "Return")
        w.wait(lambda s: s["record"] and "quote" in s["record"]["problem"], "the quote")
        press(w, "Escape")
        w.wait(lambda s: not s["record"], "the dialog to go")


def a_short_program_is_opened_when_it_has_ended():
    with Window(SYNTHETIC) as w:
        record(w, f"{PROGRAM} nested")
        state = w.wait(lambda s: s["file"].endswith("annotated_c.spool") and not s["loading"] and not s["following"]
                       and s.get("events"), "the trace")
        assert state["events"] == events_of(state["file"]) and state["events"] > 15, state["events"]


def a_ring_keeps_the_last_seconds():
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        record(w, f"{PROGRAM} training 60", ring="1s")
        state = w.wait(lambda s: s["following"] and s.get("events") and s["content"][1] > 3e9, "three seconds")
        assert state["following"]["ring_ns"] == 1e9, state["following"]
        assert state["following"]["shown_ns"] <= 1.1e9, state["following"]
        assert state["content"][0] > 1e9, state["content"]
        click_on(w, "End program")
        state = w.wait(lambda s: not s["following"] and not s["loading"], "the whole")
        assert state["events"] == events_of(state["file"])


def a_recording_of_others_is_followed_from_the_command_line():
    with tempfile.TemporaryDirectory(prefix="lanescope_follow_") as folder:
        spool = f"{folder}/run.spool"
        with Window("--follow", spool, loaded=False) as w:
            time.sleep(0.5)
            recorder = subprocess.Popen([LANESCOPE, "record", "-o", spool, "--", PROGRAM, "training", "60"],
                                        stderr=subprocess.DEVNULL)
            try:
                state = w.wait(lambda s: s["following"] and s.get("events"), "the first lanes")
                state = grown(w, state["events"] + 100)
                # The recorder is killed: what there is stays, and is told to be unfinished.
                program = int(subprocess.run(["ps", "--ppid", str(recorder.pid), "-o", "pid="], check=True,
                                             capture_output=True, text=True).stdout)
                recorder.send_signal(signal.SIGKILL)
                recorder.wait()
                os.kill(program, signal.SIGKILL)
                state = w.wait(lambda s: not s["following"] and not s["loading"], "the end")
                assert state["events"] and state["warnings"] >= 1, state["warnings"]
            finally:
                recorder.kill()


def a_recording_that_is_taken_away_leaves_what_was_read():
    with tempfile.TemporaryDirectory(prefix="lanescope_follow_") as folder:
        spool = f"{folder}/run.spool"
        recorder = subprocess.Popen([LANESCOPE, "record", "-o", spool, "--", PROGRAM, "training", "6"],
                                    stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(spool):
                assert recorder.poll() is None, f"the recorder ended with status {recorder.returncode}"
                time.sleep(0.02)
            with Window(spool, loaded=False) as w:
                state = w.wait(lambda s: s["following"] and s.get("events"), "a spool that grows is followed")
                os.remove(spool)
                state = w.wait(lambda s: not s["following"] and not s["loading"], "the end")
                assert "is gone" in state["message"] and state["events"], state["message"]
        finally:
            recorder.wait()


sys.exit(run([stacks_are_sampled_when_that_is_switched_on, a_program_is_recorded_and_shown_while_it_grows,
              a_program_that_cannot_be_run_is_told_in_the_dialog,
              a_short_program_is_opened_when_it_has_ended, a_ring_keeps_the_last_seconds,
              a_recording_of_others_is_followed_from_the_command_line,
              a_recording_that_is_taken_away_leaves_what_was_read]))
