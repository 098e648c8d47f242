"""Addresses of a list that is compared at two moments: its page, and its files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import EVENT_KINDS, RIGHTS
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.namespace_limits import is_outside
from dashboard.live.moments.at_parameter import NOW, BadMoment, format_at, parse_at
from dashboard.live.moments.history_objects import HISTORY, HistoryObjects
from dashboard.live.moments.list_comparisons import (
    LIST_COMPARISONS,
    ComparisonRequest,
    Group,
    ListComparison,
    TooManyComparisons,
)
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.rendering.charts import distinct_bands
from dashboard.live.rendering.time_texts import utc_text
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.printers import default_sort
from dashboard.objects.query.list_query import Query
from dashboard.pages.history.list_comparison import (
    PAGE_SIZE,
    Badge,
    DifferenceLine,
    GapBand,
    Section,
    TimelineBar,
    badges,
    build_lines,
    chosen_lines,
    gap_bands,
    sections,
    timeline,
)
from dashboard.pages.history.views import NO_HISTORY, unreadable
from dashboard.pages.layout.cross_site_requests import own_pages_only
from dashboard.pages.layout.namespaces import namespace_picker
from dashboard.pages.layout.not_found import NotFoundInfo, kind_not_found, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import UnavailableKind, open_kind, redirect_with_query
from dashboard.pages.layout.secret_cache_control import forbid_storing_secrets
from dashboard.pages.layout.shown_moment import SPANS, MomentLink
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.csv_lines import csv_line, escape_formula
from dashboard.runtime.thread_pools import run_in_thread

NOW_WAS = "until"
"""Parameter of the pages of a comparison with now: which moment that was when it began."""
NOW_SECONDS = 600.0
"""Seconds for which that holds: later, now is another moment."""
USUAL_SPAN = 3600.0
"""Seconds before the later moment that the earlier one is, where the address has none."""
MAX_NAMED_GAPS = 4
"""Gaps that are told in words."""
FIRST_WAIT = 1.0
"""Seconds that a page waits for the comparison: then it shows how far it is."""
EXPORT_WAIT = 10.0
"""Seconds between two notes that a file still needs its comparison."""
CONTENT_TYPES: Mapping[str, str] = MappingProxyType({"csv": "text/csv; charset=utf-8", "json": "application/json"})


@dataclass(frozen=True, slots=True)
class ComparedMoment:
    """One of the two moments."""

    at: str
    """As addresses have it."""
    time_text: str
    is_now: bool
    input: str
    """As an input of a date and a time has it, in UTC; empty for now."""
    list_href: str
    """The list as of then."""
    known_since: str
    """Time of the state that is shown instead, where nothing was recorded then; else empty."""
    known_since_text: str
    gap_reason: str


@dataclass(frozen=True, slots=True)
class ShownListComparison:
    """Value of `shown` in history/list_comparison.html."""

    was: ComparedMoment
    now: ComparedMoment
    total: int
    badges: list[Badge]
    timeline: list[TimelineBar]
    gaps: list[GapBand]
    """Those that can be told apart in the picture."""
    named_gaps: list[GapBand]
    """The newest, MAX_NAMED_GAPS at most."""
    more_gaps: int
    """Number of gaps that are not named."""
    sections: list[Section]
    is_finished: bool
    percent: int
    progress_href: str
    """Address of this page with both moments as they are."""
    problem: str
    not_recorded: str
    """Moment before anything was recorded of the kind; empty where both were."""
    unseen: int
    is_cut: bool
    first: int
    last: int
    listed: int
    """Lines on all pages."""
    previous_href: str
    next_href: str
    exports: tuple[tuple[str, str], ...]


@require_safe
async def compare_list(request: HttpRequest, resource: str) -> HttpResponse:
    """A list compared at two moments: ``from`` and ``to`` are moments or ``now``, ``show`` is a group, the rest is as
    in the list's address. It says how far it is while it is worked out.
    """
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        return redirect_with_query(request, f"{kind.path}compare/")
    state = state_of(request)
    history, comparisons = state[HISTORY], state[LIST_COMPARISONS]
    if history is None or comparisons is None:
        return not_found_page(request, NO_HISTORY, key=kind.key)
    if refusal := _refusal(state, kind):
        return not_found_page(request, refusal, key=kind.key, status=403, title=refusal.title)
    try:
        address = await _read_address(request, kind, history)
        comparison = comparisons.open(_request(state, address))
        await comparisons.wait(comparison, FIRST_WAIT)
        shown = await _show(state, history, address, comparison)
        presets = await _presets(state, history, address)
    except BadMoment as error:
        return not_found_page(request, NotFoundInfo("This is no moment of the past", str(error)), status=400)
    except TooManyComparisons as error:
        return not_found_page(request, NotFoundInfo("Too much is being compared", str(error)), status=503)
    except HistoryUnavailable as error:
        return unreadable(request, error)
    query = address.query
    picker = namespace_picker(state, query.namespaces, lambda names: address.href(namespace=",".join(names)), kind.key)
    context = {
        "page": page_info(
            request,
            title=f"{kind.title} at two moments",
            key=kind.key,
            namespaces=picker if kind.namespaced else None,
            selected=query.namespaces,
        ),
        "kind": kind,
        "query": query,
        "shown": shown,
        "compared_moments": (shown.was, shown.now),
        "fields": [(name, value) for name, value in query.to_params() if name not in ("q", "page")],
        "presets": presets,
        "latest": format_at(int(address.opened_at))[:-1],
        "list_href": query.with_(page=1).href(),
    }
    response = render(request, "history/list_comparison.html", context)
    forbid_storing_secrets(response, kind)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@own_pages_only
async def compare_list_export(request: HttpRequest, resource: str, suffix: str) -> HttpResponseBase:
    """All differences as a file, ``compare.csv`` or ``compare.json``, with the parameters of the page. It is sent while
    it is worked out.
    """
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    state = state_of(request)
    history, comparisons = state[HISTORY], state[LIST_COMPARISONS]
    if history is None or comparisons is None:
        return not_found_page(request, NO_HISTORY, key=kind.key)
    if refusal := _refusal(state, kind):
        return HttpResponse(f"{refusal.message}\n", status=403, content_type="text/plain; charset=utf-8")
    try:
        address = await _read_address(request, kind, history)
        comparison = comparisons.open(_request(state, address))
        while not comparison.finished.is_set():
            await comparisons.wait(comparison, EXPORT_WAIT)
            comparison = comparisons.open(comparison.request)
    except (BadMoment, TooManyComparisons, HistoryUnavailable) as error:
        status = 400 if isinstance(error, BadMoment) else 503
        return HttpResponse(f"{error}\n", status=status, content_type="text/plain; charset=utf-8")
    if comparison.problem:
        return HttpResponse(f"{comparison.problem}\n", status=503, content_type="text/plain; charset=utf-8")
    content = _file(suffix, state, history, address, comparison)
    response = StreamingHttpResponse(content, content_type=CONTENT_TYPES[suffix])
    response["Content-Disposition"] = f'attachment; filename="{kind.resource.plural}-compared.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


def _refusal(state: AppState, kind: KindInfo) -> NotFoundInfo | None:
    """Why nothing of a kind may be told, not even since when it was recorded; None where something may."""
    title, rights = f"You may not see {kind.title}", state[RIGHTS]
    if kind.key in EVENT_KINDS and not rights.sees_all:
        return NotFoundInfo(title, "Versions of Kubernetes Events need the right to see everything.")
    if rights.scope_of(kind.key).is_empty:
        return NotFoundInfo(title, f"Your rights do not include the verb list or watch on {kind.key}.")
    return None


@dataclass(frozen=True, slots=True)
class _Address:
    """What the address of a comparison asks for."""

    kind: KindInfo
    path: str
    query: Query
    since: float
    until: float
    is_until_now: bool
    group: Group | None
    opened_at: float

    @property
    def groups(self) -> tuple[Group, ...]:
        return (self.group,) if self.group is not None else tuple(Group)

    def href(self, path: str = "", **changes: str) -> str:
        """The same comparison, of the same moments, with other parameters; on its first page unless given."""
        kept = {name: value for name, value in self.query.to_params() if name != "page"}
        kept |= {"from": format_at(self.since), "to": format_at(self.until)}
        if self.is_until_now:
            kept |= {"to": NOW, NOW_WAS: format_at(self.until)}
        if self.group is not None:
            kept["show"] = self.group.value
        kept = {name: value for name, value in {**kept, **changes}.items() if value}
        return f"{path or self.path}?{urlencode(kept, safe=',:/*')}"


async def _read_address(request: HttpRequest, kind: KindInfo, history: HistoryObjects) -> _Address:
    """Raises BadMoment and HistoryUnavailable."""
    state = state_of(request)
    now = round(state[CLOCK].time(), 3)
    texts = [request.GET.get(name, "").strip() for name in ("from", "to", NOW_WAS)]
    first, second, was_now = (None if text in ("", NOW) else parse_at(text, now) for text in texts)
    if was_now is not None and now - was_now < NOW_SECONDS:
        now = was_now
    until = second if second is not None else now
    if texts[0] == NOW:
        first = now
    elif first is None:
        first = max(until - USUAL_SPAN, min(until, await history.recorded_since(kind.key) or 0.0))
    since, until = sorted((first, until))
    show = request.GET.get("show", "")
    return _Address(
        kind=kind,
        path=f"{kind.path}compare/",
        query=state[HUB].fit_query(kind, Query.parse(request.GET, kind.key)),
        since=since,
        until=until,
        is_until_now=until == now,
        group=Group(show) if show in [*Group] else None,
        opened_at=now,
    )


def _request(state: AppState, address: _Address) -> ComparisonRequest:
    rights, key, replica = state[RIGHTS], address.kind.key, state[REPLICAS].get(address.kind.key)
    health = replica.health

    def may_list(namespace: str, name: str) -> bool:
        return rights.may_list(key, namespace, name) and not is_outside(health, namespace)

    return ComparisonRequest(
        kind=address.kind,
        since=address.since,
        until=address.until,
        query=address.query.with_(sort=default_sort(key), columns=()),
        rights=rights.fingerprint,
        may_list=may_list,
        namespaces=rights.scope_of(key).possible_namespaces,
        sees_all=rights.scope_of(key).is_everything,
        table=replica.table,
    )


async def _show(
    state: AppState, history: HistoryObjects, address: _Address, comparison: ListComparison
) -> ShownListComparison:
    listed, gaps = sum(len(comparison.by_group[group]) for group in address.groups), gap_bands(comparison)
    number = max(1, min(address.query.page, -(-listed // PAGE_SIZE)))
    start = (number - 1) * PAGE_SIZE
    lines = await _lines(state, history, address, comparison, start, PAGE_SIZE)
    not_recorded = next(
        (
            at
            for at, known in zip((address.since, address.until), comparison.known, strict=True)
            if not known.is_recorded
        ),
        None,
    )
    return ShownListComparison(
        was=_moment(address, comparison, 0),
        now=_moment(address, comparison, 1),
        total=comparison.total,
        badges=badges(comparison, address.group, lambda show: address.href(show=show)),
        timeline=timeline(comparison),
        gaps=[*distinct_bands(gaps)],
        named_gaps=gaps[-MAX_NAMED_GAPS:],
        more_gaps=max(0, len(gaps) - MAX_NAMED_GAPS),
        sections=sections(lines),
        is_finished=comparison.finished.is_set(),
        percent=int(100 * comparison.done),
        progress_href=address.href(page=str(address.query.page)),
        problem=comparison.problem,
        not_recorded=format_at(not_recorded) if not_recorded is not None else "",
        unseen=comparison.unseen,
        is_cut=comparison.is_cut,
        first=start + 1 if listed else 0,
        last=min(listed, start + PAGE_SIZE),
        listed=listed,
        previous_href=address.href(page=str(number - 1)) if number > 1 else "",
        next_href=address.href(page=str(number + 1)) if number * PAGE_SIZE < listed else "",
        exports=tuple((suffix, address.href(f"{address.kind.path}compare.{suffix}")) for suffix in CONTENT_TYPES),
    )


def _moment(address: _Address, comparison: ListComparison, which: int) -> ComparedMoment:
    at = (address.since, address.until)[which]
    is_now = which == 1 and address.is_until_now
    known = comparison.known[which]
    query = address.query.with_(page=1)
    href = query.href()
    since = known.gap_since if known.gap_reason else None
    return ComparedMoment(
        at=format_at(at),
        time_text=utc_text(at),
        is_now=is_now,
        input="" if is_now else format_at(int(at))[:-1],
        list_href=href if is_now else f"{href}{'&' if '?' in href else '?'}at={format_at(at)}",
        known_since=format_at(since) if since is not None else "",
        known_since_text=utc_text(since) if since is not None else "",
        gap_reason=known.gap_reason,
    )


async def _presets(state: AppState, history: HistoryObjects, address: _Address) -> list[MomentLink]:
    """Moments of SPANS before now that history has, compared with now; and the whole of it."""
    now, begin = state[CLOCK].time(), await history.recorded_since(address.kind.key)
    links = [
        MomentLink(f"{title} ago", address.href(**{"from": format_at(int(now - seconds)), "to": NOW}))
        for seconds, title in SPANS
        if begin is not None and now - seconds >= begin
    ]
    if begin is not None:
        links.append(MomentLink("the oldest moment", address.href(**{"from": format_at(begin), "to": NOW})))
    return links


async def _lines(
    state: AppState, history: HistoryObjects, address: _Address, comparison: ListComparison, start: int, most: int
) -> list[DifferenceLine]:
    """Lines of the differences from `start` on. Who asks may still see their objects."""
    chosen = chosen_lines(comparison, address.groups, start, most)
    may_list = _request(state, address).may_list
    chosen = [(group, each) for group, each in chosen if may_list(each.name.namespace, each.name.name)]
    if not chosen:
        return []
    was = await history.states_of([each.before for _, each in chosen if each.before is not None], address.since)
    now = await history.states_of([each.after for _, each in chosen if each.after is not None], address.until)
    rows = PastRows(address.kind.resource, state[REPLICAS].get(address.kind.key).table)
    moments = (address.since, None if address.is_until_now else address.until)
    return await run_in_thread(build_lines, address.kind.key, rows, chosen, was, now, moments)


async def _file(
    suffix: str, state: AppState, history: HistoryObjects, address: _Address, comparison: ListComparison
) -> AsyncIterator[bytes]:
    head: dict[str, Any] = {
        "kind": address.kind.key,
        "from": format_at(address.since),
        "to": format_at(address.until),
        "counts": {group.value: comparison.counts[group] for group in Group},
        "gaps": [{"from": gap.since, "to": gap.until, "reason": gap.reason} for gap in gap_bands(comparison)],
    }
    if suffix == "json":
        yield f'{json.dumps(head)[:-1]}, "differences": ['.encode()
    else:
        yield csv_line(["Difference", "Namespace", "Name", "What", "Last change"]).encode()
    separator = "\n"
    listed = sum(len(comparison.by_group[group]) for group in address.groups)
    for start in range(0, listed, PAGE_SIZE):
        records = [line.as_record() for line in await _lines(state, history, address, comparison, start, PAGE_SIZE)]
        if suffix == "csv":
            yield "".join(csv_line(map(escape_formula, each.values())) for each in records).encode()
        else:
            for each in records:
                yield f"{separator}{json.dumps(each, ensure_ascii=False)}".encode()
                separator = ",\n"
    if suffix == "json":
        yield b"\n]}\n"
