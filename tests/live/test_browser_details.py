"""A details page in the browser: of a change the parts that differ come, and all else stays as people left it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.live.conftest import PageServer, one_server, open_live

pytestmark = pytest.mark.browser

WHOLE = "document.addEventListener('deltaboard:frame', ({ detail }) => (window.whole ??= []).push(detail.whole))"
"""Notes of each frame whether it replaced everything."""


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    """One for all these tests: each changes objects of its own."""
    yield from one_server()


def put(server: PageServer, name: str, version: int, *, ready: str = "True", labels: Any = None) -> None:
    """A pod with notes, and conditions of which one is `ready`."""
    conditions = [{"type": "Ready", "status": ready}, {"type": "PodScheduled", "status": "True"}]
    metadata = {"name": name, "annotations": {"note": "kept open"}, "labels": labels or {}}
    obj = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-9"}, "status": {"conditions": conditions}}
    server.do("put", rows=[{"name": name, "version": version, "obj": obj}])


def opened(page: Page, server: PageServer, name: str, ends: str = "") -> None:
    put(server, name, 1)
    open_live(page, f"{server.url}/resources/pods/default/{name}/{ends}")
    page.evaluate(WHOLE)


def test_what_is_open_focused_or_selected_stays_through_a_change(page: Page, server: PageServer) -> None:
    opened(page, server, "pod-003")
    article, yaml = page.locator("article.detail"), page.locator("pre.set-by")
    page.locator("dd details summary").click()
    yaml.focus()
    page.evaluate("""() => {
      window.pre = document.querySelector("pre.set-by");
      const piece = [...window.pre.querySelectorAll("span span")].find((each) => each.textContent.includes("node-9"));
      getSelection().selectAllChildren(piece);
    }""")
    put(server, "pod-003", 2, ready="False")
    expect(article).to_have_attribute("data-version", "2")
    expect(page.locator(".change code").first).to_have_text("status.conditions[Ready].status")
    expect(yaml).to_contain_text('status: "False"')
    assert page.evaluate("document.activeElement === window.pre && window.pre.isConnected")
    assert "node-9" in page.evaluate("getSelection().toString()")
    expect(page.locator("dd details")).to_have_attribute("open", "")
    assert page.evaluate("window.whole") == [False]


def test_changes_come_to_the_top_one_by_one(page: Page, server: PageServer) -> None:
    opened(page, server, "pod-004")
    for version in range(2, 5):
        put(server, "pod-004", version, labels={"number": str(version)})
        expect(page.locator("article.detail")).to_have_attribute("data-version", str(version))
    expect(page.locator("ins")).to_have_text(["4", "3", "2"])
    assert not any(page.evaluate("window.whole"))


def test_the_page_of_the_yaml_alone_follows_too(page: Page, server: PageServer) -> None:
    opened(page, server, "pod-005", "yaml/")
    put(server, "pod-005", 2, ready="False")
    expect(page.locator("pre.set-by")).to_contain_text('status: "False"')
    edit = page.locator("main").get_by_role("link", name="Edit")
    expect(edit).to_be_visible()
    server.do("drop", names=["pod-005"])
    expect(page.locator(".note.bad")).to_contain_text("This Pod was deleted")
    expect(edit).to_have_count(0)
    put(server, "pod-005", 3, ready="Unknown")
    expect(page.locator("pre.set-by")).to_contain_text("status: Unknown")
    expect(page.locator(".note.bad")).to_have_count(0)
    expect(edit).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-live", "live")
