"""HTTPS connections to one server that are kept for the next request, so that it costs no TLS handshake."""

from __future__ import annotations

import contextlib
import http.client
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
        """The answer, whatever its code; `timeout` is in seconds, for each wait. Raises OSError.

        A kept connection that the server has closed meanwhile is replaced.
        """
        while True:
            kept = self._take()
            connection = kept or http.client.HTTPSConnection(self._host, context=self._tls)
            connection.timeout = timeout
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            try:
                connection.request(method, path, body, dict(headers))
                answer = connection.getresponse()
                content = answer.read()
            except (ConnectionError, ssl.SSLError):
                connection.close()
                if kept is None:
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                if answer.will_close:
                    connection.close()
                else:
                    self._idle.append(connection)
                return Answer(answer.status, content, answer.headers)

    def close(self) -> None:
        """Close those that nobody uses; a later request makes new ones."""
        while (connection := self._take()) is not None:
            connection.close()

    def _take(self) -> http.client.HTTPSConnection | None:
        with contextlib.suppress(IndexError):
            return self._idle.pop()
        return None

    __del__ = close
