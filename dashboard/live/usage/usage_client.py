"""Usage in a web process: the newest report of the workers, and the past of objects, asked for when pages show it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from dashboard.live.index.usage_lookup import PollTimes
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.live.usage.messages import (
    PART,
    SHARD_PART,
    USAGE_GROUP,
    USAGE_REQUEST_GROUP,
    ReportPart,
    UsageRequest,
    encoder,
    part_decoder,
    past_decoder,
)
from dashboard.live.usage.missing_rights import ACCOUNT, SOME, MissingRights, nodes_sentence, pods_sentence
from dashboard.live.usage.usage_reports import UsageReports
from dashboard.live.usage.usage_totals import NAMESPACES, NODES
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock

logger = logging.getLogger(__name__)

SWITCHED_OFF = "Usage is switched off: DELTABOARD_USAGE_SECONDS is 0."
MAX_AGE = 300.0
"""Seconds after which what an object used is no longer shown: it is not known then."""
ASK_INTERVAL = 2.0
"""Seconds between two requests for a first report."""
MAX_ASKED = 5
"""Most requests for the first report of the other shards, once one has reported: their next poll comes anyway."""
MAX_PASTS = 200
"""Objects whose past is kept, a dozen kilobytes each."""


@dataclass(slots=True)
class _KnownPast:
    """The past of one object, as far as workers have told it."""

    past: PastUsage | None = None
    asked_after: tuple[tuple[str, int], ...] | None = None
    """The report after which it was asked for the last time."""
    is_answered: bool = False
    listeners: set[Callable[[], None]] = field(default_factory=set)

    def ask_again(self, report: tuple[tuple[str, int], ...]) -> None:
        self.asked_after, self.is_answered = report, False
        self.listeners.clear()

    def take(self, past: PastUsage) -> bool:
        """Take in an answer; False where that of another worker, which goes further back, is known already."""
        if self.is_answered and self.past is not None and past.begun_at > self.past.begun_at:
            return False
        self.past, self.is_answered = past, True
        return True


def _call(listeners: Iterable[Callable[[], None]]) -> None:
    for listener in tuple(listeners):
        try:
            listener()
        except Exception:
            logger.exception("a listener of usage failed")


class UsageClient:
    """What objects use as the newest report has it, and its problem. Nothing is known before a worker has sent one."""

    def __init__(
        self,
        channel_layer: ChannelLayer,
        clock: Clock,
        *,
        layer_health: ChannelLayerHealth | None = None,
        problem: str = "",
    ) -> None:
        """`problem` is why nothing is known before the first report, as a sentence."""
        layer_health = layer_health or ChannelLayerHealth()
        self.problem = problem
        """Why nothing newer is known of anything, as a sentence; empty where the last poll was answered."""
        self.is_served = False
        """Whether something in the cluster serves the metrics API; False before the first report."""
        self.answered_at: float | None = None
        """Unix seconds of the last poll that was answered; None where none was."""
        self.poll_times: PollTimes | None = None
        """The last try and the next one, while the metrics API does not answer; else None."""
        self._reports = UsageReports(clock)
        self._missing = MissingRights()
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, USAGE_GROUP, clock, layer_health)
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._requests: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        """Kind and key of the objects whose past is asked for."""
        self._pasts: dict[tuple[str, str], _KnownPast] = {}
        """By kind and key of the object; those not asked for the longest come first."""

    def get(self, key: str, row: Row) -> Usage | None:
        """What an object of the kind `key` uses; None where that is not known, or is older than MAX_AGE.

        What was measured before the object was created was another one of its name.
        """
        report = self._reports.newest
        usage = report.usages.get(key, {}).get(row.key) if report is not None else None
        if usage is None or usage.at < self._clock.time() - MAX_AGE:
            return None
        return usage if row.created is None or usage.at >= row.created else None

    def problem_of(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        """`problem`, or which shards with some of these objects no worker tells of, see UsageLookup."""
        if self.problem:
            return self.problem
        asked = ("",) if key == NODES else (name,) if key == NAMESPACES and name else tuple(namespaces)
        what = "nodes" if key == NODES else "pods of its namespaces"
        told = (self._reports.missing_shards, "has said yet"), (self._reports.silent_shards, "says any more")
        for shards, says in told:
            concerned = [each for each in shards if not asked or any(map(each.includes, asked))]
            if concerned:
                return f"No worker of shard {', '.join(map(str, concerned))} {says} what {what} use."
        return ""

    def missing_right(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        """Why Deltaboard's account may not read it, see UsageLookup."""
        missing = self._missing
        if key == NODES:
            return nodes_sentence(ACCOUNT) if missing.nodes else ""
        if missing.pods:
            return pods_sentence(ACCOUNT)
        asked = (name,) if key == NAMESPACES and name else namespaces
        unread = [each for each in missing.namespaces if each in asked] if asked else missing.namespaces and SOME
        return pods_sentence(ACCOUNT, unread) if unread else ""

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` for each new report. Returns a function that ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:
        """The last day of an object as of the newest report, or of one before it; None where it is not known, or not
        yet. Where it is older than the newest report, it is asked for, and `on_found` is called once it has come.

        Where several workers answer, the one that has kept the past for the longest is believed.
        """
        place = (key, row.key)
        known = self._pasts.pop(place, None)
        if known is None:
            known = _KnownPast()
        self._pasts[place] = known
        report = self._reports.newest
        if report is not None and known.asked_after != report.numbers:
            known.ask_again(report.numbers)
            self._requests.put_nowait(place)
            if len(self._pasts) > MAX_PASTS:
                del self._pasts[next(iter(self._pasts))]
        known.listeners.add(on_found)
        return known.past

    async def run(self) -> None:
        """Receive until cancelled."""
        tasks = [
            asyncio.create_task(keep_running("asking for usage", self._ask_first, self._clock)),
            asyncio.create_task(keep_running("asking for what was used", self._ask_pasts, self._clock)),
        ]
        try:
            await self._inbox.run(self._receive_message)
        finally:
            await cancel_all(tasks)

    def receive(self, part: ReportPart) -> None:
        """Take in a part of a report; the reports of the younger of two workers are used while it is heard."""
        if not self._reports.receive(part) or (report := self._reports.newest) is None:
            return
        self.problem, self.answered_at, self.is_served = report.problem, report.answered_at, report.is_served
        self.poll_times = None
        if report.tried_at is not None and report.is_served and report.next_at is not None:
            self.poll_times = PollTimes(rfc3339(round(report.tried_at)), rfc3339(round(report.next_at)))
        self._missing = report.missing
        _call(self._listeners)

    async def _receive_message(self, message: dict[str, Any]) -> None:
        try:
            if message["type"] in (PART, SHARD_PART):
                self.receive(part_decoder.decode(message["data"]))
            elif message["type"] == "usage.past":
                self._receive_past(past_decoder.decode(message["data"]))
        except UNREADABLE as error:
            logger.debug("dropped a report of usage, is the worker of another version? %s", error)

    def _receive_past(self, past: PastUsage) -> None:
        known = self._pasts.get((past.kind, past.key))
        if known is not None and known.take(past):
            _call(known.listeners)

    async def _ask_pasts(self) -> None:
        while True:
            kind, key = await self._requests.get()
            await self._ask(UsageRequest(self._inbox.channel_name, kind, key))

    async def _ask_first(self) -> None:
        asked = 0
        while not self._reports.is_complete and asked < MAX_ASKED:
            if self._inbox.channel_name:
                await self._ask(UsageRequest(self._inbox.channel_name))
                asked += self._reports.newest is not None
            await self._clock.sleep(ASK_INTERVAL)
        await asyncio.Event().wait()

    async def _ask(self, request: UsageRequest) -> None:
        await self._sender.to_group(USAGE_REQUEST_GROUP, {"type": "usage.ask", "data": encoder.encode(request)})
