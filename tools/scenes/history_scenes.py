"""Scenes of history: moments of the past, versions of an object, restoring one, deleted objects, and a list at two
moments.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from datetime import UTC, datetime

from playwright.sync_api import Page

from tools.scenes.api_client import MYDEMOS as OBJECTS
from tools.scenes.child_process import wait_until
from tools.scenes.page_scenes import MYDEMOS, PODS
from tools.scenes.scene import Play, Scene, chain, click, open_at, wait_until_live
from tools.scenes.stage import NAMESPACE, Stage, mydemo

NAME, GONE = "payment-gateway", "payment-gateway-old"
"""A Mydemo that was changed three times, and one that was deleted."""
PORTS = (8081, 8443, 9443)
VERSIONS = f"{MYDEMOS}{NAMESPACE}/{NAME}/history/"
DEPLOYMENTS = "apis/apps/v1/namespaces/{namespace}/deployments/{name}"


def _recorded(stage: Stage, address: str, text: str) -> None:
    """Wait until a page of history has a text."""

    def has_text() -> bool:
        try:
            with urllib.request.urlopen(stage.url + address) as answer:
                return text in answer.read().decode()
        except urllib.error.HTTPError:  # the object is not known yet
            return False

    wait_until(f"{address} with {text}", has_text)


def live_through(stage: Stage) -> None:
    """Make the history that the scenes show, once a stage."""
    objects = OBJECTS.format(namespace=NAMESPACE)
    if any(each["metadata"]["name"] == NAME for each in stage.api.items(objects)):
        return
    stage.api.create(objects, mydemo(NAME, port=8080))
    stage.api.create(objects, mydemo(GONE, port=8080))
    stage.api.merge(f"{objects}/{GONE}", {"metadata": {"finalizers": None}})
    for port in PORTS:
        _recorded(stage, VERSIONS, "created")
        labels = {"release": f"r{port}"}
        stage.api.merge(f"{objects}/{NAME}", {"metadata": {"labels": labels}, "spec": {"port": port}})
        _recorded(stage, VERSIONS, f"→ {port}")
    stage.api.remove(f"{objects}/{GONE}")
    _recorded(stage, f"{MYDEMOS}history/", GONE)
    for found in stage.api.items("apis/apps/v1/deployments")[:2]:
        container = found["spec"]["template"]["spec"]["containers"][0]
        image = f"{container['image'].rpartition(':')[0]}:2.0.0"
        template = {"spec": {"containers": [{**container, "image": image}]}}
        path = DEPLOYMENTS.format(**found["metadata"])
        stage.api.merge(path, {"spec": {"template": template}})
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    _recorded(stage, f"/resources/deployments.apps/compare/?from={moment}", "2.0.0")


def versions(rest: str, wait_selector: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        live_through(stage)
        open_at(f"{VERSIONS}{rest}")(page, stage)
        page.wait_for_selector(wait_selector)

    return play


def compare_versions(page: Page) -> None:
    page.get_by_role("link", name="compare with now").last.click()
    page.wait_for_selector("#comparison :is(.compare-host, .diff-add):visible")
    wait_until_live(page)


def review_of_restoring(page: Page) -> None:
    """The first version, on top of the present object."""
    page.get_by_role("link", name="as it was then").last.click()
    page.get_by_role("link", name="Restore this").click()
    wait_until_live(page)
    page.locator("#edit-review").click()
    page.wait_for_selector("button[name=save]")
    wait_until_live(page)


def as_it_was(page: Page) -> None:
    """The details of the newest version."""
    page.get_by_role("link", name="as it was then").first.click()
    page.get_by_role("link", name="Restore this").wait_for()


def before_history(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.url}{PODS}?at=2020-01-01T00:00:00Z")
    page.wait_for_selector("text=begins later than this moment")


def wait_for_bars(page: Page) -> None:
    page.wait_for_selector("#picture .bars rect")


def deleted(page: Page, stage: Stage) -> None:
    live_through(stage)
    open_at(f"{MYDEMOS}history/")(page, stage)
    page.wait_for_selector(f"text={GONE}")


def compared(path: str, wait_selector: str = ".differences") -> Play:
    def play(page: Page, stage: Stage) -> None:
        live_through(stage)
        page.goto(stage.url + path)
        page.wait_for_selector(f"#compared:not([hx-get]) >> {wait_selector}")

    return play


RAIL = Scene("history-versions", versions("", "#rail li"))
HISTORY: tuple[Scene, ...] = (
    RAIL,
    Scene("history-comparison", chain(compare_versions), RAIL),
    Scene("history-blame", versions("?blame", ".blame li")),
    Scene("history-details", chain(as_it_was), RAIL),
    Scene("history-restore", chain(review_of_restoring), RAIL),
    Scene("history-clock", open_at(PODS, click(".time-control > summary", ".time-control[open] input"))),
    Scene("history-before", before_history),
    Scene("history-feed", open_at("/feed/?last=1h", wait_for_bars)),
    Scene("history-deleted", deleted),
    Scene("list-compared", compared(f"{PODS}compare/")),
    Scene("list-compared-nothing", compared(f"{PODS}compare/?q=no-such-name", "text=Nothing differs")),
    Scene("list-compared-filtered", compared(f"{PODS}compare/?q=status%3DRunning")),
    Scene("list-compared-changes", compared("/resources/deployments.apps/compare/")),
    Scene("list-compared-no-scripts", compared(f"{PODS}compare/"), context={"java_script_enabled": False}),
)
