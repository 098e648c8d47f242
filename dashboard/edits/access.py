"""May this be done? Asked of the API server itself, before a button is offered."""

from __future__ import annotations

import asyncio

from dashboard.access.rights import PATIENCE, Right, denial
from dashboard.edits.place import Place
from informerd.errors import InformerdError


async def absent(place: Place, key: str, subresource: str) -> bool:
    """Whether the API server is known to have no such subresource of the kind `key`."""
    discovery = place.live.discovery
    if discovery is None:
        return False
    try:
        async with asyncio.timeout(PATIENCE):
            resource = await discovery.resolve(key)
    except (InformerdError, TimeoutError):
        return False
    return bool(resource.verbs) and subresource not in resource.subresources


async def forbidden(place: Place, verb: str, subresource: str = "") -> str:
    """Why it may not be done, as a sentence; empty where it may, or where nobody could tell."""
    target = place.target
    right = Right(verb, target.kind.resource, target.namespace, target.name, subresource)
    return await denial(place.client, right)
