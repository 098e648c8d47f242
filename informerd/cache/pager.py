"""Pager that reads a whole list page by page (client-go's tools/pager)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import msgspec

from informerd.cache.list_watch import Page
from informerd.clock import Clock, within
from informerd.errors import Expired, InformerdError, Unreadable
from informerd.objects import Object

log = logging.getLogger(__name__)
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
    whole_within: float = 0.0,
) -> Listing[T]:
    """List everything, in pages of `limit` objects (0: at once), which grow up to `largest`.

    A long list is asked for once more in one answer after its first page, where that seems to take less than
    `whole_within` seconds; where it does not, or fails, the pages go on.

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
    if page.continue_token and page.remaining is not None and took * page.remaining < whole_within * limit:
        whole = _Whole(list_watch, resource_version, len(page.objects), page.remaining, progress)
        if (found := await whole.list(whole_within, clock)) is not None:
            return found
    while page.continue_token:
        before = len(listing.objects)
        if limit < largest and took < PAGE_SECONDS:
            limit = min(2 * limit, largest)
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


class _Whole(Generic[T]):
    """A list in one answer, of which the first page is there. An API server begins to send it at once, and encodes what
    follows while that is read; pages wait for each other.
    """

    def __init__(
        self, list_watch: PageSource[T], resource_version: str, first: int, remaining: int, progress: Progress
    ) -> None:
        self._list_watch = list_watch
        self._resource_version = resource_version
        self._first = first
        self._total = first + remaining
        self._progress = progress

    async def list(self, seconds: float, clock: Clock) -> Listing[T] | None:
        """None where it fails or takes longer."""
        try:
            async with within(seconds, clock):
                page = await self._list_watch.page(self._resource_version, on_progress=self._came)
        except (InformerdError, TimeoutError) as error:
            problem = str(error) or f"it took more than {seconds:g} s"
            log.info("a list in one answer failed, it goes on in pages: %s", problem, extra={"problem": problem})
            return None
        if page.continue_token:  # a server that gives no more at once, whatever is asked for
            return None
        listing: Listing[T] = Listing({}, page.resource_version, False)
        _add(listing, page, self._progress)
        return listing

    def _came(self, count: int) -> None:
        """What the first page had is there already."""
        self._progress(max(count, self._first), max(0, self._total - max(count, self._first)))


def _add(listing: Listing[T], page: Page[T], progress: Progress) -> None:
    for obj in page.objects:
        listing.objects[obj.key] = obj
    listing.unusable |= page.unusable
    listing.unreadable |= page.unreadable
    progress(len(listing.objects), page.remaining)
