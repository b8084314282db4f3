"""The site that `./run docs` builds: the pages of docs/, the tutorial, and the headers through Doxygen and breathe."""

import os
import re

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.join(here, "..", "..")
with open(os.path.join(top, "CMakeLists.txt"), encoding="utf-8") as lists:
    release = version = re.search(r"project\(oriel VERSION (\S+)", lists.read()).group(1)

project = "oriel"
author = "The oriel authors"
copyright = "The oriel authors, BSD-3-Clause"
extensions = ["breathe", "myst_parser"]
root_doc = "index"
exclude_patterns = ["site"]
breathe_projects = {"oriel": os.environ["ORIEL_DOXYGEN_XML"]}
breathe_default_project = "oriel"
primary_domain = "cpp"
highlight_language = "none"
myst_heading_anchors = 4
html_theme = "sphinx_rtd_theme"
html_title = f"oriel {release}"
html_show_sphinx = False


def without_sources(app, name, text):
    """Pages link to files of the sources, which a site has not: it names them instead."""
    text[0] = re.sub(r"\[([^][]*)\]\(\.\./([^)\s]+)\)", r"\1 (`\2`)", text[0])


def setup(app):
    app.connect("source-read", without_sources)
