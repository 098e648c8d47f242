"""Namespaces of the cluster, and the namespace picker of the header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.replication.replicas import REPLICAS
from dashboard.pages.layout.requested_kind import is_followed
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.text_with_links import Link

MAX_CHOICES = 100
"""Namespaces that a page lists; page/namespaces.js fetches all when the picker is opened."""
MAX_NAMED = 20
"""Namespaces that a message names."""


class HrefBuilder(Protocol):
    """Returns the address of a page limited to namespaces."""

    def __call__(self, namespaces: tuple[str, ...], /) -> str: ...


@dataclass(frozen=True, slots=True)
class NamespacePicker:
    """The namespace picker: one namespace by a link, several by a form, or all."""

    all_href: str
    path: str
    hidden_inputs: tuple[tuple[str, str], ...]
    """Names and values of the form's hidden fields: the other parameters of the address."""
    choices: tuple[Link, ...]
    """The chosen ones first, then the others by name, MAX_CHOICES at most."""
    total: int

    @property
    def omitted_count(self) -> int:
        """Number of namespaces that are not in `choices`."""
        return self.total - len(self.choices)


def namespace_picker(state: AppState, selected: tuple[str, ...], hrefs: HrefBuilder) -> NamespacePicker | None:
    """The namespace picker of a page; None where no namespaces are known and none is chosen."""
    names = namespace_names(state)
    if not selected and not names and not is_followed(state, "namespaces"):
        return None
    offered = [*sorted(selected), *(name for name in names if name not in selected)][: max(MAX_CHOICES, len(selected))]
    parts = urlsplit(hrefs(()))
    return NamespacePicker(
        all_href=hrefs(()),
        path=parts.path,
        hidden_inputs=tuple(parse_qsl(parts.query)),
        choices=tuple(Link(name, hrefs((name,)), name in selected) for name in offered),
        total=len({*names, *selected}),
    )


def namespace_names(state: AppState) -> list[str]:
    """The namespaces that may be seen, and those in which whoever asks has rights; sorted. Empty while they are unknown
    or not watched.
    """
    names = set(state[RIGHTS].by_namespace)
    if is_followed(state, "namespaces"):
        names.update(row.name for row in state[REPLICAS].get("namespaces").rows.values())
    return sorted(names)


def unknown_namespaces(state: AppState, selected: tuple[str, ...]) -> list[tuple[str, str]]:
    """The namespaces of `selected` that do not exist, each with a sentence that says so and lists the existing ones."""
    if not selected or not is_followed(state, "namespaces"):
        return []
    replica = state[REPLICAS].get("namespaces")
    if replica.state == "starting" or replica.health.state not in ("live", "stale", "absent"):
        return []
    names = namespace_names(state)
    known = set(names)
    there = ", ".join(names[:MAX_NAMED]) + (f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else "")
    if state[RIGHTS].sees_all:
        return [
            (name, f"There is no namespace {name}. Existing namespaces: {there}.")
            for name in selected
            if name not in known
        ]
    others = f" Others: {there}." if there else ""
    return [
        (name, f"There is no namespace {name}, or you may not see it.{others}")
        for name in selected
        if name not in known
    ]


@require_safe
async def namespaces_json(request: HttpRequest) -> JsonResponse:
    """The names of all namespaces, for page/namespaces.js."""
    return JsonResponse({"names": namespace_names(state_of(request))}, headers={"Cache-Control": "no-store"})
