#!/usr/bin/env python3
"""Tests that a file dropped on the window is opened. xdotool cannot drop files, so this test implements XDND with
libX11."""

import ctypes
import os
import pathlib
import subprocess
import sys
import time

from window import PATIENCE, SYNTHETIC, TRANSFORMER, Window, run

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
REPLACE = 0
Long, Pointer, Int = ctypes.c_ulong, ctypes.c_void_p, ctypes.c_int


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", Int), ("serial", Long), ("sent", Int), ("display", Pointer), ("window", Long),
                ("message", Long), ("format", Int), ("data", Long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", Int), ("serial", Long), ("sent", Int), ("display", Pointer), ("owner", Long),
                ("requestor", Long), ("selection", Long), ("target", Long), ("property", Long), ("time", Long)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", Int), ("serial", Long), ("sent", Int), ("display", Pointer), ("requestor", Long),
                ("selection", Long), ("target", Long), ("property", Long), ("time", Long)]


class Event(ctypes.Union):
    _fields_ = [("type", Int), ("client", ClientMessage), ("request", SelectionRequest),
                ("notify", SelectionNotify), ("room", ctypes.c_long * 24)]


class Source:
    """The program from which a file is dragged."""

    def __init__(self):
        self.x = ctypes.CDLL("libX11.so.6")
        for name in ("XOpenDisplay", "XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
            getattr(self.x, name).restype = Pointer if name == "XOpenDisplay" else Long
        self.display = Pointer(self.x.XOpenDisplay(None))
        assert self.display, "no display"
        self.root = Long(self.x.XDefaultRootWindow(self.display))
        self.window = Long(self.x.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, Long(0), Long(0)))

    def atom(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def send(self, target, message, *data):
        event = Event()
        event.client = ClientMessage(CLIENT_MESSAGE, 0, 1, self.display, target, self.atom(message), 32,
                                     (Long * 5)(self.window.value, *data))
        self.x.XSendEvent(self.display, Long(target), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x.XFlush(self.display)

    def await_message(self, name, text):
        """Returns the data of the target's answer; before that, answers its requests for the text."""
        event, end = Event(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if not self.x.XPending(self.display):
                time.sleep(0.01)
                continue
            self.x.XNextEvent(self.display, ctypes.byref(event))
            if event.type == CLIENT_MESSAGE and event.client.message == self.atom(name):
                return list(event.client.data)
            if event.type == SELECTION_REQUEST:
                self.give(event.request, text)
        raise AssertionError(f"{name} never came")

    def give(self, asked, text):
        self.x.XChangeProperty(self.display, Long(asked.requestor), Long(asked.property), Long(asked.target), 8,
                               REPLACE, text, len(text))
        answer = Event()
        answer.notify = SelectionNotify(SELECTION_NOTIFY, 0, 1, self.display, asked.requestor, asked.selection,
                                        asked.target, asked.property, asked.time)
        self.x.XSendEvent(self.display, Long(asked.requestor), 0, ctypes.c_long(0), ctypes.byref(answer))
        self.x.XFlush(self.display)

    def drop(self, target, paths, x, y):
        text = "".join(pathlib.Path(path).as_uri() + "\r\n" for path in paths).encode()
        kind = self.atom("text/uri-list")
        self.x.XSetSelectionOwner(self.display, Long(self.atom("XdndSelection")), self.window, Long(0))
        self.send(target, "XdndEnter", 5 << 24, kind, 0, 0)
        self.send(target, "XdndPosition", 0, x << 16 | y, 0, self.atom("XdndActionCopy"))
        assert self.await_message("XdndStatus", text)[1] & 1, "the window accepts the file"
        self.send(target, "XdndDrop", 0, 0, 0, 0)
        assert self.await_message("XdndFinished", text)[1], "the window has read the file"


def window_id(w):
    found = subprocess.run(["xdotool", "search", "--pid", str(w.process.pid), "--onlyvisible", "--name", "Lanescope"],
                           check=True, capture_output=True, text=True)
    return int(found.stdout.split()[0])


def a_dropped_file_is_opened():
    with Window() as w:
        assert w.still()["file"] == ""
        source = Source()
        for path in (SYNTHETIC, TRANSFORMER):
            source.drop(window_id(w), [path], 500, 400)
            state = w.wait(lambda s, p=path: s["file"] == p and not s["loading"] and "events" in s, "the dropped file")
            assert state["error"] is None and state["events"] > 1000


def several_dropped_files_are_below_each_other():
    with Window() as w:
        w.still()
        Source().drop(window_id(w), [SYNTHETIC, TRANSFORMER], 500, 400)
        state = w.wait(lambda s: not s["loading"] and len(s.get("traces", {}).get("parts", [])) == 2, "two traces")
        assert [part["path"] for part in state["traces"]["parts"]] == [SYNTHETIC, TRANSFORMER]
        assert state["error"] is None


def a_dropped_file_that_is_no_trace_is_reported():
    with Window(SYNTHETIC) as w:
        path = os.path.join(w.folder.name, "with a space and ü.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no trace")
        Source().drop(window_id(w), [path], 500, 400)
        error = w.wait(lambda s: s["error"], "the error")["error"]
        assert path in error["text"], error


sys.exit(run([a_dropped_file_is_opened, several_dropped_files_are_below_each_other, a_dropped_file_that_is_no_trace_is_reported]))
