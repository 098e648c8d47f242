"""Tests of a page's connection: live only when it is, and correct again after any fault of the socket."""

from __future__ import annotations

import random
import re
import time
import urllib.request
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocket, expect

from tests.support.browser.live_page import open_live, states_not_live, wait_for_heard_beats
from tests.support.browser.page_server_program import PageServer
from tests.support.long_tests import long_but
from tests.support.wait import until

pytestmark = pytest.mark.browser


def state(page: Page) -> str:
    return page.locator("body").get_attribute("data-live") or ""


def states(page: Page) -> list[dict[str, str]]:
    """The states that the page has gone through since it was live first."""
    found: list[dict[str, str]] = page.evaluate("window.states")
    return found


def becomes(page: Page, wanted: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-live", wanted)


def was(page: Page, wanted: str) -> None:
    """For a moment at least, since it was live first."""
    until(lambda: [each for each in states(page) if each["state"] == wanted], within=30, what=wanted)


def restarts(page: Page, name: str) -> str:
    return page.locator(f"tr[data-name='{name}'] .c-restarts").inner_text()


def shows(page: Page, name: str, number: int) -> None:
    expect(page.locator(f"tr[data-name='{name}'] .c-restarts")).to_have_text(str(number))


def change(server: PageServer, number: int) -> None:
    server.do("put", rows=[{"name": "pod-001", "version": number, "restarts": number}])


@pytest.mark.long
def test_a_page_is_offline_until_the_first_beat(page: Page, server: PageServer) -> None:
    with urllib.request.urlopen(f"{server.url}/resources/pods/") as answer:
        assert '<body data-live="offline">' in answer.read().decode()
    server.do("freeze")
    page.goto(f"{server.url}/resources/pods/")
    becomes(page, "live")  # who joins gets a beat at once


@pytest.mark.long
def test_a_page_that_is_current_gets_no_window_when_it_connects(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    change(server, 5)
    shows(page, "pod-001", 5)
    server.do("close", code=4012)
    until(lambda: server.do("stats")["opened"] == 2, what="connected again")
    becomes(page, "live")
    assert server.do("stats")["windows"] == 0


@pytest.mark.long
def test_a_page_of_a_server_that_shows_it_otherwise_by_now_fetches_itself(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    view = page.locator("#list").get_attribute("data-view")
    server.do("rename", salt="another version")
    server.do("close", code=4012)
    expect(page.locator("#list")).not_to_have_attribute("data-view", view or "")
    becomes(page, "live")
    expect(page.locator("#banner")).to_be_hidden()
    change(server, 7)
    shows(page, "pod-001", 7)


@pytest.mark.long
def test_only_while_fetching_does_not_help_the_page_says_that_it_is_to_be_reloaded(
    page: Page, server: PageServer
) -> None:
    """What comes is the page as it was, or nothing at all; later it is what it should be."""
    pages = [page, page.context.new_page()]
    for each, fails in zip(pages, (False, True), strict=True):
        open_live(each, f"{server.url}/resources/pods/")
        before = {"body": each.request.get(each.url).text(), "content_type": "text/html"}
        each.route("**/resources/pods/", partial(respond, None if fails else before))
    server.do("rename", salt="a third version")
    server.do("close", code=4012)
    for each in pages:
        expect(each.locator("#banner")).to_contain_text("Reload the page")
        becomes(each, "stale")
        each.unroute("**/resources/pods/")
    for each in pages:
        becomes(each, "live")
        expect(each.locator("#banner")).to_be_hidden()
    change(server, 7)
    for each in pages:
        shows(each, "pod-001", 7)
        assert each.evaluate("window.sameDocument") is True


@pytest.mark.long
@pytest.mark.parametrize("code", [1000, 4012])
def test_it_connects_again_after_any_close_that_is_not_final(page: Page, server: PageServer, code: int) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("close", code=code)
    was(page, "offline")
    change(server, 6)
    becomes(page, "live")
    shows(page, "pod-001", 6)
    expect(page.locator("#banner")).to_be_hidden()


FINAL = {
    4400: "did not understand",
    4401: "You are signed out",
    4403: "does not let",
    4404: "no longer has this page",
    4429: "too much",
}


@pytest.mark.long
def test_final_closes_are_shown_and_end_the_trying(page: Page, server: PageServer) -> None:
    closed: list[Page] = []
    page.context.clock.install()
    for code, words in FINAL.items():
        closed.append(page if not closed else page.context.new_page())
        open_live(closed[-1], f"{server.url}/resources/pods/")
        server.do("close", code=code)  # those before have no socket any more
        expect(closed[-1].locator("#banner")).to_contain_text(words)
    page.context.clock.run_for(60_000)
    assert [state(each) for each in closed] == ["offline"] * len(FINAL)
    assert server.do("stats")["opened"] == len(FINAL)


SEND = "text => document.getElementById('socket')._htmx.ws.connection.socket.send(text)"


@pytest.mark.long
@pytest.mark.parametrize(
    "said",
    ["no json", '{"order": "pizza"}', '{"view": "%s"}' % ("/" * 16_384), "x" * (1024 * 1024 + 1)],
    ids=["no JSON", "unknown", "over 16 kB", "over 1 MB"],
)
def test_nonsense_from_a_page_ends_its_socket_is_shown_and_counted(page: Page, server: PageServer, said: str) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(SEND, arg=said)
    expect(page.locator("#banner")).to_contain_text("did not understand what this page asked for. Reload the page.")
    becomes(page, "offline")
    assert server.do("stats")["refused"] == {"4400": 1}
    until(lambda: server.do("stats")["sockets"] == 0, what="no socket")


@pytest.mark.long
def test_a_page_that_is_one_too_many_says_so_and_is_let_in_later(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("turn_away", code=4503)
    server.do("close", code=4012)
    expect(page.locator("#banner")).to_contain_text(
        "Deltaboard is busy: too many of its pages are open, or were opened at once."
    )
    assert state(page) == "offline"
    server.do("turn_away", code=0)
    change(server, 6)
    becomes(page, "live")
    shows(page, "pod-001", 6)
    assert page.evaluate("window.sameDocument") is True


NOTE_SENDS = """() => {
  window.sends = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) { window.sends.push(performance.now()); send.call(this, data); };
}"""
MOST_IN_A_SECOND = """() => Math.max(
  ...window.sends.map((first) => window.sends.filter((each) => each >= first && each < first + 1000).length))"""


@pytest.mark.long
def test_a_page_under_a_load_of_large_changes_acknowledges_far_less_often_than_it_may(
    page: Page, server: PageServer
) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-001/yaml/")
    page.evaluate(NOTE_SENDS)
    for version in range(2, 40):
        obj = {"kind": "Pod", "spec": {"noise": random.randbytes(75_000).hex(), "version": f"version-{version}-here"}}
        server.do("put", rows=[{"name": "pod-001", "version": version, "obj": obj}])
    expect(page.locator("#main")).to_contain_text("version-39-here")
    assert page.evaluate("window.sends.length") > 1
    assert page.evaluate(MOST_IN_A_SECOND) <= 12
    stats = server.do("stats")
    assert (stats["opened"], stats["refused"]) == (1, {})


@pytest.mark.long
def test_silence_makes_it_stale_and_a_fresh_socket_makes_it_live(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("freeze")
    said = until(lambda: states(page), what="a change of state")[0]
    assert said["state"] == "stale"
    assert re.search(r"not been heard since \d\d:\d\d:\d\d", said["words"])
    until(lambda: server.do("stats")["opened"] >= 2, what="a fresh socket")
    change(server, 8)
    server.do("thaw")
    becomes(page, "live")
    shows(page, "pod-001", 8)
    until(lambda: server.do("stats")["sockets"] == 1, what="one socket")


@pytest.mark.long
def test_a_server_that_hangs_is_noticed_and_the_page_is_right_once_it_goes_on(page: Page, server: PageServer) -> None:
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    open_live(page, f"{server.url}/resources/pods/")
    opened = len(sockets)
    server.pause()
    was(page, "stale")
    until(lambda: page.title() and len(sockets) > opened, within=30, what="a socket that nobody answers")
    server.resume()
    change(server, 9)
    becomes(page, "live")
    shows(page, "pod-001", 9)


def test_a_server_that_ends_leaves_the_page_offline(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.kill()
    becomes(page, "offline")
    expect(page.locator("#banner")).to_contain_text("No connection to Deltaboard since")


def test_another_process_in_its_place_sends_the_window(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("turn_away", code=4012)
    server.do("close", code=4012)
    becomes(page, "offline")
    server.do("forget")
    server.do("frame", rows=[{"name": "pod-001", "version": 3, "restarts": 3}], gone=["pod-002"])
    server.do("turn_away", code=0)
    becomes(page, "live")
    assert restarts(page, "pod-001") == "3"  # no page is live before it shows that
    expect(page.locator("tr[data-name='pod-002']")).to_have_count(0)
    assert server.do("stats")["windows"] == 1


def test_a_frame_that_does_not_follow_on_is_not_applied_and_the_window_heals(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("skip")
    change(server, 4)
    shows(page, "pod-001", 4)
    assert server.do("stats")["windows"] == 1
    change(server, 5)
    shows(page, "pod-001", 5)
    assert server.do("stats")["windows"] == 1


NOTE_QUESTIONS = """
() => {
  const {socket} = document.getElementById("socket")._htmx.ws.connection;
  const send = socket.send.bind(socket);
  window.asked = [];
  socket.send = (text) => {
    if ("view" in JSON.parse(text)) window.asked.push(document.body.dataset.live);
    send(text);
  };
}
"""
"""Which state the page was in whenever it asked for a window."""


@pytest.mark.long
def test_from_a_second_hole_on_the_page_is_not_live_though_it_may_not_ask_yet(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(NOTE_QUESTIONS)
    for number in (4, 5):
        server.do("skip")
        change(server, number)
        shows(page, "pod-001", number)
        becomes(page, "live")
    assert page.evaluate("window.asked") == ["stale", "stale"]
    assert server.do("stats")["windows"] == 2


NOTE_STATES = """
() => {
  let lost = false;
  window.said = [];
  document.addEventListener("deltaboard:lost", () => { lost = true; });
  new MutationObserver(() => {
    const { live } = document.body.dataset;
    const whole = document.querySelector("tr[data-name=pod-002]") !== null;
    const words = `${live}, ${whole ? "whole" : "without the row"}`;
    if (lost && words !== window.said.at(-1)) window.said.push(words);
    lost &&= !(whole && live === "live");
  }).observe(document.body, { attributeFilter: ["data-live"] });
}
"""
"""What was said from a loss on until the page was live and whole. Heartbeats that are late may make it stale at any
time, and other words at the same state are no other state."""


@pytest.mark.long
def test_a_frame_that_could_not_be_placed_leaves_the_page_not_live_until_the_window(
    page: Page, server: PageServer
) -> None:
    """The second window may not be asked for at once; the frame itself must not make up for it."""
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(NOTE_STATES)
    for number in (1, 2):
        page.evaluate("document.querySelector('tr[data-name=pod-002]').remove()")
        change(server, number + 3)
        expect(page.locator("tr[data-name=pod-002]")).to_have_count(1)
        becomes(page, "live")
        said = page.evaluate("window.said")
        assert "live, without the row" not in said
        assert said.count("live, whole") == number
        assert "stale, without the row" in said
    assert server.do("stats")["windows"] == 2


def test_a_lost_api_server_is_said_in_words_and_the_page_recovers(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("health", state="stale", problem="connection refused", retry_in=90)
    becomes(page, "stale")
    said = re.compile(
        r"The API server has not answered since \d\d:\d\d:\d\d\. What you see is from then\. Trying again in \d\d s\."
    )
    expect(page.locator("#banner")).to_contain_text(said)
    server.do("health", state="live")
    becomes(page, "live")
    expect(page.locator("#banner")).to_be_hidden()


def test_what_is_wrong_with_another_kind_does_not_concern_this_page(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/namespaces/")
    another_kind_does_not_concern(page, server)


def another_kind_does_not_concern(page: Page, server: PageServer) -> None:
    page.evaluate("document.addEventListener('deltaboard:beat', ({detail}) => { window.beat = detail; })")
    server.do("health", state="stale", problem="connection refused")
    until(lambda: page.evaluate("window.beat?.problems.pods?.state") == "stale", what="the beat that says so")
    becomes(page, "live")  # at once, but where the machine holds up the beats


@pytest.mark.long
def test_a_page_whose_script_comes_late_knows_what_concerns_it(page: Page, server: PageServer) -> None:
    """htmx connects as soon as it and hx-ws are there; what is said before the page's own script is, nobody hears.

    Where htmx was there long before hx-ws it is that script which connects, and the page is opened once more.
    """
    early: list[bool] = []

    def hold_back(route: Route) -> None:
        until(lambda: server.do("stats")["sockets"] == 1 or time.monotonic() > begun + 5)
        early.append(server.do("stats")["sockets"] == 1)
        route.continue_()

    page.route("**/live/main.js", hold_back)
    while not any(early):
        page.goto("about:blank")
        until(lambda: server.do("stats")["sockets"] == 0, what="the page before is gone")
        begun = time.monotonic()
        page.goto(f"{server.url}/resources/namespaces/")
    another_kind_does_not_concern(page, server)


@pytest.mark.long
def test_no_page_is_live_while_the_worker_cannot_be_heard(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/namespaces/")
    server.do("deafen", problem="Redis fails.")
    becomes(page, "stale")
    expect(page.locator("#banner")).to_contain_text("Redis fails.")
    server.do("deafen", problem="")
    becomes(page, "live")


@pytest.mark.long
def test_faults_that_come_together_are_healed_by_one_window(page: Page, server: PageServer) -> None:
    said: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda payload: said.append(str(payload))))
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate("for (const _ of [1, 2]) document.dispatchEvent(new CustomEvent('deltaboard:lost'))")
    wait_for_heard_beats(page, beats=3)  # no second question may follow in the next two seconds
    assert len([each for each in said if '"seq":""' in each]) == 1
    change(server, 5)
    shows(page, "pod-001", 5)
    becomes(page, "live")


@pytest.mark.long
def test_what_was_applied_is_acknowledged(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    change(server, 2)
    until(lambda: server.do("stats")["acknowledged"] > 0, what="an acknowledgement")


def test_a_frame_of_more_than_64_kb_arrives(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("put", rows=[{"name": f"new-{index:02d}", "node": f"{index:02d}" * 1000} for index in range(50)])
    expect(page.locator("tbody tr")).to_have_count(80)
    assert states_not_live(page) == []


def test_what_is_too_big_for_a_message_is_fetched(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-003/")
    server.do("bulk", name="pod-003", size=1_200_000)
    expect(page.locator("pre.code")).to_contain_text("theEnd: here")
    server.do("put", rows=[{"name": "pod-003", "version": 3, "obj": {"kind": "Pod", "spec": {"nodeName": "node-9"}}}])
    expect(page.locator("pre.code")).to_contain_text("node-9")
    assert page.evaluate("window.sameDocument") is True


ANSWERS: tuple[dict[str, Any] | None, ...] = (None, {"status": 503, "body": "no"}, {"body": "<p>Sign in</p>"})
"""None: there is none."""


@pytest.mark.long
@pytest.mark.parametrize("path", long_but(["", "yaml/"], ""))
def test_a_page_that_cannot_fetch_what_is_too_big_is_not_live_and_tries_again(
    page: Page, server: PageServer, path: str
) -> None:
    pages = [page, *(page.context.new_page() for _ in ANSWERS[1:])]
    for each, answer in zip(pages, ANSWERS, strict=True):
        open_live(each, f"{server.url}/resources/pods/default/pod-003/{path}")
        each.route("**/resources/**", partial(respond, answer))
    server.do("bulk", name="pod-003", size=1_200_000)
    for each in pages:
        becomes(each, "stale")
        expect(each.locator("#banner")).to_contain_text("being fetched")
    wait_for_heard_beats(page, beats=4)  # a page fetches every two seconds
    for each in pages:
        assert state(each) == "stale"
        expect(each.locator("main h1")).to_contain_text("pod-003")
        each.unroute("**/resources/**")
        becomes(each, "live")
        expect(each.locator("pre.code")).to_contain_text("theEnd: here")
    wait_for_heard_beats(page, beats=2)
    for each in pages:
        becomes(each, "live")
        assert each.evaluate("window.sameDocument") is True


def respond(answer: dict[str, Any] | None, route: Route) -> None:
    """In the server's place."""
    if answer is None:
        route.abort()
    else:
        route.fulfill(**answer)
