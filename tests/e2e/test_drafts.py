"""Tests of drafts, which survive reloads, browsers and the server: Chromium on the embedded form."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, Page, Response, Route, expect

from dashboard.pages.drafts.draft import MAX_BYTES
from dashboard.runtime.project_files import STATIC
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.wait import until

pytestmark = pytest.mark.browser

YAML = "textarea[name=yaml]"
OFFER = ".note.offer"
PUT_BEHIND = """([selector, length]) => {
    const text = document.querySelector(selector);
    text.value = `${text.defaultValue}# ${"x".repeat(length)}`;
    text.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
"""Types a comment of a length behind what the page began with."""
PATIENCE = 60_000
"""Milliseconds that Chromium may take on a busy machine."""


def address(namespace: str) -> str:
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/"


@pytest.fixture(scope="module")
def migrated(dashboard: Dashboard) -> Dashboard:
    """The run's dashboard with tables in its database, from when it looks again on."""
    dashboard.migrate()
    return dashboard


def type_port(page: Page, port: int) -> None:
    """Type into the form, and wait until the text has it and the server has kept it."""
    with page.expect_response(lambda answer: keeps(answer, str(port)), timeout=PATIENCE):
        page.fill("[name='field.spec.port']", str(port))
    expect(page.locator(YAML)).to_have_value(re.compile(f"port: {port}"))


def keeps(answer: Response, words: str) -> bool:
    """Whether it says that a draft with these words is kept."""
    return answer.url.endswith("/drafts/keep/") and words in (answer.request.post_data or "")


def opened(context: BrowserContext) -> Page:
    """A page of the context that waits as long as a busy machine needs."""
    context.set_default_timeout(PATIENCE)
    return context.new_page()


@pytest.mark.long
def test_a_draft_outlives_the_browser_and_the_server(
    new_context: Callable[..., BrowserContext],
    new_dashboard: Callable[..., Dashboard],
    cluster: ControlPlane,
    namespace: str,
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    dashboard = new_dashboard(cluster.kubeconfig)
    dashboard.migrate()
    context = new_context()
    page = opened(context)
    page.goto(dashboard.url + address(namespace))
    type_port(page, 9090)
    page.locator(YAML).press("Control+End")
    with page.expect_response(lambda answer: keeps(answer, "# why")):
        page.keyboard.insert_text("# why")
    cookies = context.cookies()
    context.close()

    dashboard.kill()
    dashboard.open()
    again = new_context()
    again.add_cookies(cookies)  # type: ignore[arg-type] # what Playwright gives back is what it takes
    page = opened(again)
    page.goto(dashboard.url + address(namespace))
    expect(page.locator(OFFER)).to_contain_text("You have an unsaved draft here")
    expect(page.locator("[data-drafts]")).to_have_text("1")
    page.locator(OFFER).get_by_role("link", name="Continue").click()
    expect(page.locator(YAML)).to_have_value(re.compile(r"port: 9090\n(.*\n)*# why", re.MULTILINE))
    page.locator("button[name=review]").click()
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.")
    assert cluster.get(mydemos(namespace, "one"))["spec"]["port"] == 9090
    page.goto(f"{dashboard.url}/drafts/")
    expect(page.locator("main")).to_contain_text("No drafts")


@pytest.mark.long
def test_what_is_typed_right_before_the_page_is_left_is_kept(
    page: Page, migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page.on("dialog", lambda dialog: dialog.accept())  # "leave this page?"
    page.goto(migrated.url + address(namespace))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.fill(YAML, "left: at once\n")
    page.goto(f"{migrated.url}/drafts/")

    def kept() -> bool:
        page.reload()
        return page.locator(".draft-list li").count() == 1

    until(kept)
    page.get_by_role("link", name="Continue").click()
    expect(page.locator(YAML)).to_have_value("left: at once\n")
    page.locator("button[name=discard]").click()
    until(
        lambda: (
            not any(
                cookie["name"] == "deltaboard_drafts" and cookie["value"] != "0" for cookie in page.context.cookies()
            )
        )
    )


@pytest.mark.long
def test_two_tabs_on_one_draft_are_told_and_lose_nothing(
    new_context: Callable[..., BrowserContext], migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    context = new_context()
    first = opened(context)
    first.goto(migrated.url + address(namespace))
    type_port(first, 9090)
    second = opened(context)
    second.goto(migrated.url + address(namespace))
    second.locator(OFFER).get_by_role("link", name="Continue").click()
    expect(second.locator(YAML)).to_have_value(re.compile("port: 9090"))
    type_port(second, 9191)
    type_port(first, 9292)
    expect(first.locator("#draft-note")).to_contain_text("a separate draft")
    second.goto(f"{migrated.url}/drafts/")
    expect(second.locator(".draft-list li")).to_have_count(2)
    first.goto(f"{migrated.url}/drafts/")
    texts = []
    for link in [each.get_attribute("href") for each in first.get_by_role("link", name=re.compile("^See ")).all()]:
        first.goto(f"{migrated.url}{link}")
        texts.append(re.findall(r"port: \d+", first.locator("#draft-text").input_value()))
    assert sorted(texts) == [["port: 9191"], ["port: 9292"]]


def test_without_scripts_every_button_keeps_the_draft(
    new_context: Callable[..., BrowserContext], migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page = opened(new_context(java_script_enabled=False))
    page.goto(migrated.url + address(namespace))
    page.fill(YAML, "kind: [")
    page.locator("button[name=review]").click()
    page.goto(migrated.url + address(namespace))
    page.get_by_role("link", name="Continue").click()
    expect(page.locator(YAML)).to_have_value("kind: [")
    page.go_back()
    page.get_by_role("button", name="Throw away").click()
    expect(page.locator("main")).to_contain_text("is thrown away")
    expect(page.locator(OFFER)).to_have_count(0)


@pytest.mark.long
def test_what_is_typed_while_nobody_is_signed_in_or_the_server_is_away_is_kept_when_that_is_over(
    page: Page, migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(migrated.url + address(namespace))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    note = page.locator("#draft-note")
    troubles: list[tuple[Callable[[Route], None], str]] = [
        (lambda route: route.fulfill(status=302, headers={"location": "/sign-in"}), "no longer signed in"),
        (lambda route: route.fulfill(status=200, content_type="text/html", body="<form>"), "no longer signed in"),
        (lambda route: route.fulfill(status=403, body="Nobody is signed in"), "no longer signed in"),
        (lambda route: route.abort(), "the server does not answer"),
    ]
    for number, (trouble, words) in enumerate(troubles):
        page.route("**/drafts/keep/", trouble)
        text = f"typed: in trouble {number}\n"
        page.fill(YAML, text)
        expect(note).to_contain_text(words)
        expect(page.locator(YAML)).to_have_value(text)
        with page.expect_response(partial(keeps, words=f"in trouble {number}"), timeout=PATIENCE):
            page.unroute("**/drafts/keep/")
        expect(note).to_have_text("")


@pytest.mark.long
def test_a_text_longer_than_the_server_reads_is_not_sent_and_stays(
    page: Page, migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(migrated.url + address(namespace))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.stays = true")
    page.evaluate(PUT_BEHIND, [YAML, settings.DATA_UPLOAD_MAX_MEMORY_SIZE])
    expect(page.locator("#draft-note")).to_contain_text("at most 16 MiB", timeout=PATIENCE)
    expect(page.locator("#draft-note")).to_contain_text("it is on this page only")
    page.locator("button[name=review]").first.click()
    expect(page.locator("#edit-problems")).to_contain_text("Nothing was sent, and what you typed is still here")
    assert (
        page.evaluate("[window.stays, document.querySelector('textarea[name=yaml]').value.length > 2 ** 24]")
        == [True] * 2
    )
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("button[name=discard]").first.click()
    expect(page).to_have_url(re.compile("/one/$"))


@pytest.mark.long
def test_a_text_longer_than_a_draft_is_sent_once_until_it_changes(
    page: Page, migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/drafts/keep/") else None)
    page.clock.install()
    page.goto(migrated.url + address(namespace))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate(PUT_BEHIND, [YAML, MAX_BYTES])
    page.clock.run_for(2_000)
    expect(page.locator("#draft-note")).to_contain_text("larger than 3 MiB", timeout=PATIENCE)
    page.clock.run_for(20_000)
    assert len(sent) == 1
    page.evaluate(PUT_BEHIND, [YAML, 1])
    page.clock.run_for(2_000)
    expect(page.locator("#draft-note")).to_have_text("", timeout=PATIENCE)
    assert len(sent) == 2


def test_the_page_knows_how_much_the_server_reads() -> None:
    script = (STATIC / "js/edit/size_limit.js").read_text()
    assert "const MOST_BYTES = 16 * 1024 * 1024;" in script
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == 16 * 1024 * 1024
    assert f"const MOST_INPUTS = {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS};" in script


@pytest.mark.long
def test_a_save_on_its_way_does_not_count_for_a_state_that_is_taken_in_meanwhile(
    page: Page, migrated: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(migrated.url + address(namespace))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("""() => {
        const ask = window.fetch;
        window.carried = [];
        window.fetch = async (to, request) => {
            const answer = await ask(to, request);
            if (to !== "/drafts/keep/") return answer;
            if (!window.carried.length) document.getElementById("edit").dispatchEvent(new Event("deltaboard:based"));
            window.carried.push(request.body.has("base"));
            return answer;
        };
    }""")
    for port in (9090, 9191):
        type_port(page, port)
    until(lambda: page.evaluate("window.carried.length") >= 2)
    assert page.evaluate("window.carried.slice(0, 2)") == [True, True]
