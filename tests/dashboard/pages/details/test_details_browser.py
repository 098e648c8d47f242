"""Tests of a details page in the browser: a change updates the parts that differ, and the rest stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

WHOLE = "document.addEventListener('deltaboard:frame', ({ detail }) => (window.whole ??= []).push(detail.whole))"
"""Notes of each frame whether it replaced everything."""


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    """One for all these tests: each changes objects of its own."""
    yield from one_server(page_server_pool)


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


def test_a_value_that_turns_the_direction_of_text_turns_nothing_beside_itself(page: Page, server: PageServer) -> None:
    opened(page, server, "pod-004")
    turned = page.evaluate("""() => ["a", "b", "bdi", "code", "del", "ins", "q"].filter((tag) => {
      const value = document.createElement(tag), line = document.createElement("p");
      value.textContent = "rm \\u202ecod.exe";
      line.append("before ", value, " behind");
      document.querySelector("main").append(line);
      const left = (place) => {
        const range = document.createRange();
        range.setStart(line.lastChild, place);
        range.setEnd(line.lastChild, place + 1);
        return range.getBoundingClientRect().left;
      };
      return left(1) > left(5) || left(1) < value.getBoundingClientRect().right;
    })""")
    assert turned == []


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


def test_who_set_a_very_wide_line_stays_in_sight_however_far_the_text_is_scrolled(
    page: Page, server: PageServer
) -> None:
    fields = {"f:metadata": {"f:annotations": {"f:applied": {}}}, "f:spec": {"f:nodeName": {}}}
    managed = [{"manager": "kubectl", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields}]
    metadata = {"name": "pod-006", "annotations": {"applied": "wide " * 400}, "managedFields": managed}
    obj = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-9"}}
    server.do("put", rows=[{"name": "pod-006", "version": 1, "obj": obj}])
    open_live(page, f"{server.url}/resources/pods/default/pod-006/yaml/")
    runs, yaml = page.locator(".run[data-by]"), page.locator("pre.set-by")
    expect(runs).to_have_count(2)
    for number in range(2):
        box, around = runs.nth(number).bounding_box(), yaml.bounding_box()
        assert box is not None
        assert around is not None
        label = {"x": around["x"] + around["width"] - 48, "y": box["y"] + 2, "width": 30, "height": 14}
        yaml.evaluate("pre => pre.scrollLeft = 0")
        before = page.screenshot(clip=label)  # type: ignore[arg-type]
        yaml.evaluate("pre => pre.scrollLeft = 3000")
        assert page.screenshot(clip=label) == before  # type: ignore[arg-type]


def test_a_sentence_has_an_age_with_scripts_and_a_moment_without(
    page: Page, new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    opened(page, server, "pod-009")
    expect(page.locator(".say")).to_have_text(re.compile(r"^Running on node-9 for \d+[a-z\d]*\.$"))
    plain = new_context(java_script_enabled=False).new_page()
    plain.goto(page.url)
    expect(plain.locator(".say")).to_have_text(re.compile(r"^Running on node-9 since \d{4}-\d\d-\d\d [\d:]{8} UTC\.$"))
