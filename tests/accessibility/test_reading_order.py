"""Tests of what a screen reader finds: the browser's accessibility tree, its order and its names."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

from tests.accessibility.test_keyboard import PAGES
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.long_tests import long_but
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

LANDMARKS = {"banner", "navigation", "main", "search", "complementary", "contentinfo"}
OPERATED = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "tab", "menuitem", "slider",
    "spinbutton", "listbox",
}  # fmt: skip
OUT_OF_ORDER = """() => {
  const words = (one) => one.outerHTML.slice(0, 120);
  const seen = [...document.querySelectorAll("body, body *")].filter((one) => one.checkVisibility());
  const style = (one) => getComputedStyle(one);
  return [
    ...seen.filter((one) => one.tabIndex > 0),
    ...seen.filter((one) => style(one).order !== "0"),
    ...seen.filter((one) => /reverse/.test(style(one).flexDirection) && one.children.length > 1),
    ...seen.filter((one) => /grid/.test(style(one).display) && /dense/.test(style(one).gridAutoFlow)),
  ].map(words);
}"""
"""Elements that are shown, or come by Tab, in another order than they are read."""


class Node(NamedTuple):
    role: str
    name: str
    level: int


def tree(page: Page) -> list[Node]:
    """The accessibility tree, in the order in which a screen reader reads it, without what it leaves out."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {each["nodeId"]: each for each in nodes}
    return list(_walk(nodes[0], by_id))


def _walk(node: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> Iterator[Node]:
    if not node.get("ignored"):
        level = next((each["value"]["value"] for each in node.get("properties", []) if each["name"] == "level"), 0)
        yield Node(node["role"]["value"], node.get("name", {}).get("value", "").strip(), level)
    for child in node.get("childIds", []):
        if child in by_id:
            yield from _walk(by_id[child], by_id)


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


@pytest.mark.parametrize("name", long_but(PAGES, "list with the drawer"))
def test_a_page_is_read_from_its_skip_link_to_its_end_with_a_name_for_all_that_can_be_operated(
    page: Page, server: PageServer, name: str
) -> None:
    if name == "controllers":
        server.do("run_controllers", keys=["a", "b"])
    open_live(page, server.url + PAGES[name])
    nodes = tree(page)
    assert page.title()
    assert next(node for node in nodes if node.role in OPERATED).name == "Skip to the content"
    landmarks = [node for node in nodes if node.role in LANDMARKS]
    roles = [node.role for node in landmarks]
    assert roles[0] == "banner"
    assert roles.count("main") == 1
    assert roles.index("navigation") < roles.index("main"), "the navigation comes first, and the skip link passes it"
    assert len(set(landmarks)) == len(landmarks), "two landmarks of one role are told apart by their names"
    assert [node for node in nodes if node.role in OPERATED and not node.name] == []
    headings = [node for node in nodes[nodes.index(landmarks[roles.index("main")]) :] if node.role == "heading"]
    assert headings[0].level == 1
    assert all(node.name for node in headings)
    skipped = [after for before, after in itertools.pairwise(headings) if after.level > before.level + 1]
    assert skipped == [], "a level of headings is left out"
    assert page.evaluate(OUT_OF_ORDER) == []
