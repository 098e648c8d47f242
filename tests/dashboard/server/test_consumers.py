"""Tests of the socket's endpoint: allowed requests, and the close code of each refusal."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from autobahn.exception import Disconnected
from channels.testing import WebsocketCommunicator

from dashboard.live.hub.browser_socket import ACKNOWLEDGE_TIMEOUT, RECONNECT_CODE
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.layout.requested_kind import UnavailableKind
from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.runtime.concurrency_limit import Limits
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from dashboard.server.consumers import VIEW_BURST, VIEWS_PER_SECOND, LiveConsumer
from dashboard.server.live_view_quotas import ViewQuotas
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.socket_limits import SocketLimits
from dashboard.server.websocket_connection import (
    BUSY,
    CONNECTION,
    MAX_MESSAGE_BYTES,
    TOO_MUCH,
    WebSocketConnection,
)
from dashboard.server.wiring.metrics import exposition
from dashboard.server.wiring.worker import build_worker_process
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.replica_feeder import Feeder, Feeders, pod
from tests.support.pages.app_state import AttributeState
from tests.support.wait import eventually

SOCKETS = 6
"""Open sockets that a user may have here."""
ROLES = "clusterroles.rbac.authorization.k8s.io"


class Endpoint:
    """A hub behind the consumer, and browsers that connect to it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, [pod("a"), pod("b")])
        self.roles = Feeder(ROLES, self.clock)
        feeders = Feeders(self.pods, Feeder("namespaces", self.clock), self.roles)
        self.hub = Hub(feeders, self.clock)
        self.interest = Interest(feeders, self.hub, self.clock)
        self.parts = SimpleNamespace(
            hub=self.hub,
            clock=self.clock,
            interest=self.interest,
            object_counts=SimpleNamespace(shared_names=frozenset()),
            replicas=feeders,
            socket_limits=SocketLimits(in_all=2 * SOCKETS, per_user=SOCKETS),
        )
        self.connection = WebSocketConnection()
        self._open: list[WebsocketCommunicator] = []

    async def connect(self, path: str = "/resources/pods/", seq: str = "") -> WebsocketCommunicator:
        application = LiveConsumer.as_asgi()

        async def wired(scope: dict[str, Any], receive: Any, send: Any) -> None:
            CONNECTION.set(self.connection)
            await application({**scope, SCOPE_KEY: AttributeState(self.parts)}, receive, send)

        browser = WebsocketCommunicator(wired, f"/live/?{urlencode({'path': path, 'view': '', 'seq': seq})}")
        accepted, _ = await browser.connect()
        assert accepted
        self._open.append(browser)
        return browser

    async def end(self) -> None:
        for browser in self._open:
            await browser.disconnect()


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    endpoint = Endpoint()
    yield endpoint
    await endpoint.end()


async def heard(browser: WebsocketCommunicator) -> dict[str, Any]:
    message = await browser.receive_output(2)
    assert message["type"] == "websocket.send", message
    found: dict[str, Any] = json.loads(message["text"])
    return found


async def closed(browser: WebsocketCommunicator) -> int:
    """The close code; frames before it are passed over."""
    while (message := await browser.receive_output(2))["type"] != "websocket.close":
        pass
    return int(message["code"])


async def test_a_page_gets_its_view_then_the_beat(endpoint: Endpoint) -> None:
    browser = await endpoint.connect("/resources/pods/?q=a")
    hello, window, beat = [await heard(browser) for _ in range(3)]
    assert (hello["keys"], hello["path"]) == (["pods"], "/resources/pods/?q=a")
    assert window["view"] == hello["view"]
    assert "row-uid-default-a" in window["content"]
    assert "row-uid-default-b" not in window["content"]
    assert beat["beat"]["state"] == "live"


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("/", ["pods", "namespaces", ROLES]),
        ("/feed/?kind=pods", ["pods"]),
        ("/resources/pods/default/a/", ["pods"]),
        ("/resources/pods/default/a/yaml/", ["pods"]),
        ("/resources/pods/default/nobody/", ["pods"]),
        ("/resources/po/", ["pods"]),
        ("/resources/pods/default/a/edit/", ["pods"]),
        ("/resources/pods/default/a/edit/status/", ["pods"]),
        ("/theme/", []),
        ("/nowhere/", []),
        ("", []),
    ],
)
async def test_every_page_has_a_socket(endpoint: Endpoint, path: str, keys: list[str]) -> None:
    browser = await endpoint.connect(path)
    assert (await heard(browser))["keys"] == keys


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nonsense", 4400),
        ("//evil.example/", 4400),
        ("https://evil.example/", 4400),
        ("/\\evil.example/", 4400),
        ("/" + "x" * 10_000, 4400),
        ("/resources/pods/?" + "a&" * 1500, 4400),
        ("/nowhere.js", 4404),
        ("/resources/unknownkinds/", 4404),
    ],
)
async def test_what_cannot_be_followed_is_closed_with_its_code(endpoint: Endpoint, path: str, code: int) -> None:
    browser = await endpoint.connect(path)
    assert await closed(browser) == code
    assert not endpoint.hub.sockets


@pytest.mark.parametrize(
    "said",
    [
        "no json",
        "[]",
        "{}",
        '{"ack": "many"}',
        '{"ack": -1}',
        '{"ack": 1.5}',
        '{"view": 3}',
        '{"other": 1}',
        '{"view": "/", "ack": 1}',
        '{"view": "javascript:alert(1)"}',
        json.dumps({"view": "/" + "x" * MAX_MESSAGE_BYTES}),
    ],
)
async def test_nonsense_ends_the_connection(endpoint: Endpoint, said: str) -> None:
    browser = await endpoint.connect()
    await browser.send_to(text_data=said)
    assert await closed(browser) == 4400
    assert not endpoint.hub.sockets


@pytest.mark.parametrize("letter", ["x", "é", "界"])
async def test_a_message_may_have_16_kb_and_not_a_byte_more(endpoint: Endpoint, letter: str) -> None:
    empty = len(json.dumps({"view": "/resources/pods/", "seq": ""}))
    number, rest = divmod(MAX_MESSAGE_BYTES - empty, len(letter.encode()))
    longest = json.dumps({"view": "/resources/pods/", "seq": letter * number + "x" * rest}, ensure_ascii=False)
    assert len(longest.encode()) == MAX_MESSAGE_BYTES
    browser = await endpoint.connect("/resources/pods/?q=a")
    await browser.send_to(text_data=longest)
    while (await heard(browser)).get("path") != "/resources/pods/":
        pass
    await browser.send_to(text_data=longest + " ")
    assert await closed(browser) == 4400


async def test_what_is_refused_is_counted_by_its_code_and_shown_to_prometheus(endpoint: Endpoint) -> None:
    for said in ("no json", '{"other": 1}', json.dumps({"view": "/" + "x" * MAX_MESSAGE_BYTES})):
        browser = await endpoint.connect()
        await browser.send_to(text_data=said)
        assert await closed(browser) == 4400
    assert await closed(await endpoint.connect("/nowhere.js")) == 4404
    assert endpoint.hub.metrics.sockets_refused == {4400: 3, 4404: 1}
    shown, _ = exposition(build_worker_process(with_worker=False), WebNumbers(endpoint.hub, [], 2000))
    assert 'deltaboard_sockets_refused_total{code="4400"} 3.0' in shown.decode()
    assert 'deltaboard_sockets_refused_total{code="4404"} 1.0' in shown.decode()


async def test_a_page_that_rests_follows_the_heartbeat_only(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    shown, _, _ = [await heard(browser) for _ in range(3)]
    await browser.send_to(text_data='{"view": "", "seq": "", "beside": ""}')
    assert await heard(browser) == {"view": "", "seq": "", "keys": [], "path": ""}
    assert "beat" in await heard(browser)
    (socket,) = endpoint.hub.sockets
    assert socket.view is None
    await browser.send_to(text_data=json.dumps({"view": "/resources/pods/", "seq": "", "beside": ""}))
    assert (await heard(browser))["view"] == shown["view"]


async def test_binary_messages_end_the_connection(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    await browser.send_to(bytes_data=b"\x00")
    assert await closed(browser) == 4400


async def test_a_page_may_change_its_view(endpoint: Endpoint) -> None:
    browser = await endpoint.connect("/resources/pods/?q=a")
    first, _, _ = [await heard(browser) for _ in range(3)]
    await browser.send_to(text_data='{"view": "/resources/pods/?q=b"}')
    hello, window, _ = [await heard(browser) for _ in range(3)]
    assert hello["view"] != first["view"]
    assert "row-uid-default-b" in window["content"]
    assert len(endpoint.hub.sockets) == 1


async def test_a_list_whose_address_opens_an_object_follows_both(endpoint: Endpoint) -> None:
    browser = await endpoint.connect("/resources/pods/?open=default/b")
    said = [await heard(browser) for _ in range(5)]
    opened = open_detail(endpoint.hub, endpoint.hub.kinds[0], "default", "b")
    assert [message["view"] for message in said if message.get("beside")] == [opened.id]
    assert {message["view"] for message in said if "content" in message} == {said[0]["view"], opened.id}
    await browser.send_to(json.dumps({"view": "/resources/pods/?open=default/b", "seq": "", "beside": opened.seq}))
    again = [await heard(browser) for _ in range(4)]
    assert [message["view"] for message in again if "content" in message] == [said[0]["view"]]


async def test_a_page_may_look_at_view_after_view_but_not_without_end(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    for number in range(VIEW_BURST - 1):
        await browser.send_to(text_data=json.dumps({"view": f"/resources/pods/?q=p{number}"}))
    endpoint.clock.skip(1 / VIEWS_PER_SECOND)
    await browser.send_to(text_data='{"view": "/resources/pods/?q=later"}')
    while (await heard(browser)).get("path") != "/resources/pods/?q=later":
        pass
    made = len(endpoint.hub.views)
    await browser.send_to(text_data='{"view": "/resources/pods/?q=one-more"}')
    assert await closed(browser) == TOO_MUCH
    assert len(endpoint.hub.views) == made
    assert not endpoint.hub.sockets


async def test_a_page_whose_view_cannot_be_made_is_asked_to_come_back(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("dashboard.server.live_view_routing.open_list", broken)
    browser = await endpoint.connect()
    assert await closed(browser) == RECONNECT_CODE
    assert "a fault of ours" in caplog.text


async def test_a_name_that_is_quoted_in_the_address_leads_to_the_view_of_its_page(endpoint: Endpoint) -> None:
    page = open_detail(endpoint.hub, endpoint.hub.kinds[2], "", "system:node")
    browser = await endpoint.connect(f"/resources/{ROLES}/-/system%3Anode/")
    assert (await heard(browser))["view"] == page.id


async def test_acknowledgements_reach_the_hub(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    messages = [await heard(browser) for _ in range(3)]
    units = sum(len(json.dumps(message, separators=(",", ":"))) for message in messages)
    await browser.send_to(text_data=json.dumps({"ack": units}))
    (socket,) = endpoint.hub.sockets
    await eventually(lambda: socket.unacknowledged_units == 0, what="all acknowledged")


async def test_a_browser_to_which_a_message_cannot_be_sent_is_asked_to_come_back(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("too long")

    browser = await endpoint.connect()
    assert "keys" in await heard(browser)
    monkeypatch.setattr(LiveConsumer, "send", refuse)
    endpoint.clock.skip(1)
    endpoint.hub.tick()
    assert await closed(browser) == RECONNECT_CODE
    assert not endpoint.hub.sockets
    assert "too long" in caplog.text


async def test_a_browser_that_is_going_is_forgotten_without_a_word(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Between the browser's close frame and the end of the connection, which is a moment too short to hit."""

    async def refuse(*_: Any, **__: Any) -> None:
        raise Disconnected("Attempt to send on a closed protocol")

    browser = await endpoint.connect()
    assert "keys" in await heard(browser)
    monkeypatch.setattr(LiveConsumer, "send", refuse)
    endpoint.clock.skip(1)
    endpoint.hub.tick()
    await eventually(lambda: not endpoint.hub.sockets, what="nobody is left")
    assert caplog.text == ""


async def test_who_goes_is_forgotten(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    await heard(browser)
    assert len(endpoint.hub.sockets) == 1
    await browser.disconnect()
    await eventually(lambda: not endpoint.hub.sockets, what="nobody is left")


class BlockedConnection(WebSocketConnection):
    """A connection whose browser reads nothing, and whose protocol has refused what it sent."""

    refusal = 4429
    is_writable = False

    def __init__(self) -> None:
        self.handled = 0
        self.aborted = False

    async def wait_until_writable(self) -> None:
        await asyncio.Event().wait()

    def message_handled(self) -> None:
        self.handled += 1

    def abort(self) -> None:
        self.aborted = True


async def test_a_connection_that_cannot_be_written_is_aborted_instead_of_closed(endpoint: Endpoint) -> None:
    endpoint.connection = blocked = BlockedConnection()
    browser = await endpoint.connect()
    await browser.send_to(text_data='{"ack": 1000000}')
    await eventually(lambda: blocked.handled == 1, what="the connection may read on")
    (socket,) = endpoint.hub.sockets
    assert (socket.delivered_units, socket.acknowledged_units) == (0, 0)
    endpoint.clock.skip(ACKNOWLEDGE_TIMEOUT + 1)
    endpoint.hub.tick()
    await eventually(lambda: blocked.aborted, what="the connection is aborted")
    assert await browser.receive_nothing()
    assert endpoint.hub.metrics.sockets_aborted == 1
    assert not endpoint.hub.sockets


async def test_what_the_connection_has_refused_is_counted(endpoint: Endpoint) -> None:
    endpoint.connection = BlockedConnection()
    browser = await endpoint.connect()
    await browser.disconnect(code=4429)
    assert endpoint.hub.metrics.sockets_refused == {4429: 1}


async def test_too_many_sockets_are_turned_away_until_one_has_ended(endpoint: Endpoint) -> None:
    browsers = [await endpoint.connect() for _ in range(SOCKETS)]
    assert await closed(await endpoint.connect()) == BUSY
    assert len(endpoint.hub.sockets) == SOCKETS
    shown, _ = exposition(build_worker_process(with_worker=False), WebNumbers(endpoint.hub, [], 2000))
    assert 'deltaboard_sockets_turned_away_total{limit="user"} 1.0' in shown.decode()
    await browsers[0].disconnect()
    assert "keys" in await heard(await endpoint.connect())


async def test_a_page_of_a_kind_that_was_let_go_of_has_it_followed_again(endpoint: Endpoint) -> None:
    browser = await endpoint.connect("/resources/secrets/")
    assert (await heard(browser))["keys"] == ["secrets"]
    assert endpoint.interest.keys == ("secrets",)


async def test_a_page_of_a_kind_that_cannot_be_followed_as_well_shows_it_all_the_same(endpoint: Endpoint) -> None:
    limits = OnDemandLimits(kinds=1)
    endpoint.interest = Interest(endpoint.parts.replicas, endpoint.hub, endpoint.clock, limits=limits)
    endpoint.parts.interest = endpoint.interest
    endpoint.interest.follow(KINDS["secrets"])
    browser = await endpoint.connect("/resources/leases/")
    assert (await heard(browser))["keys"] == ["leases.coordination.k8s.io"]
    assert endpoint.interest.keys == ("secrets",)


async def test_a_socket_that_ends_while_it_waits_for_its_view_gives_its_place_back(endpoint: Endpoint) -> None:
    endpoint.parts.view_quotas = ViewQuotas(Limits(1000, 1), endpoint.clock, Counter())  # a turn takes a second
    first = await endpoint.connect()
    await heard(first)
    waiting = [await endpoint.connect() for _ in range(SOCKETS - 1)]
    for browser in waiting:
        await browser.disconnect()
    other = await endpoint.connect("/resources/pods/?q=a")
    assert await other.receive_nothing()
    await endpoint.clock.advance(1.0)
    assert (await heard(other))["path"] == "/resources/pods/?q=a"
    assert len(endpoint.hub.sockets) == 2


async def test_a_page_that_waits_for_the_api_server_holds_up_no_other(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = asyncio.Event()

    async def hang(*_: object) -> UnavailableKind:
        await answered.wait()
        return UnavailableKind(None)

    monkeypatch.setattr("dashboard.server.consumers.open_kind", hang)
    endpoint.parts.view_quotas = ViewQuotas(Limits(1000, 1000), endpoint.clock, Counter())
    slow = await endpoint.connect("/resources/gadgets.example.com/")
    await run_ready_tasks()
    await endpoint.clock.advance(1.0)
    assert (await heard(await endpoint.connect()))["path"] == "/resources/pods/"
    answered.set()
    assert await closed(slow) == 4404


async def test_only_the_last_view_that_a_page_asked_for_is_opened(endpoint: Endpoint) -> None:
    endpoint.parts.view_quotas = ViewQuotas(Limits(1000, 1), endpoint.clock, Counter())
    browser = await endpoint.connect()
    hello, _, _ = [await heard(browser) for _ in range(3)]
    for letter in "ab":
        await browser.send_to(text_data=json.dumps({"view": f"/resources/pods/?q={letter}", "seq": ""}))
    await run_ready_tasks()
    await endpoint.clock.advance(1.0)
    assert (await heard(browser))["path"] == "/resources/pods/?q=b"
    assert hello["view"]
