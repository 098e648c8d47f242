"""Addresses of the sign-in, and the addresses that it leads back to."""

from __future__ import annotations

import re

from django.utils.http import url_has_allowed_host_and_scheme

SIGN_IN = "/sign-in/"
ACCOUNTS = "/accounts/"
OPEN = re.compile(rf"{SIGN_IN}|{ACCOUNTS}(?:sign-out|logout/[^/]+|[^/]+/sign-in|[^/]+/callback)/")
"""Addresses that are open to people who have not signed in; no page of theirs says anything of the cluster."""
MAX_NEXT = 800
"""Characters of the address to come back to: with what else a sign-in must remember it is in a cookie of 4 KiB."""


def safe_next(address: str) -> str:
    """An address of Deltaboard's own to lead somebody to, without its query where it is long; the overview in place of
    any other.
    """
    if len(address) > MAX_NEXT:
        address = address.partition("?")[0][: MAX_NEXT + 1]
    if len(address) > MAX_NEXT:
        return "/"
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and not address.startswith((SIGN_IN, ACCOUNTS)) and address.isprintable() else "/"
