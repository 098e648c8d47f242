"""Pager that reads a whole list page by page (client-go's tools/pager)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Generic, Protocol, TypeVar

import msgspec

from informerd.cache.list_turns import ListTurns
from informerd.cache.list_watch import Page
from informerd.clock import Clock
from informerd.errors import Expired, Unreadable
from informerd.objects import Object

T = TypeVar("T", bound=Object)

PAGE_SECONDS = 2.0
"""An API server ends a request after 60 s: a page that takes longer than this is followed by none that is larger."""
Progress = Callable[[int, int | None], None]
"""Told how many objects have come and, where the API server says so, how many are still to come."""


class PageSource(Protocol[T]):
    """A ListWatch, or several that are read one after the other."""

    async def page(
        self,
        resource_version: str,
        *,
        limit: int = 0,
        continue_token: str = "",
        on_progress: Callable[[int], None] = ...,
    ) -> Page[T]: ...


class Listing(msgspec.Struct, Generic[T]):
    """All objects by key at one resource version."""

    objects: dict[str, T]
    resource_version: str
    is_paginated: bool
    """Whether it took several pages."""
    unusable: frozenset[str] = frozenset()
    """The keys of objects that exist and could not be transformed."""
    unreadable: dict[str, Unreadable] = msgspec.field(default_factory=dict)
    """By key those that exist and cannot be read."""


async def list_all(
    list_watch: PageSource[T],
    resource_version: str,
    *,
    limit: int,
    progress: Progress,
    clock: Clock,
    largest: int = 0,
    turns: ListTurns | None = None,
) -> Listing[T]:
    """List everything, in pages of `limit` objects (0: at once), which grow up to `largest`; all but the first one wait
    for their turn among `turns`.

    Where a later page has expired, the whole list is asked for again without pages at the version first asked for.
    What goes wrong with the first page is raised.
    """
    before = 0

    def came(count: int) -> None:
        progress(before + count, None)

    began = clock.now()
    page = await list_watch.page(resource_version, limit=limit, on_progress=came)
    took = clock.now() - began
    listing: Listing[T] = Listing({}, page.resource_version, bool(page.continue_token))
    _add(listing, page, progress)
    while page.continue_token:
        before = len(listing.objects)
        if limit < largest and took < PAGE_SECONDS:
            limit = min(2 * limit, largest)
        async with turns.turn(page.remaining) if turns is not None else nullcontext():
            began = clock.now()
            try:
                page = await list_watch.page("", limit=limit, continue_token=page.continue_token, on_progress=came)
            except Expired:
                before = 0
                page = await list_watch.page(resource_version, on_progress=came)
                listing = Listing({}, page.resource_version, True)
            took = clock.now() - began
        _add(listing, page, progress)
    return listing


def _add(listing: Listing[T], page: Page[T], progress: Progress) -> None:
    for obj in page.objects:
        listing.objects[obj.key] = obj
    listing.unusable |= page.unusable
    listing.unreadable |= page.unreadable
    progress(len(listing.objects), page.remaining)
