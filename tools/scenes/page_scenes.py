"""Scenes of the usual pages: overview, lists, details, edit, delete, and error pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page

from tools.scenes.scene import Play, Scene, chain, click, open_at, press, wait_for_rows, wait_until_live
from tools.scenes.stage import NAMESPACE, STABLE_MYDEMO, Stage

PODS = "/resources/pods/"
MYDEMOS = "/resources/mydemos.crddemo.k8s.io/"
STABLE_MYDEMO_HREF = f"{MYDEMOS}{NAMESPACE}/{STABLE_MYDEMO}/"


def type_filter(text: str, wait_selector: str) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        page.locator("#q").fill(text)
        page.wait_for_selector(wait_selector)

    return step


def type_in_palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.locator("#palette-q").fill("web")
    page.wait_for_selector("#palette-hits [role=option][aria-selected=true]")


def first_pod(stage: Stage) -> tuple[str, str]:
    """Namespace and name of the pod that restarted most, of those that stay."""

    def restarts(pod: Any) -> int:
        return sum(each["restartCount"] for each in pod.get("status", {}).get("containerStatuses", ()))

    pods = [pod for pod in stage.api.items("api/v1/pods") if "deletionTimestamp" not in pod["metadata"]]
    found = max(pods, key=restarts)["metadata"]
    return found["namespace"], found["name"]


def pod_page(rest: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        open_at("{}{}/{}/{}".format(PODS, *first_pod(stage), rest))(page, stage)

    return play


def past(page: Page, stage: Stage) -> None:
    """The pods as they are now, which is the past by the time that they are shown."""
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    page.goto(f"{stage.url}{PODS}?at={at}")
    page.wait_for_selector("tbody tr")


def drawer(page: Page, stage: Stage) -> None:
    namespace, name = first_pod(stage)
    open_at(f"{PODS}?sort=-restarts&open={namespace}/{name}")(page, stage)
    page.wait_for_selector("#drawer h1, #drawer h2")


TWO_COLUMNS = 1165
"""Width in pixels from which on an editor shows YAML and form beside each other; below, the form alone at first."""


def changing(page: Page, stage: Stage) -> None:
    """A moment in which a pod at the top of the list has just come: one there was deleted."""
    open_at(PODS, wait_for_rows)(page, stage)
    href = page.locator("tbody tr td.c-name a").nth(4).get_attribute("href") or ""
    namespace, name = href.removeprefix(PODS).partition("?")[0].strip("/").split("/")
    stage.api.remove(f"api/v1/namespaces/{namespace}/pods/{name}")
    page.wait_for_selector(":is(tr.added, tr[data-gone]):nth-child(-n + 18)")


def _edited(page: Page, stage: Stage, port: int) -> None:
    stage.create_objects()
    stage.change_mydemo(8080)
    open_at(f"{STABLE_MYDEMO_HREF}edit/")(page, stage)
    if page.evaluate("innerWidth") < TWO_COLUMNS:
        page.locator("#yaml-tab[aria-selected]").click()
    page.locator("textarea[name=yaml]").fill(
        page.locator("textarea[name=yaml]").input_value().replace("8080", f"{port}")
    )


def edit(page: Page, stage: Stage) -> None:
    _edited(page, stage, 9090)
    page.wait_for_selector("#edit-review:has-text('1 change')")


def edit_mistake(page: Page, stage: Stage) -> None:
    _edited(page, stage, 99_999_999)
    page.locator("#edit-review").click()
    page.wait_for_selector(".problems li")
    wait_until_live(page)


def review(page: Page) -> None:
    page.locator("#edit-review").click()
    page.wait_for_selector("button[name=save]")
    wait_until_live(page)


def conflict(page: Page, stage: Stage) -> None:
    stage.change_mydemo(7070)
    page.locator("#edit-review").click()
    page.wait_for_selector("input[value=theirs]")
    wait_until_live(page)


def delete(page: Page, stage: Stage) -> None:
    stage.create_objects()
    open_at(f"{STABLE_MYDEMO_HREF}delete/")(page, stage)


def _without_socket(path: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)

    return play


def refused_form(page: Page, stage: Stage) -> None:
    """A form sent without the token that pages carry: 403."""
    page.goto(f"{stage.url}/")
    page.context.clear_cookies()
    page.locator(".theme form").evaluate("form => HTMLFormElement.prototype.submit.call(form)")
    page.wait_for_selector("h1:has-text('refused')")


def too_many_fields(page: Page, stage: Stage) -> None:
    """400."""
    page.goto(f"{stage.url}{PODS}?{'&'.join(f'a{n}=' for n in range(1100))}")


def server_error(page: Page, stage: Stage) -> None:
    """500, as the template says it: the program has no page that fails on request."""
    from django.template.loader import render_to_string

    page.route(f"{stage.url}/fault/", lambda route: route.fulfill(
        status=500, content_type="text/html", body=render_to_string("500.html")
    ))  # fmt: skip
    page.goto(f"{stage.url}/fault/")


OVERVIEW = Scene("overview", open_at("/"))
LIST = Scene("list", open_at(PODS, wait_for_rows))
EDIT = Scene("edit", edit)
ON_OVERVIEW: tuple[Scene, ...] = (
    OVERVIEW,
    Scene("palette", chain(type_in_palette), OVERVIEW, "#palette"),
    Scene("freshness", chain(click(".fresh", ".fresh-pop .pairs")), OVERVIEW, ".fresh-pop"),
    Scene("cluster", chain(click(".cluster > summary", ".cluster dl")), OVERVIEW, ".cluster"),
    Scene("theme", chain(click(".theme > summary", ".theme form")), OVERVIEW, ".theme"),
)
ON_LIST: tuple[Scene, ...] = (
    LIST,
    Scene("list-columns", chain(click(".columns > summary", "#columns")), LIST, ".columns"),
    Scene("list-export", chain(click(".export > summary", "#command")), LIST, ".export"),
    Scene("namespaces", chain(click("#namespaces summary", "#namespaces .pop-body")), LIST, "#namespaces"),
    Scene("keys", chain(press("?")), LIST, "#keys"),
    Scene("list-cursor", chain(press("j", "j")), LIST, "tbody"),
    Scene("list-selected", chain(press("j", "x", "j", "x")), LIST),
    Scene("list-mistake", chain(type_filter("restarts>many", ".problem")), LIST),
    Scene("list-paused", chain(click("#pause", "#held:not([hidden])")), LIST),
)
LISTS: tuple[Scene, ...] = (
    Scene("list-drawer", drawer),
    Scene("list-changing", changing, is_transient=True),
    Scene("list-past", past),
    Scene("list-filtered", open_at(f"{PODS}?q=status%3DRunning&sort=-age&namespace={quote('default')}", wait_for_rows)),
    Scene("list-nothing-matches", open_at(f"{PODS}?q=no-such-name-anywhere")),
    Scene("list-empty", open_at(f"{PODS}?namespace={NAMESPACE}")),
    Scene("mydemos", open_at(MYDEMOS, wait_for_rows)),
    Scene("events", open_at("/resources/events/", wait_for_rows)),
    Scene("nodes", open_at("/resources/nodes/", wait_for_rows)),
    Scene("feed", open_at("/feed/")),
    Scene("feed-filtered", open_at("/feed/?kind=pods&q=op%3Dmodified")),
    Scene("feed-mistake", open_at("/feed/?q=op%3D")),
    Scene("controllers", open_at("/controllers/")),
    Scene("status", open_at("/status/")),
)
OBJECTS: tuple[Scene, ...] = (
    Scene("detail-pod", pod_page("")),
    Scene("yaml", pod_page("yaml/")),
    EDIT,
    Scene("review", chain(review), EDIT),
    Scene("conflict", conflict, EDIT),
    Scene("edit-mistake", edit_mistake),
    Scene("delete", delete),
)
ERRORS: tuple[Scene, ...] = (
    Scene("no-such-kind", _without_socket("/resources/pdos/")),
    Scene("no-such-object", _without_socket(f"{PODS}default/no-such-pod/")),
    Scene("error-404", _without_socket("/nowhere.html")),
    Scene("error-403", refused_form),
    Scene("error-400", too_many_fields),
    Scene("error-500", server_error),
)
SCENES = (*ON_OVERVIEW, *ON_LIST, *LISTS, *OBJECTS, *ERRORS)
