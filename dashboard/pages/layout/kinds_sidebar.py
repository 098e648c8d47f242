"""Navigation of every page: favourites and recently opened kinds first, then each kind under its group.

In a group the kinds of the settings stand open, all others are folded: custom resources by the project that they belong
to, or by API group. A page of a cluster with many has the lines of unfolded parts only; page/kinds_sidebar.js fetches
the others. The count of a followed kind is live. Any other count has a date, or is a dash whose title says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.object_counts.messages import KindCount
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.api_group_projects import project_of
from dashboard.objects.kinds.catalog import CUSTOM, GROUP_TITLES, KindInfo, is_builtin, kind_of
from dashboard.objects.query.params import read_namespaces
from dashboard.runtime.app_state import AppState, state_of
from informerd.clock import rfc3339

FOLDS_COOKIE = "folds"
"""Cookie with the groups that are unfolded, written by page/kinds_sidebar.js."""
FAVOURITES_COOKIE = "pins"
"""Cookie with the favourite kinds, written by page/kinds_sidebar.js."""
RECENT_COOKIE = "recent"
"""Cookie with the kinds that were opened last, the newest first, written by page/kinds_sidebar.js."""
COOKIE_SEPARATOR = "_"
"""Separator in these cookies: it occurs in no key."""
MOST_PINS = 60
MOST_RECENT = 5
"""Most recently opened kinds in the navigation. Those that stand open anyway are not among them."""
MOST_INLINE = 30
"""Most folded custom resources that every page has; of more it has those of unfolded parts."""

NOT_WATCHED = "They are not watched"
NOT_COUNTED = "Not counted yet: Deltaboard counts them while their part of the navigation or a list of them is open."
NOT_VISIBLE = "Your rights do not include them."
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
    """Whether it is a favourite."""
    namespaced: bool = True
    group: str = ""
    """The API group, where another kind has the same title and both may stand in one place."""
    short_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindFold:
    """A folded part of a group: all its kinds that do not stand open, or the custom resources of one project."""

    title: str
    """The project, or the API group of no known project; empty where one fold holds the whole rest."""
    slug: str
    """The fold's name in the cookie and in element ids."""
    parts: tuple[tuple[str, tuple[KindItem, ...]], ...]
    """The kinds by title, under the API group where the fold has several."""
    is_open: bool = False
    has_lines: bool = True
    """False where the page does not have the lines of its kinds."""

    @property
    def count(self) -> int:
        """Number of kinds."""
        return sum(len(items) for _, items in self.parts)

    @property
    def unhealthy_count(self) -> int:
        """Number of unhealthy objects of its followed kinds."""
        return sum(item.unhealthy_count for _, items in self.parts for item in items)

    @property
    def followed_keys(self) -> str:
        """Keys of its followed kinds, separated by spaces."""
        return " ".join(item.key for _, items in self.parts for item in items if item.state)


@dataclass(frozen=True, slots=True)
class KindGroup:
    """Kinds under one heading."""

    title: str
    kinds: tuple[KindItem, ...]
    """Kinds that stand open."""
    folds: tuple[KindFold, ...] = ()

    @property
    def slug(self) -> str:
        """The group's name in element ids."""
        return slug_of(self.title)


def navigation(
    request: HttpRequest, key: str = "", namespaces: tuple[str, ...] = (), *, has_all_lines: bool = False
) -> tuple[KindGroup, ...]:
    """Every discovered kind, by group. `key` is the kind of the page, whose `namespaces` the links keep.

    Counts of favourites and in unfolded parts are requested, which keeps them no older than a minute.
    """
    state = state_of(request)
    opened = set(_parts(request.COOKIES.get(FOLDS_COOKIE, "")))
    favourites = favourite_keys(request)
    if opened or any(key not in state[REPLICAS] for key in favourites):
        state[OBJECT_COUNTS].request_counts()
    entries = {kind.key: (kind, item) for kind, item in _entries(state, frozenset(favourites), ",".join(namespaces))}
    steady = state[HUB].hub_kinds.always_followed
    recent = [each for each in dict.fromkeys((key, *recent_keys(request))) if each not in {*steady, *favourites}]
    at_the_top = (
        KindGroup("Favourites", _items(entries, favourites)),
        KindGroup("Recent", _items(entries, recent)[:MOST_RECENT]),
    )
    groups = (_group(title, entries.values(), steady, opened, has_all_lines) for title in GROUP_TITLES)
    return (*at_the_top, *(group for group in groups if group.kinds or group.folds))


def favourite_keys(request: HttpRequest) -> list[str]:
    """Keys of this browser's favourite kinds, in the order in which they were chosen."""
    return _parts(request.COOKIES.get(FAVOURITES_COOKIE, ""))


def recent_keys(request: HttpRequest) -> list[str]:
    """Keys of the kinds that this browser opened last, the newest first."""
    return _parts(request.COOKIES.get(RECENT_COOKIE, ""))


def all_kinds(state: AppState) -> Iterator[KindInfo]:
    """Every kind of the cluster, as discovery describes it: followed ones in their order, then the others."""
    followed = state[REPLICAS].kinds
    counts = state[OBJECT_COUNTS]
    for kind in followed:
        counted = counts.counts_by_key.get(kind.key)
        known = kind if counted is None else kind.with_resource(counted.resource)
        yield known.with_shared_names(counts.shared_names)
    keys = {kind.key for kind in followed}
    for key, counted in counts.counts_by_key.items():
        if key not in keys:
            yield kind_of(counted.resource).with_resource(counted.resource).with_shared_names(counts.shared_names)


@require_safe
async def kind_list(request: HttpRequest) -> HttpResponse:
    """The kinds as a fragment, fetched by open pages when the cluster's kinds change; ``all``: with every line."""
    key = request.GET.get("key", "")
    chosen = read_namespaces(request.GET, [])
    page = {
        "groups": navigation(request, key, chosen, has_all_lines="all" in request.GET),
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


def _entries(state: AppState, favourites: frozenset[str], namespaces: str) -> Iterator[tuple[KindInfo, KindItem]]:
    """The line of each kind: followed kinds in their order, then the others by title."""
    followed = {kind.key for kind in state[REPLICAS].kinds}
    others = []
    for kind in all_kinds(state):
        item = KindItem(
            kind.key, kind.plain_title, kind.icon, _href(kind, namespaces), None,
            pinned=kind.key in favourites,
            namespaced=kind.namespaced,
            group=kind.resource.group if kind.is_name_shared else "",
            short_names=kind.resource.short_names,
        )  # fmt: skip
        if kind.key in followed:
            yield kind, _with_live_count(state, item)
        else:
            others.append((kind, _with_dated_count(state[OBJECT_COUNTS].counts_by_key[kind.key], item)))
    yield from sorted(others, key=lambda entry: (entry[0].title, entry[0].key))


def _items(entries: Mapping[str, tuple[KindInfo, KindItem]], keys: Iterable[str]) -> tuple[KindItem, ...]:
    return tuple(entries[key][1] for key in keys if key in entries)


def _group(
    title: str,
    entries: Iterable[tuple[KindInfo, KindItem]],
    steady: frozenset[str],
    opened: set[str],
    has_all_lines: bool,
) -> KindGroup:
    mine = [(kind, item) for kind, item in entries if kind.group_title == title]
    group = KindGroup(title, tuple(item for kind, item in mine if kind.key in steady))
    folded = [(kind, item) for kind, item in mine if kind.key not in steady]
    if title == CUSTOM:
        return replace(group, folds=_project_folds(folded, opened, has_all_lines))
    parts = (("", tuple(item for _, item in folded)),)
    return replace(group, folds=(KindFold("", group.slug, parts, group.slug in opened),) if folded else ())


def _project_folds(
    entries: list[tuple[KindInfo, KindItem]], opened: set[str], has_all_lines: bool
) -> tuple[KindFold, ...]:
    """Custom resources by project, and by API group in it, in the order of their names."""
    by_project: dict[str, dict[str, list[KindItem]]] = {}
    for kind, item in entries:
        by_group = by_project.setdefault(custom_title(kind), {})
        by_group.setdefault(kind.resource.group, []).append(item)
    has_all_lines = has_all_lines or len(entries) <= MOST_INLINE
    folds = []
    for title in sorted(by_project, key=str.casefold):
        by_group = by_project[title]
        parts = tuple(
            (group if len(by_group) > 1 else "", tuple(replace(item, group="") for item in by_group[group]))
            for group in sorted(by_group)
        )
        is_open = slug_of(title) in opened
        folds.append(KindFold(title, slug_of(title), parts, is_open, has_all_lines or is_open))
    return tuple(folds)


def custom_title(kind: KindInfo) -> str:
    """Heading of a custom resource: its project, or else its API group."""
    if is_builtin(kind.key) and kind.key.endswith(".apiextensions.k8s.io"):
        return "Definitions"
    return project_of(kind.resource) or kind.resource.group


def slug_of(title: str) -> str:
    """A group's, project's or API group's name in cookies and element ids."""
    return re.sub(r"[^a-z0-9.]+", "-", title.lower())


def _with_live_count(state: AppState, item: KindItem) -> KindItem:
    replica = state[REPLICAS].get(item.key)
    if replica.is_hidden:
        return replace(item, state=replica.health.state, words=NOT_VISIBLE)
    summary = state[HUB].summaries.get(item.key)
    unhealthy_count = summary.count_wrong().total() if summary is not None else 0
    count = len(replica.rows) if _is_listed(replica) else None
    words = f"{unhealthy_count:,} wrong" if unhealthy_count else ("" if count is not None else replica.health.problem)
    return replace(item, count=count, unhealthy_count=unhealthy_count, state=replica.health.state, words=words)


def _href(kind: KindInfo, namespaces: str) -> str:
    return f"{kind.path}?namespace={namespaces}" if namespaces and kind.namespaced else kind.path


def _is_listed(replica: ReadableReplica) -> bool:
    return replica.state != "starting" and replica.health.state in ("live", "stale")


def _with_dated_count(counted: KindCount, item: KindItem) -> KindItem:
    at = counted.counted_at if counted.count is not None else None
    return replace(
        item,
        count=counted.count,
        counted_at="" if at is None else rfc3339(at),
        counted_at_clock="" if at is None else f"{datetime.fromtimestamp(at, UTC):%H:%M}",
        words=_words(counted),
    )


def _words(counted: KindCount) -> str:
    if counted.problem:
        return counted.problem
    if counted.count is None:
        return NOT_COUNTED if counted.counted_at is None else UNCOUNTABLE
    return f"{NOT_WATCHED}: counted at the time shown, and again each minute while this part is open."


def _parts(cookie: str) -> list[str]:
    return [part for part in cookie.split(COOKIE_SEPARATOR)[:MOST_PINS] if part]
