"""Reads of kinds that are not followed: one list of a kind, or one object, as rows.

The rows are those that a worker would make. A list is bounded: it ends after MAX_LISTED objects, MAX_LISTED_BYTES or
LIST_SECONDS, and says that it is not complete.
"""

from __future__ import annotations

import asyncio
from typing import Any

from dashboard.live.replication.snapshot import row_size
from dashboard.live.replication.unwatched_list import KindList
from dashboard.live.worker.crd_client import CrdClient
from dashboard.live.worker.namespace_access import NamespaceAccess
from dashboard.live.worker.namespace_pages import NamespacePages
from dashboard.live.worker.object_with_row import unreadable_row
from dashboard.live.worker.poller import with_identity
from dashboard.objects.health import rules_of
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import (
    Printer,
    build_row,
    mask_secret,
    needs_columns,
    printer_from_columns,
    projection_for,
)
from informerd.cache.list_watch import ListWatch
from informerd.clock import Clock
from informerd.decoding.decoder import Decoder, TransformFailed
from informerd.errors import UNREADABLE, MalformedStream, NotFound, UnexpectedObject, UnreadableObject
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

MAX_LISTED = 5_000
"""Objects after which a list ends."""
MAX_LISTED_BYTES = 32 * 2**20
"""Bytes of rows after which a list ends."""
LIST_SECONDS = 10.0
"""Seconds after which a list ends with the pages that have come."""
PAGE_SIZE = 500


class ObjectReader:
    """Reads through `client`. The caller owns it."""

    def __init__(
        self, client: Client, discovery: Discovery, clock: Clock, access: NamespaceAccess | None = None
    ) -> None:
        """`access` knows the namespaces that may be listed; without it all are, or none."""
        self._access = access
        self._client = client
        self._discovery = discovery
        self._definitions = CrdClient(client)
        self._clock = clock

    async def list(self, kind: KindInfo) -> KindList:
        """The kind's objects. Raises InformerdError where the first page cannot be read, UnknownResource where the API
        server has no such kind.
        """
        resource = await self._resource_of(kind)
        table, printer = await self._columns_of(resource)

        def make(namespace: str) -> ListWatch[Any]:
            projection, transform = projection_for(resource.key), _transform(resource)
            return ListWatch(self._client, resource, projection=projection, transform=transform, namespace=namespace)

        list_watch = NamespacePages(make, resource, self._access, self._clock)
        begun, at = self._clock.now(), self._clock.time()
        page = await list_watch.page("", limit=PAGE_SIZE)
        rows: list[Row] = []
        size = 0
        while True:
            for obj in page.objects:
                row = _row(resource.key, with_identity(obj), printer)
                rows.append(row)
                size += row_size(row)
                if len(rows) % 100 == 0:
                    await asyncio.sleep(0)
            is_full = len(rows) >= MAX_LISTED or size >= MAX_LISTED_BYTES or self._clock.now() - begun >= LIST_SECONDS
            if not page.continue_token or is_full:
                return KindList(
                    at,
                    tuple(rows),
                    table,
                    not page.continue_token,
                    page.remaining,
                    list_watch.namespaces,
                    list_watch.forbidden,
                )
            page = await list_watch.page("", limit=PAGE_SIZE, continue_token=page.continue_token)

    async def read(self, kind: KindInfo, namespace: str, name: str) -> tuple[Row | None, TableDefinition | None]:
        """The object's row, None where there is no such object, and the meaning of its cells as in KindList.

        Raises InformerdError where it cannot be read.
        """
        resource = await self._resource_of(kind)
        table, printer = await self._columns_of(resource)
        chosen = self._access.chosen if self._access is not None else ()
        if bool(namespace) != resource.namespaced or (namespace and chosen and namespace not in chosen):
            return None, table
        try:
            response = await self._client.request("GET", resource.path(namespace, name))
        except NotFound:
            return None, table
        decoder: Decoder[Any] = Decoder(resource, projection_for(resource.key), _transform(resource))
        try:
            obj = decoder.decode(response.body)
        except (*UNREADABLE, UnexpectedObject, UnreadableObject, TransformFailed) as error:
            raise MalformedStream(f"{resource.key} {name} cannot be read: {error}") from error
        return _row(resource.key, with_identity(obj), printer), table

    async def _resource_of(self, kind: KindInfo) -> Resource:
        return kind.resource if kind.resolved and kind.resource.verbs else await self._discovery.resolve(kind.key)

    async def _columns_of(self, resource: Resource) -> tuple[TableDefinition | None, Printer | None]:
        if not needs_columns(resource.key):
            return None, None
        definition = await self._definitions.find(resource)
        if definition is None:
            table = TableDefinition(resource.namespaced, (), resource.version)
        else:
            table = definition.table_for(resource)
        return table, printer_from_columns(table, rules_of(resource.key))


def _transform(resource: Resource) -> Any:
    return mask_secret if (resource.group, resource.plural) == ("", "secrets") else None


def _row(key: str, obj: Object, printer: Printer | None) -> Row:
    try:
        return printer.row(obj) if printer is not None else build_row(key, obj)
    except Exception:  # noqa: BLE001 -- whatever an object has, it is in the list
        return unreadable_row(obj)
