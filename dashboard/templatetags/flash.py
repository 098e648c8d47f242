"""Template tag for the flash message of the previous request: `{% flash %}`."""

from __future__ import annotations

from django import template
from django.http import HttpRequest
from django.template.context import Context

from dashboard.pages.layout.flash import Flash, flash_for

register = template.Library()


@register.inclusion_tag("layout/_flash.html", takes_context=True)
def flash(context: Context) -> dict[str, Flash | None]:
    """The message for this address, if there is one; nothing where the page is rendered without a request."""
    request = context.get("request")
    return {"flash": flash_for(request) if isinstance(request, HttpRequest) else None}
