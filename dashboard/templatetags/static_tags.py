"""Template tag for bundles of static files: `{% bundle "js/list/main.js" %}`. Other files have `{% static %}`."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.templatetags.static import static

register = template.Library()


@register.simple_tag
def bundle(source: str) -> str:
    """The address of the bundle whose entry point is this script or style sheet of static/js or static/css.

    With DEBUG it is the address of the source, whose imports the browser follows, so that it can be changed while the
    process runs and errors show its name.
    """
    _, _, name = source.partition("/")
    return static(source if settings.WHITENOISE_AUTOREFRESH else f"bundles/{name}")
