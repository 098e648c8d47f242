"""Tags of the static files that go as one: `{% styles "css/page.css" %}`, `{% scripts "js/page.js" %}`.

With DEBUG each file has a tag of its own, so that it can be changed while the process runs, and mistakes have its name.
"""

from __future__ import annotations

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from dashboard.access.joined_files import JOINED

register = template.Library()


@register.simple_tag
def styles(name: str) -> SafeString:
    """One of JOINED. Raises KeyError for any other name."""
    return format_html_join("\n  ", '<link rel="stylesheet" href="{}">', _addresses(name))


@register.simple_tag
def scripts(name: str) -> SafeString:
    """One of JOINED; it runs when the page has been read. Raises KeyError for any other name."""
    return format_html_join("\n  ", '<script src="{}" defer></script>', _addresses(name))


def _addresses(name: str) -> list[tuple[str]]:
    parts = JOINED[name]
    return [(static(each),) for each in (parts if settings.WHITENOISE_AUTOREFRESH else (name,))]
