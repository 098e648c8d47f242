"""The kinds at the left of every page: those that are followed or pinned first, all others folded under their groups.

The count of a kind that is followed is live; of any other it has a date, or is a dash whose title says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.census.messages import Counted
from dashboard.live.context import LiveParts, live_of
from dashboard.live.replica import Replica
from dashboard.resources.kinds import CUSTOM, GROUP_TITLES, KindInfo, kind_of
from dashboard.resources.params import read_namespaces
from informerd.clock import rfc3339

FOLDS_COOKIE = "folds"
"""Groups whose rest is open, written by navigation.js."""
PINS_COOKIE = "pins"
"""Kinds that somebody keeps at the top, written by navigation.js."""
BETWEEN = "_"
"""Between the parts of such a cookie: no key has it."""
MOST_PINS = 60

NOT_WATCHED = "Nobody watches them"
NOT_COUNTED = "Not counted yet: they are counted while somebody looks at this part of the navigation."
UNCOUNTABLE = "The API server does not say how many there are."


@dataclass(frozen=True, slots=True)
class KindItem:
    """A kind in the navigation."""

    key: str
    title: str
    icon: str
    href: str
    count: int | None
    """None, a dash, while nobody knows."""
    wrong: int = 0
    state: str = ""
    """The informer's state: live, stale, absent, forbidden…; empty where nobody watches."""
    dated: str = ""
    """RFC 3339 at which `count` was true; empty where it is live."""
    clock: str = ""
    """The same as a UTC time of day, ``17:40``."""
    words: str = ""
    """What the count's title says: why there is none, or that it is not live."""
    pinned: bool = False
    pinnable: bool = True
    """False: it stands at the top anyway, because the settings name it."""
    namespaced: bool = True


@dataclass(frozen=True, slots=True)
class Fold:
    """Kinds of a group that are neither followed nor pinned, by title; of custom resources those of one API group."""

    title: str
    """The API group; empty where the whole rest is one."""
    kinds: tuple[KindItem, ...]


@dataclass(frozen=True, slots=True)
class KindGroup:
    """Kinds under one heading."""

    title: str
    kinds: tuple[KindItem, ...]
    """Followed, pinned, or the page's own."""
    folds: tuple[Fold, ...] = ()
    open: bool = False

    @property
    def slug(self) -> str:
        """Names the group in the cookie and in the page."""
        return self.title.lower().replace(" ", "-")

    @property
    def folded(self) -> int:
        """How many kinds are folded away."""
        return sum(len(fold.kinds) for fold in self.folds)


def navigation(request: HttpRequest, key: str = "", namespaces: tuple[str, ...] = ()) -> tuple[KindGroup, ...]:
    """Every kind that discovery names, by group; `key` is the page's own kind, whose `namespaces` its links keep.

    Where a fold is open somebody looks at the counts in it: they are kept no older than a minute from here on.
    """
    live = live_of(request)
    opened, pins = (set(_parts(request.COOKIES.get(name, ""))) for name in (FOLDS_COOKIE, PINS_COOKIE))
    if opened or pins:
        live.census.look()
    groups = [_group(title, items, opened) for title, items in _by_group(live, pins, key, ",".join(namespaces))]
    return tuple(group for group in groups if group.kinds or group.folds)


@require_safe
async def kinds(request: HttpRequest) -> HttpResponse:
    """The kinds as a fragment, for a page that is open while the cluster comes to have other ones."""
    key = request.GET.get("key", "")
    chosen = read_namespaces(request.GET, [])
    page = {"groups": navigation(request, key, chosen), "key": key, "cluster": {"kinds": live_of(request).census.names}}
    response = render(request, "_kinds.html", {"page": page})
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def counts(request: HttpRequest) -> HttpResponse:
    """The dated counts for navigation.js, which asks while it shows them: that is what has them counted."""
    census = live_of(request).census
    census.look()
    known = {key: [each.count, each.at, _words(each)] for key, each in census.kinds.items()}
    return JsonResponse({"names": census.names, "counts": known}, headers={"Cache-Control": "no-store"})


def _by_group(
    live: LiveParts, pins: set[str], key: str, namespaces: str
) -> Iterable[tuple[str, list[tuple[KindInfo, KindItem, bool]]]]:
    """Under each heading its kinds with whether they stand at the top: followed ones in their order, then the rest."""
    found: dict[str, list[tuple[KindInfo, KindItem, bool]]] = {title: [] for title in GROUP_TITLES}
    followed = {kind.key for kind in live.kinds}
    for kind in live.kinds:
        found[kind.group_title].append((kind, _followed(live, kind, _href(kind, namespaces), kind.key in pins), True))
    others = [(kind_of(each.resource), each) for name, each in live.census.kinds.items() if name not in followed]
    for kind, counted in sorted(others, key=lambda pair: (pair[0].title, pair[0].key)):
        pinned = kind.key in pins
        found[kind.group_title].append(
            (kind, _counted(kind, counted, _href(kind, namespaces), pinned), pinned or kind.key == key)
        )
    return found.items()


def _group(title: str, items: list[tuple[KindInfo, KindItem, bool]], opened: set[str]) -> KindGroup:
    rest: dict[str, list[KindItem]] = {}
    for kind, item, first in items:
        if not first:
            rest.setdefault(kind.resource.group if title == CUSTOM else "", []).append(item)
    folds = tuple(Fold(name, tuple(rest[name])) for name in sorted(rest))
    group = KindGroup(title, tuple(item for _, item, first in items if first), folds)
    return KindGroup(title, group.kinds, folds, open=group.slug in opened)


def _followed(live: LiveParts, kind: KindInfo, href: str, pinned: bool) -> KindItem:
    replica = live.replicas.get(kind.key)
    summary = live.hub.summaries.get(kind.key)
    wrong = len(summary.wrong) if summary is not None else 0
    count = len(replica.rows) if _is_listed(replica) else None
    words = f"{wrong:,} wrong" if wrong else ("" if count is not None else replica.health.problem)
    steady = any(kind.key == each.key for each in live.hub.steady)
    return KindItem(
        kind.key, kind.title, kind.icon, href, count, wrong, replica.health.state,
        words=words, pinned=pinned, pinnable=not steady, namespaced=kind.namespaced,
    )  # fmt: skip


def _href(kind: KindInfo, namespaces: str) -> str:
    return f"{kind.path}?namespace={namespaces}" if namespaces and kind.namespaced else kind.path


def _is_listed(replica: Replica) -> bool:
    return replica.state != "starting" and replica.health.state in ("live", "stale")


def _counted(kind: KindInfo, counted: Counted, href: str, pinned: bool) -> KindItem:
    at = counted.at if counted.count is not None else None
    return KindItem(
        kind.key, kind.title, kind.icon, href, counted.count,
        dated="" if at is None else rfc3339(at), clock="" if at is None else f"{datetime.fromtimestamp(at, UTC):%H:%M}",
        words=_words(counted), pinned=pinned, namespaced=kind.namespaced,
    )  # fmt: skip


def _words(counted: Counted) -> str:
    if counted.problem:
        return counted.problem
    if counted.count is None:
        return NOT_COUNTED if counted.at is None else UNCOUNTABLE
    return f"{NOT_WATCHED}: counted at the time beside it, and again each minute while it is shown."


def _parts(cookie: str) -> list[str]:
    return [part for part in cookie.split(BETWEEN)[:MOST_PINS] if part]
