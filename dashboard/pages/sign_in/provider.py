"""allauth's provider and OAuth adapter of OpenID Connect, with a nonce, and ID tokens verified by Authlib.

allauth looks for providers in modules of this name. Its own adapter sends no nonce, does not verify the signature of a
token that it fetched itself, and goes on to a user in its tables.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, NoReturn

from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from dashboard.pages.sign_in.allauth_adapter import client_of


class CodeRedeemed(Exception):
    """The code of the callback was exchanged; `id_token` is as the provider sent it. Access and refresh token are
    dropped with the exception's traceback.
    """

    def __init__(self, id_token: object) -> None:
        super().__init__("the code was exchanged")
        self.id_token = id_token


class IssuerOAuth2Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc] # allauth has no types
    """Configuration from our client; the end of the flow is an exception that has the ID token."""

    @property
    def openid_config(self) -> Mapping[str, Any]:
        return client_of(self.request).configuration()

    @property
    def redirect_uri_protocol(self) -> str | None:
        """https where a proxy ends TLS."""
        return "https" if settings.CSRF_COOKIE_SECURE else None

    @property
    def basic_auth(self) -> bool:
        methods = self.openid_config.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return bool(client_of(self.request).issuer.client_secret) and "client_secret_post" not in methods

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **options: Any) -> NoReturn:  # noqa: ARG002
        raise CodeRedeemed(options["response"].get("id_token"))


class IssuerProvider(OpenIDConnectProvider):  # type: ignore[misc] # allauth has no types
    """Sends people to the issuer with a nonce, which the state of the sign-in keeps."""

    oauth2_adapter_class = IssuerOAuth2Adapter
    pkce_enabled_default = True

    def begin(self, request: HttpRequest, next_address: str) -> HttpResponse:
        """The redirect to the issuer. What an address asks for (scopes, parameters) is not passed on."""
        nonce = secrets.token_urlsafe(32)
        response: HttpResponse = self.redirect(
            request, "login", next_url=next_address, data={"nonce": nonce}, auth_params={"nonce": nonce}
        )
        return response


provider_classes = [IssuerProvider]
