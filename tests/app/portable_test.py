#!/usr/bin/env python3
"""The programs need no newer C library than GLIBC 2.34, so that packages run on Ubuntu 22.04 and RHEL 9."""
import re
import subprocess

from program import BIN, Skip, run_all

NEWEST = (2, 34)
# A function of a newer C library takes that library's version even if its name is old, so only an old library shows
# what the code asks for.
BUILT_ON = (2, 36)


def version(text):
    return tuple(map(int, text.split(".")))


def needed(path):
    """The newest version of the C library that a program asks for, and the symbols of that version."""
    table = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
    symbols = re.findall(r"\(GLIBC_([0-9.]+)\)\s+(\S+)", table)
    assert symbols, f"{path}: no symbol of the C library is found in:\n{table[:500]}"
    newest = max(version(number) for number, _ in symbols)
    return newest, [name for number, name in symbols if version(number) == newest]


def test_versions():
    here = subprocess.run(["ldd", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0].split()[-1]
    if version(here) > BUILT_ON:
        raise Skip(f"packages are not made with GLIBC {here}")
    checked = 0
    for name in ("lanescope", "lanescope-viewer", "liblanescope.so", "liblanescope_inject.so"):
        if not (BIN / name).exists():
            continue
        newest, symbols = needed(BIN / name)
        assert newest <= NEWEST, f"{name} needs GLIBC {newest} for {symbols}"
        checked += 1
    assert checked >= 2


run_all(globals())
