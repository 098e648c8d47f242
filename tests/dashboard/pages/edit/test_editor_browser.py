"""Tests of the YAML editor in Chromium, on the real API server: schema help, marks, keys, and its form field."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.e2e.conftest import Dashboard
from tests.support.browser.editor_typist import CONTENT, FIELD, SLOW, Typist, opened
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.wait import until
from tools.axe import violations

pytestmark = pytest.mark.browser

OPTION = ".cm-tooltip-autocomplete li"
HELP = ".cm-tooltip .help"
HOSTILE = """<img src=x onerror="window.ran=1"></textarea><script>window.ran=1</script>"""


@pytest.fixture
def typist(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> Typist:
    """A typist in the editor of Mydemo ``one``, whose port is 8080."""
    return opened(page, dashboard, cluster, namespace)


@pytest.mark.long
def test_a_field_that_is_not_set_is_offered_with_its_type_and_help(page: Page, typist: Typist) -> None:
    typist.take_out("\n  port: 8080")
    typist.press("Enter")
    typist.type("p")
    expect(page.locator(OPTION)).to_have_text(["portwhole number · required"], timeout=SLOW)
    typist.press("ArrowDown")
    expect(page.locator(HELP)).to_contain_text("TCP port at that address.", timeout=SLOW)
    expect(page.locator(HELP)).to_contain_text("1 to 65535", timeout=SLOW)
    typist.press("Enter")
    typist.type("9090")
    expect(page.locator(FIELD)).to_have_value(re.compile(r"\n  port: 9090\n$"))
    expect(page.locator("[name='field.spec.port']")).to_have_value("9090")
    expect(page.locator("#edit-review")).to_have_text("Review 1 change", timeout=SLOW)


def test_what_is_set_already_is_not_offered_again(page: Page, typist: Typist) -> None:
    typist.behind("kind: Mydemo")
    typist.press("Enter", "Control+Space")
    expect(page.locator(OPTION)).to_have_text([re.compile("^status")], timeout=SLOW)


def test_enter_ends_the_line_unless_something_was_chosen_and_tab_takes_the_first(page: Page, typist: Typist) -> None:
    typist.behind("kind: Mydemo")
    typist.press("Enter")
    typist.type("st")
    expect(page.locator(OPTION)).to_have_text([re.compile("^status")], timeout=SLOW)
    typist.press("Enter")
    assert "kind: Mydemo\nst\n" in typist.text()
    typist.press("Backspace", "Control+Space")
    expect(page.locator(OPTION)).to_be_visible(timeout=SLOW)
    typist.press("Tab")
    assert "kind: Mydemo\nstatus:\n  \n" in typist.text(), "a map goes on below"


def test_labels_that_are_in_use_are_offered_with_their_values(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    other = mydemo("other")
    other["metadata"]["labels"] = {f"team.{namespace}": "blue"}
    cluster.create(mydemos(namespace), other)
    one = mydemo("one")
    one["metadata"]["labels"] = {"a": "b"}
    typist = opened(page, dashboard, cluster, namespace, one)
    typist.behind("a: b")
    typist.press("Enter")
    typist.type("team")
    ours = page.locator(OPTION, has_text=f"team.{namespace}")
    expect(ours).to_be_visible()
    ours.click()
    expect(page.locator(OPTION).first).to_contain_text("blue", timeout=SLOW)
    typist.press("ArrowDown", "Enter")
    expect(page.locator(FIELD)).to_have_value(re.compile(rf"team.{namespace}: blue\n"))


def test_pointing_at_a_field_says_what_it_is(page: Page, typist: Typist) -> None:
    typist.asks_help("port: 8080", "TCP port at that address.")
    expect(page.locator(HELP)).to_contain_text("last set by tests", timeout=SLOW)
    typist.asks_help("kind: Mydemo", "Kind is a string value")


@pytest.mark.long
def test_a_mistake_is_marked_at_its_line_told_below_and_forgiven_when_it_is_mended(page: Page, typist: Typist) -> None:
    typist.select("8080")
    typist.type('"8080')
    typist.press("Delete")  # the quotation mark that the editor put behind the cursor
    expect(page.locator("#edit-state")).to_have_text("1 problem", timeout=SLOW)
    expect(page.locator("#edit-problems")).to_contain_text("never closed", timeout=SLOW)
    assert typist.marked_lines() == ['  port: "8080']
    page.locator("#edit-problems [data-line]").click()
    expect(typist.content).to_be_focused()
    assert typist.selected() == '"8080'
    typist.type("8080")
    expect(page.locator("#edit-state")).to_have_text("valid", timeout=SLOW)
    assert typist.marked_lines() == []
    expect(page.locator("#edit-problems")).to_be_empty()


@pytest.mark.long
def test_an_answer_that_comes_too_late_is_dropped(page: Page, typist: Typist) -> None:
    held: list[Route] = []
    page.route("**/edit/check/", lambda route: held.append(route))
    typist.select("8080")
    with page.expect_request("**/edit/check/"):
        typist.type('"')
    page.unroute("**/edit/check/")
    page.locator(FIELD).fill(typist.text().replace('"8080"', "8081"))
    expect(page.locator("#edit-state")).to_have_text("valid", timeout=SLOW)
    page.evaluate("window.told = []; new MutationObserver(() => window.told.push(1))"
                  ".observe(document.querySelector('#edit-problems'), { childList: true })")  # fmt: skip
    for route in held:
        route.abort()
    with page.expect_response("**/edit/check/"):
        page.fill("[name='field.spec.port']", "8082")
    expect(page.locator(FIELD)).to_have_value(re.compile("port: 8082"))
    assert page.evaluate("window.told") == []


def test_what_the_api_server_refused_is_marked_when_the_text_comes_back(page: Page, typist: Typist) -> None:
    typist.select("8080")
    typist.type("70000")
    typist.press("Control+s")
    expect(page.locator("#edit-refusal")).to_contain_text("65535", timeout=SLOW)
    expect(typist.content).to_be_visible(timeout=SLOW)
    until(lambda: typist.marked_lines() == ["  port: 70000"])


def test_tab_indents_escape_and_tab_leave_and_letters_are_no_shortcuts(page: Page, typist: Typist) -> None:
    typist.behind("port: 8080")
    typist.press("Enter")
    typist.type("?gk/")
    expect(page.locator("#keys").first).not_to_be_visible()
    assert typist.before_cursor() == "  ?gk/"
    typist.press("Home", "Tab")
    assert typist.text().endswith("\n    ?gk/\n")
    expect(typist.content).to_be_focused()
    typist.press("Escape", "Tab")
    expect(typist.content).not_to_be_focused()
    assert page.evaluate("document.activeElement.id !== 'yaml'"), "the field behind the editor is no stop"


def test_control_enter_reviews_from_the_editor(page: Page, typist: Typist) -> None:
    typist.select("8080")
    typist.type("9090")
    typist.press("Control+Enter")
    expect(page.locator("button[name=save]")).to_be_visible(timeout=SLOW)
    expect(page.locator("main")).to_contain_text("9090")


def test_typing_over_a_selection_is_one_change_keeps_the_policy_and_brackets_go_around_it(
    page: Page, typist: Typist
) -> None:
    before = typist.text()
    for selected, typed, found in (
        ("10.0.0.1\n  port: 80", "1", "ip: 180\n"),
        ("1\n  p", "ab", "ip: 10.0.0.abort: 8080\n"),
        ("spec:\n", "x", "\nx  ip: 10.0.0.1\n"),
        (before, "y", "y"),
        ("8080", '"', 'port: "8080"\n'),
    ):
        typist.select(selected)
        typist.type(typed)  # what the policy forbids fails the test, see tests/support/browser/chromium.py
        assert found in typist.text()
        typist.press("Control+z")
        assert typist.text() == before


def test_undo_reaches_back_over_what_the_form_wrote(page: Page, typist: Typist) -> None:
    before = typist.text()
    page.fill("[name='field.spec.port']", "9191")
    until(lambda: "port: 9191" in typist.text())
    typist.content.focus()
    typist.press("Control+z")
    assert typist.text() == before
    expect(page.locator("[name='field.spec.port']")).to_have_value("8080")


def test_whatever_fills_in_the_field_reaches_the_editor(page: Page, typist: Typist) -> None:
    typist.select("port")
    page.locator(FIELD).fill(typist.text().replace("10.0.0.1", "10.0.0.100"))
    assert "ip: 10.0.0.100\n" in typist.text()
    assert typist.selected() == "port"


@pytest.mark.long
def test_markup_in_any_field_is_text(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> None:
    one = mydemo("one")
    one["metadata"]["annotations"] = {"note": HOSTILE}
    typist = opened(page, dashboard, cluster, namespace, one)
    assert HOSTILE in typist.text()
    page.locator(FIELD).fill(typist.text().replace("8080", f"'{HOSTILE}"))
    expect(page.locator("#edit-problems")).to_contain_text("never closed", timeout=SLOW)
    typist.asks_help("port: ", "TCP port at that address.")
    page.locator(FIELD).fill(typist.text().replace(f"'{HOSTILE}", "8081"))
    typist.review()
    expect(page.locator(".compare-host .cm-merge-b")).to_contain_text("8081")
    page.get_by_role("button", name="All lines").click()
    expect(page.locator(".compare-host .cm-merge-b")).to_contain_text("onerror")
    assert page.evaluate("window.ran") is None


@pytest.mark.long
def test_the_policy_holds_and_axe_finds_nothing_wrong_in_either_theme(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    page.add_init_script(
        "window.broken = [];"
        "addEventListener('securitypolicyviolation', (event) => window.broken.push(event.violatedDirective));"
    )
    typist = opened(page, dashboard, cluster, namespace)
    typist.select("8080")
    typist.type("x: y: z")
    expect(page.locator("#edit-state")).to_have_text("1 problem", timeout=SLOW)
    typist.press("Control+Shift+M")
    expect(page.locator(".cm-panel-lint")).to_be_visible()
    found = in_both_themes(page)
    typist.press("Escape", "Control+f")
    expect(page.locator(".cm-search")).to_be_visible()
    found += in_both_themes(page)
    typist.press("Escape")
    typist.behind("kind: Mydemo")
    typist.press("Enter", "Control+Space")
    expect(page.locator(OPTION)).to_be_visible(timeout=SLOW)
    typist.press("ArrowDown")
    expect(page.locator(HELP)).to_be_visible(timeout=SLOW)
    found += in_both_themes(page)
    assert not found, "\n".join(found)
    assert page.evaluate("window.broken") == []


def in_both_themes(page: Page) -> list[str]:
    found: list[str] = []
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(19, 22, 28)")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect(page.locator(".yaml-host .cm-editor")).to_have_css("background-color", ground)
        found += violations(page, of_colour_only=scheme == "dark")
    return found


def test_without_scripts_the_text_box_is_the_editor(
    new_context: Callable[..., BrowserContext], dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
    text = page.locator(FIELD)
    expect(text).to_be_visible()
    expect(page.locator(CONTENT)).to_have_count(0)
    text.fill(text.input_value().replace("8080", "9090"))
    page.locator("button[name=review]").click()
    expect(page.locator(".diff")).to_be_visible()
    expect(page.locator(".diff-add")).to_contain_text("port: 9090")
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.")
    assert cluster.get(mydemos(namespace, "one"))["spec"]["port"] == 9090
