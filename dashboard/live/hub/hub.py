"""The hub: every open view of this process, and the sockets that follow them.

One tick serves all. The first change after a quiet moment leaves at once, later ones within TICK seconds; a view that
is costly to render is given longer, so that no view can take the process for itself. A heartbeat goes to all each
second. The parts: which kinds there are (shown_kinds), what is found for lists (result_store), what is
remembered of changes (feed_log), how a view is opened
(view_opener), who looks (audience), what is sent (updates, heartbeat).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping

from django.template.loader import render_to_string

from dashboard.access.rights import Denied, offered
from dashboard.controllers.board import Board
from dashboard.controllers.view import CONTROLLERS
from dashboard.live.audience import Audience
from dashboard.live.change import Change
from dashboard.live.detail_view import DetailView
from dashboard.live.feed_log import FeedLog
from dashboard.live.heartbeat import Cluster, Heartbeat
from dashboard.live.list_view import ListView
from dashboard.live.metrics import Metrics
from dashboard.live.renderer import Renderer
from dashboard.live.result_store import ResultStore
from dashboard.live.shown_kinds import ReplicaSource, ShownKinds
from dashboard.live.socket import Socket, message_of
from dashboard.live.updates import Updates
from dashboard.live.view import View
from dashboard.live.view_opener import ViewOpener
from dashboard.live.view_store import ViewStore, Watched
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock, sleep_or

BEAT = 1.0
"""Seconds between heartbeats."""


class Hub:
    """Give pages their view with `list_view` and its sisters; sockets `join` one, `acknowledge` and `leave`."""

    def __init__(
        self,
        replicas: ReplicaSource,
        clock: Clock,
        render: Callable[..., str] = render_to_string,
        *,
        problem: Callable[[], str] = lambda: "",
        cluster: Cluster = lambda: None,
        board: Board | None = None,
        denied: Denied = offered,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.metrics = Metrics()
        self.problem = problem
        """Says what keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""
        self._clock = clock
        self._next_beat = clock.now()
        self._told = ""
        board = board or Board(clock)
        self._store = ViewStore(clock)
        self._audience = Audience(self._store, self.metrics, clock)
        self._results = ResultStore(replicas, clock, self._drop_idle_list)
        self._updates = Updates(
            self._store,
            self._audience,
            Renderer(render),
            self.metrics,
            clock,
            timer=timer,
            awaited=lambda: len(self._results.slices) > 0,
        )
        self._kinds = ShownKinds(replicas, clock, self._changed)
        self._log = FeedLog(self._kinds.steady_replicas(), clock)
        opener = ViewOpener(
            self._kinds,
            self._results,
            self._log,
            board,
            self._store,
            self._updates,
            clock=clock,
            trouble=self._trouble,
            denied=denied,
        )
        self._heartbeat = Heartbeat(self._kinds, board, clock, problem=self._trouble, cluster=cluster)
        self.list_view = opener.list_view
        self.detail_view = opener.detail_view
        self.feed_view = opener.feed_view
        self.find_feed = opener.find_feed
        self.overview_view = opener.overview_view
        self.controllers_view = opener.controllers_view
        self.fitting = self._results.fitting
        self.find = self._results.find
        self.commonest = self._results.commonest
        self.number = self._results.number
        self.all_rows = self._results.all_rows
        board.on_change(self._reported)

    # --- kinds ---

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        """All that are shown."""
        return self._kinds.all

    @property
    def steady(self) -> tuple[KindInfo, ...]:
        """Those of the settings."""
        return self._kinds.steady

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """What of each kind is how, and what is wrong."""
        return self._kinds.summaries

    def follow(self, kind: KindInfo) -> None:
        """Show one more kind, whose replica there is."""
        self._kinds.follow(kind)
        self._stir_details()
        self._next_beat = self._clock.now()  # open pages' navigation has it at once
        self._updates.wake.set()

    def unfollow(self, key: str) -> None:
        """Show a kind no more, before its replica goes; whoever looks at it all the same is told to connect again."""
        if self._kinds.unfollow(key):
            self._forget_views(key)
            self._stir_details()

    def looks_at(self, key: str) -> bool:
        """Whether a browser has a page of this kind open."""
        return any(watched.sockets and key in watched.view.keys for watched in self.views.values())

    def name_kinds(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take over what discovery has said of kinds that are followed; those otherwise before are opened anew."""
        before = {kind.key: kind for kind in self.kinds}
        self._kinds.name(kinds)
        for kind in kinds:
            if kind.key in before and before[kind.key].resolved and before[kind.key] != kind:
                self._forget_views(kind.key)

    def _forget_views(self, key: str) -> None:
        """End the lists and details of one kind; their pages connect again, and get the whole content."""
        for watched in list(self.views.values()):
            if key in watched.view.keys and isinstance(watched.view, ListView | DetailView):
                self._updates.drop(watched)
        self._results.forget(key)

    def _stir_details(self) -> None:
        """What belongs to an object may be of a kind that comes or goes."""
        for watched in self.views.values():
            if isinstance(watched.view, DetailView):
                watched.view.dirty = True
                self._updates.touch(watched)

    def _drop_idle_list(self, keys: Collection[str]) -> bool:
        """Drop a list of these kinds that keeps fields by path and that nobody looks at; False where there is none."""

        def keeps_paths(view: View) -> bool:
            return isinstance(view, ListView) and view.keeps_paths and view.kind.key in keys

        return self._store.drop_idle(keeps_paths)

    # --- sockets ---

    @property
    def views(self) -> dict[str, Watched]:
        """The open views by id."""
        return self._store.by_id

    @property
    def sockets(self) -> set[Socket]:
        """All that have joined."""
        return self._audience.sockets

    def join(
        self,
        socket: Socket,
        view: View | None,
        seq: str = "",
        *,
        path: str = "",
        beside: View | None = None,
        beside_seq: str = "",
    ) -> None:
        """Let `socket` follow `view` (None: only the heartbeat), whose state `seq` its page shows already.

        `beside` is a second view that the page shows, of the same kind: both stay shared with all who look at them,
        which a list that carried its opened object would not be. `path` is the page's address as it said it; the
        answer repeats it.
        """
        self._audience.enter(socket)
        socket.view, socket.beside, socket.path = view, None, path
        if view is None:
            self._audience.post(socket, message_of({"view": "", "seq": "", "keys": [], "path": path}))
        else:
            self._show(socket, self._store.keep(view), seq)
        if beside is not None and socket in self.sockets:
            socket.beside = beside
            self._show(socket, self._store.keep(beside), beside_seq, beside=True)
        if socket in self.sockets:
            self._audience.post(socket, self._heartbeat.message())

    def _show(self, socket: Socket, watched: Watched, seq: str, *, beside: bool = False) -> None:
        """Say what the socket follows from here on, and send the window unless its page has it."""
        view = watched.view
        if beside:
            socket.beside = view
        else:
            socket.view = view
        with self._updates.alone(watched):
            if view.dirty:
                self._updates.bring(watched)
            known = seq == view.seq
            hello = {"view": view.id, "seq": view.seq if known else "", "keys": view.keys, "path": socket.path}
            self._audience.post(socket, message_of({**hello, "beside": True} if beside else hello))
            if known:
                view.remember(self._updates.render)
            else:
                self._audience.post(socket, self._updates.window(watched))
            watched.sockets.add(socket)
        if watched.view.id not in self.views:
            self._audience.turn_out(socket)

    def leave(self, socket: Socket) -> None:
        """The socket is gone."""
        self._audience.leave(socket)

    def acknowledge(self, socket: Socket, units: int) -> None:
        """The browser has applied `units` since it connected; one that caught up gets the window."""
        if socket.acknowledge(units) and socket in self.sockets:
            self.join(socket, socket.view, path=socket.path, beside=socket.beside)

    # --- the tick ---

    async def run(self) -> None:
        """Tick until cancelled; then what is still being found is let go of."""
        try:
            while True:
                self._updates.wake.clear()
                await asyncio.sleep(0)  # a turn of everybody else's, whatever has woken us meanwhile
                await sleep_or(self._updates.wake, self.tick(), self._clock)
        finally:
            await self._results.stop()

    def tick(self) -> float:
        """Do what is due; the seconds until something will be."""
        self._audience.beat_some()
        now = self._clock.now()
        wait = self._updates.send_due(now)
        if self._next_beat <= now:
            self._next_beat = now + BEAT
            self._second()
        if self._audience.beating:
            return 0.0
        beat = self._next_beat - now
        return max(0.0, beat if wait is None else min(wait, beat))

    def _second(self) -> None:
        """Once a second: the heartbeat goes out, time passes in views, and what nobody needs is dropped."""
        moment = self._clock.time()
        self._kinds.counts.pass_time(moment)
        self._audience.beat(self._heartbeat.message())
        before, self._told = self._told, self.problem()
        self._results.pass_time(moment)
        for watched in list(self.views.values()):
            with self._updates.alone(watched):
                watched.view.dirty = watched.view.dirty or before != self._told
                if watched.sockets:
                    watched.view.look_again()
                due = watched.view.next_due()
                if due is not None and due <= moment:
                    watched.view.pass_time(moment)
                if watched.view.dirty:
                    self._updates.touch(watched)
        self._updates.expire()
        self._results.sweep()

    # --- changes ---

    def _changed(self, key: str, change: Change) -> None:
        if change.reshaped:
            self._forget_views(key)
        self._kinds.counts.apply(key, change)
        self._results.apply(key, change)
        self._log.add(key, change)
        for watched in list(self.views.values()):
            if watched.view.hears(key):
                with self._updates.alone(watched):
                    watched.view.apply(key, change)
                    if watched.view.dirty:
                        self._updates.touch(watched)
        if change.state:
            self._next_beat = self._clock.now()
            self._updates.wake.set()

    def _reported(self) -> None:
        """A worker has said how its controllers are."""
        for watched in self.views.values():
            if CONTROLLERS in watched.view.listens:
                watched.view.dirty = True
                self._updates.touch(watched)

    def _trouble(self) -> str:
        return self.problem()
