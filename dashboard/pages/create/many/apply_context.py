"""Context of planning, applying and checking several objects: API client, kinds and schemas."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from dashboard.objects.fields.field_access import Value, get
from dashboard.objects.kinds.catalog import kind_of
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.objects.schemas.schema_store import SchemaStore
from dashboard.pages.authors.record_and_lookup import WriteRecorder
from dashboard.pages.writes.target import Target
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

CONCURRENCY = 6
"""Dry runs at the same time."""


@dataclass(slots=True)
class ApplyContext:
    """Access of one text to the cluster."""

    client: Client
    discovery: Discovery
    schemas: SchemaStore
    namespace: str
    """Namespace of objects that name none."""
    chosen_namespace: str = ""
    """The same where the user chose it."""
    write_recorder: WriteRecorder | None = None
    """Records the author of each write."""
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONCURRENCY))

    async def target_of(self, value: dict[str, Value]) -> Target:
        """The target that a document names. Raises UnknownResource and the API server's errors."""
        api_version, kind = value.get("apiVersion"), value.get("kind")
        resource: Resource = await self.discovery.resource_of(str(api_version), str(kind))
        namespace = get(value, ("metadata", "namespace")) or self.namespace
        name = get(value, ("metadata", "name")) or ""
        return Target(kind_of(resource), str(namespace) if resource.namespaced else "", str(name))

    async def schema(self, target: Target) -> Schema:
        try:
            return await self.schemas.schema_of(self.client, target.kind.resource)
        except InformerdError:
            return UNKNOWN
