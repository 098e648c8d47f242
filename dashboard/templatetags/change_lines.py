"""The lines of an object's latest changes, made in Python: a page has fifty of them, of which each frame adds one."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.live.change_log import ChangeLine, FieldLine

register = template.Library()

KEPT = 2_000
"""Lines whose HTML is kept: none ever changes."""


@register.simple_tag
def change_lines(lines: Iterable[ChangeLine], view: str) -> SafeString:
    """A `<li>` for each, every text in it escaped; `view` is the id of the view that they are of."""
    return mark_safe("".join(_line(line, view) for line in lines))  # noqa: S308 -- _line escapes


@lru_cache(maxsize=KEPT)
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
