#!/usr/bin/env python3
"""Runs the tests of the Python package with pytest, against real pandas, Polars, DuckDB and pyarrow from PyPI."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["LANESCOPE_ROOT"], "tests", "app"))
from program import BIN, ROOT, Skip  # noqa: E402
from cases import listed_cases  # noqa: E402
from pypi import import_packages  # noqa: E402

PACKAGE = BIN.parent / "python"


def main():
    if not (PACKAGE / "lanescope" / "_native.abi3.so").exists():
        print("SKIPPED: the Python package is not built: a sanitized build, or Python's headers are missing\n0 passed, 0 failed, 1 skipped")
        return 77
    try:
        import_packages("pytest", "pyarrow", "pandas", "polars", "duckdb", "fsspec", "aiohttp", "mcp",
                        "nbformat", "nbclient", "ipykernel", "s3fs", "distributed", "cryptography", "moto[s3]", "flask", "flask_cors")
    except Skip as reason:
        print(f"SKIPPED: {reason}\n0 passed, 0 failed, 1 skipped")
        return 77
    python = BIN.parent / "python_packages" / "bin" / "python"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    folder = ROOT / "tests" / "python"
    tests = [str(folder / case) for case in listed_cases() or [""]]
    run = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs", *tests],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|errors|skipped)", run.stdout)}
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    print(f"{counts.get('passed', 0)} passed, {failed} failed, {counts.get('skipped', 0)} skipped")
    return 0 if run.returncode == 0 and counts.get("passed", 0) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
