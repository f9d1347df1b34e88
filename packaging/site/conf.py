"""Sphinx reads this file: the theme, and what of Markdown the documents use. build.py makes the tree that it reads."""

project = "Tierscope"
html_title = "Tierscope"
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 4  # the anchors that GitHub gives to headings
html_theme = "furo"  # light and dark by the reader's system, one column on a phone, no font or script from elsewhere
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
templates_path: list[str] = []
suppress_warnings = ["misc.highlighting_failure"]  # a terminal session is no program
