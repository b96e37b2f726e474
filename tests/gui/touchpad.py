"""Runs an X server (Xorg without a monitor) that has a touchpad, whose fingers its driver for tests simulates."""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time

CONFIGURATION = """
Section "ServerFlags"
    Option "AutoAddDevices" "false"
EndSection
Section "Device"
    Identifier "card"
    Driver "dummy"
    VideoRam 32768
EndSection
Section "Monitor"
    Identifier "monitor"
    HorizSync 5-1000
    VertRefresh 5-200
    Modeline "1600x1000" 100 1600 1601 1602 1603 1000 1001 1002 1003
EndSection
Section "Screen"
    Identifier "screen"
    Device "card"
    Monitor "monitor"
    DefaultDepth 24
    SubSection "Display"
        Modes "1600x1000"
    EndSubSection
EndSection
Section "InputDevice"
    Identifier "touchpad"
    Driver "inputtest"
    Option "SocketPath" "{folder}/touchpad"
    Option "DeviceType" "Pointer"
EndSection
Section "InputDevice"
    Identifier "keyboard"
    Driver "inputtest"
    Option "SocketPath" "{folder}/keyboard"
    Option "DeviceType" "Keyboard"
EndSection
Section "ServerLayout"
    Identifier "layout"
    Screen "screen"
    InputDevice "touchpad" "CorePointer"
    InputDevice "keyboard" "CoreKeyboard"
EndSection
"""
# xf86-input-inputtest-protocol.h of xserver-xorg-dev
VERSION, WAIT_FOR_SYNC, MOTION = 0, 1, 2
AXES = 64
ACROSS, ALONG = 2, 3
UNITS = 120  # units of an axis for one notch


class NoServer(Exception):
    """Raised if there is no such server; says why."""


class Touchpad:
    """`with Touchpad() as fingers:` starts a server of its own, which DISPLAY names inside the block."""

    def __enter__(self):
        if not shutil.which("Xorg"):
            raise NoServer("Xorg is not installed (packages xserver-xorg-core and xserver-xorg-video-dummy)")
        self.folder = tempfile.TemporaryDirectory(prefix="lanescope_xorg_")
        path = self.folder.name
        with open(f"{path}/xorg.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=path))
        number, display_pipe = os.pipe()
        with open(f"{path}/out", "wb") as out:
            self.server = subprocess.Popen(
                ["Xorg", "-config", f"{path}/xorg.conf", "-logfile", f"{path}/log", "-displayfd", str(display_pipe), "-noreset",
                 "-nolisten", "tcp", "-sharevts", "-novtswitch"], pass_fds=[display_pipe], stdout=out, stderr=out)
        os.close(display_pipe)
        with os.fdopen(number) as file:
            display = file.readline().strip()
        if not display:
            self.server.wait()
            with open(f"{path}/out", encoding="utf-8", errors="replace") as out:
                raise NoServer("Xorg did not start: " + out.read()[-300:])
        os.environ["DISPLAY"] = ":" + display
        self.driver = socket.socket(socket.AF_UNIX)
        self.driver.connect(f"{path}/touchpad")
        self.driver.sendall(struct.pack("=IIHH", 12, VERSION, 1, 1))
        self.driver.recv(64)
        return self

    def __exit__(self, *_):
        self.driver.close()
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()

    def scroll(self, across=0.0, along=0.0):
        """Moves by notches, positive to the right and down, as touchpad drivers count."""
        values = [0.0] * AXES
        values[ACROSS], values[ALONG] = across * UNITS, along * UNITS
        used = (1 << ACROSS if across else 0) | (1 << ALONG if along else 0)
        body = struct.pack("=I4xI8s4x", 0, 0, bytes([used, 0, 0, 0, 0, 0, 0, 0])) + struct.pack(f"={2 * AXES}d", *values, *values)
        self.driver.sendall(struct.pack("=II", 8 + len(body), MOTION) + body)
        self.driver.sendall(struct.pack("=II", 8, WAIT_FOR_SYNC))
        self.driver.recv(64)

    def swipe(self, steps, across=0.0, along=0.0):
        for _ in range(steps):
            self.scroll(across / steps, along / steps)
            time.sleep(0.01)
