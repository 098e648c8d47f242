"""The pods whose logs a page shows: one pod, those that an object selects or owns, or those of a list's filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from heapq import nsmallest
from typing import Any

from dashboard.live.hub.hub import Hub
from dashboard.live.index.result_set import ResultSet
from dashboard.live.replication.replica_change import Change
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import list_columns
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import ColumnTerm, LabelTerm, Term
from dashboard.objects.query.wildcard import Pattern
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.details.owner_graph import OwnerGraph
from dashboard.pages.logs.query import chooses_pod

MAX_PODS = 100
"""Most pods that are looked at, the newest: each is decoded whenever one of them has changed."""


NEWEST_FIRST = ("age", False)
"""A list's order."""


class PodsOf:
    """The pods of one object, as they come and go. `on_change` is called when they have changed.

    The pods of an object with a label selector (Deployment, Job, Service …) are those that it selects, those of any
    other one are those that it owns, or that what it owns owns. `pod_names` chooses some of them, by name or
    namespace/name; empty means all.
    """

    def __init__(
        self,
        hub: Hub,
        kind: KindInfo,
        namespace: str,
        name: str,
        on_change: Callable[[], None],
        pod_names: tuple[str, ...] = (),
    ) -> None:
        self.kind, self.namespace, self.name = kind, namespace, name
        self._hub = hub
        self._replica = hub.hub_kinds.replica(kind.key)
        self._on_change = on_change
        self._pod_names = pod_names
        self._graph: OwnerGraph | None = None
        self._listed: ListedPods | None = None
        self._selected: Any = None
        """The selector of `_listed`."""
        self.subject: Row | None = None
        """The object's newest row; None where it was never seen."""
        self.exists = False
        self._follow()

    @property
    def is_searching(self) -> bool:
        """Whether more pods may be found in a moment."""
        if self._graph is not None:
            return self._graph.is_searching
        return self._listed is not None and self._listed.is_searching

    @property
    def more_pods(self) -> int:
        """Number of pods that `rows` leaves out."""
        return self._listed.more_pods if self._listed is not None else max(0, len(self._owned()) - MAX_PODS)

    def rows(self) -> list[Row]:
        """The pods that exist now, the newest first, MAX_PODS at most."""
        if self.kind.key == PODS:
            return [self.subject] if self.subject is not None and self.exists else []
        if self._listed is not None:
            return self._listed.rows()
        return newest_first(self._owned())

    def apply(self, key: str, change: Change) -> None:
        """Take in a change of rows of the kind `key`."""
        if key == self.kind.key and any(self._is_subject(row) for pair in change.rows for row in pair):
            self._follow()
            self._on_change()
        if self._listed is None and self._graph is not None and self._graph.apply(key, change):
            self._on_change()

    def close(self) -> None:
        if self._listed is not None:
            self._listed.close()

    def _owned(self) -> list[Row]:
        if self._graph is None:
            return []
        pods = [row for kind, row in self._graph.descendants if kind.key == PODS]
        return [row for row in pods if chooses_pod(self._pod_names, row.namespace, row.name)]

    def _is_subject(self, row: Row | None) -> bool:
        return row is not None and row.name == self.name and row.namespace == self.namespace

    def _follow(self) -> None:
        row = self._replica.get(self.namespace, self.name)
        self.exists = row is not None
        if row is None:
            return
        before, self.subject = self.subject, row
        if self.kind.key == PODS:
            return
        selector = as_map(row.decode_object().get("spec")).get("selector")
        terms = selector_terms(selector)
        if terms is not None:
            if selector != self._selected:
                self._selected = selector
                self._list(terms)
        elif self._graph is None or before is None or before.uid != row.uid:
            self._graph = OwnerGraph(self._hub.hub_kinds.with_replicas, self._hub.index.slices.add)
            self._graph.on_found = self._on_change
            self._graph.follow(self.kind, row)

    def _list(self, terms: tuple[Term, ...]) -> None:
        if self._listed is not None:
            self._listed.close()
        namespaces = (self.namespace,) if self.namespace else ()
        query = Query(key=PODS).with_(namespaces=namespaces, terms=terms)
        self._listed = ListedPods(self._hub, query, self._on_change, self._pod_names)


class ListedPods:
    """The pods of a list's query; of these, only those that `pod_names` chooses, where it is not empty."""

    subject: Row | None = None
    exists = True

    def __init__(self, hub: Hub, query: Query, on_change: Callable[[], None], pod_names: tuple[str, ...] = ()) -> None:
        kind = find_kind(PODS, hub.kinds)
        if kind is None:
            raise KeyError(PODS)
        named = (_name_term(pod_names),) if pod_names else ()
        namespaces = _namespaces(query.namespaces, pod_names)
        self.query = query = query.with_(sort=NEWEST_FIRST, terms=(*query.terms, *named), namespaces=namespaces)
        self._on_change = on_change
        self._pod_names = pod_names
        self._result: ResultSet = hub.index.open_result(kind, query)
        self._result.listeners[self] = self._changed

    @property
    def is_searching(self) -> bool:
        return not self._result.ready

    @property
    def total(self) -> int:
        return len(self._result) if self._result.ready else 0

    @property
    def more_pods(self) -> int:
        """Number of pods that `rows` leaves out."""
        return max(0, self.total - MAX_PODS)

    def rows(self) -> list[Row]:
        rows = self._result.rows
        listed = [rows[uid] for uid in self._result.window(0, MAX_PODS) if uid in rows]
        return [row for row in listed if chooses_pod(self._pod_names, row.namespace, row.name)]

    def apply(self, key: str, change: Change) -> None:
        """Nothing: the result tells of changes."""

    def close(self) -> None:
        self._result.listeners.pop(self, None)

    def _changed(self, changed: set[str], gone: set[str]) -> None:  # noqa: ARG002 -- whichever they are
        self._on_change()


def newest_first(rows: Iterable[Row]) -> list[Row]:
    """The newest MAX_PODS of these."""
    return nsmallest(MAX_PODS, rows, key=lambda row: (-(row.created or 0.0), row.key))


def selector_terms(selector: Any) -> tuple[Term, ...] | None:
    """The filter of the pods that a label selector, or a Service's map of labels, selects; None where it is none, or
    selects by what a filter cannot say.
    """
    if not isinstance(selector, Mapping) or not selector:
        return None
    if not {"matchLabels", "matchExpressions"} & selector.keys():
        return tuple(_label(name, (as_text(value),)) for name, value in selector.items())
    terms = [_label(name, (as_text(value),)) for name, value in as_map(selector.get("matchLabels")).items()]
    for entry in as_maps(selector.get("matchExpressions")):
        key, operator, values = as_text(entry.get("key")), entry.get("operator"), tuple(as_texts(entry.get("values")))
        if operator in ("In", "NotIn"):
            terms.append(_label(key, values, negative=operator == "NotIn"))
        elif operator in ("Exists", "DoesNotExist"):
            terms.append(LabelTerm(key, None, operator == "DoesNotExist"))
        else:
            return None
    return tuple(terms) or None


def _name_term(names: tuple[str, ...]) -> Term:
    """The filter of the pods with one of these names, whatever their namespaces."""
    index = next(index for index, column in list_columns(PODS) if column.id == "name")
    return ColumnTerm("name", index, "text", "=", _patterns({name.rpartition("/")[2] for name in names}))


def _namespaces(chosen: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the chosen namespaces (empty: all) that these pods may be in."""
    named = {name.rpartition("/")[0] for name in names}
    if not named or "" in named:
        return chosen
    return tuple(sorted(named.intersection(chosen) if chosen else named)) or chosen


def _patterns(texts: Collection[str]) -> tuple[Pattern, ...]:
    return tuple(sorted((Pattern((text,)) for text in texts), key=lambda each: each.pieces))


def _label(name: str, values: tuple[str, ...], *, negative: bool = False) -> LabelTerm:
    return LabelTerm(name, _patterns(values), negative)
