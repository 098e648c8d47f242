"""Attack: a browser announces, fragments or compresses messages that are larger than any of a page."""

from __future__ import annotations

import zlib

import pytest

from tests.dashboard.conftest import server as server
from tests.support.browser.page_server_program import PageServer
from tests.support.raw_websocket import BINARY, CONTINUATION, TEXT, RawWebSocket, frame
from tests.support.wait import until

LIMIT = 16 * 1024
HALF = b" " * (LIMIT // 2)

LARGE = {
    "a byte too many": frame(TEXT, length=LIMIT + 1),
    "a mebibyte": frame(TEXT, length=1024 * 1024),
    "an exbibyte": frame(BINARY, length=2**60),
    "in fragments": frame(TEXT, HALF, fin=False) + frame(CONTINUATION, HALF, fin=False) + frame(CONTINUATION, length=1),
}


@pytest.mark.long
@pytest.mark.parametrize("message", LARGE.values(), ids=LARGE.keys())
def test_a_large_message_is_refused_by_its_header_before_its_payload_is_sent(
    server: PageServer, message: bytes
) -> None:
    with RawWebSocket(int(server.url.rpartition(":")[2])) as attacker:
        attacker.next_heartbeat()
        attacker.send(message)
        assert attacker.close_code() == 4400
        assert attacker.read() is None
        until(lambda: server.do("stats")["refused"] == {"4400": 1}, what="the refusal is counted")
        stats = server.do("stats")
        assert (stats["browser_messages"], stats["sockets"]) == (0, 0)


def test_messages_that_unpack_to_more_are_not_taken(server: PageServer) -> None:
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with RawWebSocket(int(server.url.rpartition(":")[2]), headers=offer) as attacker:
        assert "sec-websocket-extensions" not in attacker.response.lower()
        packer = zlib.compressobj(wbits=-15)
        packed = packer.compress(b" " * 10_000_000) + packer.flush(zlib.Z_SYNC_FLUSH)
        attacker.send(frame(TEXT, packed[:-4], rsv=4))
        assert attacker.close_code() is None
        assert server.do("stats")["browser_messages"] == 0


def test_a_message_of_the_limit_is_handled(server: PageServer) -> None:
    with RawWebSocket(int(server.url.rpartition(":")[2])) as page:
        page.send(frame(TEXT, b'{"ack":1'.ljust(LIMIT - 1) + b"}"))
        page.next_heartbeat()
        page.send_text("{}")
        assert page.close_code() == 4400
        assert server.do("stats")["browser_messages"] == 2
