"""What planning, applying and checking several objects need: the way to the API server, its kinds and their schemas."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from dashboard.authors.pen import Pen
from dashboard.edits.editable import Target
from dashboard.edits.fields import Value, get
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.edits.schemas import Schemas
from dashboard.resources.kinds import kind_of
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

AT_ONCE = 6
"""Objects that are tried out at the same time."""


@dataclass(slots=True)
class Kitchen:
    """One text's way to the cluster."""

    client: Client
    discovery: Discovery
    schemas: Schemas
    namespace: str
    """Where objects go that name none."""
    chosen: str = ""
    """The same where somebody chose it."""
    pen: Pen | None = None
    """Puts a name to what is written."""
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def target_of(self, value: dict[str, Value]) -> Target:
        """The object that a document means. Raises UnknownResource and what the API server answers."""
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
