"""Theme choice for browsers without scripts."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dashboard.pages.layout.page import THEME_COOKIE, THEMES

YEAR = 31_536_000
"""Max-Age of the theme cookie, in seconds."""


@require_POST
async def theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie, and redirect to the page that the form was sent from."""
    chosen = request.POST.get("theme", "")
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    response = HttpResponseRedirect(back)
    response.status_code = 303
    if chosen in THEMES:
        response.set_cookie(THEME_COOKIE, chosen, max_age=YEAR, samesite="Lax", secure=settings.CSRF_COOKIE_SECURE)
    return response
