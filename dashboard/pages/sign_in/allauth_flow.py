"""The two steps of a sign-in, by allauth: to the issuer, and back with a code. Both block.

Imported only where people sign in by OIDC: allauth's models need their applications.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from allauth.core.context import request_context
from allauth.socialaccount.internal import statekit
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest, HttpResponse

from dashboard.access.oidc.provider_client import ProviderUnusable
from dashboard.access.oidc.tokens import TokenRefused, verified_id_token
from dashboard.pages.sign_in import problems
from dashboard.pages.sign_in.allauth_adapter import IssuerAdapter, client_of
from dashboard.pages.sign_in.problems import SignInFailed
from dashboard.pages.sign_in.provider import CodeRedeemed, IssuerOAuth2Adapter, IssuerProvider

OTHER_SIGN_INS = 1
"""Sign-ins of other tabs that go on beside a new one: their states share a cookie of 4 KiB."""
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)
"""What allauth raises where a token response has another shape."""


@dataclass(frozen=True, slots=True)
class VerifiedSignIn:
    """The end of a sign-in: claims that the issuer has signed, and where the person wanted to go."""

    claims: dict[str, Any]
    next_address: str


def begin(request: HttpRequest, next_address: str) -> HttpResponse:
    """The redirect to the issuer, with the cookie of this sign-in. Raises SignInFailed."""
    issuer = client_of(request).issuer
    with request_context(request):
        _open_session(request)
        _forget_older(request)
        provider = IssuerProvider(request, app=IssuerAdapter(request).get_app(request, issuer.name))
        try:
            response = provider.begin(request, next_address)
        except ProviderUnusable as error:
            sentence = problems.unusable(issuer, error)
            raise SignInFailed(sentence, status=503, next_address=next_address, detail=str(error)) from None
    save_session(request, response)
    return response


def finish(request: HttpRequest, now: float) -> VerifiedSignIn:
    """What the issuer says of the person who comes back, once the code was exchanged for an ID token and that was
    verified. Raises SignInFailed. `save_session` follows in either case: the state of the sign-in is used up.
    """
    client = client_of(request)
    issuer = client.issuer
    view = _CallbackView()
    with request_context(request):
        _open_session(request)
        view.request, view.adapter = request, IssuerOAuth2Adapter(request, issuer.name)
        try:
            if (named := request.GET.get("iss")) not in (None, issuer.url):
                raise SignInFailed(f"The answer comes from {named[:200]!r}, not from {issuer.url}. Sign in again.")
            view.dispatch(request)
        except CodeRedeemed as redeemed:
            id_token = redeemed.id_token
        except (ProviderUnusable, OSError) as error:
            raise _unreachable(client, view, error) from None
        except UNREADABLE as error:
            sentence = problems.code_refused(issuer, "")
            raise SignInFailed(sentence, next_address=view.next_address, detail=repr(error)) from None
        else:
            raise SignInFailed(problems.code_refused(issuer, ""), next_address=view.next_address)
        try:
            claims = verified_id_token(id_token, client.keys, issuer, nonce=view.nonce, now=now)
        except TokenRefused as error:
            raise SignInFailed(str(error), next_address=view.next_address) from None
        except ProviderUnusable as error:
            raise _unreachable(client, view, error) from None
    return VerifiedSignIn(claims, view.next_address)


def save_session(request: HttpRequest, response: HttpResponse) -> None:
    """Write the cookie of the sign-ins that go on; delete it where there is none."""
    session: SessionStore | None = getattr(request, "session", None)
    if session is None:
        return
    if not statekit.get_states(request):
        response.delete_cookie(settings.SESSION_COOKIE_NAME, path=settings.SESSION_COOKIE_PATH, samesite="Lax")
        return
    response.set_cookie(
        settings.SESSION_COOKIE_NAME,
        str(session.session_key or ""),
        max_age=settings.SESSION_COOKIE_AGE,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


class _CallbackView(OAuth2CallbackView):  # type: ignore[misc] # allauth has no types
    """allauth's view of the callback, which keeps the state of the sign-in."""

    state: dict[str, Any] | None = None

    def _get_state(self, request: HttpRequest, provider: Any) -> Any:
        self.state, response = super()._get_state(request, provider)
        return self.state, response

    @property
    def nonce(self) -> str:
        return str(((self.state or {}).get("data") or {}).get("nonce") or "")

    @property
    def next_address(self) -> str:
        return str((self.state or {}).get("next") or "/")


def _unreachable(client: Any, view: _CallbackView, error: Exception) -> SignInFailed:
    if isinstance(error, ProviderUnusable):
        sentence = problems.unusable(client.issuer, error)
    else:
        sentence = problems.unreachable(client.issuer)
    return SignInFailed(sentence, status=503, next_address=view.next_address, detail=str(error))


def _open_session(request: HttpRequest) -> None:
    """Django's session of this browser, from its signed cookie; an empty one where that was not made here."""
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))


def _forget_older(request: HttpRequest) -> None:
    states = statekit.get_states(request)
    newest = sorted(states, key=lambda key: states[key][1], reverse=True)[:OTHER_SIGN_INS]
    request.session[statekit.STATES_SESSION_KEY] = {key: states[key] for key in newest}
