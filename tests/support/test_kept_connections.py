"""Tests of connections that are kept for the next request, against a server that notes them."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.support.certificates import write_certificate
from tests.support.kept_connections import KeptConnections


class Handler(BaseHTTPRequestHandler):
    """Answers with the request's path and the client's port; ends the connection as the path says."""

    protocol_version = "HTTP/1.1"
    requests: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.requests.append(self.path)
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path == "/dies":
            self.close_connection = True
            return
        content = f"{self.path} {self.client_address[1]}".encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(content)))
        if self.path == "/last":
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.path in ("/last", "/ends")

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Serves over TLS, with a certificate of the folder."""

    has_ended: ClassVar[threading.Event] = threading.Event()
    """Set once a connection has ended."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(folder / "server.crt", folder / "server.key")

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        return self._tls.wrap_socket(connection, server_side=True), address

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.has_ended.set()


@pytest.fixture
def connections(tmp_path: Path) -> Iterator[KeptConnections]:
    write_certificate(tmp_path, "server")
    Handler.requests.clear()
    Server.has_ended.clear()
    with Server(tmp_path) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        trusting = ssl.create_default_context(cafile=str(tmp_path / "server.crt"))
        made = KeptConnections(f"https://127.0.0.1:{server.server_port}", trusting)
        yield made
        made.close()
        server.shutdown()
        serving.join()


def port_of(connections: KeptConnections, path: str = "/") -> str:
    """The port from which the request came."""
    answer = connections.request("POST", path, b"", {}, 10)
    assert (answer.code, answer.headers["Content-Length"]) == (201, str(len(answer.content)))
    answered, port = answer.content.decode().split()
    assert answered == path
    return port


def test_requests_one_after_the_other_share_a_connection_until_it_is_closed(connections: KeptConnections) -> None:
    first = port_of(connections)
    assert port_of(connections) == first
    connections.close()
    assert port_of(connections) != first


@pytest.mark.parametrize("path", ["/last", "/ends"])
def test_a_connection_that_the_server_has_ended_is_replaced(connections: KeptConnections, path: str) -> None:
    first = port_of(connections, path)
    assert Server.has_ended.wait(30)
    assert port_of(connections) != first
    assert Handler.requests.count(path) == 1


def test_a_request_whose_answer_is_lost_is_not_sent_again(connections: KeptConnections) -> None:
    port_of(connections)
    with pytest.raises(http.client.RemoteDisconnected):
        connections.request("POST", "/dies", b"", {}, 10)
    assert Handler.requests == ["/", "/dies"]
    port_of(connections)


def test_threads_have_a_connection_each(connections: KeptConnections) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(port_of, connections, f"/{number}") for number in range(200)]
    assert len({each.result() for each in answers}) <= 8
