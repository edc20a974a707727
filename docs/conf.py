"""Settings of the documentation site: `make docs` builds it into docs/_build/html."""

import warnings
from importlib.metadata import version as version_of

# What an example warns of, without the path of the machine that built the page.
warnings.formatwarning = lambda message, category, *_: f"{category.__name__}: {message}\n"

project = "fuzzyfrog"
copyright = "the fuzzyfrog authors"  # noqa: A001 - the name that Sphinx looks for
release = version = version_of("fuzzyfrog")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "gallery/*.ipynb",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
]
templates_path = []
html_theme = "furo"
html_title = "fuzzyfrog"
html_static_path = ["_static"]
html_css_files = ["gallery.css"]

myst_heading_anchors = 3  # links such as predict.md#pitfalls point to headings
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "none"  # the types are in the docstrings
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Anchors written as HTML (theory.md) are unknown to MyST; tests/test_docs.py checks every link.
suppress_warnings = ["myst.xref_missing"]

# The examples run when they have changed since the last build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
}
