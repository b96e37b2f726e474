#!/usr/bin/env python3
"""Libraries of the graphics driver are loaded when they are needed: what works without them, and what says so in one sentence."""
import json
import os
import re
import subprocess

from program import BIN, SAMPLES, Skip, lanescope, run_all, scratch

import png  # in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
PACKAGES = "libegl1 and libgl1 (Debian, Ubuntu)"
LIBRARIES = ("libEGL.so.1", "libOpenGL.so.0", "libGL.so.1")


def without(folder, *names):
    """An environment in which these libraries cannot be loaded, because the loader first finds files that are none."""
    broken = folder + "/broken"
    os.makedirs(broken, exist_ok=True)
    for name in names:
        with open(f"{broken}/{name}", "w"):
            pass
    return {"LD_LIBRARY_PATH": broken, "HOME": folder, "DISPLAY": "", "WAYLAND_DISPLAY": "", "CONDA_PREFIX": "",
            "MESA_SHADER_CACHE_DISABLE": "true"}


def needs_window():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")


def sentence_of(words, env):
    run = lanescope(*words, env=env)
    assert run.returncode == 1, run
    assert run.stdout == b"" and run.stderr.count(b"\n") == 1, run
    return run.stderr.decode()


def picture_of(folder, env):
    out = f"{folder}/picture.png"
    run = lanescope("screenshot", SYNTHETIC, "-o", out, "--size", "400x300", "--force", env=env)
    assert run.returncode == 0, run
    width, height, rows = png.read(out)
    assert (width, height) == (400, 300)
    return b"".join(rows)


def installed(library):
    cached = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"\b{re.escape(library)} .*x86-64.*=> (\S+)", cached)
    if not found:
        raise Skip(f"{library} is not installed")
    return found.group(1)


def test_no_program_is_linked_with_these_libraries():
    needs_window()
    for program in ("lanescope", "lanescope-viewer"):
        needed = subprocess.run(["readelf", "-d", BIN / program], capture_output=True, text=True, check=True).stdout
        assert "[libc.so.6]" in needed
        assert not re.search(r"NEEDED.*\[lib(EGL|GL|OpenGL|GLX)\b", needed), needed


def test_a_png_without_them_says_what_to_install():
    needs_window()
    for missing, named in ((LIBRARIES, "libEGL.so.1"), (LIBRARIES[:1], "libEGL.so.1"), (LIBRARIES[1:], "libGL.so.1")):
        with scratch() as folder:
            said = sentence_of(["screenshot", SYNTHETIC, "-o", f"{folder}/a.png"], without(folder, *missing))
            assert named in said and PACKAGES in said and "OUT.svg" in said and "RHEL" in said and "conda" in said, said
            assert not os.path.exists(f"{folder}/a.png")


def test_a_window_without_them_says_what_to_install():
    needs_window()
    with scratch() as folder:
        env = without(folder, *LIBRARIES)
        assert "neither DISPLAY nor WAYLAND_DISPLAY" in sentence_of([SYNTHETIC], env)
        for display in ({"DISPLAY": ":77"}, {"WAYLAND_DISPLAY": "w"}):
            said = sentence_of([SYNTHETIC], {**env, **display})
            assert "The window needs" in said and "libGL.so.1" in said and PACKAGES in said and "OUT.svg" in said, said


def test_everything_else_works_without_them():
    with scratch() as folder:
        env = without(folder, *LIBRARIES)
        for words in (["screenshot", SYNTHETIC, "-o", f"{folder}/a.svg"], ["report", SYNTHETIC, "-o", f"{folder}/a.html"],
                      ["table", "kernels", SYNTHETIC], ["sql", SYNTHETIC, "select count(*) from slice"],
                      ["record", "-o", f"{folder}/a.spool", "--", "true"], ["--version"]):
            run = lanescope(*words, env=env)
            assert run.returncode == 0, run
        with open(f"{folder}/a.svg", encoding="utf-8") as file:
            assert "<svg" in file.read(1000)


def test_doctor_names_their_packages():
    needs_window()
    with scratch() as folder:
        for missing in LIBRARIES[:1], LIBRARIES[1:]:
            with scratch() as other:
                run = lanescope("doctor", "--format", "json", env={**without(other, *missing), "HOME": folder, "DISPLAY": ":77"})
                checks = {row["check"]: row for row in json.loads(run.stdout)}
                assert run.returncode == 1 and checks["pictures"]["state"] == "fails", run
                assert missing[-1] in checks["pictures"]["found"] and PACKAGES in checks["pictures"]["advice"], checks["pictures"]
                assert PACKAGES in checks["OpenGL"]["advice"], checks["OpenGL"]
                if missing == LIBRARIES[1:]:
                    assert "libGL.so.1" in checks["OpenGL"]["found"], checks["OpenGL"]


def test_one_of_the_two_libraries_of_opengl_is_enough():
    needs_window()
    pictures = []
    for missing, present in (("libOpenGL.so.0", "libGL.so.1"), ("libGL.so.1", "libOpenGL.so.0")):
        installed(present)
        with scratch() as folder:
            pictures.append(picture_of(folder, without(folder, missing)))
    far = sum(abs(a - b) > 24 for a, b in zip(*pictures))  # edges of letters differ slightly from picture to picture
    assert far < 0.002 * len(pictures[0]), far


def test_libraries_of_a_conda_environment_are_found():
    needs_window()
    with scratch() as folder:
        env = without(folder, *LIBRARIES)
        os.makedirs(f"{folder}/conda/lib")
        for library in LIBRARIES[:2]:
            os.symlink(installed(library), f"{folder}/conda/lib/{library}")
        picture_of(folder, {**env, "CONDA_PREFIX": f"{folder}/conda"})


run_all(globals())
