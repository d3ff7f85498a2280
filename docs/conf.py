"""The documentation site: `make docs` builds it, warnings are errors.

The source folder is the repository, so that README, SECURITY and the pages in docs/ link each other as they do on a
code host, and every such link is checked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]
os.environ.setdefault("COLUMNS", "100")  # the width of the commands' help, on every machine

import rlm_core  # noqa: E402 (found by the path above)

project = "rlm-ldp"
author = "The rlm-ldp maintainers"
project_copyright = author
release = version = rlm_core.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "plain_docstrings",
    "generated_reference",
]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "models/README.md",
    "examples/README.md",
]
exclude_patterns = ["docs/_build"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
suppress_warnings = [
    "myst.header",  # a page may begin below its title, as results.md does
    "misc.highlighting_failure",  # "…" in a script, where something is left out
]

autodoc_typehints = "signature"
highlight_language = "text"  # of blocks that name no language: formulas, shell
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
nitpicky = True
nitpick_ignore = [  # named in docstrings, and not on a page
    ("py:func", "_release"),
    ("py:attr", "Trace.h"),
    ("py:func", "rlm_core.zoo.names"),
]
nitpick_ignore_regex = [
    # Types of other packages, protocols and type variables in signatures: there is nothing of ours to link to.
    ("py:(class|obj|data|exc)", r"(?!rlm_core).*"),
    ("py:(class|obj|meth|data)", r"rlm_core\..*"),  # not everything of ours has a place on a page
]

html_theme = "furo"
html_title = f"rlm-ldp {release}"
html_logo = "../static/icon.svg"
html_favicon = "../static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["own.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#005E93"},
    "dark_css_variables": {"color-brand-primary": "#3E9FD6", "color-brand-content": "#7CC0E8"},
}
