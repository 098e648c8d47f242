"""The cluster's namespaces: which there are, and the choice of some of them that the header offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.resources.link import Link

OFFERED = 100
"""Namespaces that a page offers by itself; of more namespaces.js gets the names when somebody wants to choose."""
NAMED = 20
"""Namespaces that a message names."""


class Hrefs(Protocol):
    """Gives the address of a page limited to namespaces."""

    def __call__(self, namespaces: tuple[str, ...], /) -> str: ...


@dataclass(frozen=True, slots=True)
class Picker:
    """What the header offers: one namespace by a link, several by a form, all of them again."""

    all_href: str
    path: str
    hidden: tuple[tuple[str, str], ...]
    """Names and values that the form has to carry along: what else the address says."""
    choices: tuple[Link, ...]
    """The chosen ones first, then the others by name, OFFERED at most."""
    total: int

    @property
    def left_out(self) -> int:
        """How many are not among `choices`."""
        return self.total - len(self.choices)


def namespace_picker(live: LiveParts, chosen: tuple[str, ...], hrefs: Hrefs) -> Picker | None:
    """The choice of namespaces for a page; None where nobody knows which there are, and none is chosen."""
    names = namespace_names(live)
    if not names and not chosen:
        return None
    offered = [*sorted(chosen), *(name for name in names if name not in chosen)][: max(OFFERED, len(chosen))]
    parts = urlsplit(hrefs(()))
    return Picker(
        all_href=hrefs(()),
        path=parts.path,
        hidden=tuple(parse_qsl(parts.query)),
        choices=tuple(Link(name, hrefs((name,)), name in chosen) for name in offered),
        total=len({*names, *chosen}),
    )


def namespace_names(live: LiveParts) -> list[str]:
    """The cluster's namespaces, sorted; empty while they are not known or not watched."""
    if not is_watched(live, "namespaces"):
        return []
    return sorted(row.name for row in live.replicas.get("namespaces").rows.values())


def unknown_namespaces(live: LiveParts, chosen: tuple[str, ...]) -> list[tuple[str, str]]:
    """Those of `chosen` that certainly do not exist, each with a sentence that says so and which do."""
    if not chosen or not is_watched(live, "namespaces"):
        return []
    replica = live.replicas.get("namespaces")
    if replica.state == "starting" or replica.health.state not in ("live", "stale", "absent"):
        return []
    names = namespace_names(live)
    known = set(names)
    there = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
    return [(name, f"There is no namespace {name}. There are {there}.") for name in chosen if name not in known]


def is_watched(live: LiveParts, key: str) -> bool:
    """Whether this dashboard follows kind `key`."""
    return any(kind.key == key for kind in live.kinds)


@require_safe
async def names(request: HttpRequest) -> JsonResponse:
    """The names of all namespaces, for namespaces.js."""
    return JsonResponse({"names": namespace_names(live_of(request))}, headers={"Cache-Control": "no-store"})
