#!/usr/bin/env python3
"""scripts/spdx lists what a package bundles, with versions and licences."""
import json
import pathlib
import re
import shutil
import subprocess

from program import BIN, ROOT, Skip, run_all, scratch

FETCHED = BIN.parent / "fetched"
# Identifiers of SPDX's list of licences that the list uses.
KNOWN = {"MIT", "Zlib", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "OFL-1.1", "WTFPL", "GPL-2.0-only", "LicenseRef-public-domain"}


def library(name):
    cached = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return re.search(rf"\b({re.escape(name)}\.so\.\d+) .*=> (\S+)", cached)


def bundle(folder, *names):
    """A folder as auditwheel makes it, which adds a hash to each library's name."""
    libraries = pathlib.Path(folder) / "lanescope.libs"
    libraries.mkdir()
    for name in names:
        found = library(name)
        if not found:
            raise Skip(f"{name} is not installed")
        shutil.copy(found.group(2), libraries / found.group(1).replace(".so", "-0123abcd.so"))
    return folder


def spdx(folder):
    if not shutil.which("dpkg-query"):
        raise Skip("there is no dpkg-query")
    if not list(FETCHED.glob("imgui_bundle-*/external")):
        raise Skip("built without the window")
    return subprocess.run([ROOT / "scripts" / "spdx", "0.1.0", folder, FETCHED], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000"})


def test_every_bundled_library_is_listed_with_version_and_licence():
    with scratch() as folder:
        run = spdx(bundle(folder, "libfmt", "libzstd"))
        assert run.returncode == 0, run.stderr
        assert spdx(folder).stdout == run.stdout, "the same bytes again"
        listed = json.loads(run.stdout)
    assert listed["spdxVersion"] == "SPDX-2.3" and listed["dataLicense"] == "CC0-1.0" and listed["SPDXID"] == "SPDXRef-DOCUMENT"
    assert listed["creationInfo"] == {"created": "2023-11-14T22:13:20Z", "creators": ["Tool: lanescope-scripts-spdx"]}
    packages = {package["name"]: package for package in listed["packages"]}
    assert packages["lanescope"]["versionInfo"] == "0.1.0" and packages["lanescope"]["licenseDeclared"] == "MIT"
    assert re.fullmatch(r"lanescope\.libs/libfmt-0123abcd\.so\.\d+", packages["fmtlib"]["packageFileName"])
    assert packages["libzstd"]["licenseDeclared"] == "BSD-3-Clause OR GPL-2.0-only"
    assert re.fullmatch(r"[0-9a-f]{64}", packages["libzstd"]["checksums"][0]["checksumValue"])
    assert {"Dear ImGui", "ImPlot", "GLFW", "Roboto", "Inconsolata", "Font Awesome Free", "nanoarrow", "flatcc", "cli11",
            "nlohmann-json3", "protozero", "simdjson"} <= set(packages)
    for name, package in packages.items():
        assert package["versionInfo"] if name != "portable-file-dialogs" else package["licenseDeclared"] == "WTFPL", package
        words = set(re.findall(r"[\w.+-]+", package["licenseDeclared"])) - {"AND", "OR"}
        assert words <= KNOWN, (name, words - KNOWN)
        assert {"SPDXID", "downloadLocation", "filesAnalyzed", "copyrightText"} <= set(package), package


def test_relationships_name_every_package_once():
    with scratch() as folder:
        listed = json.loads(spdx(bundle(folder, "libfmt")).stdout)
    ids = [package["SPDXID"] for package in listed["packages"]]
    assert len(set(ids)) == len(ids)
    assert sorted(row["relatedSpdxElement"] for row in listed["relationships"]) == sorted(ids)
    assert {row["relationshipType"] for row in listed["relationships"]} == {"DESCRIBES", "CONTAINS"}


def test_a_library_without_a_known_licence_is_an_error():
    with scratch() as folder:
        run = spdx(bundle(folder, "libpcre2-8"))
        assert run.returncode == 1 and "not in LICENCES" in run.stderr, run
        assert run.stdout == ""
    with scratch() as folder:
        libraries = pathlib.Path(folder) / "lanescope.libs"
        libraries.mkdir()
        (libraries / "libnobody-0123abcd.so.1").write_bytes(b"")
        run = spdx(folder)
        assert run.returncode == 1 and "no Debian package contains libnobody.so.1" in run.stderr, run


run_all(globals())
