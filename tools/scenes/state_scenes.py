"""The states that are not as usual, each with the stage that brings it about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from types import MappingProxyType

from playwright.sync_api import Page, WebSocketRoute

from tools.scenes.demo_scenes import MYDEMOS, PODS, Play, Scene, at, drawer, rows
from tools.scenes.program import Child
from tools.scenes.stage import Stage, empty, strange, two_processes, unreachable, unusable, usual


def waits(path: str, selector: str) -> Play:
    """Opens an address, and waits for what it says."""

    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)
        page.wait_for_selector(selector)

    return play


def _until_stale(play: Play, stopped: Callable[[Stage], Child]) -> Play:
    """The scene, and then that program stands still."""

    def staled(page: Page, stage: Stage) -> None:
        stopped(stage).go_on()
        play(page, stage)
        stopped(stage).pause()
        page.wait_for_selector("body[data-live=stale]")

    return staled


def stale(play: Play) -> Play:
    """The scene, and then the API server is not heard."""
    return _until_stale(play, lambda stage: stage.cluster)


def worker_gone(play: Play) -> Play:
    """The scene, and then the worker is not heard."""
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


Making = Callable[[], AbstractContextManager[Stage]]
STATES: Mapping[str, tuple[Making, tuple[Scene, ...]]] = MappingProxyType({
    "usual": (usual, (
        Scene("connecting-list", connecting(PODS), fleeting=True),
        Scene("offline-overview", offline(at("/"))),
        Scene("offline-list", offline(at(PODS, rows))),
        Scene("stale-overview", stale(at("/"))),
        Scene("stale-list", stale(at(PODS, rows))),
        Scene("stale-drawer", stale(drawer)),
        Scene("stale-feed", stale(at("/feed/"))),
    )),
    "empty": (empty, (
        Scene("empty-overview", at("/")),
        Scene("empty-list", at(PODS)),
        Scene("empty-feed", at("/feed/")),
        Scene("absent-mydemos", at(MYDEMOS)),
    )),
    "forbidden": (partial(strange, forbid=["pods", "events"]), (
        Scene("forbidden-overview", waits("/", "body[data-live]:not([data-live=offline]) .tile[data-state=forbidden]")),
        Scene("forbidden-list", waits(PODS, ".empty:has-text('may not be listed')")),
        Scene("forbidden-feed", waits("/feed/", "body:not([data-live=offline])")),
    )),
    "first sync": (partial(strange, halfway={"pods": 1240}), (
        Scene("syncing-overview", waits("/", "#banner:not([hidden])")),
        Scene("syncing-list", waits(PODS, ".empty progress")),
        Scene("syncing-detail", waits(f"{PODS}default/web-0/", "body[data-live=stale]")),
    )),
    "unreachable": (unreachable, (
        Scene("unreachable-overview", waits("/", "#banner:not([hidden])")),
        Scene("unreachable-list", waits(PODS, ".empty:has-text('cannot be reached')")),
        Scene("unreachable-detail", waits(f"{PODS}default/web-0/", "#banner:not([hidden])")),
        Scene("unreachable-controllers", waits("/controllers/", "body:not([data-live=offline])")),
    )),
    "unusable": (unusable, (Scene("unusable-overview", waits("/", "#banner:not([hidden])")),)),
    "two processes": (two_processes, (
        Scene("worker-gone-overview", worker_gone(at("/"))),
        Scene("worker-gone-list", worker_gone(at(PODS, rows))),
        Scene("worker-gone-controllers", worker_gone(at("/controllers/"))),
    )),
})  # fmt: skip
"""By stage: how to make it, and what plays on it."""


def all_states() -> Iterator[tuple[str, Scene]]:
    """Each scene with the name of its stage."""
    for name, (_, scenes) in STATES.items():
        for scene in scenes:
            yield name, scene
