"""Navigation of every page: followed and pinned kinds first, all others folded under their groups.

The count of a followed kind is live. Any other count has a date, or is a dash whose title says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.object_counts.messages import KindCount
from dashboard.live.object_counts.worker_client import OBJECT_COUNTS
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import CUSTOM, GROUP_TITLES, KindInfo, kind_of
from dashboard.objects.query.params import read_namespaces
from dashboard.runtime.app_state import AppState, state_of
from informerd.clock import rfc3339

FOLDS_COOKIE = "folds"
"""Cookie with the groups that are unfolded, written by page/kinds_sidebar.js."""
PINS_COOKIE = "pins"
"""Cookie with the pinned kinds, written by page/kinds_sidebar.js."""
COOKIE_SEPARATOR = "_"
"""Separator in these cookies: it occurs in no key."""
MOST_PINS = 60

NOT_WATCHED = "They are not watched"
NOT_COUNTED = "Not counted yet: Deltaboard counts them while this part of the navigation is open."
UNCOUNTABLE = "The API server does not report their number."


@dataclass(frozen=True, slots=True)
class KindItem:
    """A kind in the navigation."""

    key: str
    title: str
    icon: str
    href: str
    count: int | None
    """None, shown as a dash, while the count is unknown."""
    unhealthy_count: int = 0
    state: str = ""
    """The informer's state: live, stale, absent, forbidden…; empty where the kind is not watched."""
    counted_at: str = ""
    """RFC 3339 time of a dated `count`; empty where it is live."""
    counted_at_clock: str = ""
    """The same time as a UTC time of day, ``17:40``."""
    words: str = ""
    """Title of the count: why there is none, or why it is not live."""
    pinned: bool = False
    pinnable: bool = True
    """False where the settings name the kind, which puts it at the top anyway."""
    namespaced: bool = True


@dataclass(frozen=True, slots=True)
class KindFold:
    """Kinds of a group that are neither followed nor pinned, by title; custom resources have one fold for each API
    group.
    """

    title: str
    """The API group; empty where one fold holds the whole rest."""
    kinds: tuple[KindItem, ...]


@dataclass(frozen=True, slots=True)
class KindGroup:
    """Kinds under one heading."""

    title: str
    kinds: tuple[KindItem, ...]
    """Followed kinds, pinned kinds and the kind of the page."""
    folds: tuple[KindFold, ...] = ()
    is_open: bool = False

    @property
    def slug(self) -> str:
        """The group's name in the cookie and in element ids."""
        return self.title.lower().replace(" ", "-")

    @property
    def folded_count(self) -> int:
        """Number of kinds that are folded."""
        return sum(len(fold.kinds) for fold in self.folds)


def navigation(request: HttpRequest, key: str = "", namespaces: tuple[str, ...] = ()) -> tuple[KindGroup, ...]:
    """Every discovered kind, by group. `key` is the kind of the page, whose `namespaces` the links keep.

    Counts in unfolded groups are requested, which keeps them no older than a minute.
    """
    state = state_of(request)
    opened, pins = (set(_parts(request.COOKIES.get(name, ""))) for name in (FOLDS_COOKIE, PINS_COOKIE))
    if opened or pins:
        state[OBJECT_COUNTS].request_counts()
    groups = [_group(title, items, opened) for title, items in _by_group(state, pins, key, ",".join(namespaces))]
    return tuple(group for group in groups if group.kinds or group.folds)


@require_safe
async def kind_list(request: HttpRequest) -> HttpResponse:
    """The kinds as a fragment, fetched by an open page when the cluster's kinds change."""
    key = request.GET.get("key", "")
    chosen = read_namespaces(request.GET, [])
    page = {
        "groups": navigation(request, key, chosen),
        "key": key,
        "cluster": {"kinds": state_of(request)[OBJECT_COUNTS].kinds_digest},
    }
    response = render(request, "layout/_kinds.html", {"page": page})
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def kind_counts(request: HttpRequest) -> HttpResponse:
    """The dated counts, polled by page/kinds_sidebar.js; polling keeps them counted."""
    census = state_of(request)[OBJECT_COUNTS]
    census.request_counts()
    known = {key: [each.count, each.counted_at, _words(each)] for key, each in census.counts_by_key.items()}
    return JsonResponse({"names": census.kinds_digest, "counts": known}, headers={"Cache-Control": "no-store"})


def _by_group(
    state: AppState, pins: set[str], key: str, namespaces: str
) -> Iterable[tuple[str, list[tuple[KindInfo, KindItem, bool]]]]:
    """The kinds of each heading, each with whether it is at the top: followed kinds in their order, then the rest."""
    items: dict[str, list[tuple[KindInfo, KindItem, bool]]] = {title: [] for title in GROUP_TITLES}
    followed = {kind.key for kind in state[REPLICAS].kinds}
    for kind in state[REPLICAS].kinds:
        items[kind.group_title].append(
            (kind, _followed_item(state, kind, _href(kind, namespaces), kind.key in pins), True)
        )
    others = [
        (kind_of(each.resource), each)
        for name, each in state[OBJECT_COUNTS].counts_by_key.items()
        if name not in followed
    ]
    for kind, counted in sorted(others, key=lambda pair: (pair[0].title, pair[0].key)):
        pinned = kind.key in pins
        items[kind.group_title].append(
            (kind, _counted_item(kind, counted, _href(kind, namespaces), pinned), pinned or kind.key == key)
        )
    return items.items()


def _group(title: str, items: list[tuple[KindInfo, KindItem, bool]], opened: set[str]) -> KindGroup:
    rest: dict[str, list[KindItem]] = {}
    for kind, item, first in items:
        if not first:
            rest.setdefault(kind.resource.group if title == CUSTOM else "", []).append(item)
    folds = tuple(KindFold(name, tuple(rest[name])) for name in sorted(rest))
    group = KindGroup(title, tuple(item for _, item, first in items if first), folds)
    return KindGroup(title, group.kinds, folds, is_open=group.slug in opened)


def _followed_item(state: AppState, kind: KindInfo, href: str, pinned: bool) -> KindItem:
    replica = state[REPLICAS].get(kind.key)
    summary = state[HUB].summaries.get(kind.key)
    unhealthy_count = len(summary.unhealthy_rows) if summary is not None else 0
    count = len(replica.rows) if _is_listed(replica) else None
    words = f"{unhealthy_count:,} wrong" if unhealthy_count else ("" if count is not None else replica.health.problem)
    steady = any(kind.key == each.key for each in state[HUB].configured_kinds)
    return KindItem(
        kind.key, kind.title, kind.icon, href, count, unhealthy_count, replica.health.state,
        words=words, pinned=pinned, pinnable=not steady, namespaced=kind.namespaced,
    )  # fmt: skip


def _href(kind: KindInfo, namespaces: str) -> str:
    return f"{kind.path}?namespace={namespaces}" if namespaces and kind.namespaced else kind.path


def _is_listed(replica: Replica) -> bool:
    return replica.state != "starting" and replica.health.state in ("live", "stale")


def _counted_item(kind: KindInfo, counted: KindCount, href: str, pinned: bool) -> KindItem:
    at = counted.counted_at if counted.count is not None else None
    return KindItem(
        kind.key, kind.title, kind.icon, href, counted.count,
        counted_at="" if at is None else rfc3339(at),
        counted_at_clock="" if at is None else f"{datetime.fromtimestamp(at, UTC):%H:%M}",
        words=_words(counted), pinned=pinned, namespaced=kind.namespaced,
    )  # fmt: skip


def _words(counted: KindCount) -> str:
    if counted.problem:
        return counted.problem
    if counted.count is None:
        return NOT_COUNTED if counted.counted_at is None else UNCOUNTABLE
    return f"{NOT_WATCHED}: counted at the time shown, and again each minute while this part is open."


def _parts(cookie: str) -> list[str]:
    return [part for part in cookie.split(COOKIE_SEPARATOR)[:MOST_PINS] if part]
