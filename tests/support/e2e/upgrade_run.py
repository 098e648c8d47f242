"""Run of an upgrade and its way back with pages open and objects changing, and what each page showed meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Page

from tests.support.e2e import expected_page_content
from tests.support.e2e.page_recording_check import Verdict
from tests.support.e2e.random_changes import PODS, Changes
from tests.support.e2e.recorded_open_page import RecordedPage
from tests.support.e2e.two_versions import TwoVersions

TAKE = 3.0
"""Seconds between two looks at what the pages have recorded."""
EDIT = 2.0
"""Seconds between two edits."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which a page did not say live."""

    at: float
    seconds: float
    """Without those in which the browser or the programs behind the page waited for a processor."""
    state: str


@dataclass
class Film:
    """What the pages showed: `steps` has each step's name and the time at which it was done."""

    steps: list[tuple[float, str]] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)

    def rows(self) -> Iterator[tuple[str, float, int, int, float]]:
        """Of each step: name, seconds, pages that were stale, pages that were offline, longest time of one of both."""
        began = self.steps[0][0]
        for ended, name in self.steps[1:]:
            within = [each for each in self.silences if began <= each.at < ended]
            stale = sum(each.state == "stale" for each in within)
            longest = max((each.seconds for each in within), default=0.0)
            yield name, ended - began, stale, len(within) - stale, longest
            began = ended


def open_pages(
    versions: TwoVersions, changes: Changes, new_page: Callable[[], Page], number: int
) -> list[RecordedPage]:
    """Lists of every form, then as many pages of pods as are wanted, each of another pod."""
    namespace = changes.namespace
    path, pods = expected_page_content.all_pods(namespace)
    restarts_path, restarts = expected_page_content.pods_with_restarts(namespace)
    mydemos_path, mydemos = expected_page_content.all_mydemos(namespace)
    counts = expected_page_content.counts(PODS)
    wanted = [(path, [pods, counts]), (restarts_path, [restarts, counts]), (mydemos_path, [mydemos, counts])]
    names = sorted(changes.history.now(PODS))
    for place in range(number - len(wanted)):
        name = names[place % len(names)]
        changes.kept.add(name)
        detail_path, subject = expected_page_content.details(namespace, name)
        wanted.append((detail_path, [subject, counts]))
    return [
        RecordedPage(new_page(), versions.proxy.url + path, *subjects, waited=versions.waited)
        for path, subjects in wanted[:number]
    ]


def record(
    versions: TwoVersions,
    changes: Changes,
    pages: list[RecordedPage],
    steps: Iterator[str],
    *,
    rate: float,
    pause: float,
) -> Film:
    """Do the steps, each followed by `pause` seconds, while `rate` objects change a second and one is edited."""
    film = Film()
    with changes.going_on(rate), _edits(versions), _in_background(steps, pause) as done:
        look_on(pages, lambda: bool(done.seen))
        while done.thread.is_alive():
            look_on(pages, lambda: not done.thread.is_alive())
    done.check()
    film.steps = done.seen
    for page in pages:
        page.agree(changes.history)
    changes.confirm()
    for page in pages:
        film.verdict.add(page.judge(changes.history))
        film.silences += [each for each in silences(page) if each.at >= film.steps[0][0]]
    return film


def look_on(pages: list[RecordedPage], until: Callable[[], bool]) -> None:
    """Fetch what the pages record until something is so."""
    while not until():
        pages[0].page.wait_for_timeout(TAKE * 1000)
        for page in pages:
            page.recording.take()


def silences(page: RecordedPage) -> Iterator[Silence]:
    """The times in which a page did not say live."""
    began: float | None = None
    states: set[str] = set()
    for shot in page.recording.shots():
        if shot.state != "live":
            began = shot.at if began is None else began
            states.add(shot.state)
        elif began is not None:
            seconds = shot.at - began - page.recording.stalled(began, shot.at)
            yield Silence(began, seconds, "stale" if states == {"stale"} else "offline")
            began, states = None, set()


class _Steps:
    """Steps that are done in a thread of their own."""

    def __init__(self, steps: Iterator[str], pause: float) -> None:
        self.seen: list[tuple[float, str]] = []
        self._failed: list[BaseException] = []
        self.thread = threading.Thread(target=self._do, args=(steps, pause), name="steps")

    def _do(self, steps: Iterator[str], pause: float) -> None:
        try:
            self.seen.append((time.time(), "begin"))
            for name in steps:
                time.sleep(pause)
                self.seen.append((time.time(), name))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is for the thread that waits
            self._failed.append(error)

    def check(self) -> None:
        for error in self._failed:
            raise error


@contextmanager
def _in_background(steps: Iterator[str], pause: float) -> Iterator[_Steps]:
    done = _Steps(steps, pause)
    done.thread.start()
    try:
        yield done
    finally:
        done.thread.join()


@contextmanager
def _edits(versions: TwoVersions) -> Iterator[None]:
    ending = threading.Event()

    def go_on() -> None:
        while not ending.wait(EDIT):
            versions.edit()

    thread = threading.Thread(target=go_on, name="edits")
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
