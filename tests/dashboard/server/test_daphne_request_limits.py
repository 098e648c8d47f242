"""Tests of daphne's requests with limits: who is asked first, whose room a body takes, and when it is too slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from dashboard.runtime.concurrency_limit import Limits
from dashboard.runtime.proxy_settings import read_peers
from dashboard.server.body_limits import MIB, BodyLimits, BodyRoom, NoRoomForBody
from dashboard.server.connection_limits import OpenConnections
from dashboard.server.daphne_request_limits import (
    ARRIVAL_SECONDS,
    MIN_BYTES_PER_SECOND,
    TOO_MANY_SOCKETS,
    TOO_SLOW,
    ArrivalLimits,
    LimitedFactory,
    LimitedRequest,
)
from dashboard.server.guard import Guard
from dashboard.server.socket_limits import FEWEST_AT_ONCE, SocketRates
from dashboard.server.trusted_proxy import SECRET_HEADER, TrustedProxy
from tests.support.clock import FakeClock

USER = "X-Forwarded-User"
ROOM = Limits(2 * MIB, 3 * MIB)
PROXY = f"{SECRET_HEADER}: known\r\n"


class Server:
    """What a request needs of daphne's server."""

    root_path = ""
    proxy_forwarded_address_header = None
    request_buffer_size = 8192

    def __init__(self) -> None:
        self.scopes: list[dict[str, Any]] = []
        self.handshakes = 0
        self.ws_factory = self

    def buildProtocol(self, _: object) -> Protocol:  # noqa: N802 -- Twisted's name
        """A websocket whose handshake has begun, and which says nothing."""
        self.handshakes += 1
        return Protocol()

    def protocol_connected(self, protocol: object) -> None:
        """Daphne notes the time."""

    def protocol_disconnected(self, protocol: object) -> None:
        """Daphne forgets it."""

    def create_application(self, protocol: object, scope: dict[str, Any]) -> None:
        """Like an application that has ended before the request's body was given to it."""
        self.scopes.append(scope)


class Transport(StringTransport):
    """A transport that notes how it ends."""

    is_closing = is_aborted = False

    def loseWriteConnection(self) -> None:  # noqa: N802 -- Twisted's name
        self.is_closing = True

    def abortConnection(self) -> None:  # noqa: N802 -- Twisted's name
        self.is_aborted = True


class Connected(NamedTuple):
    """One connection with both of its ends."""

    channel: Any
    transport: Any

    def send(self, text: str | bytes) -> str:
        """Send, and read what has been answered so far."""
        self.channel.dataReceived(text.encode("latin-1") if isinstance(text, str) else text)
        return str(self.transport.value().decode())

    def end(self) -> None:
        """The line is cut."""
        if self.transport.connected:
            self.transport.connected = False
            self.channel.connectionLost(ConnectionResetError())


class Arrivals(NamedTuple):
    """A server with its limits and its clock."""

    server: Server
    limits: ArrivalLimits
    clock: Clock
    factory: Any
    opened: list[Connected]

    def connect(self) -> Connected:
        channel = self.factory.buildProtocol(None)
        channel.callLater = self.clock.callLater
        transport: Any = Transport()  # type: ignore[no-untyped-call]
        channel.makeConnection(transport)
        self.opened.append(Connected(channel, transport))
        return self.opened[-1]


@pytest.fixture
def arrivals(monkeypatch: pytest.MonkeyPatch) -> Iterator[Arrivals]:
    async def application(*_: object) -> None:
        raise AssertionError("daphne's server has no application here")

    proxy = TrustedProxy(USER, read_peers("unix,192.168.1.1"), "known")
    guard = Guard(application, allowed_hosts=["here"], proxy=proxy)
    refused: Counter[str] = Counter()
    connections = OpenConnections(1024, lambda _: True, refused)
    sockets = SocketRates(1, FakeClock())
    limits = ArrivalLimits(BodyLimits(2 * MIB, ROOM), BodyRoom(ROOM), sockets, connections, guard.identify, refused)
    monkeypatch.setattr(LimitedRequest, "limits", limits, raising=False)
    monkeypatch.setattr(LimitedFactory, "limits", limits)
    monkeypatch.setattr("daphne.http_protocol.WebRequest", LimitedRequest)
    server, clock = Server(), Clock()
    factory = LimitedFactory(server)
    factory.reactor = clock
    opened: list[Connected] = []
    yield Arrivals(server, limits, clock, factory, opened)
    for connected in opened:
        connected.end()


def head(user: str = "alice", *, length: int | None = MIB, host: str = "here", proxy: str = PROXY) -> str:
    body = "Transfer-Encoding: chunked\r\n" if length is None else f"Content-Length: {length}\r\n"
    return f"POST /new/ HTTP/1.1\r\nHost: {host}\r\n{USER}: {user}\r\n{proxy}{body}\r\n"


def test_a_body_takes_room_of_the_user_whom_the_proxy_names(arrivals: Arrivals) -> None:
    assert arrivals.connect().send(head() + "x" * 1000) == ""
    arrivals.limits.room.take(("user alice",), 2 * MIB - 1000)
    with pytest.raises(NoRoomForBody):
        arrivals.limits.room.take(("user alice",), 1)
    arrivals.limits.room.take(("user bob",), MIB)


@pytest.mark.parametrize(
    ("request_head", "status", "sentence"),
    [
        (head(proxy=""), 403, "lacks the header X-Deltaboard-Proxy-Secret"),
        (head(user=""), 403, "Nobody is signed in"),
        (head(host="elsewhere"), 400, "not served as 'elsewhere'"),
        (head(proxy="", length=None), 403, "lacks the header X-Deltaboard-Proxy-Secret"),
        (head(proxy="", length=300 * MIB), 403, "lacks the header X-Deltaboard-Proxy-Secret"),
    ],
    ids=["not the proxy", "no user", "another host", "in chunks", "over the limit"],
)
def test_the_guard_refuses_a_body_before_any_of_it_is_counted(
    arrivals: Arrivals, request_head: str, status: int, sentence: str
) -> None:
    connected = arrivals.connect()
    answer = connected.send(request_head)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert sentence in answer
    connected.send("5\r\nhello\r\n")
    assert connected.transport.is_closing
    arrivals.limits.room.take(("user alice",), 2 * MIB)
    assert arrivals.server.scopes == []


def test_a_user_name_in_latin_1_is_no_fault_of_the_server(arrivals: Arrivals) -> None:
    refused = arrivals.connect().send(head(user="J\xfcrgen", length=4))
    assert refused.startswith("HTTP/1.1 403 ")
    assert "is not UTF-8" in refused


def test_the_room_is_given_back_when_the_connection_is_lost(arrivals: Arrivals) -> None:
    connected = arrivals.connect()
    connected.send(head() + "x" * 1000)
    connected.end()
    arrivals.limits.room.take(("user alice",), 2 * MIB)


def test_a_request_without_a_body_is_left_to_the_application(arrivals: Arrivals) -> None:
    arrivals.connect().send("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n")
    assert [scope["path"] for scope in arrivals.server.scopes] == ["/"]


def test_a_body_that_drips_in_is_refused(arrivals: Arrivals) -> None:
    connected = arrivals.connect()
    connected.send(head())
    for _ in range(int(ARRIVAL_SECONDS)):
        assert connected.send("x") == ""
        arrivals.clock.advance(1)
    arrivals.clock.advance(1)
    answer = connected.transport.value().decode()
    assert answer.startswith("HTTP/1.1 408 ")
    assert answer.endswith(f"{TOO_SLOW}\n")
    assert arrivals.limits.refused == {"bodies": 1}
    arrivals.limits.room.take(("user alice",), 2 * MIB)


def test_a_large_body_over_a_slow_line_has_the_time_that_it_needs(arrivals: Arrivals) -> None:
    connected = arrivals.connect()
    connected.send(head())
    for _ in range(MIB // MIN_BYTES_PER_SECOND - 1):
        assert connected.send("x" * MIN_BYTES_PER_SECOND) == ""
        arrivals.clock.advance(1)
    connected.send("x" * MIN_BYTES_PER_SECOND)
    assert len(arrivals.server.scopes) == 1
    arrivals.clock.advance(10 * ARRIVAL_SECONDS)
    assert not connected.transport.is_aborted


@pytest.mark.parametrize("start", ["P", "POST /new/ HTTP/1.1\r\nHo"])
def test_a_head_that_drips_in_ends_the_connection(arrivals: Arrivals, start: str) -> None:
    connected = arrivals.connect()
    connected.send(start)
    arrivals.clock.advance(ARRIVAL_SECONDS + 1)
    assert connected.transport.is_closing or connected.transport.is_aborted


def test_an_idle_connection_is_not_judged_by_its_last_request(arrivals: Arrivals) -> None:
    connected = arrivals.connect()
    connected.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    arrivals.clock.advance(2 * ARRIVAL_SECONDS)
    assert not connected.transport.is_aborted


def test_connections_are_counted_until_they_end(arrivals: Arrivals) -> None:
    connections = OpenConnections(0, lambda _: True, arrivals.limits.refused)
    object.__setattr__(arrivals.limits, "connections", connections)
    opened = [arrivals.connect() for _ in range(64)]
    for connected in opened:
        connected.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    assert arrivals.factory.buildProtocol(None) is None
    opened[0].end()
    assert arrivals.factory.buildProtocol(None) is not None


def test_an_idle_connection_makes_room_for_a_new_one(arrivals: Arrivals) -> None:
    object.__setattr__(arrivals.limits, "connections", OpenConnections(0, lambda _: True, arrivals.limits.refused))
    opened = [arrivals.connect() for _ in range(64)]
    opened[0].send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    assert arrivals.factory.buildProtocol(None) is not None
    assert [connected.transport.is_aborted for connected in opened] == [number == 1 for number in range(64)]


def open_socket(arrivals: Arrivals, user: str, *, proxy: str = PROXY, origin: str = "http://here") -> str:
    return arrivals.connect().send(
        f"GET /live/ HTTP/1.1\r\nHost: here\r\nOrigin: {origin}\r\n{USER}: {user}\r\n{proxy}"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    )


def test_who_opens_too_many_sockets_is_refused_before_the_handshake(arrivals: Arrivals) -> None:
    for _ in range(FEWEST_AT_ONCE):
        assert open_socket(arrivals, "alice") == ""
    answer = open_socket(arrivals, "alice")
    assert answer.startswith("HTTP/1.1 429 ")
    assert answer.endswith(f"{TOO_MANY_SOCKETS}\n")
    assert arrivals.limits.refused == {"sockets": 1}
    assert arrivals.server.handshakes == FEWEST_AT_ONCE
    assert open_socket(arrivals, "bob") == ""
    assert arrivals.server.handshakes == FEWEST_AT_ONCE + 1


@pytest.mark.parametrize("refused", [{"proxy": ""}, {"origin": "http://elsewhere"}], ids=["no secret", "another site"])
def test_who_is_not_let_in_opens_only_so_many_and_none_of_those_who_are(
    arrivals: Arrivals, refused: dict[str, str]
) -> None:
    answers = [open_socket(arrivals, "alice", **refused) for _ in range(FEWEST_AT_ONCE + 1)]
    assert answers[:-1] == [""] * FEWEST_AT_ONCE
    assert answers[-1].startswith("HTTP/1.1 429 ")
    assert arrivals.limits.refused == {"sockets": 1}
    assert arrivals.server.handshakes == FEWEST_AT_ONCE
    assert open_socket(arrivals, "alice") == ""
    assert arrivals.limits.sockets.allow(("address 192.168.1.1",))
