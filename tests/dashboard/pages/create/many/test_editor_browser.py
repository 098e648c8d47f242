"""Tests of the editor of several objects in Chromium, on the real API server: marks, completion and help."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.pages.create.many.test_dependencies import SIZE, definition
from tests.dashboard.pages.create.many.test_views import mydemo
from tests.e2e.conftest import Dashboard
from tests.support.browser.editor_typist import CONTENT, FIELD, SLOW, Typist
from tests.support.wait import until

pytestmark = pytest.mark.browser

OPTION = ".cm-tooltip-autocomplete li"
HELP = ".cm-tooltip .help"
STATE = "#edit-state"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n"


@pytest.fixture
def typist(page: Page, dashboard: Dashboard) -> Typist:
    """In the empty editor."""
    page.add_init_script(
        "window.broken = [];"
        "addEventListener('securitypolicyviolation', (event) => window.broken.push(event.violatedDirective));"
    )
    typist = Typist(page)
    typist.open(f"{dashboard.url}/new/")
    return typist


def write(typist: Typist, *documents: str) -> None:
    typist.page.locator(FIELD).fill("---\n".join(documents))


@pytest.mark.long
def test_mistakes_of_each_document_are_marked_at_their_line_and_go_when_they_are_mended(
    page: Page, typist: Typist
) -> None:
    write(typist, CONFIG, mydemo("one", port=70000), CONFIG.replace("name: c", "nme: c"))
    expect(page.locator(STATE)).to_have_text("3 objects, 2 problems", timeout=SLOW)
    until(lambda: typist.marked_lines() == ["  port: 70000", "metadata:"])
    page.locator("#edit-problems [data-line]", has_text="line 13").click()
    expect(typist.content).to_be_focused()
    assert typist.selected() == "port: 70000"
    typist.type("port: 7000")
    expect(page.locator(STATE)).to_have_text("3 objects, 1 problem", timeout=SLOW)
    typist.select("nme")
    typist.type("name")
    typist.select("name: c")
    typist.type("name: first")
    expect(page.locator(STATE)).to_have_text("3 objects, valid", timeout=SLOW)
    expect(page.locator("#edit-problems")).to_be_empty()
    assert page.evaluate("window.broken") == []


def test_a_kind_is_offered_and_brings_its_version_and_then_its_own_fields(page: Page, typist: Typist) -> None:
    write(typist, mydemo("one"), "")
    typist.press("Control+End")
    typist.content.focus()
    typist.press("Control+End")
    typist.type("kind: Confi")
    expect(page.locator(OPTION).first).to_have_text("ConfigMapv1", timeout=SLOW)
    typist.press("Tab")
    until(lambda: typist.text().endswith("---\napiVersion: v1\nkind: ConfigMap"))
    typist.press("Enter")
    typist.type("da")
    expect(page.locator(OPTION).first).to_have_text(re.compile("^data"), timeout=SLOW)
    typist.press("Escape", "Backspace", "Backspace", "Control+Space")
    offered = page.locator(OPTION)
    expect(offered.filter(has_text="metadata")).to_be_visible(timeout=SLOW)
    expect(offered.filter(has_text="spec")).to_have_count(0)
    expect(offered.filter(has_text="kind")).to_have_count(0)


def test_items_of_a_list_are_completed_as_the_objects_that_they_are(page: Page, typist: Typist) -> None:
    config = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: c\n"
    write(typist, f"apiVersion: v1\nkind: List\nitems:\n{config}- ")
    typist.content.focus()
    typist.press("Control+End")
    typist.type("kind: Serv")
    expect(page.locator(OPTION).filter(has_text=re.compile("^Servicev1"))).to_be_visible(timeout=SLOW)
    typist.type("ice")
    typist.press("Tab")
    until(lambda: typist.text().endswith("- apiVersion: v1\n  kind: Service"))
    typist.press("Enter")
    typist.type("sp")
    expect(page.locator(OPTION).first).to_have_text(re.compile("^spec"), timeout=SLOW)
    typist.press("Escape")
    typist.behind("name: c")
    typist.press("Enter", "Backspace")
    typist.type("da")
    expect(page.locator(OPTION).first).to_have_text(re.compile("^data"), timeout=SLOW)


def test_a_list_within_an_item_of_a_list_is_completed_by_the_items_kind(page: Page, typist: Typist) -> None:
    pod = "  - kind: Pod\n    spec:\n      containers:\n      - name: a\n      - name: b\n    apiVersion: v1\n"
    config = "  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: c\n"
    write(typist, CONFIG, f"items:\n{config}{pod}{config}kind: List\napiVersion: v1\n")
    typist.content.focus()
    typist.behind("name: b")
    typist.press("Enter")
    typist.type("imageP")
    expect(page.locator(OPTION).first).to_have_text(re.compile("^imagePullPolicy"), timeout=SLOW)
    typist.press("Tab")
    typist.type("Al")
    expect(page.locator(OPTION).first).to_have_text(re.compile("^Always"), timeout=SLOW)


def test_help_is_that_of_the_document_pointed_at(page: Page, typist: Typist) -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  ports:\n    - port: 80\n"
    write(typist, mydemo("one", port=8080), service)
    expect(page.locator(STATE)).to_have_text("2 objects, valid", timeout=SLOW)
    typist.asks_help("port: 80\n", "exposed by this service")  # the lower one first: help stands below what it is about
    typist.asks_help("port: 8080", "TCP port at that address.")


def test_a_kind_that_the_text_defines_is_completed_by_its_own_schema(page: Page, typist: Typist) -> None:
    widget = "apiVersion: browser.example.com/v1\nkind: Widget\nmetadata:\n  name: a\nsize: 3\n"
    write(typist, definition("browser.example.com", SIZE), widget.replace("size: 3", "size: 10"))
    expect(page.locator(STATE)).to_have_text("2 objects, 1 problem", timeout=SLOW)
    typist.take_out("size: 10")
    typist.type("si")
    expect(page.locator(OPTION)).to_have_text(["sizewhole number · required"], timeout=SLOW)


def test_a_text_that_comes_back_is_checked_at_once(page: Page, typist: Typist) -> None:
    write(typist, mydemo("one"), mydemo("two", port=0))
    expect(page.locator(STATE)).to_have_text("2 objects, 1 problem", timeout=SLOW)
    page.locator("#edit-review").click()
    page.get_by_role("button", name="Back to the text").click()
    expect(page.locator(CONTENT)).to_be_visible(timeout=SLOW)
    expect(page.locator(STATE)).to_have_text("2 objects, 1 problem", timeout=SLOW)
    until(lambda: typist.marked_lines() == ["  port: 0"])


@pytest.mark.long
def test_five_hundred_documents_of_three_mebibytes_are_checked_and_typed_in(page: Page, typist: Typist) -> None:
    filler = "".join(f"  k{number}: {'x' * 60}\n" for number in range(86))
    configs = (CONFIG.replace("name: c", f"name: c{number}") + filler for number in range(499))
    page.locator(FIELD).evaluate(
        "(field, text) => { field.value = text; field.dispatchEvent(new InputEvent('input', { bubbles: true })); }",
        "---\n".join([*configs, mydemo("last")]),
    )
    expect(page.locator(STATE)).to_have_text("500 objects, valid", timeout=2 * SLOW)
    typist.select("port: 8080")
    typist.type("port: 0")
    expect(page.locator(STATE)).to_have_text("500 objects, 1 problem", timeout=2 * SLOW)
    until(lambda: typist.marked_lines() == ["  port: 0"])


def test_what_is_refused_fits_its_card_on_a_phone(page: Page, typist: Typist) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    write(typist, mydemo("one", "default").replace("10.0.0.1", "10.0.0.300  # " + "long " * 20))
    page.locator("#edit-review").click()
    expect(page.locator(".step .excerpt")).to_be_visible(timeout=SLOW)
    body = page.locator(".step .problems-body")
    assert body.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "the lines scroll by themselves"
