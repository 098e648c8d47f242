"""HTTP transport to one API server: connections, TLS, time-outs, and failures as errors of the one error tree.

Four connection pools: requests, watches (each holds a connection for minutes, so without a limit), websockets, and the
probe, which must not wait for any of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from io import BytesIO
from typing import Literal
from weakref import WeakSet

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from informerd.clock import Clock
from informerd.errors import ConfigError, MalformedAnswer, NoContent, NotBegun, NotConnected, Unreachable
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.connection_socket import ConnectionSocket, new_socket
from informerd.rest.credentials import RequestCredentials
from informerd.rest.read_time_slice import LoopTurn
from informerd.rest.request import RestRequest, check_header
from informerd.rest.response import Response, error_from_response, http_date, warning_texts
from informerd.rest.response_stream import ResponseStream

Pool = Literal["requests", "streams", "websockets", "probe"]

CONNECT_TIMEOUT = 10.0
"""Seconds until a connection stands, TLS included."""

_LIMITS: dict[Pool, int] = {"requests": 100, "streams": 0, "websockets": 0, "probe": 1}
_READ_BUFFER = 2**18
MAX_RESPONSE_BYTES = 256 * 2**20
"""Bytes of a response that is held as a whole, decompressed. What is read in pieces has no such limit."""
MAX_MESSAGE_BYTES = 4 * 2**20
"""Bytes of a websocket's message; the API server sends 32 KiB at most."""
NO_ANSWER = "<error>"
"""client-go's code of a request without an answer."""
CLOSE_TIMEOUT = 2.0
"""Seconds to wait for the other side's goodbye."""
_LAST_TURNS = 20
"""Turns of the event loop that connections get to end in; two or three are enough."""

_BROKEN = (aiohttp.ClientError, HttpProcessingError, OSError, EOFError, UnicodeError)
"""Errors of sending and reading without a response. UnicodeError: a host name that DNS cannot hold."""


_NO_WAY_THERE = frozenset({errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH})


class Transport:
    """Sends calls. Its owner closes it."""

    def __init__(self, config: ClusterConfig, clock: Clock) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        """Requests by method and by the code that answered them, NO_ANSWER where none came."""
        self._config = config
        self._clock = clock
        self._sessions: dict[Pool, aiohttp.ClientSession] = {}
        self._sockets: WeakSet[ConnectionSocket] = WeakSet()
        self._closed = False

    async def close(self) -> None:
        """Close all connections. Later calls raise Unreachable."""
        self._closed = True
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()
        await self._end_sockets()

    async def _end_sockets(self) -> None:
        """End what still stands: a TLS connection that a cancelled call left waits for the peer's goodbye."""
        for _ in range(_LAST_TURNS):
            left = [each for each in self._sockets if each.has_descriptor]
            if not left:
                break
            for each in left:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            await asyncio.sleep(0)

    async def send(self, call: RestRequest, access: RequestCredentials, pool: Pool = "requests") -> Response:
        """Send once. Raises ApiError for any answer but a success, Unreachable where none came.

        Raises MalformedAnswer for a body of more than MAX_RESPONSE_BYTES.

        A 304 is a success where the call asked for it with If-None-Match.
        """
        if call.method == "GET" and pool != "probe":
            timeout = aiohttp.ClientTimeout(sock_connect=CONNECT_TIMEOUT, sock_read=call.timeout)
        else:
            timeout = aiohttp.ClientTimeout(total=call.timeout, sock_connect=CONNECT_TIMEOUT)
        try:
            async with await self._request(call, access, pool, timeout) as response:
                body = await _body_of(response)
        except _BROKEN as error:
            raise self._unreachable(error) from error
        if response.status != 304 or not call.is_conditional:
            self._check(response, body)
        headers = response.headers
        return Response(
            response.status,
            body,
            warning_texts(headers.getall("Warning", ())),
            http_date(headers.get("Date", "")),
            headers.get("Content-Type", ""),
            headers.get("ETag", ""),
        )

    @contextlib.asynccontextmanager
    async def stream(
        self, call: RestRequest, access: RequestCredentials, *, pool: Pool = "streams", idle: float | None = None
    ) -> AsyncIterator[ResponseStream]:
        """Open a stream without a time limit; its head must come within the call's time-out.

        With `idle` it may not pause for longer than so many seconds. Raises NotBegun where the head does not come.
        """
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=idle)
        beginning = asyncio.timeout(call.timeout)
        try:
            async with beginning:
                response = await self._request(call, access, pool, timeout)
                if response.status != 200:
                    async with response:
                        self._check(response, await _body_of(response))
                        error_type = NoContent if response.status == 204 else MalformedAnswer
                        raise error_type(f"{self._config.server} answered {response.status} instead of 200")
        except _BROKEN as error:
            if beginning.expired():
                raise NotBegun(_sentence(self._config.server, error)) from error
            raise self._unreachable(error) from error
        warnings = warning_texts(response.headers.getall("Warning", ()))
        stream = ResponseStream(response, http_date(response.headers.get("Date", "")), self._unreachable, warnings)
        try:
            yield stream
        finally:
            stream.close()

    @contextlib.asynccontextmanager
    async def websocket(
        self, call: RestRequest, access: RequestCredentials, protocols: Sequence[str]
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Open a websocket that speaks one of the `protocols`; it must stand within the call's time-out.

        Raises ApiError where the server refuses it, Unreachable where it gives no answer, MalformedAnswer where it
        speaks none of the protocols. What breaks later is for the caller: messages of type ERROR and CLOSED. TCP finds
        out that the other side is gone; a caller who does not read for a while would see no pong.
        """
        try:
            async with asyncio.timeout(call.timeout):
                socket_ = await self._session("websockets").ws_connect(
                    self._url(call),
                    protocols=protocols,
                    headers=_headers(access, call),
                    ssl=True if access.context is None else access.context,
                    server_hostname=self._config.tls.server_name or None,
                    proxy=self._config.proxy or None,
                    max_msg_size=MAX_MESSAGE_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_TIMEOUT),
                )
        except _BROKEN as error:
            raise self._unreachable(error) from error
        try:
            if socket_.protocol not in protocols:
                raise MalformedAnswer(f"{self._config.server} speaks none of {', '.join(protocols)}")
            yield socket_
        finally:
            await socket_.close()

    async def _refuse_others(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Raise the API server's own error where it answers with anything but a websocket, redirects too."""
        response = await handler(request)
        self.requests[request.method, str(response.status)] += 1
        if response.status != HTTPStatus.SWITCHING_PROTOCOLS:
            async with response:
                self._check(response, await _body_of(response))
                raise MalformedAnswer(f"{self._config.server} answered {response.status} instead of a websocket")
        return response

    async def _request(
        self, call: RestRequest, access: RequestCredentials, pool: Pool, limits: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        code = NO_ANSWER
        try:
            response = await self._session(pool).request(
                call.method,
                self._url(call),
                headers=_headers(access, call),
                data=call.body,
                ssl=True if access.context is None else access.context,
                server_hostname=self._config.tls.server_name or None,
                proxy=self._config.proxy or None,
                timeout=limits,
                allow_redirects=False,  # credentials go to the configured server and nowhere else
                middlewares=() if call.method == "GET" else (self._never_twice,),
            )
            code = str(response.status)
        finally:
            self.requests[call.method, code] += 1
        return response

    def _url(self, call: RestRequest) -> URL:
        try:
            url = URL(self._config.server + call.path, encoded=True)
            _ = url.port  # only now is it looked at
        except ValueError as error:
            raise ConfigError(f"{self._config.server!r} is not a server's address: {error}") from error
        return url

    async def _never_twice(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Keep aiohttp from sending a PUT or DELETE again when the connection breaks: the first may have been done."""
        try:
            return await handler(request)
        except _BROKEN as error:
            raise self._unreachable(error) from error

    def _session(self, pool: Pool) -> aiohttp.ClientSession:
        if self._closed:
            raise Unreachable(f"the connections to {self._config.server} have been closed")
        session = self._sessions.get(pool)
        if session is None:
            session = self._sessions[pool] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_LIMITS[pool], socket_factory=self._socket),
                cookie_jar=aiohttp.DummyCookieJar(),
                middlewares=(self._refuse_others,) if pool == "websockets" else (),
                read_bufsize=_READ_BUFFER,
                trust_env=False,
            )
        return session

    def _socket(self, address: aiohttp.AddrInfoType) -> socket.socket:
        made = new_socket(address)
        self._sockets.add(made)
        return made

    def _check(self, response: aiohttp.ClientResponse, body: bytes) -> None:
        if not 200 <= response.status < 300:
            raise error_from_response(response.status, body, response.headers.items(), now=self._clock.time())

    def _unreachable(self, error: Exception) -> Unreachable:
        cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        kind = NotConnected if isinstance(cause, OSError) and cause.errno in _NO_WAY_THERE else Unreachable
        return kind(_sentence(self._config.server, error))


async def _body_of(response: aiohttp.ClientResponse) -> bytes:
    """The whole body, once it is known that it is not endless: a gzip of a kilobyte can unpack to a megabyte.

    Other tasks run meanwhile, even where all of it has come.
    """
    body, turn = BytesIO(), LoopTurn()  # its bytes are taken without a copy
    while piece := await response.content.readany():
        await turn.yield_if_over()
        body.write(piece)
        if body.tell() > MAX_RESPONSE_BYTES:
            response.close()
            limit = f"{MAX_RESPONSE_BYTES // 2**20} MiB"
            raise MalformedAnswer(f"the response from {response.url.path} has more than {limit}, so it was not read")
    return body.getvalue()


def _headers(access: RequestCredentials, call: RestRequest) -> CIMultiDict[str]:
    """The credentials' headers and the call's; a name that the call gives replaces the credentials' own."""
    for name, value in access.headers:
        check_header(name, value)
    headers = CIMultiDict(access.headers)
    for name in {name for name, _ in call.headers}:
        headers.popall(name, None)
    headers.extend(call.headers)
    return headers


def _sentence(server: str, error: Exception) -> str:
    """A sentence about the failure, for people."""
    match error:
        case aiohttp.ClientProxyConnectionError():
            return f"the proxy for {server} cannot be reached: {_reason(error)}"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy refused to connect to {server}: {error.status} {error.message}"
        case aiohttp.ClientConnectorCertificateError():
            return f"the certificate of {server} is not accepted: {_reason(error.certificate_error)}"
        case aiohttp.ClientConnectorDNSError():
            return f"the name in {server} cannot be resolved: {_reason(error)}"
        case ConnectionRefusedError() | aiohttp.ClientConnectorError(os_error=ConnectionRefusedError()):
            return f"{server} refused the connection"
        case TimeoutError():
            return f"{server} did not answer in time"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError() | ConnectionResetError():
            return f"the connection to {server} broke"
    return f"{server} cannot be reached: {_reason(error)}"


def _reason(error: BaseException) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        error = error.os_error
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
