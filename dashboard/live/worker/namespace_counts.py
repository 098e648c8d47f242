"""Number of a kind's objects where the account may list them: in the cluster, or in some namespaces."""

from __future__ import annotations

import asyncio

from dashboard.live.object_counts.count_request import ListClient, count
from dashboard.live.worker.namespace_access import ACCESS_INTERVAL, NamespaceAccess
from informerd.clock import Clock
from informerd.errors import Forbidden
from informerd.resource import Resource

MAX_COUNTED = 20
"""Namespaces in which a kind that nobody follows is counted; where there are more it is not counted."""


class NamespaceCounts:
    """Counts with `client`, where `access` allows it."""

    def __init__(self, client: ListClient, access: NamespaceAccess, clock: Clock) -> None:
        self._client = client
        self._access = access
        self._clock = clock

    async def count(self, resource: Resource) -> int | None:
        """The number; None where the API server does not say it, or there are more than MAX_COUNTED namespaces.

        Raises as `count_request.count`; Forbidden where the kind may be listed in no namespace.
        """
        if not resource.namespaced:
            return await count(self._client, resource)
        if self._access.chosen:
            return await self._sum(resource, self._access.chosen)
        try:
            return await count(self._client, resource)
        except Forbidden:
            allowed = await self._access.allowed(resource, after=self._clock.now() - ACCESS_INTERVAL)
            if not allowed.namespaces:
                raise
        return await self._sum(resource, allowed.namespaces)

    async def _sum(self, resource: Resource, namespaces: tuple[str, ...]) -> int | None:
        if len(namespaces) > MAX_COUNTED:
            return None
        answers = await asyncio.gather(
            *(count(self._client, resource, each) for each in namespaces), return_exceptions=True
        )
        refused = [answer for answer in answers if isinstance(answer, Forbidden)]
        failed = [answer for answer in answers if isinstance(answer, BaseException) and answer not in refused]
        if failed or len(refused) == len(answers):
            raise (failed or refused)[0]
        numbers = [answer for answer in answers if not isinstance(answer, BaseException)]
        return None if None in numbers else sum(number for number in numbers if number is not None)
