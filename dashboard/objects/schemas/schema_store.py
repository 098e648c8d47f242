"""Store of the kinds' schemas, from the API server's OpenAPI v3, else from the CustomResourceDefinition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from dashboard.objects.schemas.schema import UNKNOWN, Schema, crd_schema, kind_schema
from dashboard.runtime.app_state import Key
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

TTL = 60.0
"""Seconds that a schema is kept; then the next page requests it again, so that a changed CRD shows soon."""
UNKNOWN_TTL = 10.0
"""Seconds before a missing schema is requested again: editors would request it at every key."""
MAX_SCHEMAS = 100
"""Schemas that are kept at once; the oldest goes first."""
SOON_TIMEOUT = 0.05
"""Seconds that a request from an editor waits for a schema."""
TIME_LIMIT = 8.0
"""Seconds to wait for a schema; then the page comes without a form."""

_Key = tuple[str, str, str]


class SchemaStore:
    """The schemas of kinds, each requested once in TTL seconds; once in UNKNOWN_TTL where there is none.

    They are the same for everybody: the client that `reader` returns reads them, and without one that of the caller.
    """

    def __init__(self, clock: Clock, reader: Callable[[], Client | None] = lambda: None) -> None:
        self._clock = clock
        self._reader = reader
        self._known: dict[_Key, tuple[float, Schema]] = {}
        self._asking: dict[_Key, asyncio.Task[Schema]] = {}

    async def schema_of(self, client: Client, resource: Resource) -> Schema:
        """The kind's schema; UNKNOWN where the API server publishes none, or the account may not read it."""
        known = self._still_known(_key(client, resource))
        return known if known is not None else await asyncio.shield(self._running_request(client, resource))

    async def schema_if_ready(self, client: Client, resource: Resource) -> Schema | None:
        """The kind's schema, if it arrives within SOON_TIMEOUT seconds; else None, and the request goes on for later
        callers.
        """
        known = self._still_known(_key(client, resource))
        if known is not None:
            return known
        task = self._running_request(client, resource)
        done, _ = await asyncio.wait((task,), timeout=SOON_TIMEOUT)
        return task.result() if done else None

    def _still_known(self, key: _Key) -> Schema | None:
        read, known = self._known.get(key, (0.0, UNKNOWN))
        ttl = UNKNOWN_TTL if known is UNKNOWN else TTL
        return known if key in self._known and self._clock.now() - read < ttl else None

    def _running_request(self, client: Client, resource: Resource) -> asyncio.Task[Schema]:
        """The running request, shared by all callers."""
        key = _key(client, resource)
        task = self._asking.get(key)
        if task is None:
            task = self._asking[key] = asyncio.create_task(self._read(client, resource))
            task.add_done_callback(lambda _: self._asking.pop(key, None))
        return task

    async def _read(self, client: Client, resource: Resource) -> Schema:
        client = self._reader() or client
        schema = await _published(client, resource) or await _defined(client, resource) or UNKNOWN
        key = _key(client, resource)
        _, before = self._known.pop(key, (0.0, schema))
        schema = before if before == schema else schema  # the very same, by which what it judged stays judged
        if len(self._known) >= MAX_SCHEMAS:
            del self._known[next(iter(self._known))]
        self._known[key] = (self._clock.now(), schema)
        return schema


class HiddenSchemas(SchemaStore):
    """For somebody who may not read the API server's schemas: every one is UNKNOWN."""

    async def schema_of(self, client: Client, resource: Resource) -> Schema:  # noqa: ARG002 -- nothing is requested
        return UNKNOWN

    async def schema_if_ready(self, client: Client, resource: Resource) -> Schema | None:  # noqa: ARG002
        return UNKNOWN


SCHEMAS: Key[SchemaStore] = Key("schemas")


def _key(client: Client, resource: Resource) -> _Key:
    return (client.config.server, resource.key, resource.version)


async def _published(client: Client, resource: Resource) -> Schema | None:
    group = f"apis/{resource.group}" if resource.group else "api"
    return await _read(
        client,
        f"/openapi/v3/{group}/{resource.version}",
        lambda answer: kind_schema(answer, resource.group, resource.version, resource.kind),
    )


async def _defined(client: Client, resource: Resource) -> Schema | None:
    if "." not in resource.group:
        return None
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{resource.key}"
    return await _read(client, path, lambda answer: crd_schema(answer, resource.version))


async def _read(client: Client, path: str, pick: Callable[[Mapping[str, Any]], Schema | None]) -> Schema | None:
    try:
        async with asyncio.timeout(TIME_LIMIT):
            answer = (await client.request("GET", path, timeout=TIME_LIMIT)).json()
    except (InformerdError, TimeoutError):
        return None
    return pick(answer) if isinstance(answer, Mapping) else None
