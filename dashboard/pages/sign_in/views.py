"""Sign-in page, the way to an issuer and back, sign-out, and back-channel logout."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from dashboard.access.oidc.claims import person_of_claims, stored_text
from dashboard.access.oidc.provider_client import ProviderUnusable
from dashboard.access.oidc.providers import PROVIDERS, Providers
from dashboard.access.oidc.tokens import TokenRefused, verified_logout_token
from dashboard.access.person import PersonRefused
from dashboard.access.quota_owner import quota_owners
from dashboard.access.sessions.session import delete_session_cookie, device_of, session_of, set_session_cookie
from dashboard.pages.layout.not_found import NotFoundInfo, not_found_page
from dashboard.pages.sessions.registry import SESSIONS
from dashboard.pages.sign_in import problems
from dashboard.pages.sign_in.addresses import SIGN_IN, safe_next
from dashboard.pages.sign_in.problems import SignInFailed
from dashboard.runtime.app_state import CLOCK, scope_of, state_of
from dashboard.runtime.concurrency_limit import LimitReached
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.oidc_issuers import Issuer

logger = logging.getLogger(__name__)

T = TypeVar("T")


@require_safe
async def sign_in(request: HttpRequest) -> HttpResponse:
    """The page on which people choose who signs them in."""
    if not _providers(request).clients:
        return _nobody_signs_in(request)
    return _page(request, safe_next(request.GET.get("next", "/")))


@require_safe
async def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the issuer; where that is not possible, the sign-in page says why."""
    client = _providers(request).clients.get(provider_id)
    if client is None:
        return _nobody_signs_in(request)
    from dashboard.pages.sign_in import allauth_flow

    next_address = safe_next(request.GET.get("next", "/"))
    try:
        response = await _call(request, partial(allauth_flow.begin, request, next_address), client.issuer)
    except SignInFailed as failure:
        return _failed(request, client.issuer, failure)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Come back from the issuer: a new session, or the sign-in page with what went wrong."""
    client = _providers(request).clients.get(provider_id)
    if client is None:
        return _nobody_signs_in(request)
    from dashboard.pages.sign_in import allauth_flow

    try:
        response = await _finish(request, client.issuer)
    except SignInFailed as failure:
        response = _failed(request, client.issuer, failure)
    allauth_flow.save_session(request, response)
    response["Cache-Control"] = "no-store"
    return response


async def _finish(request: HttpRequest, issuer: Issuer) -> HttpResponse:
    from dashboard.pages.sign_in import allauth_flow

    state = state_of(request)
    verified = await _call(request, partial(allauth_flow.finish, request, state[CLOCK].time()), issuer)
    next_address, sessions = safe_next(verified.next_address), state[SESSIONS]
    try:
        person = person_of_claims(issuer, verified.claims)
        subject, sid = stored_text(verified.claims["sub"]), stored_text(verified.claims.get("sid"))
    except PersonRefused as refusal:
        raise SignInFailed(str(refusal), status=403, next_address=next_address) from None
    device = device_of(request.headers.get("User-Agent", ""))
    try:
        if (before := session_of(request)) is not None:  # this browser's, whoever it was
            await sessions.end(before.person.name, [before.id])
        cookie = await sessions.begin(person, issuer=issuer.name, subject=subject, sid=sid, device=device)
    except Unavailable as error:
        sentence = "You were not signed in, because Deltaboard's database cannot be used just now. Try again."
        raise SignInFailed(sentence, status=503, next_address=next_address, detail=str(error)) from None
    rotate_token(request)
    without = "" if not issuer.groups_claim or issuer.groups_claim in verified.claims else (
        f": no groups, the token has no claim {issuer.groups_claim!r}")  # fmt: skip
    logger.info("%s signed in with %s%s", person.name, issuer.name, without)
    response = HttpResponseRedirect(next_address, status=303)
    set_session_cookie(response, cookie, max_age=sessions.lifetime.longest)
    return response


@require_POST
async def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session of this browser."""
    session = session_of(request)
    if session is not None:
        try:
            await state_of(request)[SESSIONS].end(session.person.name, [session.id])
        except Unavailable:
            return _page(
                request, "/", problem="You are still signed in: the database cannot be used. Try again.", status=503
            )
    response = HttpResponseRedirect(f"{SIGN_IN}?signed-out=1", status=303)
    delete_session_cookie(response)
    return response


@csrf_exempt
@require_POST
async def back_channel_logout(request: HttpRequest, provider_id: str) -> HttpResponse:
    """End the sessions that an issuer's logout token names (OpenID Connect Back-Channel Logout 1.0)."""
    client = _providers(request).clients.get(provider_id)
    if client is None:
        return _logout_refused("There is no such issuer.")
    state, token = state_of(request), request.POST.get("logout_token")
    verify = partial(verified_logout_token, token, client.keys, client.issuer, now=state[CLOCK].time())
    try:
        logout = await _providers(request).call(quota_owners(scope_of(request)), verify)
        number = await state[SESSIONS].end_by_token(client.issuer.name, logout)
    except TokenRefused as error:
        return _logout_refused(str(error))
    except (ProviderUnusable, Unavailable, LimitReached, TimeoutError) as error:
        logger.warning("a logout of %s was not carried out: %s", client.issuer.name, error)
        return _logout_refused("Deltaboard cannot do it just now. Send it again.", status=503)
    if number is None:
        return _logout_refused("The logout token was used before.")
    logger.info("%s ended %d sessions", client.issuer.name, number)
    return HttpResponse(status=200, headers={"Cache-Control": "no-store"})


def _logout_refused(sentence: str, *, status: int = 400) -> HttpResponse:
    content = {"error": "invalid_request", "error_description": sentence}
    return JsonResponse(content, status=status, headers={"Cache-Control": "no-store"})


async def _call(request: HttpRequest, work: Callable[[], T], issuer: Issuer) -> T:
    try:
        return await _providers(request).call(quota_owners(scope_of(request)), work)
    except (LimitReached, TimeoutError) as error:
        raise SignInFailed(problems.unreachable(issuer), status=503, detail=repr(error)) from None


def _failed(request: HttpRequest, issuer: Issuer, failure: SignInFailed) -> HttpResponse:
    logger.warning("a sign-in with %s failed: %s", issuer.name, failure.detail or failure)
    return _page(request, safe_next(failure.next_address), problem=str(failure), status=failure.status)


def _page(request: HttpRequest, next_address: str, *, problem: str = "", status: int = 200) -> HttpResponse:
    session = session_of(request)
    context = {
        "issuers": _providers(request).issuers,
        "next": next_address,
        "problem": problem,
        "person": session.person if session is not None else None,
        "is_signed_out": "signed-out" in request.GET,
    }
    response = render(request, "sign_in/page.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _providers(request: HttpRequest) -> Providers:
    return state_of(request)[PROVIDERS]


def _nobody_signs_in(request: HttpRequest) -> HttpResponse:
    if settings.DELTABOARD_SIGN_IN == "oidc":
        return _page(request, "/", problem="There is no such issuer. Choose one that is.", status=404)
    how = "a proxy signs people in" if settings.DELTABOARD_SIGN_IN == "proxy" else "nobody signs in"
    sentence = f"Deltaboard has no sign-in of its own here: {how}."
    return not_found_page(request, NotFoundInfo("There is no sign-in", sentence))
