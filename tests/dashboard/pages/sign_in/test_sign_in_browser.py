"""Tests of signing in and out in Chromium, with oidc-provider-mock and with a provider that logs people out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.free_ports import free_ports
from tests.support.local_dashboard import LocalDashboard
from tests.support.program import Program, answers
from tests.support.sign_in.dashboard import issuer_options, oidc_dashboard
from tests.support.sign_in.provider import Provider

SIGNED_OUT = "You are signed out"


@pytest.fixture(scope="module")
def mock() -> Iterator[str]:
    """The address of an oidc-provider-mock."""
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    arguments = ("-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), "--user-claims")
    claims = '{"sub": "alice", "email": "alice@example.com", "groups": ["dev"]}'
    with Program(*arguments, claims) as program:
        program.wait_for(lambda: answers(f"{url}/.well-known/openid-configuration"))
        yield url


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.person["sid"] = "of the browser"
        yield made


@pytest.fixture(scope="module")
def process(mock: str, provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalDashboard]:
    first = issuer_options(mock, "mock", title="Mock", username_prefix="mock:", groups_prefix="mock:")
    second = issuer_options(provider.url, title="Partners", username_prefix="partner:", groups_prefix="partner:")
    folder: Path = tmp_path_factory.mktemp("oidc")
    with oidc_dashboard(folder, first, second) as program:
        assert program.address
        yield program


def choose(page: Page, url: str, title: str, path: str = "/feed/?q=web") -> None:
    """Open a page, and choose who signs in."""
    page.goto(f"{url}{path}")
    expect(page.get_by_role("heading", name="Sign in to Deltaboard")).to_be_visible()
    page.get_by_role("link", name=f"Sign in with {title}").click()


def sign_in_with_mock(page: Page, url: str) -> None:
    choose(page, url, "Mock")
    page.get_by_role("button", name="alice").first.click()
    page.wait_for_url(f"{url}/feed/?q=web")


def is_open(page: Page) -> None:
    """The page's socket is open: the heartbeat has brought the state of the cluster."""
    expect(page.locator("body")).not_to_have_attribute("data-live", "offline")


@pytest.mark.long
def test_somebody_signs_in_sees_their_name_and_signs_out(page: Page, process: LocalDashboard) -> None:
    sign_in_with_mock(page, process.url)
    expect(page.locator(".chip.who")).to_have_text("mock:alice@example.com")
    is_open(page)
    page.goto(f"{process.url}/sessions/")
    expect(page.locator("[data-session]")).to_contain_text("on Linux")
    other = page.context.new_page()
    other.goto(f"{process.url}/feed/")
    is_open(other)
    without_view = page.context.new_page()
    without_view.goto(f"{process.url}/sessions/")
    is_open(without_view)
    page.get_by_role("button", name="Sign out here").click()
    expect(page.get_by_text("You are signed out of this browser.")).to_be_visible()
    expect(other.locator("#banner")).to_contain_text(SIGNED_OUT)
    expect(other.locator("#list")).to_be_hidden()
    expect(without_view.locator("#banner")).to_contain_text(SIGNED_OUT)
    expect(without_view.locator("[data-session]").first).to_be_hidden()
    expect(other.locator("#banner").get_by_role("link", name="Sign in")).to_have_attribute(
        "href", "/sign-in/?next=%2Ffeed%2F"
    )
    assert [cookie["name"] for cookie in page.context.cookies() if "session" in cookie["name"]] == []
    other.reload()
    expect(other.get_by_role("heading", name="Sign in to Deltaboard")).to_be_visible()


def test_a_denial_says_so_and_leads_to_another_try(page: Page, process: LocalDashboard) -> None:
    """The mock's denial lacks the state, by which Deltaboard would know where somebody wanted to go."""
    choose(page, process.url, "Mock")
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert")).to_contain_text("Mock did not let you sign in")
    page.get_by_role("link", name="Sign in with Mock").click()
    page.get_by_role("button", name="alice").first.click()
    page.wait_for_url(f"{process.url}/")
    expect(page.locator(".chip.who")).to_have_text("mock:alice@example.com")


def test_each_issuer_signs_its_own_people_in(
    new_context: Callable[..., BrowserContext], process: LocalDashboard
) -> None:
    first, second = new_context().new_page(), new_context().new_page()
    sign_in_with_mock(first, process.url)
    choose(second, process.url, "Partners")
    second.wait_for_url(f"{process.url}/feed/?q=web")
    expect(first.locator(".chip.who")).to_have_text("mock:alice@example.com")
    expect(second.locator(".chip.who")).to_have_text("partner:alice@example.com")


def test_a_logout_at_the_provider_closes_the_socket_of_the_open_page(
    page: Page, process: LocalDashboard, provider: Provider
) -> None:
    choose(page, process.url, "Partners")
    page.wait_for_url(f"{process.url}/feed/?q=web")
    is_open(page)
    form = {"logout_token": provider.logout_token(sid="of the browser")}
    assert requests.post(f"{process.url}/accounts/logout/main/", data=form, timeout=30).status_code == 200
    expect(page.locator("#banner")).to_contain_text(SIGNED_OUT)
    expect(page.locator("body")).to_have_attribute("data-live", "offline")


def test_one_of_my_other_sessions_is_signed_out(
    new_context: Callable[..., BrowserContext], process: LocalDashboard
) -> None:
    here, there = new_context().new_page(), new_context(user_agent="Mozilla/5.0 (iPhone; OS X) Safari/604").new_page()
    for each in (here, there):
        sign_in_with_mock(each, process.url)
        is_open(each)
    here.goto(f"{process.url}/sessions/")
    here.locator("[data-session]", has_text="Safari on iPhone").get_by_role("button", name="Sign out").first.click()
    expect(here.locator("[data-session]", has_text="iPhone")).to_have_count(0)
    expect(there.locator("#banner")).to_contain_text(SIGNED_OUT)
    expect(here.locator(".chip.who")).to_have_text("mock:alice@example.com")


def test_without_scripts_the_way_is_the_same(
    new_context: Callable[..., BrowserContext], process: LocalDashboard
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    choose(page, process.url, "Partners", "/sessions/")
    page.get_by_role("button", name="Sign out everywhere", exact=True).click()
    expect(page.get_by_text("You are signed out of this browser.")).to_be_visible()


def test_a_cookie_that_somebody_tampered_with_leads_to_the_sign_in(page: Page, process: LocalDashboard) -> None:
    value = f"x:{time.time_ns()}"
    page.context.add_cookies([{"name": "deltaboard_session", "value": value, "url": process.url}])
    page.goto(f"{process.url}/feed/")
    expect(page.get_by_role("heading", name="Sign in to Deltaboard")).to_be_visible()
