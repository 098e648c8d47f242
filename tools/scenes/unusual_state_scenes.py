"""Scenes of unusual states, each with the stage that causes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from playwright.sync_api import Page, WebSocketRoute

from tools.scenes.child_process import Child
from tools.scenes.log_scenes import REFUSED_LOGS
from tools.scenes.page_scenes import MYDEMOS, PODS, drawer
from tools.scenes.scene import Play, Scene, open_at, wait_for_rows
from tools.scenes.stage import (
    Stage,
    StageFactory,
    empty_stage,
    proxied_stage,
    two_process_stage,
    unreachable_stage,
    unusable_stage,
    usual_stage,
)


def open_and_wait(path: str, selector: str) -> Play:
    """Opens an address, and waits for what it says."""

    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)
        page.wait_for_selector(selector)

    return play


def _until_stale(play: Play, stopped: Callable[[Stage], Child]) -> Play:
    """The scene, and then that program stands still."""

    def staled(page: Page, stage: Stage) -> None:
        stopped(stage).resume()
        play(page, stage)
        stopped(stage).pause()
        page.wait_for_selector("body[data-live=stale]")

    return staled


def stale(play: Play) -> Play:
    """The scene, after which the API server is silent."""
    return _until_stale(play, lambda stage: stage.cluster)


def worker_gone(play: Play) -> Play:
    """The scene, after which the worker is silent."""
    return _until_stale(play, lambda stage: stage.worker)


def offline(play: Play) -> Play:
    """The scene, and then there is no connection any more."""

    def cut(page: Page, stage: Stage) -> None:
        open_sockets: list[WebSocketRoute] = []

        def connect(socket: WebSocketRoute) -> None:
            if not open_sockets:
                socket.connect_to_server()
            open_sockets.append(socket)

        page.route_web_socket("**/live/**", connect)
        play(page, stage)
        open_sockets[0].close(code=4012)
        page.wait_for_selector("body[data-live=offline] #banner:not([hidden])")

    return cut


def connecting(path: str) -> Play:
    """The first moment, before the socket is open."""

    def play(page: Page, stage: Stage) -> None:
        page.route_web_socket("**/live/**", lambda _: None)
        page.goto(stage.url + path)

    return play


STATES: Mapping[str, tuple[StageFactory, tuple[Scene, ...]]] = MappingProxyType({
    "usual": (usual_stage, (
        Scene("connecting-list", connecting(PODS), is_transient=True),
        Scene("offline-overview", offline(open_at("/"))),
        Scene("offline-list", offline(open_at(PODS, wait_for_rows))),
        Scene("stale-overview", stale(open_at("/"))),
        Scene("stale-list", stale(open_at(PODS, wait_for_rows))),
        Scene("stale-drawer", stale(drawer)),
        Scene("stale-feed", stale(open_at("/feed/"))),
    )),
    "empty": (empty_stage, (
        Scene("empty-overview", open_at("/")),
        Scene("empty-list", open_at(PODS)),
        Scene("empty-feed", open_at("/feed/")),
        Scene("absent-mydemos", open_at(MYDEMOS)),
    )),
    "forbidden": (partial(proxied_stage, forbid=["pods", "events"]), (
        Scene("forbidden-overview", open_and_wait("/",
            "body[data-live]:not([data-live=offline]) .tile[data-state=forbidden]")),
        Scene("forbidden-list", open_and_wait(PODS, ".empty:has-text('may not be listed')")),
        Scene("forbidden-feed", open_and_wait("/feed/", "body:not([data-live=offline])")),
    )),
    "logs forbidden": (partial(proxied_stage, forbid=["pods/log"]), REFUSED_LOGS),
    "first sync": (partial(proxied_stage, stalled={"pods": 1240}), (
        Scene("syncing-overview", open_and_wait("/", "#banner:not([hidden])")),
        Scene("syncing-list", open_and_wait(PODS, ".empty progress")),
        Scene("syncing-detail", open_and_wait(f"{PODS}default/web-0/", "body[data-live=stale]")),
    )),
    "unreachable": (unreachable_stage, (
        Scene("unreachable-overview", open_and_wait("/", "#banner:not([hidden])")),
        Scene("unreachable-list", open_and_wait(PODS, ".empty:has-text('cannot be reached')")),
        Scene("unreachable-detail", open_and_wait(f"{PODS}default/web-0/", "#banner:not([hidden])")),
        Scene("unreachable-controllers", open_and_wait("/controllers/", "body:not([data-live=offline])")),
    )),
    "unusable": (unusable_stage, (Scene("unusable-overview", open_and_wait("/", "#banner:not([hidden])")),)),
    "two processes": (two_process_stage, (
        Scene("worker-gone-overview", worker_gone(open_at("/"))),
        Scene("worker-gone-list", worker_gone(open_at(PODS, wait_for_rows))),
        Scene("worker-gone-controllers", worker_gone(open_at("/controllers/"))),
    )),
})  # fmt: skip
"""By stage: how to make it, and what plays on it."""


def all_states() -> Iterator[tuple[str, Scene]]:
    """Each scene with the name of its stage."""
    for name, (_, scenes) in STATES.items():
        for scene in scenes:
            yield name, scene
