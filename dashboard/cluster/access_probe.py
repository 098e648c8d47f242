"""Access reviews of each kind that pages show: where somebody may list it, if their rules do not say so.

Needed where an authorizer beside RBAC answers, such as a webhook: SelfSubjectRulesReview is incomplete then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from dashboard.access.person import Person
from dashboard.access.rights import Rights, Rule
from dashboard.cluster.access_reviews import ResourceAttributes, is_allowed
from dashboard.objects.kinds.catalog import KindInfo
from informerd.resource import Resource
from informerd.rest.client import Client

MAX_CONCURRENT = 8
"""Maximum number of concurrent reviews of all people."""


class AccessProbe:
    """Asks with SelfSubjectAccessReviews. `kinds` returns the kinds to ask about."""

    def __init__(self, kinds: Callable[[], Iterable[KindInfo]]) -> None:
        self._kinds = kinds
        self._gate = asyncio.Semaphore(MAX_CONCURRENT)

    async def completed(
        self, rights: Rights, person: Person, client: Client, namespaces: Sequence[str], more: Iterable[KindInfo] = ()
    ) -> Rights:
        """`rights` and what somebody may list beyond them, of `kinds` and `more` kinds. They are not shared with other
        people, since nobody knows what else these may do.

        Raises ApiError where the API server refuses to tell, Unreachable where it does not answer.
        """
        kinds = {kind.key: kind for kind in (*self._kinds(), *more)}
        found = await asyncio.gather(*(self._list_rights(client, rights, kind, namespaces) for kind in kinds.values()))
        everywhere, own = [*rights.everywhere], {name: [*rules] for name, rules in rights.by_namespace.items()}
        for kind, where in zip(kinds.values(), found, strict=True):
            rule = Rule(frozenset({"list"}), frozenset({kind.resource.group}), frozenset({kind.resource.plural}))
            for namespace in where:
                (own.setdefault(namespace, []) if namespace else everywhere).append(rule)
        return Rights(everywhere, own, urls=rights.urls, owner=f"{person.name}\n{person.groups}\n{person.uid}")

    async def _list_rights(
        self, client: Client, rights: Rights, kind: KindInfo, namespaces: Sequence[str]
    ) -> tuple[str, ...]:
        """The namespaces in which the kind may be listed beyond `rights`; the empty one for all."""
        known = rights.scope_of(kind.key)
        if known.is_everything:
            return ()
        if await self._may_list(client, kind.resource, ""):
            return ("",)
        if not kind.namespaced:
            return ()
        asked = [namespace for namespace in namespaces if namespace not in known.namespaces]
        answers = await asyncio.gather(*(self._may_list(client, kind.resource, namespace) for namespace in asked))
        return tuple(namespace for namespace, allowed in zip(asked, answers, strict=True) if allowed)

    async def _may_list(self, client: Client, resource: Resource, namespace: str) -> bool:
        async with self._gate:
            return await is_allowed(client, ResourceAttributes("list", resource, namespace))
