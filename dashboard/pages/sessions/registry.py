"""Sessions as a web process knows them: looked up for each request, and ended in all processes at once.

A session that is ended is deleted from the database first; then a message tells every web process, which forgets it and
closes its sockets. Without the message the next lookup finds it ended: what was looked up is used for CACHE_SECONDS,
and the sessions of open sockets are looked up as often.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.access.oidc.tokens import LogoutToken
from dashboard.access.person import Person
from dashboard.access.sessions import store
from dashboard.access.sessions.session import Lifetime, Session, new_cookie, session_id
from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.runtime.app_state import Key
from dashboard.runtime.database_executor import DatabaseExecutor, Unavailable
from informerd.clock import Clock
from informerd.lru_cache import LruCache

logger = logging.getLogger(__name__)

GROUP = "sessions"
"""Group of all web processes."""
MESSAGE_TYPE = "sessions.ended"
CACHE_SECONDS = 1.0
"""Seconds for which a looked-up session is used without another lookup."""
GRACE_SECONDS = 60.0
"""Seconds for which it is used while the database cannot be asked."""
MAX_CACHED = 10_000
IDS_IN_MESSAGE = 1_000


class EndedSessions(msgspec.Struct):
    """Message to all web processes: sessions that have ended."""

    ids: tuple[str, ...] = ()
    is_everybody: bool = False


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(EndedSessions)


def ended_message(ended: EndedSessions) -> dict[str, Any]:
    """What the channel layer carries."""
    return {"type": MESSAGE_TYPE, "data": _encoder.encode(ended)}


@dataclass(frozen=True, slots=True)
class _Lookup:
    session: Session
    at: float
    """Monotonic seconds."""


class SessionRegistry:
    """The sessions of one web process. `run` hears of those that others end."""

    def __init__(
        self,
        channel_layer: ChannelLayer,
        clock: Clock,
        lifetime: Lifetime,
        *,
        layer_health: ChannelLayerHealth | None = None,
        database: DatabaseExecutor | None = None,
    ) -> None:
        layer_health = layer_health or ChannelLayerHealth()
        self.lifetime = lifetime
        self._clock = clock
        self._database = database or DatabaseExecutor(clock, content="sessions")
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, GROUP, clock, layer_health)
        self._cache: LruCache[str, _Lookup] = LruCache(MAX_CACHED)
        self._generation = 0
        """Counts what was heard of ended sessions: a lookup that began before must not be kept."""
        self._watched: dict[str, set[asyncio.Event]] = {}
        """Events of open sockets by session, set when it ends."""

    # --- lookup ---

    async def current(self, cookie: str) -> Session | None:
        """The session of a cookie; None where it has ended or never was.

        Raises Unavailable where the database cannot be asked and the session was not looked up within GRACE_SECONDS.
        """
        key = session_id(cookie)
        if not key:
            return None
        known = self._cache.get(key)
        if known is not None and self._clock.now() - known.at < CACHE_SECONDS:
            return self._unless_over(known.session)
        try:
            return await self._look_up(key)
        except Unavailable:
            known = self._cache.get(key)  # nobody has ended it meanwhile
            if known is None or self._clock.now() - known.at > GRACE_SECONDS:
                raise
            return self._unless_over(known.session)

    async def _look_up(self, key: str) -> Session | None:
        while True:
            generation, began = self._generation, self._clock.now()
            session = await self._database.ask(store.find, key, self._clock.time(), self.lifetime)
            if session is None:
                self._forget({key})
                return None
            if generation == self._generation:
                self._cache.put(key, _Lookup(session, began))
                return session

    def _unless_over(self, session: Session) -> Session | None:
        return None if session.has_ended(self._clock.time(), self.lifetime) else session

    # --- beginning and ending; all raise Unavailable where the database cannot be used ---

    async def begin(self, person: Person, *, issuer: str, subject: str, sid: str, device: str) -> str:
        """A new session; returns its cookie, whose key nobody has seen before."""
        cookie, now = new_cookie(), self._clock.time()
        session = Session(
            session_id(cookie), person, issuer, subject, sid, device, now, now, now + self.lifetime.longest
        )
        await self._tell(await self._database.ask(store.add, session, self.lifetime))
        return cookie

    async def of_person(self, name: str) -> tuple[Session, ...]:
        """Somebody's sessions, the one used last first."""
        return await self._database.ask(store.of_person, name, self._clock.time(), self.lifetime)

    async def end(self, name: str, ids: Iterable[str]) -> int:
        """End sessions of somebody, of nobody else. Returns how many."""
        return await self._tell(await self._database.ask(store.end, name, tuple(ids)))

    async def end_others(self, session: Session) -> int:
        """End all sessions of its person but this one. Returns how many."""
        return await self._tell(await self._database.ask(store.end_of_person, session.person.name, session.id))

    async def end_of_person(self, name: str) -> int:
        """End all sessions of somebody. Returns how many."""
        return await self._tell(await self._database.ask(store.end_of_person, name))

    async def end_everybody(self) -> int:
        """End all sessions. Returns how many."""
        number = await self._database.ask(store.end_all)
        await self._announce(EndedSessions(is_everybody=True))
        return number

    async def end_by_token(self, issuer: str, token: LogoutToken) -> int | None:
        """End what a logout token asks for. Returns how many; None where the token was used before."""
        ended = await self._database.ask(store.end_by_token, issuer, token, self._clock.time())
        return None if ended is None else await self._tell(ended)

    async def _tell(self, ended: tuple[str, ...]) -> int:
        for begin in range(0, len(ended), IDS_IN_MESSAGE):
            await self._announce(EndedSessions(ended[begin : begin + IDS_IN_MESSAGE]))
        return len(ended)

    async def _announce(self, ended: EndedSessions) -> None:
        """Here at once, whatever becomes of the message."""
        self._take(ended)
        await self._sender.to_group(GROUP, ended_message(ended))

    # --- sockets, and what other processes say ---

    @contextmanager
    def watch(self, session: Session) -> Iterator[asyncio.Event]:
        """An event that is set when the session ends, while the block runs; the session counts as used meanwhile."""
        ended = asyncio.Event()
        self._watched.setdefault(session.id, set()).add(ended)
        try:
            yield ended
        finally:
            events = self._watched.get(session.id, set())
            events.discard(ended)
            if not events:
                self._watched.pop(session.id, None)

    async def run(self) -> None:
        """Hear of ended sessions, and look up those of open sockets, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._inbox.run(self.receive))
            tasks.create_task(self._keep_checking())

    async def receive(self, message: dict[str, Any]) -> None:
        """Handle one message of the layer; a malformed one is dropped, for the next lookup knows better."""
        try:
            if message["type"] == MESSAGE_TYPE:
                self._take(_decoder.decode(message["data"]))
        except UNREADABLE as error:
            logger.warning("dropped a message about ended sessions: %s", error)

    async def check_watched(self) -> None:
        """Look up the sessions of open sockets; those that have ended are closed."""
        watched = frozenset(self._watched)
        if watched:
            alive = await self._database.ask(store.use, watched, self._clock.time(), self.lifetime)
            self._forget(watched - alive)

    async def _keep_checking(self) -> None:
        while True:
            await self._clock.sleep(CACHE_SECONDS)
            try:
                await self.check_watched()
            except Unavailable as error:
                logger.debug("the sessions of open pages were not looked up: %s", error)

    def _take(self, ended: EndedSessions) -> None:
        self._generation += 1
        if ended.is_everybody:
            self._cache = LruCache(MAX_CACHED)
            self._forget(frozenset(self._watched))
        self._forget(ended.ids)

    def _forget(self, ids: Iterable[str]) -> None:
        for key in ids:
            self._cache.remove(key)
            for event in self._watched.get(key, ()):
                event.set()


SESSIONS: Key[SessionRegistry] = Key("sessions")
