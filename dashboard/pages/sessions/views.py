"""Page of my sessions: where I am signed in, and the buttons that end sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dashboard.access.oidc.providers import PROVIDERS
from dashboard.access.sessions.session import Session, delete_session_cookie, session_of
from dashboard.pages.layout.not_found import NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.sessions.everybody import denial_of_ending_all
from dashboard.pages.sessions.registry import SESSIONS
from dashboard.runtime.app_state import state_of
from dashboard.runtime.database_executor import Unavailable

SIGNED_OUT = "/sign-in/?signed-out=1"


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One line of sessions/page.html."""

    id: str
    device: str
    issuer: str
    """Its title."""
    is_this: bool
    created: str
    last_used: str
    """Times are RFC 3339."""


@require_safe
async def sessions(request: HttpRequest) -> HttpResponse:
    """The sessions of the person who asks."""
    if session_of(request) is None:
        return _without_sessions(request)
    return await _page(request)


@require_POST
async def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one session (``session=<id>``), or ``which=others``, ``all`` or ``everybody``."""
    session = session_of(request)
    if session is None:
        return _without_sessions(request)
    registry, which = state_of(request)[SESSIONS], request.POST.get("which", "")
    try:
        if which == "others":
            await registry.end_others(session)
        elif which == "all":
            await registry.end_of_person(session.person.name)
        elif which == "everybody":
            if denial := await denial_of_ending_all(request):
                return await _page(request, problem=denial, status=403)
            await registry.end_everybody()
        else:
            await registry.end(session.person.name, [request.POST.get("session", "")])
    except Unavailable as error:
        return await _page(request, problem=f"No session was ended: the database cannot be used: {error}", status=503)
    if which in ("all", "everybody") or request.POST.get("session") == session.id:
        response = HttpResponseRedirect(SIGNED_OUT, status=303)
        delete_session_cookie(response)
        return response
    return HttpResponseRedirect(request.path.removesuffix("end/"), status=303)


async def _page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    session = session_of(request)
    assert session is not None  # noqa: S101 -- both views have looked
    found: tuple[Session, ...] = ()
    try:
        found = await state_of(request)[SESSIONS].of_person(session.person.name)
    except Unavailable as error:
        problem = problem or f"Your sessions cannot be listed: the database cannot be used: {error}"
        status = 503
    context = {
        "page": page_info(request, title="Sessions"),
        "person": session.person,
        "lines": [_line(each, session, state_of(request)[PROVIDERS].title_of(each.issuer)) for each in found],
        "problem": problem,
        "may_end_all": not await denial_of_ending_all(request),
        "hours": settings.DELTABOARD_SESSION_HOURS,
        "idle_hours": settings.DELTABOARD_SESSION_IDLE_HOURS,
    }
    response = render(request, "sessions/page.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _line(session: Session, current: Session, issuer: str) -> SessionLine:
    created, last_used = (_rfc3339(moment) for moment in (session.created, session.last_used))
    return SessionLine(session.id, session.device, issuer, session.id == current.id, created, last_used)


def _rfc3339(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _without_sessions(request: HttpRequest) -> HttpResponse:
    how = "The proxy signs people in and out." if settings.DELTABOARD_SIGN_IN == "proxy" else "Nobody signs in here."
    return not_found_page(request, NotFoundInfo("There are no sessions", f"{how} Deltaboard keeps no sessions then."))
