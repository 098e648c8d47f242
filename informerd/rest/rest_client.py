"""REST client: any request to one API server, with fresh credentials, retries and typed errors.

It knows no verbs and no resources: `client.py` adds them.

Errors are those of `informerd.errors`: ApiError where the server refused, Unreachable where it gave no answer,
InvalidCall where nothing was sent. What is told to come later with Retry-After is sent again, up to ten tries, as in
client-go (rest/with_retry.go): every request after a 429, which says that nothing was done. After a 5xx client-go
repeats writes, too; here only GETs, and writes where a precondition rules out that they are done twice, because an API
server also says 5xx of what etcd has stored.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Self, TypeVar

from aiohttp import ClientWebSocketResponse

from informerd.clock import Clock, SystemClock
from informerd.errors import (
    ApiError,
    CredentialsError,
    InvalidCall,
    MalformedAnswer,
    ResourceVersionTooLarge,
    Unauthorized,
)
from informerd.rest.call_observer import CallObserver
from informerd.rest.cluster_config import ClusterConfig, Impersonation
from informerd.rest.credentials import Credentials, RequestCredentials
from informerd.rest.leader_write_guard import check_write
from informerd.rest.request import JSON, Headers, Params, RestRequest, build_request
from informerd.rest.response import Response
from informerd.rest.response_stream import ResponseStream
from informerd.rest.transport import Pool, Transport
from informerd.rest.warning_log import OnWarning, WarningLog, pass_warnings
from informerd.unstructured import Json
from informerd.version import VERSION

T = TypeVar("T")

USER_AGENT = f"informerd/{VERSION}"

MAX_TRIES = 10
"""Maximum of tries of a call that the server defers with Retry-After."""

MAX_RETRY_AFTER = 60.0
"""Seconds; a Retry-After beyond this is the caller's to decide on."""

PROBE_TIMEOUT = 5.0
LIST_TIMEOUT = 60.0

_PROBES = ("/livez", "/healthz", "/version")


class RestClient:
    """Speaks to one API server. Belongs to one event loop; `close` (or ``async with``) ends its connections.

    `user_agent` is what the API server's audit log shows, a name and a version such as ``mycontroller/1.2``. Each
    warning that an answer carries is handed to `on_warning`; by default it is logged, once.
    """

    def __init__(
        self,
        config: ClusterConfig,
        *,
        clock: Clock | None = None,
        user_agent: str = USER_AGENT,
        on_warning: OnWarning | None = None,
    ) -> None:
        if not user_agent.isascii() or not user_agent.isprintable() or not user_agent.strip():
            raise InvalidCall(f"{user_agent!r} is not a User-Agent: it must be printable ASCII")
        self.config = config
        self.user_agent = user_agent
        self.server_version = ""
        """As `version` last returned it; empty before."""
        self._clock = clock or SystemClock()
        self._on_warning = WarningLog() if on_warning is None else on_warning
        self._credentials = Credentials(config, clock=self._clock)
        self._transport = Transport(config, self._clock)
        self._streams: dict[ResponseStream, RequestCredentials] = {}
        self._probe = 0
        self._is_borrowed = False
        """Whether the connections are those of another client, see `impersonate`."""
        self._observer: CallObserver | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def clock(self) -> Clock:
        """The clock by which it waits."""
        return self._clock

    @property
    def request_counts(self) -> Mapping[tuple[str, str], int]:
        """Requests sent, by method and by the HTTP code of the answer, ``<error>`` where none came.

        Each attempt counts, and so do those of the clients that `impersonate` and `observed_by` made.
        """
        return self._transport.requests

    def impersonate(self, impersonation: Impersonation) -> Self:
        """A client that makes its requests on behalf of somebody else, over the connections of this one.

        It replaces an impersonation of the configuration. It costs nothing to make, needs no `close`, and ends with
        this client. The API server must let this client's own user impersonate, else every request is Forbidden.
        Raises InvalidCall for an impersonation of nobody, which would be this client's own user.
        """
        if not impersonation.user:
            raise InvalidCall(
                "an impersonation names a user: without one, requests would be those of the client itself"
            )
        client = copy.copy(self)
        client._credentials = self._credentials.impersonating(impersonation)  # noqa: SLF001 -- of its own class
        client._is_borrowed = True  # noqa: SLF001
        return client

    def observed_by(self, observer: CallObserver) -> Self:
        """A client that makes its requests through `observer`, over the connections of this one.

        It replaces the observer of this client. Like a client of `impersonate` it costs nothing and needs no `close`;
        what it impersonates stays, and what it makes with `impersonate` is observed, too. `probe` is not observed.
        """
        client = copy.copy(self)
        client._observer = observer  # noqa: SLF001 -- of its own class
        client._is_borrowed = True  # noqa: SLF001
        return client

    async def close(self) -> None:
        """End all streams and connections; of a client that `impersonate` or `observed_by` made, nothing."""
        if self._is_borrowed:
            return
        for stream in tuple(self._streams):
            stream.close()
        await self._credentials.close()
        await self._transport.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: bytes | Json | Sequence[Any] | None = None,
        content_type: str = JSON,
        headers: Headers | None = None,
        timeout: float = 30.0,
        repeatable: bool = False,
        patient: bool = True,
    ) -> Response:
        """One call to a percent-encoded `path`. Parameters that are None or empty are left out.

        `headers` replace the client's own of the same name (a pair may come several times). `timeout` is in seconds:
        for the whole of a write, without a byte for a GET. `repeatable` says that a write may be sent again after a 5xx
        with Retry-After, as every request is after a 429, unless it is not `patient`. Raises ApiError, Unreachable and
        InvalidCall.
        """
        call = build_request(method, path, params, body, content_type, headers, timeout, user_agent=self.user_agent)
        return await self._send(call, repeatable=repeatable or method == "GET", tries=MAX_TRIES if patient else 1)

    @contextlib.asynccontextmanager
    async def stream(
        self, path: str, params: Params | None = None, *, headers: Headers | None = None, timeout: float = 30.0
    ) -> AsyncIterator[ResponseStream]:
        """GET a long response, such as a watch. `timeout` (seconds) is for its beginning only.

        When certificates change, the stream ends as if by the server, so that the caller watches again. Raises
        ApiError, Unreachable and InvalidCall; nothing is retried here.
        """
        call = build_request("GET", path, params, headers=headers, timeout=timeout, user_agent=self.user_agent)
        call = replace(call, headers=(*call.headers, ("Accept-Encoding", "identity")))
        async with contextlib.AsyncExitStack() as stack:
            stream, access = await self._observed(call, lambda: self._begin(call, stack))
            self._streams[stream] = access
            stack.callback(self._streams.pop, stream, None)
            yield stream

    @contextlib.asynccontextmanager
    async def download(
        self, path: str, params: Params | None = None, *, headers: Headers | None = None, timeout: float = LIST_TIMEOUT
    ) -> AsyncIterator[ResponseStream]:
        """GET an answer that ends, such as a list, but is long: `read` it as it comes.

        It may not pause for longer than `timeout` (seconds). Compressed on its way where that pays, which it does not
        on this machine (or where the configuration says so). Told to come later, it is asked for again, as `request`
        does. Raises ApiError, Unreachable and InvalidCall.
        """
        call = build_request("GET", path, params, headers=headers, timeout=timeout, user_agent=self.user_agent)
        encoding = "gzip" if self.config.compresses else "identity"
        call = replace(call, headers=(*call.headers, ("Accept-Encoding", encoding)))
        async with contextlib.AsyncExitStack() as stack:
            stream, _ = await self._observed(
                call,
                lambda: self._patiently(lambda: self._begin(call, stack, "requests", timeout), tries=MAX_TRIES),
            )
            yield stream

    @contextlib.asynccontextmanager
    async def websocket(
        self, path: str, *, protocols: Sequence[str], timeout: float = 30.0
    ) -> AsyncIterator[ClientWebSocketResponse]:
        """Open a websocket, such as an exec's, that speaks one of the `protocols`. `timeout` (seconds) is for its
        beginning only; `path` has the query, percent-encoded.

        Raises ApiError, Unreachable, InvalidCall, and MalformedAnswer where the server speaks none of the protocols;
        nothing is retried here.
        """
        call = build_request("GET", path, timeout=timeout, user_agent=self.user_agent)
        async with contextlib.AsyncExitStack() as stack:
            yield await self._observed(call, lambda: self._open_websocket(call, stack, protocols))

    async def _open_websocket(
        self, call: RestRequest, stack: contextlib.AsyncExitStack, protocols: Sequence[str]
    ) -> ClientWebSocketResponse:
        """Open it; after a 401 once more, with other credentials where there are any."""
        access = await self._access()
        try:
            return await stack.enter_async_context(self._transport.websocket(check_write(call), access, protocols))
        except Unauthorized:
            renewed = await self._credentials.renew(access)
            if renewed is None:
                raise
            return await stack.enter_async_context(self._transport.websocket(check_write(call), renewed, protocols))

    async def probe(self) -> bool:
        """Check that the API server is alive: any response of its own within 5 s, on a separate connection.

        Raises Unreachable, ApiError where it reports a problem (429 and 5xx), and CredentialsError where there are no
        credentials in that time.
        """
        while True:
            try:
                await self._access_within(PROBE_TIMEOUT)
                call = build_request("GET", _PROBES[self._probe], timeout=PROBE_TIMEOUT, user_agent=self.user_agent)
                await self._authorized(call, "probe")
            except Unauthorized:
                return True
            except ApiError as error:
                if error.code not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                    raise
                if self._probe + 1 == len(_PROBES):
                    return True
                self._probe += 1
                continue
            return True

    async def _access_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._access()
        except TimeoutError as error:
            raise CredentialsError(f"no credentials came within {seconds:g} s") from error

    async def version(self) -> str:
        """The API server's version, such as ``v1.37.1``; `server_version` has it from then on."""
        version = (await self.request("GET", "/version")).object().get("gitVersion")
        if not isinstance(version, str):
            raise MalformedAnswer("the response from /version is not from an API server: it has no gitVersion")
        self.server_version = version
        return version

    async def _observed(self, call: RestRequest, send: Callable[[], Awaitable[T]]) -> T:
        return await send() if self._observer is None else await self._observer(call, send)

    async def _send(self, call: RestRequest, *, repeatable: bool, tries: int) -> Response:
        try:
            answer = await self._observed(
                call, lambda: self._patiently(lambda: self._authorized(call), tries=tries, repeatable=repeatable)
            )
        except ApiError as error:
            pass_warnings(error.warnings, self._on_warning)
            raise
        pass_warnings(answer.warnings, self._on_warning)
        return answer

    async def _begin(
        self, call: RestRequest, stack: contextlib.AsyncExitStack, pool: Pool = "streams", idle: float | None = None
    ) -> tuple[ResponseStream, RequestCredentials]:
        """Begin a response; after a 401 once more, with other credentials where there are any."""
        access = await self._access()
        try:
            stream = await stack.enter_async_context(self._transport.stream(call, access, pool=pool, idle=idle))
        except Unauthorized:
            renewed = await self._credentials.renew(access)
            if renewed is None:
                raise
            access = renewed
            stream = await stack.enter_async_context(self._transport.stream(call, access, pool=pool, idle=idle))
        pass_warnings(stream.warnings, self._on_warning)
        return stream, access

    async def _patiently(self, call: Callable[[], Awaitable[T]], *, tries: int, repeatable: bool = True) -> T:
        """The result of `call`, retried while the server says to come later; unless `repeatable` only after a 429."""
        for _ in range(tries - 1):
            try:
                return await call()
            except ApiError as error:
                if not _may_wait(error, repeatable=repeatable):
                    raise
                await self._clock.sleep(error.retry_after or 0.0)
        return await call()

    async def _authorized(self, call: RestRequest, pool: Pool = "requests") -> Response:
        """Send; after a 401 once more, with other credentials where there are any."""
        access = await self._access()
        try:
            return await self._transport.send(check_write(call), access, pool)
        except Unauthorized:
            renewed = await self._credentials.renew(access)
            if renewed is None:
                raise
            return await self._transport.send(check_write(call), renewed, pool)

    async def _access(self) -> RequestCredentials:
        """The credentials to use now; streams begun with certificates that are no longer those are ended."""
        access = await self._credentials.for_request()
        for stream, old in tuple(self._streams.items()):
            if old.context is not access.context:
                stream.close()
        return access


def _may_wait(error: ApiError, *, repeatable: bool) -> bool:
    if isinstance(error, ResourceVersionTooLarge):  # another version helps at once
        return False
    is_later = error.code == HTTPStatus.TOO_MANY_REQUESTS or (repeatable and error.code >= 500)
    return is_later and error.retry_after is not None and error.retry_after <= MAX_RETRY_AFTER
