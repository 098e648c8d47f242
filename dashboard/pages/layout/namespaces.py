"""Namespaces of the cluster, and the namespace picker of the header."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.hub.namespace_limits import NamespaceLimit, joint_limit, limit_of
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
    limited_to: int | None = None
    """Number of namespaces that are listed, where these are not all."""

    @property
    def omitted_count(self) -> int:
        """Number of namespaces that are not in `choices`."""
        return self.total - len(self.choices)


def namespace_picker(
    state: AppState, selected: tuple[str, ...], hrefs: HrefBuilder, key: str = ""
) -> NamespacePicker | None:
    """The namespace picker of a page, of the kind `key` or, empty, of several; None where no namespaces are known and
    none is chosen.

    Where only some namespaces are listed, it offers exactly these.
    """
    limit, names = namespace_limit(state, key), _known_names(state, key)
    if not selected and not names and limit is None and not is_followed(state, "namespaces"):
        return None
    others = nsmallest(MAX_CHOICES - len(selected), names.difference(selected))  # of thousands: sorting is slower
    offered = [*sorted(selected), *others]
    parts = urlsplit(hrefs(()))
    return NamespacePicker(
        all_href=hrefs(()),
        path=parts.path,
        hidden_inputs=tuple(parse_qsl(parts.query)),
        choices=tuple(Link(name, hrefs((name,)), name in selected) for name in offered),
        total=len(names.union(selected)),
        limited_to=len(limit.namespaces) if limit is not None and not limit.is_partial else None,
    )


def namespace_limit(state: AppState, key: str = "") -> NamespaceLimit | None:
    """The namespaces in which the kind `key` or, empty, the followed kinds are listed; None where that is in all."""
    replicas = {kind.key: state[REPLICAS].get(kind.key) for kind in state[REPLICAS].kinds}
    own = limit_of(replicas[key].health) if key in replicas else None
    return own or joint_limit([kind for kind in state[REPLICAS].kinds if not key or kind.key == key], replicas)


def is_outside_limit(state: AppState, namespace: str, key: str = "") -> bool:
    """Whether Deltaboard's account does not see this namespace, as far as is known."""
    limit = namespace_limit(state, key)
    return bool(namespace) and limit is not None and not limit.is_partial and namespace not in limit.namespaces


def namespace_names(state: AppState, key: str = "") -> list[str]:
    """The namespaces in which the kind `key` or, empty, the followed kinds are listed, sorted: by default those of the
    cluster that may be seen, and those in which whoever asks has rights; empty while they are unknown or not watched.
    """
    return sorted(_known_names(state, key))


def _known_names(state: AppState, key: str) -> set[str]:
    limit = namespace_limit(state, key)
    if limit is not None and not limit.is_partial:
        return set(limit.namespaces)
    names = set(state[RIGHTS].by_namespace)
    if is_followed(state, "namespaces"):
        names.update([row.name for row in state[REPLICAS].get("namespaces").rows.values()])
    return names


def unknown_namespaces(state: AppState, selected: tuple[str, ...], key: str = "") -> list[tuple[str, str]]:
    """The namespaces of `selected` that do not exist, each with a sentence that says so and lists the existing ones;
    where only some namespaces are listed, those that are not: whether they exist is not said.
    """
    limit = namespace_limit(state, key)
    if limit is not None and not limit.is_partial and state[RIGHTS].sees_all:
        return [(name, unseen_text(name, limit)) for name in selected if name not in limit.namespaces]
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


def unseen_text(namespace: str, limit: NamespaceLimit) -> str:
    """The sentence for a namespace that is not listed."""
    seen = f" It sees {limit.names_text}." if limit.namespaces else ""
    return f"Deltaboard's account does not see the namespace {namespace}.{seen}"


@require_safe
async def namespaces_json(request: HttpRequest) -> JsonResponse:
    """The names of all namespaces, for page/namespaces.js."""
    return JsonResponse({"names": namespace_names(state_of(request))}, headers={"Cache-Control": "no-store"})
