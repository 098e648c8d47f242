"""Sphinx's configuration: Markdown by MyST, in the theme Furo, with the colours of the dashboard."""

from __future__ import annotations

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from tools.site.sources import ROOT
from tools.site.versions import VERSION, is_released

project = "Deltaboard"
version = release = VERSION
extensions = ["myst_parser"]
myst_heading_anchors = 4
smartquotes = False
highlight_language = "none"

html_theme = "furo"
html_title = f"Deltaboard {VERSION}"
html_logo = html_favicon = str(ROOT / "static" / "favicon" / "live.svg")
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
templates_path = ["templates"]
html_context = {"version_label": VERSION if is_released() else f"{VERSION}, not released"}
html_copy_source = html_show_sourcelink = html_use_index = html_domain_indices = False
html_show_copyright = False
html_show_search_summary = False  # it would be read from the pages, which a browser does not do from file://
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def _variables(
    page: str, surface: str, line: str, text: str, soft: str, accent: str, accent_soft: str
) -> dict[str, str]:
    """Furo's names for the design tokens of static/css/base.css."""
    return {
        "font-stack": "system-ui, sans-serif",
        "font-stack--monospace": "ui-monospace, monospace",
        "color-brand-primary": accent,
        "color-brand-content": accent,
        "color-brand-visited": accent,
        "color-background-primary": surface,
        "color-background-secondary": page,
        "color-background-hover": accent_soft,
        "color-background-border": line,
        "color-foreground-primary": text,
        "color-foreground-secondary": soft,
        "color-foreground-muted": soft,
        "color-highlight-on-target": accent_soft,
        "color-inline-code-background": page,
        "color-code-background": page,
        "color-sidebar-link-text": text,
        "color-sidebar-link-text--top-level": text,
        "color-sidebar-item-background--current": accent_soft,
        "color-sidebar-item-background--hover": accent_soft,
    }


html_theme_options = {
    "light_css_variables": _variables("#f6f7f9", "#ffffff", "#e4e7ec", "#161a21", "#505967", "#3451d1", "#e9edff"),
    "dark_css_variables": _variables("#0c0e12", "#13161c", "#222731", "#e7eaf0", "#a3adbd", "#93a7ff", "#1d2440"),
    "navigation_with_keys": False,
    "top_of_page_buttons": [],
}


def setup(app: Sphinx) -> None:
    app.connect("env-updated", _read_navigation)
    app.connect("html-page-context", _drop_tree, priority=400)


def _read_navigation(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Captions with titles and pages, for templates/sidebar/navigation.html."""
    trees = env.get_doctree("index").findall(addnodes.toctree)
    app.config.html_context["navigation"] = [(tree["caption"], tree["entries"]) for tree in trees]
    return []


def _drop_tree(_app: Sphinx, _page: str, _template: str, context: dict[str, object], _doctree: object) -> None:
    """Before Furo makes its navigation of it: that copies all headings of all pages, for each page."""
    context.pop("toctree", None)
