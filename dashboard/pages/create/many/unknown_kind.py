"""Message for a kind that the API server does not know, with similar kinds."""

from __future__ import annotations

from collections import defaultdict

from informerd.errors import InformerdError, UnknownResource
from informerd.rest.discovery import Discovery
from informerd.suggest import suggest_names


async def unknown_kind_text(discovery: Discovery, api_version: str, kind: str, error: UnknownResource) -> str:
    """Message for an unknown kind, with similar kinds, as sentences."""
    words = f"The API server has no {kind} in {api_version}. {await _alike(discovery, kind)}"
    return f"{words} {', '.join(error.stale)} could not be queried." if error.stale else words


async def _alike(discovery: Discovery, kind: str) -> str:
    try:
        resources = await discovery.resources()
    except InformerdError:
        resources = ()
    places: dict[str, list[str]] = defaultdict(list)
    for resource in resources:
        if "create" in resource.verbs:
            places[resource.kind].append(resource.api_version)
    names = [name for name in places if name.casefold() == kind.casefold()] or suggest_names(kind, places, limit=2)
    if not names:
        return "Is its CustomResourceDefinition applied?"
    alike = " or ".join(f"{name} in {' and '.join(dict.fromkeys(places[name]))}" for name in names)
    return f"Similar: {alike}."
