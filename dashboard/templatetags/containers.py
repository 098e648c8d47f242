"""Template tag for the containers of a pod or template, written in Python so that unchanged ones come from a cache."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.templatetags.deltaboard import count, sentence
from dashboard.templatetags.facts import facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.objects.describers.containers import ContainerLine

register = template.Library()

CACHE_SIZE = 1_000
"""Maximum number of containers whose HTML is cached, some kB each."""


@register.simple_tag
def container_lines(lines: Iterable[ContainerLine], view: str) -> SafeString:
    """A `<li>` for each container, every text in it escaped; `view` is the id of its view."""
    rendered = ((_render if line.is_large else _line)(line, view, number) for number, line in enumerate(lines, 1))
    return mark_safe("".join(rendered))  # noqa: S308 -- _render escapes


@lru_cache(maxsize=CACHE_SIZE)
def _line(line: ContainerLine, view: str, number: int) -> str:
    return _render(line, view, number)


def _render(line: ContainerLine, view: str, number: int) -> str:
    kind = f' <span class="label">{line.kind}</span>' if line.kind != "container" else ""
    icon = f'<svg class="i" aria-hidden="true"><use href="#i-{line.tone}"/></svg>'
    state = f'<span class="status {line.tone} push">{icon}{escape(line.state)}</span>' if line.state else ""
    setup = (
        f'<details class="fold"><summary>setup</summary><dl class="pairs setup" id="setup-{view}-{number}" data-part>'
        f"{facts(line.setup, view, number)}</dl></details>"
        if line.setup
        else ""
    )
    return (
        f'<li id="container-{view}-{number}" data-part>'
        f'<span class="line-head"><span class="mono name">{escape(line.name)}</span>{kind}{state}</span>'
        f'<small class="mono">{escape(line.image)}</small><small>{" · ".join(_fact_lines(line))}</small>'
        f"{''.join(f'<small>{sentence(fact)}</small>' for fact in line.facts)}{setup}</li>"
    )


def _fact_lines(line: ContainerLine) -> Iterable[str]:
    if line.restarts:
        yield f"restarted {count(line.restarts)} time{'' if line.restarts == 1 else 's'}"
    if line.since:
        since = escape(line.since)
        yield f'<time data-age="for" datetime="{since}">since {since}</time>'
    if line.resources:
        yield escape(line.resources)
