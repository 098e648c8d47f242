"""Template tag that says whether Deltaboard is read-only, for pages and for the parts that live updates render."""

from __future__ import annotations

from django import template

from dashboard.runtime import read_only
from dashboard.runtime.read_only import is_read_only

register = template.Library()

register.simple_tag(is_read_only, name="read_only")
register.simple_tag(read_only.is_past_shown, name="past_shown")


@register.simple_tag
def read_only_sentences() -> str:
    """That Deltaboard is read-only, and who can change that."""
    return ". ".join(read_only.read_only_sentences())
