"""May this be done? Asked of the API server itself (SelfSubjectAccessReview), before a button is offered."""

from __future__ import annotations

import asyncio

from dashboard.edits.place import Place
from informerd.errors import InformerdError
from informerd.resource import Resource

PATIENCE = 3.0
"""Seconds; then the button is offered, and the API server says no where it has to."""
_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectaccessreviews",
    kind="SelfSubjectAccessReview",
    namespaced=False,
)


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
    resource, target = place.target.kind.resource, place.target
    attributes = {
        "verb": verb,
        "group": resource.group,
        "resource": resource.plural,
        "subresource": subresource,
        "namespace": target.namespace,
        "name": target.name,
    }
    review = {
        "apiVersion": _REVIEWS.api_version,
        "kind": _REVIEWS.kind,
        "spec": {"resourceAttributes": {name: value for name, value in attributes.items() if value}},
    }
    try:
        async with asyncio.timeout(PATIENCE):
            status = (await place.client.create(_REVIEWS, review)).object().get("status") or {}
    except (InformerdError, TimeoutError):
        return ""
    if status.get("allowed") is not False:
        return ""
    what = f"{resource.key}/{subresource}" if subresource else resource.key
    where = f" in namespace {target.namespace}" if target.namespace else ""
    reason = f" The cluster says: {status['reason']}" if status.get("reason") else ""
    return f"The cluster's access rules do not let you {verb} {what}{where}.{reason}"
