"""Election in a thread of its own, with its own event loop, client and connections.

A blocked main loop is noticed, and the lease is renewed all the same: the leader keeps the lease, because nobody else
could know how far its work has come. A loop that has not had a turn for `blocked_limit` seconds is taken to be stuck:
the lease is left to expire, another process takes over, and the writes of this one are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable

from informerd.clock import AwakeClock, Clock
from informerd.errors import InformerdError, LeaderElectionLost
from informerd.leader_election.election_config import Election
from informerd.leader_election.elector import Elector
from informerd.leader_election.leadership import Leadership
from informerd.leader_election.lease_lock import LeaseLock
from informerd.leader_election.loop_watchdog import make_running_loop_watchdog
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.rest_client import USER_AGENT

log = logging.getLogger(__name__)

_LOOK = 0.05
"""Seconds between two looks at whether the lease leads yet, which is in memory."""


class ElectionThread:
    """Takes part in an election from `start` to `stop`, for the running event loop in which it is made.

    `config`'s `authorization`, where it has one, is called in that thread's loop. `clock` must do for both threads; by
    default it counts the time in which the machine was suspended.
    """

    def __init__(
        self, config: ClusterConfig, election: Election, *, clock: Clock | None = None, user_agent: str = USER_AGENT
    ) -> None:
        self._config = config
        self._election = election
        self._clock = clock or AwakeClock()
        self._user_agent = user_agent
        namespace = election.namespace or config.namespace
        self.leadership = Leadership(election, f"{namespace}/{election.name}", self._clock)
        self._main = asyncio.get_running_loop()
        self._watch = make_running_loop_watchdog(self._clock, election.blocked_limit)
        self._thread: threading.Thread | None = None
        self._won = asyncio.Event()
        self._ended = asyncio.Event()
        self._fault: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._enough = asyncio.Event()
        """Belongs to the thread's loop."""
        self._release = False
        self._stopped = False

    def start(self) -> None:
        """Begin. Call it once."""
        name = f"election {self.leadership.lease}"
        self._thread = threading.Thread(target=self._run_thread, name=name, daemon=True)
        self._thread.start()

    async def wait_until_leading(self) -> None:
        """Wait until this process leads. Raises LeaderElectionLost where it no longer can."""
        won = asyncio.ensure_future(self._won.wait())
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait((won, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            won.cancel()
            ended.cancel()
        if self._ended.is_set():
            raise self._lost()

    async def wait_until_lost(self) -> LeaderElectionLost:
        """Wait until the election is over for this process. Returns the reason."""
        await self._ended.wait()
        return self._lost()

    async def stop(self, *, release: bool = True) -> None:
        """End it, and wait for that; with `release` the lease is given up, if the election says so and it is held.

        From here on this process does not lead. May be called again, and where nothing was started.
        """
        if self._thread is None:
            return
        self._release = release and self._election.release
        self._stopped = True
        self._tell_thread()
        await self._ended.wait()
        self._thread.join()
        self.leadership.end(self.leadership.problem)

    def abandon(self) -> None:
        """Have it end, without waiting for that, and the lease expire. From here on this process does not lead."""
        self._stopped = True
        self.leadership.end("this process was cut short")
        self._tell_thread()

    def _tell_thread(self) -> None:
        if (loop := self._loop) is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(self._enough.set)

    def _lost(self) -> LeaderElectionLost:
        if isinstance(self._fault, LeaderElectionLost):
            return self._fault
        problem = str(self._fault) if self._fault else "the election was stopped"
        lost = LeaderElectionLost(self.leadership.lease, problem)
        lost.__cause__ = self._fault
        return lost

    def _run_thread(self) -> None:
        try:
            asyncio.run(self._run())
        except BaseException as fault:  # noqa: BLE001 - the main loop is told, and raises it
            self._fault = fault
            self.leadership.end(str(fault))
        finally:
            self._tell(self._ended.set)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._stopped:  # before there was a loop to be told so
            return
        async with Client(self._config, user_agent=self._user_agent) as client:
            store = LeaseLock(client, self._election, clock=self._clock)
            elector = Elector(store, self.leadership, clock=self._clock)
            if await self._elect(elector) and self._release:
                await self._release_of(elector)

    async def _elect(self, elector: Elector) -> bool:
        """Take part until the main loop ends it, then return True. Raises LeaderElectionLost."""
        watching = asyncio.create_task(self._watch.run(), name="loop watch")
        running = asyncio.create_task(elector.run(), name="elector")
        telling = asyncio.create_task(self._tell_when_won(), name="teller")
        enough = asyncio.create_task(self._enough.wait(), name="end of the election")
        tasks = (watching, running, telling, enough)
        try:
            await asyncio.wait((watching, running, enough), return_when=asyncio.FIRST_COMPLETED)
            if enough.done():
                return True
            if running.done():
                await running
            problem = await watching
            self.leadership.end(problem)
            log.error(
                "the lease %s is no longer renewed: %s",
                self.leadership.lease,
                problem,
                extra={"lease": str(self.leadership.lease)},
            )
            raise LeaderElectionLost(self.leadership.lease, problem)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell_when_won(self) -> None:
        while not self.leadership.is_leading:
            await self._clock.sleep(_LOOK)
        self._tell(self._won.set)

    async def _release_of(self, elector: Elector) -> None:
        try:
            await elector.release()
        except InformerdError as error:
            text = "could not release the lease %s; where this process held it, the next one waits until it expires: %s"
            log.warning(text, self.leadership.lease, error, extra={"lease": str(self.leadership.lease)})

    def _tell(self, what: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the main loop has ended, and needs to know nothing
            self._main.call_soon_threadsafe(what)
