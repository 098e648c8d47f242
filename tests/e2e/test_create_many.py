"""Tests of several objects of one text in a browser: results as they come, waiting, and cancellation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.dashboard.pages.edit.test_editor_conflicts_browser import unreachable_webhook, wait_for
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ApiFailure, ControlPlane
from tests.support.e2e.pods_and_mydemos import Json, mydemo, mydemos
from tests.support.wait import until

pytestmark = pytest.mark.browser

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


def held_up(namespace: str) -> Json:
    """The API server fails over what is made with the label `held` there."""
    hook = unreachable_webhook(namespace)
    hook["webhooks"][0]["rules"][0]["operations"] = ["CREATE"]
    hook["webhooks"][0]["objectSelector"] = {"matchLabels": {"held": "yes"}}
    return hook


def is_held(cluster: ControlPlane, namespace: str) -> bool:
    probe = mydemo("probe")
    probe["metadata"]["labels"] = {"held": "yes"}
    try:
        cluster.create(f"{mydemos(namespace)}?dryRun=All", probe)
    except ApiFailure:
        return True
    return False


def test_the_results_come_one_by_one_and_what_is_not_begun_is_cancelled_and_gone_on_with(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    text = "".join(
        f"---\napiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {{name: {name}, labels: {{held: '{held}'}}}}\n"
        "spec: {ip: 10.0.0.1, port: 80}\n"
        for name, held in (("one", "no"), ("two", "yes"), ("three", "no"))
    )
    page.goto(f"{dashboard.url}/new/?namespace={namespace}")
    page.locator("#file").set_input_files({"name": "a.yaml", "mimeType": "text/yaml", "buffer": text.encode()})
    page.locator("#edit-review").click()
    apply = page.get_by_role("button", name="Apply 3 objects")
    expect(page.locator("input[name=steps]")).to_be_enabled()
    answers: list[Route] = []
    holds = False

    def answer(route: Route) -> None:
        if holds:
            answers.append(route)
        else:
            wait_for(route, "60")

    page.route("**/new/**", answer)
    cluster.create(HOOKS, held_up(namespace))
    try:
        until(lambda: is_held(cluster, namespace), within=60, what="the webhook is asked")
        apply.click()
        status, says = page.locator("main p[role=status]"), page.locator("[data-repeat-says]")
        expect(status).to_have_text("1 created1 waited for1 not begun")
        expect(page.locator("form[data-repeat='60']")).to_have_count(1)
        expect(says).to_contain_text(re.compile(r"Sending again in \d+ s \(try 1 of 10\)"))
        assert cluster.exists(mydemos(namespace, "one"))
        page.get_by_role("button", name="Stop").click()
        expect(says).to_have_text("Stopped: nothing is sent until you press the button.")
        holds = True
        page.get_by_role("button", name="Try now").click()
        until(lambda: bool(page.evaluate("1") and answers), what="a step is under way")
        page.get_by_role("button", name="Cancel").click()
        expect(says).to_have_text("It ends after the step under way.")
        holds = False
        wait_for(answers[0], "60")
        expect(page.locator("h1")).to_have_text("Cancelled")
        expect(status).to_have_text("1 created1 failed1 not tried")
    finally:
        cluster.delete(f"{HOOKS}/{namespace}")
    until(lambda: not is_held(cluster, namespace), within=60, what="the webhook is asked no more")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_have_text("Applied")
    expect(status).to_have_text("3 created")
    assert cluster.exists(mydemos(namespace, "three"))
