"""Rights of the people who are signed in, as the API server tells them, kept until roles and bindings change.

Who is not known yet may see nothing. One review tells the rules of all namespaces, and one more those of each namespace
in which a RoleBinding names somebody or a group of theirs. Where another authorizer than RBAC answers, too, so that
rules cannot be listed, the API server is asked kind by kind (access_probe.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus

from dashboard.access.person import Person
from dashboard.access.rights import Rights, Rule
from dashboard.cluster.access_probe import AccessProbe
from dashboard.cluster.rbac_watch import RbacChange, RbacWatch
from dashboard.cluster.rules_review import NO_NAMESPACE, RulesReview, review_rules
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from informerd.clock import Clock, sleep_or, within
from informerd.errors import ApiError, Forbidden, InformerdError, Unreachable
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

FIRST_WAIT = 2.0
"""Seconds that a page waits for the rights of somebody who is new; then it says that they are being asked for."""
CHANGE_LIMIT = 3.0
"""Seconds after which rights end whose change is known and about which the API server has not answered."""
ASK_LIMIT = 15.0
"""Seconds for all that is asked about somebody at one time, where nothing is known to have changed."""
REVIEW_TIMEOUT = 5.0
"""Seconds for one review."""
MAX_CONCURRENT = 8
"""Maximum number of concurrent reviews of people whose rights are known, and of those who are new, who so do not wait
until all others have been asked about again."""
ASK_AGAIN = (0.0, 0.5, 2.0)
"""Seconds after a change of roles or bindings at which rights are asked for: the API server's own authorizer learns of
a change by a watch of its own, which may be later than ours."""
UNWATCHED_SECONDS = 60.0
"""Seconds for which rights hold where changes cannot be watched: another authorizer answers, too, or roles and bindings
may not be read."""
REFRESH_SECONDS = 45.0
"""Seconds after which they are asked for again, so that nobody notices."""
OUTAGE_SECONDS = 900.0
"""Seconds for which known rights hold while the API server does not answer, so that pages show its last state."""
RETRY_INTERVAL = 5.0
"""Seconds between two tries while the API server does not answer, or refuses."""
FORGET_SECONDS = 600.0
"""Seconds after the last page of somebody in which their rights are forgotten."""
SWEEP_INTERVAL = 5.0


@dataclass(slots=True, eq=False)
class KnownPerson:
    """What is known of somebody's rights."""

    person: Person
    rights: Rights | None = None
    """None while they are not known: nothing may be shown."""
    problem: str = ""
    """Why they are not known, or may be older than they should be, as a sentence."""
    is_complete: bool = False
    """Whether RBAC alone decides, so that rights hold until roles or bindings change."""
    confirmed_at: float = float("-inf")
    """Monotonic seconds of the last answer."""
    used_at: float = 0.0
    everywhere: RulesReview | None = None
    by_namespace: dict[str, frozenset[Rule]] = field(default_factory=dict)
    due: dict[str, list[float]] = field(default_factory=dict)
    """When each namespace's rules are to be asked for, NO_NAMESPACE for those of all: monotonic seconds."""
    task: asyncio.Task[None] | None = None
    has_changed: bool = False
    """Whether roles or bindings have changed, and the API server may not have said yet what that means."""
    changes: int = 0
    """Number of such changes."""
    kinds: dict[str, KindInfo] = field(default_factory=dict)
    """Kinds to ask about beside those that everybody's pages show."""
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: set[Callable[[], None]] = field(default_factory=set)


class PeopleRights:
    """The rights of everybody who has a page open, or had one a moment ago.

    `client_of` returns the client that acts for somebody; `namespaces` those that are asked about where roles and
    bindings are not known. `run` watches and forgets until it is cancelled.
    """

    def __init__(
        self,
        client: Callable[[], Client | None],
        client_of: Callable[[Person], Client | None],
        clock: Clock,
        *,
        namespaces: Callable[[], Iterable[str]],
        probe: AccessProbe,
    ) -> None:
        self._client = client
        self._client_of = client_of
        self._clock = clock
        self._namespaces = namespaces
        self._probe = probe
        self._people: dict[Person, KnownPerson] = {}
        self._gate, self._gate_of_new = asyncio.Semaphore(MAX_CONCURRENT), asyncio.Semaphore(MAX_CONCURRENT)
        self.rbac = RbacWatch(
            client, clock, on_change=self._rbac_changed, on_listed=self._ask_all, on_switch=self._withdraw_all
        )

    def __len__(self) -> int:
        return len(self._people)

    async def find(self, person: Person, kind: KindInfo | None = None) -> KnownPerson:
        """What is known of somebody's rights, those over `kind` included; after at most FIRST_WAIT seconds.

        The rights are None while they are not known.
        """
        known = self._noted(person)
        if kind is not None and kind.key not in known.kinds:
            known.kinds[kind.key] = kind
            if known.rights is not None and not known.is_complete:
                known.answered.clear()
                self._ask(known, NO_NAMESPACE, times=(0.0,))
        with contextlib.suppress(TimeoutError):
            async with within(FIRST_WAIT, self._clock):
                await known.answered.wait()
        return known

    def known(self, person: Person) -> KnownPerson | None:
        """What is known of somebody's rights now; None where nobody has asked."""
        return self._people.get(person)

    def listen(self, person: Person, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at each change of somebody's rights, until the function that this returns is called."""
        known = self._noted(person)
        known.listeners.add(listener)

        def leave() -> None:
            known.listeners.discard(listener)
            known.used_at = self._clock.now()

        return leave

    async def run(self) -> None:
        """Watch roles and bindings, and forget who is gone, until cancelled."""
        watching = asyncio.create_task(self.rbac.run(), name="roles and bindings")
        try:
            while not watching.done():
                await self._clock.sleep(SWEEP_INTERVAL)
                await self.sweep()
            await watching
        finally:
            await cancel_all([watching, *(known.task for known in self._people.values() if known.task is not None)])

    async def sweep(self) -> None:
        """Ask again where changes are not watched, and forget those who have had no page for a while."""
        now, is_watched = self._clock.now(), self.rbac.is_live
        for known in [*self._people.values()]:
            age = now - known.confirmed_at
            holds = FORGET_SECONDS if is_watched and known.is_complete else UNWATCHED_SECONDS
            if self._people.get(known.person) is not known:
                continue  # another sweep has forgotten them while this one waited
            if not known.listeners and now - known.used_at >= holds:
                del self._people[known.person]
                if known.task is not None:
                    await cancel_all([known.task])
            elif holds == UNWATCHED_SECONDS and age >= REFRESH_SECONDS and not known.due:
                self._ask(known, NO_NAMESPACE, times=(0.0,))

    def _noted(self, person: Person) -> KnownPerson:
        known = self._people.get(person)
        if known is None:
            known = self._people[person] = KnownPerson(person)
            self._ask(known, NO_NAMESPACE, times=(0.0,))
        known.used_at = self._clock.now()
        return known

    def _rbac_changed(self, change: RbacChange) -> None:
        for known in self._people.values():
            if change.is_about(known.person):
                known.has_changed, known.changes = True, known.changes + 1
                known.answered.clear()
                self._ask(known, change.namespace or NO_NAMESPACE)

    def _ask_all(self) -> None:
        for known in self._people.values():
            self._ask(known, NO_NAMESPACE, times=(0.0,))

    def _withdraw_all(self) -> None:
        """Another cluster has other rights, or the same one another account that asks."""
        for known in self._people.values():
            known.everywhere, known.by_namespace = None, {}
            known.answered.clear()
            self._set(known, None, "")
            self._ask(known, NO_NAMESPACE, times=(0.0,))

    def _ask(self, known: KnownPerson, namespace: str, *, times: tuple[float, ...] = ASK_AGAIN) -> None:
        """Ask soon for the rules of a namespace; for those of all namespaces with those of each that names somebody."""
        now = self._clock.now()
        known.due[namespace] = [now + seconds for seconds in times]
        known.wake.set()
        if known.task is None or known.task.done():
            known.task = asyncio.create_task(self._answer(known), name="asking what somebody may do")

    async def _answer(self, known: KnownPerson) -> None:
        """Ask whatever is due, until nothing is."""
        while known.due:
            known.wake.clear()
            now = self._clock.now()
            due = {namespace for namespace, times in known.due.items() if times[0] <= now}
            if not due:
                await sleep_or(known.wake, min(times[0] for times in known.due.values()) - now, self._clock)
                continue
            for namespace in due:
                known.due[namespace] = [each for each in known.due[namespace] if each > now]
                if not known.due[namespace]:
                    del known.due[namespace]
            await self._ask_now(known, due)

    async def _ask_now(self, known: KnownPerson, due: set[str]) -> None:
        limit = CHANGE_LIMIT if known.has_changed else ASK_LIMIT
        try:
            async with within(limit, self._clock):
                await self._review(known, due)
        except TimeoutError:
            self._note_failure(known, Unreachable(f"there was no answer within {limit:g} s"))
        except InformerdError as error:
            self._note_failure(known, error)
        except Exception:
            logger.exception("the rights of somebody could not be found; nothing is shown to them")
            self._set(known, None, "Deltaboard could not find out what you may see. The log of the server says why.")
        finally:
            known.answered.set()

    async def _review(self, known: KnownPerson, due: set[str]) -> None:
        if not known.person.name:
            self._set(known, None, "Nobody is signed in, so nothing is shown.")
            return
        client = self._client_of(known.person)
        if client is None:
            self._note_no_cluster(known)
            return
        account, changes = self._client(), known.changes
        namespaces = self.rbac.namespaces_of(known.person) if self.rbac.is_listed else frozenset(self._namespaces())
        gate = self._gate_of_new if known.rights is None else self._gate
        if NO_NAMESPACE in due or known.everywhere is None:
            known.everywhere = await self._asked(client, NO_NAMESPACE, gate)
            asked = sorted(namespaces)
        else:
            asked = sorted((due & namespaces) | (namespaces - known.by_namespace.keys()))
        answers = await asyncio.gather(*(self._asked(client, namespace, gate) for namespace in asked))
        everywhere = known.everywhere
        kept = {name: rules for name, rules in known.by_namespace.items() if name in namespaces}
        own = {name: answer.rules - everywhere.rules for name, answer in zip(asked, answers, strict=True)}
        known.by_namespace = {**kept, **own}
        known.is_complete = everywhere.is_complete and all(answer.is_complete for answer in answers)
        rights = Rights(everywhere.rules, known.by_namespace, urls=everywhere.urls)
        if not known.is_complete:
            more = known.kinds.values()
            rights = await self._probe.completed(rights, known.person, client, sorted(self._namespaces()), more)
        if self._client() is not account:
            return  # they are those of another cluster; it has been asked meanwhile
        known.confirmed_at = self._clock.now()
        if known.changes == changes and not known.due:  # the last of the answers to a change
            known.has_changed = False
        self._set(known, rights, "")

    async def _asked(self, client: Client, namespace: str, gate: asyncio.Semaphore) -> RulesReview:
        async with gate:
            try:
                async with within(REVIEW_TIMEOUT, self._clock):
                    return await review_rules(client, namespace)
            except TimeoutError:
                raise Unreachable(f"there was no answer within {REVIEW_TIMEOUT:g} s") from None

    def _note_no_cluster(self, known: KnownPerson) -> None:
        self._ask(known, NO_NAMESPACE, times=(RETRY_INTERVAL,))
        self._set(known, known.rights, "Deltaboard is not connected to a cluster, so it is unknown what you may see.")

    def _note_failure(self, known: KnownPerson, error: InformerdError) -> None:
        """A refusal ends the rights at once, and so does a change whose outcome is not known; silence does in time."""
        is_refused = isinstance(error, ApiError) and error.code < 500 and error.code != HTTPStatus.TOO_MANY_REQUESTS
        age = self._clock.now() - known.confirmed_at
        is_over = is_refused or known.has_changed or age > (OUTAGE_SECONDS if known.is_complete else UNWATCHED_SECONDS)
        self._ask(known, NO_NAMESPACE, times=(RETRY_INTERVAL,))
        self._set(known, None if is_over else known.rights, _failure_text(error))

    def _set(self, known: KnownPerson, rights: Rights | None, problem: str) -> None:
        before = known.rights.fingerprint if known.rights is not None else "", known.problem
        known.rights, known.problem = rights, problem
        if (rights.fingerprint if rights is not None else "", problem) != before:
            for listener in list(known.listeners):
                listener()


PEOPLE_RIGHTS: Key[PeopleRights] = Key("people's rights")


def _failure_text(error: InformerdError) -> str:
    if isinstance(error, Forbidden):
        return (
            "The cluster does not let Deltaboard act for you, so it is unknown what you may see. Deltaboard's account "
            f"needs the right to impersonate users and groups (docs/access.md). The cluster says: {error}"
        )
    return f"The cluster does not say what you may see: {error}"
