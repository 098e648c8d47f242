"""View of a list: one kind, filtered, sorted and cut to a window of rows.

Templates see it as ``view``. Ids that frames aim at: ``#list`` carries data-view and data-seq; ``#total-<view.id>``
(lists/_total.html, root element), ``#new-<view.id>`` (_new_button.html, root element), ``tbody#rows-<view.id>``
(_row.html for each line, which sees ``line``), and the contents of ``#facets-<view.id>`` (_facets.html),
``#pager-<view.id>`` (_pager.html), ``#empty-<view.id>`` (_empty.html) and ``#notes-<view.id>`` (_notes.html).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import ClassVar
from urllib.parse import quote, urlencode

from django.conf import settings

from dashboard.cluster.access_reviews import DenialLookup, allow_all
from dashboard.live.hub.freshness import ListedNote, listed_note
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.namespace_limits import NamespaceLimit, limit_of
from dashboard.live.index.result_set import ResultSet
from dashboard.live.index.usage_lookup import NO_USAGE, PollTimes, UsageLookup
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.rendering.cells import ColumnHeader, RowLine, has_usage, row_line
from dashboard.live.rendering.charts import BarSegment, bar_segments, tone_counts
from dashboard.live.rendering.hx_partials import hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.messages import NOT_FOLLOWED
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.quick_actions import QuickAction, quick_actions_of
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers import USAGE_KINDS
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import WordTerm
from dashboard.objects.usage.usage import Usage
from dashboard.pages.lists.create_permission import CreatePermission
from dashboard.pages.lists.facets import Facet, facets_of
from dashboard.pages.lists.no_match_suggestions import (
    Alternative,
    Suggester,
    Suggestion,
    UnknownPath,
    find_unknown_paths,
)
from dashboard.pages.lists.paging import PAGE_SIZE, Paging
from dashboard.pages.lists.row_window import RowWindow
from dashboard.runtime.read_only import is_past_shown, is_read_only
from informerd.cache.health import Health
from informerd.cache.reflector_failures import CREDENTIALS_REFUSED
from informerd.clock import Clock

SUMMARY_PARTS = (("total", "outerMorph"), ("facets", "innerMorph"), ("pager", "innerMorph"), ("empty", "innerMorph"))
"""Parts of the page other than rows, and how each is swapped."""

NAMESPACES = "namespaces"
NOTES = ("notes", "innerMorph")
"""Part with paths that no object has and objects that cannot be read, sent where there may be some."""

SummaryState = tuple[object, ...]


class LiveList(LiveView):
    """Value of `view` in lists/list.html and the fragments it includes.

    id, seq · kind: KindInfo · query · head: tuple[ColumnHeader, ...] · lines: tuple[RowLine, ...] · total: int
    (matching) · kind_total: int · paging: Paging · facets: tuple[Facet, ...] · status_bar: tuple[BarSegment, ...] ·
    clear_href: str · namespaces: tuple[str, ...] that are in the query · health: Health (the informer's) ·
    expected_count: int | None (objects, while they are being listed) · search_progress: tuple[int, int] | None (rows
    searched so far and all rows, while matching ones are being found) · searched_path: str (the field by path that is
    searched meanwhile) · namespace_hints: tuple[Alternative, ...] (words of the filter that are namespaces) ·
    unknown_paths: tuple[UnknownPath, ...] (paths no object has) · suggestions: tuple[Suggestion, ...] (parts of the
    filter that no row has, where nothing matches).
    """

    template: ClassVar[str] = "list"
    forgotten_with_kind: ClassVar[bool] = True

    def __init__(
        self,
        kind: KindInfo,
        query: Query,
        result_set: ResultSet,
        replica: ReadableReplica,
        clock: Clock,
        *,
        denial_of: DenialLookup = allow_all,
        usage: UsageLookup = NO_USAGE,
        is_namespace: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`is_namespace` tells the names of known namespaces, also of those that have no object of the kind."""
        super().__init__(self.state_key(kind, query), keys=(kind.key,), clock=clock)
        self.kind = kind
        self.query = query
        self._columns = query.visible_columns()
        self._usage_source = usage
        self._usage = usage if has_usage(self._columns) else NO_USAGE
        self._replica = replica
        self._is_namespace = is_namespace
        self._result = result_set
        self._create = CreatePermission(kind, query.namespaces, denial_of, clock, self._stir)
        self._shown = RowWindow(self.id, self._window())
        self._sums = self._sums_now()
        self._sent_create_denial = ""
        self._has_sent_notes = True
        self._namespace_names: set[str] = set()
        """Those that were found among the words of the filter."""
        self._unknown_paths_cache: tuple[tuple[FieldPath, ...], tuple[UnknownPath, ...]] = ((), ())

    @staticmethod
    def state_key(kind: KindInfo, query: Query) -> str:
        """Key that distinguishes this view from others."""
        return f"{kind.key} {query.query_string()}"

    def with_query(self, query: Query) -> LiveList:
        """A copy of this view for one page whose filter was typed as in `query`, mistakes included; to be rendered
        immediately.
        """
        seen = copy.copy(self)
        seen.query = query
        return seen

    # --- what templates see ---

    @property
    def head(self) -> tuple[ColumnHeader, ...]:
        by, descending = self.query.sort
        return tuple(
            ColumnHeader(
                id=column.id,
                header=column.header,
                href=self.query.with_sort(column.id).href(),
                sorted="" if column.id != by else "desc" if descending else "asc",
                numeric=column.numeric,
                wide=column.wide,
                css=column.css,
            )
            for _, column in self.query.visible_columns()
        )

    @property
    def lines(self) -> tuple[RowLine, ...]:
        rows = self._result.rows
        return tuple(row_line(self.kind, rows[uid], self._columns, self._used(rows[uid])) for uid in self._window())

    @property
    def total(self) -> int:
        return len(self._result) if self._result.ready else 0

    @property
    def kind_total(self) -> int:
        return len(self._result.rows)

    @property
    def search_progress(self) -> tuple[int, int] | None:
        return None if self._result.ready else (self._result.scanned_count, self.kind_total)

    @property
    def searched_path(self) -> str:
        column = self._result.pending_column
        return column.path.text if column is not None else ""

    @property
    def unknown_paths(self) -> tuple[UnknownPath, ...]:
        """Paths that no object has, with suggestions; searched once, until the absent paths change."""
        paths, cached = self._absent(), self._unknown_paths_cache
        if paths != cached[0]:
            cached = self._unknown_paths_cache = (paths, find_unknown_paths(self.query, paths, self._result.rows))
        return cached[1]

    @property
    def namespace_hints(self) -> tuple[Alternative, ...]:
        """Words of the filter that are names of namespaces, each with the list of that namespace."""
        if not self.kind.namespaced:
            return ()
        hints = []
        for term in self.query.terms:
            if not isinstance(term, WordTerm) or term.negative or not term.pattern.is_literal:
                continue
            name = term.pattern.text.lower()  # as the filter reads it
            if name and name not in self.query.namespaces and self._is_known_namespace(name):
                others = tuple(each for each in self.query.terms if each != term)
                hints.append(Alternative(name, self.query.with_(terms=others, namespaces=(name,)).href()))
        return tuple(hints)

    def _is_known_namespace(self, name: str) -> bool:
        if name not in self._namespace_names and (self._is_namespace(name) or self._replica.rows_in(name)):
            self._namespace_names.add(name)
        return name in self._namespace_names

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Suggestions where nothing matches."""
        values = self._result.value_counts
        if self.total or not self._result.ready or values is None:
            return ()
        return Suggester(self.kind, self.query, values, self._stir).suggestions()

    @property
    def paging(self) -> Paging:
        return Paging(self.query, self.total)

    @property
    def facets(self) -> tuple[Facet, ...]:
        return facets_of(self._result.facets, self.query)

    @property
    def status_bar(self) -> tuple[BarSegment, ...]:
        return bar_segments(tone_counts((tone, count) for (_, tone), count in self._result.facets.items()))

    @property
    def clear_href(self) -> str:
        """The same list without a filter."""
        return self.kind.path

    @property
    def actions(self) -> tuple[QuickAction, ...]:
        """Quick actions of this kind."""
        return () if is_read_only() else quick_actions_of(self.kind)

    @property
    def new_href(self) -> str:
        """Address that creates an object, in the list's namespaces; empty where none can be created."""
        if not self.kind.creatable or is_read_only():
            return ""
        shown = self.query.namespaces if self.kind.namespaced else ()
        params = {"namespace": shown[0]} if len(shown) == 1 else {"among": ",".join(shown)} if shown else {}
        return f"{self.kind.new_path}?{urlencode(params, safe=',')}" if params else self.kind.new_path

    @property
    def create_denial(self) -> str:
        """Why no object may be created, as a sentence; empty where it may, as far as is known when the page is
        rendered.
        """
        return "" if is_read_only() else self._create.denial_text()

    @property
    def export_links(self) -> tuple[tuple[str, str], ...]:
        """Exports of the list: suffix and address of each."""
        encoded = self.query.with_(page=1).query_string()
        rest = f"?{encoded}" if encoded else ""
        return tuple((suffix, f"{self.kind.path}export.{suffix}{rest}") for suffix in ("csv", "json", "yaml"))

    @property
    def logs_href(self) -> str:
        """Address of the logs of the pods that match; empty for other kinds, and in the past: no logs are kept."""
        if self.kind.key != "pods" or is_past_shown():
            return ""
        encoded = self.query.with_(columns=(), sort=("", False)).query_string()
        return f"/logs/?{encoded}" if encoded else "/logs/"

    @property
    def deleted_href(self) -> str:
        """Address of the kind's deleted objects in these namespaces; empty where no history is kept."""
        if not settings.DELTABOARD_HISTORY:
            return ""
        chosen = f"?namespace={quote(','.join(self.namespaces), safe=',')}" if self.namespaces else ""
        return f"{self.kind.path}history/{chosen}"

    @property
    def compare_href(self) -> str:
        """Address that compares the list, as of the moment that is shown, with now; empty where no history is kept."""
        if not settings.DELTABOARD_HISTORY:
            return ""
        since = (("from", format_at(self.clock.time())),) if is_past_shown() else ()
        encoded = urlencode((*self.query.with_(page=1).to_params(), *since), safe=",:/*")
        return f"{self.kind.path}compare/{'?' if encoded else ''}{encoded}"

    @property
    def namespaces(self) -> tuple[str, ...]:
        return self.query.namespaces

    @property
    def health(self) -> Health:
        return self._replica.health

    @property
    def limit(self) -> NamespaceLimit | None:
        """Namespaces that are listed; None where these are all."""
        return limit_of(self.health)

    @property
    def listed(self) -> ListedNote | None:
        """What the page says where the kind was listed once; None where it is followed."""
        return listed_note(self.kind, self._replica)

    @property
    def list_again_href(self) -> str:
        """Address that lists the kind again and leads back to this list."""
        encoded = self.query.query_string()
        return f"{self.kind.path}list-again/?{encoded}" if encoded else f"{self.kind.path}list-again/"

    @property
    def unnamed_unreadable(self) -> int:
        """Number of objects that cannot be read and that the worker has not named."""
        return self.health.unreadable - len(self.health.unreadable_objects)

    @property
    def usage_problem(self) -> str:
        """Why what objects use is not known, as a sentence; empty where nobody asks, or it is known.

        A missing right and a metrics API that does not answer are named wherever the columns are shown; that nothing
        serves it only where the list was asked for usage.
        """
        query, is_shown = self.query, has_usage(self._columns)
        is_asked_for = query.sorts_by_usage or query.filters_by_usage or (query.columns and is_shown)
        if not is_asked_for and not (is_shown and self.kind.key in USAGE_KINDS):
            return ""
        missing = self._usage_source.missing_right(self.kind.key, query.namespaces)
        if missing or not (is_asked_for or self._usage_source.is_served):
            return missing
        return self._usage_source.problem_of(self.kind.key, query.namespaces)

    @property
    def usage_poll_times(self) -> PollTimes | None:
        """The last try and the next one, where `usage_problem` is that the metrics API does not answer."""
        source = self._usage_source
        return source.poll_times if self.usage_problem == source.problem else None

    @property
    def is_unauthorized(self) -> bool:
        """Whether the kind cannot be listed because the API server rejects the credentials."""
        return self.health.problem.startswith(CREDENTIALS_REFUSED)

    @property
    def not_followed_reason(self) -> str:
        """Why the worker does not follow the kind, as a sentence; empty where it does."""
        before, _, why = self.health.problem.partition(": ")
        return f"{why[:1].upper()}{why[1:]}." if before == NOT_FOLLOWED else ""

    @property
    def is_hidden(self) -> bool:
        """Whether the rights of who looks include no object of the kind."""
        return self._replica.is_hidden

    @property
    def unavailable_text(self) -> str:
        """Why its first list cannot be requested, as a sentence; empty where it can or is complete."""
        return self.cluster_problem() if self.health.state == "starting" else ""

    @property
    def expected_count(self) -> int | None:
        health = self.health
        return None if health.remaining is None else health.listed + health.remaining

    # --- changes ---

    @property
    def keeps_paths(self) -> bool:
        """Whether its rows were found by field paths, whose values are cached for it."""
        return self._result.uses_paths and self._result.ready

    def open(self) -> None:
        self._create.denial_text()
        if self._result.path_presence is not None:
            self._result.path_presence.watch(self, self.query.paths, self._stir)
        if self not in self._result.listeners:
            self._result.listeners[self] = self._rows_changed
            self.skip_update()  # what came in between was not heard: let pages have the window

    def close(self) -> None:
        if self._result.path_presence is not None:
            self._result.path_presence.unwatch(self)
        self._result.listeners.pop(self, None)

    def apply(self, key: str, change: Change) -> None:  # noqa: ARG002 -- of rows it hears from its result
        self.dirty = self.dirty or change.has_new_health

    def next_due(self) -> float | None:
        """Immediately where rows outside the filter have changed the parts beside the rows.

        No notification comes for such rows, since it would cost every list something; they are counted each second.
        """
        _, sent_total, _, sent_facets, *_ = self._sums
        return 0.0 if (self.kind_total, self._result.facets) != (sent_total, sent_facets) else None

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- due because of others
        self.dirty = True

    def refresh(self) -> None:
        self._create.refresh()

    def refresh_usage(self) -> None:
        if self._usage is not NO_USAGE or self.usage_problem:
            self._shown.note_changes(set(self._window()), set())
            self._stir()

    def _stir(self) -> None:
        self.dirty = True
        self.on_dirty()

    def _rows_changed(self, changed: set[str], gone: set[str]) -> None:
        self._shown.note_changes(changed, gone)
        self._stir()

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        self._has_sent_notes = True
        html = (
            self._shown.render_window(self._window(), partial(self._row, render))
            + self._render_sums(render)
            + self._render_new(render)
        )
        if self._replica.table is not None:  # the page may have been made before anybody knew these columns
            html += hx_partial(f"#head-{self.id}", "innerMorph", render("lists/_table_head.html", self.context()))
        return html

    def _render_update(self, render: Renderer) -> str:
        html = self._shown.render_update(self._window(), partial(self._row, render))
        sums = self._sums_now()
        if sums != self._sums:
            self._sums = sums
            html += self._render_sums(render)
        if self._sent_create_denial != self.create_denial:
            html += self._render_new(render)
        return html

    def _forget_update(self) -> None:
        self._shown.forget(self._window())
        self._sums = self._sums_now()
        self._sent_create_denial = self.create_denial

    def _render_sums(self, render: Renderer) -> str:
        context = self.context()
        health = self.health
        has_notes = bool(
            self.query.paths
            or self.namespace_hints
            or health.unreadable
            or self._replica.listed
            or health.forbidden_namespaces
            or self.usage_problem
        )
        parts = (*SUMMARY_PARTS, NOTES) if has_notes or self._has_sent_notes else SUMMARY_PARTS
        self._has_sent_notes = has_notes
        return "".join(
            hx_partial(f"#{part}-{self.id}", swap, render(f"lists/_{part}.html", context)) for part, swap in parts
        )

    def _render_new(self, render: Renderer) -> str:
        self._sent_create_denial = self.create_denial
        return hx_partial(f"#new-{self.id}", "outerMorph", render("lists/_new_button.html", self.context()))

    def _row(self, render: Renderer, uid: str) -> str:
        row = self._result.rows[uid]
        return render.render_row(self.kind, row, self._columns, self._used(row))

    def _used(self, row: Row) -> Usage | None:
        return self._usage.get(self.kind.key, row)

    def _window(self) -> list[str]:
        return self._result.window(self.paging.start, PAGE_SIZE)

    def _sums_now(self) -> SummaryState:
        """Everything that the parts beside the rows depend on; health only where it is shown, in the empty list."""
        now = self.health
        health = (
            None
            if self.total
            else (now.state, now.problem, now.listed, now.remaining, self.unavailable_text, self.create_denial)
        )
        return (
            self.total,
            self.kind_total,
            self.paging.page,
            dict(self._result.facets),
            health,
            self.search_progress,
            self._absent(),
            self.suggestions,
            (self.usage_problem, self.usage_poll_times),
            (self.health.unreadable, self.health.unreadable_objects, self._replica.listed, self.limit),
        )

    def _absent(self) -> tuple[FieldPath, ...]:
        sightings = self._result.path_presence
        return sightings.absent(self.query.paths) if sightings is not None else ()


def open_list(hub: Hub, kind: KindInfo, query: Query) -> LiveList:
    """The list's view. Its rows come later where they have not been found yet, see `search_progress`.

    Raises KeyError where the kind is not followed.
    """
    query = hub.index.fit_query(kind, query)
    replica, result = hub.hub_kinds.replica(kind.key), hub.index.open_result(kind, query)

    def make() -> LiveList:
        return LiveList(
            kind,
            query,
            result,
            replica,
            hub.clock,
            denial_of=hub.denial_of,
            usage=hub.usage,
            is_namespace=partial(_is_namespace, hub),
        )

    return hub.open_view(LiveList, LiveList.state_key(kind, query), make).with_query(query)


def _is_namespace(hub: Hub, name: str) -> bool:
    """Whether a namespace of this name is known."""
    is_followed = any(kind.key == NAMESPACES for kind in hub.kinds)
    return is_followed and hub.hub_kinds.replica(NAMESPACES).get("", name) is not None
