"""Importing, display, stubs and the programs of the package."""
import os
import statistics
import subprocess
import sys
import time

import lanescope as ls
import pytest
from conftest import ROOT, SYNTHETIC

CHECK = """
import os, signal, sys, locale
before = {s: signal.getsignal(s) for s in signal.valid_signals()}, os.sched_getaffinity(0), dict(os.environ), locale.setlocale(locale.LC_ALL)
import lanescope
trace = lanescope.open(sys.argv[1], progress=False)
trace.kernels(); trace.summary(); trace.sql("select 1"); trace.timeline()
after = {s: signal.getsignal(s) for s in signal.valid_signals()}, os.sched_getaffinity(0), dict(os.environ), locale.setlocale(locale.LC_ALL)
assert before == after
heavy = {"numpy", "pandas", "pyarrow", "polars", "torch", "tqdm", "asyncio"} & set(sys.modules)
assert not heavy, heavy
"""


def test_the_library_leaves_the_process_as_it_is():
    subprocess.run([sys.executable, "-c", CHECK, SYNTHETIC], check=True, timeout=60)


def test_import_time():
    """At most twice as long as json and ctypes, in fresh interpreters, one beside the other."""
    def seconds(code):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin
    bare, reference, ours = [], [], []
    for _ in range(7):
        bare.append(seconds("pass"))
        reference.append(seconds("import json, ctypes"))
        ours.append(seconds("import lanescope"))
    ratio = statistics.median(ours) / statistics.median(reference)
    assert ratio <= 2, (ratio, bare, reference, ours)


def test_free_threaded_python_is_refused():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.abiflags = 't'; import lanescope"], capture_output=True, text=True)
    assert done.returncode == 1 and "ImportError: Lanescope does not support free-threaded Python" in done.stderr, done


def test_texts_of_tables(synthetic):
    text = repr(synthetic.kernels())
    assert "more rows" in text and all(line == line.rstrip() for line in text.splitlines())
    hostile = synthetic.sql("select '<script>alert(1)</script>' as \"<b>\", char(27) || '[31m' as plain")
    html = hostile._repr_html_()
    assert "<script>" not in html and "<b>" not in html and "&lt;script&gt;" in html
    assert "\x1b" not in repr(hostile) and "\x1b" not in html


def test_texts_in_all_scripts(synthetic):
    def shown(value):
        text = repr(synthetic.sql("select ? as value, 'next' as following", [value]))
        return text.splitlines()[1].removesuffix("next").rstrip()

    # A thin space stands between thousands; other spaces, marks and letters are not changed either.
    for value in ("2\u2009645 kernels", "a\u00a0b\u3000c", "Ωμέγα", "модель", "注意力", "e\u0301", "נוירון", "👩\u200d💻", "นิวรอน"):
        assert shown(value) == value, (value, shown(value))
        assert value in synthetic.sql("select ? as value", [value])._repr_html_()
    for hidden in ("\x1b", "\n", "\u202e", "\u2066", "\u2028"):
        assert shown(f"a{hidden}b") == "a\ufffdb", hidden
    # Cut to the columns of a terminal, and to whole characters.
    assert shown("x" * 41) == "x" * 39 + "…"
    assert shown("注" * 21) == "注" * 19 + "…" and shown("注" * 20) == "注" * 20
    assert shown("e\u0301" * 41) == "e\u0301" * 39 + "…"
    lines = repr(synthetic.sql("select '注意力' as a, 1 as b union all select 'attention', 2")).splitlines()
    assert lines[1:] == ["注意力     1", "attention  2"], lines


def test_summary_and_pictures(synthetic, tmp_path):
    summary = synthetic.summary()
    assert "GPU 0" in str(summary) and "<svg" in summary._repr_html_()
    picture = synthetic.timeline(range="step:5", theme="light")
    picture.save(tmp_path / "step.svg")
    assert (tmp_path / "step.svg").read_text() == str(picture)
    with pytest.raises(FileExistsError):
        picture.save(tmp_path / "step.svg")
    synthetic.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html")
    with pytest.raises(FileExistsError):
        synthetic.report(tmp_path / "report.html")


def test_record(tmp_path):
    from lanescope import _programs

    program = os.path.join(os.environ["LANESCOPE_BIN"], "annotated_c")
    if not os.path.exists(program):
        pytest.skip("recording is not built")
    trace = ls.record([program], output=tmp_path / "run.spool")
    assert trace.sql("select count(*) n from slice")["n"][0] > 0
    with pytest.raises(ls.Error, match="exit code"):
        ls.record(["/nonexistent/program"], output=tmp_path / "other.spool")
    with pytest.raises(TypeError):
        _programs.record("python train.py")


def test_profile_refuses_early(tmp_path):
    existing = tmp_path / "run.json"
    existing.write_text("mine")
    with pytest.raises(FileExistsError):
        ls.profile(existing)
    with pytest.raises(ValueError, match="ends with"):
        ls.profile(tmp_path / "run.txt")
    with pytest.raises(ValueError, match="at least 1"):
        ls.profile(tmp_path / "new.json", active=0)
    assert existing.read_text() == "mine"


def test_stub_is_up_to_date():
    import pathlib

    stub = pathlib.Path(ls.__file__).with_name("__init__.pyi").read_text()
    printed = subprocess.run([sys.executable, ROOT / "scripts" / "python_stub"], check=True, capture_output=True, text=True)
    assert printed.stdout == stub, "run scripts/python_stub > python/lanescope/__init__.pyi"
    public = {name for name in vars(ls.Trace) if not name.startswith("_")}
    assert all(f"    def {name}(self" in stub for name in public)
    assert all(f"def {name}(" in stub for name in ls.__all__ if name[0].islower() and name != "profile")
