"""Simulation of an informer and its API server, with the invariants checked at every turn of the loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from itertools import cycle
from typing import TypeVar
from unittest.mock import patch

from informerd.cache.api_server_probe import Probe
from informerd.cache.handler import FilteringHandler
from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerStopped
from informerd.objects import Object
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.informerd.model.api_server import ModelServer
from tests.support.informerd.model.checking_handler import FoldingHandler, Injected, Manner
from tests.support.informerd.model.etcd_history import History
from tests.support.informerd.model.oracle import Oracle, by_team, is_in
from tests.support.informerd.model.virtual_loop import LoopClock, VirtualLoop
from tests.support.informerd.model.virtual_thread import VirtualThread

T = TypeVar("T")

PROBE_EVERY = 20.0
CONVERGED_WITHIN = 2000.0
"""Seconds: a watch that has stalled is ended 30 s after the ten minutes that it may last, and the backoff takes one."""


class World:
    """Make one, `start`, let things happen, `finish`, `close`. What should not have been is in `problems`."""

    def __init__(
        self,
        *,
        watch_cache: bool,
        streaming_lists: bool,
        page_size: int,
        pieces: list[int],
        latency: float,
        chances: list[float],
    ) -> None:
        self.problems: list[str] = []
        self.history = History()
        self.server = ModelServer(self.history, watch_cache=watch_cache, pieces=pieces, latency=latency)
        self.loop = VirtualLoop(self.server, self._look)
        self._oracle: Oracle | None = None
        self._log = _Log(self.problems.append)
        self._threads = patch("informerd.cache.listener.HandlerThread", VirtualThread)
        self._waits: list[asyncio.Task[None]] = []
        self._names = iter(range(10**6))
        self._run_now(lambda: self._build(streaming_lists, page_size, chances or [0.0]))

    @property
    def oracle(self) -> Oracle:
        """Says what is wrong."""
        assert self._oracle is not None
        return self._oracle

    @property
    def handlers(self) -> list[FoldingHandler]:
        """Those that have not been removed."""
        return [*self.oracle.handlers]

    @property
    def known(self) -> int:
        """The version up to which the informer has heard."""
        return int(self.informer.last_resource_version or 0)

    @property
    def is_ahead(self) -> bool:
        """Whether the informer knows a version that the API server, restored from a backup, is still to give out.

        Nothing is written then: once the API server has caught up with what the informer knows, nobody could tell.
        """
        return self.known > self.history.version

    def start(self) -> None:
        """Start the informer and the probe."""
        logger = logging.getLogger("informerd")
        logger.propagate = False
        logger.addHandler(self._log)
        self._threads.start()
        self._run_now(self._start)

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises AssertionError where something is wrong."""
        self.loop.advance(seconds)
        self._raise()

    def do(self, action: Callable[[], T]) -> T:
        """Call something inside the loop, and what follows from it at once."""
        answer = self._run_now(action)
        self._raise()
        return answer

    def disturb(self, action: Callable[[], object]) -> None:
        """Do something that may make another list necessary."""
        self.oracle.undisturbed = False
        self.do(action)

    def write(self, key: str, teams: str | None) -> None:
        """Put an object, or delete it where `teams` is None."""
        if teams is None:
            self.history.delete(key)
        else:
            self.history.put(key, teams)
        self.do(self.server.changed)

    def add_handler(self, manner: Manner, resync: float, team: str) -> None:
        """Add a handler, for the objects of one team only where that is not empty.

        A slow one gets no resyncs: they would come faster than it is done with them, and its buffer grow for ever.
        """
        self.do(lambda: self._add_handler(manner, resync if manner != "slow" else 0.0, team))

    def remove_handler(self, handler: FoldingHandler) -> None:
        """Remove it, twice."""
        assert handler.registration is not None
        del self.oracle.handlers[handler]
        for _ in range(2):
            self.do(handler.registration.remove)
            handler.removed = True
        handler.gate.set()

    def add_index(self) -> None:
        """Add the index by team."""
        self.do(lambda: self.informer.add_index("teams", by_team))
        self.oracle.teams_indexed = True

    def wait_for(self, version: int) -> None:
        """Wait for a version, which may be one to come; what must hold when the wait ends is checked then."""
        self.do(lambda: self._waits.append(asyncio.ensure_future(self._wait(version))))

    def finish(self) -> None:
        """Mend the server, and see that all ends well: everything equal, every wait over, every task ended."""
        for handler in self.handlers:
            handler.gate.set()
        self.do(self.server.heal)
        end = self.loop.time() + CONVERGED_WITHIN
        while self.is_ahead and self.loop.time() < end:
            self.advance(5.0)
        self.write("last/one", "red")
        self._converge(end)
        self.history.write_elsewhere()  # only a bookmark can tell
        self.wait_for(self.history.version)
        self._converge(end)
        self.problems += [*self.oracle.indexes(), *self.oracle.copies()]
        self._raise()
        self._run_now(self._stop)
        self.advance(1.0)
        self.problems += [f"a task is left: {task!r}" for task in asyncio.all_tasks(self.loop)]
        if self.server.connections:
            self.problems.append(f"{self.server.connections} connections are left")
        self._raise()

    def close(self) -> None:
        """Leave nothing behind, whatever went wrong."""
        logger = logging.getLogger("informerd")
        logger.removeHandler(self._log)
        logger.propagate = True
        self._threads.stop()
        self._oracle = None
        self.server.stop()
        for _ in range(5):
            for task in asyncio.all_tasks(self.loop):
                task.cancel()
            self.loop.advance(1.0)
        closing = self.loop.create_task(self._client.close())
        self.loop.advance(1.0)
        closing.cancel()
        self.loop.close()

    def _build(self, streaming_lists: bool, page_size: int, chances: list[float]) -> None:
        clock = LoopClock()
        settings = ReflectorSettings(
            page_size=page_size, streaming_lists=streaming_lists, chance=cycle(chances).__next__
        )
        self._client = Client(ClusterConfig(name="model", server="http://127.0.0.1:1"), clock=clock)
        self._probe = Probe(self._client, clock=clock, interval=PROBE_EVERY)
        list_watch = ListWatch(self._client, PODS, projection=Object)
        self.informer = SharedInformer(list_watch, clock=clock, probe=self._probe, settings=settings)
        self._oracle = Oracle(self.informer, self.server)

    def _start(self) -> None:
        self._tasks = [asyncio.ensure_future(self.informer.run()), asyncio.ensure_future(self._probe.run())]

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._stopping = asyncio.ensure_future(self._close_client())

    async def _close_client(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.close()

    def _add_handler(self, manner: Manner, resync: float, team: str) -> None:
        handler = FoldingHandler(
            str(next(self._names)),
            manner,
            same_versions=resync > 0,
            filtered=bool(team),
            exists=lambda told: told in self.history.known,
            may_go_back=lambda: self.history.epoch > 0,
            complain=self.problems.append,
        )
        self.oracle.expect(handler, team)
        whole = FilteringHandler(lambda obj: is_in(team, obj.metadata.labels["teams"]), handler) if team else handler
        handler.registration = self.informer.add_handler(whole, resync=resync, in_thread=manner == "in a thread")

    async def _wait(self, version: int) -> None:
        epoch, absences = self.history.epoch, self.server.absences
        self.oracle.waits.append((version, epoch))
        try:
            await self.informer.wait_for(str(version))
        except InformerStopped:
            return
        self.oracle.waits.remove((version, epoch))
        now = self.informer.store.resource_version
        went_back = (self.history.epoch, self.server.absences) != (epoch, absences)
        if not went_back and (not now or int(now) < version):
            self.problems.append(f"the wait for {version} is over, but the store is at {now!r}")

    def _converge(self, end: float) -> None:
        while any(self.oracle.differences()) and self.loop.time() < end:
            self.advance(5.0)
            self.do(self.server.bookmark)
        self.problems += [f"after {CONVERGED_WITHIN:g} s: {problem}" for problem in self.oracle.differences()]
        self._raise()

    def _run_now(self, action: Callable[[], T]) -> T:
        answers: list[T] = []
        self.loop.call_soon(lambda: answers.append(action()))
        self.loop.advance(0.0)
        if not answers:
            raise AssertionError(f"{action} failed: {self.loop.faults}")
        return answers[0]

    def _look(self) -> None:
        if self._oracle is not None:
            try:
                self.problems += self._oracle.look()
            except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
                self.problems.append(f"the informer could not be looked at: {error!r}")

    def _raise(self) -> None:
        self.problems += self.loop.faults
        self.loop.faults.clear()
        assert not self.problems, "\n".join(self.problems)


class _Log(logging.Handler):
    """Complains of every error in informerd's log that the test has not caused."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._complain = complain

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, (Injected, asyncio.CancelledError, SystemExit)):
            self._complain(f"logged: {record.getMessage()}: {error!r}")
