"""Attack: a browser sends messages, pings or fragments as fast as it can."""

from __future__ import annotations

import pytest

from tests.dashboard.conftest import server as server
from tests.support.browser.page_server_program import PageServer
from tests.support.raw_websocket import CONTINUATION, PING, TEXT, RawWebSocket, frame
from tests.support.wait import until

FRAMES = 5_000
FLOODS = {
    "acknowledgements": frame(TEXT, b'{"ack":1}') * FRAMES,
    "padded acknowledgements": frame(TEXT, b'{"ack":1' + b" " * 500 + b"}") * FRAMES,
    "pings": frame(PING, b"x" * 125) * FRAMES,
    "fragments of one message": frame(TEXT, b" ", fin=False) + frame(CONTINUATION, b" ", fin=False) * FRAMES,
    "empty fragments of one message": frame(TEXT, fin=False) + frame(CONTINUATION, fin=False) * FRAMES,
}


@pytest.mark.long
@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_is_closed_with_its_code_and_others_go_on(server: PageServer, flood: bytes) -> None:
    port = int(server.url.rpartition(":")[2])
    with RawWebSocket(port) as honest, RawWebSocket(port) as attacker:
        assert honest.next_heartbeat()
        attacker.send(flood)
        assert attacker.close_code() == 4429
        assert attacker.read() is None
        until(lambda: server.do("stats")["refused"] == {"4429": 1}, what="the refusal is counted")
        assert server.do("stats")["browser_messages"] < FRAMES // 2
        honest.send_text('{"ack":1}')
        honest.next_heartbeat()
        until(lambda: server.do("stats")["acknowledged"] == 1, what="the honest page is heard")
        assert server.do("stats")["sockets"] == 1


def test_a_burst_of_an_honest_page_is_handled(server: PageServer) -> None:
    port = int(server.url.rpartition(":")[2])
    with RawWebSocket(port) as page:
        page.send(frame(TEXT, b'{"ack":1}') * 50)
        until(lambda: server.do("stats")["browser_messages"] == 50, what="all messages are handled")
        assert page.next_heartbeat()
        assert server.do("stats")["refused"] == {}
