"""Scenes of unusual content: long names, ten thousand objects, a kind that cannot be watched, a gap in the feed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from types import MappingProxyType

from playwright.sync_api import Page

from tools.scenes.api_client import MYDEMOS as OBJECTS
from tools.scenes.page_scenes import MYDEMOS, PODS
from tools.scenes.scene import Play, Scene, open_at, wait_for_rows, wait_until_live
from tools.scenes.stage import Stage, StageFactory, mydemo, proxied_stage, two_process_stage, usual_stage

SILENCE = 6_000
"""Milliseconds without a worker: a gap that is seen in a picture of five minutes."""
LONG_NAMESPACE = "a-namespace-with-a-name-as-long-as-kubernetes-lets-one-be-63-ch"
"""63 characters."""
LONG_NAME = ("the-configuration-of-" * 12)[:239].strip("-") + "-checkout"


def open_long_names(path: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        stage.api.create("api/v1/namespaces", {"metadata": {"name": LONG_NAMESPACE}})
        stage.api.create(OBJECTS.format(namespace=LONG_NAMESPACE), mydemo(LONG_NAME, port=65535))
        open_at(path.format(namespace=LONG_NAMESPACE, name=LONG_NAME))(page, stage)
        page.wait_for_selector(":is(tbody, .feed, h1, .say, form) >> text=the-configuration")

    return play


def worker_gap(page: Page, stage: Stage) -> None:
    """Scene of a gap: the worker was away for a while."""
    open_at("/feed/")(page, stage)
    stage.worker.end()
    page.wait_for_selector("body[data-live=stale]")
    page.wait_for_timeout(SILENCE)
    stage.worker.start()
    wait_until_live(page)
    page.reload()
    wait_until_live(page)


LONG_NAME_SCENES: tuple[Scene, ...] = (
    Scene("long-list", open_long_names(f"{MYDEMOS}?namespace={{namespace}}")),
    Scene("long-drawer", open_long_names(f"{MYDEMOS}?namespace={{namespace}}&open={{namespace}}/{{name}}")),
    Scene("long-detail", open_long_names(f"{MYDEMOS}{{namespace}}/{{name}}/")),
    Scene("long-edit", open_long_names(f"{MYDEMOS}{{namespace}}/{{name}}/edit/")),
    Scene("long-feed", open_long_names("/feed/?q=the-configuration")),
)
"""Played on the stage of demo_scenes, after media_scenes."""


def wait_until_polled(page: Page) -> None:
    """Wait until the list says that it is polled."""
    page.locator(".polled").first.wait_for()


def large_stage() -> AbstractContextManager[Stage]:
    return usual_stage(pods=12_000, rate=200)


CONTENT_STATES: Mapping[str, tuple[StageFactory, tuple[Scene, ...]]] = MappingProxyType({
    "large": (large_stage, (
        Scene("large-list", open_at(PODS, wait_for_rows)),
        Scene("large-last-page", open_at(f"{PODS}?page=120", wait_for_rows)),
        Scene("large-filtered", open_at(f"{PODS}?q=restarts%3E0&sort=-restarts", wait_for_rows)),
        Scene("large-overview", open_at("/")),
        Scene("large-feed", open_at("/feed/")),
    )),
    "unwatched": (partial(proxied_stage, unwatchable=["jinghzhus"]), (
        Scene("polled-list", open_at("/resources/jinghzhus.jinghzhu.io/", wait_until_polled)),
    )),
    "gap": (two_process_stage, (Scene("gap-feed", worker_gap),)),
})  # fmt: skip
