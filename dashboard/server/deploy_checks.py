"""Checks of ``manage.py check --deploy`` that Django cannot do, because our middleware has names of its own."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks


def check_cookies(app_configs: Any, **_: Any) -> list[checks.CheckMessage]:  # noqa: ARG001 - Django passes it by name
    """A warning where browsers would send our cookies over HTTP, too."""
    if settings.CSRF_COOKIE_SECURE:
        return []
    if settings.DELTABOARD_SIGN_IN == "oidc":
        return [
            checks.Warning(
                "People sign in over HTTP, where others can read the cookies of their sessions and act in their name.",
                hint="Serve Deltaboard over HTTPS, and name its address with https in CSRF_TRUSTED_ORIGINS.",
                id="deltaboard.W002",
            )
        ]
    return [
        checks.Warning(
            "Browsers send Deltaboard's cookies over HTTP, where others can read them.",
            hint="Name the address with https in CSRF_TRUSTED_ORIGINS, or set CSRF_COOKIE_SECURE=on.",
            id="deltaboard.W001",
        )
    ]
