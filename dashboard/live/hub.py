"""The hub: every open view of this process, and the sockets that follow them.

One tick serves all: what a view's change looks like is rendered once, and the same string goes to every socket of that
view. The first change after a quiet moment leaves at once, later ones within TICK seconds; a view that is costly to
render is given longer, so that no view can take the process for itself. A heartbeat goes to all each second.

A view that fails, in whatever it does, takes nobody else down and leaves nobody with half a page: it is dropped, and
those who looked at it are told to connect again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Protocol, TypeVar, cast

from django.template.loader import render_to_string

from dashboard.controllers.board import Board
from dashboard.controllers.view import CONTROLLERS, ControllersView
from dashboard.live.detail_view import EVENTS, DetailView
from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_view import FeedView
from dashboard.live.freshness import Problem, beat
from dashboard.live.list_view import ListView
from dashboard.live.messages import Row
from dashboard.live.metrics import Metrics
from dashboard.live.overview_view import OverviewView
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Change, Replica
from dashboard.live.results import Results
from dashboard.live.slices import Slices
from dashboard.live.socket import COME_BACK, Message, Socket, frame_of, message_of
from dashboard.live.view import View
from dashboard.live.view_store import ViewStore, Watched
from dashboard.live.wrong_rows import Summaries
from dashboard.resources.kinds import KindInfo, find_kind
from dashboard.resources.query import Query
from informerd.clock import Clock, sleep_or, within

TICK = 0.05
"""Seconds between two frames of a view, at least."""
BEAT = 1.0
"""Seconds between heartbeats."""
SHARE = 5.0
"""A view that took t seconds to render waits SHARE * t for its next frame, so that it takes a sixth of the process."""
PATIENCE = 0.25
"""Seconds that a page waits for the rows it asks for, before it is shown without them and says so."""
LONGEST_WAIT = 1.0
"""Seconds that a costly view waits at most: what changed shows within a second."""

UNCOUNTED = "It cannot be told which of these are wrong; the server's log says why."

logger = logging.getLogger(__name__)
V = TypeVar("V", bound=View)


class ReplicaSource(Protocol):
    """What the hub needs of dashboard.live.replicas.Replicas."""

    def __iter__(self) -> Iterator[Replica]: ...

    def __contains__(self, key: str) -> bool: ...

    def get(self, key: str) -> Replica: ...

    @property
    def channel_problem(self) -> str:
        """Why nothing can be heard of the worker; empty while it can."""


class Hub:
    """Give pages their view with `list_view` and its sisters; sockets `join` one, `acknowledge` and `leave`."""

    def __init__(
        self,
        replicas: ReplicaSource,
        clock: Clock,
        render: Callable[..., str] = render_to_string,
        *,
        problem: Callable[[], str] = lambda: "",
        cluster: Callable[[], dict[str, str] | None] = lambda: None,
        board: Board | None = None,
    ) -> None:
        self.metrics = Metrics()
        self.kinds = tuple(kind for replica in replicas if (kind := find_kind(replica.key)) is not None)
        self.steady = self.kinds
        """Those of the settings, which overview and feed show: the others come and go with who looks at them."""
        self._leaving: dict[str, Callable[[], None]] = {}
        self.problem = problem
        """Says what keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""
        self._cluster = cluster
        self._board = board or Board(clock)
        self._told = ""
        self.sockets: set[Socket] = set()
        self._store = ViewStore(clock)
        self._slices = Slices()
        self._listed: dict[str, Results] = {}
        self._counts = Summaries([replicas.get(kind.key) for kind in self.kinds], clock)
        self.summaries = self._counts.by_key
        self._replicas = replicas
        self._clock = clock
        self._render = Renderer(render)
        self._dirty: set[Watched] = set()
        self._next_beat = clock.now()
        self._wake = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()
        for kind in self.kinds:
            self._listen(kind.key)
        self._board.on_change(self._reported)

    # --- kinds that come and go ---

    def follow(self, kind: KindInfo) -> None:
        """Show one more kind, whose replica there is."""
        if kind.key not in self.summaries:
            self._counts.add(self._replicas.get(kind.key))
            self._listen(kind.key)
            self.kinds += (kind,)

    def unfollow(self, key: str) -> None:
        """Show a kind no more, before its replica goes; whoever looks at it all the same is told to connect again."""
        leave = self._leaving.pop(key, None)
        if leave is None or any(kind.key == key for kind in self.steady):
            return
        leave()
        self.kinds = tuple(kind for kind in self.kinds if kind.key != key)
        self._forget_views(key)
        self._counts.remove(key)

    def _forget_views(self, key: str) -> None:
        """End the lists and details of one kind; their pages connect again, and get the whole content."""
        for watched in list(self.views.values()):
            if key in watched.view.keys and isinstance(watched.view, ListView | DetailView):
                self._drop(watched)
        self._listed.pop(key, None)

    def looks_at(self, key: str) -> bool:
        """Whether a browser has a page of this kind open."""
        return any(watched.sockets and key in watched.view.keys for watched in self.views.values())

    def name_kinds(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take over what discovery has said of kinds that are followed."""
        named = {kind.key: kind for kind in kinds}
        self.kinds = tuple(named.get(kind.key, kind) for kind in self.kinds)
        self.steady = tuple(named.get(kind.key, kind) for kind in self.steady)

    def _listen(self, key: str) -> None:
        self._leaving[key] = self._replicas.get(key).on_change(partial(self._changed, key))

    # --- views ---

    async def find(self, kind: KindInfo, query: Query) -> None:
        """Wait until the list's rows are found, PATIENCE at most: where there are many that takes some slices."""
        result = self._results(kind.key).open(query)
        if not result.ready:
            with contextlib.suppress(TimeoutError):
                async with within(PATIENCE, self._clock):
                    await result.found.wait()

    def list_view(self, kind: KindInfo, query: Query) -> ListView:
        """The list's view, current at this moment: render it before anything is awaited. KeyError: not watched.

        Its rows come later where they have not been found yet, see `find` and the view's `looking`.
        """
        replica, result = self._replicas.get(kind.key), self._results(kind.key).open(query)
        state = ListView.state_of(kind, query)
        return self._open(ListView, state, lambda: ListView(kind, query, result, replica, self._clock)).seen_by(query)

    async def all_rows(self, kind: KindInfo, query: Query) -> list[Row]:
        """Every row of the list in its order, as of the moment in which they are found. KeyError: not watched."""
        result = self._results(kind.key).open(query)
        await result.found.wait()
        return [result.rows[uid] for uid in result.window(0, len(result))]

    def _results(self, key: str) -> Results:
        results = self._listed.get(key)
        if results is None:
            results = self._listed[key] = Results(self._replicas.get(key), self._clock, self._slices)
        return results

    def detail_view(self, kind: KindInfo, namespace: str, name: str) -> DetailView:
        """The object's view, whether the object exists or not (see its `found`). KeyError: the kind is not watched."""
        replica = self._replicas.get(kind.key)
        return self._open(
            DetailView,
            DetailView.state_of(kind, namespace, name),
            lambda: DetailView(kind, namespace, name, replica, self._clock, events=self._events(), watched=self.kinds),
        )

    def feed_view(self, query: FeedQuery) -> FeedView:
        """The feed's view, current at this moment."""
        state = FeedView.state_of(query)
        return self._open(
            FeedView, state, lambda: FeedView(query, self.steady, self._steady_replicas(), self._clock)
        ).seen_by(query)

    def overview_view(self) -> OverviewView:
        """The overview's view, current at this moment."""
        return self._open(
            OverviewView,
            "",
            lambda: OverviewView(self.steady, self._steady_replicas(), self.summaries, self._clock),
        )

    def controllers_view(self) -> ControllersView:
        """The view of the workers' controllers, current at this moment."""
        return self._open(ControllersView, "", lambda: ControllersView(self._board, self.kinds))

    def _steady_replicas(self) -> list[Replica]:
        return [self._replicas.get(kind.key) for kind in self.steady]

    def _events(self) -> Replica | None:
        return self._replicas.get(EVENTS) if EVENTS in self._replicas else None

    @property
    def views(self) -> dict[str, Watched]:
        """The open views by id."""
        return self._store.by_id

    def _open(self, wanted: type[V], state: str, make: Callable[[], V]) -> V:
        watched = self._store.open(wanted.id_of(state), make)
        watched.view.trouble = self.problem
        watched.view.on_dirty = partial(self._stirred, watched.view.id)
        if watched.view.dirty:
            self._update(watched)
            watched = self._store.open(wanted.id_of(state), make)  # another one, where that failed
        return cast("V", watched.view)

    # --- sockets ---

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
        self.metrics.sockets_opened += socket not in self.sockets
        self._part(socket)
        self.sockets.add(socket)
        socket.view, socket.beside, socket.path = view, None, path
        if view is None:
            self._post(socket, message_of({"view": "", "seq": "", "keys": [], "path": path}))
        else:
            self._show(socket, self._store.keep(view), seq)
        if beside is not None and socket in self.sockets:
            socket.beside = beside
            self._show(socket, self._store.keep(beside), beside_seq, beside=True)
        if socket in self.sockets:
            self._post(socket, self._beat())

    def _show(self, socket: Socket, watched: Watched, seq: str, *, beside: bool = False) -> None:
        """Say what the socket follows from here on, and send the window unless its page has it."""
        view = watched.view
        if beside:
            socket.beside = view
        else:
            socket.view = view
        with self._alone(watched):
            if view.dirty:
                self._bring(watched)
            known = seq == view.seq
            hello = {"view": view.id, "seq": view.seq if known else "", "keys": view.keys, "path": socket.path}
            self._post(socket, message_of({**hello, "beside": True} if beside else hello))
            if not known:
                self._post(socket, self._window(watched))
            watched.sockets.add(socket)
        if watched.view.id not in self.views:
            self._turn_out(socket)

    def leave(self, socket: Socket) -> None:
        """The socket is gone."""
        self._part(socket)
        self.sockets.discard(socket)
        socket.view = socket.beside = None

    def acknowledge(self, socket: Socket, units: int) -> None:
        """The browser has applied `units` since it connected; one that caught up gets the window."""
        if socket.acknowledge(units) and socket in self.sockets:
            self.join(socket, socket.view, path=socket.path, beside=socket.beside)

    def _part(self, socket: Socket) -> None:
        for view in (socket.view, socket.beside):
            watched = self.views.get(view.id) if view is not None else None
            if watched is not None:
                watched.sockets.discard(socket)
                watched.touched = self._clock.now()

    def _post(self, socket: Socket, message: Message) -> None:
        was_behind = socket.behind
        if socket.post(message):
            self.metrics.messages += 1
            self.metrics.units += len(message)
        elif not was_behind:
            self.metrics.stops += 1

    # --- the tick ---

    async def run(self) -> None:
        """Tick until cancelled; then what is still being found is let go of."""
        try:
            while True:
                self._wake.clear()
                await sleep_or(self._wake, self.tick(), self._clock)
        finally:
            await self._slices.stop()

    def tick(self) -> float:
        """Do what is due; the seconds until something will be."""
        now = self._clock.now()
        wait = BEAT
        for watched in list(self._dirty):
            ready = self._ready_at(watched)
            if ready <= now:
                self._update(watched)
            else:
                wait = min(wait, ready - now)
        if self._next_beat <= now:
            self._next_beat = now + BEAT
            self._second()
        return max(0.0, min(wait, self._next_beat - now))

    def _second(self) -> None:
        """Once a second: the heartbeat goes out, time passes in views, and what nobody needs is dropped."""
        moment = self._clock.time()
        self._counts.pass_time(moment)
        self._send_beat()
        before, self._told = self._told, self.problem()
        for results in self._listed.values():
            if (due := results.next_due()) is not None and due <= moment:
                results.pass_time(moment)
        for watched in list(self.views.values()):
            with self._alone(watched):
                watched.view.dirty = watched.view.dirty or before != self._told
                due = watched.view.next_due()
                if due is not None and due <= moment:
                    watched.view.pass_time(moment)
                if watched.view.dirty:
                    self._touch(watched)
        self._dirty -= self._store.expire()
        for key, results in list(self._listed.items()):
            results.sweep()
            if not len(results):
                del self._listed[key]

    def _send_beat(self) -> None:
        beat = self._beat()
        self.metrics.beats += 1
        for socket in list(self.sockets):
            self._post(socket, beat)
            if socket.given_up:
                self.metrics.given_up += 1
                self._turn_out(socket)

    def _beat(self) -> Message:
        replicas = {replica.key: replica for replica in self._replicas}
        content = beat(self.kinds, replicas, self.summaries, self._clock)
        found = {**self._uncounted(), **cast("dict[str, object]", content["problems"])}
        steady = {kind.key for kind in self.steady}
        problems = {key: problem for key, problem in found.items() if key in steady}
        parts = {key: problem for key, problem in found.items() if key not in steady}
        deaf = bool(self._replicas.channel_problem)
        state = "stale" if deaf or problems else "live"
        said = {**content, "state": state, "problems": problems, "problem": self.problem(), "deaf": deaf}
        if self._board.problem is not None:
            parts[CONTROLLERS] = asdict(self._board.problem)
        if parts:
            said["parts"] = parts
        return message_of({"beat": {**said, "cluster": self._cluster()}})

    def _uncounted(self) -> dict[str, object]:
        kinds = [kind for kind in self.kinds if kind.key in self._counts.failing]
        return {kind.key: asdict(Problem(kind.title, "uncounted", UNCOUNTED)) for kind in kinds}

    # --- changes ---

    def _changed(self, key: str, change: Change) -> None:
        if change.reshaped:
            self._forget_views(key)
        self._counts.apply(key, change)
        if (results := self._listed.get(key)) is not None:
            results.apply(change)
        for watched in list(self.views.values()):
            if key in watched.view.listens:
                with self._alone(watched):
                    watched.view.apply(key, change)
                    if watched.view.dirty:
                        self._touch(watched)
        if change.state:
            self._next_beat = self._clock.now()
            self._wake.set()

    def _stirred(self, view_id: str) -> None:
        """A view has become dirty by itself."""
        if (watched := self.views.get(view_id)) is not None:
            self._touch(watched)

    def _reported(self) -> None:
        """A worker has said how its controllers are."""
        for watched in self.views.values():
            if CONTROLLERS in watched.view.listens:
                watched.view.dirty = True
                self._touch(watched)

    def _touch(self, watched: Watched) -> None:
        self._dirty.add(watched)
        self._wake.set()

    def _ready_at(self, watched: Watched) -> float:
        return watched.updated + max(TICK, watched.view.interval, min(LONGEST_WAIT, SHARE * watched.cost))

    def _update(self, watched: Watched) -> None:
        """Bring those who look to the view's present state."""
        with self._alone(watched):
            self._bring(watched)

    def _bring(self, watched: Watched) -> None:
        """As `_update`, but what the view raises is the caller's."""
        view = watched.view
        self._dirty.discard(watched)
        watched.updated = self._clock.now()
        if not watched.sockets:
            view.skip_update()
            return
        after = view.seq
        started = time.perf_counter()
        html = view.update(self._render)
        watched.cost = time.perf_counter() - started
        self.metrics.render_seconds += watched.cost
        if not html:
            return
        self.metrics.frames += 1
        message = frame_of({"content": html, "view": view.id, "seq": view.seq, "after": after, **view.extras()})
        for socket in watched.sockets:
            self._post(socket, message)

    def _window(self, watched: Watched) -> Message:
        view = watched.view
        if watched.window is None or watched.window[0] != view.seq:
            self.metrics.windows += 1
            content = {"content": view.render_window(self._render), "view": view.id, "seq": view.seq, **view.extras()}
            watched.window = (view.seq, frame_of(content))
        return watched.window[1]

    # --- what fails ---

    @contextmanager
    def _alone(self, watched: Watched) -> Iterator[None]:
        """Whatever this view raises here ends the view and nothing else."""
        try:
            yield
        except Exception:
            logger.exception("view %s failed and is dropped; its pages connect again", watched.view.id)
            self.metrics.view_errors += 1
            self._drop(watched)

    def _drop(self, watched: Watched) -> None:
        """End a view; its pages connect again."""
        self._store.drop(watched)
        self._dirty.discard(watched)
        for socket in list(watched.sockets):
            self._turn_out(socket)

    def _turn_out(self, socket: Socket) -> None:
        """Let go of a socket and tell its page to connect again."""
        self.leave(socket)
        closing = asyncio.ensure_future(socket.close(COME_BACK))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
