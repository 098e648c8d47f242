"""Pages of a kind's objects from the whole cluster, or from one namespace after the other where the account may list
single namespaces only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from dashboard.live.worker.namespace_access import NamespaceAccess
from informerd.cache.list_watch import ListWatch, Page
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError
from informerd.resource import Resource

_BETWEEN = " "
"""Between namespace and token; the names of namespaces have none."""


class NamespacePages:
    """As ListWatch.page, with `make` for the pages of one namespace or, empty, of all.

    `namespaces` and `forbidden` are those of the list that was begun last; both are empty where all are listed.
    """

    def __init__(
        self, make: Callable[[str], ListWatch[Any]], resource: Resource, access: NamespaceAccess | None, clock: Clock
    ) -> None:
        self.namespaces: tuple[str, ...] = ()
        self.forbidden: tuple[str, ...] = ()
        self._make = make
        self._resource = resource
        self._access = access if resource.namespaced else None
        self._clock = clock

    async def page(
        self,
        resource_version: str,
        *,
        limit: int = 0,
        continue_token: str = "",
        on_progress: Callable[[int], None] = lambda _count: None,
    ) -> Page[Any]:
        """One page. Raises as ListWatch.page; Forbidden where nothing may be listed."""
        if continue_token:
            namespace, _, token = continue_token.partition(_BETWEEN)
            return await self._page_of(namespace, "", limit, token, on_progress)
        self.namespaces, self.forbidden = (), ()
        access = self._access
        if access is None or not access.chosen:
            try:
                return await self._page_of("", resource_version, limit, "", on_progress)
            except Forbidden as error:
                if access is None:
                    raise
                try:
                    allowed = await access.allowed(self._resource, after=self._clock.now())
                except (InformerdError, TimeoutError):
                    raise error from None
                if not allowed.namespaces:
                    raise
                self.namespaces = allowed.namespaces
        else:
            self.namespaces = access.chosen
        return await self._page_of(self.namespaces[0], resource_version, limit, "", on_progress)

    async def _page_of(
        self, namespace: str, version: str, limit: int, token: str, on_progress: Callable[[int], None]
    ) -> Page[Any]:
        """The page, or the first one of the next namespace where this one may not be listed."""
        while True:
            following = self._following(namespace)
            try:
                page = await self._make(namespace).page(
                    version, limit=limit, continue_token=token, on_progress=on_progress
                )
            except Forbidden:
                if not namespace:
                    raise
                self.namespaces = tuple(name for name in self.namespaces if name != namespace)
                self.forbidden = (*self.forbidden, namespace)
                if not following:
                    if not self.namespaces:
                        raise
                    return Page([], "")
                namespace, token = following, ""
                continue
            after = f"{namespace}{_BETWEEN}{page.continue_token}" if page.continue_token else f"{following}{_BETWEEN}"
            if not (page.continue_token or following):
                after = ""
            return msgspec.structs.replace(
                page, continue_token=after, remaining=None if namespace and following else page.remaining
            )

    def _following(self, namespace: str) -> str:
        names = self.namespaces
        at = names.index(namespace) + 1 if namespace in names else len(names)
        return names[at] if at < len(names) else ""
