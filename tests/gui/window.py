"""Drives the real window with real keys and mouse (xdotool), and reads its state from the file that --state names."""

import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("LANESCOPE_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("LANESCOPE_BIN") or os.path.join(ROOT, "build", "release", "bin")
VIEWER = os.path.join(BIN, "lanescope-viewer")
SAMPLES = os.path.join(ROOT, "assets", "samples")
SYNTHETIC = os.path.join(SAMPLES, "synthetic_step.json.gz")
TRANSFORMER = os.path.join(SAMPLES, "torch_cpu", "transformer_train_shapes_memory_flops.json.gz")
sys.path.insert(0, os.path.join(ROOT, "tests"))  # so that tests can import png.py

from cases import NO_REAL_TRACES, Skip, and_real, has_real_traces, real_trace, run_cases, traces_here  # noqa: E402, F401

POLL = 0.01  # seconds between two looks at the state
PATIENCE = 40  # maximum seconds for anything: with software drawing on a busy machine, a frame may take a second


def xdotool(*words):
    subprocess.run(["xdotool", *[str(w) for w in words]], check=True)


def ask_to_close(process):
    """Asks a program to close its window, as the button of the window's frame does. No window manager runs here that could do it
    for xdotool."""
    found = subprocess.run(["xdotool", "search", "--all", "--pid", str(process.pid), "--onlyvisible", "--name", "Lanescope"], check=True,
                           capture_output=True, text=True)
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x.XOpenDisplay(None))
    window = ctypes.c_ulong(int(found.stdout.split()[0]))
    protocols, delete = (x.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    client_message = 33
    # XClientMessageEvent, in the space of the largest event.
    event = struct.pack("iLiPLLi4xLL", client_message, 0, 1, display.value, window.value, protocols, 32, delete, 0)
    x.XSendEvent(display, window, 0, ctypes.c_long(0), event.ljust(192, b"\0"))
    x.XCloseDisplay(display)


def press(w, name):
    """Presses a key and waits until the window has handled it, but not until the window is still: during a recording it
    never is."""
    before = w.state()
    xdotool("key", name)
    w.wait_until_handled(before, 2 * (name.count("+") + 1))


def type_text(w, text, typed):
    """Types until `typed(state)` is the text: on a busy machine a key may arrive twice. The window handles one key per
    frame, so the result is checked when all keys were handled: a second attempt before that would be appended."""
    for _ in range(4):
        before = w.state()
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "25", text)
        w.wait_until_handled(before, 2 * (len(text) + 2))
        if typed(w.state()) == text:
            return
    raise AssertionError(f"typed {text!r} in vain: {typed(w.state())!r}")


class Window:
    """Starts a viewer: `with Window(trace) as w:`. Settings are empty, or come from the folder `config`."""

    def __init__(self, *arguments, config=None, loaded=True):
        self.folder = tempfile.TemporaryDirectory(prefix="lanescope_gui_")
        self.config = config or self.folder.name
        self.state_path = os.path.join(self.folder.name, "state.json")
        self.arguments = arguments
        self.loaded = loaded  # whether to wait until the trace is loaded
        self.read = (None, None)  # which state was read last, and its text

    def __enter__(self):
        environment = dict(os.environ, XDG_CONFIG_HOME=self.config, XDG_DATA_HOME=os.path.join(self.config, "data"))
        xdotool("mousemove", 300, 10)
        self.process = subprocess.Popen(
            [VIEWER, *self.arguments, "--state", self.state_path], env=environment, cwd=self.folder.name)
        if self.loaded:
            self.wait(lambda s: not s["loading"], "the file to load")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def state(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                # Each state is a file of its own, renamed to this path.
                with open(self.state_path, encoding="utf-8") as file:
                    status = os.fstat(file.fileno())
                    which = (status.st_ino, status.st_mtime_ns)
                    if self.read[0] != which:
                        self.read = (which, file.read())
                return json.loads(self.read[1])
            except FileNotFoundError:
                if self.process.poll() is not None:
                    raise AssertionError(f"the viewer ended with {self.process.returncode}") from None
                time.sleep(0.05)
        raise AssertionError("the viewer never wrote its state")

    def wait(self, condition, what):
        """Waits for the first state for which `condition` holds, and returns it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.state()
            if condition(state):
                return state
            if self.process.poll() is not None:
                raise AssertionError(f"the viewer ended with {self.process.returncode}")
            time.sleep(POLL)
        raise AssertionError(f"waited in vain for {what}; the state is {json.dumps(self.state())[:2000]}")

    def at_rest(self):
        """Waits until no frame, movement or background work is left for the inputs received so far; returns the state."""
        return self.wait(lambda s: s["at_rest"] and not s["moving"] and s["waiting_inputs"] == 0, "the view to come to rest")

    def still(self):
        """Waits for a state at rest that lasts 50 ms, since inputs may still be on their way; returns that state."""
        for _ in range(int(PATIENCE / 0.05)):
            state = self.at_rest()
            time.sleep(0.05)
            if self.state() == state:
                return state
        raise AssertionError(f"the view never came to rest: {json.dumps(self.state())[:2000]}")

    def key(self, name):
        before = self.still()
        xdotool("key", name)
        return self.after_inputs(before, 2 * (name.count("+") + 1))

    def wait_after_key(self, name, condition, what):
        """Presses a key and waits for what it causes in the background."""
        self.key(name)
        return self.wait(condition, what)

    def choose(self, key, text):
        """Chooses the first line of a palette, opened by `key`, for a text."""
        assert self.key(key)["palette"], key
        xdotool("type", "--delay", "30", text)
        self.still()
        return self.key("Return")

    def open_by_dialog(self, path):
        """Opens a file by its typed path. The dialog's field takes keys a moment after the dialog is shown, so that the
        path is typed again if the dialog did not take it."""
        for _ in range(6):
            shown = self.key("ctrl+o") if not self.still()["dialog_shown"] else self.state()
            assert shown["dialog_shown"]
            xdotool("key", "ctrl+a")
            xdotool("type", "--delay", "15", path)
            self.wait_until_handled(shown, 2 * (len(path) + 2))
            xdotool("key", "Return")
            for _ in range(40):
                state = self.state()
                if state["file"] == path or state["loading"]:
                    return self.wait(lambda s: s["file"] == path and not s["loading"] and "events" in s, path)
                time.sleep(0.05)
        raise AssertionError(f"the dialog did not open {path}: {json.dumps(self.state())[:2000]}")

    def add_file(self, command, path):
        """Gives a path to the dialog of a command. The dialog's field takes keys a moment after the dialog is shown."""
        self.choose("ctrl+shift+p", command)
        for _ in range(6):
            shown = self.still()
            if not shown["dialog_shown"]:
                return
            xdotool("key", "ctrl+a")
            xdotool("type", "--delay", "15", path)
            self.wait_until_handled(shown, 2 * (len(path) + 2))
            xdotool("key", "Return")
        raise AssertionError("the dialog did not take the path")

    def select(self, expression):
        """Selects the first slice that a search finds."""
        self.key("slash")
        xdotool("type", "--delay", "10", expression)
        self.wait(lambda s: s["search"]["text"] == expression and not s["search"]["busy"], expression)
        self.key("Return")
        self.key("Escape")
        return self.wait(lambda s: s["selection"] and s["selection"]["arguments"] is not None, "the selection")

    def click_panel(self, name):
        """Brings a panel to the front by the mouse: a click on the tab of its group, then on its button. Returns the
        number of clicks."""
        for clicks in range(3):
            panel = self.still()["panels"][name]
            if panel["in_front"]:
                return clicks
            self.click(*middle(panel["tab"]))
        raise AssertionError(f"{name} does not come to the front: {panel}")

    def show_python(self, frames):
        """Presses the key for Python frames until such frames are shown: modules, own or all."""
        for _ in range(3):
            before = self.still()["python_frames"]
            if before == frames:
                return
            self.key("y")
            self.wait(lambda s, before=before: s["python_frames"] != before, "other Python frames")
        assert self.still()["python_frames"] == frames

    def save_as_offered(self, name):
        """Accepts the path that a dialog for saving offers, which ends with `name`; returns the path."""
        path = self.wait(lambda s: s["saving"], "the dialog")["saving"]
        assert path.endswith("/" + name), path
        self.key("Return")
        self.wait(lambda s: s["message"].endswith(" saved as " + path), f"{name} to be saved")
        return path

    def show_panel(self, name):
        """Opens a panel, even if there is no space for its tab."""
        self.choose("ctrl+shift+p", f"panel {name}")
        return self.wait(lambda s: s["panels"][name]["in_front"], f"the panel {name}")

    def hold(self, name, seconds):
        before = self.still()
        xdotool("keydown", name)
        time.sleep(seconds)
        xdotool("keyup", name)
        return self.after_inputs(before, 2)

    def after_inputs(self, before, inputs):
        """Waits until the window has received so many inputs since the state `before`, and is at rest; returns the state. A menu
        or another window may take some of the inputs, so the wait for them ends after a second."""
        end = time.monotonic() + 1
        while time.monotonic() < end:
            if self.state()["inputs"] >= before["inputs"] + inputs:
                return self.at_rest()
            time.sleep(POLL)
        return self.still()

    def wait_until_handled(self, before, inputs):
        """Waits until the window has received so many more inputs, and a frame has handled each."""
        return self.wait(lambda s: s["inputs"] >= before["inputs"] + inputs and s["waiting_inputs"] == 0,
                         f"{inputs} inputs to be handled")

    def move(self, x, y):
        """Moves the pointer and waits until the window has drawn what is at its new place: for a second at most, since another
        window may be there, and no longer than 0.1 s after the window has the pointer, since a recording is never at rest."""
        there = [round(x), round(y)]
        xdotool("mousemove", *there)
        end = time.monotonic() + 1
        seen = False
        while time.monotonic() < end:
            state = self.state()
            if state["pointer"] == there:
                if state["at_rest"]:
                    return
                if not seen:
                    seen, end = True, time.monotonic() + 0.1
            time.sleep(POLL)

    def click(self, x, y, times=1, button=1):
        before = self.still()
        self.move(x, y)
        xdotool("click", "--repeat", times, "--delay", 60, button)
        return self.after_inputs(before, 2 * times)

    def drag(self, x0, y0, x1, y1, button=1):
        before = self.state()
        self.move(x0, y0)
        xdotool("mousedown", button)
        for step in range(1, 9):
            xdotool("mousemove", round(x0 + (x1 - x0) * step / 8), round(y0 + (y1 - y0) * step / 8))
            time.sleep(0.04)
        xdotool("mouseup", button)
        return self.after_inputs(before, 2)

    def scroll_to(self, lane):
        """Scrolls the lane's area until the lane's upper part is in view; returns the state."""
        state = self.still()
        for _ in range(40):
            box = lane_box(state, lane)
            _, top, _, bottom = area_of(state, box)
            # The name of the lane's group stays in view above the lane.
            above, below = box["y0"] < top + 22, min(box["y1"], box["y0"] + 50) > bottom
            if not above and not below:
                return state
            state = self.wheel(*middle(area_of(state, box)), 4 if above else 5)
        raise AssertionError(f"lane {lane} never came into view: {json.dumps(state)[:2000]}")

    def wheel(self, x, y, button, times=1, key=None):
        self.move(x, y)
        before = self.still()
        if key:
            xdotool("keydown", key)
        xdotool("click", "--repeat", times, "--delay", 40, button)
        time.sleep(0.15)
        if key:
            xdotool("keyup", key)
        return self.after_inputs(before, times + (2 if key else 0))


def span(state):
    return state["range"][1] - state["range"][0]


def time_at(state, x):
    left, _, right, _ = state["lanes"]
    return state["range"][0] + (x - left) / (right - left) * span(state)


def x_of(state, t):
    left, _, right, _ = state["lanes"]
    return left + (t - state["range"][0]) / span(state) * (right - left)


def ruler_y(state):
    """The ruler is directly below the overview."""
    return state["overview"][3] + 12


def lanes_of(state):
    """All lanes that are not hidden: those of the main area, then the pinned lanes below it."""
    return state["lane_boxes"] + state["pinned"]


def lane_box(state, lane):
    """Finds a lane by its id or its name, among the pinned lanes, too."""
    return next(box for box in lanes_of(state) if lane in (box["id"], box["name"]))


def area_of(state, box):
    """The part of the window in which a lane is drawn, and clipped."""
    return state["pinned_area"] if box in state["pinned"] else state["lanes"]


def rows_of(state):
    """The rows in view, of the pinned lanes, too."""
    return state["rows"] + state["pinned_rows"]


def middle(box):
    """Rounds to a whole pixel, where the pointer can be."""
    return round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2)


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


def run(tests):
    """Runs the functions, prints each result and the totals, and returns the exit status."""
    return run_cases({test.__name__: test for test in tests})
