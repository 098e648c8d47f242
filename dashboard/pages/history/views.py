"""Pages of what was: the versions of one object, and the deleted objects of a kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import ObjectName, StoredVersion, Version
from dashboard.live.hub.hub import HUB
from dashboard.live.moments.at_parameter import NOW, BadMoment, format_at, parse_at
from dashboard.live.moments.history_objects import HISTORY, HistoryObjects
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.query.params import read_namespaces
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.history.blame import MAX_VERSIONS, Blame, BlameSearch
from dashboard.pages.history.comparison import Comparison, compare
from dashboard.pages.history.deleted_objects import MAX_LISTED, deleted_object, is_listed
from dashboard.pages.history.rail import MomentLinks, RailGap, RailVersion, build_rail, seconds_of
from dashboard.pages.history.writers import Writers, find_writers
from dashboard.pages.layout.not_found import NotFoundInfo, kind_not_found, not_found_page, object_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import (
    UnavailableKind,
    has_synced,
    open_kind,
    open_object,
    path_namespace,
    redirect_with_query,
)
from dashboard.pages.layout.secret_cache_control import forbid_storing_secrets
from dashboard.pages.layout.shown_moment import can_restore
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.text_with_links import history_href, object_href
from dashboard.runtime.thread_pools import run_in_thread

PAGE_SIZE = 50
"""Versions of a page."""
CLOCK_SKEW = 60.0
"""Seconds that the clock of whoever recorded a version may be ahead."""
LONGEST_SEARCH = 253
"""Characters of a name that is searched for; no object has a longer one."""
NO_HISTORY = NotFoundInfo(
    "There is no history", "Deltaboard keeps no history here: DELTABOARD_HISTORY is off, so only the present is known."
)


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """Value of `history` in history/page.html."""

    href: str
    """The object's details."""
    rail: list[RailVersion | RailGap]
    before: str
    """Moment before which the versions are; empty on the first page."""
    older: str
    """The same of the next page; empty on the last."""
    last_href: str
    """The object's details as they were last; empty where it has not ended."""
    is_blame: bool
    can_restore: bool
    """Whether the object is there and can be edited."""
    chosen: str
    """End of a query: the two moments that were chosen; empty where none was."""
    comparison: Comparison | None = None
    missing_moment: str = ""
    """Moment that was to be compared, and at which there was no object of the name."""
    blame: Blame | None = None
    most_versions: int = MAX_VERSIONS

    @property
    def can_compare(self) -> bool:
        """Whether there are two versions to choose."""
        return len(self.chosen_elsewhere) + sum(not line.is_gap for line in self.rail) > 1

    @property
    def chosen_elsewhere(self) -> list[tuple[str, str]]:
        """Parameter and time of those compared versions that are on other pages."""
        if self.comparison is None:
            return []
        here = {line.at for line in self.rail if isinstance(line, RailVersion)}
        sides = (("from", self.comparison.was.at), ("to", self.comparison.now.at))
        return [(name, at) for name, at in sides if at not in here]


@require_safe
async def object_history(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The versions of the objects of a name, and two of them compared: ``from`` and ``to`` are moments, ``before`` is
    where older versions go on; ``?blame`` says who set each field. 404 where there is none that may be seen.
    """
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    place = path_namespace(namespace), name
    if kind.key != resource:
        return redirect_with_query(request, history_href(kind.key, *place))
    state = state_of(request)
    history = state[HISTORY]
    if history is None:
        return not_found_page(request, NO_HISTORY, key=kind.key)
    if not state[RIGHTS].may_list(kind.key, *place):  # nothing is read, so that nothing is told
        return object_not_found(request, kind, *place)
    try:
        moments = {text: _moment(request, text) for text in ("from", "to", "before")}
        shown = await _Pages(state, history, kind, *place).read(moments, is_blame="blame" in request.GET)
    except BadMoment as error:
        return not_found_page(request, NotFoundInfo("This is no moment of the past", str(error)), status=400)
    except HistoryUnavailable as error:
        return unreadable(request, error)
    view = open_detail(state[HUB], kind, *place)
    if not shown.rail and view.row is None and has_synced(state[REPLICAS].get(kind.key)):
        return object_not_found(request, kind, *place)
    page = page_info(request, title=f"History of {name}", key=kind.key, view=view)
    response = render(request, "history/page.html", {"page": page, "view": view, "history": shown})
    forbid_storing_secrets(response, kind)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def deleted_objects(request: HttpRequest, resource: str) -> HttpResponse:
    """The objects of a kind that are gone, those that ended last first; ``q`` is a part of their names."""
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        return redirect_with_query(request, f"{kind.path}history/")
    state = state_of(request)
    history = state[HISTORY]
    if history is None:
        return not_found_page(request, NO_HISTORY, key=kind.key)
    text = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    namespaces = read_namespaces(request.GET, [])
    try:
        found = await history.find_ended(text, kind.key, MAX_LISTED + 1, is_listed(state, kind, namespaces))
    except HistoryUnavailable as error:
        return unreadable(request, error)
    context = {
        "page": page_info(request, title=f"Deleted {kind.title}", key=kind.key),
        "kind": kind,
        "q": text,
        "namespaces": ",".join(namespaces),
        "objects": [deleted_object(state, kind, version) for version in found[:MAX_LISTED]],
        "most": MAX_LISTED if len(found) > MAX_LISTED else 0,
    }
    response = render(request, "history/deleted.html", context)
    response["Cache-Control"] = "no-store"
    return response


class _Pages:
    """What the pages of one name show."""

    def __init__(self, state: AppState, history: HistoryObjects, kind: KindInfo, namespace: str, name: str) -> None:
        self._state = state
        self._history = history
        self._kind = kind
        self._name = ObjectName(kind.key, namespace, name, "")
        self._href = object_href(kind.key, namespace, name)
        self._rows = PastRows(kind.resource, state[REPLICAS].get(kind.key).table)

    async def read(self, moments: dict[str, float | None], *, is_blame: bool) -> ShownHistory:
        """What the page shows. Raises HistoryUnavailable."""
        before = moments["before"]
        changes = await self._history.newest_states(self._name, before, PAGE_SIZE + 1)
        newest = changes[:1] if before is None else await self._history.newest_states(self._name, None, 1)
        on_page, more = changes[:PAGE_SIZE], changes[PAGE_SIZE:]
        shown = ShownHistory(
            href=self._href,
            rail=await self._rail(on_page, newest, await self._writers(change.version for change in changes), before),
            before=format_at(before) if before is not None else "",
            older=format_at(seconds_of(on_page[-1].version)) if more else "",
            last_href=_last_href(self._href, newest),
            is_blame=is_blame,
            can_restore=can_restore(self._kind) and bool(newest) and not newest[0].version.operation.is_end,
            chosen="".join(f"&{name}={format_at(at)}" for name in ("from", "to") if (at := moments[name]) is not None),
        )
        if is_blame and newest:
            return replace(shown, blame=await self._blame(newest[0].version))
        return await self._with_comparison(shown, moments, newest[0]) if newest else shown

    async def _rail(
        self, shown: list[ChangedState], newest: list[ChangedState], writers: Writers, before: float | None
    ) -> list[RailVersion | RailGap]:
        if not shown:
            return []
        first = shown[0].version
        until = seconds_of(first) if first.operation.is_end else before or self._state[CLOCK].time()
        gaps = await self._history.gaps(self._kind.key, seconds_of(shown[-1].version), until)
        last = newest[0].version if newest else None
        return await run_in_thread(
            build_rail, self._kind.key, self._rows, shown, gaps, writers, await self._links(), last
        )

    async def _links(self) -> MomentLinks:
        return MomentLinks(self._href, await self._history.recorded_since(self._kind.key) or 0.0)

    async def _blame(self, newest: Version) -> Blame:
        search = BlameSearch(await self._writers([newest]))
        name, oldest, before = replace(self._name, uid=newest.object.uid), newest, None
        while search.searched < MAX_VERSIONS:
            changes = await self._history.newest_states(name, before, PAGE_SIZE)
            if not changes:
                break
            await run_in_thread(search.add, changes)
            oldest = changes[-1].version
            before = seconds_of(oldest)
        return search.result(oldest)

    async def _with_comparison(
        self, shown: ShownHistory, moments: dict[str, float | None], newest: ChangedState
    ) -> ShownHistory:
        """With the comparison of two versions, or the moment that has none."""
        since, until = moments["from"], moments["to"]
        if since is None and until is None and moments["before"] is not None:
            return shown
        now: StoredVersion | None = StoredVersion(newest.version, newest.json)
        if until is not None:
            now = await self._history.version_at(self._name, until)
        was: StoredVersion | None = None
        if since is not None:
            was = await self._history.version_at(self._name, since)
        elif now is not None:
            earlier = await self._history.newest_states(self._name, seconds_of(now.version), 1)
            was = StoredVersion(earlier[0].version, earlier[0].json) if earlier else None
        missing = [at for at, found in ((until, now), (since, was)) if at is not None and found is None]
        if now is None or was is None:
            return replace(shown, missing_moment=format_at(missing[0])) if missing else shown
        comparison = await run_in_thread(compare, self._kind.key, self._rows, was, now, await self._links())
        return replace(shown, comparison=comparison)

    async def _writers(self, versions: Iterable[Version]) -> Writers:
        state = self._state
        server = state[CONNECTION].cluster.server
        return await find_writers(state[AUDIT], state[AUTHORS], server, state[RIGHTS].may_list, versions)


def _last_href(href: str, newest: list[ChangedState]) -> str:
    """The details of a deleted object at the last moment at which it existed; empty where it is there."""
    return MomentLinks(href).of(newest[0].version) if newest and newest[0].version.operation.is_end else ""


def _moment(request: HttpRequest, name: str) -> float | None:
    """Unix seconds of a parameter; None where there is none, or ``to=now``. Raises BadMoment."""
    text = request.GET.get(name, "")
    if not text or (text == NOW and name == "to"):
        return None
    return parse_at(text, state_of(request)[CLOCK].time() + CLOCK_SKEW)


def unreadable(request: HttpRequest, error: HistoryUnavailable) -> HttpResponse:
    """The page that says that history cannot be read, and why."""
    info = NotFoundInfo("History cannot be read", f"Try again in a moment: {error}.")
    return not_found_page(request, info, status=503, title="History cannot be read")
