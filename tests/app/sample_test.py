#!/usr/bin/env python3
"""The synthetic sample equals the output of the program that generates it."""
import gzip
import subprocess

from program import BIN, SAMPLES, run_all


def test_the_sample_equals_its_programs_output():
    written = subprocess.run([BIN / "make_synthetic_step"], capture_output=True, check=True).stdout
    kept = gzip.decompress((SAMPLES / "synthetic_step.json.gz").read_bytes())
    assert written == kept, "update the sample: make_synthetic_step | gzip -9n > assets/samples/synthetic_step.json.gz"


def test_the_sample_is_marked_as_synthetic():
    kept = gzip.decompress((SAMPLES / "synthetic_step.json.gz").read_bytes())
    assert b'"lanescope_synthetic": 1' in kept and b"Synthetic GPU" in kept


run_all(globals())
