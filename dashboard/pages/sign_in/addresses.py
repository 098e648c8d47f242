"""Addresses of the sign-in, and the addresses that it leads back to."""

from __future__ import annotations

from django.utils.http import url_has_allowed_host_and_scheme

SIGN_IN = "/sign-in/"
ACCOUNTS = "/accounts/"
"""Everything below it is open to people who have not signed in."""


def safe_next(address: str) -> str:
    """An address of Deltaboard's own to lead somebody to; the overview in place of any other."""
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and not address.startswith((SIGN_IN, ACCOUNTS)) and address.isprintable() else "/"
