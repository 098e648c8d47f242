"""The authenticating proxy that names the person of each request (DELTABOARD_TRUST_PROXY_USER)."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dashboard.access.person import Person, PersonRefused, checked_person
from dashboard.runtime.proxy_settings import ProxyPeers
from dashboard.server.request_headers import header_values

SECRET_HEADER = "X-Deltaboard-Proxy-Secret"  # noqa: S105 - a header's name
"""Header in which the proxy sends DELTABOARD_TRUST_PROXY_SECRET."""


class ProxyRefusal(Exception):
    """A request that does not come from the proxy, or names no user; the message is a sentence for the sender."""


class DoubledHeader(ProxyRefusal):
    """A header of the proxy came more than once: the browser may have sent one of them."""


class TrustedProxy:
    """What a request must have to come from the proxy. Without `groups_header` nobody has groups."""

    def __init__(self, user_header: str, peers: ProxyPeers, secret: str = "", *, groups_header: str = "") -> None:
        self.user_header = user_header
        self.groups_header = groups_header
        self._peers = peers
        self._secret = secret

    def person_of(self, scope: Mapping[str, Any]) -> Person:
        """The person whom the proxy names. Raises ProxyRefusal.

        A header that was sent twice is refused: proxies and servers differ in which of them counts. Daphne joins the
        two of a websocket with a comma, so a comma in the user's name is refused, too. Daphne drops headers with an
        underscore. Names are UTF-8.
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
        user = self._named_user(header_values(scope, self.user_header))
        groups = self._named_groups(header_values(scope, self.groups_header)) if self.groups_header else ()
        try:
            return checked_person(user, groups)
        except PersonRefused as refusal:
            raise ProxyRefusal(str(refusal)) from None

    def _has_secret(self, scope: Mapping[str, Any]) -> bool:
        values = header_values(scope, SECRET_HEADER)
        return len(values) == 1 and hmac.compare_digest(values[0].encode(), self._secret.encode())

    def _named_user(self, values: list[str]) -> str:
        header = self.user_header
        if not any(value.strip() for value in values):
            raise ProxyRefusal(f"Nobody is signed in: the request lacks the header {header}, which the proxy sets.")
        if len(values) > 1 or "," in values[0]:
            raise DoubledHeader(
                f"The header {header} names more than one user. The proxy must replace what a browser sends in it, "
                "and a user's name must have no comma."
            )
        return _utf8(header, values[0])

    def _named_groups(self, values: list[str]) -> list[str]:
        """The groups, which commas separate; none where the proxy names none."""
        if len(values) > 1:
            raise DoubledHeader(
                f"The header {self.groups_header} came {len(values)} times. The proxy must send all groups in one, "
                "separated by commas, and replace what a browser sends in it."
            )
        words = (word.strip() for value in values for word in _utf8(self.groups_header, value).split(","))
        return [word for word in words if word]


def _utf8(header: str, value: str) -> str:
    """The text of a header's bytes without spaces around it. Raises ProxyRefusal."""
    try:
        return value.encode("latin-1").decode().strip(" \t")
    except UnicodeDecodeError:
        raise ProxyRefusal(f"The header {header} is not UTF-8. Let the proxy encode names in UTF-8.") from None


def load_trusted_proxy() -> TrustedProxy | None:
    """The proxy of the settings; None where there is none."""
    if settings.DELTABOARD_SIGN_IN != "proxy":
        return None
    return TrustedProxy(
        settings.DELTABOARD_TRUST_PROXY_USER,
        settings.DELTABOARD_TRUST_PROXY_PEERS,
        settings.DELTABOARD_TRUST_PROXY_SECRET,
        groups_header=settings.DELTABOARD_TRUST_PROXY_GROUPS,
    )
