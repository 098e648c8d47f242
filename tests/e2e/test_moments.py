"""Tests of pages of the past with a real API server, the recorder and a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import ask
from tests.support.wait import until
from tools.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.controlplane]

MYDEMOS = "/apis/crddemo.k8s.io/v1/namespaces/{}/mydemos"


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def mydemo(name: str, port: int) -> dict[str, object]:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name},
        "spec": {"ip": "10.0.0.1", "port": port},
    }


def is_recorded(url: str) -> bool:
    """Whether a moment that begins now can be shown within some seconds."""
    address = f"{url}/resources/mydemos.crddemo.k8s.io/export.json?at={quote(now())}"
    for _ in range(80):
        if ask(address).status == 200:
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def site(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that records."""
    program = Dashboard(cluster.kubeconfig, tmp_path_factory.mktemp("home"), DELTABOARD_HISTORY="on")
    try:
        program.open().wait_until_live()
        until(lambda: is_recorded(program.url), within=60, what="it records")
        yield program
    finally:
        program.__exit__()


@pytest.fixture
def moments(cluster: ControlPlane, site: Dashboard, namespace: str) -> list[str]:
    """The moments before, between and after three changes: created, port 80 → 8080, deleted."""
    path = MYDEMOS.format(namespace)
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/yaml/?at="
    found = [now()]
    cluster.create(path, mydemo("alpha", 80))
    until(lambda: _port(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/yaml/") == 80)
    found.append(now())
    cluster.patch(f"{path}/alpha", {"spec": {"port": 8080}})
    until(lambda: _port(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/yaml/") == 8080)
    found.append(now())
    cluster.delete(f"{path}/alpha")
    until(lambda: ask(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/").status == 404)
    time.sleep(0.1)
    found.append(now())
    until(lambda: _port(address + quote(found[2])) == 8080, what="what was recorded is written")
    return found


def _port(address: str) -> int:
    """The port of the Mydemo at an address of YAML; 0 where there is none."""
    found = re.search(r"port: (\d+)", ask(address, Accept="text/yaml").body)
    return int(found[1]) if found else 0


def is_read(address: str) -> bool:
    """Whether the moment of an address of YAML has been read."""
    return ask(address, Accept="text/yaml").status != 503


def test_each_moment_shows_the_object_as_it_was_then(site: Dashboard, namespace: str, moments: list[str]) -> None:
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/yaml/?at="
    answers = []
    for moment in moments:
        until(partial(is_read, address + quote(moment)))
        answers.append(ask(address + quote(moment), Accept="text/yaml"))
    assert [answer.status for answer in answers] == [404, 200, 200, 404]
    assert re.search(r"port: 80$", answers[1].body, re.MULTILINE)
    assert re.search(r"port: 8080$", answers[2].body, re.MULTILINE)


def test_the_past_is_walked_through_in_the_browser(
    page: Page, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}&at={moments[1]}")
    bar = page.get_by_role("region", name="Moment of the past")
    expect(bar).to_contain_text("This is the past")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name="New Mydemo")).to_have_count(0)
    page.locator("tbody tr a").first.click()
    expect(page).to_have_url(re.compile("at="))
    bar.get_by_role("link", name="Next change").click()
    expect(page.locator("body")).to_contain_text("8080")
    expect(page.locator("body")).to_have_attribute("data-live", "past")
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")  # the drawer covers the page there
    bar.get_by_role("link", name="Back to now").click()
    expect(bar).to_have_count(0)
    assert "at=" not in page.url
    assert problems == []


def test_what_is_no_moment_is_refused_with_a_way_out(site: Dashboard) -> None:
    for at, status, words in (
        ("yesterday", 400, "is not a time"), ("2999-01-01T00:00:00Z", 400, "has not come yet"),
    ):  # fmt: skip
        answer = ask(f"{site.url}/resources/pods/?at={at}", Accept="text/html")
        assert answer.status == status
        assert words in answer.body
        assert 'href="/resources/pods/"' in answer.body
    answer = ask(f"{site.url}/drafts/?at=2026-01-01T00:00:00Z", Accept="text/html")
    assert answer.status == 404
    assert "shows the present only" in answer.body


def test_what_was_deleted_is_brought_back_and_an_earlier_version_restored(
    page: Page, cluster: ControlPlane, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    path = f"{MYDEMOS.format(namespace)}/alpha"
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/"
    page.goto(f"{address}?at={moments[2]}")
    page.get_by_role("link", name="Restore this").click()
    expect(page.locator("form#edit")).to_contain_text("It gets a new uid")
    page.get_by_role("button", name="Review").click()
    page.get_by_role("button", name="Create").click()
    expect(page).to_have_url(re.compile(r"/alpha/$"))
    brought_back = cluster.get(path)
    assert brought_back["spec"]["port"] == 8080
    cluster.patch(path, {"metadata": {"labels": {"by": "somebody"}}})
    page.goto(f"{address}?at={moments[1]}")
    page.get_by_role("link", name="Restore this").click()
    expect(page.locator("main")).to_contain_text("Nothing is changed yet")
    page.get_by_role("button", name="Review").click()
    expect(page.locator("main")).to_contain_text("somebody")  # what others have changed since then is shown
    assert cluster.get(path)["spec"]["port"] == 8080
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(r"/alpha/$"))
    restored = cluster.get(path)
    assert restored["spec"]["port"] == 80
    assert restored["metadata"]["uid"] == brought_back["metadata"]["uid"]


def test_a_version_that_cannot_be_restored_says_why(site: Dashboard, namespace: str, moments: list[str]) -> None:
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/new/?from={namespace}/alpha&version="
    for version, words in (("yesterday", "is not a time"), (quote(moments[0]), "History has no Mydemo of this name")):
        answer = ask(address + version)
        assert words in answer.body
        assert "The version is not restored" in answer.body


def test_all_that_a_page_of_the_past_asks_for_is_of_its_moment(
    page: Page, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.resource_type in ("fetch", "xhr") else None)
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}&at={moments[1]}")
    expect(page.locator("body")).to_have_attribute("data-live", "past")
    expect(page).to_have_title(re.compile(r"^\(past\) Mydemos"))
    expect(page.locator("#favicon")).to_have_attribute("href", re.compile("8a5300"))
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("tbody input, #pause, .fresh-pop").filter(visible=True)).to_have_count(0)
    page.locator("#q").press_sequentially("name=alp")
    expect(page.locator("[role=option]").filter(visible=True).first).to_be_visible()
    expect(page).to_have_url(re.compile("q=name"))
    page.keyboard.press("Escape")
    page.locator("#namespaces summary").click()
    expect(page.locator("#namespace-q")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("alpha")
    expect(page.locator("#palette-hits [role=option]").first).to_contain_text("alpha")
    page.keyboard.press("Escape")
    paths = {re.sub(r"^https?://[^/]+", "", url).partition("?")[0] for url in asked if "/static/" not in url}
    assert {"/search/", "/namespaces/", "/resources/mydemos.crddemo.k8s.io/complete"} <= paths
    assert [url for url in asked if "/static/" not in url and "at=" not in url] == []
    page.get_by_role("link", name="Back to now").click()
    expect(page.locator("#q")).to_have_value("name=alp")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    assert "at=" not in page.url


def test_a_page_of_the_past_plays_until_there_is_no_change_and_stays_there(
    page: Page, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/?at={moments[1]}")
    page.get_by_role("button", name="Play").click()
    bar = page.locator(".past-bar")
    expect(bar).to_contain_text("No later change of what this page shows.", timeout=20_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page).not_to_have_url(re.compile("step="))
    assert page.url.partition("at=")[2] > moments[2]
    last = page.url
    page.reload()
    expect(bar).not_to_contain_text("No later change")
    page.get_by_role("button", name="Play").wait_for()
    page.get_by_role("link", name="Next change").press("Enter")
    expect(bar).to_contain_text("No later change of what this page shows.")
    expect(page.get_by_role("link", name="Next change")).to_be_focused()
    assert page.url == last
    assert violations(page) == []


def test_without_javascript_too_the_page_of_the_last_moment_says_that_there_is_no_change(
    new_context: Callable[..., BrowserContext], site: Dashboard, namespace: str, moments: list[str]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/?at={moments[3]}")
    page.get_by_role("link", name="Next change").click()
    expect(page.locator(".past-bar")).to_contain_text("No later change of what this page shows.")
    expect(page.get_by_role("link", name="Next change")).to_be_focused()
    page.get_by_role("link", name="Previous change").click()
    expect(page.locator(".past-bar")).not_to_contain_text("of what this page shows")


def test_times_of_the_past_stand_still(page: Page, site: Dashboard, namespace: str, moments: list[str]) -> None:
    page.clock.install()
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/alpha/?at={moments[2]}")
    age = page.locator("time[data-created], [data-age=object]").first
    expect(age).to_have_text(re.compile(r"^\d+s$"))
    before = age.inner_text()
    page.clock.run_for(10_000)
    assert age.inner_text() == before
