"""Builder of a manager's controller: its sources from for, owns and watches (controller-runtime's builder package), and
its other options.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict, TypeVar

from informerd.controller.handlers import EnqueueOwner
from informerd.controller.predicates import Predicate
from informerd.controller.request import Request
from informerd.controller.sources import Source
from informerd.errors import InvalidCall
from informerd.manager.cached_kind import CachedKind
from informerd.objects import Object
from informerd.workqueue.rate_limiter import RateLimiter

T = TypeVar("T", bound=Object)
U = TypeVar("U")


class ControllerOptions(TypedDict, total=False):
    """Options that `Manager.controller` passes on, see `Controller`."""

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
    """Sources of the controller for `for_`; `predicates` apply to that kind only. Raises InvalidCall."""
    sources = _kind(for_).sources(None, *_several("predicates", predicates))
    for owned in _several("owns", owns):
        sources += _kind(owned).sources(EnqueueOwner(for_.resource))
    return [*sources, *_several("watches", watches)]


def _kind(given: CachedKind[T]) -> CachedKind[T]:
    if not isinstance(given, CachedKind):
        raise InvalidCall(f"a controller watches kinds of its manager, such as manager.kind(PODS), not {given!r}")
    return given


def _several(option: str, given: Iterable[U]) -> Iterable[U]:
    if not isinstance(given, Iterable):
        raise InvalidCall(f"{option}= takes a list: give {option}=[…], not {given!r}")
    return given
