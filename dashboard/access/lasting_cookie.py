"""Cookies of a browser that last: httponly, SameSite Lax, and for as long as browsers allow."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse

COOKIE_MAX_AGE = 400 * 86_400
"""Seconds; browsers keep no cookie for longer."""


def set_cookie(response: HttpResponse, name: str, value: str) -> None:
    """Set a cookie; over HTTPS only where the CSRF cookie is."""
    response.set_cookie(
        name, value, max_age=COOKIE_MAX_AGE, httponly=True, samesite="Lax", secure=settings.CSRF_COOKIE_SECURE
    )
