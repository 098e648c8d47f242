"""What a page of logs is about, by its address: an object with pods, or the pods of a list."""

from __future__ import annotations

from collections.abc import Callable

from django.http import QueryDict

from dashboard.live.hub.hub import HUB, Hub
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.logs.chosen_pods import ListedPods, PodsOf
from dashboard.pages.logs.live_logs import ChosenPods, LiveLogs, open_logs
from dashboard.pages.logs.log_subject import LogSubject
from dashboard.pages.logs.query import LogsQuery
from dashboard.runtime.app_state import AppState
from dashboard.runtime.text_with_links import object_href

SELECTION_PATH = "/logs/"
LINES_PARAM = "find"
"""The parameter of the line filter, where ``q`` is the filter of the list."""

PodsMaker = Callable[[Hub, Callable[[], None]], ChosenPods]


def open_object_logs(state: AppState, kind: KindInfo, namespace: str, name: str, params: QueryDict) -> LiveLogs:
    """The logs of one object's pods. Raises KeyError where pods, or its kind, are not followed."""
    query = LogsQuery.parse(params)
    return open_logs(
        state, object_subject(kind, namespace, name), query, object_pods(kind, namespace, name, query.pods)
    )


def open_selection_logs(state: AppState, params: QueryDict) -> LiveLogs:
    """The logs of the pods that a list's filter matches. Raises KeyError where pods are not followed."""
    query, lines = selection_query(state, params), LogsQuery.parse(params, LINES_PARAM)
    return open_logs(state, selection_subject(query), lines, selection_pods(query, lines.pods))


def object_subject(kind: KindInfo, namespace: str, name: str) -> LogSubject:
    href = object_href(kind.key, namespace, name)
    return LogSubject(name, f"{href}logs/", href, kind, namespace, name)


def object_pods(kind: KindInfo, namespace: str, name: str, pod_names: tuple[str, ...]) -> PodsMaker:
    return lambda hub, changed: PodsOf(hub, kind, namespace, name, changed, pod_names)


def selection_query(state: AppState, params: QueryDict) -> Query:
    """The list's query: its filter and namespaces."""
    pods = next(kind for kind, _ in state[HUB].hub_kinds.with_replicas() if kind.key == PODS)
    query = Query.parse(params, PODS).with_(columns=(), sort=("", False))
    return state[HUB].fit_query(pods, query)


def selection_subject(query: Query) -> LogSubject:
    encoded = query.query_string()
    return LogSubject(
        _selection_title(query), f"{SELECTION_PATH}?{encoded}" if encoded else SELECTION_PATH, query.href()
    )


def selection_pods(query: Query, pod_names: tuple[str, ...]) -> PodsMaker:
    return lambda hub, changed: ListedPods(hub, query, changed, pod_names)


def _selection_title(query: Query) -> str:
    where = f" in {', '.join(query.namespaces)}" if query.namespaces else ""
    return f"Pods{where}" + (f": {query.canonical}" if query.canonical else "")
