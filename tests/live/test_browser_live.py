"""The page's connection: live only when it is, and right again after whatever happened to the socket."""

from __future__ import annotations

import re
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.live.conftest import PageServer, open_live
from tests.wait import until

pytestmark = pytest.mark.browser

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def state(page: Page) -> str:
    return page.locator("body").get_attribute("data-live") or ""


def states(page: Page) -> list[dict[str, str]]:
    """The states that the page has gone through since it was live first."""
    found: list[dict[str, str]] = page.evaluate("window.states")
    return found


def becomes(page: Page, wanted: str, within: float = 8.0) -> None:
    expect(page.locator("body")).to_have_attribute("data-live", wanted, timeout=within * 1000)


def restarts(page: Page, name: str) -> str:
    return page.locator(f"tr[data-name='{name}'] .c-restarts").inner_text()


def shows(page: Page, name: str, number: int, within: float = 5.0) -> None:
    cell = page.locator(f"tr[data-name='{name}'] .c-restarts")
    expect(cell).to_have_text(str(number), timeout=within * 1000)


def change(server: PageServer, number: int) -> None:
    server.do("put", rows=[{"name": "pod-001", "version": number, "restarts": number}])


def test_a_page_is_offline_until_the_first_beat(page: Page, server: PageServer) -> None:
    with urllib.request.urlopen(f"{server.url}/resources/pods/") as answer:
        assert '<body data-live="offline">' in answer.read().decode()
    server.do("freeze")
    page.goto(f"{server.url}/resources/pods/")
    becomes(page, "live")  # who joins gets a beat at once


def test_a_page_that_is_current_gets_no_window_when_it_connects(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    change(server, 5)
    shows(page, "pod-001", 5)
    server.do("close", code=4012)
    until(lambda: server.do("stats")["opened"] == 2, what="connected again")
    becomes(page, "live")
    assert server.do("stats")["windows"] == 0


@pytest.mark.parametrize("code", [1000, 4012])
def test_it_connects_again_after_any_close_that_is_not_final(page: Page, server: PageServer, code: int) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("close", code=code)
    becomes(page, "offline", within=2)
    change(server, 6)
    becomes(page, "live", within=5)
    shows(page, "pod-001", 6)
    expect(page.locator("#banner")).to_be_hidden()


@pytest.mark.parametrize(
    ("code", "words"),
    [(4400, "did not understand"), (4403, "does not let"), (4404, "no such page"), (4429, "too much")],
)
def test_final_closes_are_shown_and_end_the_trying(page: Page, server: PageServer, code: int, words: str) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("close", code=code)
    expect(page.locator("#banner")).to_contain_text(words)
    page.wait_for_timeout(7000)
    assert state(page) == "offline"
    assert server.do("stats")["opened"] == 1


def test_silence_makes_it_stale_and_a_fresh_socket_makes_it_live(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("freeze")
    said = until(lambda: states(page), within=6, what="a change of state")[0]
    assert said["state"] == "stale"
    assert re.search(r"not been heard since \d\d:\d\d:\d\d", said["words"])
    until(lambda: server.do("stats")["opened"] >= 2, what="a fresh socket")
    change(server, 8)
    server.do("thaw")
    becomes(page, "live")
    shows(page, "pod-001", 8)
    assert server.do("stats")["sockets"] == 1


def test_a_server_that_hangs_is_noticed_and_the_page_is_right_once_it_goes_on(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.pause()
    until(lambda: [each for each in states(page) if each["state"] == "stale"], within=6, what="stale")
    page.wait_for_timeout(3000)
    server.resume()
    change(server, 9)
    becomes(page, "live")
    shows(page, "pod-001", 9)


def test_a_server_that_ends_leaves_the_page_offline(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.kill()
    becomes(page, "offline", within=3)
    expect(page.locator("#banner")).to_contain_text("No connection to Deltaboard since")


def test_another_process_in_its_place_sends_the_window(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("turn_away", code=4012)
    server.do("close", code=4012)
    server.do("forget")
    server.do("frame", rows=[{"name": "pod-001", "version": 3, "restarts": 3}], gone=["pod-002"])
    server.do("turn_away", code=0)
    becomes(page, "live")
    assert restarts(page, "pod-001") == "3"
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


def test_a_hidden_tab_rests_and_is_right_within_two_seconds_of_coming_back(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(HIDE, arg=True)
    until(lambda: server.do("stats")["sockets"] == 0, what="the socket closed")
    change(server, 7)
    page.evaluate(HIDE, arg=False)
    shows(page, "pod-001", 7, within=2)
    becomes(page, "live", within=2)
    assert server.do("stats")["sockets"] == 1


@pytest.mark.parametrize("event", ["new PageTransitionEvent('pageshow', {persisted: true})", "new Event('online')"])
def test_whatever_may_have_cut_the_line_gets_a_fresh_socket(page: Page, server: PageServer, event: str) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(f"window.dispatchEvent({event})")
    until(lambda: server.do("stats")["opened"] == 2, what="a fresh socket")
    becomes(page, "live")
    assert server.do("stats")["sockets"] == 1


def test_a_lost_api_server_is_said_in_words_and_the_page_recovers(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("health", state="stale", problem="connection refused", retry_in=3)
    becomes(page, "stale", within=2)
    said = re.compile(
        r"The API server has not answered since \d\d:\d\d:\d\d\. What you see is from then\. Trying again in [1-3] s\."
    )
    expect(page.locator("#banner")).to_contain_text(said)
    server.do("health", state="live")
    becomes(page, "live", within=2)
    expect(page.locator("#banner")).to_be_hidden()


def test_what_is_wrong_with_another_kind_does_not_concern_this_page(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/namespaces/")
    server.do("health", state="stale", problem="connection refused")
    page.wait_for_timeout(1500)
    becomes(page, "live", within=3)  # at once, but where the machine holds up the beats


def test_no_page_is_live_while_the_worker_cannot_be_heard(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/namespaces/")
    server.do("deafen", problem="Redis fails.")
    becomes(page, "stale", within=3)
    expect(page.locator("#banner")).to_contain_text("Redis fails.")
    server.do("deafen", problem="")
    becomes(page, "live", within=3)


def test_faults_that_come_together_are_healed_by_one_window(page: Page, server: PageServer) -> None:
    said: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda payload: said.append(str(payload))))
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate("for (const _ of [1, 2]) document.dispatchEvent(new CustomEvent('deltaboard:lost'))")
    page.wait_for_timeout(3000)  # no second question may follow in the next two seconds
    assert len([each for each in said if '"view"' in each]) == 1
    change(server, 5)
    shows(page, "pod-001", 5)
    assert state(page) == "live"


def test_what_was_applied_is_acknowledged(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    change(server, 2)
    until(lambda: server.do("stats")["acknowledged"] > 0, within=8, what="an acknowledgement")


def test_a_filter_changes_the_view_over_the_same_socket(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    before = server.do("stats")["views"]
    page.fill("#q", "pod-001")
    expect(page.locator("tbody tr")).to_have_count(1)
    until(lambda: server.do("stats")["views"] not in ([], before), what="the other view")
    change(server, 11)
    shows(page, "pod-001", 11)
    server.do("put", rows=[{"name": "pod-002", "version": 12, "restarts": 12}])
    change(server, 13)
    shows(page, "pod-001", 13)
    expect(page.locator("tbody tr")).to_have_count(1)
    assert server.do("stats")["opened"] == 1
    assert page.evaluate("window.sameDocument") is True
    assert "q=pod-001" in page.url


def test_a_mistake_in_the_filter_leaves_the_list_as_it_was_and_live(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.fill("#q", "restarts>many")
    expect(page.locator("#filter-problems")).to_contain_text("expected")
    expect(page.locator("#filter-problems")).to_contain_text("Still showing everything")
    change(server, 3)
    shows(page, "pod-001", 3)
    server.do("close", code=4012)
    becomes(page, "offline", within=2)
    becomes(page, "live")
    change(server, 4)
    shows(page, "pod-001", 4)


@pytest.mark.parametrize(
    ("path", "mistake"), [("/resources/pods/", "pod-001 restarts>x"), ("/feed/", "pod-001 op=bogus")]
)
def test_a_mistake_keeps_the_address_of_what_is_still_shown(
    page: Page, server: PageServer, path: str, mistake: str
) -> None:
    open_live(page, f"{server.url}{path}")
    page.fill("#q", "pod-001")
    expect(page).to_have_url(re.compile("q=pod-001$"))
    view = page.locator("#list").get_attribute("data-view")
    page.fill("#q", mistake)
    expect(page.locator("#filter-problems")).to_contain_text("Still showing: pod-001")
    page.press("#q", "Enter")
    page.wait_for_timeout(300)  # nothing may come of it
    expect(page.locator("#list")).to_have_attribute("data-view", view or "")
    assert page.url.endswith("q=pod-001")
    assert page.locator("#q").input_value() == mistake


def test_counts_of_every_kind_follow_on_every_page(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    count = page.locator("nav [data-count='pods']")
    expect(count).to_have_text("30")
    server.do("drop", names=["pod-000"])
    expect(count).to_have_text("29")


def test_the_feed_shows_200_entries_at_most_and_counts_the_rest(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    server.do("say", number=500)
    expect(page.locator("ol.feed li")).to_have_count(60)
    expect(page.locator("h1")).to_contain_text("440 more")
    for _ in range(4):
        server.do("say", number=50)
        page.wait_for_timeout(300)
    expect(page.locator("ol.feed li")).to_have_count(200)
    newest = page.locator("ol.feed li").evaluate_all("items => items.map(item => Number(item.dataset.seq))")
    assert newest == sorted(newest, reverse=True)
    assert newest[0] == 700


def test_the_overview_follows(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.evaluate("document.addEventListener('deltaboard:rates', ({detail}) => { window.rates = detail; })")
    server.do("put", rows=[{"name": "pod-001", "version": 2, "status": "CrashLoopBackOff", "tone": "bad"}])
    expect(page.locator(".wrong-card")).to_contain_text("default/pod-001")
    expect(page.locator(".latest-card li").first).to_contain_text("pod-001")
    until(lambda: page.evaluate("window.rates && window.rates.modified.at(-1) >= 1"), what="the chart's data")


def test_details_follow_deletion_and_creation_under_the_same_name(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-003/")
    server.do("put", rows=[{"name": "pod-003", "version": 2, "obj": {"kind": "Pod", "spec": {"nodeName": "node-9"}}}])
    expect(page.locator("main")).to_contain_text("spec")
    expect(page.locator("pre.code")).to_contain_text("node-9")
    server.do("drop", names=["pod-003"])
    expect(page.locator("main")).to_contain_text("was deleted")
    server.do("put", rows=[{"name": "pod-003", "uid": "new-one", "version": 9}])
    expect(page.locator("main")).to_contain_text("this one was created again")
    expect(page.locator("article.detail")).to_have_attribute("data-uid", "new-one")
    assert page.evaluate("window.sameDocument") is True


def test_a_frame_of_more_than_64_kb_arrives(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("put", rows=[{"name": f"new-{index:02d}", "node": f"{index:02d}" * 1000} for index in range(50)])
    expect(page.locator("tbody tr")).to_have_count(80)
    assert states(page) == []


def test_what_is_too_big_for_a_message_is_fetched(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-003/")
    server.do("bulk", name="pod-003", size=1_200_000)
    expect(page.locator("pre.code")).to_contain_text("theEnd: here", timeout=15_000)
    server.do("put", rows=[{"name": "pod-003", "version": 3, "obj": {"kind": "Pod", "spec": {"nodeName": "node-9"}}}])
    expect(page.locator("pre.code")).to_contain_text("node-9")
    assert page.evaluate("window.sameDocument") is True


@pytest.mark.parametrize("path", ["", "yaml/"])
@pytest.mark.parametrize("answer", [None, {"status": 503, "body": "no"}, {"status": 200, "body": "<p>Sign in</p>"}])
def test_a_page_that_cannot_fetch_what_is_too_big_is_not_live_and_tries_again(
    page: Page, server: PageServer, path: str, answer: dict[str, Any] | None
) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-003/{path}")
    page.route("**/resources/**", lambda route: route.fulfill(**answer) if answer else route.abort())
    server.do("bulk", name="pod-003", size=1_200_000)
    becomes(page, "stale", within=5)
    expect(page.locator("#banner")).to_contain_text("being fetched")
    page.wait_for_timeout(2500)
    assert state(page) == "stale"
    expect(page.locator("main h1")).to_contain_text("pod-003")
    page.unroute("**/resources/**")
    becomes(page, "live", within=8)
    expect(page.locator("pre.code")).to_contain_text("theEnd: here")
    page.wait_for_timeout(2500)
    assert (state(page), page.evaluate("window.sameDocument")) == ("live", True)
