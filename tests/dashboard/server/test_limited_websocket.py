"""Tests of daphne's websocket with limits: what is refused, when reading stops, and when something can be written."""

from __future__ import annotations

import asyncio
import gc
import struct
import weakref
from typing import Any, NamedTuple

import pytest
from daphne.ws_protocol import WebSocketFactory
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from dashboard.server.limited_websocket import FRAME_BURST, FRAMES_PER_SECOND, DaphneConnection, LimitedWebSocket
from dashboard.server.websocket_connection import CONNECTION, MAX_MESSAGE_BYTES, WebSocketConnection
from tests.support.clock import FakeClock
from tests.support.raw_websocket import CLOSE, CONTINUATION, PING, PONG, TEXT, frame

HANDSHAKE = (
    b"GET /live/ HTTP/1.1\r\nHost: here\r\nOrigin: http://here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
ACKNOWLEDGEMENT = frame(TEXT, b'{"ack":1}')


class Server:
    """What the protocol needs of daphne's server."""

    root_path = ""
    proxy_forwarded_address_header = None

    def __init__(self) -> None:
        self.queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.connection = WebSocketConnection()
        self.ended = False

    def protocol_connected(self, protocol: object) -> None:
        """Daphne notes the time."""

    def protocol_disconnected(self, protocol: object) -> None:
        self.ended = True

    def log_action(self, *_: object) -> None:
        """Daphne's access log."""

    def create_application(self, protocol: object, scope: object) -> asyncio.Queue[dict[str, Any]]:
        self.connection = CONNECTION.get()
        return self.queue


class Connected(NamedTuple):
    """A websocket after its handshake's request, with both of its ends."""

    websocket: Any
    transport: Any
    server: Server
    clock: FakeClock

    def accept(self) -> Connected:
        self.websocket.handle_reply({"type": "websocket.accept"})
        self.transport.clear()
        return self

    def taken(self) -> list[dict[str, Any]]:
        """What the application finds in its queue."""
        return [self.server.queue.get_nowait() for _ in range(self.server.queue.qsize())]

    def sent_frames(self) -> list[tuple[int, bytes]]:
        """The short frames that the server has written."""
        written, frames = self.transport.value(), []
        while written:
            length = written[1]
            frames.append((written[0] & 15, written[2 : 2 + length]))
            written = written[2 + length :]
        return frames

    @property
    def is_reading(self) -> bool:
        return bool(self.transport.producerState == "producing")


def connect() -> Connected:
    server, clock = Server(), FakeClock()
    transport: Any = StringTransport()  # type: ignore[no-untyped-call] # it has no types
    factory = WebSocketFactory(server, reactor=Clock())
    factory.setProtocolOptions(openHandshakeTimeout=0, closeHandshakeTimeout=0)
    factory.protocol = LimitedWebSocket
    websocket = factory.buildProtocol(None)
    websocket.clock = clock
    websocket._raw_query_string = b""
    transport.registerProducer(object(), True)  # as daphne's HTTP channel has
    websocket.makeConnection(transport)
    websocket.dataReceived(HANDSHAKE)
    return Connected(websocket, transport, server, clock)


@pytest.fixture
def connected() -> Connected:
    made = connect().accept()
    assert made.taken() == [{"type": "websocket.connect"}]
    return made


def closed_with(code: int) -> tuple[int, bytes]:
    return CLOSE, struct.pack("!H", code)


def test_the_application_runs_in_the_context_of_its_connection(connected: Connected) -> None:
    assert isinstance(connected.server.connection, DaphneConnection)
    assert type(CONNECTION.get()) is WebSocketConnection


def test_nothing_more_is_read_until_a_message_was_handled(connected: Connected) -> None:
    connected.websocket.dataReceived(frame(TEXT, b"1") + frame(TEXT, b"2") + frame(TEXT, b"3"))
    for text in ("1", "2", "3"):
        assert not connected.is_reading
        assert connected.taken() == [{"type": "websocket.receive", "text": text}]
        connected.server.connection.message_handled()
    assert connected.is_reading
    assert connected.taken() == []


def test_what_comes_before_the_application_has_accepted_waits() -> None:
    early = connect()
    early.websocket.dataReceived(HANDSHAKE)
    assert not early.is_reading
    assert early.taken() == [{"type": "websocket.connect"}]
    early = connect()
    early.websocket.dataReceived(ACKNOWLEDGEMENT)
    early.accept()
    assert early.taken()[1:] == [{"type": "websocket.receive", "text": '{"ack":1}'}]
    early.server.connection.message_handled()
    assert early.is_reading


@pytest.mark.parametrize(
    "small",
    [ACKNOWLEDGEMENT, frame(PING), frame(PONG), frame(CONTINUATION, fin=False)],
    ids=["messages", "pings", "pongs", "fragments"],
)
def test_a_burst_is_taken_and_the_frame_after_it_closes(connected: Connected, small: bytes) -> None:
    number = FRAME_BURST
    if small[0] & 15 == CONTINUATION:
        connected.websocket.dataReceived(frame(TEXT, fin=False))
        number -= 1
    for _ in range(number):
        connected.websocket.dataReceived(small)
        connected.server.connection.message_handled()
    assert connected.server.connection.refusal is None
    connected.taken()
    connected.transport.clear()
    connected.websocket.dataReceived(small * 1000)
    assert connected.server.connection.refusal == 4429
    assert connected.sent_frames() == [closed_with(4429)]
    assert connected.taken() == [{"type": "websocket.disconnect", "code": 4429}]
    assert not connected.is_reading


def test_in_the_long_run_a_browser_may_send_so_many_frames_a_second(connected: Connected) -> None:
    for _ in range(FRAME_BURST * 5):
        connected.websocket.dataReceived(ACKNOWLEDGEMENT)
        connected.server.connection.message_handled()
        connected.clock.skip(1 / FRAMES_PER_SECOND)
    assert connected.server.connection.refusal is None
    assert len(connected.taken()) == FRAME_BURST * 5


def test_payload_that_drips_in_costs_as_much_as_frames(connected: Connected) -> None:
    whole = frame(TEXT, b" " * 1000)
    for index in range(FRAME_BURST):
        connected.websocket.dataReceived(whole[index : index + 1])
    assert connected.server.connection.refusal is None
    connected.websocket.dataReceived(whole[FRAME_BURST : FRAME_BURST + 1])
    assert connected.server.connection.refusal == 4429


def test_long_messages_in_segments_of_tcp_cost_a_frame_each(connected: Connected) -> None:
    """As of a browser that pastes over a network: each message is read in nine pieces."""
    whole = frame(TEXT, b"x" * 12 * 1024)
    pieces = [whole[start : start + 1448] for start in range(0, len(whole), 1448)]
    assert len(pieces) == 9
    for _ in range(FRAME_BURST // 3):  # the last piece is short, and costs one, too
        for piece in pieces:
            connected.websocket.dataReceived(piece)
        assert len(connected.taken()) == 1
        connected.server.connection.message_handled()
    assert connected.server.connection.refusal is None


@pytest.mark.parametrize(
    "large",
    [
        frame(TEXT, length=MAX_MESSAGE_BYTES + 1),
        frame(TEXT, b"x" * MAX_MESSAGE_BYTES, fin=False) + frame(CONTINUATION, length=1),
    ],
    ids=["one frame", "two frames"],
)
def test_a_message_over_the_limit_is_refused_by_its_header(connected: Connected, large: bytes) -> None:
    connected.websocket.dataReceived(large)
    assert connected.sent_frames() == [closed_with(4400)]
    assert connected.taken() == [{"type": "websocket.disconnect", "code": 4400}]


def test_a_ping_inside_a_long_message_is_answered(connected: Connected) -> None:
    whole = frame(TEXT, b"x" * (MAX_MESSAGE_BYTES - 1), fin=False) + frame(PING, b"there?") + frame(CONTINUATION, b"x")
    connected.websocket.dataReceived(whole)
    assert connected.sent_frames() == [(PONG, b"there?")]
    assert connected.taken() == [{"type": "websocket.receive", "text": "x" * MAX_MESSAGE_BYTES}]


def test_after_a_refusal_nothing_is_processed_and_the_end_is_not_told_twice(connected: Connected) -> None:
    connected.websocket.dataReceived(frame(TEXT, length=MAX_MESSAGE_BYTES + 1) + ACKNOWLEDGEMENT)
    connected.websocket.dataReceived(ACKNOWLEDGEMENT)
    connected.server.connection.message_handled()
    assert not connected.is_reading
    connected.websocket.connectionLost()
    assert connected.taken() == [{"type": "websocket.disconnect", "code": 4400}]
    assert connected.server.ended


async def test_a_consumer_can_wait_until_something_can_be_written(connected: Connected) -> None:
    connection, producer = connected.server.connection, connected.transport.producer
    await connection.wait_until_writable()
    producer.pauseProducing()
    waiting = asyncio.ensure_future(connection.wait_until_writable())
    await asyncio.sleep(0)
    assert not connection.is_writable
    assert not waiting.done()
    connected.websocket.dataReceived(frame(PING, b"there?"))
    assert connected.sent_frames() == []
    producer.resumeProducing()
    await waiting
    assert connection.is_writable


def test_an_aborted_connection_is_dropped_at_once(connected: Connected) -> None:
    connected.server.connection.abort()
    assert connected.transport.disconnected


def test_a_closed_connection_is_freed_without_a_collection_of_all_objects() -> None:
    """Thousands of closed connections in cycles kept 100 MB, and their collection stopped the process for 0.5 s."""
    connected = connect().accept()
    websocket, connection = weakref.ref(connected.websocket), connected.server.connection
    connected.transport.unregisterProducer()
    connected.websocket.connectionLost()
    gc.disable()
    try:
        del connected
        assert websocket() is None
    finally:
        gc.enable()
    connection.message_handled()  # of a consumer that is not told yet
    connection.abort()
