#!/usr/bin/env python3
"""The synthetic sample in the tree is what its program writes, byte for byte."""
import gzip
import subprocess

from program import BIN, SAMPLES, run_all


def test_the_program_still_writes_the_sample():
    written = subprocess.run([BIN / "make_synthetic_step"], capture_output=True, check=True).stdout
    kept = gzip.decompress((SAMPLES / "synthetic_step.json.gz").read_bytes())
    assert written == kept, "make it again: make_synthetic_step | gzip -9n > assets/samples/synthetic_step.json.gz"


def test_the_sample_says_that_it_is_synthetic():
    kept = gzip.decompress((SAMPLES / "synthetic_step.json.gz").read_bytes())
    assert b'"lanescope_synthetic": 1' in kept and b"Synthetic GPU" in kept


run_all(globals())
