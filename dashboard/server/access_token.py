"""The access token: what a browser or a script must show where no proxy signs people in.

Every account of a machine can connect to its loopback addresses; only its owner can read the token's file. As in
Jupyter, the first visit has the token in its address. It gets a cookie and is redirected to the same address without
the token, so that no history, Referer or log has it.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import time
from collections.abc import Mapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote, unquote_plus, urlsplit

from django.conf import settings
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.http import parse_cookie

from dashboard.runtime.secret_file import NotPrivate, load_or_create_secret
from dashboard.server.request_headers import header_values

logger = logging.getLogger(__name__)

TOKEN_FILE = "token"  # noqa: S105 - a file's name
TOKEN_PARAMETER = "token"  # noqa: S105 - a parameter's name
COOKIE_PREFIX = "deltaboard_token"
START_CODE_SECONDS = 120.0
"""Seconds for which a start code is accepted: a browser may have to start first."""
COOKIE_MAX_AGE = 30 * 86_400
"""Seconds for which the cookie of a first visit is accepted."""
_HOW_TO_SHOW_IT = (
    "In a browser, open the address with ?token=… that Deltaboard printed when it started. "
    'In a script, send the header "Authorization: Bearer <token>". '
    f"The token is in the file {TOKEN_FILE} of the folder where Deltaboard keeps its state (DELTABOARD_VAR)."
)
TOKEN_MISSING = (
    f"Deltaboard does not know who asks: other accounts of this machine can reach this address, too. {_HOW_TO_SHOW_IT}"
)
TOKEN_WRONG = f"This is not Deltaboard's token, or no longer. {_HOW_TO_SHOW_IT}"
OPEN_TO_ALL_ACCOUNTS = (
    "without a token: every account of this machine can open it and acts with your rights in the cluster"
)


class AccessToken:
    """The token of one installation. Comparisons take the same time whatever is wrong."""

    def __init__(self, token: str) -> None:
        self.value = token
        self._start_code, self._start_code_until = "", 0.0
        # The token is the key: a new token ends all cookies, and a cookie does not reveal the token.
        self._signer = signing.TimestampSigner(key=token, salt="dashboard.server.access_token", fallback_keys=[])

    def admits(self, scope: Mapping[str, Any]) -> bool:
        """Whether a request shows the token in a header or its address, or has the cookie of such a request."""
        return self._in_header(scope) or self._in_cookie(scope) or self._in_address(scope)

    def new_start_code(self) -> str:
        """A code that takes the token's place in an address, once, within START_CODE_SECONDS.

        A browser is started with its address on its command line, which other accounts of the machine can read.
        """
        self._start_code, self._start_code_until = secrets.token_urlsafe(32), time.monotonic() + START_CODE_SECONDS
        return self._start_code

    def refusal(self, scope: Mapping[str, Any]) -> str:
        """The sentence for a request that is not admitted."""
        is_shown = header_values(scope, "authorization") or _tokens_in_address(scope)
        return TOKEN_WRONG if is_shown else TOKEN_MISSING

    def redirect_headers(self, scope: Mapping[str, Any]) -> list[tuple[bytes, bytes]] | None:
        """Headers of the redirect that gives an admitted page request its cookie and takes the token out of its
        address. None where its address has no token.
        """
        tokens = _tokens_in_address(scope)
        if not tokens:
            return None
        if self._is_start_code(tokens[0]):
            self._start_code = ""
        path = (scope.get("raw_path") or quote(scope["path"]).encode()).decode("latin-1")
        here = f"./{path.rpartition('/')[2]}"  # relative, so it is the same address behind a proxy that adds a path
        query = without_token(scope["query_string"]).decode("latin-1")
        cookies: SimpleCookie = SimpleCookie({_cookie_name(scope): self._signer.sign("browser")})
        (cookie,) = cookies.values()
        cookie.update({"max-age": str(COOKIE_MAX_AGE), "path": "/", "samesite": "Lax"})
        cookie["httponly"] = True
        cookie["secure"] = scope.get("scheme") == "https" or settings.CSRF_COOKIE_SECURE
        headers = {
            "Location": f"{here}?{query}" if query else here,
            "Set-Cookie": cookie.OutputString(),
            "Referrer-Policy": "no-referrer",
        }
        return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]

    def _in_header(self, scope: Mapping[str, Any]) -> bool:
        values = header_values(scope, "authorization")
        scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
        return scheme.lower() == "bearer" and self._is_token(token.strip())

    def _in_address(self, scope: Mapping[str, Any]) -> bool:
        tokens = _tokens_in_address(scope)
        return len(tokens) == 1 and (self._is_token(tokens[0]) or self._is_start_code(tokens[0]))

    def _in_cookie(self, scope: Mapping[str, Any]) -> bool:
        cookies = parse_cookie("; ".join(header_values(scope, "cookie")))
        try:
            self._signer.unsign(cookies.get(_cookie_name(scope), ""), max_age=COOKIE_MAX_AGE)
        except signing.BadSignature:
            return False
        return True

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.value.encode())

    def _is_start_code(self, text: str) -> bool:
        is_open = bool(self._start_code) and time.monotonic() < self._start_code_until
        return is_open and hmac.compare_digest(text.encode(), self._start_code.encode())


def load_access_token() -> AccessToken | None:
    """The token of this installation, made with its first start; None where the settings ask for none.

    Raises ImproperlyConfigured where other accounts can read its file, or it cannot be written.
    """
    if settings.DELTABOARD_SIGN_IN != "token" or not settings.DELTABOARD_TOKEN:
        return None
    path = settings.VAR_DIR / TOKEN_FILE
    try:
        return AccessToken(load_or_create_secret(path))
    except NotPrivate as error:
        raise ImproperlyConfigured(str(error)) from None
    except OSError as error:
        raise ImproperlyConfigured(
            f"DELTABOARD_VAR: the token cannot be stored in {path.parent}: {error.strerror}. "
            "Name a writable folder, or ask for no token with DELTABOARD_TOKEN=off"
        ) from None


def log_access(token: AccessToken | None) -> None:
    """Log how to get in, without the token, for servers that are no command of ours."""
    if settings.DELTABOARD_SIGN_IN != "token":
        return
    if token is None:
        logger.info("Deltaboard is served %s", OPEN_TO_ALL_ACCOUNTS)
    else:
        logger.info(
            "a browser needs the token in %s: open the address with /?token=… once", settings.VAR_DIR / TOKEN_FILE
        )


def tokens_of(query: bytes) -> list[str]:
    """The values of all token parameters of a query."""
    fields = query.decode("latin-1").split("&")
    return [unquote_plus(field.partition("=")[2]) for field in fields if _is_token_field(field)]


def without_token(query: bytes) -> bytes:
    """A query without its token parameters."""
    return "&".join(field for field in query.decode("latin-1").split("&") if not _is_token_field(field)).encode(
        "latin-1"
    )


def hide_token(address: str) -> str:
    """A path and query with “…” in place of a token, for logs."""
    path, mark, query = address.partition("?")
    fields = (f"{TOKEN_PARAMETER}=…" if _is_token_field(field) else field for field in query.split("&"))
    return path + mark + "&".join(fields)


def _is_token_field(field: str) -> bool:
    return unquote_plus(field.partition("=")[0]) == TOKEN_PARAMETER


def _tokens_in_address(scope: Mapping[str, Any]) -> list[str]:
    """The tokens in the address of a page request; that of a form has none that counts."""
    return tokens_of(scope["query_string"]) if _is_page_request(scope) else []


def _is_page_request(scope: Mapping[str, Any]) -> bool:
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _cookie_name(scope: Mapping[str, Any]) -> str:
    """The name contains the port that the browser sees: browsers send cookies to all ports of a host."""
    port = urlsplit(f"//{header_values(scope, 'host')[0]}").port
    return f"{COOKIE_PREFIX}_{port}" if port else COOKIE_PREFIX
