"""Scenes of pages that create, delete and change objects, up to the last button and after it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page

from tools.scenes.api_client import MYDEMOS as OBJECTS
from tools.scenes.child_process import wait_until
from tools.scenes.page_scenes import EDIT, MYDEMOS, OVERVIEW, PODS, first_pod
from tools.scenes.scene import Scene, chain, click, open_at, press, wait_for_rows, wait_until_live
from tools.scenes.stage import NAMESPACE, STABLE_MYDEMO, Stage, mydemo

DEPLOYMENTS = "/resources/deployments.apps/"
LIST = f"{MYDEMOS}?namespace={NAMESPACE}"
TWO_MANIFESTS = """\
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata:
  name: second
spec:
  ip: 10.20.0.8
  port: 8081
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: second
data:
  greeting: hello
"""


def _deployment(stage: Stage) -> str:
    """The address of one."""
    found = stage.api.items("apis/apps/v1/deployments")[0]["metadata"]
    return f"{DEPLOYMENTS}{found['namespace']}/{found['name']}/"


def _cron_job(stage: Stage) -> str:
    found = stage.api.items("apis/batch/v1/cronjobs")[0]["metadata"]
    return f"/resources/cronjobs.batch/{found['namespace']}/{found['name']}/"


def _node(stage: Stage, which: int) -> str:
    return f"/resources/nodes/-/{stage.api.items('api/v1/nodes')[which]['metadata']['name']}/"


def _pod(stage: Stage) -> str:
    return "{}{}/{}/".format(PODS, *first_pod(stage))


def _write(page: Page, text: str) -> None:
    page.locator("textarea[name=yaml]").fill(text)


def clone(page: Page, stage: Stage) -> None:
    stage.create_objects()
    open_at(f"{MYDEMOS}new/?from={NAMESPACE}/{STABLE_MYDEMO}")(page, stage)


def create_review(page: Page) -> None:
    page.locator("#edit-review").click()
    page.wait_for_selector("button[name=create]")
    wait_until_live(page)


def several(page: Page, stage: Stage) -> None:
    """Two documents whose objects are not there: those of an earlier picture are removed."""
    for path in (OBJECTS.format(namespace=NAMESPACE), f"api/v1/namespaces/{NAMESPACE}/configmaps"):
        stage.api.remove(f"{path}/second")
    open_at(f"/new/?namespace={NAMESPACE}")(page, stage)
    _write(page, TWO_MANIFESTS)


def several_plan(page: Page) -> None:
    page.locator("#edit-review").click()
    page.wait_for_selector("button[name=apply]")
    wait_until_live(page)


def several_done(page: Page) -> None:
    button = page.locator("button[name=apply]")
    if button.count():
        button.click()
        page.wait_for_selector("li.result")
        wait_until_live(page)


def edit_large(page: Page, stage: Stage) -> None:
    open_at(f"{_deployment(stage)}edit/")(page, stage)


def drafts(page: Page, stage: Stage) -> None:
    page.wait_for_selector("#draft-note:not(:empty), #edit-review")
    open_at("/drafts/")(page, stage)


def bulk(page: Page, stage: Stage) -> None:
    for number in range(12):
        stage.api.create(OBJECTS.format(namespace=NAMESPACE), mydemo(f"many-{number:02d}", port=8000 + number))
    open_at(LIST, wait_for_rows)(page, stage)
    page.locator("tbody .c-select input").first.click()
    page.locator("[data-select-matching]").click()
    page.get_by_role("button", name="Change…").click()
    page.wait_for_selector("textarea[name=label_set]")
    wait_until_live(page)


def bulk_review(page: Page) -> None:
    page.locator("textarea[name=label_set]").fill("team=payments")
    page.locator("button[name=try]").click()
    page.wait_for_selector("h1:has-text('Review')")
    wait_until_live(page)


def bulk_done(page: Page) -> None:
    start = page.locator("button[name=start]")
    if start.count():
        start.click()
        page.wait_for_selector("#run:has-text('changed.')")


def bulk_undo(page: Page, stage: Stage) -> None:
    """The undo of a run, after a colleague has changed two of its objects."""
    objects = OBJECTS.format(namespace=NAMESPACE)
    for number in range(12):
        stage.api.create(f"{objects}", mydemo(f"many-{number:02d}", port=8000 + number))
        stage.api.merge(f"{objects}/many-{number:02d}", {"metadata": {"labels": {"team": "web"}}})
    bulk(page, stage)
    bulk_review(page)
    bulk_done(page)
    stage.api.merge(f"{objects}/many-03", {"metadata": {"labels": {"team": "search"}}})
    stage.api.merge(f"{objects}/many-05", {"spec": {"port": 9005}})
    page.locator("button[name=undo]").click()
    page.wait_for_selector("h1:has-text('Review: Undo')")
    wait_until_live(page)


def history(page: Page, stage: Stage) -> None:
    """The versions of a Mydemo that a colleague has changed twice, the first two compared."""
    path = f"{OBJECTS.format(namespace=NAMESPACE)}/restored"
    stage.api.create(OBJECTS.format(namespace=NAMESPACE), mydemo("restored", port=8080))
    stage.api.merge(path, {"spec": {"port": 8080, "ip": "10.20.0.7"}, "metadata": {"labels": {"tier": None}}})
    stage.api.merge(path, {"spec": {"port": 9090}, "metadata": {"labels": {"tier": "gold"}}})
    stage.api.merge(path, {"spec": {"ip": "10.20.0.77"}})
    address = f"{stage.url}{MYDEMOS}{NAMESPACE}/restored/history/"

    def is_recorded() -> bool:
        page.goto(address)
        return "10.20.0.77" in page.content() and "9090" in page.content()

    wait_until("its versions are recorded", is_recorded)
    page.locator(".rail li:has-text('8080 → 9090') a:has-text('compare with the one before')").first.click()
    page.wait_for_selector("input[name=field]")
    wait_until_live(page)


def put_back(page: Page) -> None:
    page.locator("input[name=field][value='spec.port']").check()
    page.get_by_role("button", name="Put back the chosen fields").click()
    page.wait_for_selector("button[name=save]")
    wait_until_live(page)


def undo_conflict(page: Page, stage: Stage) -> None:
    """The undo of a change whose field a colleague has changed since."""
    stage.api.merge(f"{OBJECTS.format(namespace=NAMESPACE)}/restored", {"spec": {"port": 7070}})
    page.locator(".rail li:has-text('8080 → 9090') a:has-text('undo this change')").first.click()
    page.wait_for_selector(".questions")
    wait_until_live(page)


def blame(page: Page) -> None:
    page.locator("a[href='?blame']").click()
    page.wait_for_selector(".blame")
    wait_until_live(page)


def action(object_path: Callable[[Stage], str], rest: str) -> Scene:
    name = rest.strip("/").rpartition("/")[2]

    def play(page: Page, stage: Stage) -> None:
        open_at(object_path(stage) + rest)(page, stage)

    return Scene(f"quick-{name}", play)


def draining(page: Page, stage: Stage) -> None:
    """A node's pods are evicted, as far as budgets let them."""
    open_at(f"{_node(stage, -1)}do/drain/")(page, stage)
    running = page.get_by_role("link", name="How far it is")
    if running.count():
        running.click()
    else:
        for box in page.locator(".consent input").all():
            box.check()
        page.locator("button[name=drain]").click()
    page.wait_for_selector("#drain")
    wait_until_live(page)


def row_menu(page: Page, stage: Stage) -> None:
    open_at(DEPLOYMENTS, wait_for_rows, press("j", "a"))(page, stage)
    page.wait_for_selector("#row-menu:popover-open")


def edit_in_place(page: Page, stage: Stage) -> None:
    open_at(LIST, wait_for_rows, press("j", "i"))(page, stage)
    page.wait_for_selector("dialog.quick-dialog input[name=wanted]")


def deleting(page: Page, stage: Stage) -> None:
    """It has a finalizer that nobody takes away."""
    objects = OBJECTS.format(namespace=NAMESPACE)
    stage.api.create(objects, mydemo("going", port=1))
    # a page of before the controller's write asks again instead of deleting
    wait_until("the status of going", lambda: "status" in stage.api.call("GET", f"{objects}/going"))
    open_at(f"{MYDEMOS}{NAMESPACE}/going/delete/")(page, stage)
    page.wait_for_selector("button[name=delete], #progress")
    button = page.locator("button[name=delete]")
    if button.count():
        button.click()
    page.wait_for_selector("#progress:has-text('finalizer')")
    wait_until_live(page)


def finalizer(page: Page, stage: Stage) -> None:
    open_at(f"{MYDEMOS}{NAMESPACE}/going/delete/finalizer/?name=example.com/backup")(page, stage)


def _open_menu(page: Page) -> None:
    """Open the list of kinds, which is behind a button in a narrow window."""
    if page.locator("button.menu").is_visible():
        click("button.menu", "#side:popover-open")(page)


def _edited_elsewhere(page: Page, stage: Stage) -> None:
    """Somebody else changes the object while its editor is open."""
    stage.api.merge(
        f"{OBJECTS.format(namespace=NAMESPACE)}/{STABLE_MYDEMO}",
        {"metadata": {"labels": {"tier": f"gold-{time.time():.0f}"}}},
    )
    page.wait_for_selector("#edit-theirs .theirs")


CREATE = Scene("create", open_at(f"{MYDEMOS}new/?namespace={NAMESPACE}"))
SEVERAL = Scene("several", several)
PLAN = Scene("several-plan", chain(several_plan), SEVERAL)
BULK = Scene("bulk", bulk)
BULK_REVIEW = Scene("bulk-review", chain(bulk_review), BULK)
HISTORY = Scene("history-compare", history)
DELETING = Scene("deleting", deleting)
MENU = Scene("menu", chain(_open_menu), OVERVIEW)
CREATE_SCENES: tuple[Scene, ...] = (
    CREATE,
    Scene("create-review", chain(create_review), CREATE),
    Scene("clone", clone),
    SEVERAL,
    PLAN,
    Scene("several-done", chain(several_done), PLAN),
    Scene("edit-large", edit_large),
    Scene("drafts", drafts, EDIT),
    BULK,
    BULK_REVIEW,
    Scene("bulk-done", chain(bulk_done), BULK_REVIEW),
    Scene("bulk-undo", bulk_undo),
    HISTORY,
    Scene("history-put-back", chain(put_back), HISTORY),
    Scene("history-undo-conflict", undo_conflict, HISTORY),
    Scene("history-blame", chain(blame), HISTORY),
)
ACTION_SCENES: tuple[Scene, ...] = (
    action(_deployment, "do/scale/"),
    action(_deployment, "do/restart/"),
    action(_deployment, "do/pause/"),
    action(_cron_job, "do/suspend/"),
    action(partial(_node, which=0), "do/cordon/"),
    action(partial(_node, which=-1), "do/drain/"),
    action(_pod, "do/evict/"),
    Scene("draining", draining),
    Scene("quick-menu", row_menu),
    Scene("quick-in-place", edit_in_place),
    action(_deployment, "delete/"),
    DELETING,
    Scene("finalizer", finalizer, DELETING),
    MENU,
    Scene("namespace-detail", open_at(f"/resources/namespaces/-/{NAMESPACE}/")),
    Scene("edited-elsewhere", _edited_elsewhere, EDIT),
)
WRITES = (*CREATE_SCENES, *ACTION_SCENES)
"""Played after those of demo_scenes, on the same stage."""
