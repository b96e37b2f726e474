#!/usr/bin/env python3
"""Tests that lanescope fleet runs the Python package, or reports what is missing. tests/python/test_fleet.py tests the findings."""
import os
import pathlib
import subprocess
import sys

from program import BIN, error_of, run_all, scratch

WITHOUT_PACKAGE = {"LANESCOPE_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}


def test_what_is_missing():
    with scratch() as folder:
        words = ["fleet", folder, "-o", folder + "/out"]
        message = error_of(*words, status=1, env={"LANESCOPE_PYTHON": "/nonexistent/python"})
        assert "fleet needs Python: /nonexistent/python cannot be started" in message, message
        message = error_of(*words, status=1, env=WITHOUT_PACKAGE)
        assert 'fleet needs the Python package: pip install "lanescope[fleet]"' in message, message
        assert "TRACE" in error_of("fleet", "-o", folder, status=2)
        assert "--output" in error_of("fleet", folder, status=2)
        for wrong in (["--verify"], ["--format", "xml"], ["--scheduler", "tcp://head:8786", "--workers", "2"]):
            assert "--help" in error_of(*words, *wrong, status=2), wrong


def test_options_and_names_that_begin_with_a_dash_are_passed_on():
    with scratch() as folder:
        package = pathlib.Path(folder, "site", "lanescope")
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "fleet.py").write_text("import sys; print(sys.argv[1:]); sys.exit(42)")
        run = subprocess.run([BIN / "lanescope", "fleet", "-o", "out", "--workers", "3", "--memory", "2G", "--resume", "--verify", "--", "a", "-b"],
                             capture_output=True, text=True, timeout=60,
                             env={**os.environ, **WITHOUT_PACKAGE, "PYTHONPATH": str(package.parent)})
        expected = ["--output=out", "--format=text", "--workers=3", "--memory=2G", "--resume", "--verify", "--", "a", "-b"]
        assert (run.returncode, run.stdout.strip()) == (42, str(expected)), run


run_all(globals())
