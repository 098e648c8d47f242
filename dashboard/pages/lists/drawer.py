"""Drawer of a list: the object that its address opens beside it (``open=``), on one of its tabs (``tab=``)."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from dashboard.live.hub.hub import HUB
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.query.params import read_open
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.pages.details.live_detail import LiveDetail, open_detail
from dashboard.pages.logs.live_logs import LiveLogs
from dashboard.pages.logs.object_or_list import open_object_logs
from dashboard.pages.logs.page_context import logs_context
from dashboard.runtime.app_state import AppState
from dashboard.runtime.text_with_links import object_href

LOGS_TAB = "logs"
"""The tab of the logs of an object's pods. The other one, its overview, has no name."""


@dataclass(frozen=True, slots=True)
class OpenObject:
    """The object that an address opens beside its list, and on which tab."""

    kind: KindInfo
    namespace: str
    name: str
    tab: str = ""

    @property
    def shows_logs(self) -> bool:
        return self.tab == LOGS_TAB

    @property
    def param(self) -> str:
        """Its value of ``open=``."""
        return f"{self.namespace or '-'}/{self.name}"

    @property
    def page_href(self) -> str:
        """Address of the page that shows the same as the tab, and more."""
        href = object_href(self.kind.key, self.namespace, self.name)
        return f"{href}logs/" if self.shows_logs else href


@dataclass(frozen=True, slots=True)
class Drawer:
    """Value of ``drawer`` in lists/_drawer.html."""

    opened: OpenObject
    view: LiveDetail | LiveLogs
    close_href: str
    """Address of the list alone."""
    overview_href: str
    logs_href: str
    """Addresses of the list with the drawer on each tab."""

    @property
    def logs(self) -> dict[str, object] | None:
        """What logs/_tab.html shows, on that tab."""
        return logs_context(self.view, self.view.query) if isinstance(self.view, LiveLogs) else None


def read_open_object(params: QueryDict, kind: KindInfo, problems: list[QueryProblem]) -> OpenObject | None:
    """The object that the address opens; None where it opens none. Mistakes are added to `problems`."""
    found = read_open(params, kind.namespaced, kind.title, problems)
    if found is None:
        return None
    tab = params.get("tab", "")
    if tab not in ("", LOGS_TAB):
        problems.append(
            QueryProblem("tab", 0, len(tab), f"There is no tab {tab[:60]!r}. Write {LOGS_TAB}, or nothing.")
        )
        tab = ""
    return OpenObject(kind, *found, tab)


def open_tab(state: AppState, opened: OpenObject, paths: tuple[FieldPath, ...]) -> LiveDetail | LiveLogs:
    """The view of the open tab; `paths` are the list's path columns. Raises KeyError where logs are to be shown, and
    pods are not followed.
    """
    if opened.shows_logs:
        return open_logs_tab(state, opened)
    view = open_detail(state[HUB], opened.kind, opened.namespace, opened.name, paths)
    view.read_recorded(open_recorded_feed(state[HUB], state[HISTORY]))
    return view


def open_logs_tab(state: AppState, opened: OpenObject) -> LiveLogs:
    """The view of the logs that the page of logs shows, too. Raises KeyError where pods are not followed."""
    return open_object_logs(state, opened.kind, opened.namespace, opened.name, QueryDict())


def open_drawer(state: AppState, opened: OpenObject, paths: tuple[FieldPath, ...], params: QueryDict) -> Drawer:
    """The drawer as the page with these parameters shows it. Raises as `open_tab`."""
    return Drawer(
        opened,
        open_tab(state, opened, paths),
        close_href=_list_href(opened, params),
        overview_href=_list_href(opened, params, open=opened.param),
        logs_href=_list_href(opened, params, open=opened.param, tab=LOGS_TAB),
    )


def _list_href(opened: OpenObject, params: QueryDict, **changed: str) -> str:
    """Address of the list in its present state, with these parameters in place of the drawer's."""
    kept = params.copy()
    for name in ("open", "tab"):
        kept.pop(name, None)
    kept.update(changed)
    return f"{opened.kind.path}?{kept.urlencode(safe='/')}" if kept else opened.kind.path
