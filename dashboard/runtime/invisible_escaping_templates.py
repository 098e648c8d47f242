"""Django template engine that escapes invisible characters in its output, so that no page has to think of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString, mark_safe

from dashboard.runtime.invisible_characters import escape_invisible_in_html

if TYPE_CHECKING:
    from django.http import HttpRequest


class VisibleTemplate(Template):
    """A template whose texts, when rendered, have no invisible character."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        return mark_safe(escape_invisible_in_html(super().render(context, request)))  # noqa: S308 -- escaped before


class VisibleTemplates(DjangoTemplates):
    """Django's engine with `VisibleTemplate`: for pages, and for the parts that go to sockets."""

    def get_template(self, template_name: str) -> VisibleTemplate:
        return VisibleTemplate(super().get_template(template_name).template, self)

    def from_string(self, template_code: str) -> VisibleTemplate:
        return VisibleTemplate(super().from_string(template_code).template, self)
