"""conf.py: Sphinx's settings for the documentation site (`make site`). pages.py prepares the pages and copies this file beside them."""
import pathlib

project = "Vinea"
copyright = "the Vinea authors, Apache-2.0"
release = version = pathlib.Path(__file__).with_name("VERSION").read_text().strip()
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Vinea {release}"
html_show_sourcelink = html_copy_source = False
pygments_style, pygments_dark_style = "friendly", "monokai"
html_extra_path = ["extra"]
