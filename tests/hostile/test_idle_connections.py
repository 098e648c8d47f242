"""Attack: more connections than a process may have files, with nothing, the beginning of a request, or a handshake that
fails.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.controlplane import free_ports
from tests.support.local_dashboard import ask, environ
from tests.support.program import Program, answers

pytestmark = pytest.mark.program

FILES = 400
CONNECTIONS = 500
DAPHNE = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
from daphne.cli import CommandLineInterface
CommandLineInterface.entrypoint()
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    (port,) = free_ports(1)
    home = tmp_path_factory.mktemp("home")
    arguments = ("-c", DAPHNE, "-v", "0", "-p", str(port), "dashboard.asgi:application")
    with Program(*arguments, env=environ(Path(home), DELTABOARD_TOKEN="off")) as program:
        program.wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("start", [b"", b"POST /new/ HTTP/1.1\r\nHo"], ids=["nothing", "half a head"])
def test_people_get_in_beside_connections_over_which_no_request_comes(url: str, start: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=30)
            stack.enter_context(connection)
            connection.sendall(start)
        assert {ask(f"{url}/").status for _ in range(5)} == {200}


def test_handshakes_that_failed_take_no_room(url: str) -> None:
    address = ("127.0.0.1", urlsplit(url).port or 0)
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 1\r\n"
    for _ in range(FILES):
        with socket.create_connection(address, timeout=30) as connection:
            connection.sendall(f"GET /ws/overview/ HTTP/1.1\r\nHost: {address[0]}\r\n{upgrade}\r\n".encode())
            assert connection.recv(100).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 429 "))
    assert ask(f"{url}/").status == 200
