#!/usr/bin/env python3
"""The pictures of README and guide: each is one that scripts/pictures makes, and it can be made in this very run."""
import pathlib
import re
import subprocess

from program import BIN, ROOT, Skip, run_all, scratch

import png  # found by program


def shown():
    """Pictures that a page shows, by their names."""
    names = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8")):
            file = (page.parent / path).resolve()
            assert file.exists(), f"{page.name} shows {path}, which is not there"
            names.add(file.stem)
    return names


def test_every_picture_of_the_docs_is_made_anew():
    if not (BIN / "lanescope-viewer").exists():
        raise Skip("built without the window")
    with scratch() as folder:
        run = subprocess.run([ROOT / "scripts" / "pictures", "--out", folder], capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        made = {path.stem for path in pathlib.Path(folder).glob("*.png")}
        left = set(re.findall(r"^(\S+)\.png is left", run.stdout, re.M))
        assert shown() <= made | left, shown() - made - left
        for name in made:
            assert png.size(f"{folder}/{name}.png") == png.size(ROOT / "docs" / "images" / f"{name}.png"), name


run_all(globals())
