"""Checks of what a write needs: whether an action is denied, or a subresource missing."""

from __future__ import annotations

import asyncio

from dashboard.cluster.access_reviews import REVIEW_TIMEOUT, ResourceAttributes, ask_denial
from dashboard.cluster.connection import CONNECTION
from dashboard.pages.writes.request_context import EditRequest
from informerd.errors import InformerdError


async def lacks_subresource(edit_request: EditRequest, key: str, subresource: str) -> bool:
    """Whether the API server is known to lack this subresource of the kind `key`."""
    discovery = edit_request.state[CONNECTION].discovery
    if discovery is None:
        return False
    try:
        async with asyncio.timeout(REVIEW_TIMEOUT):
            resource = await discovery.resolve(key)
    except (InformerdError, TimeoutError):
        return False
    return bool(resource.verbs) and subresource not in resource.subresources


async def denial_reason(edit_request: EditRequest, verb: str, subresource: str = "") -> str:
    """Why the action is denied, as a sentence; empty where it is allowed or unknown."""
    target = edit_request.target
    right = ResourceAttributes(verb, target.kind.resource, target.namespace, target.name, subresource)
    return await ask_denial(edit_request.client, right)
