"""The client: Kubernetes' verbs over HTTP, with typed errors.

Errors are those of `informerd.errors`: an ApiError where the server said no, Unreachable where it said nothing. GETs
that are told to come later (429 or 503 with Retry-After) do so up to ten times, like client-go's; writes only where a
precondition makes it impossible that they are done twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, Self

import msgspec

from informerd.answer import Answer
from informerd.call import JSON, Call, Headers, Json, Params, PatchType, build_call, patch_content_type, write_params
from informerd.clock import Clock, SystemClock
from informerd.cluster_config import ClusterConfig
from informerd.credentials import Access, Credentials
from informerd.errors import ApiError, Forbidden, NotFound, ServerError, TooManyRequests, Unauthorized
from informerd.resource import Resource
from informerd.stream import WatchStream
from informerd.transport import Pool, Transport

__all__ = ["Answer", "Client", "Json", "PatchType", "WatchStream"]

TRIES = 10
"""How often a call that is told to come later is made at most."""

LONGEST_WAIT = 60.0
"""Seconds; a Retry-After beyond this is the caller's to decide on."""

PROBE_TIMEOUT = 5.0
LIST_TIMEOUT = 60.0

_PROBES = ("/livez", "/healthz", "/version")


class Client:
    """Speaks to one API server. Belongs to one event loop; `close` (or ``async with``) ends its connections."""

    def __init__(self, config: ClusterConfig, *, clock: Clock | None = None) -> None:
        self.config = config
        self._clock = clock or SystemClock()
        self._credentials = Credentials(config, clock=self._clock)
        self._transport = Transport(config, self._clock)
        self._streams: dict[WatchStream, Access] = {}
        self._probe = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all streams and connections."""
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
    ) -> Answer:
        """One call to a percent-encoded `path`. Parameters that are None or empty are left out.

        `headers` replace the client's own of the same name (a pair may come several times). `timeout` is in seconds:
        for the whole of a write, without a byte for a GET. `repeatable` says that a write may be sent again after a 429
        or 503 with Retry-After. Raises ApiError and Unreachable.
        """
        call = build_call(method, path, params, body, content_type, headers, timeout)
        return await self._send(call, repeatable=repeatable or method == "GET")

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Answer:
        """One object."""
        return await self.request("GET", resource.path(namespace, name))

    async def list(self, resource: Resource, namespace: str = "", params: Params | None = None) -> Answer:
        """A collection, of one namespace or of all."""
        return await self.request("GET", resource.path(namespace), params=params, timeout=LIST_TIMEOUT)

    async def create(
        self,
        resource: Resource,
        obj: Json | bytes,
        namespace: str = "",
        *,
        dry_run: bool = False,
        field_manager: str = "deltaboard",
        field_validation: str = "Strict",
        headers: Headers | None = None,
    ) -> Answer:
        """POST a new object into `namespace`, by default its own."""
        params = write_params(dry_run, field_manager, field_validation)
        path = resource.path(namespace or _metadata(obj).get("namespace", ""))
        return await self.request("POST", path, params=params, body=obj, headers=headers)

    async def update(
        self,
        resource: Resource,
        obj: Json | bytes,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "deltaboard",
        field_validation: str = "Strict",
        headers: Headers | None = None,
    ) -> Answer:
        """PUT an object; with the resourceVersion and uid it was read with, or another's change may be lost.

        Raises Conflict where it has changed since.
        """
        meta = _metadata(obj)
        path = resource.path(namespace or meta.get("namespace", ""), meta.get("name", ""), subresource)
        params = write_params(dry_run, field_manager, field_validation)
        repeatable = bool(meta.get("resourceVersion"))
        return await self.request("PUT", path, params=params, body=obj, headers=headers, repeatable=repeatable)

    async def patch(
        self,
        resource: Resource,
        name: str,
        namespace: str,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        subresource: str = "",
        dry_run: bool = False,
        force: bool = False,
        field_manager: str = "deltaboard",
        field_validation: str = "Strict",
        headers: Headers | None = None,
    ) -> Answer:
        """PATCH an object; `force` takes fields over from other managers (apply only)."""
        params = write_params(dry_run, field_manager, field_validation)
        if patch_type == "apply":
            params["force"] = force
        return await self.request(
            "PATCH",
            resource.path(namespace, name, subresource),
            params=params,
            body=patch,
            content_type=patch_content_type(patch_type),
            headers=headers,
        )

    async def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        propagation_policy: str | None = None,
        grace_period: int | None = None,
        dry_run: bool = False,
        headers: Headers | None = None,
    ) -> Answer:
        """DELETE an object; with `uid` or `resource_version` only that one, else Conflict. `grace_period`: seconds."""
        conditions = {"uid": uid, "resourceVersion": resource_version}
        options: Json = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "preconditions": {key: value for key, value in conditions.items() if value} or None,
            "propagationPolicy": propagation_policy,
            "gracePeriodSeconds": grace_period,
            "dryRun": ["All"] if dry_run else None,
        }
        body = {key: value for key, value in options.items() if value is not None}
        path = resource.path(namespace, name)
        return await self.request("DELETE", path, body=body, headers=headers, repeatable=bool(uid or resource_version))

    @contextlib.asynccontextmanager
    async def stream(
        self, path: str, params: Params | None = None, *, headers: Headers | None = None, timeout: float = 30.0
    ) -> AsyncIterator[WatchStream]:
        """GET an answer that goes on, such as a watch. `timeout` (seconds) is for its beginning only.

        When certificates change, the stream is ended as if by the server, so that whoever watches begins anew.
        Raises ApiError and Unreachable; nothing is tried again here.
        """
        call = build_call("GET", path, params, None, JSON, headers, timeout)
        call = replace(call, headers=(*call.headers, ("Accept-Encoding", "identity")))
        async with contextlib.AsyncExitStack() as stack:
            stream, access = await self._begin(call, stack)
            self._streams[stream] = access
            stack.callback(self._streams.pop, stream, None)
            yield stream

    @contextlib.asynccontextmanager
    async def download(
        self, path: str, params: Params | None = None, *, headers: Headers | None = None, timeout: float = LIST_TIMEOUT
    ) -> AsyncIterator[WatchStream]:
        """GET an answer that ends, such as a list, but is long: `read` it as it comes.

        It may not pause for longer than `timeout` (seconds). Compressed on its way where that pays, which it does not
        on this machine (or where the configuration says so). Told to come later, it is asked for again, as `request`
        does. Raises ApiError and Unreachable.
        """
        call = build_call("GET", path, params, None, JSON, headers, timeout)
        encoding = "gzip" if self.config.compresses else "identity"
        call = replace(call, headers=(*call.headers, ("Accept-Encoding", encoding)))
        async with contextlib.AsyncExitStack() as stack:
            for tries_left in reversed(range(TRIES)):
                try:
                    stream, _ = await self._begin(call, stack, "requests", timeout)
                    break
                except (TooManyRequests, ServerError) as error:
                    if not tries_left or not _may_wait(error):
                        raise
                    await self._clock.sleep(error.retry_after or 0.0)
            yield stream

    async def _begin(
        self, call: Call, stack: contextlib.AsyncExitStack, pool: Pool = "streams", idle: float | None = None
    ) -> tuple[WatchStream, Access]:
        """Begin an answer; after a 401 once more, where there are other credentials to be had."""
        access = await self._access()
        try:
            return await stack.enter_async_context(self._transport.stream(call, access, pool=pool, idle=idle)), access
        except Unauthorized:
            renewed = await self._credentials.renew(access)
            if renewed is None:
                raise
        return await stack.enter_async_context(self._transport.stream(call, renewed, pool=pool, idle=idle)), renewed

    async def probe(self) -> bool:
        """Whether the API server is alive: any answer of its own within 5 s, on a connection apart, is a yes.

        Raises Unreachable, and ApiError where it says that it is unwell (429 and 5xx).
        """
        while True:
            try:
                call = build_call("GET", _PROBES[self._probe], None, None, JSON, None, PROBE_TIMEOUT)
                await self._authorized(call, "probe")
            except Unauthorized:
                return True
            except (Forbidden, NotFound):
                if self._probe + 1 == len(_PROBES):
                    return True
                self._probe += 1
                continue
            return True

    async def version(self) -> str:
        """The API server's version, such as ``v1.37.1``."""
        answer = await self.request("GET", "/version")
        return str(answer.json()["gitVersion"])

    async def _send(self, call: Call, *, repeatable: bool) -> Answer:
        for _ in range(TRIES - 1):
            try:
                return await self._authorized(call)
            except (TooManyRequests, ServerError) as error:
                if not repeatable or not _may_wait(error):
                    raise
                await self._clock.sleep(error.retry_after or 0.0)
        return await self._authorized(call)

    async def _authorized(self, call: Call, pool: Pool = "requests") -> Answer:
        """Send; after a 401 once more, where there are other credentials to be had."""
        access = await self._access()
        try:
            return await self._transport.send(call, access, pool)
        except Unauthorized:
            renewed = await self._credentials.renew(access)
            if renewed is None:
                raise
            return await self._transport.send(call, renewed, pool)

    async def _access(self) -> Access:
        """The credentials to use now; streams begun with certificates that are no longer those are ended."""
        access = await self._credentials.access()
        for stream, old in tuple(self._streams.items()):
            if old.context is not access.context:
                stream.close()
        return access


def _metadata(obj: Json | bytes) -> Json:
    decoded: Json = msgspec.json.decode(obj) if isinstance(obj, bytes) else obj
    meta: Json = decoded.get("metadata") or {}
    return meta


def _may_wait(error: ApiError) -> bool:
    return error.code in (429, 503) and error.retry_after is not None and error.retry_after <= LONGEST_WAIT
