"""HTTPS connections to one server that are kept for the next request, so that it costs no TLS handshake."""

from __future__ import annotations

import contextlib
import http.client
import select
import socket
import ssl
from collections.abc import Mapping
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlsplit


class Answer(NamedTuple):
    """What the server answered to one request."""

    code: int
    content: bytes
    headers: Message


class KeptConnections:
    """Any number of threads may ask at the same time: each request has a connection of its own."""

    def __init__(self, server: str, tls: ssl.SSLContext) -> None:
        self._host, self._tls = urlsplit(server).netloc, tls
        self._idle: list[http.client.HTTPSConnection] = []

    def request(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], timeout: float) -> Answer:
        """The answer, whatever its code; `timeout` is in seconds, for each wait. Raises OSError and HTTPException.

        The request is sent once. A kept connection that the server has closed meanwhile is replaced before.
        """
        connection = self._take() or http.client.HTTPSConnection(self._host, context=self._tls)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            content = answer.read()
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return Answer(answer.status, content, answer.headers)

    def close(self) -> None:
        """Close those that nobody uses; a later request makes new ones."""
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _take(self) -> http.client.HTTPSConnection | None:
        """A kept connection that is still open; None where there is none."""
        with contextlib.suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if connection.sock is not None and not _has_input(connection.sock):
                    return connection
                connection.close()  # what the server sends without being asked is its end
        return None

    __del__ = close


def _has_input(sock: socket.socket) -> bool:
    waiting = select.poll()
    waiting.register(sock, select.POLLIN)
    return bool(waiting.poll(0))
