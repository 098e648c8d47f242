"""Template tag for the cells of a list's rows, written in Python because a template takes ten times as long."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.health.status_words import MAX_REASON, unsaid_reason
from dashboard.objects.usage.usage import share_text

if TYPE_CHECKING:
    from dashboard.live.rendering.cells import CellText, RowLine

register = template.Library()

DASH = "–"
_MISSING = (None, "")
NEARLY_ALL, TIGHT = 0.8, 0.95
"""Shares from which on a bar is marked."""
TONES = frozenset({"ok", "busy", "warn", "bad", "idle"})


@register.simple_tag
def cells(line: RowLine) -> SafeString:
    """The `<td>` elements of `lists/_row.html`, every text in them escaped."""
    return mark_safe("".join(_cell(line, cell) for cell in line.cells))  # noqa: S308 -- _cell escapes


def _cell(line: RowLine, cell: CellText) -> str:
    begin = _begin(
        cell.column,
        cell.header if cell.column == "path" else "",
        cell.kind,
        cell.numeric,
        cell.wide,
        cell.value in _MISSING,
        cell.field,
    )
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    return f"{begin}{title}>{_content(line, cell)}</td>"


def _content(line: RowLine, cell: CellText) -> str:
    text = escape(cell.text)
    if cell.column == "name":
        return f'<a href="{escape(line.href)}">{text}</a>'
    if cell.kind == "status" and cell.text != DASH:
        tone = line.row.tone if line.row.tone in TONES else "idle"
        icon = f'<svg class="i" aria-hidden="true"><use href="#i-{tone}"/></svg>'
        reason, unsaid = line.row.reason, unsaid_reason(cell.text, tone, line.row.reason)
        title = f' title="{escape(reason)}"' if reason else ""
        beside = f' <small class="why"{title}>{escape(limit_text(unsaid, MAX_REASON))}</small>' if unsaid else ""
        return f'<span class="status {tone}"{title if not unsaid else ""}>{icon}{text}</span>{beside}'
    if cell.kind == "usage":
        measured = f"<small>{cell.measured}</small> " if cell.measured else ""
        if cell.share is None:
            return f"{measured}{text}"
        return f'<span class="used">{_share(cell.share, cell.text)}{measured}{text}</span>'
    if cell.datetime:
        return f'<time data-age="object" datetime="{escape(cell.datetime)}">{text}</time>'
    return f"{text} <small>{escape(cell.group)}</small>" if cell.group else text


def _share(share: float, amount: str) -> str:
    """A bar as wide as the part of what may be used, and the share, unless that is the `amount` beside it. More than
    all is as wide as all.
    """
    tone = "bad" if share >= TIGHT else "warn" if share >= NEARLY_ALL else "ok"
    words = share_text(share)
    width = f"{min(max(share, 0.0), 1.0) * 100:.0f}"
    return (
        f'<small class="share"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="6"/><rect class="f-{tone}" width="{width}" height="6"/></svg>'
        f"{'' if words == amount else words}</small> "
    )


@lru_cache(maxsize=2048)
def _begin(column: str, path: str, kind: str, numeric: bool, wide: bool, nothing: bool, field: str) -> str:
    classes = [f"c-{column}", f"k-{kind}"]
    classes += [name for name, wanted in (("n", numeric), ("wide", wide), ("none", nothing)) if wanted]
    label = f' data-label="{escape(path or column)}"' if path or kind in {"number", "duration", "usage"} else ""
    place = f' data-field="{escape(field)}"' if field else ""
    return f'<td class="{escape(" ".join(classes))}"{label}{place}'
