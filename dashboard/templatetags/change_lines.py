"""Template tag for the lines of an object's latest changes, written in Python and cached because a page has fifty."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.pages.details.change_log import ChangeLine, FieldLine

register = template.Library()

CACHE_SIZE = 2_000
"""Maximum number of lines whose HTML is cached; a line never changes."""


@register.simple_tag
def change_lines(lines: Iterable[ChangeLine], view: str) -> SafeString:
    """A `<li>` for each line, every text in it escaped; `view` is the id of its view."""
    return mark_safe("".join(_line(line, view) for line in lines))  # noqa: S308 -- _line escapes


@lru_cache(maxsize=CACHE_SIZE)
def _line(line: ChangeLine, view: str) -> str:
    time = escape(line.time)
    return (
        f'<li class="change" id="change-{view}-{line.number}" data-part>'
        f'<time class="dim" data-age="ago" datetime="{time}">{time}</time>'
        f"<span>{escape(line.words)}{''.join(map(_field, line.fields))}</span></li>"
    )


def _field(field: FieldLine) -> str:
    was = f"<del>{escape(field.was)}</del> → " if field.was else ""
    now = f"<ins>{escape(field.now)}</ins>" if field.now else "removed"
    return f'<span class="field-change"><code>{escape(field.path)}</code> {was}{now}</span>'
