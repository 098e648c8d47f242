"""First line of a server's output: where it answers, and how to get in."""

from __future__ import annotations

from django.conf import settings

from dashboard.server.access_token import OPEN_TO_ALL_ACCOUNTS, TOKEN_PARAMETER, AccessToken


def start_line(host: str, port: int, token: AccessToken | None) -> str:
    """The line that a person reads; with the token, where one is asked for."""
    line = f"Deltaboard is at {_address(host, port)}"
    if token is not None:
        return f"{line}?{TOKEN_PARAMETER}={token.value}"
    if settings.DELTABOARD_SIGN_IN == "oidc":
        titles = ", ".join(issuer.title for issuer in settings.DELTABOARD_OIDC)
        return f"{line} where people sign in with {titles}"
    return line if settings.DELTABOARD_SIGN_IN == "proxy" else f"{line} {OPEN_TO_ALL_ACCOUNTS}"


def page_address(host: str, port: int, token: AccessToken | None) -> str:
    """The address for a browser on this machine, with a code that lets it in once, where a token is asked for."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here
    address = _address(everywhere.get(host, host), port)
    return address if token is None else f"{address}?{TOKEN_PARAMETER}={token.new_start_code()}"


def _address(host: str, port: int) -> str:
    shown = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{shown}:{port}/"
