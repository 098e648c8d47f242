"""States of one object, one after the other: a list, and then a watch that goes on after whatever ends it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import TypeVar

import msgspec

from informerd.errors import (
    UNREADABLE,
    CredentialsError,
    Expired,
    MalformedStream,
    ResourceVersionTooLarge,
    ServerError,
    ServerTimeout,
    Status,
    TooManyRequests,
    Unreachable,
    error_from_status,
)
from informerd.resource import Resource, check_path_segment
from informerd.rest.rest_client import LIST_TIMEOUT, RestClient

FIRST_RETRY, LAST_RETRY = 0.5, 10.0
"""Seconds between tries; each pause is twice the one before, until something comes."""
WATCH_SECONDS = 300
"""After which the API server is asked to end a watch, which then goes on from where it was."""
_PASSING = (Unreachable, ServerError, ServerTimeout, TooManyRequests)


class _Meta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Meta = _Meta()


class _List(msgspec.Struct):
    metadata: _Meta = _Meta()
    items: list[msgspec.Raw] | None = None


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class ObjectStates:
    """Async iterator over an object's JSON, None while it does not exist: its present state first, then each change.

    Broken connections, ends of the watch and an API server that is away are survived. The watch goes on from its last
    version, so that no state is left out; where that version has expired, from a new list, and states between are.
    Raises InvalidCall, CredentialsError before the first state, and what does not pass, such as Forbidden.
    """

    def __init__(self, client: RestClient, resource: Resource, name: str, namespace: str = "") -> None:
        check_path_segment("name", name)
        self._client = client
        self._path = resource.path(namespace)
        self._selector = f"metadata.name={name}"
        self._version = ""
        self._pause = FIRST_RETRY
        self.problem = ""
        """Why nothing can be heard at the moment; empty while the API server answers."""

    async def __aiter__(self) -> AsyncGenerator[bytes | None]:
        has_begun = False
        while True:
            try:
                if not self._version:
                    yield await self._list()
                    has_begun = True
                async with contextlib.aclosing(self._watch()) as states:
                    async for state in states:
                        yield state
            except (Expired, ResourceVersionTooLarge):  # the latter where etcd was set back
                self._version = ""
            except _PASSING as error:
                if isinstance(error, CredentialsError) and not has_begun:
                    raise
                self.problem = str(error)
            await self._client.clock.sleep(self._pause)
            self._pause = min(2 * self._pause, LAST_RETRY)

    async def _list(self) -> bytes | None:
        answer = await self._client.request(
            "GET", self._path, params={"fieldSelector": self._selector}, timeout=LIST_TIMEOUT
        )
        listed: _List = answer.decode(_List)
        self._heard(listed.metadata.resource_version)
        return bytes(listed.items[0]) if listed.items else None

    async def _watch(self) -> AsyncGenerator[bytes | None]:
        params: dict[str, str | int | bool | None] = {
            "watch": True, "allowWatchBookmarks": True, "fieldSelector": self._selector,
            "resourceVersion": self._version, "timeoutSeconds": WATCH_SECONDS,
        }  # fmt: skip
        async with self._client.stream(self._path, params) as stream:
            self.problem = ""
            async for line in stream:
                event: _Event = _decode(line, _Event)
                if event.type == "ERROR":
                    raise error_from_status(_decode(event.object, Status))
                self._heard(_decode(event.object, _Object).metadata.resource_version)
                if event.type != "BOOKMARK":
                    yield None if event.type == "DELETED" else bytes(event.object)

    def _heard(self, version: str) -> None:
        self._version, self._pause, self.problem = version or self._version, FIRST_RETRY, ""


S = TypeVar("S", _Event, _Object, Status)


def _decode(raw: bytes | memoryview | msgspec.Raw, type_: type[S]) -> S:
    try:
        return msgspec.json.decode(raw, type=type_)
    except UNREADABLE as error:
        raise MalformedStream(f"a watch event is malformed: {error}") from error
