"""Kinds outside the settings that browsers have open in this web process: followed by the workers, or listed once.

A kind is followed while a page shows it and for ON_DEMAND_TTL seconds after, or for good where somebody has chosen
that. Watches, memory and kinds of one person are limited (`OnDemandLimits`): the kind that was viewed least recently
gives way, and one that a page shows only where nothing else frees enough memory. A kind that cannot be followed is
listed once, and again on request; its objects are read one by one when their pages are opened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from dashboard.live.hub.hub import Hub
from dashboard.live.replication.messages import NOT_FOLLOWED, ON_DEMAND_SHOWN, ON_DEMAND_TTL, InterestMessage
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.row_memory_estimate import RowMemory
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.clock import Clock, sleep_or, within
from informerd.errors import Forbidden, InformerdError

logger = logging.getLogger(__name__)

SWEEP_INTERVAL = 1.0
"""Seconds between two looks at what browsers have open."""
ANNOUNCE_INTERVAL = 3.0
"""Seconds between two announcements to the workers while any such kind is open; a new kind is announced at once."""
LIST_TIMEOUT = 30.0
"""Seconds after which a list that has not ended has failed."""
LIST_WAIT = 5.0
"""Seconds that a page waits for a list at most."""
RETRY_LIST = 60.0
"""Seconds after a list before a kind is listed again without being asked to."""
SILENT_WORKER = 3.0
"""Seconds without a word about a kind after which it is listed."""
MAX_LISTED_KINDS = 300
"""Maximum number of kinds that are shown without being followed."""
MAX_LISTS = 4
"""Maximum number of lists at the same time."""


class ListableReplica(ReadableReplica, Protocol):
    """A replica that shows a list where no worker follows its kind, as KindReplica does."""

    is_requested: bool

    def show_list(self, listed: KindList, reason: str) -> None: ...

    def show_failure(self, problem: str, reason: str, *, is_forbidden: bool) -> None: ...

    def show_object(
        self, namespace: str, name: str, row: Row | None, table: TableDefinition | None, reason: str
    ) -> None: ...


class KindFollower(Protocol):
    """Follows and unfollows kinds, as dashboard.live.replication.replicas.Replicas does."""

    def follow(self, kind: KindInfo) -> None: ...

    def unfollow(self, key: str) -> None: ...

    def get(self, key: str) -> ListableReplica: ...

    def __contains__(self, key: str) -> bool: ...

    async def send_interest(self, want: InterestMessage) -> None: ...


class KindReader(Protocol):
    """Reads what is not followed, as dashboard.live.worker.object_reader.ObjectReader does."""

    async def list(self, kind: KindInfo) -> KindList: ...

    async def read(self, kind: KindInfo, namespace: str, name: str) -> tuple[Row | None, TableDefinition | None]: ...


@dataclass(slots=True)
class _Viewed:
    """A kind that pages show or showed. Times are monotonic seconds."""

    kind: KindInfo
    viewed_at: float
    since: float
    refusal: str = ""
    """Why it is not followed, as a clause; empty where the workers are asked to follow it."""
    viewers: dict[str, float] = field(default_factory=dict)
    """Time of each person's last view."""
    listed_at: float = float("-inf")
    """When its last list began or was asked for."""
    needs: int = 0
    """Bytes that its objects took when it was given up for them; 0 where it was not."""
    memory: RowMemory = field(default_factory=RowMemory)


class Interest:
    """Kinds that pages show, beside those of the settings. `follow` and `note_view` are called for each page.

    Everything is announced again every ANNOUNCE_INTERVAL seconds, so lost messages, restarted workers and other web
    processes need no handling of their own. `reader` returns None while there is no cluster.
    """

    def __init__(
        self,
        replicas: KindFollower,
        hub: Hub,
        clock: Clock,
        *,
        limits: OnDemandLimits | None = None,
        reader: Callable[[], KindReader | None] = lambda: None,
    ) -> None:
        self._replicas = replicas
        self._hub = hub
        self._clock = clock
        self._limits = limits or OnDemandLimits()
        self._reader = reader
        self._viewed: dict[str, _Viewed] = {}
        self._always: dict[str, KindInfo] = {}
        self._lists: dict[str, asyncio.Task[None]] = {}
        self._listing = asyncio.Semaphore(MAX_LISTS)
        self._started_at = clock.now()
        self._announced_at = float("-inf")
        self._wake = asyncio.Event()

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the kinds that the workers are asked to follow."""
        return tuple(key for key, viewed in self._viewed.items() if not viewed.refusal)

    @property
    def always(self) -> frozenset[str]:
        """Keys of the kinds that somebody has chosen to be followed always."""
        return frozenset(self._always)

    def followed_since(self, key: str) -> float:
        """Since when a kind has been followed here, monotonic seconds."""
        viewed = self._viewed.get(key)
        return viewed.since if viewed is not None else self._started_at

    def refusal_of(self, key: str) -> str:
        """Why the workers are not asked to follow a kind, as a clause; empty where they are."""
        viewed = self._viewed.get(key)
        return viewed.refusal if viewed is not None else ""

    # --- views ---

    def note_view(self, key: str, owner: str = "") -> None:
        """Note that `owner` viewed a page of this kind, whether it is followed on demand or always.

        A kind that could not be followed until now is followed where that is possible.
        """
        viewed = self._viewed.get(key)
        if viewed is not None:
            viewed.viewed_at = self._clock.now()
            if owner:
                viewed.viewers[owner] = viewed.viewed_at
            if viewed.refusal:
                self._ask_to_follow(viewed, owner)

    def follow(self, kind: KindInfo, owner: str = "") -> bool:
        """Show a kind that is not shown yet to `owner`; it has a replica from then on.

        Returns False where it cannot be followed: `refusal_of` says why, and `list_once` lists it.
        """
        if kind.key not in self._viewed:
            now = self._clock.now()
            if len(self._viewed) >= self._limits.kinds + MAX_LISTED_KINDS:
                self._drop(min(self._viewed.values(), key=lambda each: each.viewed_at).kind.key)
            self._viewed[kind.key] = _Viewed(kind, now, now)
            self._replicas.follow(kind)
            self._hub.follow(kind)
            self._ask_to_follow(self._viewed[kind.key], owner)
            if owner:
                self._viewed[kind.key].viewers[owner] = now
        else:
            self.note_view(kind.key, owner)
        return not self._viewed[kind.key].refusal

    def follow_always(self, kinds: dict[str, KindInfo]) -> None:
        """Follow these kinds, whoever views them; others that were followed so far end like any that nobody views."""
        for key, kind in kinds.items():
            is_new = key not in self._always
            self._always[key] = kind
            if is_new and (key in self._viewed or key not in self._replicas):
                self.follow(kind)
        self._always = dict(kinds)
        self._hub.set_always_followed(kinds.keys())

    # --- lists and objects of kinds that are not followed ---

    async def wait_until_readable(self, key: str) -> None:
        """List a kind that cannot be followed, unless it has been listed. Waits LIST_WAIT seconds at most."""
        if self._needs_list(key):
            await self.list_once(key)

    async def list_once(self, key: str) -> None:
        """List a kind that no worker follows. Returns with its rows, or the reason why there are none, in its replica;
        after LIST_WAIT seconds all the same.
        """
        task = self._lists.get(key)
        if task is None:
            task = self._lists[key] = asyncio.create_task(self._list(key), name=f"listing {key}")
            task.add_done_callback(lambda _: self._lists.pop(key, None))
        try:
            async with within(LIST_WAIT, self._clock):
                await asyncio.shield(task)
        except TimeoutError:
            pass

    async def read_object(self, kind: KindInfo, namespace: str, name: str) -> None:
        """Read one object of a kind that no worker follows into its replica; where that fails, it stays as it was."""
        reader, replica = self._reader(), self._replicas.get(kind.key)
        if reader is None or not (replica.listed is not None or self._is_refused(replica)):
            return
        try:
            async with within(LIST_WAIT, self._clock):
                row, table = await reader.read(kind, namespace, name)
        except (InformerdError, TimeoutError):
            return
        is_known = row is not None or replica.get(namespace, name) is not None
        if is_known and self._is_present(replica) and (replica.listed is not None or self._is_refused(replica)):
            replica.show_object(namespace, name, row, table, self._reason(replica))

    async def _list(self, key: str) -> None:
        reader, replica = self._reader(), self._replicas.get(key)
        if reader is None:
            return
        viewed = self._viewed.get(key)
        kind = viewed.kind if viewed is not None else next(kind for kind in self._hub.kinds if kind.key == key)
        if viewed is not None:
            viewed.listed_at = self._clock.now()
        problem, is_forbidden = "", False
        try:
            async with self._listing, within(LIST_TIMEOUT, self._clock):
                listed = await reader.list(kind)
        except TimeoutError:
            problem = f"the API server has not answered for {LIST_TIMEOUT:.0f} s"
        except InformerdError as error:
            problem, is_forbidden = str(error), isinstance(error, Forbidden)
        except Exception:
            logger.exception("%s could not be listed", key)
            problem = "Deltaboard could not read the list; see its log"
        if not self._is_present(replica) or replica.is_live:
            return
        if not problem:
            replica.show_list(listed, self._reason(replica))
        elif not replica.is_requested:
            replica.show_failure(problem, self._reason(replica), is_forbidden=is_forbidden)

    def _is_present(self, replica: ListableReplica) -> bool:
        """Whether the replica is still that of its kind."""
        return replica.key in self._replicas and self._replicas.get(replica.key) is replica

    def _reason(self, replica: ListableReplica) -> str:
        """Why no worker follows the kind, as a clause."""
        if (viewed := self._viewed.get(replica.key)) is not None and viewed.refusal:
            return viewed.refusal
        if replica.listed is not None and not self._is_refused(replica):
            return replica.listed.reason
        problem = replica.health.problem.removeprefix(f"{NOT_FOLLOWED}: ").rstrip(".")
        return problem or "no worker has been heard"

    def _needs_list(self, key: str) -> bool:
        if key not in self._replicas or self._reader() is None:
            return False
        replica, viewed, now = self._replicas.get(key), self._viewed.get(key), self._clock.now()
        if replica.listed is not None or (viewed is not None and now - viewed.listed_at < RETRY_LIST):
            return False
        is_heard = replica.state != "starting" or any(replica.epochs.values())  # perhaps only some of its shards
        is_unheard = not is_heard and viewed is not None and now - viewed.since >= SILENT_WORKER
        return not replica.is_requested or is_unheard or self._is_refused(replica)

    @staticmethod
    def _is_refused(replica: ListableReplica) -> bool:
        """Whether a worker says that it cannot follow the kind, and has no rows of it."""
        is_empty = not replica.rows or replica.is_unlisted
        return replica.state != "starting" and is_empty and replica.health.state in ("forbidden", "unreachable")

    # --- the tick ---

    async def run(self) -> None:
        """Announce the open kinds and unfollow those that nobody views, until cancelled."""
        try:
            while True:
                self._wake.clear()
                self.sweep()
                await self._announce()
                await sleep_or(self._wake, SWEEP_INTERVAL, self._clock)
        finally:
            await cancel_all(list(self._lists.values()))

    def sweep(self) -> None:
        """Let time pass: drop the kinds that nobody has viewed for ON_DEMAND_TTL seconds, keep the limit of memory,
        follow what has become possible, and list what pages show and cannot be followed.
        """
        now, shown = self._clock.now(), self._hub.viewed_keys
        for key, viewed in list(self._viewed.items()):
            if key in shown or key in self._always:
                viewed.viewed_at = now
            elif now - viewed.viewed_at >= ON_DEMAND_TTL:
                self._drop(key)
                continue
            viewed.viewers = {who: at for who, at in viewed.viewers.items() if now - at < ON_DEMAND_TTL}
        self._keep_memory_limit()
        for key, viewed in list(self._viewed.items()):
            if now - viewed.viewed_at <= ON_DEMAND_SHOWN:
                if viewed.refusal:
                    self._ask_to_follow(viewed, next(iter(viewed.viewers), ""))
                if self._needs_list(key) and key not in self._lists:
                    task = self._lists[key] = asyncio.create_task(self._list(key), name=f"listing {key}")
                    task.add_done_callback(lambda _, key=key: self._lists.pop(key, None))  # type: ignore[misc]

    async def _announce(self) -> None:
        now = self._clock.now()
        if (keys := self.keys) and now - self._announced_at >= ANNOUNCE_INTERVAL:
            self._announced_at = now
            kinds = tuple((key, now - self._viewed[key].viewed_at) for key in keys)
            await self._replicas.send_interest(InterestMessage(kinds, tuple(self._always)))

    # --- limits ---

    def _ask_to_follow(self, viewed: _Viewed, owner: str) -> None:
        """Ask the workers to follow a kind, or note why not."""
        was_refused, viewed.refusal = viewed.refusal, self._make_room(viewed, owner)
        self._replicas.get(viewed.kind.key).is_requested = not viewed.refusal
        if not viewed.refusal:
            if was_refused:
                viewed.since = self._clock.now()
            self._announced_at = float("-inf")
            self._wake.set()

    def _make_room(self, viewed: _Viewed, owner: str) -> str:
        """Make room for one more kind. Returns why there is none, as a clause; empty where there is."""
        if viewed.kind.key in self._always:
            return ""
        others = [each for each in self._viewed.values() if each is not viewed and not each.refusal]
        idle = self._idle(others)
        mine = [each for each in others if owner in each.viewers and each.kind.key not in self._always]
        if owner and len(mine) >= self._limits.kinds_per_user:
            left = next((each for each in idle if each in mine), None)
            if left is None:
                return self._limits.user_reached
            del left.viewers[owner]
            if not left.viewers:
                self._drop(left.kind.key)
                idle.remove(left)
                others.remove(left)
        reason = self._lacking(viewed, others)
        while reason and idle:
            others.remove(idle[0])
            self._drop(idle.pop(0).kind.key)
            reason = self._lacking(viewed, others)
        return reason

    def _lacking(self, viewed: _Viewed, others: list[_Viewed]) -> str:
        """What is reached with these other kinds, as a clause."""
        if len(others) >= self._limits.kinds:
            return self._limits.kinds_reached
        full = viewed.needs + sum(map(self._memory, others)) >= self._limits.bytes
        return self._limits.memory_reached if full else ""

    def _keep_memory_limit(self) -> None:
        """Drop the kinds that were viewed least recently while all of them take too much; then stop following the
        largest that pages show, which are listed instead.
        """
        sizes = {key: self._memory(each) for key, each in self._viewed.items()}
        idle = self._idle(self._viewed.values()) if sum(sizes.values()) > self._limits.bytes else []
        while sizes and sum(sizes.values()) > self._limits.bytes:
            if idle:
                key = idle.pop(0).kind.key
                self._drop(key)
            else:
                key = max(sizes, key=lambda key: (key not in self._always, sizes[key]))
                if not self._viewed[key].refusal:
                    self._give_up(self._viewed[key], sizes[key])
            del sizes[key]

    def _give_up(self, viewed: _Viewed, size: int) -> None:
        """Stop following a kind whose objects take too much, though a page shows it: its page connects again."""
        key = viewed.kind.key
        self._hub.unfollow(key)
        self._replicas.unfollow(key)
        viewed.refusal, viewed.needs = self._limits.memory_reached, size
        viewed.listed_at, viewed.memory = float("-inf"), RowMemory()
        self._replicas.follow(viewed.kind)
        self._replicas.get(key).is_requested = False
        self._hub.follow(viewed.kind)

    def _idle(self, kinds: Iterable[_Viewed]) -> list[_Viewed]:
        """Those that no page shows, the one that was viewed least recently first."""
        now, shown = self._clock.now(), self._hub.viewed_keys | self.always
        idle = [each for each in kinds if each.kind.key not in shown and now - each.viewed_at > ON_DEMAND_SHOWN]
        return sorted(idle, key=lambda each: each.viewed_at)

    def _memory(self, viewed: _Viewed) -> int:
        return viewed.memory.estimate(self._replicas.get(viewed.kind.key).rows)

    def _drop(self, key: str) -> None:
        del self._viewed[key]
        self._hub.unfollow(key)
        self._replicas.unfollow(key)


INTEREST: Key[Interest] = Key("interest")
