"""Attack: bodies of 300 MB, with their length and without one, which were read before they were refused."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.dashboard_with_proxy_users import USER_HEADER, web_program
from tests.support.program import answers

MIB = 2**20
ANNOUNCED = 300 * MIB
MOST_SENT = 64 * MIB
"""Bytes after which the test gives up: three times the limit."""
PATIENCE = 20.0
"""Seconds that a test waits for an answer that never comes on the old code."""
HEAD = f"POST /new/ HTTP/1.1\r\nHost: localhost\r\n{USER_HEADER}: mallory\r\n"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with web_program(tmp_path_factory.mktemp("web")) as url:
        yield url


def connected(url: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=PATIENCE)


def answer(connection: socket.socket) -> str:
    """All that the server sends until it closes its side."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found.decode()


@pytest.mark.program
@pytest.mark.parametrize("expect", ["", "Expect: 100-continue\r\n"])
def test_an_announced_length_over_the_limit_is_refused_before_any_of_it_is_sent(url: str, expect: str) -> None:
    with connected(url) as connection:
        connection.sendall(f"{HEAD}Content-Length: {ANNOUNCED}\r\n{expect}\r\n".encode())
        found = answer(connection)
    assert found.startswith("HTTP/1.1 413 ")
    assert "larger than Deltaboard accepts here (20 MiB)" in found
    assert "100 Continue" not in found
    assert answers(f"{url}/healthz")


@pytest.mark.program
def test_a_body_without_a_length_is_refused_once_more_has_arrived_than_the_limit(url: str) -> None:
    piece = b"%x\r\n%s\r\n" % (MIB, bytes(MIB))
    sent = 0
    with connected(url) as connection:
        connection.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        found = b""
        while not found and sent < MOST_SENT:
            connection.sendall(piece)
            sent += MIB
            connection.settimeout(0.05)
            try:
                found = connection.recv(12)
            except TimeoutError:
                pass
            finally:
                connection.settimeout(PATIENCE)
    assert found == b"HTTP/1.1 413"


@pytest.mark.program
def test_where_no_text_is_posted_less_is_read(url: str) -> None:
    with connected(url) as connection:
        connection.sendall(f"{HEAD}Content-Length: {MIB}\r\n\r\n".replace("/new/", "/theme/").encode())
        found = answer(connection)
    assert found.startswith("HTTP/1.1 413 ")
    assert "(64 KiB)" in found
