"""How a manager makes a controller of a kind and a function."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict, TypeVar

from informerd.controller.handlers import EnqueueOwner
from informerd.controller.predicates import Predicate
from informerd.controller.request import Request
from informerd.controller.sources import Source
from informerd.manager.cached_kind import CachedKind
from informerd.objects import Object
from informerd.workqueue.rate_limiter import RateLimiter

T = TypeVar("T", bound=Object)


class ControllerOptions(TypedDict, total=False):
    """What `Manager.controller` hands on, see `Controller`."""

    limiter: RateLimiter[Request] | None
    reconcile_timeout: float | None
    sync_timeout: float | None
    needs_leader: bool
    stuck_after: float | None


def sources_of(
    for_: CachedKind[T],
    owns: Iterable[CachedKind[Any]],
    watches: Iterable[Source],
    predicates: Iterable[Predicate[T]],
) -> list[Source]:
    """What the controller of `for_` watches; `predicates` are for that kind alone."""
    sources = for_.sources(None, *predicates)
    for owned in owns:
        sources += owned.sources(EnqueueOwner(for_.resource))
    return [*sources, *watches]
