"""allauth's adapter: the issuers of DELTABOARD_OIDC, our HTTP client, and errors as exceptions of ours."""

from __future__ import annotations

from typing import Any, NoReturn

import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base import AuthError
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.http import HttpRequest

from dashboard.access.oidc.provider_client import ProviderClient, ResponseTooLarge
from dashboard.access.oidc.providers import PROVIDERS
from dashboard.pages.sign_in import problems
from dashboard.pages.sign_in.problems import SignInFailed
from dashboard.runtime.app_state import state_of


def client_of(request: HttpRequest) -> ProviderClient:
    """The client of the issuer that the request's address names. Raises KeyError where there is none."""
    match = request.resolver_match
    return state_of(request)[PROVIDERS].clients[match.kwargs["provider_id"] if match is not None else ""]


class IssuerAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # allauth has no types
    """Nothing is read from or written to allauth's tables."""

    def get_requests_session(self) -> requests.Session:
        return client_of(self.request).session()

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:  # noqa: ARG002
        issuer = client_of(request).issuer
        return SocialApp(
            provider="openid_connect",
            provider_id=issuer.name,
            name=issuer.title[:40],
            client_id=issuer.client_id,
            secret=issuer.client_secret,
            settings={"server_url": issuer.url, "oauth_pkce_enabled": True, "scope": list(issuer.scopes)},
        )

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,  # noqa: ARG002
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> NoReturn:
        """Raise SignInFailed in place of allauth's own page."""
        issuer = client_of(request).issuer
        state = (extra_context or {}).get("state")
        next_address = (state or {}).get("next") or "/"
        if error == AuthError.CANCELLED or (state is None and request.GET.get("error") == "access_denied"):
            raise SignInFailed(problems.denied(issuer), status=403, next_address=next_address)
        if state is None:
            raise SignInFailed(problems.unknown_state(issuer))
        if isinstance(exception, ResponseTooLarge):
            raise SignInFailed(problems.too_large(issuer), next_address=next_address)
        if isinstance(exception, requests.RequestException):
            raise SignInFailed(
                problems.unreachable(issuer), status=503, next_address=next_address, detail=str(exception)
            )
        if isinstance(exception, OAuth2Error):
            answer = str(exception)
            sentence = problems.code_refused(issuer, answer)
            raise SignInFailed(sentence, next_address=next_address, detail=answer[:1_000])
        error, description = request.GET.get("error", ""), request.GET.get("error_description", "")
        raise SignInFailed(problems.refused(issuer, error, description), next_address=next_address)
