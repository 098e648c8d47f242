"""Template tags for changed fields and the lines of a diff, written in Python because an object may have 100,000."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.templatetags.deltaboard import path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.template import Context

    from dashboard.objects.merge.diff import Change, Line

register = template.Library()

_SIGNS = {"add": "+", "del": "\N{MINUS SIGN}"}
_BY_SERVER = ' <span class="label">set by the API server</span>'


@register.simple_tag(takes_context=True)
def change_items(context: Context, changes: Iterable[Change] | None) -> SafeString:
    """A `<li>` for each changed field, every text in it escaped; the context's `none` where there is no change."""
    none = context.get("none") or "Nothing."
    html = "".join(map(_change, changes or ())) or f'<li class="none">{escape(str(none))}</li>'
    return mark_safe(html)  # noqa: S308 -- escaped


def _change(change: Change) -> str:
    was, now = change.texts
    before = f"<del>{escape(was)}</del>" if was else ""
    arrow = " → " if was and now else ""
    after = f"<ins>{escape(now)}</ins>" if now else ' <span class="dim">removed</span>'
    new = "" if was else ' <span class="dim">new</span>'
    by_server = _BY_SERVER if change.by_server else ""
    return (
        f'<li class="edit-change"><code>{path(change.field)}</code>'
        f"<span>{before}{arrow}{after}{new}{by_server}</span></li>"
    )


@register.simple_tag
def difference(lines: Iterable[Line] | None) -> SafeString:
    """The lines of a diff for a `<pre>` element, every text in them escaped."""
    return mark_safe("".join(map(_line, lines or ())))  # noqa: S308 -- _line escapes


def _line(line: Line) -> str:
    text = escape(line.text)
    if line.kind == "gap":
        return f'<span class="diff-gap">{text}\n</span>'
    return (
        f'<span class="diff-{line.kind}">'
        f'<span class="ln" aria-hidden="true">{line.was_number or ""}</span>'
        f'<span class="ln" aria-hidden="true">{line.now_number or ""}</span>'
        f'<span class="sign">{_SIGNS.get(line.kind, " ")}</span>'
        f"{text}{_BY_SERVER if line.by_server else ''}\n</span>"
    )
