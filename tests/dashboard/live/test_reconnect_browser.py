"""Tests of a page without its server: hidden, frozen, in the back-forward cache, asleep, on lines that break.

In every case the page never says live while it shows old data, it heals without a reload and with the typed text, and
it has one socket.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.browser.live_page import open_live, wait_for_heard_beats
from tests.support.browser.page_server_program import PageServer
from tests.support.tcp_proxy import Line
from tests.support.wait import until

pytestmark = pytest.mark.browser

PODS = "/resources/pods/"
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
NOTE = """() => {
  window.seen = [];
  const cell = () => document.querySelector("tr[data-name=pod-001] .c-restarts")?.textContent.trim();
  document.addEventListener("deltaboard:state", ({detail}) => window.seen.push([detail.state, cell()]));
}"""
"""Notes what the page shows of one pod whenever its state changes."""
SLEEP = """
const dateNow = Date.now;
window.slept = 0;
Date.now = () => dateNow() + window.slept;
"""
"""Has Date run ahead of performance.now(), as it does where that stands still while the machine sleeps."""
SLOW = 12_000
"""Bytes a second of a slow line."""
NOISE = 500
"""Bytes in a row that no compression makes smaller, and whose digits a cell shows: forty such rows make a frame of
20 kB."""
TOO_SLOW = "s old: the connection to Deltaboard, or this browser, is too slow"
SAYS = """words => [document.body.dataset.live, document.getElementById("banner").textContent.includes(words)]"""


@pytest.fixture
def line(server: PageServer) -> Iterator[Line]:
    with Line(int(server.url.rpartition(":")[2])) as line:
        yield line


def address(line: Line) -> str:
    return f"http://127.0.0.1:{line.port}{PODS}"


def change(server: PageServer, number: int) -> None:
    server.do("put", rows=[{"name": "pod-001", "version": number, "restarts": number}])


def wait_for_beats(server: PageServer, number: int) -> None:
    """Until the server has sent so many more heartbeats, be they heard or not; it sends one a second."""
    wanted = server.do("stats")["beats"] + number
    until(lambda: server.do("stats")["beats"] >= wanted, what=f"{number} beats")


def restarts(page: Page) -> str:
    return page.locator("tr[data-name='pod-001'] .c-restarts").inner_text()


def is_true_again(page: Page, server: PageServer, number: int, sockets: int = 1) -> None:
    """The page shows this state of the pod, is live, has one socket, and is the document it was."""
    expect(page.locator("tr[data-name='pod-001'] .c-restarts")).to_have_text(str(number), timeout=30_000)
    expect(page.locator("body")).to_have_attribute("data-live", "live", timeout=30_000)
    until(lambda: server.do("stats")["sockets"] == sockets, what="one socket")
    assert page.evaluate("window.sameDocument") is True


def becomes_stale(page: Page) -> None:
    """For a moment at least, since the states were forgotten last."""
    until(lambda: page.evaluate("window.states.some(({state}) => state !== 'live')"), what="stale")


def live_moments(page: Page) -> set[str]:
    """What the page showed of the pod whenever it said live since NOTE."""
    return {shown for state, shown in page.evaluate("window.seen") if state == "live"}


@contextmanager
def browser_of_its_own(chromium: Browser, *, whole: bool = False, **options: object) -> Iterator[Browser]:
    path = chromium_path(whole=whole)
    browser = chromium.browser_type.launch(executable_path=path, args=ARGUMENTS, **options)  # type: ignore[arg-type]
    try:
        yield browser
    finally:
        browser.close()


# --- nobody looks ---


@pytest.mark.long
def test_a_hidden_page_follows_the_heartbeat_only_and_its_tab_goes_on_telling_the_truth(
    page: Page, server: PageServer
) -> None:
    open_live(page, server.url + PODS)
    page.evaluate(HIDE, arg=True)
    until(lambda: server.do("stats")["views"] == [], what="it rests")
    server.do("health", state="stale", problem="connection refused")
    expect(page).to_have_title("(stale) Pods · test · Deltaboard")
    server.do("health", state="live")
    expect(page).to_have_title("Pods · test · Deltaboard")
    assert server.do("stats")["opened"] == 1


@pytest.mark.long
def test_a_page_that_is_seen_again_is_not_live_before_it_shows_what_changed(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    page.evaluate(HIDE, arg=True)
    until(lambda: server.do("stats")["views"] == [], what="it rests")
    change(server, 7)
    wait_for_heard_beats(page, beats=2)  # by which it might think that it is up to date
    assert restarts(page) == "0"
    page.evaluate(NOTE)
    page.evaluate(HIDE, arg=False)
    is_true_again(page, server, 7)
    assert page.evaluate("window.seen[0][0]") == "stale"
    assert live_moments(page) == {"7"}
    assert server.do("stats")["opened"] == 1


def test_a_page_that_is_hidden_for_a_moment_asks_for_nothing(page: Page, server: PageServer) -> None:
    said: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda payload: said.append(str(payload))))
    open_live(page, server.url + PODS)
    said.clear()  # a page whose script came after its socket has asked once what it follows
    for hidden in (True, False) * 5:
        page.evaluate(HIDE, arg=hidden)
    change(server, 3)
    is_true_again(page, server, 3)
    assert [each for each in said if '"view"' in each] == []
    assert server.do("stats")["opened"] == 1


@pytest.mark.long
def test_a_hidden_page_that_has_lost_its_socket_connects_again_and_rests_on(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    page.evaluate(HIDE, arg=True)
    until(lambda: server.do("stats")["views"] == [], what="it rests")
    server.do("close", code=4012)
    until(lambda: server.do("stats")["opened"] == 2, what="connected again")
    stats = server.do("stats")
    assert (stats["sockets"], stats["views"]) == (1, [])
    change(server, 4)
    page.evaluate(HIDE, arg=False)
    is_true_again(page, server, 4)


@pytest.mark.long
def test_a_page_that_the_browser_froze_is_right_when_it_thaws(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    browser = page.context.new_cdp_session(page)
    browser.send("Page.setWebLifecycleState", {"state": "frozen"})
    change(server, 5)
    wait_for_beats(server, 5)  # longer than silence may last
    browser.send("Page.setWebLifecycleState", {"state": "active"})
    is_true_again(page, server, 5)


@pytest.mark.long
def test_a_page_from_the_back_forward_cache_has_a_fresh_socket_and_what_was_typed(
    chromium: Browser, server: PageServer
) -> None:
    with browser_of_its_own(chromium, whole=True, ignore_default_args=["--disable-back-forward-cache"]) as browser:
        page = browser.new_page()
        open_live(page, server.url + PODS)
        page.evaluate("addEventListener('pageshow', ({persisted}) => { window.persisted = persisted; })")
        page.locator("#q").fill("pod-00")
        expect(page.locator("tbody tr")).to_have_count(10)
        page.goto(f"{server.url}/feed/")
        expect(page.locator("body")).to_have_attribute("data-live", "live")
        until(lambda: server.do("stats")["sockets"] == 1, what="the old page's socket is closed")
        until(lambda: server.do("stats")["closed"] == [1000], what="in order")
        change(server, 6)
        page.go_back(wait_until="commit")  # no page is loaded
        until(lambda: is_from_the_cache(page), what="the page is taken from the cache")
        is_true_again(page, server, 6)
        expect(page.locator("#q")).to_have_value("pod-00")
        expect(page.locator("tbody tr")).to_have_count(10)


def is_from_the_cache(page: Page) -> bool:
    """Whether the page has been told so; False while one page takes the place of the other."""
    try:
        return bool(page.evaluate("window.persisted === true"))
    except Error:
        return False


# --- the machine sleeps ---


@pytest.mark.long
@pytest.mark.parametrize("survives", [True, False], ids=["its line survives", "its line is gone"])
def test_a_page_notices_that_the_machine_slept_and_takes_a_fresh_socket(
    page: Page, server: PageServer, line: Line, survives: bool
) -> None:
    page.add_init_script(SLEEP)
    open_live(page, address(line))
    if not survives:
        line.strand()
    change(server, 8)
    page.evaluate("window.slept = 1800 * 1000")
    until(lambda: server.do("stats")["opened"] == 2, what="one fresh socket")
    is_true_again(page, server, 8)
    assert page.evaluate("window.states[0].state") == "stale"


@pytest.mark.long
def test_what_was_slept_counts_in_the_age_of_the_last_word(page: Page, server: PageServer) -> None:
    page.add_init_script(SLEEP)
    open_live(page, server.url + PODS)
    server.pause()
    page.evaluate("window.slept = 1800 * 1000")
    expect(page.locator("header [data-age=browser]").first).to_have_text("30 min ago")
    expect(page.locator("body")).to_have_attribute("data-live", "stale")
    server.resume()
    expect(page.locator("body")).to_have_attribute("data-live", "live")


@pytest.mark.long
def test_a_browser_that_was_stopped_whole_reads_nothing_old_as_new(chromium: Browser, server: PageServer) -> None:
    with browser_of_its_own(chromium) as browser:
        page = browser.new_page()
        open_live(page, server.url + PODS)
        page.evaluate(NOTE)
        found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
        processes = [each["id"] for each in found["processInfo"]]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            for number in range(1, 9):
                wait_for_beats(server, 1)  # as many lie unread
                change(server, number)
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)
        is_true_again(page, server, 8)
        # "2" was over for 5 s: a page is live with what came 3 s late, and a busy server may send a second later
        assert live_moments(page).isdisjoint({"0", "1", "2"}), "older than a live page may be"


# --- the line breaks ---

Fault = Callable[[PageServer, Line, Page], None]


def _frozen(_server: PageServer, line: Line, page: Page) -> None:
    line.freeze()
    becomes_stale(page)


def _cut(_server: PageServer, line: Line, page: Page) -> None:
    line.cut()
    becomes_stale(page)


def _dropped(_server: PageServer, line: Line, page: Page) -> None:
    line.drop()
    becomes_stale(page)


def _stranded(_server: PageServer, line: Line, page: Page) -> None:
    line.strand()
    becomes_stale(page)


def _stopped(server: PageServer, _line: Line, page: Page) -> None:
    server.pause()
    becomes_stale(page)


def _closed(server: PageServer, _line: Line, page: Page) -> None:
    server.do("close", code=random.choice([1000, 4012]))
    becomes_stale(page)


def _replaced(server: PageServer, _line: Line, page: Page) -> None:
    server.do("close", code=4012)
    server.do("forget")


def _skipped(server: PageServer, _line: Line, _page: Page) -> None:
    server.do("skip")


def _hidden(server: PageServer, _line: Line, page: Page) -> None:
    page.evaluate(HIDE, arg=True)
    page.evaluate(HIDE, arg=False)


def _offline(_server: PageServer, _line: Line, page: Page) -> None:
    page.context.set_offline(True)
    page.context.set_offline(False)


FAULTS: dict[str, Fault] = {
    "frozen": _frozen, "cut": _cut, "dropped": _dropped, "stranded": _stranded, "stopped": _stopped,
    "closed": _closed, "replaced": _replaced, "skipped": _skipped, "hidden": _hidden, "offline": _offline,
}  # fmt: skip


def mend(server: PageServer, line: Line) -> None:
    line.mend()
    server.resume()


@pytest.mark.long
@pytest.mark.parametrize("name", ["frozen", "cut", "dropped", "stranded", "stopped"])
def test_a_line_that_breaks_is_noticed_and_the_page_heals_by_itself(
    page: Page, server: PageServer, line: Line, name: str
) -> None:
    open_live(page, address(line))
    page.evaluate(NOTE)
    FAULTS[name](server, line, page)
    if name == "stopped":
        line.freeze()  # or it would be live, and right, before the change
    server.resume()
    change(server, 9)
    line.mend()
    is_true_again(page, server, 9)
    if name in {"frozen", "cut", "stopped"}:  # after the others it is live, and was right, before the change
        assert live_moments(page) == {"9"}


@pytest.mark.long
def test_after_twenty_faults_there_is_one_socket_each_row_once_and_what_was_typed(
    page: Page, server: PageServer, line: Line
) -> None:
    chance = random.Random(7)
    open_live(page, address(line))
    page.locator("#q").fill("pod-0")
    expect(page).to_have_url(f"{address(line)}?q=pod-0")
    for number in range(1, 21):
        name = chance.choice([*FAULTS])
        if number % 5 == 0:
            page.locator("#q").fill(f"pod-0{'' if number % 2 else '0'}")
        page.evaluate("window.states.length = 0")
        FAULTS[name](server, line, page)
        server.resume()
        server.do("frame", rows=[{"name": f"pod-0new-{number}", "version": 1}], gone=[])
        change(server, number)
        mend(server, line)
        is_true_again(page, server, number)
        ids = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.id)")
        assert len(ids) == len(set(ids)), f"{number}: {name}"
    assert page.locator("#q").input_value() == "pod-00"
    expect(page.locator("tbody tr:not([data-gone])")).to_have_count(10)


# --- the line is slow ---


@pytest.mark.long
def test_a_page_on_a_slow_line_says_how_old_it_is_and_is_sent_one_window_when_it_has_caught_up(
    page: Page, server: PageServer, line: Line
) -> None:
    """A view has a frame a second at least, be it as costly as it may (see LONGEST_WAIT): one is more than the line
    carries in that time, so that it falls behind on a machine of any speed, and less than it carries in three, after
    which a page would take it for silent.
    """
    open_live(page, address(line))
    line.slow(rate=SLOW)
    versions = itertools.count(1)

    def falls_behind() -> int:
        number = next(versions)
        noise = [{"name": f"pod-{n:03d}", "version": number, "node": os.urandom(NOISE).hex()} for n in range(2, 42)]
        server.do("put", rows=[{"name": "pod-001", "version": number, "restarts": number}, *noise])
        return number if server.do("stats")["stops"] and page.evaluate(SAYS, TOO_SLOW) == ["stale", True] else 0

    number = until(falls_behind, within=120, what="it says that the line is too slow, and is sent nothing")
    windows = server.do("stats")["windows"]
    line.mend()
    is_true_again(page, server, number)
    assert server.do("stats")["windows"] > windows


@pytest.mark.long
def test_a_late_page_is_not_given_a_socket_after_another(page: Page, server: PageServer, line: Line) -> None:
    open_live(page, address(line))
    line.slow(delay=1.0)
    change(server, 3)
    wait_for_heard_beats(page, beats=4)
    is_true_again(page, server, 3)
    assert server.do("stats")["opened"] == 1
