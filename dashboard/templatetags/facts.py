"""Template tag for facts as a description list, written in Python because each change of a pod renders dozens."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.templatetags.deltaboard import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.objects.describers.fact import Fact

register = template.Library()


@register.simple_tag
def facts(sections_facts: Iterable[Fact], view: str, name: object) -> SafeString:
    """A `<dt>` and a `<dd>` for each fact, every text escaped; `name` is unique among the lists of the view."""
    pairs = (_pair(fact, f"fact-{view}-{name}-{number}") for number, fact in enumerate(sections_facts, 1))
    return mark_safe("".join(pairs))  # noqa: S308 -- _pair escapes


def _pair(fact: Fact, name: str) -> str:
    lines = "".join(f"<span>{sentence(line)}</span>" for line in fact.lines)
    name_class, tone = ' class="mono"' if fact.is_user_named else "", f" {fact.tone}" if fact.tone else ""
    return f'<dt{name_class}>{escape(fact.name)}</dt><dd class="fact{tone}" id="{name}" data-part>{lines}</dd>'
