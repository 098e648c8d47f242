"""Tests of the editor of a definition with 2,320 fields: its outline, its two parts and their sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Locator, Page, ViewportSize, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.forms.operator_schemas import GROUP, definition
from tests.support.forms.pod_schema import pod_spec
from tests.support.forms.prometheus_schema import prometheus
from tests.support.forms.schema_builders import group
from tests.support.long_tests import long_but

pytestmark = pytest.mark.browser

SLOW = 30_000
"""Milliseconds in which a loaded machine answers."""
OUTLINE = "#form-outline"
CURRENT = f"{OUTLINE} [aria-current]"
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
OLD_TOP = 1_109
"""Pixels above the form on a phone before it had tabs."""
PORTS = {"name": "web", "image": "nginx", "ports": [{"containerPort": 80 + each} for each in range(12)]}
SPEC = {"replicas": 2, "canary": {"containers": [PORTS, {**PORTS, "name": "side"}]}, "retention": "10d"}


@pytest.fixture(scope="module")
def large_kind(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> ControlPlane:
    schema: dict[str, Any] = prometheus()
    schema["properties"]["canary"] = group(pod_spec())
    manifest = tmp_path_factory.mktemp("definitions") / "large.yaml"
    manifest.write_text(json.dumps(definition("Prometheus", schema)))
    cluster.apply_crd(manifest)
    return cluster


@pytest.fixture
def editor(large_kind: ControlPlane, namespace: str, dashboard: Dashboard) -> str:
    """Address of an object's editor."""
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Prometheus", "metadata": {"name": "one"}, "spec": SPEC}
    large_kind.create(f"/apis/{GROUP}/v1/namespaces/{namespace}/prometheuses", body)
    return f"{dashboard.url}/resources/prometheuses.{GROUP}/{namespace}/one/edit/"


def open_editor(page: Page, editor: str) -> None:
    page.set_default_timeout(SLOW)
    page.goto(editor)
    expect(page.locator("body")).to_have_attribute("data-live", "live", timeout=SLOW)


def box_of(page: Page, selector: str) -> FloatRect:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box


def replicas_of(page: Page) -> Locator:
    """The field that is only named: so many fields of `canary` are open."""
    return page.get_by_role("group", name="spec.replicas", exact=True)


@pytest.mark.long
@pytest.mark.parametrize("width", long_but([1440, 1200, 800, 390], 1440, 390))
def test_the_outline_stays_in_view_and_follows_the_form(page: Page, editor: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    open_editor(page, editor)
    link = page.locator(OUTLINE).get_by_role("link", name="canary", exact=True)
    link.click()
    expect(page.locator(CURRENT)).to_have_text("canary")
    expect(page.locator("[id='field.spec.canary']")).to_be_in_viewport()
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    expect(page.locator(CURRENT)).not_to_have_text("canary")
    outline = box_of(page, OUTLINE)
    assert 0 <= outline["y"] < 200
    assert outline["x"] >= 0
    assert outline["x"] + outline["width"] <= width
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    expect(page.locator(CURRENT)).to_have_text(page.locator(f"{OUTLINE} a").first.inner_text())


def test_a_section_that_is_not_set_is_added_from_the_outline(page: Page, editor: str) -> None:
    open_editor(page, editor)
    page.locator(f"{OUTLINE} summary").click()
    page.locator(OUTLINE).get_by_role("button", name="Add spec.alerting", exact=True).click()
    expect(page.locator(OUTLINE).get_by_role("link", name="alerting", exact=True)).to_be_visible()
    expect(page.locator("[id='field.spec.alerting']")).to_be_in_viewport()


@pytest.mark.long
def test_on_a_phone_yaml_and_form_are_tabs_and_keep_what_was_typed(page: Page, editor: str) -> None:
    page.set_viewport_size(PHONE)
    open_editor(page, editor)
    yaml, form = (page.get_by_role("tab", name=name) for name in ("YAML", "Form"))
    expect(form).to_have_attribute("aria-selected", "true")
    expect(page.locator("#yaml-part")).to_be_hidden()
    assert box_of(page, "#edit-form .field")["y"] < OLD_TOP * 0.6
    replicas_of(page).get_by_role("button", name="Edit it here").click()
    replicas = page.locator("[name='field.spec.replicas']")
    expect(replicas).to_be_focused(timeout=SLOW)
    replicas.fill("5")
    form.press("ArrowLeft")
    expect(yaml).to_be_focused()
    expect(page.locator("#form-part")).to_be_hidden()
    expect(page.locator("#yaml")).to_have_value(re.compile(r"replicas: 5"), timeout=SLOW)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.reload()
    expect(yaml).to_have_attribute("aria-selected", "true")


def test_the_yaml_is_as_tall_as_the_form_or_the_window(page: Page, editor: str) -> None:
    page.set_viewport_size(DESKTOP)
    open_editor(page, editor)
    for scrolled in (0, 1_000):
        page.evaluate(f"scrollTo({{ top: {scrolled}, behavior: 'instant' }})")
        page.wait_for_function("new Promise(requestAnimationFrame)")
        part = box_of(page, "#yaml-part")
        begin = max(part["y"], 0)
        assert part["y"] + part["height"] <= 900
        assert part["height"] >= 0.85 * (900 - begin)


def test_version_and_scope_of_the_kind_are_shown(page: Page, editor: str) -> None:
    open_editor(page, editor)
    chip = page.locator(".edit .kind-chip").first
    expect(chip).to_contain_text("v1")
    expect(chip).to_contain_text("namespace")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_without_scripts_both_parts_can_be_reached(
    new_context: Callable[..., BrowserContext], editor: str, size: ViewportSize
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_viewport_size(size)
    page.goto(editor, timeout=SLOW)
    expect(page.locator("#yaml-part textarea")).to_be_visible()
    expect(replicas_of(page)).to_be_visible()
    page.locator("#form-outline").get_by_role("link", name="canary", exact=True).click()
    expect(page.locator("[id='field.spec.canary']")).to_be_in_viewport()
