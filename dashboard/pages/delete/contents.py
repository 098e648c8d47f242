"""What a namespace or a definition holds of kinds that nobody watches: the API server is asked how many there are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from dashboard.census.counting import Listing, count
from dashboard.resources.kinds import KindInfo, kind_of
from informerd.errors import InformerdError
from informerd.resource import Resource

AT_ONCE = 8
"""Kinds that are asked for at the same time."""
PATIENCE = 3.0
"""Seconds for all of them together; a kind that has not answered by then is not counted."""


@dataclass(frozen=True, slots=True)
class Held:
    """Objects of one kind that go, too."""

    kind: KindInfo
    count: int | None
    """None where there are some, and the API server does not say how many."""
    href: str
    """The list of them."""

    @property
    def words(self) -> str:
        """``1 Secret``, ``3 ConfigMaps``, ``some Leases``."""
        if self.count is None:
            return f"some {self.kind.title}"
        return f"{self.count:,} {self.kind.singular if self.count == 1 else self.kind.title}"


async def held(
    client: Listing, resources: Iterable[Resource], namespace: str
) -> tuple[tuple[Held, ...], frozenset[str]]:
    """Those of which there are any; and the keys of all that were counted. Never raises for what one answers."""
    slots, found = asyncio.Semaphore(AT_ONCE), dict[str, Held]()

    async def ask(resource: Resource) -> None:
        async with slots:
            try:
                number = await count(client, resource, namespace)
            except InformerdError:
                return
        kind = kind_of(resource)
        query = f"?{urlencode({'namespace': namespace})}" if namespace else ""
        found[resource.key] = Held(kind, number, kind.path + query)

    tasks = [asyncio.ensure_future(ask(resource)) for resource in resources]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=PATIENCE)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    some = (found[key] for key in sorted(found) if found[key].count != 0)
    return tuple(some), frozenset(found)
