"""The notebook runs, and the calls of docs/python.md exist."""
import re

import lanescope as ls
import lanescope.profiling
import pytest
from conftest import ROOT, SYNTHETIC


def test_notebook(monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    monkeypatch.setenv("LANESCOPE_SAMPLE", str(SYNTHETIC))
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [str(output["data"]) for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert len(outputs) >= 5 and "<svg" in outputs[0] and "GPU 0" in outputs[0] and "<svg" in outputs[-1]


def test_names_in_the_page_exist():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in re.findall(r"\bt\.(\w+)\(", page):
        assert hasattr(ls.Trace, name), name
    for name in re.findall(r"\bls\.(\w+)\(", page):
        assert hasattr(ls, name), name


def test_every_public_name_is_on_the_page_of_the_api():
    page = (ROOT / "docs" / "python_api.md").read_text()
    documented = set(re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)$", page, re.MULTILINE))
    classes = {name for name, value in vars(ls).items() if isinstance(value, type) and not name.startswith("_")}
    assert documented == set(ls.__all__) | classes
    undocumented = [f"{owner.__name__}.{name}" for owner in (ls.Trace, ls.Table, ls.Comparison, ls.Picture, ls.profiling.profile)
                    for name, member in vars(owner).items() if not name.startswith("_") and not member.__doc__]
    assert undocumented == []


def test_first_example(capsys):
    page = (ROOT / "docs" / "python.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    code = code.replace('"run.pt.trace.json.gz"', repr(str(SYNTHETIC))).replace('range="step:3"', 'range="step:5"')
    code = code.replace('"before.json.gz", "after.json.gz"', f"{str(SYNTHETIC)!r}, {str(SYNTHETIC)!r}")
    code = "\n".join(line for line in code.splitlines() if ".show(" not in line)
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    exec(compile(code, "docs/python.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "GPU 0" in printed and "A:" in printed


def test_methods_of_tables():
    assert not hasattr(ls.Trace, "compare"), "a comparison needs two traces"
    assert "Options: by, range" in ls.Trace.kernels.__doc__ and " by: config, family, instance" in ls.Trace.kernels.__doc__
    assert "Options: range" in ls.Trace.slices.__doc__
    assert "Options" not in ls.Trace.annotation.__doc__, "rows of single events have none"
