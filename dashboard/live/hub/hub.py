"""The hub: every open view of this process, and the sockets that follow them.

One tick serves all views. The first change after a quiet moment is sent at once, later ones within TICK seconds
(updates.TICK); a view that is costly to render waits longer, so that no view can use up the process. Each second a
heartbeat goes to all sockets. The parts: which kinds there are (hub_kinds), results of lists (the index store), past
changes (the feed's history), sockets (connected_sockets), messages (updates, heartbeat). Each page's package opens its
own view here (`open_view`): the hub does not import any view class.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar, cast

from django.template.loader import render_to_string

from dashboard.cluster.access_reviews import DenialLookup, allow_all
from dashboard.live.hub.browser_socket import Socket, encode_message
from dashboard.live.hub.connected_sockets import ConnectedSockets
from dashboard.live.hub.freshness import FreshnessSource
from dashboard.live.hub.heartbeat_message import ClusterInfoSource, Heartbeat
from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.metrics import HubMetrics
from dashboard.live.hub.updates import Updates
from dashboard.live.hub.view_store import OpenView, ViewStore
from dashboard.live.index.index_store import IndexStore
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.delta_traces import DeltaTraces
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.app_state import Key
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.clock import Clock, sleep_or

V = TypeVar("V", bound=LiveView)

HEARTBEAT_INTERVAL = 1.0
"""Seconds between heartbeats."""


class Hub:
    """Open views and their sockets. Pages open views with `open_view`; sockets `join` one, `acknowledge` and `leave`.

    `sources` are reported beside the kinds in each heartbeat, as the controllers of the workers are. With `history` it
    keeps none of its own; with `shared` it has the kinds and the metrics of another hub, see `scoped`.
    """

    def __init__(
        self,
        replicas: ReplicaSource,
        clock: Clock,
        render: Callable[..., str] = render_to_string,
        *,
        connection_problem: Callable[[], str] = lambda: "",
        note: Callable[[], str] = lambda: "",
        cluster: ClusterInfoSource = lambda: None,
        sources: Iterable[FreshnessSource] = (),
        denial_of: DenialLookup = allow_all,
        timer: Callable[[], float] = time.perf_counter,
        shared: Hub | None = None,
        history: ReadableHistory | None = None,
        on_unfollow: Callable[[str], None] = lambda _: None,
        visibility_note: Callable[[Sequence[str]], str] = lambda _: "",
        rights_problem: str = "",
        schedule: Callable[[SlicedWork], None] = run_at_once,
        usage: UsageLookup = NO_USAGE,
        traces: DeltaTraces | None = None,
    ) -> None:
        self.usage = usage
        """What objects use, as far as this hub's people may see it."""
        self.metrics: HubMetrics = HubMetrics() if shared is None else shared.metrics
        self.connection_problem = connection_problem
        """Returns what keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""
        self.note = note
        """Returns what every page has to say beside that, as a sentence; empty for nothing."""
        self.rights_problem = rights_problem
        """Why its people see nothing, as a sentence, while it is not known what they may see; else empty."""
        self.clock = clock
        self.denial_of = denial_of
        self._next_beat = clock.now()
        self._shown_problem = ""
        self._store = ViewStore(clock)
        self._connected = ConnectedSockets(self._store, self.metrics, clock)
        self.index = IndexStore(replicas, clock, self._drop_idle_list, usage)
        self._updates = Updates(
            self._store,
            self._connected,
            Renderer(render),
            self.metrics,
            clock,
            timer=timer,
            is_page_awaited=lambda: len(self.index.slices) > 0,
            traces=traces,
        )
        self.hub_kinds: HubKinds = HubKinds(
            replicas, clock, self._changed, like=None if shared is None else shared.hub_kinds, schedule=schedule
        )
        self._kept_history = (
            FeedHistory([replica for _, replica in self.hub_kinds.with_replicas()], clock) if history is None else None
        )
        self.history: ReadableHistory = self._kept_history or cast("ReadableHistory", history)
        self._scoped_hubs: list[Hub] = []
        self._render = render
        self._traces = traces
        self._cluster = cluster
        self._sources = sources = tuple(sources)
        self._heartbeat = Heartbeat(
            self.hub_kinds, sources, clock, problem=self._cluster_problem, note=note, cluster=cluster
        )
        self.fit_query = self.index.fit_query
        self.wait_for_rows = self.index.wait_for_rows
        self.most_common_values = self.index.most_common_values
        self.count_rows = self.index.count_rows
        self.all_rows = self.index.all_rows
        self._on_unfollow = on_unfollow
        self._visibility_note = visibility_note
        if shared is None:
            for source in sources:
                source.on_change(partial(self.stir, source.key))
        self._stop_usage = usage.on_change(self._refresh_usage)

    def scoped(
        self,
        replicas: ReplicaSource,
        history: ReadableHistory,
        denial_of: DenialLookup,
        on_unfollow: Callable[[str], None] = lambda _: None,
        *,
        visibility_note: Callable[[Sequence[str]], str] = lambda _: "",
        problem: str = "",
        schedule: Callable[[SlicedWork], None] = run_at_once,
        usage: UsageLookup = NO_USAGE,
    ) -> Hub:
        """A hub of the same kinds for people who may see a part of them: `replicas`, and what `history` has of these.

        It counts into the same metrics and hears of kinds that come and go, and of `sources`. `on_unfollow` is called
        with each kind that it has stopped to show. `visibility_note` returns what they see of some kinds, where that is
        not everything; `problem` is why they see nothing, where that is so. `schedule` gets the work that counts its
        kinds. `remove_scoped` ends that.
        """
        hub = Hub(
            replicas,
            self.clock,
            self._render,
            connection_problem=lambda: self.connection_problem() or problem,
            cluster=self._cluster,
            sources=self._sources,
            denial_of=denial_of,
            shared=self,
            history=history,
            on_unfollow=on_unfollow,
            visibility_note=visibility_note,
            rights_problem=problem,
            schedule=schedule,
            usage=usage,
            traces=self._traces,
        )
        self._scoped_hubs.append(hub)
        return hub

    def remove_scoped(self, hub: Hub) -> None:
        """Forget a hub that `scoped` made; it is not to be used any more."""
        self._scoped_hubs.remove(hub)
        hub.close()

    def close(self) -> None:
        """Stop listening to the replicas."""
        self.hub_kinds.close()
        self._stop_usage()

    @property
    def own_history(self) -> FeedHistory:
        """The changes that this hub keeps. Raises LookupError where it shows those of another one."""
        if self._kept_history is None:
            raise LookupError("this hub keeps no changes of its own")
        return self._kept_history

    @property
    def all_hubs(self) -> tuple[Hub, ...]:
        """This hub, and those of people who may see a part of its kinds."""
        return (self, *self._scoped_hubs)

    # --- kinds ---

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        """All kinds that are shown."""
        return self.hub_kinds.all_kinds

    @property
    def configured_kinds(self) -> tuple[KindInfo, ...]:
        """The kinds of the settings."""
        return self.hub_kinds.configured

    @property
    def summaries(self) -> Mapping[str, KindSummary]:
        """Health counts of each kind, and its unhealthy objects."""
        return self.hub_kinds.summaries

    def follow(self, kind: KindInfo) -> None:
        """Show one more kind, which has a replica."""
        if kind.key not in self.summaries and self._kept_history is not None:
            self._kept_history.follow(self.hub_kinds.replica(kind.key))
        self.hub_kinds.follow(kind)
        for hub in self._scoped_hubs:
            hub.follow(kind)
        self._tell_kinds()
        self._stir_details()
        self._next_beat = self.clock.now()  # open pages' navigation has it at once
        self._updates.wake.set()

    def set_always_followed(self, keys: Collection[str]) -> None:
        """Note which kinds are followed always though the settings do not name them."""
        if frozenset(keys) | {kind.key for kind in self.configured_kinds} != self.hub_kinds.always_followed:
            self.hub_kinds.set_always_followed(keys)
            self._tell_kinds()
            for hub in self._scoped_hubs:
                hub.set_always_followed(keys)

    def unfollow(self, key: str) -> None:
        """Stop showing a kind, before its replica is removed; pages that still show it are told to connect again."""
        for hub in self._scoped_hubs:
            hub.unfollow(key)
        if self.hub_kinds.unfollow(key):
            self._forget_views(key)
            if self._kept_history is not None:
                self._kept_history.unfollow(key)
            self._tell_kinds()
            self._stir_details()
            self._on_unfollow(key)

    @property
    def viewed_keys(self) -> frozenset[str]:
        """Keys of the kinds of which a browser has a page open."""
        own = frozenset(key for watched in self.views.values() if watched.sockets for key in watched.view.keys)
        return own.union(*(hub.viewed_keys for hub in self._scoped_hubs))

    def update_kinds(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take over what discovery says of followed kinds; views of those that changed are opened again."""
        for hub in self._scoped_hubs:
            hub.update_kinds(kinds)
        before = {kind.key: kind for kind in self.kinds}
        self.hub_kinds.update_kinds(kinds)
        for kind in kinds:
            if kind.key in before and before[kind.key].resolved and before[kind.key] != kind:
                self._forget_views(kind.key)
        if any(before.get(kind.key) != kind for kind in self.kinds):
            self._tell_kinds()

    def _forget_views(self, key: str) -> None:
        """End the lists and details of one kind; their pages connect again and get the whole content."""
        for watched in list(self.views.values()):
            if key in watched.view.keys and watched.view.forgotten_with_kind:
                self._updates.drop(watched)
        self.index.forget(key)

    def drop_views(self) -> None:
        """End all views, because what they have of history is of another cluster; their pages connect again."""
        for hub in self._scoped_hubs:
            hub.drop_views()
        for watched in list(self.views.values()):
            self._updates.drop(watched)

    def _refresh_usage(self) -> None:
        self.index.refresh_usage()
        for watched in list(self.views.values()):
            with self._updates.drop_on_error(watched):
                watched.view.refresh_usage()
                if watched.view.dirty:
                    self._updates.mark_dirty(watched)

    def _tell_kinds(self) -> None:
        """Tell the views which kinds are followed now."""
        for watched in list(self.views.values()):
            with self._updates.drop_on_error(watched):
                watched.view.take_kinds(self.hub_kinds.all_kinds)
                if watched.view.dirty:
                    self._updates.mark_dirty(watched)

    def _stir_details(self) -> None:
        """Refresh the details pages: an object's children may be of a kind that was added or removed."""
        for watched in self.views.values():
            if watched.view.stirred_by_kinds:
                watched.view.dirty = True
                self._updates.mark_dirty(watched)

    def _drop_idle_list(self, keys: Collection[str]) -> bool:
        """Drop a list of these kinds that keeps fields by path and that nobody views; False where there is none."""

        def keeps_paths(view: LiveView) -> bool:
            return view.keeps_paths and any(key in keys for key in view.keys)

        return self._store.drop_idle(keeps_paths)

    # --- views ---

    def open_view(self, view_class: type[V], state_key: str, make: Callable[[], V]) -> V:
        """The open view of this class and state, or the one that `make` returns.

        It is current when it is returned: render it before anything is awaited.
        """

        def made() -> V:
            view = make()
            view.cluster_problem = self._cluster_problem  # before anybody opens it
            view.rights_problem = self.rights_problem
            view.visibility_note = self._visibility_note(view.keys)
            return view

        opened = self._store.open(view_class.id_of(state_key), made)
        opened.view.on_dirty = partial(self._updates.note_dirty, opened.view.id)
        if opened.view.dirty:
            self._updates.update(opened)
            opened = self._store.open(view_class.id_of(state_key), made)  # another one, where that failed
        return cast("V", opened.view)

    # --- sockets ---

    @property
    def views(self) -> dict[str, OpenView]:
        """The open views by id."""
        return self._store.by_id

    @property
    def sockets(self) -> set[Socket]:
        """All sockets that have joined."""
        return self._connected.sockets

    def join(
        self,
        socket: Socket,
        view: LiveView | None,
        seq: str = "",
        *,
        path: str = "",
        drawer_view: LiveView | None = None,
        drawer_seq: str = "",
    ) -> None:
        """Let `socket` follow `view` (None: only the heartbeat), whose state `seq` its page shows already.

        `drawer_view` is a second view on the page, of the same kind. The two stay separate so that each is shared by
        all its viewers. `path` is the page's address as the browser sent it; the answer repeats it.
        """
        self._connected.add(socket)
        socket.view, socket.drawer_view, socket.path = view, None, path
        if view is None:
            self._connected.post(socket, encode_message({"view": "", "seq": "", "keys": [], "path": path}))
        else:
            self._show(socket, self._store.ensure_open(view), seq)
        if drawer_view is not None and socket in self.sockets:
            socket.drawer_view = drawer_view
            self._show(socket, self._store.ensure_open(drawer_view), drawer_seq, beside=True)
        if socket in self.sockets:
            self._connected.post(socket, self._heartbeat.message())

    def _show(self, socket: Socket, watched: OpenView, seq: str, *, beside: bool = False) -> None:
        """Tell the socket which view it follows from now on, and send the window unless its page has it."""
        view = watched.view
        if beside:
            socket.drawer_view = view
        else:
            socket.view = view
        with self._updates.drop_on_error(watched):
            if view.dirty:
                self._updates.send_update(watched)
            known = seq == view.seq
            hello = {"view": view.id, "seq": view.seq if known else "", "keys": view.keys, "path": socket.path}
            self._connected.post(socket, encode_message({**hello, "beside": True} if beside else hello))
            if known:
                view.set_baseline(self._updates.render)
            else:
                self._connected.post(socket, self._updates.window(watched))
            watched.sockets.add(socket)
        if watched.view.id not in self.views:
            self._connected.disconnect(socket)

    def leave(self, socket: Socket) -> None:
        """Remove a closed socket."""
        self._connected.remove(socket)

    def acknowledge(self, socket: Socket, units: int) -> None:
        """The browser has applied `units` since it connected; one that caught up gets the window."""
        if socket.acknowledge(units) and socket in self.sockets:
            self.join(socket, socket.view, path=socket.path, drawer_view=socket.drawer_view)

    # --- the tick ---

    async def run(self) -> None:
        """Tick until cancelled; then stop unfinished searches."""
        try:
            while True:
                self._updates.wake.clear()
                await asyncio.sleep(0)  # a turn of everybody else's, whatever has woken us meanwhile
                await sleep_or(self._updates.wake, self.tick(), self.clock)
        finally:
            await self.index.stop()

    def tick(self) -> float:
        """Do what is due. Returns the seconds until the next work."""
        self._connected.continue_heartbeat()
        now = self.clock.now()
        wait = self._updates.send_due(now)
        if self._next_beat <= now:
            self._next_beat = now + HEARTBEAT_INTERVAL
            self._second()
        if self._connected.is_heartbeat_pending:
            return 0.0
        beat = self._next_beat - now
        return max(0.0, beat if wait is None else min(wait, beat))

    def _second(self) -> None:
        """Once a second: send the heartbeat, let time pass in views, and drop what is not needed."""
        moment = self.clock.time()
        self.hub_kinds.kind_summaries.pass_time(moment)
        if self.sockets:
            self._connected.send_heartbeat(self._heartbeat.message())
        before, self._shown_problem = self._shown_problem, self.connection_problem()
        self.index.pass_time(moment)
        for watched in list(self.views.values()):
            with self._updates.drop_on_error(watched):
                watched.view.dirty = watched.view.dirty or before != self._shown_problem
                if watched.sockets:
                    watched.view.refresh()
                due = watched.view.next_due()
                if due is not None and due <= moment:
                    watched.view.pass_time(moment)
                if watched.view.dirty:
                    self._updates.mark_dirty(watched)
        self._updates.expire()
        self.index.sweep()

    # --- changes ---

    def _changed(self, key: str, change: Change) -> None:
        if change.has_new_columns:
            self._forget_views(key)
        self.hub_kinds.kind_summaries.apply(key, change)
        self.index.apply(key, change)
        if self._kept_history is not None:
            self._kept_history.add(key, change)
        for watched in list(self.views.values()):
            if watched.view.listens_to(key):
                with self._updates.drop_on_error(watched):
                    watched.view.apply(key, change)
                    if watched.view.dirty:
                        self._updates.mark_dirty(watched)
        if change.has_new_health:
            self._next_beat = self.clock.now()
            self._updates.wake.set()

    def stir(self, key: str) -> None:
        """Refresh views after a source of freshness changed."""
        for hub in self._scoped_hubs:
            hub.stir(key)
        for watched in self.views.values():
            if key in watched.view.listened_keys:
                watched.view.dirty = True
                self._updates.mark_dirty(watched)

    def _cluster_problem(self) -> str:
        return self.connection_problem()


HUB: Key[Hub] = Key("hub")
