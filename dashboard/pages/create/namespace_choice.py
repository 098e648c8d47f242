"""Choice of the namespace of a new object: where the account may create, and the alternatives."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from django.http import HttpRequest

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.layout.namespaces import is_outside_limit, namespace_names
from dashboard.runtime.app_state import AppState

LISTED_NAMESPACES = "among"
"""Address parameter: the namespaces of the list that the user came from, separated by commas."""


MAX_CHOICES = 300
"""Most namespaces that are offered."""


MAX_REVIEWS = 8
"""Most namespaces whose create permission is asked for."""


_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class NamespaceChoice:
    """Start namespace of a new object, and the alternatives."""

    namespace: str
    choices: tuple[str, ...] = ()
    """Namespaces of the list first."""
    list_namespaces: tuple[str, ...] = ()
    """Namespaces of the list."""
    denial: str = ""
    """Why creation is denied there and in the other checked namespaces."""


def valid_namespace(name: str) -> str:
    """The name, where it is a valid one; else empty."""
    return name if _NAMESPACE.fullmatch(name) else ""


def namespace_choices(state: AppState, listed: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The known namespaces, those of the list first."""
    return tuple(dict.fromkeys((*listed, *namespace_names(state))))[:MAX_CHOICES]


async def choose_namespace(state: AppState, kind: KindInfo, request: HttpRequest) -> NamespaceChoice:
    """The first namespace with permission to create: of the list, or else ``default`` or the first of all."""
    named = request.GET.get(LISTED_NAMESPACES, "").split(",")[:MAX_CHOICES]
    listed = tuple(dict.fromkeys(name for name in named if valid_namespace(name)))
    choices = namespace_choices(state, listed)
    usual = () if is_outside_limit(state, "default") else ("default",)
    wanted = (listed or tuple(dict.fromkeys((*usual, *choices))) or ("default",))[:MAX_REVIEWS]
    first, *others = wanted
    denial = await _denial(state, kind, first)
    if not denial:
        return NamespaceChoice(first, choices, listed)
    answers = await asyncio.gather(*(_denial(state, kind, name) for name in others))
    allowed = next((name for name, words in zip(others, answers, strict=True) if not words), "")
    return NamespaceChoice(allowed or first, choices, listed, "" if allowed else denial)


async def _denial(state: AppState, kind: KindInfo, namespace: str) -> str:
    return await state[ACCESS_REVIEWS].denial(ResourceAttributes("create", kind.resource, namespace))
