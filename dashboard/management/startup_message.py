"""First line of a server's output: where it answers, and how to get in."""

from __future__ import annotations

from django.conf import settings

from dashboard.server.access_token import OPEN_TO_ALL_ACCOUNTS, TOKEN_PARAMETER, AccessToken


def start_line(host: str, port: int, token: AccessToken | None) -> str:
    """The line that a person reads; with the token, where one is asked for."""
    shown = f"[{host.strip('[]')}]" if ":" in host else host
    line = f"Deltaboard is at http://{shown}:{port}/"
    if token is not None:
        return f"{line}?{TOKEN_PARAMETER}={token.value}"
    if settings.DELTABOARD_SIGN_IN == "oidc":
        titles = ", ".join(issuer.title for issuer in settings.DELTABOARD_OIDC)
        return f"{line} where people sign in with {titles}"
    return line if settings.DELTABOARD_SIGN_IN == "proxy" else f"{line} {OPEN_TO_ALL_ACCOUNTS}"
