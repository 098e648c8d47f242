"""Tests of the weight of a page: it requests few files, in one step, and their total size stays small."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.test import AsyncClient

from tests.support.pages import template_view_samples as samples
from tests.support.program import ROOT

MOST = 90_000
"""Bytes over the wire, compressed as the server does it, with what it says of each file."""
IMPORT = re.compile(r"""(?:^|;)import\b[^;"'()]*["'][^"']+["'];""", re.MULTILINE)
"""What a module cannot begin without, also in a bundle, which is all one line."""
PAGES: dict[str, Callable[[], Any]] = {
    "lists/list.html": lambda: samples.list_view(100),
    "overview/overview.html": samples.overview_view,
    "feed/feed.html": samples.feed_view,
}


def asked_for(html: str) -> list[str]:
    """The static files that a page names, the vendored ones too."""
    return sorted(f"static/{name}" for name in set(re.findall(rf'(?:href|src)="{static("")}([^"]+)"', html)))


def rendered(template: str, view: Any) -> str:
    context = {
        "view": view,
        "page": samples.page_info("pods"),
        "command": samples.KUBECTL_COMMAND,
        "follow": samples.FOLLOW,
    }
    return render_to_string(template, context)


@pytest.mark.parametrize("template", PAGES)
def test_no_script_of_a_page_waits_until_another_one_has_been_read(template: str) -> None:
    scripts = [name for name in asked_for(rendered(template, PAGES[template]())) if name.endswith(".js")]
    assert [name for name in scripts if IMPORT.search((ROOT / name).read_text())] == []
    assert IMPORT.search((ROOT / "static/bundles/editor/editor.js").read_text()), "that one imports CodeMirror"


def test_what_keeps_a_page_live_comes_last_and_holds_up_nothing_else() -> None:
    """An editor is to show its form first: what others change may come a little later."""
    for template, view in PAGES.items():
        *_, last = re.findall("<script src=[^>]+>", rendered(template, view()))
        assert f'src="{static("bundles/live/main.js")}" type="module" fetchpriority="low"' in last
    for path in (ROOT / "templates").rglob("*.html"):
        assert ("js/live/" in path.read_text()) == (path.name == "base.html"), path


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


async def sent(client: AsyncClient, name: str) -> int:
    """Bytes of the answer with its head."""
    answer = await client.get(static(name.removeprefix("static/")), headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200, name
    lines = [f"{header}: {value}" for header, value in answer.items()]
    return len("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""])) + len(answer.content)


@pytest.mark.parametrize("template", PAGES)
def test_a_page_asks_for_three_style_sheets_and_four_scripts_at_most(template: str) -> None:
    """Each file that a browser has to ask for before it paints takes time, however small it is."""
    named = [name.removeprefix("static/") for name in asked_for(rendered(template, PAGES[template]()))]
    assert len([name for name in named if name.endswith(".css")]) <= 3
    scripts = [name for name in named if name.endswith(".js")]
    assert len(scripts) <= 4
    assert [name for name in scripts if not name.startswith("bundles/")] == []
    for bundle, made in json.loads((ROOT / "static/bundles/bundles.json").read_text())["bundles"].items():
        assert f"bundles/{bundle}" not in named or made["sources"].keys().isdisjoint(named), "it has them already"


@pytest.mark.parametrize("template", PAGES)
async def test_a_page_weighs_90_kb_at_most_with_all_that_it_asks_for(template: str) -> None:
    html = rendered(template, PAGES[template]())
    client = AsyncClient()
    weights = {name: await sent(client, name) for name in asked_for(html)}
    assert weights, html
    total = sum(weights.values()) + len(gzip.compress(html.encode()))
    assert total <= MOST, f"{total:,} bytes: {weights}"


def test_no_script_loads_a_language_before_it_has_something_to_say() -> None:
    """The first number format of a page takes as long as all its scripts: a number says itself when it is shown."""
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        assert "new Intl." not in path.read_text(), path
