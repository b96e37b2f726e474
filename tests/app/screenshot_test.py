#!/usr/bin/env python3
"""lanescope screenshot with the real viewer."""
from program import BIN, SAMPLES, Skip, lanescope, run_all, scratch, text_of

import png  # in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def need_viewer():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")


def picture(path, *options):
    assert text_of("screenshot", SYNTHETIC, "-o", path, "--size", "640x480", *options) == ""
    assert png.size(path) == (640, 480)
    with open(path, "rb") as file:
        return file.read()


def test_a_range_and_a_theme_change_the_picture():
    need_viewer()
    with scratch() as folder:
        whole = picture(f"{folder}/whole.png")
        step = picture(f"{folder}/step.png", "--range", "step:5")
        light = picture(f"{folder}/light.png", "--theme", "light")
        assert len({whole, step, light}) == 3


def test_a_colour_mode_changes_the_picture():
    need_viewer()
    with scratch() as folder:
        options = ["--range", "3.35ms..4.55ms", "--color"]
        modes = ["category", "name", "deviation", "step", "module", "occupancy"]
        assert len({picture(f"{folder}/{mode}.png", *options, mode) for mode in modes}) == len(modes)


def test_wrong_options_and_broken_traces_are_errors():
    need_viewer()
    with scratch() as folder:
        for options, status in [(["--range", "step:99"], 2), (["--range", "soon"], 2), (["--range", "9s..10s"], 2),
                                (["--select", "no such name"], 2), (["--panel", "nothing"], 2)]:
            run = lanescope("screenshot", SYNTHETIC, "-o", f"{folder}/x.png", *options)
            assert run.returncode == status and run.stderr and run.stdout == b"", run
        # --select accepts a part of a name. The error about an unknown panel lists the existing ones.
        picture(f"{folder}/part.png", "--select", "flash_forward")
        assert b"Roofline" in run.stderr, run.stderr
        vectors = lanescope("screenshot", SYNTHETIC, "-o", f"{folder}/x.svg", "--range", "9s..10s")
        assert vectors.returncode == 2 and b"ends at" in vectors.stderr, vectors
        broken = f"{folder}/broken.json"
        with open(broken, "w") as file:
            file.write("{")
        run = lanescope("screenshot", broken, "-o", f"{folder}/x.png")
        assert run.returncode == 1 and broken.encode() in run.stderr, run


run_all(globals())
