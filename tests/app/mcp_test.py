#!/usr/bin/env python3
"""lanescope mcp: becomes Python with the package, or says what is missing. (The server: tests/python/test_mcp.py.)"""
import os
import pathlib
import subprocess
import sys

from program import BIN, error_of, run_all, scratch

PACKAGE = BIN.parent / "python"


def without_package(**more):
    """An environment whose Python has no Lanescope."""
    return {"LANESCOPE_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1", **more}


def test_what_is_missing():
    with scratch() as folder:
        message = error_of("mcp", folder, status=1, env={"LANESCOPE_PYTHON": "/nonexistent/python"})
        assert "needs Python: /nonexistent/python cannot be started" in message, message
        message = error_of("mcp", folder, status=1, env=without_package())
        assert 'needs the Python package: pip install "lanescope[mcp]"' in message, message
        assert "FOLDER" in error_of("mcp", status=2)
        assert "does not exist" in error_of("mcp", folder + "/nothing", status=2)


def test_nothing_is_imported_from_the_current_folder():
    with scratch() as folder:
        for module in ("lanescope", "runpy", "importlib"):
            pathlib.Path(folder, module + ".py").write_text("open('taken', 'w')")
        run = subprocess.run([BIN / "lanescope", "mcp", "."], cwd=folder, capture_output=True, timeout=60,
                             env={**os.environ, **without_package()})
        assert run.returncode == 1 and b"needs the Python package" in run.stderr, run
        assert not os.path.exists(os.path.join(folder, "taken"))


def test_the_exit_status_is_pythons():
    with scratch() as folder:
        package = pathlib.Path(folder, "site", "lanescope")
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "mcp.py").write_text("import sys; print(sys.argv[1:]); sys.exit(42)")
        run = subprocess.run([BIN / "lanescope", "mcp", folder, "/tmp"], capture_output=True, text=True, timeout=60,
                             env={**os.environ, **without_package(PYTHONPATH=str(package.parent))})
        assert (run.returncode, run.stdout.strip()) == (42, str([folder, "/tmp"])), run


run_all(globals())
