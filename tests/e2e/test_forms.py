"""Tests of the form of a large custom resource on the real API server, with scripts and without."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.forms.operator_schemas import GROUP, definition, issuer, rollout
from tests.support.wait import until

pytestmark = pytest.mark.browser

SLOW = 30_000
"""Milliseconds in which a loaded machine answers."""
YAML = "textarea[name=yaml]"
OUTSIDE = """(() => {
  const { right } = document.getElementById("edit-form").getBoundingClientRect();
  return [...document.querySelectorAll("#edit-form *")]
    .filter((each) => !each.closest("#form-outline")) // which scrolls to the side
    .filter((each) => each.checkVisibility() && each.offsetWidth > 1 && each.getBoundingClientRect().right > right)
    .map((each) => each.outerHTML.slice(0, 120));
})()"""


@pytest.fixture(scope="module")
def kinds(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> ControlPlane:
    """The API server with a large definition and one of alternatives."""
    for kind, spec in (("Rollout", rollout()), ("Issuer", issuer())):
        manifest: Path = tmp_path_factory.mktemp("definitions") / f"{kind}.yaml"
        manifest.write_text(json.dumps(definition(kind, spec)))
        cluster.apply_crd(manifest)
    return cluster


def made(cluster: ControlPlane, namespace: str, kind: str, spec: object) -> str:
    """Make object ``one``; gives its path in the API server."""
    collection = f"/apis/{GROUP}/v1/namespaces/{namespace}/{kind.lower()}s"
    body = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "one"}, "spec": spec}
    cluster.create(collection, body)
    return f"{collection}/one"


def opened(page: Page, dashboard: Dashboard, namespace: str, kind: str) -> None:
    page.set_default_timeout(SLOW)
    page.goto(f"{dashboard.url}/resources/{kind.lower()}s.{GROUP}/{namespace}/one/edit/")


def saved(page: Page) -> None:
    page.locator("button[name=review]").click()
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.", timeout=SLOW)


def press(page: Page, value: str) -> None:
    page.locator(f"button[name=change][value='{value}']").click()


SPEC = {
    "replicas": 2,
    "strategy": {"canary": {"steps": [{"setWeight": 20}, {"setWeight": 40}]}},
    "template": {"spec": {"containers": [{"name": "web", "image": "nginx"}]}},
}


@pytest.mark.long
def test_lists_maps_and_alternatives_are_filled_without_a_page_load(
    page: Page, dashboard: Dashboard, kinds: ControlPlane, namespace: str
) -> None:
    path = made(kinds, namespace, "Rollout", SPEC)
    opened(page, dashboard, namespace, "Rollout")
    expect(page.locator("body")).to_have_attribute("data-live", "live", timeout=SLOW)
    page.evaluate("window.still = true")
    page.locator("[name='newkey.metadata.labels']").fill("team")
    page.locator("[name='new.metadata.labels']").fill("<b>a</b>")
    page.locator("[name='new.metadata.labels']").press("Enter")
    value = page.locator("[name='field.metadata.labels.team']")
    expect(value).to_have_value("<b>a</b>", timeout=SLOW)
    value.fill("a")
    page.locator("[name='form.find']").fill("canary steps")
    page.locator(".form-hits .hit").first.click()
    press(page, "down spec.strategy.canary.steps[0]")
    expect(page.locator(YAML)).to_have_value(re.compile(r"setWeight: 40\n *- setWeight: 20"), timeout=SLOW)
    press(page, "add spec.strategy.canary.steps")
    weight = page.locator("[name='field.spec.strategy.canary.steps[2].setWeight']")
    expect(weight).to_be_focused(timeout=SLOW)
    weight.fill("many")
    expect(page.locator("#edit-problems")).to_contain_text("not a whole number", timeout=SLOW)
    expect(weight).to_be_focused()
    weight.fill("80")
    expect(page.locator("#edit-problems")).to_be_empty(timeout=SLOW)
    expect(page.locator(YAML)).to_have_value(re.compile(r"- setWeight: 80"), timeout=SLOW)
    assert page.evaluate("window.still")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".field.new select").first).to_be_attached()
    until(lambda: page.evaluate(OUTSIDE) == [], what="nothing is cut off on a phone")
    saved(page)
    stored = kinds.get(path)
    assert stored["metadata"]["labels"] == {"team": "a"}
    assert [step["setWeight"] for step in stored["spec"]["strategy"]["canary"]["steps"]] == [40, 20, 80]
    assert stored["spec"]["replicas"] == 2


def test_the_same_works_without_scripts(
    new_context: Callable[..., BrowserContext], dashboard: Dashboard, kinds: ControlPlane, namespace: str
) -> None:
    path = made(kinds, namespace, "Issuer", {"selfSigned": {}})
    page = new_context(java_script_enabled=False).new_page()
    opened(page, dashboard, namespace, "Issuer")
    press(page, "choose spec 1")
    expect(page.locator("#edit-problems")).to_contain_text("It is required.", timeout=SLOW)
    page.locator("[name='field.spec.ca.secretName']").fill("root")
    press(page, "add spec.ca crlDistributionPoints")
    page.locator("[name='new.spec.ca.crlDistributionPoints']").fill("http://b")
    press(page, "add spec.ca.crlDistributionPoints")
    page.locator("[name='new.spec.ca.crlDistributionPoints']").fill("http://a")
    press(page, "add spec.ca.crlDistributionPoints")
    press(page, "up spec.ca.crlDistributionPoints[1]")
    saved(page)
    assert kinds.get(path)["spec"] == {"ca": {"secretName": "root", "crlDistributionPoints": ["http://a", "http://b"]}}
