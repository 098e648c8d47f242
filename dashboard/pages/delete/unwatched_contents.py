"""Unwatched objects of a namespace or a definition, counted by the API server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from dashboard.live.object_counts.count_request import ListClient, count
from dashboard.objects.kinds.catalog import KindInfo, kind_of
from informerd.errors import InformerdError
from informerd.resource import Resource

MAX_CONCURRENT = 8
"""Kinds that are requested at the same time."""
COUNT_TIMEOUT = 3.0
"""Seconds for all of them together; a kind without an answer by then is not counted."""


@dataclass(frozen=True, slots=True)
class UnwatchedContents:
    """Objects of one kind that are deleted too."""

    kind: KindInfo
    count: int | None
    """None where there are some, but the API server does not report their number."""
    href: str
    """The list of them."""

    @property
    def words(self) -> str:
        """``1 Secret``, ``3 ConfigMaps``, ``some Leases``."""
        if self.count is None:
            return f"some {self.kind.title}"
        return f"{self.count:,} {self.kind.singular if self.count == 1 else self.kind.title}"


async def count_contents(
    client: ListClient, resources: Iterable[Resource], namespace: str
) -> tuple[tuple[UnwatchedContents, ...], frozenset[str]]:
    """Kinds with objects; and the keys of all counted kinds. Never raises for an error of one kind."""
    slots, contents = asyncio.Semaphore(MAX_CONCURRENT), dict[str, UnwatchedContents]()

    async def ask(resource: Resource) -> None:
        async with slots:
            try:
                number = await count(client, resource, namespace)
            except InformerdError:
                return
        kind = kind_of(resource)
        query = f"?{urlencode({'namespace': namespace})}" if namespace else ""
        contents[resource.key] = UnwatchedContents(kind, number, kind.path + query)

    tasks = [asyncio.ensure_future(ask(resource)) for resource in resources]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=COUNT_TIMEOUT)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    some = (contents[key] for key in sorted(contents) if contents[key].count != 0)
    return tuple(some), frozenset(contents)
