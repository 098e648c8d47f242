"""Tests that every page fits every screen, from a phone to a wall."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos, pod, pods
from tests.support.wait import until

pytestmark = pytest.mark.browser

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def paths(cluster: ControlPlane, namespace: str) -> list[str]:
    name = "a-mydemo-with-a-rather-long-name-that-nobody-would-want-to-type"
    cluster.create(mydemos(namespace), mydemo(name))
    for number in range(12):
        cluster.create(pods(namespace), pod(f"checkout-66d9f8b7c-with-a-long-name-{number}", app="checkout"))
    detail = f"/resources/pods/{namespace}/checkout-66d9f8b7c-with-a-long-name-1/"
    demo = f"/resources/mydemos.crddemo.k8s.io/{namespace}/{name}/"
    return [
        "/",
        "/feed/",
        "/controllers/",
        f"/resources/pods/?namespace={namespace}",
        detail,
        demo,
        f"{demo}edit/",
        f"{demo}delete/",
    ]


@pytest.mark.parametrize("widths", [(2560, 1440, 768), (390,)], ids=["wide", "phone"])
def test_no_page_is_wider_than_its_window(
    page: Page, dashboard: Dashboard, paths: list[str], widths: tuple[int, ...]
) -> None:
    """A page on a phone is loaded there, for scripts ask at the start how wide it is; the others are made narrower."""
    for path in paths:
        page.set_viewport_size({"width": widths[0], "height": 900})
        page.goto(f"{dashboard.url}{path}")
        expect(page.locator("body")).to_have_attribute("data-live", "live")
        for width, scheme in product(widths, SCHEMES):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            until(partial(fits, page), within=2, what=f"{path} that is no wider than {width} px, {scheme}")


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
