"""ASGI layer that gives requests and sockets with ``at=`` in their address the state of that moment of the past."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.urls import Resolver404, resolve

from dashboard.access.person import person_of
from dashboard.cluster.connection import CONNECTION, ConnectionWithClient
from dashboard.cluster.people_rights import PeopleRights
from dashboard.cluster.person_clients import PersonClients
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.live.moments.at_parameter import PAST_PAGES, BadMoment, parse_at, read_at
from dashboard.live.moments.moments import MOMENT, Moment, Moments, TooManyMoments
from dashboard.live.moments.past_stand_ins import PastCounts, PastInterest
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.replicas import REPLICAS
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, AppState
from dashboard.runtime.read_only import past_is_shown
from dashboard.server.guard import Application, Receive, Scope, Send
from dashboard.server.person_states import PersonStates
from dashboard.server.rights_layer import PERSON_STATE_KEY
from dashboard.server.websocket_connection import BUSY, NOT_FOUND

REFUSAL_KEY = "deltaboard.moment refusal"
"""Key of the ASGI scope for the reason why a moment cannot be shown."""
SOCKET_PATH = "/live/"


@dataclass(frozen=True, slots=True)
class MomentRefusal:
    """Why a moment cannot be shown, as sentences, and the status of the response."""

    status: int
    title: str
    sentence: str


NO_HISTORY = MomentRefusal(
    404, "There is no history", "Deltaboard keeps no history here, so that only the present can be shown."
)
PRESENT_ONLY = MomentRefusal(404, "This page shows the present only", "There is nothing like it in the past.")


class MomentLayer:
    """Passes requests with a moment to `past`, all others to `present` as they are."""

    def __init__(
        self,
        present: Application,
        past: Application,
        base: AppState,
        moments: Moments | None,
        people: PeopleRights | None = None,
    ) -> None:
        """`moments` is None where no history is kept. With `people`, everybody sees what their rights include."""
        self._present = present
        self._past = past
        self._base = base
        self._moments = moments
        self._people = people
        self._states: dict[Moment, AppState] = {}
        self._person_states: dict[Moment, PersonStates] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = read_at(address.query) if (address := _address_of(scope)) is not None else None
        if address is None or text is None:
            await self._present(scope, receive, send)
            return
        try:
            moment = self._open(address.path, text)
        except _Refused as refused:
            await self._refuse(refused.refusal, scope, receive, send)
            return
        with past_is_shown():
            async with self._scope_of(moment, scope, address.path) as past_scope:
                await self._past(past_scope, receive, send)

    def _open(self, path: str, text: str) -> Moment:
        if not _shows_past(path):
            raise _Refused(PRESENT_ONLY)
        if self._moments is None:
            raise _Refused(NO_HISTORY)
        try:
            return self._moments.open(parse_at(text, self._base[CLOCK].time()))
        except BadMoment as error:
            raise _Refused(MomentRefusal(400, "This is no moment of the past", str(error))) from None
        except TooManyMoments as error:
            raise _Refused(MomentRefusal(503, "Too many moments are open", str(error))) from None

    @asynccontextmanager
    async def _scope_of(self, moment: Moment, scope: Scope, path: str) -> AsyncIterator[Scope]:
        if self._people is None:
            yield {**scope, SCOPE_KEY: self._state_of(moment)}
            return
        page = await self._person_states_of(moment, self._people).open(person_of(scope), path)
        try:
            yield {**scope, SCOPE_KEY: page.state, PERSON_STATE_KEY: page}
        finally:
            page.close()

    def _state_of(self, moment: Moment) -> AppState:
        self._forget_ended()
        if moment not in self._states:
            self._states[moment] = self._base.with_objects(
                {
                    MOMENT: moment,
                    CLOCK: moment.clock,
                    REPLICAS: moment.replicas,
                    HUB: moment.hub,
                    INTEREST: PastInterest(moment.replicas, moment.hub, moment.clock),
                    OBJECT_COUNTS: PastCounts(self._base[OBJECT_COUNTS]),
                    CONNECTION: ConnectionWithClient(self._base[CONNECTION], lambda: None),
                }
            )
        return self._states[moment]

    def _person_states_of(self, moment: Moment, rights: PeopleRights) -> PersonStates:
        state = self._state_of(moment)
        if moment not in self._person_states:
            no_clients = PersonClients(lambda: None, impersonates=True)
            self._person_states[moment] = PersonStates(state, rights, moment.groups, no_clients)
        return self._person_states[moment]

    def _forget_ended(self) -> None:
        for kept in (self._states, self._person_states):
            for moment in [each for each in kept if each.has_ended]:
                del kept[moment]

    async def _refuse(self, refusal: MomentRefusal, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._present({**scope, REFUSAL_KEY: refusal}, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": BUSY if refusal.status == 503 else NOT_FOUND})


class _Refused(Exception):
    def __init__(self, refusal: MomentRefusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _Address:
    path: str
    query: str


def _address_of(scope: Scope) -> _Address | None:
    """The address of a page, of a socket the page that it follows; None where it has none."""
    query = scope.get("query_string", b"").decode("latin-1")
    if scope["type"] == "http":
        return _Address(scope["path"], query)
    if scope["type"] != "websocket" or scope["path"] != SOCKET_PATH:
        return None
    parts = urlsplit(parse_qs(query).get("path", [""])[0])
    return _Address(parts.path, parts.query)


def _shows_past(path: str) -> bool:
    try:
        return resolve(path).url_name in PAST_PAGES
    except Resolver404:
        return False
