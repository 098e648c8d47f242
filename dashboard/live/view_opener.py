"""The opening of views: the one that there is for a page's address, or a new one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from dashboard.access.rights import Denied
from dashboard.controllers.board import Board
from dashboard.controllers.view import ControllersView
from dashboard.live.detail_view import DetailView
from dashboard.live.feed_log import FeedLog
from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_view import FeedView
from dashboard.live.list_view import ListView
from dashboard.live.namespace_rates import NamespaceRates
from dashboard.live.overview_view import OverviewView
from dashboard.live.result_store import PATIENCE, ResultStore
from dashboard.live.shown_kinds import ShownKinds
from dashboard.live.updates import Updates
from dashboard.live.view import View
from dashboard.live.view_store import ViewStore
from dashboard.resources.kinds import KindInfo
from dashboard.resources.query import Query
from dashboard.resources.rows.field_path import FieldPath
from informerd.clock import Clock, within

V = TypeVar("V", bound=View)


class ViewOpener:
    """Each view is current when it is returned: render it before anything is awaited.

    Those of a kind raise KeyError where it is not watched.
    """

    def __init__(
        self,
        kinds: ShownKinds,
        results: ResultStore,
        log: FeedLog,
        board: Board,
        store: ViewStore,
        updates: Updates,
        *,
        clock: Clock,
        trouble: Callable[[], str],
        denied: Denied,
    ) -> None:
        self._kinds = kinds
        self._results = results
        self._log = log
        self._board = board
        self._store = store
        self._updates = updates
        self._clock = clock
        self._trouble = trouble
        self._denied = denied

    def list_view(self, kind: KindInfo, query: Query) -> ListView:
        """The list's view. Its rows come later where they have not been found yet, see `looking`."""
        query = self._results.fitting(kind, query)
        replica, result = self._kinds.replica(kind.key), self._results.open(kind, query)
        state = ListView.state_of(kind, query)

        def make() -> ListView:
            return ListView(kind, query, result, replica, self._clock, denied=self._denied)

        return self._open(ListView, state, make).seen_by(query)

    def detail_view(self, kind: KindInfo, namespace: str, name: str, paths: tuple[FieldPath, ...] = ()) -> DetailView:
        """The object's view, whether the object exists or not (see its `found`); `paths` are shown with its columns."""
        kinds, replica, slices = self._kinds, self._kinds.replica(kind.key), self._results.slices

        def make() -> DetailView:
            return DetailView(
                kind,
                namespace,
                name,
                replica,
                self._clock,
                paths=paths,
                kinds=kinds.with_replicas,
                later=slices.add,
                denied=self._denied,
            )

        return self._open(DetailView, DetailView.state_of(kind, namespace, name, paths), make)

    def feed_view(self, query: FeedQuery) -> FeedView:
        """The feed's view. What there was before comes later where it has not been found yet, see `looking`."""
        state, slices = FeedView.state_of(query), self._results.slices
        return self._open(
            FeedView, state, lambda: FeedView(query, self._kinds.steady, self._log, slices, self._clock)
        ).seen_by(query)

    async def find_feed(self, query: FeedQuery) -> None:
        """Wait until what the feed shows is found, PATIENCE at most."""
        found = self.feed_view(query).found
        if not found.is_set():
            with contextlib.suppress(TimeoutError):
                async with within(PATIENCE, self._clock):
                    await found.wait()

    def overview_view(self, namespaces: tuple[str, ...] = ()) -> OverviewView:
        """The overview's view, of all namespaces or of some."""
        kinds, clock = self._kinds, self._clock

        def own_rates() -> NamespaceRates:
            return NamespaceRates(namespaces, self._log, self._results.slices, clock.time())

        return self._open(
            OverviewView,
            OverviewView.state_of(namespaces),
            lambda: OverviewView(
                kinds.steady,
                kinds.steady_replicas(),
                kinds.counts.by_key,
                clock,
                namespaces=namespaces,
                own_rates=own_rates if namespaces else None,
            ),
        )

    def controllers_view(self) -> ControllersView:
        """The view of the workers' controllers."""
        return self._open(ControllersView, "", lambda: ControllersView(self._board, self._kinds.all))

    def _open(self, wanted: type[V], state: str, make: Callable[[], V]) -> V:
        def made() -> V:
            view = make()
            view.trouble = self._trouble  # before anybody opens it
            return view

        watched = self._store.open(wanted.id_of(state), made)
        watched.view.on_dirty = partial(self._updates.stirred, watched.view.id)
        if watched.view.dirty:
            self._updates.update(watched)
            watched = self._store.open(wanted.id_of(state), made)  # another one, where that failed
        return cast("V", watched.view)
