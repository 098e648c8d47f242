"""The time control of the header: which moment a page shows, and the ways to others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest

from dashboard.live.moments.at_parameter import AT, STEPPED_PAGES, BadMoment, format_at, parse_at
from dashboard.live.moments.moments import MOMENT, MOMENTS
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.app_state import state_of
from dashboard.runtime.counts_and_times import format_duration

VERSION = "version"
"""Parameter of an editor's address: the moment whose version it starts with."""
FIELD = "field"
"""Beside VERSION: path of a field that is put back, as dashboard.objects.paths.field_changes has it; of any number."""
UNDO = "undo"
"""Parameter of an editor's address: the resourceVersion of the write that is undone."""
BEFORE = "before"
"""Beside UNDO: the resourceVersion on top of which it was written, where that is known. A gap between the two hides
nothing.
"""

STEP = "step"
"""Parameter of a page of the past: the direction of a step that found no change, ``next`` or ``previous``."""
SEARCHED_TO = "searched"
"""Beside STEP: the moment up to which was searched, where that is not all."""
MOMENT_PARAMETERS = (AT, STEP, SEARCHED_TO)
"""Parameters that another moment of a page does not keep."""

SPANS = ((300, "5 min"), (900, "15 min"), (3600, "1 h"), (6 * 3600, "6 h"), (24 * 3600, "24 h"), (7 * 24 * 3600, "7 d"))
"""Seconds before now of the moments that are offered, and what they are called."""


def undo_query(version: str, before: str) -> str:
    """The query of an editor's address that undoes a write; `before` may be empty."""
    return urlencode({UNDO: version} | ({BEFORE: before} if before else {}))


@dataclass(frozen=True, slots=True)
class MomentLink:
    """A way to another moment."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class EndedStep:
    """A step that found no change."""

    to: str
    """``next`` or ``previous``."""
    searched_to: str
    """RFC 3339 of the moment up to which was searched; empty for all."""
    searched_to_text: str
    """The same in words, in UTC."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Value of `page.time` in templates."""

    at: str
    """RFC 3339 of the moment that is shown; empty in the present."""
    time_text: str
    """The same in words, in UTC."""
    age: str
    """How long before now that is."""
    input: str
    """The moment, or now, as an input of a date and a time has it, in UTC."""
    latest: str
    """Now in the same form."""
    path: str
    """Address of the form: this page, or the overview where it shows the present only."""
    fields: tuple[tuple[str, str], ...]
    """Parameters that the form keeps."""
    now_href: str
    """Address of the same page in the present."""
    earlier: tuple[MomentLink, ...]
    """Moments before now that history reaches back to."""
    begin: str
    """RFC 3339 of the oldest moment that can be shown; empty where there is none, or it is not known."""
    begin_text: str
    """The same in words, in UTC."""
    previous_href: str
    """Address that leads to the last change before the moment of what is shown; empty in the present, and on a
    page that shows none.
    """
    next_href: str
    """The same for the first one after it."""
    ended_step: EndedStep | None
    """The step that led here, where it found no change."""
    compare_href: str
    """Address that compares the list, or the object, of the moment with now; empty on other pages."""


def time_control(request: HttpRequest) -> TimeControl | None:
    """The time control of a page; None where no history is kept."""
    state = state_of(request)
    moment = state[MOMENT]
    moments = state[MOMENTS]
    if moments is None:
        return None
    now = moments.now()
    begin = math.inf if moments.begin is None else moments.begin
    begin = math.ceil(begin) if begin < now else begin
    match = request.resolver_match
    shows_past = match is not None and match.url_name in STEPPED_PAGES
    path = request.path if shows_past else "/"
    fields = tuple(
        (name, value) for name, values in request.GET.lists() for value in values if name not in MOMENT_PARAMETERS
    )
    fields = fields if shows_past else ()

    def href(parameters: tuple[tuple[str, str], ...]) -> str:
        query = urlencode(parameters, safe=":,/")
        return f"{path}?{query}" if query else path

    ended = _ended_step(request, now) if moment and shows_past else None

    def step_href(to: str) -> str:
        if not moment or not shows_past:
            return ""
        at = format_at(moment.at)
        begin = (ended.searched_to if ended is not None and ended.to == to else "") or at
        return f"/moment/step/?{urlencode({'from': href((*fields, (AT, at))), AT: begin, 'to': to})}"

    return TimeControl(
        at=format_at(moment.at) if moment is not None else "",
        time_text=utc_text(moment.at) if moment is not None else "",
        age=format_duration(max(0.0, now - moment.at)) if moment is not None else "",
        input=format_at(int(moment.at if moment is not None else now))[:-1],
        latest=format_at(int(now))[:-1],
        path=path,
        fields=fields,
        now_href=href(fields),
        earlier=tuple(
            MomentLink(f"{title} ago", href((*fields, (AT, format_at(int(now - seconds))))))
            for seconds, title in SPANS
            if moments.begin is None or int(now - seconds) >= begin
        ),
        begin=format_at(begin) if begin < now else "",
        begin_text=utc_text(begin) if begin < now else "",
        previous_href=step_href("previous"),
        next_href=step_href("next"),
        ended_step=ended,
        compare_href=_compare_href(request.path, match.url_name if match else "", fields, moment.at) if moment else "",
    )


def _ended_step(request: HttpRequest, now: float) -> EndedStep | None:
    to, text = request.GET.get(STEP), request.GET.get(SEARCHED_TO)
    if to not in {"next", "previous"}:
        return None
    if not text:
        return EndedStep(to, "", "")
    try:
        searched_to = parse_at(text, now)
    except BadMoment:
        return None
    return EndedStep(to, format_at(searched_to), utc_text(searched_to))


def _compare_href(path: str, page: str | None, fields: tuple[tuple[str, str], ...], at: float) -> str:
    since = ("from", format_at(at))
    if page == "list":
        return f"{path}compare/?{urlencode((*fields, since), safe=':,/')}"
    return f"{path}history/?{urlencode((since,), safe=':')}#comparison" if page == "detail" else ""


def restore_href(kind: KindInfo, href: str, at: float) -> str:
    """Address of the editor that starts with the version of a moment; empty where the kind cannot be restored."""
    return f"{href}edit/?{restore_query(at)}" if can_restore(kind) else ""


def can_restore(kind: KindInfo) -> bool:
    """Whether versions of a kind can be brought back."""
    return kind.editable and not kind.is_secret_kind and not settings.DELTABOARD_READ_ONLY


def restore_query(at: float, *fields: str) -> str:
    """Query of that address, for all of a version or for some of its fields."""
    return urlencode([(VERSION, format_at(at)), *((FIELD, each) for each in fields)], safe=":")
