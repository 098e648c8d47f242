"""Tests of a second writer between review and save: the page says so, and nothing is overwritten or lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos

pytestmark = pytest.mark.browser

KIND = "/resources/mydemos.crddemo.k8s.io/"


def test_a_name_that_another_took_after_the_review_is_said_and_their_object_and_the_text_stay(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    page.goto(f"{dashboard.url}{KIND}new/?namespace={namespace}")
    page.locator("button[name=review]").first.click()
    page.locator("button[name=create]").wait_for()
    theirs = cluster.create(mydemos(namespace), mydemo("example", port=7777))
    page.locator("button[name=create]").click()
    expect(page.locator("main")).to_contain_text(f"There is a Mydemo {namespace}/example already")
    expect(page.locator("textarea[name=yaml]")).to_have_value(re.compile("name: example"))
    assert cluster.get(mydemos(namespace, "example"))["metadata"] == theirs["metadata"]


def test_what_changed_or_was_made_anew_after_the_page_came_is_asked_about_and_not_deleted(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    one = mydemos(namespace, "one")
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(f"{dashboard.url}{KIND}{namespace}/one/delete/")
    page.locator("button[name=delete]").wait_for()
    theirs = cluster.patch(one, {"spec": {"port": 7777}})
    page.locator("button[name=delete]").click()
    expect(page.locator("main")).to_contain_text("It changed while you were looking, so nothing was deleted.")
    expect(page.locator("input[name=version]")).to_have_value(theirs["metadata"]["resourceVersion"])
    cluster.delete(one)
    anew = cluster.create(mydemos(namespace), mydemo("one"))
    page.locator("button[name=delete]").click()
    expect(page.locator("input[name=uid]")).to_have_value(anew["metadata"]["uid"])
    expect(page.locator("main")).to_contain_text("so nothing was deleted")
    assert cluster.get(one)["metadata"]["uid"] == anew["metadata"]["uid"]
    assert "deletionTimestamp" not in cluster.get(one)["metadata"]


@pytest.mark.long
def test_of_many_the_one_that_another_changed_after_the_review_is_left_and_asked_about(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    dashboard.migrate()
    for name in ("one", "two"):
        cluster.create(mydemos(namespace), mydemo(name))
    page.goto(f"{dashboard.url}{KIND}?namespace={namespace}")
    expect(page.locator("tbody tr[data-name]")).to_have_count(2)
    page.locator("tr[data-name='one'] .c-select input").click()
    page.locator("tr[data-name='two'] .c-select input").click()
    expect(page.locator("#selection [data-words]")).to_contain_text("2 selected")
    page.get_by_role("button", name="Change…").click()
    page.get_by_label("Labels to set").fill("team=payments")
    page.get_by_role("button", name="Try it out").click()
    apply = page.get_by_role("button", name="Change 2 Mydemos")
    apply.wait_for()
    cluster.patch(mydemos(namespace, "two"), {"metadata": {"labels": {"team": "theirs"}}})
    apply.click()
    run = page.locator("#run")
    expect(run).to_contain_text("Changed meanwhile, and not touched")
    expect(run.get_by_role("button", name="Review the changed again")).to_be_visible()
    assert cluster.get(mydemos(namespace, "one"))["metadata"]["labels"] == {"team": "payments"}
    assert cluster.get(mydemos(namespace, "two"))["metadata"]["labels"] == {"team": "theirs"}
