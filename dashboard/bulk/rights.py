"""What the account may do with the objects of a run, said before somebody chooses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.access.rights import Right
from dashboard.bulk.place import Place
from dashboard.bulk.run import Item

MOST = 20
"""Namespaces that are asked about; what is forbidden in others the dry run says."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What cannot be done, or not everywhere."""

    nowhere: bool = False
    words: str = ""


async def limit(place: Place, items: Iterable[Item], verb: str) -> Limit:
    """Of patching or deleting the objects, asked of one in each namespace."""
    kind = place.kind
    if kind.resource.verbs and verb not in kind.resource.verbs:
        return Limit(nowhere=True, words=f"The API server does not {verb} {kind.title}.")
    ones: dict[str, Item] = {}
    for item in items:
        ones.setdefault(item.namespace, item)
    asked = list(ones.values())[:MOST]
    rights = (Right(verb, kind.resource, item.namespace, item.name) for item in asked)
    said = await asyncio.gather(*map(place.live.rights.denial, rights))
    denied = [item.namespace for item, words in zip(asked, said, strict=True) if words]
    if not denied:
        return Limit()
    if len(denied) == len(ones) and len(denied) == 1:
        return Limit(nowhere=True, words=said[0])
    where = f"in {', '.join(denied)}" if len(denied) < len(ones) else "in any of their namespaces"
    words = f"The cluster's access rules do not let Deltaboard's account {verb} {kind.resource.key} {where}."
    return Limit(nowhere=len(denied) == len(ones), words=words)
