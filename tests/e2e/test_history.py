"""Tests of the pages of history with a real API server, the recorder and a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.e2e.test_moments import MYDEMOS, is_recorded, moments, mydemo, now, site
from tests.support.access.rbac_objects import RbacObjects, policy_rule
from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import ask
from tests.support.tcp_proxy import Line
from tests.support.wait import until
from tools.axe import violations

__all__ = ["moments", "site"]

pytestmark = [pytest.mark.browser, pytest.mark.controlplane]


def test_the_versions_of_an_object_that_is_gone_are_walked_through_in_the_browser(
    page: Page, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    assert moments
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}")
    page.get_by_role("link", name="Deleted").click()
    page.get_by_role("link", name=f"{namespace}/alpha").click()
    entries = page.locator("#rail li")
    expect(entries).to_have_count(3)
    expect(entries.nth(0)).to_contain_text("deleted")
    expect(entries.nth(1)).to_contain_text("80 → 8080")
    expect(entries.nth(2)).to_contain_text("created")
    assert violations(page) == []
    entries.nth(2).get_by_label("Compare from").focus()
    page.keyboard.press("Space")
    entries.nth(1).get_by_label("Compare to").check()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("to=.*from="))
    expect(page.locator("#comparison")).to_contain_text("8080")
    expect(page.locator(".compare-host")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#comparison .diff-add").first).to_contain_text("port: 8080")
    page.get_by_role("link", name="Who set each field").click()
    expect(page.locator(".blame")).to_contain_text("spec.port")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Open it as it was last").click()
    expect(page.get_by_role("region", name="Moment of the past")).to_be_visible()
    expect(page.locator("body")).to_contain_text("8080")
    assert problems == []


def test_the_key_h_leads_from_an_object_to_its_versions(
    page: Page, site: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(MYDEMOS.format(namespace), mydemo("beta", 80))
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/beta/"
    until(lambda: "created" in ask(f"{address}history/").body, what="its creation is recorded")
    page.goto(address)
    expect(page.get_by_role("link", name="History")).to_be_visible()
    page.keyboard.press("h")
    expect(page).to_have_url(f"{address}history/")
    expect(page.locator("#rail")).to_contain_text("created")


def test_a_list_is_compared_at_two_moments_in_the_browser(
    page: Page, site: Dashboard, cluster: ControlPlane, namespace: str, moments: list[str]
) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    cluster.create(MYDEMOS.format(namespace), mydemo("beta", 80))
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/"
    until(lambda: "created" in ask(f"{address}{namespace}/beta/history/").body, what="its creation is recorded")
    page.goto(f"{address}?namespace={namespace}&at={moments[1]}")
    page.get_by_role("region", name="Moment of the past").get_by_role("link", name="Compare with now").click()
    expect(page.locator("h1")).to_have_text("Mydemos at two moments")
    expect(page).to_have_url(re.compile(f"namespace={namespace}.*from="))
    expect(page.locator("[data-difference=added] li")).to_contain_text("beta")
    expect(page.locator("[data-difference=removed] li")).to_contain_text("alpha")
    assert violations(page) == []
    page.get_by_label("To, empty for now").focus()
    page.get_by_label("Filter").fill("port=8080")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("from=[^&]*Z&q=port%3D8080"))  # in UTC, whatever the browser's zone is
    expect(page.locator(".compare-sums h2")).to_have_text("Nothing differs")
    page.goto(f"{address}compare/?namespace={namespace}&from={moments[1]}&to={moments[2]}")
    changed = page.locator("[data-difference=changed] li")
    expect(changed).to_contain_text("80 → 8080")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    changed.get_by_role("link", name="Compare").click()
    expect(page.locator("#comparison")).to_contain_text("8080")
    assert problems == []


@pytest.mark.long
def test_people_see_the_history_of_what_their_roles_include(
    cluster: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    hidden, anna = f"hidden-{uuid4().hex[:8]}", f"anna-{uuid4().hex[:8]}"
    cluster.create("/api/v1/namespaces", {"metadata": {"name": hidden}})
    kind = "/resources/mydemos.crddemo.k8s.io"
    env = {"DELTABOARD_HISTORY": "on", "DELTABOARD_TRUST_PROXY_USER": "X-User", "DELTABOARD_AUDIT": "off"}
    with Dashboard(cluster.kubeconfig, tmp_path, **env) as program, RbacObjects(cluster) as rbac:

        def get(path: str, user: str = "root") -> tuple[int, str]:
            answer = ask(f"{program.url}{path}", X_User=user)
            return answer.status, answer.body

        read = policy_rule("get list watch", "mydemos", group="crddemo.k8s.io")
        rbac.grant("User/root", read)
        rbac.grant(f"User/{anna}", read, namespace=namespace)
        program.wait_for(lambda: "Deltaboard is at" in program.output)
        until(lambda: ask(f"{program.url}/readyz").status == 200)
        until(lambda: get(f"{kind}/export.csv")[0] == 200)
        until(lambda: "compare-sums" in get(f"{kind}/compare/")[1], what="it records")
        begun = now()
        for each in (namespace, hidden):
            cluster.create(MYDEMOS.format(each), mydemo("gone", 80))
            until(lambda: get(f"{kind}/{each}/gone/")[0] == 200)  # noqa: B023 -- at once
            cluster.delete(f"{MYDEMOS.format(each)}/gone")
            until(lambda: "deleted" in get(f"{kind}/{each}/gone/history/")[1])  # noqa: B023 -- at once
        until(lambda: f"{kind}/{namespace}/gone/history/" in get(f"{kind}/history/", anna)[1])
        assert f"{kind}/{hidden}/gone/history/" in get(f"{kind}/history/")[1]
        assert hidden not in get(f"{kind}/history/", anna)[1]
        assert get(f"{kind}/{namespace}/gone/history/", anna)[0] == 200
        for each in (namespace, hidden):
            cluster.create(MYDEMOS.format(each), mydemo("comes", 80))
        comes = f"{kind}/{{}}/comes/"
        until(lambda: comes.format(hidden) in get(f"{kind}/compare/?from={begun}")[1])
        until(lambda: comes.format(namespace) in get(f"{kind}/compare/?from={begun}", anna)[1])
        for suffix in ("/", ".csv", ".json"):
            assert hidden not in get(f"{kind}/compare{suffix}?from={begun}", anna)[1]
            assert namespace not in get(f"{kind}/compare{suffix}?from={begun}", f"{anna}-nobody")[1]
        for name in ("gone", "never"):
            status, body = get(f"{kind}/{hidden}/{name}/history/", anna)
            assert status == 404
            assert "created" not in body


def test_after_a_restart_without_the_api_server_the_past_can_be_read(
    page: Page, cluster: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    note = "The API server has not said yet which cluster this is"
    with Line(cluster.api_port) as line:
        kubeconfig = tmp_path / "kubeconfig"
        address = f"127.0.0.1:{line.port}"
        kubeconfig.write_text(cluster.kubeconfig.read_text().replace(f"127.0.0.1:{cluster.api_port}", address))
        program = Dashboard(kubeconfig, tmp_path, DELTABOARD_HISTORY="on")
        path = f"/resources/mydemos.crddemo.k8s.io/{namespace}/alpha"
        try:
            program.open().wait_until_live()
            until(lambda: is_recorded(program.url), within=60, what="it records")
            cluster.create(MYDEMOS.format(namespace), mydemo("alpha", 80))
            until(lambda: "created" in ask(f"{program.url}{path}/history/").body, what="its creation is recorded")
            then = now()
            assert note not in ask(f"{program.url}{path}/?at={then}").body
            program.__exit__()
            line.cut()
            program = Dashboard(kubeconfig, tmp_path, DELTABOARD_HISTORY="on")
            program.open()
            until(lambda: "created" in ask(f"{program.url}{path}/history/").body, what="its versions are shown")
            assert note in ask(f"{program.url}{path}/history/").body
            page.goto(f"{program.url}{path}/?at={then}")
            expect(page.locator("#banner")).to_contain_text(note)
            expect(page.locator("main")).to_contain_text("10.0.0.1")
            line.mend()
            expect(page.locator("#banner")).to_be_hidden(timeout=30_000)
            expect(page.locator("main")).to_contain_text("10.0.0.1")
            assert note not in ask(f"{program.url}{path}/history/").body
        finally:
            program.__exit__()
