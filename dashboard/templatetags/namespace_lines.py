"""Template tag for the namespaces in the selection list, written in Python for the same speed as kind_lines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runtime.text_with_links import Link

register = template.Library()


@register.simple_tag
def namespace_lines(choices: Iterable[Link]) -> SafeString:
    """A line for each namespace: a checkbox to select several, and a link to this one alone. Every text is escaped."""
    return mark_safe("".join(map(_line, choices)))  # noqa: S308 -- _line escapes


def _line(choice: Link) -> str:
    name, checked, current = escape(choice.words), " checked" if choice.current else "", ""
    if choice.current:
        current = ' aria-current="true"'
    return (
        f'<li><input type="checkbox" name="namespace" value="{name}" aria-label="{name} too"{checked}>'
        f'<a href="{escape(choice.href)}"{current}>{name}</a></li>'
    )
