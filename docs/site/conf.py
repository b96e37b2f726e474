"""Sphinx's configuration of the documentation site; scripts/docs runs it on the pages that prepare.py collects."""

import importlib
import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["LANESCOPE_ROOT"])
SOURCE = pathlib.Path(os.environ["LANESCOPE_DOCS_SOURCE"])

project = "Lanescope"
author = "The authors of Lanescope"
version = re.search(r"project\(lanescope VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
release = version
copyright = "the authors of Lanescope, MIT licence"  # noqa: A001  the name is Sphinx's

extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = []

# The same anchors as on GitHub, so that links between the Markdown files work in both places.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_links_external_new_tab = False

# Pages about Python are docs/python*.md. Those with docstrings (docs/python_api*.md) need the module in this
# environment, and are left out without it.
try:
    importlib.import_module("lanescope")
    extensions += ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
    autodoc_member_order = "bysource"
    autodoc_class_signature = "separated"  # most of the classes are not made by their callers
    default_role = "code"  # in docstrings; the pages are Markdown
except ImportError:
    exclude_patterns.append("python_api*.md")

# Every word that is not a language of Pygments is a warning, and warnings are errors.
# Quotes and dashes of commands stay what is typed.
smartquotes = False
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = "Lanescope"
html_static_path = [str(SOURCE.parent / "static")]
html_css_files = ["lanescope.css"]
html_favicon = str(SOURCE.parent / "static" / "lanescope.svg")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None  # the same sources give the same site
html_theme_options = {
    "sidebar_hide_name": False,
    "light_logo": "lanescope.svg",
    "dark_logo": "lanescope.svg",
    "navigation_with_keys": True,
}
