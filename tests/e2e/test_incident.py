"""Tests of the incident page with a real API server and kwok as the kubelet: one link that says what happened."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubelet_logs import LoggingPod
from tests.support.local_dashboard import ask
from tests.support.wait import until
from tools.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.controlplane, pytest.mark.long]

JSON = '{"level": "error", "msg": "no way", "path": "/a"}'
numbers = itertools.count()


@pytest.fixture(scope="module")
def site(
    modules_controlplane: ControlPlane, kubelet: Daemon, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    program = Dashboard(modules_controlplane.kubeconfig, tmp_path_factory.mktemp("home"))
    try:
        program.open().wait_until_live()
        yield program
    finally:
        program.__exit__()


@pytest.fixture
def pod(modules_controlplane: ControlPlane, site: Dashboard, tmp_path: Path) -> LoggingPod:
    """A pod that ended with an error, has begun again, and about which the cluster says so."""
    namespace = modules_controlplane.create_namespace(f"incident-{next(numbers)}")
    made = LoggingPod(modules_controlplane, namespace, "web", tmp_path)
    until(lambda: ask(f"{site.url}/resources/pods/{namespace}/web/").status == 200)
    made.write("all is well")
    made.restart(3, leaves=(JSON, "panic: no settings", "at main() " * 25, "\x1b[31mgoodbye\x1b[0m"))
    about = {"kind": "Pod", "namespace": namespace, "name": "web", "apiVersion": "v1"}
    modules_controlplane.create(f"/api/v1/namespaces/{namespace}/events", {
        "metadata": {"name": "web.1"}, "involvedObject": about, "type": "Warning", "reason": "BackOff",
        "message": "Back-off restarting failed container", "count": 2, "lastTimestamp": "2026-11-29T00:00:00Z",
    })  # fmt: skip
    return made


def test_one_link_says_what_changed_what_the_containers_said_and_who_did_it(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    page.goto(f"{site.url}/resources/pods/{pod.namespace}/web/")
    expect(page.get_by_role("link", name="Why")).to_be_visible()
    page.keyboard.press("w")
    expect(page).to_have_url(f"{site.url}/why/pods/{pod.namespace}/web/")
    line = page.locator(".timeline > li")
    expect(line.filter(has_text="container main ended with exit code 3")).to_have_attribute("data-source", "change")
    logs = page.locator(".timeline > li[data-source=log]").filter(has_text="the last lines of container main")
    after = page.locator(".timeline > li[data-source=log]").filter(has_text="since it was started again")
    expect(after).to_contain_text("container main has written nothing")
    expect(logs).to_contain_text("all is well")
    expect(logs).to_contain_text("panic: no settings")
    expect(logs.get_by_role("link")).to_have_text([f"Pod {pod.namespace}/web", "Logs"])
    expect(logs.locator(".s-error").filter(has_text="error no way path=/a")).to_have_count(1)
    assert "\x1b" not in logs.inner_text()
    expect(page.locator("[data-source=event]").filter(has_text="Back-off restarting failed container")).to_have_count(1)
    expect(page.locator("[data-source=write]").first).to_be_visible()
    expect(page.locator("[data-source=gap]").first).to_contain_text("before this is known here")
    assert re.match(r"\d{4}-\d\d-\d\dT", line.first.get_attribute("data-time") or "")
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert violations(page) == []
    markdown = ask(f"{page.url}?markdown").body
    assert f"**[Pod {pod.namespace}/web]({page.url})** on cluster local" in markdown
    assert "panic: no settings" in markdown
    assert "ERROR no way path=/a" in markdown
    pod.write("more")
    first = page.locator(".timeline > li[data-source=log]").filter(has_text="the first lines of container main")
    expect(first).to_contain_text("more", timeout=40_000)
    pod.restart(9, leaves=("the second end",))
    expect(page.locator(".timeline")).to_contain_text("the second end", timeout=40_000)
    expect(page.locator(".timeline")).to_contain_text("exit code 9")


def test_what_never_was_is_not_found_and_aliases_lead_to_the_page(site: Dashboard, pod: LoggingPod) -> None:
    assert ask(f"{site.url}/why/pods/{pod.namespace}/never/").status == 404
    assert ask(f"{site.url}/why/gadgets/{pod.namespace}/web/").status == 404
    answer = ask(f"{site.url}/why/pod/{pod.namespace}/web/?x=1")
    assert (answer.status, answer.headers["Location"]) == (302, f"/why/pods/{pod.namespace}/web/?x=1")


def test_a_page_that_is_open_speaks_of_a_deleted_pod_in_the_past_and_keeps_a_fold_open(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    page.goto(f"{site.url}/why/pods/{pod.namespace}/web/")
    expect(page.get_by_role("link", name="Details")).to_be_visible()
    expect(page.locator(".hint").filter(has_text="Who wrote it is not known")).to_have_count(0)
    expect(page.locator(".hint").filter(has_text="No person is named here")).to_have_count(1)
    fold = page.locator(".routine details").last
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(fold.locator("li").first).to_be_visible()
    pod.delete()
    state = page.locator("#incident > .say")
    expect(state).to_contain_text("It was deleted at", timeout=40_000)
    expect(state).to_contain_text("Its last known state was")
    expect(page.locator(".hint").filter(has_text="Who deleted it is not known")).to_have_count(1)
    expect(page.locator("#incident").get_by_role("link", name="Details")).to_have_count(0)
    expect(page.locator("#incident").get_by_role("heading", name="Usage")).to_have_count(0)
