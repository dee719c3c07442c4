"""Settings of the documentation site. ``sh scripts/docs`` builds it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

from aligner import __version__

project = "accord-align"
author = "The accord-align project"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "described",
    "mathml",
    "verbs",
]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300
autodoc_typehints = "none"  # the sections of docstrings say more
numpydoc_show_class_members = False
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
smartquotes = False

templates_path = ["templates"]
html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5a9c", "color-brand-content": "#0b5a9c"},
    "dark_css_variables": {"color-brand-primary": "#7db8ee", "color-brand-content": "#7db8ee"},
}
