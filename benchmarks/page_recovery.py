"""Benchmark of the time until an open page says that it is stale, and until it shows the truth again, for each fault.

    python -m benchmarks.page_recovery [--rounds 3] [--away 5] [--cases "line cut" hidden]

A web process whose cluster is made up, a line to it that can be frozen and cut, and Chromium. While the page cannot
know, one pod changes. The page shows the truth when it says live and has that change. Both times are the page's own
notes, in seconds: stale counts from the fault, or where the page itself was away from its return; the truth counts from
when it can be had again.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.support.result_table import Line, main
from tests.dashboard.live.test_reconnect_browser import HIDE, PODS, SLEEP
from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.browser.page_server_program import PageServer
from tests.support.tcp_proxy import Line as Wire
from tests.support.wait import until

PATIENCE = 60_000
"""Milliseconds after which a page that does not come right ends the program."""
RECORD_STATES = """
window.notes = [];
const note = () => {
  const state = document.body.dataset.live;
  const shown = document.querySelector("tr[data-name=pod-001] .c-restarts")?.textContent.trim();
  const [, lastState, lastShown] = window.notes.at(-1) ?? [];
  if (state === lastState && shown === lastShown) return;
  window.notes.push([performance.timeOrigin + performance.now(), state, shown]);
};
document.addEventListener("deltaboard:state", note);
document.addEventListener("DOMContentLoaded", () => new MutationObserver(note).observe(document.body,
  { subtree: true, childList: true, characterData: true, attributeFilter: ["data-live"] }));
addEventListener("pageshow", ({persisted}) => { window.persisted = persisted; });
"""
"""Notes when the page's state or what it shows of one pod changes, by the machine's clock in milliseconds."""
SAW_STALE = "since => window.notes.some(([at, state]) => at >= since && state !== 'live')"
SAW_TRUTH = """([since, wanted]) => window.notes.some(
  ([at, state, shown]) => at >= since && state === 'live' && shown === wanted)"""


@dataclass(frozen=True)
class CaseTimes:
    """Times of a case in Unix seconds, from which stale and the truth count, and the expected truth."""

    broken_at: float
    restored_at: float
    expected_text: str


@dataclass(frozen=True)
class Scene:
    """A page that is open and live, and what can be done to it."""

    server: PageServer
    wire: Wire
    browser: Browser
    page: Page
    away_seconds: float
    """Seconds for which the browser is stopped, or goes on trying in vain."""
    numbers: Iterator[int]

    def change(self) -> str:
        """Something that the page has to show from now on."""
        number = next(self.numbers)
        self.server.do("put", rows=[{"name": "pod-001", "version": number, "restarts": number}])
        return str(number)

    def becomes_stale(self, since: float) -> None:
        self.page.wait_for_function(SAW_STALE, arg=since * 1e3, timeout=PATIENCE)

    def wait_for_failed_retry(self, since: float) -> None:
        """Stale, and some seconds more: how soon a page tries again depends on how often it has."""
        self.becomes_stale(since)
        self.page.wait_for_timeout(self.away_seconds * 1e3)

    def is_alone(self) -> None:
        """The page has one socket, and no old one is left."""
        until(lambda: self.server.do("stats")["sockets"] == 1, within=PATIENCE / 1e3, what="one socket")


def server_frozen(scene: Scene) -> CaseTimes:
    struck = time.time()
    scene.server.pause()
    scene.wait_for_failed_retry(struck)
    back = time.time()
    scene.server.resume()
    return CaseTimes(struck, back, scene.change())


def line_broken(scene: Scene, fault: Callable[[Wire], None]) -> CaseTimes:
    struck = time.time()
    fault(scene.wire)
    scene.wait_for_failed_retry(struck)
    wanted = scene.change()
    back = time.time()
    scene.wire.mend()
    return CaseTimes(struck, back, wanted)


def line_gone(scene: Scene) -> CaseTimes:
    """A new one could be had at once: the truth counts from when the page knows."""
    struck = time.time()
    scene.wire.strand()
    wanted = scene.change()
    scene.becomes_stale(struck)
    back = next(
        at / 1e3 for at, state, _ in scene.page.evaluate("window.notes") if at >= struck * 1e3 and state != "live"
    )
    return CaseTimes(struck, back, wanted)


def machine_asleep(scene: Scene) -> CaseTimes:
    """Half an hour: the line is gone when the machine wakes, and the clock has gone on."""
    scene.wire.strand()
    wanted = scene.change()
    back = time.time()
    scene.page.evaluate("window.slept += 1800 * 1000")
    return CaseTimes(back, back, wanted)


def browser_stopped(scene: Scene) -> CaseTimes:
    session = scene.browser.new_browser_cdp_session()
    processes = [each["id"] for each in session.send("SystemInfo.getProcessInfo")["processInfo"]]
    session.detach()
    _signal(processes, signal.SIGSTOP)
    try:
        time.sleep(scene.away_seconds)
        wanted = scene.change()
    finally:
        back = time.time()
        _signal(processes, signal.SIGCONT)
    return CaseTimes(back, back, wanted)


def _signal(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        os.kill(process, number)


def page_left(scene: Scene) -> CaseTimes:
    """Another page, and back to this one in the browser's cache."""
    scene.page.goto(scene.page.url.replace(PODS, "/feed/"))
    scene.page.wait_for_selector("body[data-live=live]")
    scene.is_alone()
    wanted = scene.change()
    back = time.time()
    scene.page.go_back(wait_until="commit")
    scene.page.wait_for_function("window.persisted", timeout=PATIENCE)
    return CaseTimes(back, back, wanted)


def page_hidden(scene: Scene) -> CaseTimes:
    scene.page.evaluate(HIDE, arg=True)
    until(lambda: not scene.server.do("stats")["views"], within=PATIENCE / 1e3, what="the hidden page rests")
    wanted = scene.change()
    scene.page.wait_for_timeout(1500)  # a beat comes, by which it might think that it is up to date
    back = time.time()
    scene.page.evaluate(HIDE, arg=False)
    return CaseTimes(back, back, wanted)


CASES: dict[str, tuple[str, Callable[[Scene], CaseTimes]]] = {
    "server frozen": ("server frozen (SIGSTOP)", server_frozen),
    "line frozen": ("line frozen: open, nothing passes", partial(line_broken, fault=Wire.freeze)),
    "line cut": ("line cut", partial(line_broken, fault=Wire.cut)),
    "line gone": ("line gone without a word, another to be had", line_gone),
    "asleep": ("laptop slept half an hour, its line gone", machine_asleep),
    "browser stopped": ("browser stopped (SIGSTOP)", browser_stopped),
    "put away": ("back from the back/forward cache", page_left),
    "hidden": ("hidden, and seen again", page_hidden),
}


@contextmanager
def open_scene(away: float) -> Iterator[Scene]:
    """All that is needed, with the page open and live."""
    server = PageServer()
    try:
        server.open()
        with Wire(int(server.url.rpartition(":")[2])) as line, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_path(whole=True),
                args=ARGUMENTS,
                ignore_default_args=["--disable-back-forward-cache"],
            )
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(SLEEP)
            page.add_init_script(RECORD_STATES)
            page.goto(f"http://127.0.0.1:{line.port}{PODS}")
            page.wait_for_selector("body[data-live=live]")
            yield Scene(server, line, browser, page, away, itertools.count(1))
            browser.close()
    finally:
        server.resume()
        server.__exit__()


def measure_case(scene: Scene, case: Callable[[Scene], CaseTimes]) -> tuple[float, float]:
    """Seconds until the page says stale, and until it shows the truth."""
    moments = case(scene)
    page = scene.page
    page.wait_for_function(SAW_TRUTH, arg=[moments.restored_at * 1e3, moments.expected_text], timeout=PATIENCE)
    notes = [(at / 1e3, state, shown) for at, state, shown in page.evaluate("window.notes")]
    stale = next(at for at, state, _ in notes if at >= moments.broken_at and state != "live")
    right = next(at for at, *said in notes if at >= moments.restored_at and said == ["live", moments.expected_text])
    scene.is_alone()
    return stale - moments.broken_at, right - moments.restored_at


def measure(arguments: argparse.Namespace) -> list[Line]:
    """A line for each case: the median of all rounds, and the worst of them."""
    lines = []
    with open_scene(arguments.away) as opened:
        for name in arguments.cases:
            what, case = CASES[name]
            stale, right = zip(*(measure_case(opened, case) for _ in range(arguments.rounds)), strict=True)
            figures = {
                "says stale after, s": statistics.median(stale),
                "at worst, s": max(stale),
                "shows the truth after, s": statistics.median(right),
                "at the worst, s": max(right),
            }
            lines.append(Line(what, figures))
    return lines


def parser() -> argparse.ArgumentParser:
    parsed = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parsed.add_argument("--rounds", type=int, default=3, help="how often each (3)")
    parsed.add_argument("--away", type=float, default=5, help="seconds of trying in vain, or of a stopped browser (5)")
    parsed.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES], help="which (all)")
    return parsed


if __name__ == "__main__":
    main("An open page's life: when it says stale, and when it is right again", measure, parser())
