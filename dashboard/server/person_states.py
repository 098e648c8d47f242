"""The state that each person's requests and sockets get: the replicas, the hub and the client of their own rights.

People with equal rights share a group's replicas and hub (live/hub/rights_groups.py). Who is not known yet is in a
group that sees nothing, and whose pages say why; so is who may see so much that it is still being counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, suppress
from urllib.parse import unquote

from dashboard.access.person import Person
from dashboard.access.rights import RIGHTS, Rights
from dashboard.cluster.access_reviews import ACCESS_REVIEWS, YOU, AccessReviews
from dashboard.cluster.connection import CONNECTION, ConnectionWithClient
from dashboard.cluster.people_rights import KnownPerson, PeopleRights
from dashboard.cluster.person_clients import PersonClients
from dashboard.cluster.rights_denials import RightsDenials
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.rights_groups import GROUP_TTL, RightsGroup, RightsGroups
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS, ScopedObjectCounts
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.objects.schemas.schema_store import SCHEMAS, HiddenSchemas
from dashboard.runtime.app_state import CLOCK, AppState, Key
from informerd.clock import within

NO_RIGHTS = Rights(())
"""Of people whose rights are not known: nothing, and nobody is asked."""
ASKING = "Deltaboard is asking the cluster what you may see. This takes a moment."
COUNTING = "Deltaboard is counting what you may see. This takes a moment."
COUNT_WAIT = 1.0
"""Seconds that a page waits for the counts of what its person may see; then it says that they are being counted."""
OBJECT_PATH = re.compile(r"/resources/([^/?]+)/([^/?]+)/([^/?]+)/")
"""Addresses of one object's pages."""
MAX_SINGLE_OBJECTS = 20
"""Most objects that somebody who may get and not list them opens within GROUP_TTL seconds; more are not shown."""
SCHEMAS_URL = "/openapi/v3"
"""Address of the API server's schemas: whoever may get it sees them."""
SWEEP_AT = 100
"""Number of people from which on those who are gone are looked for."""


class PersonStates:
    """Makes the states of people from `base`, the state of whoever acts with the rights of the account."""

    def __init__(self, base: AppState, rights: PeopleRights, groups: RightsGroups, clients: PersonClients) -> None:
        self._base = base
        self._rights = rights
        self._groups = groups
        self._clients = clients
        self._reviews: dict[Person, AccessReviews] = {}
        self._pages: set[PersonState] = set()
        self._opened: dict[Person, dict[tuple[str, str, str], float]] = {}
        """By person, the objects that they have opened though they may only get them, and when."""
        self._hidden_schemas = HiddenSchemas(base[CLOCK])

    async def open(self, person: Person, address: str) -> PersonState:
        """The state of somebody's page at `address`, path and query. Close it with the page."""
        known = await self._rights.find(person)
        page = PersonState(self, known, address)
        self._pages.add(page)
        try:
            await page.wait_until_counted()
        except BaseException:  # the browser is gone
            page.close()
            raise
        return page

    def listen(self, person: Person, listener: Callable[[], None]) -> Callable[[], None]:
        return self._rights.listen(person, listener)

    def within(self, seconds: float) -> AbstractAsyncContextManager[object]:
        return within(seconds, self._base[CLOCK])

    def close(self, page: PersonState) -> None:
        self._pages.discard(page)

    def hold(self, known: KnownPerson, address: str) -> AbstractContextManager[RightsGroup]:
        """The group in which somebody is now, at a page of this address."""
        if known.rights is None:
            return self._groups.hold(NO_RIGHTS, problem=known.problem or ASKING)
        kinds = self._base[OBJECT_COUNTS].kinds_digest
        rights = self._with_object_at(known.person, known.rights, address)
        if rights.owner:  # what else they may do, only they can be asked about
            return self._groups.hold(rights, self._reviews_of(known.person).cached_denial, kinds=kinds)
        return self._groups.hold(rights, RightsDenials(known.rights).cached_denial, kinds=kinds)

    def hold_counting(self) -> AbstractContextManager[RightsGroup]:
        """The group of those whose own is being counted: it sees nothing, and says why."""
        return self._groups.hold(NO_RIGHTS, problem=COUNTING)

    def _with_object_at(self, person: Person, rights: Rights, address: str) -> Rights:
        """The rights, and on the page of an object that somebody may get but not list, the right to see this one."""
        found = OBJECT_PATH.match(address)
        if found is None:
            return rights
        resource, namespace, name = (unquote(part) for part in found.groups())
        namespace = "" if namespace == "-" else namespace
        replicas = self._base[REPLICAS]
        kind = find_kind(resource, replicas.kinds)
        if kind is None or rights.scope_of(kind.key).includes(namespace, name):
            return rights
        if not rights.allows("get", kind.key, namespace, name):
            return rights
        is_there = kind.key not in replicas or replicas.get(kind.key).get(namespace, name) is not None
        if not is_there or not self._may_open(person, (kind.key, namespace, name)):
            return rights
        return rights.with_name(kind.key, namespace, name)

    def _may_open(self, person: Person, place: tuple[str, str, str]) -> bool:
        """Whether somebody may open one more object by its name: each makes a group, which is kept for a while."""
        now = self._base[CLOCK].now()
        opened = {each: at for each, at in self._opened.get(person, {}).items() if now - at < GROUP_TTL}
        if place in opened or len(opened) < MAX_SINGLE_OBJECTS:
            opened[place] = now
        self._opened[person] = opened
        return place in opened

    def state_of(self, person: Person, group: RightsGroup) -> AppState:
        rights = group.rights
        reviews = self._reviews_of(person) if rights.owner else RightsDenials(rights)
        schemas = self._base[SCHEMAS] if group.rights.allows_url("get", SCHEMAS_URL) else self._hidden_schemas
        return self._base.with_objects(
            {
                RIGHTS: group.rights,
                SCHEMAS: schemas,
                REPLICAS: group.replicas,
                HUB: group.hub,
                OBJECT_COUNTS: ScopedObjectCounts(self._base[OBJECT_COUNTS], group.rights),
                CONNECTION: ConnectionWithClient(self._base[CONNECTION], lambda: self._clients.client_of(person)),
                ACCESS_REVIEWS: reviews,
            }
        )

    def kinds_changed(self) -> None:
        """The cluster has other kinds: what an Event is about may be known now, so everybody is in another group."""
        for page in [*self._pages]:
            page.notify()

    async def stop(self) -> None:
        """End the running access reviews."""
        for reviews in self._reviews.values():
            await reviews.stop()

    def _reviews_of(self, person: Person) -> AccessReviews:
        if person not in self._reviews:
            if len(self._reviews) >= SWEEP_AT:
                self._reviews = {each: kept for each, kept in self._reviews.items() if self._rights.known(each)}
                self._opened = {each: kept for each, kept in self._opened.items() if self._rights.known(each)}
            self._reviews[person] = AccessReviews(self._base[CLOCK], lambda: self._clients.client_of(person), YOU)
        return self._reviews[person]


class PersonState:
    """The state of one page of somebody, which follows their rights while the page is open.

    `on_change` is called when they have changed: `renew` takes them over, and the page's address where that is another.
    """

    def __init__(self, states: PersonStates, known: KnownPerson, address: str) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._states = states
        self._known = known
        self._address = address
        self._stack = ExitStack()
        self._leave = states.listen(known.person, self.notify)
        self._awaited: RightsGroup | None = None
        """The group whose rows are being counted, until when nothing is shown."""
        self.state = self._enter()

    def notify(self) -> None:
        self.on_change()

    def renew(self, address: str | None = None) -> bool:
        """Take over the rights of now; False where the page is in the same group as before."""
        self._address = self._address if address is None else address
        before, shown = self._stack, self.state[HUB]
        self._stack = ExitStack()
        self.state = self._enter()
        before.close()
        return self.state[HUB] is not shown

    async def wait_until_counted(self) -> None:
        """Wait until the counts of what may be seen are known, at most COUNT_WAIT seconds."""
        if self._awaited is None:
            return
        with suppress(TimeoutError):
            async with self._states.within(COUNT_WAIT):
                await self._awaited.counted.wait()
        self.renew()

    def close(self) -> None:
        """The page is closed."""
        self._leave()
        self._stack.close()
        self._states.close(self)

    def _enter(self) -> AppState:
        group, self._awaited = self._stack.enter_context(self._states.hold(self._known, self._address)), None
        if not group.counted.is_set():
            self._awaited = group
            self._stack.callback(group.on_counted(self.notify))
            group = self._stack.enter_context(self._states.hold_counting())
        return self._states.state_of(self._known.person, group)


PERSON_STATES: Key[PersonStates] = Key("people's states")
