"""Attack: a client asks for a large file and a large page, and reads nothing of them."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dashboard.server.response_backpressure import SILENT_SECONDS
from tests.dashboard.conftest import server as server
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

PODS = 40
SIZE = 1_000_000
"""Characters of each pod, of which no compression makes much less."""
MOST_IN_BUFFERS = 8_000_000
"""Bytes that the kernel's buffers of both ends take at most, and Twisted's."""
PATHS = ["/resources/pods/export.json", "/resources/pods/default/pod-000/yaml/"]


@pytest.fixture
def large(server: PageServer) -> PageServer:
    for number in range(PODS):
        server.do("bulk", name=f"pod-{number:03d}", size=SIZE)
    return server


@contextmanager
def silent_client(server: PageServer, path: str, times: int = 1) -> Iterator[socket.socket]:
    """A connection that asks for a page so many times, and has read nothing yet."""
    port = int(server.url.rpartition(":")[2])
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", port))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * times)
        yield connection


def settled(server: PageServer) -> int:
    """The bytes that were sent, once that are no more than a moment ago."""
    sent = [-1]

    def is_same() -> bool:
        sent.append(server.do("stats")["body_bytes"])
        return sent[-1] == sent[-2] > 0

    until(is_same, what="nothing more is sent", every=0.5)
    return sent[-1]


def read_all(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


@pytest.mark.long
def test_no_more_is_made_of_a_file_than_its_client_reads(large: PageServer) -> None:
    with silent_client(large, PATHS[0]):
        assert settled(large) < MOST_IN_BUFFERS
        assert large.do("stats")["pages_open"] == 1


@pytest.mark.long
def test_requests_that_wait_on_the_connection_are_not_answered_before_it_is_read(large: PageServer) -> None:
    with silent_client(large, PATHS[1], times=100):
        assert settled(large) < MOST_IN_BUFFERS


def test_a_client_that_reads_nothing_is_disconnected_and_its_work_ends(large: PageServer) -> None:
    large.do("lose_patience")
    with silent_client(large, PATHS[0]) as connection:
        until(lambda: not large.do("stats")["pages_open"], what="the work on its file ends")
        with pytest.raises(ConnectionResetError):
            read_all(connection)
    assert large.do("stats")["body_bytes"] < MOST_IN_BUFFERS
    assert "Traceback" not in large.output


@pytest.mark.long
def test_the_work_ends_with_a_client_that_goes_away(large: PageServer) -> None:
    with silent_client(large, PATHS[0]):
        settled(large)
    sooner = SILENT_SECONDS - 10  # than that of a client which reads nothing
    until(lambda: not large.do("stats")["pages_open"], within=sooner, what="the work on its file ends")
    assert "Traceback" not in large.output


@pytest.mark.parametrize("path", PATHS)
def test_who_reads_gets_everything(large: PageServer, path: str) -> None:
    with urllib.request.urlopen(f"{large.url}{path}", timeout=60) as answer:
        body = answer.read()
    assert body.count(b"theEnd") == (PODS if path.endswith("json") else 1)
