"""Facts as pairs of a description list, made in Python: a pod has dozens, and each change of it makes them anew."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.templatetags.deltaboard import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.resources.facts.fact import Fact

register = template.Library()


@register.simple_tag
def facts(shown: Iterable[Fact], view: str, name: object) -> SafeString:
    """A `<dt>` and a `<dd>` for each, every text in them escaped; `name` is no other list's of that view."""
    pairs = (_pair(fact, f"fact-{view}-{name}-{number}") for number, fact in enumerate(shown, 1))
    return mark_safe("".join(pairs))  # noqa: S308 -- _pair escapes


def _pair(fact: Fact, name: str) -> str:
    lines = "".join(f"<span>{sentence(line)}</span>" for line in fact.lines)
    given, tone = ' class="mono"' if fact.given else "", f" {fact.tone}" if fact.tone else ""
    return f'<dt{given}>{escape(fact.name)}</dt><dd class="fact{tone}" id="{name}" data-part>{lines}</dd>'
