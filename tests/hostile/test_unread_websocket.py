"""Attack: a browser reads nothing, and acknowledges all that it is sent."""

from __future__ import annotations

import os

from tests.dashboard.conftest import server as server
from tests.support.browser.page_server_program import PageServer
from tests.support.raw_websocket import RawWebSocket
from tests.support.wait import until

CHANGE = 200_000
"""Characters of a change that no compression makes much smaller; a message may have 131,072 bytes."""
CHANGES = 80
"""More than the buffers of both kernels, the transport and the socket hold together."""
NAME = "pod-001"
ACKNOWLEDGEMENT = '{"ack":1000000000000}'


def test_a_browser_that_reads_nothing_is_behind_then_aborted_whatever_it_acknowledges(server: PageServer) -> None:
    port = int(server.url.rpartition(":")[2])
    with RawWebSocket(port, f"/resources/pods/default/{NAME}/yaml/", receive_buffer=4096) as attacker:
        attacker.next_heartbeat()
        for version in range(2, CHANGES):
            attacker.send_text(ACKNOWLEDGEMENT)
            if change(server, version)["stops"]:
                break
        stats = server.do("stats")
        assert stats["stops"] == 1, f"it was sent {stats['messages']} messages and never was behind"
        assert stats["waiting"] <= 3 * 128 * 1024
        attacker.send_text(ACKNOWLEDGEMENT)
        server.do("put_ahead", seconds=31)
        until(lambda: not server.do("stats")["sockets"], what="its socket is given up")
        stats = server.do("stats")
        assert (stats["given_up"], stats["aborted"]) == (1, 1)
        assert attacker.close_code() is None


def change(server: PageServer, version: int) -> dict[str, int]:
    """Change what the page shows; the statistics once the attacker was sent that, or is behind."""
    before = server.do("stats")["messages"]
    obj = {"kind": "Pod", "spec": {"noise": os.urandom(CHANGE // 2).hex()}}
    server.do("put", rows=[{"name": NAME, "version": version, "obj": obj}])

    def was_sent() -> dict[str, int]:
        stats: dict[str, int] = server.do("stats")
        return stats if stats["messages"] > before or stats["stops"] else {}

    return until(was_sent, what="the change is posted")
