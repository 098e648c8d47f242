"""The template tag that shows what the page before said: `{% said %}`."""

from __future__ import annotations

from django import template
from django.http import HttpRequest
from django.template.context import Context

from dashboard.edits.said import Said, said_to

register = template.Library()


@register.inclusion_tag("edits/_said.html", takes_context=True)
def said(context: Context) -> dict[str, Said | None]:
    """The sentence meant for this address, if one is. Nothing where the page is rendered without a request."""
    request = context.get("request")
    return {"said": said_to(request) if isinstance(request, HttpRequest) else None}
