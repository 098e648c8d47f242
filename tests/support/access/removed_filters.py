"""Deltaboards with one filter removed: what a page would be if somebody forgot it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from dashboard.access import rights
from dashboard.cluster.person_clients import PersonClients
from dashboard.live.object_counts.scoped_counts import ScopedObjectCounts
from dashboard.live.replication.scoped_history import ScopedHistory
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.scoped_replicas import ScopedReplicas, VisibleEvents, VisibleKind
from dashboard.live.replication.visible_rows import VisibleRows, VisibleUids
from dashboard.pages.bulk.request_context import RunRequest
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.delete import plan
from dashboard.pages.delete.dependents import SharedDependents, find_shared_dependents
from dashboard.pages.delete.descendants import ReplicaLookup
from dashboard.pages.layout import required_right
from dashboard.pages.writes.target import Target
from dashboard.server.wiring.web import WebProcess

Removal = Callable[[ExitStack, WebProcess], None]


def _method(owner: type, name: str, instead: Any) -> Removal:
    return lambda stack, _: stack.enter_context(patch.object(owner, name, instead)) and None


def _shared_state(*modules: str) -> Removal:
    """Views of these modules read what the account has, not the person's part."""

    def remove(stack: ExitStack, web: WebProcess) -> None:
        for name in modules:
            module = importlib.import_module(f"dashboard.pages.{name}")
            stack.enter_context(patch.object(module, "state_of", lambda _: web.state))

    return remove


def _any_verb(stack: ExitStack, _: WebProcess) -> None:
    """A right to get shows all objects, too."""
    stack.enter_context(patch.object(rights, "LIST_VERBS", rights.READ_VERBS))


def _all_of(key: str) -> Removal:
    """Everybody sees all objects of a kind."""
    scope_of = rights.Rights.scope_of

    def everything(self: rights.Rights, asked: str) -> rights.KindScope:
        return rights.EVERYTHING if asked == key else scope_of(self, asked)

    return _method(rights.Rights, "scope_of", everything)


def _all_dependents(stack: ExitStack, web: WebProcess) -> None:
    """A deletion page that searches what the account has."""

    async def find_all(target: Target, uid: str, _: ReplicaLookup) -> SharedDependents:
        return await find_shared_dependents(target, uid, web.replicas)

    stack.enter_context(patch.object(plan, "find_shared_dependents", find_all))


def _may_get(self: rights.Rights, key: str, namespace: str, name: str) -> bool:
    """A right to get an object by its name shows this name."""
    return self.scope_of(key).includes(namespace, name) or self.allows("get", key, namespace, name)


async def _all_items(self: RunRequest) -> tuple[Item, ...]:
    return await self.app_state[BULK_RUNNER].store.items(self.run.key)


async def _no_denial(*_: object) -> str:
    return ""


def _any_role(stack: ExitStack, _: WebProcess) -> None:
    """Pages that need a role do not ask for it."""
    stack.enter_context(patch.object(required_right, "right_denial", _no_denial))


def _true(*_: object) -> bool:
    return True


def _sees_row_of_events(self: VisibleEvents, row: Any) -> bool:
    return VisibleKind.sees_row(self, row)


def _sees_entry_of_events(self: VisibleEvents, entry: Any) -> bool:
    return VisibleKind.sees_entry(self, entry)


_LISTS = ("list", "filtered list", "export", "matching", "details")
_FEED = ("feed", "feed of one object", "overview")
REMOVED: Mapping[str, tuple[Removal, tuple[str, ...]]] = MappingProxyType({
    "rows of a kind": (_method(VisibleKind, "sees_row", _true), _LISTS),
    "rows of all kinds": (_method(ScopedReplicas, "get", lambda self, key: self._base.get(key)), _LISTS),
    "number of rows": (_method(VisibleRows, "__len__", lambda self: len(self._rows)), ("list", "kinds")),
    "a row by its key": (
        _method(ScopedReplica, "get", lambda self, *key: self.base.get(*key)),
        ("details of a hidden object", "drawer", "YAML text"),
    ),
    "lines of the feed": (_method(VisibleKind, "sees_entry", _true), _FEED),
    "chunks of the history": (_method(ScopedHistory, "_visible", lambda _, chunk: chunk), _FEED),
    "Events by their subject": (_method(VisibleEvents, "sees_row", _sees_row_of_events), _LISTS),
    "lines of Events by their subject": (_method(VisibleEvents, "sees_entry", _sees_entry_of_events), _FEED),
    "verbs that list": (_any_verb, _LISTS),
    "namespaces": (_all_of("namespaces"), ("namespaces", "list", "overview", "completion of a namespace")),
    "nodes": (_all_of("nodes"), ("list", "details", "palette")),
    "object counts": (_method(ScopedObjectCounts, "_visible", lambda _, __, counted: counted), ("counts", "kinds")),
    "impersonation": (
        _method(PersonClients, "client_of", lambda self, _: self._client()),
        ("edit", "copy", "delete", "quick action"),
    ),
    "completion": (_shared_state("lists.completion.views"), ("completion", "completion of a namespace")),
    "palette": (_shared_state("layout.command_palette"), ("palette",)),
    "lists, drawers and exports": (_shared_state("lists.views"), ("list", "drawer", "export")),
    "selection": (_shared_state("lists.selection_views"), ("matching", "selection", "export of a selection")),
    "suggestions of 404 pages": (_shared_state("layout.not_found"), ("similar name", "name elsewhere")),
    "namespace list": (_shared_state("layout.namespaces"), ("namespaces",)),
    "navigation": (_shared_state("layout.kinds_sidebar"), ("kinds", "overview")),
    "details": (_shared_state("details.views"), ("details of a hidden object", "YAML text", "YAML page")),
    "feed": (_shared_state("feed.views"), _FEED),
    "overview": (_shared_state("overview.views"), ("overview",)),
    "edit pages": (_shared_state("writes.request_context"), ("edit", "delete", "quick action")),
    "bulk": (_shared_state("bulk.start_views"), ("bulk", "bulk of a selection")),
    "objects of runs": (
        _method(RunRequest, "items", _all_items),
        ("runs", "a run of somebody else", "results of a run of somebody else"),
    ),
    "row menu": (_shared_state("quick_actions.menu_views"), ("row menu",)),
    "roles of pages": (_any_role, ("controllers", "requeue")),
    "role of /metrics": (_method(rights.Rights, "allows_url", _true), ("metrics",)),
    "audit log": (_method(rights.Rights, "may_list", _may_get), ("values of a Secret", "audit", "export of the audit")),
    "dependents": (_all_dependents, ("deletion with dependents",)),
    "uids of owned objects": (
        _method(VisibleUids, "uids_of", lambda self, name: self._uids.uids_of(name)),
        ("deletion that waits",),
    ),
})  # fmt: skip
"""Each filter: how it is removed, and the visits (visits.VISITS) of which one must notice.

Owner graph, Events and deletions look up the row of each uid once more, because rows go while they work in slices:
`uids_of` alone guards what waits for orphans, which does not.
"""


@contextmanager
def removed(name: str, web: WebProcess) -> Iterator[None]:
    """A Deltaboard without one filter."""
    with ExitStack() as stack:
        REMOVED[name][0](stack, web)
        yield
