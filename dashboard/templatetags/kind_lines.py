"""Template tag for the kinds in the navigation, written in Python because a cluster may have hundreds on each page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.pages.layout.kinds_sidebar import KindItem

register = template.Library()


@register.simple_tag
def kind_lines(items: Iterable[KindItem], current: str) -> SafeString:
    """A line for each kind, every text in it escaped; `current` is the key of the page's kind."""
    return mark_safe("".join(_line(item, item.key == current) for item in items))  # noqa: S308 -- _line escapes


def _line(item: KindItem, is_current: bool) -> str:
    key, title = escape(item.key), escape(item.title)
    current = ' aria-current="page"' if is_current else ""
    return (
        f'<div class="kind-line" data-kind="{key}"{" data-pinned" if item.pinned else ""}'
        f"{' data-followed' if item.state else ''}"
        f"{_short_names(item)}"
        f"{'' if item.namespaced else ' data-cluster-wide'}>"
        f'<a href="{escape(item.href)}"{current}><svg class="i" aria-hidden="true"><use href="#i-{item.icon}"/></svg>'
        f'<span class="kind">{title}{_group(item)}</span>{_count(item, key)}</a></div>'
    )


def _short_names(item: KindItem) -> str:
    return f' data-short="{escape(" ".join(item.short_names))}"' if item.short_names else ""


def _group(item: KindItem) -> str:
    return f" <small>{escape(item.group).replace('.', '.<wbr>')}</small>" if item.group else ""


def _count(item: KindItem, key: str) -> str:
    number = "–" if item.count is None else f"{item.count:,}"
    classes = "count bad" if item.unhealthy_count else "count dated" if item.counted_at else "count"
    about = f' title="{escape(item.words)}"' if item.words else ""
    when = f'<time datetime="{item.counted_at}" title="UTC">{item.counted_at_clock}</time>' if item.counted_at else ""
    return f'<span class="{classes}"{about}><span data-count="{key}">{number}</span>{when}</span>'
