"""What a page brings along: every module is asked for at once, and all of it together stays small."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.templatetags.static import static

from tests import page_samples as samples
from tests.program import ROOT

MOST = 120_000
"""Bytes over the wire, compressed as the server does it."""
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


@pytest.mark.parametrize("template", PAGES)
def test_a_page_weighs_120_kb_at_most_with_all_that_it_asks_for(template: str) -> None:
    html = rendered(template, PAGES[template]())
    weights = {name: len(gzip.compress((ROOT / name).read_bytes())) for name in asked_for(html)}
    assert weights, html
    total = sum(weights.values()) + len(gzip.compress(html.encode()))
    assert total <= MOST, f"{total:,} bytes: {weights}"
