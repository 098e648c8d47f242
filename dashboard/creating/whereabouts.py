"""In which namespace a new object begins, where its page's address leaves that open."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from django.http import HttpRequest

from dashboard.access.rights import Right
from dashboard.live.context import LiveParts
from dashboard.resources.kinds import KindInfo
from dashboard.resources.namespaces import namespace_names

AMONG = "among"
"""In the address: the namespaces of the list from which somebody comes, with commas between them."""
MOST = 300
"""Namespaces that are offered."""
ASKED = 8
"""Namespaces of which it is asked whether the person may make one there."""
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where it begins, and where else it may go."""

    namespace: str
    choices: tuple[str, ...] = ()
    """Those of the list first."""
    listed: tuple[str, ...] = ()
    """Those that the list showed."""
    denied: str = ""
    """Why it may not be made there, nor in the others that were asked about."""


def valid_namespace(name: str) -> str:
    """The name, where it can be one; else empty."""
    return name if _NAMESPACE.fullmatch(name) else ""


def choices_of(live: LiveParts, listed: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The namespaces that are known, those that were listed first."""
    return tuple(dict.fromkeys((*listed, *namespace_names(live))))[:MOST]


async def whereabouts(live: LiveParts, kind: KindInfo, request: HttpRequest) -> Whereabouts:
    """The first of the list's, or else ``default`` or the first of all, in which the person may make one."""
    named = request.GET.get(AMONG, "").split(",")[:MOST]
    listed = tuple(dict.fromkeys(name for name in named if valid_namespace(name)))
    choices = choices_of(live, listed)
    wanted = (listed or tuple(dict.fromkeys(("default", *choices))))[:ASKED]
    first, *others = wanted
    denied = await _denial(live, kind, first)
    if not denied:
        return Whereabouts(first, choices, listed)
    answers = await asyncio.gather(*(_denial(live, kind, name) for name in others))
    allowed = next((name for name, words in zip(others, answers, strict=True) if not words), "")
    return Whereabouts(allowed or first, choices, listed, "" if allowed else denied)


async def _denial(live: LiveParts, kind: KindInfo, namespace: str) -> str:
    return await live.rights.denial(Right("create", kind.resource, namespace))
