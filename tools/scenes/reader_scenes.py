"""Those who read differently: on paper, without scripts, in colours of their own; and what is much or odd:
ten thousand objects, names as long as may be, a kind that nobody may watch, a time of which nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from types import MappingProxyType

from playwright.sync_api import Page

from tools.scenes.api import MYDEMOS as OBJECTS
from tools.scenes.demo_scenes import MYDEMOS, PODS, STILL_HREF, Play, Scene, at, drawer, live, pod_page, press, rows
from tools.scenes.stage import Stage, mydemo, strange, two_processes, usual
from tools.scenes.state_scenes import Making

SILENCE = 6_000
"""Milliseconds without a worker: a gap that is seen in a picture of five minutes."""
LONG = "a-namespace-with-a-name-as-long-as-kubernetes-lets-one-be-63-ch"
"""63 characters."""
LONGER = ("the-configuration-of-" * 12)[:239].strip("-") + "-checkout"


def unscripted(path: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)

    return play


def long_names(path: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        stage.api.create("api/v1/namespaces", {"metadata": {"name": LONG}})
        stage.api.create(OBJECTS.format(namespace=LONG), mydemo(LONGER, port=65535))
        at(path.format(namespace=LONG, name=LONGER))(page, stage)
        page.wait_for_selector(":is(tbody, .feed, h1, .say, form) >> text=the-configuration")

    return play


def gap(page: Page, stage: Stage) -> None:
    """The worker was away for a while."""
    at("/feed/")(page, stage)
    stage.worker.end()
    page.wait_for_selector("body[data-live=stale]")
    page.wait_for_timeout(SILENCE)
    stage.worker.start()
    live(page)
    page.reload()
    live(page)


FORCED = {"forced_colors": "active"}
PLAIN = {"java_script_enabled": False}
READERS: tuple[Scene, ...] = (
    Scene("paper-overview", at("/"), media="print"),
    Scene("paper-list", at(PODS, rows), media="print"),
    Scene("paper-detail", pod_page(""), media="print"),
    Scene("paper-feed", at("/feed/"), media="print"),
    Scene("unscripted-overview", unscripted("/"), context=PLAIN),
    Scene("unscripted-list", unscripted(PODS), context=PLAIN),
    Scene("unscripted-feed", unscripted("/feed/"), context=PLAIN),
    Scene("unscripted-edit", unscripted(f"{STILL_HREF}edit/"), context=PLAIN),
    Scene("forced-overview", at("/"), context=FORCED),
    Scene("forced-list", at(PODS, rows, press("j", "x", "j")), context=FORCED),
    Scene("forced-feed", at("/feed/"), context=FORCED),
    Scene("forced-drawer", drawer, context=FORCED),
    Scene("long-list", long_names(f"{MYDEMOS}?namespace={{namespace}}")),
    Scene("long-drawer", long_names(f"{MYDEMOS}?namespace={{namespace}}&open={{namespace}}/{{name}}")),
    Scene("long-detail", long_names(f"{MYDEMOS}{{namespace}}/{{name}}/")),
    Scene("long-edit", long_names(f"{MYDEMOS}{{namespace}}/{{name}}/edit/")),
    Scene("long-feed", long_names("/feed/?q=the-configuration")),
)
"""Played on the stage of demo_scenes, at its end."""


def polled(page: Page) -> None:
    """Wait until the list says that it is polled."""
    page.locator(".polled").first.wait_for()


def large() -> AbstractContextManager[Stage]:
    return usual(pods=12_000, rate=200)


MORE: Mapping[str, tuple[Making, tuple[Scene, ...]]] = MappingProxyType({
    "large": (large, (
        Scene("large-list", at(PODS, rows)),
        Scene("large-last-page", at(f"{PODS}?page=120", rows)),
        Scene("large-filtered", at(f"{PODS}?q=restarts%3E0&sort=-restarts", rows)),
        Scene("large-overview", at("/")),
        Scene("large-feed", at("/feed/")),
    )),
    "unwatched": (partial(strange, unwatched=["jinghzhus"]), (
        Scene("polled-list", at("/resources/jinghzhus.jinghzhu.io/", polled)),
    )),
    "gap": (two_processes, (Scene("gap-feed", gap),)),
})  # fmt: skip
