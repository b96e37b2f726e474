#!/usr/bin/env python3
"""The desktop's entry, the icon and the types of files: sound, consistent, and installed where a desktop looks for them."""
import configparser
import fnmatch
import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from program import ROOT, Skip, run_all, scratch, text_of

DESKTOP = ROOT / "assets" / "desktop"
NAME = "org.lanescope.Lanescope"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def entry():
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str
    parser.read(DESKTOP / f"{NAME}.desktop", encoding="utf-8")
    return parser


def types():
    return ElementTree.parse(DESKTOP / f"{NAME}.xml").getroot().findall(f"{MIME}mime-type")


def test_the_entry_starts_programs_with_files_as_their_arguments():
    main = entry()["Desktop Entry"]
    assert main["Type"] == "Application" and main["Terminal"] == "false" and main["Icon"] == NAME
    assert main["Exec"] == "lanescope-viewer %F", "a new window for what the file manager opens"
    assert main["Actions"] == "add-to-window;"
    action = entry()["Desktop Action add-to-window"]
    assert action["Name"] == "Add to open window" and action["Exec"] == "lanescope --reuse %F"
    assert "--reuse" in text_of("--help")


def test_the_entry_names_the_window():
    window = (ROOT / "ui" / "platform" / "desktop" / "run_window.cpp").read_text(encoding="utf-8")
    assert f'GLFW_WAYLAND_APP_ID, "{NAME}"' in window
    assert f'GLFW_X11_CLASS_NAME, "{entry()["Desktop Entry"]["StartupWMClass"]}"' in window


def test_types_are_those_of_the_entry_and_displace_no_others():
    named = sorted(kind for kind in entry()["Desktop Entry"]["MimeType"].split(";") if kind)
    assert named == sorted(kind.get("type") for kind in types())
    patterns = [glob.get("pattern") for kind in types() for glob in kind.findall(f"{MIME}glob")]
    for name, known in (("run.pt.trace.json.gz", True), ("a.trace.json", True), ("train.spool", True), ("x.spall", True), ("run.rpd", True), ("run.sqlite", False),
                        ("package.json", False), ("archive.tar.gz", False), ("data.json.gz", False)):
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns) == known, name


def test_the_magic_of_recordings_is_that_of_the_format():
    magic = next(match.get("value") for kind in types() for match in kind.iter(f"{MIME}match"))
    header = (ROOT / "core" / "spool" / "spool_format.h").read_text(encoding="utf-8")
    written = header.split("kSpoolMagic[8] = {")[1].split("}")[0]
    letters = [part.strip().strip("'") for part in written.split(",")]
    assert magic == "".join(letters), (magic, letters)


def test_the_icon_is_a_picture_of_its_own():
    icon = ElementTree.parse(DESKTOP / f"{NAME}.svg").getroot()
    assert icon.get("width") == icon.get("height") and icon.get("viewBox") == "0 0 128 128"
    for element in icon.iter():
        assert not any("href" in name for name in element.attrib), "it must load nothing"


def test_the_desktop_accepts_them():
    missing = [name for name in ("desktop-file-validate", "update-mime-database") if not shutil.which(name)]
    if missing:
        raise Skip(f"{' and '.join(missing)} not installed (desktop-file-utils, shared-mime-info)")
    checked = subprocess.run(["desktop-file-validate", DESKTOP / f"{NAME}.desktop"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and not checked.stdout + checked.stderr, checked
    with scratch() as folder:
        subprocess.run(["mkdir", "-p", f"{folder}/mime/packages"], check=True)
        shutil.copy(DESKTOP / f"{NAME}.xml", f"{folder}/mime/packages")
        made = subprocess.run(["update-mime-database", f"{folder}/mime"], capture_output=True, text=True, check=False,
                              env={**os.environ, "XDG_DATA_DIRS": folder})
        assert made.returncode == 0 and not made.stderr, made
        globs = open(f"{folder}/mime/globs2", encoding="utf-8").read()
        assert "60:application/x-lanescope-trace:*.trace.json.gz" in globs, globs


run_all(globals())
