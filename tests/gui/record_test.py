#!/usr/bin/env python3
"""Tests recording a program in the window, and following a recording: lanes grow, user input stops following, and the
complete file is shown at the end."""
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
    """Reads the whole file with the command line."""
    info = subprocess.run([LANESCOPE, "info", path, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(info.stdout)["events"]


def click_on(w, name):
    x, y = w.state()["following"]["places"][name]
    w.move(x, y)
    xdotool("click", 1)


def standing(w):
    """The number of events once all events before a pause are read and no more arrive."""
    for _ in range(10):
        events = w.state()["events"]
        time.sleep(1)
        if w.state()["events"] == events:
            return events
    raise AssertionError("events arrive during the pause")


def grown(w, minimum):
    return w.wait(lambda s: s["following"] and s["events"] > minimum, f"more than {minimum} events")


def in_field(w, name):
    """Waits for the field's keyboard focus: earlier keys would be lost."""
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


def stacks_are_sampled_if_enabled():
    with Window(loaded=False) as w:
        w.wait(lambda s: s["at_rest"], "the start screen")
        type_command(w, f"{pathlib.Path(BIN) / 'sampled'} 0.5")
        assert not w.state()["record"]["samples"]
        press(w, "alt+s")
        w.wait(lambda s: s["record"]["samples"], "the switch")
        checks = subprocess.run([LANESCOPE, "doctor", "--format", "json"], capture_output=True, text=True).stdout
        if any(row["check"] == "CPU stacks" and row["state"] != "works" for row in json.loads(checks)):
            raise Skip("the kernel does not permit sampling of stacks")
        press(w, "Return")
        kinds = {"sampled · samples", "second · samples"}
        w.wait(lambda s: s.get("rows") and kinds <= {r["lane"] for r in s["rows"]}, "lanes of samples")


def a_python_program_is_offered_samples_and_pytorchs_profiler():
    with tempfile.TemporaryDirectory(prefix="lanescope_python_") as folder, Window(loaded=False) as w:
        script, told = pathlib.Path(folder) / "plain.py", pathlib.Path(folder) / "told"
        script.write_text(f"import os, time\nopen({str(told)!r}, 'w').write(os.environ.get('KINETO_USE_DAEMON', ''))\n"
                          "time.sleep(1)\n", encoding="utf-8")
        w.wait(lambda s: s["at_rest"], "the start screen")
        type_command(w, f"{PROGRAM} nested")
        assert not w.state()["record"]["hint"], "a program that is not in Python"
        press(w, "ctrl+a")
        type_text(w, f"{sys.executable} {script}", lambda s: s["record"] and s["record"]["command"])
        hint = w.wait(lambda s: s["record"]["hint"], "what the recording would lack")["record"]["hint"]
        assert "sample its functions" in hint and "PyTorch's profiler" in hint, hint
        press(w, "alt+s")
        w.wait(lambda s: s["record"]["samples"] and not s["record"]["hint"], "samples")
        press(w, "alt+s")
        press(w, "alt+p")
        w.wait(lambda s: s["record"]["torch_profiler"] and not s["record"]["samples"] and not s["record"]["hint"],
               "PyTorch's profiler")
        press(w, "Return")
        w.wait(lambda s: "captures the program with PyTorch's profiler" in (s.get("message") or ""), "how to capture it")
        state = w.wait(lambda s: s["file"].endswith(".spool") and not s["following"] and not s["loading"]
                       and s.get("events"), "the trace")
        assert told.read_text(encoding="utf-8") == "1", "the program can be asked to profile"
        # The recording has only counters: the panel in front is not empty, and the findings offer samples and the profiler.
        w.wait(lambda s: s["panels"]["Lanes"]["in_front"], "the panel with rows")
        w.choose("ctrl+shift+p", "record a program with pytorch")
        state = w.wait(lambda s: s["record"], "the dialog")
        assert state["record"]["torch_profiler"] and state["record"]["command"].endswith("plain.py"), state["record"]


def settled_range(w):
    """The range that the view goes to, once it no longer changes: on a busy machine the key's release may come late."""
    last = w.state()["target_range"]
    for _ in range(20):
        time.sleep(0.5)
        now = w.state()["target_range"]
        if now == last:
            return now
        last = now
    raise AssertionError("the view does not come to rest")


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
        assert until > end, "the view follows the end"

        # After user input the view stays, while the lanes continue to grow.
        lanes = state["lanes"]
        w.move((lanes[0] + lanes[2]) / 2, (lanes[1] + lanes[3]) / 2)
        press(w, "w")
        state = w.wait(lambda s: not s["following"]["follows"], "the view to stop following")
        stands = settled_range(w)
        state = grown(w, state["events"] + 100)
        assert w.state()["target_range"] == stands, "it stays where the user has left it"
        press(w, "n")
        state = w.wait(lambda s: s["following"]["follows"], "following again")
        span = stands[1] - stands[0]
        state = w.wait(lambda s: s["target_range"][1] > stands[1] + 3e8, "the end")
        assert abs((state["target_range"][1] - state["target_range"][0]) / span - 1) < 0.01, "with the user's zoom"

        # A selected slice stays selected.
        press(w, "slash")
        w.wait(lambda s: s["search"]["focused"], "the search to take keys")
        type_text(w, "optimizer", lambda s: s["search"]["text"])
        w.wait(lambda s: s["search"]["status"].endswith("found") or " of " in s["search"]["status"], "what is found")
        # Each snapshot is searched again. A step is taken as soon as there are matches.
        press(w, "Return")
        w.wait(lambda s: s["selection"], "the selection")
        press(w, "Escape")
        state = w.state()
        name, at = state["selection"]["name"], state["selection"]["start"]
        assert name == "optimizer", state["selection"]
        state = grown(w, state["events"] + 300)
        assert state["selection"]["name"] == name and state["selection"]["start"] == at, state["selection"]

        # Pause and continue.
        click_on(w, "Pause")
        w.wait(lambda s: s["following"]["paused"], "the pause")
        events = standing(w)
        click_on(w, "Resume")
        grown(w, events + 100)

        # Tables of the events so far.
        assert w.wait(lambda s: s["following"]["tables"], "tables")

        # Panels show the selection and are updated: how often the selected range ran, and what ran in its time.
        press(w, "h")
        state = w.wait(lambda s: s["statistics"], "statistics of the selected range")
        count = state["statistics"]["figures"]["Count"]
        state = w.wait(lambda s: s["statistics"] and s["statistics"]["figures"]["Count"] != count, "more of them")
        press(w, "r")
        state = w.wait(lambda s: s["range_panel"], "the contents of its time")
        assert name in [row["name"] for row in state["range_panel"]["rows"]], state["range_panel"]
        press(w, "Escape")
        press(w, "m")
        w.wait(lambda s: "when the recording has ended" in (s.get("message") or ""), "why there is no note yet")

        # After the end, the whole file is shown.
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


def the_dialog_reports_a_program_that_cannot_run():
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
        w.wait(lambda s: not s["record"], "the dialog to close")


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


def a_recording_of_the_command_line_is_followed():
    with tempfile.TemporaryDirectory(prefix="lanescope_follow_") as folder:
        spool = f"{folder}/run.spool"
        with Window("--follow", spool, loaded=False) as w:
            time.sleep(0.5)
            recorder = subprocess.Popen([LANESCOPE, "record", "-o", spool, "--", PROGRAM, "training", "60"],
                                        stderr=subprocess.DEVNULL)
            try:
                state = w.wait(lambda s: s["following"] and s.get("events"), "the first lanes")
                state = grown(w, state["events"] + 100)
                # The recorder is killed: the recorded events stay, and are reported as incomplete.
                program = int(subprocess.run(["ps", "--ppid", str(recorder.pid), "-o", "pid="], check=True,
                                             capture_output=True, text=True).stdout)
                recorder.send_signal(signal.SIGKILL)
                recorder.wait()
                os.kill(program, signal.SIGKILL)
                state = w.wait(lambda s: not s["following"] and not s["loading"], "the end")
                assert state["events"] and state["warnings"] >= 1, state["warnings"]
            finally:
                recorder.kill()


def a_removed_recording_leaves_the_events_that_were_read():
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
                assert "no longer exists" in state["message"] and state["events"], state["message"]
        finally:
            recorder.wait()


sys.exit(run([stacks_are_sampled_if_enabled, a_python_program_is_offered_samples_and_pytorchs_profiler,
              a_program_is_recorded_and_shown_while_it_grows,
              the_dialog_reports_a_program_that_cannot_run,
              a_short_program_is_opened_when_it_has_ended, a_ring_keeps_the_last_seconds,
              a_recording_of_the_command_line_is_followed,
              a_removed_recording_leaves_the_events_that_were_read]))
