"""Tests of addresses that do not exist, malformed queries, and kubectl's short names in addresses."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import pod, pods

pytestmark = pytest.mark.browser


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/resources/pdos/", "pods"),
        ("/resources/pods/default/no-such-pod/", "no-such-pod"),
        ("/resources/pods/?namespace=nowhere", "default"),
        ("/resources/nothing.example.com/", "Mydemos"),
    ],
)
def test_what_does_not_exist_is_a_404_that_says_what_does(
    page: Page, dashboard: Dashboard, path: str, says: str
) -> None:
    answer = page.goto(f"{dashboard.url}{path}")
    assert answer is not None
    assert answer.status == 404
    expect(page.locator("main")).to_contain_text(says)


@pytest.mark.parametrize("query", ["q=restarts%3E", "sort=nonsense", "page=minus", "page=99999"])
def test_a_malformed_filter_sort_or_page_shows_the_list_and_a_message(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str, query: str
) -> None:
    cluster.create(pods(namespace), pod("present"))
    answer = page.goto(f"{dashboard.url}/resources/pods/?{query}")
    assert answer is not None
    assert answer.status == 200
    expect(page.locator("#list [role=alert], #list .problem").first).to_be_visible()


def test_a_short_or_singular_name_leads_to_the_resource(page: Page, dashboard: Dashboard) -> None:
    page.goto(f"{dashboard.url}/resources/po/?q=web")
    expect(page).to_have_url(f"{dashboard.url}/resources/pods/?q=web")
