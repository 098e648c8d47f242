"""Attack: names and texts with characters that nobody sees, or that turn the text around them."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.live.replication.messages import SnapshotChunk
from dashboard.objects.kinds.row import PrinterColumn, TableDefinition
from dashboard.pages.lists.completion.paths import complete_path
from dashboard.runtime.invisible_characters import INVISIBLE, escape_character, has_invisible
from informerd.cache.health import Health
from tests.dashboard.pages.lists.test_views_on_demand import GADGETS_KEY, knowing_site
from tests.e2e.conftest import Dashboard, cluster, dashboard
from tests.support.browser.editor_typist import FIELD, opened
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import pod
from tests.support.program import ROOT

__all__ = ["cluster", "dashboard"]

HIDDEN = ["\u202e", "\u2066", "\u200b", "\u061c", "\xad", "\u3164", "\U000e0041"]


def text_of(html: str) -> str:
    """What a person can read: texts and tooltips."""
    return re.sub(r'\s(?!title|aria-label)[a-z-]+="[^"]*"', "", html)


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("path", ["/resources/pods/", "/resources/pods/shop/{name}/", "/search/?q=admin", "/feed/"])
async def test_no_page_of_an_object_has_any_in_what_is_read(path: str, hidden: str) -> None:
    name = f"admin{hidden}x"
    annotations: Any = {f"a{hidden}": f"b{hidden}"}
    event = made("Event", "e", involvedObject={"kind": "Pod", "namespace": "shop", "name": name}, type="Warning",
                 reason=f"Bad{hidden}", message=f"m{hidden}", count=2)  # fmt: skip
    site = Site(pod(name, annotations=annotations, labels=annotations), ("events", event))
    site.feeder("pods").put(row_of(*pod(name, annotations=annotations)), words=f"Status {hidden} → x{hidden}")
    html = (await site.client.get(path.format(name=name))).content.decode()
    assert f"admin{escape_character(hidden)}x" in html
    assert not has_invisible(text_of(html))


async def test_a_copied_name_runs_nothing_where_it_is_pasted_into_a_terminal() -> None:
    site = Site(pod("web\nid\x1b[201~"))
    html = (await site.client.get("/resources/pods/shop/web%0Aid%1B[201~/")).content.decode()
    assert r'data-copy="web\nid\x1b[201~"' in html
    (uid,) = site.feeder("pods").replica.rows
    answer = await site.client.post("/resources/pods/selected/", {"uid": uid, "words": "1"})
    assert answer.json()["names"] == r"shop/web\nid\x1b[201~"
    assert answer.json()["command"] == r"kubectl get pods $'web\nid\033[201~' -n shop"


async def test_a_column_of_a_custom_resource_has_none_in_its_header() -> None:
    site = knowing_site()
    table = TableDefinition(True, (PrinterColumn("Si\u202eze", "integer", ".spec.size"),))
    assert (await site.client.get(f"/resources/{GADGETS_KEY}/")).status_code == 200
    row = msgspec.structs.replace(row_of(*pod("one")), cells=("shop", "one", 4, "Running", None))
    health = Health(state="live", since=1.0, heard=2.0)
    chunk = SnapshotChunk(GADGETS_KEY, "5", 0, "5.1", 0, 1, health, rows=(row,), table=table)
    site.feeds.get(GADGETS_KEY).receive_chunk(chunk)
    html = (await site.client.get(f"/resources/{GADGETS_KEY}/")).content.decode()
    assert r"Si\u202eze" in html
    assert not has_invisible(text_of(html))


def test_a_field_that_nobody_could_see_in_the_filter_is_not_suggested() -> None:
    steps = complete_path(".spec.", None, [{"spec": {f"a{hidden}b": 1 for hidden in HIDDEN} | {"c": 2}}])
    assert [step.path for step in steps] == [".spec.c"]


# --- in the browser ---


@pytest.mark.browser
def test_scripts_escape_the_same_characters_in_the_same_way(chromium: Browser) -> None:
    source = (ROOT / "static/js/page/invisible_characters.js").read_text()
    page = chromium.new_page()
    page.evaluate(
        "async (source) => { window.text = await import(`data:text/javascript,${encodeURIComponent(source)}`); }",
        source,
    )
    escaped = page.evaluate(
        """() => Array.from({ length: 0x110000 }, (_, code) => code)
        .filter((code) => text.visible(String.fromCodePoint(code)) !== String.fromCodePoint(code))"""
    )
    pattern = re.compile(f"[{INVISIBLE}]")
    ours = {code for code in range(sys.maxunicode + 1) if pattern.match(chr(code))}
    assert {hex(code) for code in ours ^ set(escaped) if unicodedata.category(chr(code)) != "Cn"} == set()
    for character in (*HIDDEN, "\x00", "\x9b"):
        assert page.evaluate("(given) => text.visible(`a${given}b`)", character) == f"a{escape_character(character)}b"
    page.close()


@pytest.mark.long
@pytest.mark.browser
def test_the_editor_shows_them_and_leaves_the_text_as_it_was_typed(
    page: Page, dashboard: Dashboard, cluster: ControlPlane
) -> None:
    namespace = cluster.create_namespace("invisible-characters")
    typist = opened(page, dashboard, cluster, namespace, mydemo("one"))
    typist.behind("name: one")
    typist.type("\u200b")
    shown = page.locator(".cm-specialChar")
    expect(shown).to_have_text(r"\u200b")
    expect(shown).to_have_attribute("title", "Invisible character U+200B")
    expect(page.locator(FIELD)).to_have_value(re.compile("name: one\u200b\n"))
