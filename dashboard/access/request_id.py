"""Id of a request, for its log lines, its audit records and the header X-Request-Id of its answer."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings

REQUEST_ID_HEADER = b"x-request-id"
MAX_REQUEST_ID = 128
_KEY = "deltaboard.request_id"
"""Key of the ASGI scope for an id that was made here."""


def request_id_of(scope: Mapping[str, Any]) -> str:
    """The id that a trusted proxy sends in X-Request-Id; else one that is made for the request."""
    if settings.DELTABOARD_SIGN_IN == "proxy":
        for name, value in scope.get("headers", ()):
            text: str = value.decode("latin-1")
            if name.lower() == REQUEST_ID_HEADER and 0 < len(text) <= MAX_REQUEST_ID and text.isprintable():
                return text
    if isinstance(scope, dict):
        made: str = scope.setdefault(_KEY, secrets.token_hex(8))
        return made
    return secrets.token_hex(8)
