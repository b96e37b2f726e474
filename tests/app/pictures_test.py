#!/usr/bin/env python3
"""scripts/pictures draws every picture that the README and the guide show."""
import pathlib
import re
import subprocess

from program import BIN, ROOT, Skip, run_all, scratch

import png  # in tests/, which program adds to sys.path


def pictures_of_the_docs():
    """The names of all pictures that the README and the docs show."""
    names = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8")):
            file = (page.parent / path).resolve()
            assert file.exists(), f"{page.name} shows {path}, which does not exist"
            names.add(file.stem)
    return names


def test_every_picture_of_the_docs_can_be_redrawn_at_its_size():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")
    with scratch() as folder:
        run = subprocess.run([ROOT / "scripts" / "pictures", "--live", "--out", folder], capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        drawn = {path.stem for path in pathlib.Path(folder).glob("*.png")}
        left = set(re.findall(r"^(\S+)\.png is left", run.stdout, re.M))
        missing = pictures_of_the_docs() - drawn - left
        assert not missing, missing
        for name in drawn:
            assert png.size(f"{folder}/{name}.png") == png.size(ROOT / "docs" / "images" / f"{name}.png"), name


run_all(globals())
