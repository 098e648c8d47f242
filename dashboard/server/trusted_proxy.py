"""The authenticating proxy that names the user of each request (DELTABOARD_TRUST_PROXY_USER)."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dashboard.runtime.proxy_settings import ProxyPeers
from dashboard.server.request_headers import header_values

SECRET_HEADER = "X-Deltaboard-Proxy-Secret"  # noqa: S105 - a header's name
"""Header in which the proxy sends DELTABOARD_TRUST_PROXY_SECRET."""
MAX_USER_LENGTH = 254
"""Maximum characters of a user's name: the columns of the database that name owners are no longer."""


class ProxyRefusal(Exception):
    """A request that does not come from the proxy, or names no user; the message is a sentence for the sender."""


class TrustedProxy:
    """What a request must have to come from the proxy."""

    def __init__(self, user_header: str, peers: ProxyPeers, secret: str = "") -> None:
        self.user_header = user_header
        self._peers = peers
        self._secret = secret

    def user_of(self, scope: Mapping[str, Any]) -> str:
        """The user whom the proxy names. Raises ProxyRefusal.

        A header that was sent twice is refused: proxies and servers differ in which of them counts. Daphne joins the
        two of a websocket with a comma, so a comma is refused, too. Daphne drops headers with an underscore.
        """
        if not self._peers.includes(scope.get("client")):
            raise ProxyRefusal(
                "This connection does not come from the proxy that signs people in. "
                "DELTABOARD_TRUST_PROXY_PEERS lists the addresses from which the proxy connects."
            )
        if self._secret and not self._has_secret(scope):
            raise ProxyRefusal(
                f"The request lacks the header {SECRET_HEADER} with the value of DELTABOARD_TRUST_PROXY_SECRET, "
                "by which Deltaboard knows the proxy."
            )
        return self._named_user(header_values(scope, self.user_header))

    def _has_secret(self, scope: Mapping[str, Any]) -> bool:
        values = header_values(scope, SECRET_HEADER)
        return len(values) == 1 and hmac.compare_digest(values[0].encode(), self._secret.encode())

    def _named_user(self, values: list[str]) -> str:
        header = self.user_header
        if not any(value.strip() for value in values):
            raise ProxyRefusal(f"Nobody is signed in: the request lacks the header {header}, which the proxy sets.")
        if len(values) > 1 or "," in values[0]:
            raise ProxyRefusal(
                f"The header {header} names more than one user. The proxy must replace what a browser sends in it, "
                "and a user's name must have no comma."
            )
        user = values[0].strip()
        if len(user) > MAX_USER_LENGTH:
            raise ProxyRefusal(
                f"The user's name in the header {header} has {len(user)} characters, but Deltaboard stores "
                f"{MAX_USER_LENGTH} at most. Let the proxy send a shorter one."
            )
        return user


def load_trusted_proxy() -> TrustedProxy | None:
    """The proxy of the settings; None where there is none."""
    if not settings.DELTABOARD_TRUST_PROXY_USER:
        return None
    return TrustedProxy(
        settings.DELTABOARD_TRUST_PROXY_USER,
        settings.DELTABOARD_TRUST_PROXY_PEERS,
        settings.DELTABOARD_TRUST_PROXY_SECRET,
    )
