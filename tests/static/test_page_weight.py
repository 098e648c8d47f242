"""What a page brings along: every module is asked for at once, and all of it together stays small."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.test import AsyncClient

from dashboard.access.joined_files import JOINED
from tests import page_samples as samples
from tests.program import ROOT

MOST = 120_000
"""Bytes over the wire, compressed as the server does it, with what it says of each file."""
IMPORT = re.compile(r"""^import\b[^;"']*["']([^"']+)["'];""", re.MULTILINE)
PAGES: dict[str, Callable[[], Any]] = {
    "resources/list.html": lambda: samples.list_view(100),
    "live/overview.html": samples.overview_view,
    "live/feed.html": samples.feed_view,
}


def asked_for(html: str) -> list[str]:
    """The static files that a page names, the vendored ones too."""
    return sorted(f"static/{name}" for name in set(re.findall(rf'(?:href|src)="{static("")}([^"]+)"', html)))


def rendered(template: str, view: Any) -> str:
    return render_to_string(template, {"view": view, "page": samples.page_info("pods")})


def test_no_module_waits_until_another_one_has_been_read() -> None:
    named = asked_for(rendered("live/feed.html", samples.feed_view()))
    modules = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "static/js/live").glob("*.js"))
    assert [name for name in named if name.startswith("static/js/live/")] == modules


def test_an_editor_asks_for_what_keeps_it_live_once_it_has_shown_its_form() -> None:
    base = (ROOT / "templates/base.html").read_text()
    _, _, preloads = base.partition("{% block preloads %}")
    assert preloads.partition("{% endblock preloads %}")[0].count("modulepreload") == base.count("modulepreload") > 5
    assert "{% block preloads %}{% endblock %}" in (ROOT / "templates/edits/base_edit.html").read_text()


WEIGHTS = {"400", "600"}
SIZES = {"11px", "12.5px", "13px", "14px", "15px", "17px", "18px", "20px", "22px", "26px"}


def test_text_comes_in_few_sizes_and_weights() -> None:
    """Before the first paint a browser looks up each family that is named, at each size and weight that it meets."""
    css = "\n".join(path.read_text() for path in (ROOT / "static/css").glob("*.css"))
    css += (ROOT / "static/js/editor/theme.js").read_text()
    weights = re.findall(r"""(?:font-weight: |fontWeight: "|font: (?=\d00 ))(\w+)""", css)
    sizes = re.findall(r"""(?:font-size: |fontSize: "|font: (?:\d00 )?)([\d.]+px)""", css)
    assert set(weights) == WEIGHTS
    assert set(sizes) == SIZES
    assert "--sans: system-ui, sans-serif;" in css
    assert "--mono: monospace;" in css
    assert set(re.findall(r"""(?:font-family: |fontFamily: "|font: [^;]*px(?:/[\d.]+(?:px)?)? )([^;"]+)""", css)) == {
        "var(--sans)", "var(--mono)",
    }  # fmt: skip


def with_imports(names: list[str]) -> list[str]:
    """These files and the modules that they cannot begin without; what is joined has no modules."""
    found: list[str] = []
    for name in names:
        path = ROOT / name
        is_module = path.suffix == ".js" and name.removeprefix("static/") not in JOINED
        modules = IMPORT.findall(path.read_text()) if is_module else []
        imported = [str((path.parent / module).resolve().relative_to(ROOT)) for module in modules]
        found += [name, *with_imports([each for each in imported if each not in names])]
    return sorted(set(found))


async def sent(client: AsyncClient, name: str) -> int:
    """Bytes of the answer with its head."""
    answer = await client.get(static(name.removeprefix("static/")), headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200, name
    lines = [f"{header}: {value}" for header, value in answer.items()]
    return len("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""])) + len(answer.content)


@pytest.mark.parametrize("template", PAGES)
def test_a_page_waits_for_three_style_sheets_at_most_and_asks_for_no_file_that_it_has_joined(template: str) -> None:
    """Each file that a browser has to ask for before it paints takes time, however small it is."""
    named = [name.removeprefix("static/") for name in asked_for(rendered(template, PAGES[template]()))]
    assert len([name for name in named if name.endswith(".css")]) <= 3
    for name, parts in JOINED.items():
        assert name not in named or set(parts).isdisjoint(named)
    assert len([name for name in named if name.startswith("js/") and not name.startswith("js/live/")]) <= 6


@pytest.mark.parametrize("template", PAGES)
async def test_a_page_weighs_120_kb_at_most_with_all_that_it_asks_for(template: str) -> None:
    html = rendered(template, PAGES[template]())
    client = AsyncClient()
    weights = {name: await sent(client, name) for name in with_imports(asked_for(html))}
    assert weights, html
    total = sum(weights.values()) + len(gzip.compress(html.encode()))
    assert total <= MOST, f"{total:,} bytes: {weights}"


def test_no_script_loads_a_language_before_it_has_something_to_say() -> None:
    """The first number format of a page takes as long as all its scripts: a number says itself when it is shown."""
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        assert "new Intl." not in path.read_text(), path
