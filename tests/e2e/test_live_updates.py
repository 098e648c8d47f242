"""Tests that objects created, changed and deleted through the API show in an open page, without a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos, pod, pods, running

pytestmark = pytest.mark.browser


def open_live(page: Page, url: str) -> None:
    """Open a page and wait until it says live; leaves a mark that a reload would wipe out."""
    page.goto(url)
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.sameDocument = true")


def assert_not_reloaded(page: Page) -> None:
    assert page.evaluate("window.sameDocument") is True


def test_pod_rows_follow_creation_change_and_deletion(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    open_live(page, f"{dashboard.url}/resources/pods/?namespace={namespace}")
    row = page.locator(f"tr[data-namespace='{namespace}'][data-name='web-1']")

    created = cluster.create(pods(namespace), pod("web-1", app="web"))
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Pending")
    assert row.get_attribute("id") == f"row-{created['metadata']['uid']}"
    expect(row).to_have_attribute("data-version", created["metadata"]["resourceVersion"])

    changed = cluster.patch(pods(namespace, "web-1") + "/status", running(restarts=3), "strategic")
    expect(row).to_contain_text("Running")
    expect(row).to_contain_text("10.1.2.3")
    expect(row).to_have_attribute("data-version", changed["metadata"]["resourceVersion"])

    cluster.delete(pods(namespace, "web-1"))
    expect(page.locator(f"tr[data-name='web-1'][data-namespace='{namespace}']:not([data-gone])")).to_have_count(0)
    expect(row).to_have_count(0)
    assert_not_reloaded(page)


def test_mydemo_rows_follow_creation_change_and_deletion(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    open_live(page, f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}")
    row = page.locator(f"tr[data-namespace='{namespace}'][data-name='alpha']")

    cluster.create(mydemos(namespace), mydemo("alpha", "10.9.8.7", 8080))
    expect(row).to_contain_text("10.9.8.7")
    cluster.patch(mydemos(namespace, "alpha"), {"spec": {"port": 9090}})
    expect(row).to_contain_text("9090")
    cluster.delete(mydemos(namespace, "alpha"))
    expect(row).to_have_count(0)
    assert_not_reloaded(page)


def test_rows_enter_and_leave_a_filtered_list(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    open_live(page, f"{dashboard.url}/resources/pods/?namespace={namespace}&q=status%3DRunning")
    cluster.create(pods(namespace), pod("late"))
    cluster.create(pods(namespace), pod("other"))
    cluster.patch(pods(namespace, "late") + "/status", running(), "strategic")
    expect(page.locator("tbody tr[data-name='late']")).to_have_count(1)
    expect(page.locator("tbody tr[data-name='other']")).to_have_count(0)
    cluster.patch(pods(namespace, "late") + "/status", {"status": {"phase": "Failed"}}, "strategic")
    expect(page.locator("tbody tr[data-name='late']")).to_have_count(0)
    assert_not_reloaded(page)


def test_an_object_changed_through_the_api_shows_in_a_list_by_its_short_name(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("quick"))
    open_live(page, f"{dashboard.url}/resources/mydemos/?namespace={namespace}")
    row = page.locator("tbody tr[data-name='quick']")
    expect(row).to_contain_text("8080")
    cluster.patch(mydemos(namespace, "quick"), {"spec": {"port": 4242}})
    expect(row).to_contain_text("4242")


def test_feed_entries_follow_with_what_changed_in_words(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    open_live(page, f"{dashboard.url}/feed/")
    about = f"li[data-resource='mydemos.crddemo.k8s.io'][data-namespace='{namespace}'][data-name='fed']"
    cluster.create(mydemos(namespace), mydemo("fed"))
    expect(page.locator(f"{about}[data-op='added']")).to_have_count(1)
    cluster.patch(mydemos(namespace, "fed"), {"spec": {"port": 9090}})
    expect(page.locator(f"{about}[data-op='modified']")).to_contain_text("8080 → 9090")
    cluster.delete(mydemos(namespace, "fed"))
    expect(page.locator(f"{about}[data-op='deleted']")).to_have_count(1)
    entries = page.locator(about)
    sequence = [entries.nth(i).get_attribute("id") or "" for i in range(entries.count())]
    assert sequence == sorted(sequence, reverse=True)
    assert len(set(sequence)) == 3
    assert_not_reloaded(page)


def test_details_follow_and_say_when_the_object_is_deleted_and_created_again(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("detail"))
    open_live(page, f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/detail/")
    main = page.locator("main")
    expect(main).to_contain_text("8080")
    cluster.patch(mydemos(namespace, "detail"), {"spec": {"port": 9191}})
    expect(main).to_contain_text("9191")
    cluster.delete(mydemos(namespace, "detail"))
    expect(main).to_contain_text("deleted")
    cluster.create(mydemos(namespace), mydemo("detail", port=7070))
    expect(main).to_contain_text("7070")
    expect(main).to_contain_text("again")
    assert_not_reloaded(page)


def test_overview_counts_follow(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> None:
    open_live(page, f"{dashboard.url}/")
    count = page.locator("nav [data-count='mydemos.crddemo.k8s.io']")
    expect(count).to_have_text(str(len(cluster.get("/apis/crddemo.k8s.io/v1/mydemos")["items"])))
    cluster.create(mydemos(namespace), mydemo("counted"))
    expect(count).to_have_text(str(len(cluster.get("/apis/crddemo.k8s.io/v1/mydemos")["items"])))
    assert_not_reloaded(page)


def test_every_page_shows_three_ages(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> None:
    cluster.create(mydemos(namespace), mydemo("aged"))
    open_live(page, f"{dashboard.url}/resources/mydemos/?namespace={namespace}")
    for age in ("browser", "cluster"):
        expect(page.locator(f"header [data-age='{age}']")).not_to_be_empty()
    expect(page.locator("tr[data-name='aged'] [data-age='object']")).not_to_be_empty()
