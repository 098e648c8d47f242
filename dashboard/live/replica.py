"""The web process's end of the feed: one replica a resource, kept equal to the worker's rows and honest when it is not.

docs/feed.md describes it as a state machine. A replica is live when it heard a frame within SILENCE and knows of no
hole; anything else is stale, and it pulls a snapshot until it is live again. What it shows meanwhile stays. A snapshot
is compared with what was there, so views get the rows that differ and nothing else.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from dashboard.live.dictionaries import Heard
from dashboard.live.messages import Ask, Chunk, Described, Entry, Frame, Row
from dashboard.live.pull import Pull, RowChange
from dashboard.live.rates import Rates
from dashboard.resources.rows import describe
from informerd.cache.health import Health, State
from informerd.clock import Clock

logger = logging.getLogger(__name__)

SILENCE = 2.0
"""Seconds without a frame of its epoch after which a replica is stale."""
KEPT_ENTRIES = 500

UNLISTED: frozenset[State] = frozenset({"starting", "syncing", "unreachable", "forbidden"})
"""States in which a worker has not listed yet: its rows are none or a part, and say nothing about the cluster."""

ReplicaState = Literal["starting", "live", "stale"]


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a replica at one moment, all of it already visible in the replica."""

    rows: list[RowChange] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    """New feed lines, oldest first."""
    missed: int = 0
    """Feed lines before those that nobody can be told of any more: too many came while nothing was heard."""
    reset: bool = False
    """The first snapshot came: everything is new, `rows` has all of it as adds."""
    reshaped: bool = False
    """Rows have other columns from here on: what was made of columns before is to be made anew."""
    state: bool = False
    """`state` or the informer's health (beyond when it was last heard) changed."""


Listener = Callable[[Change], None]


class Replica:
    """One resource's rows, feed lines and rates as the worker last said.

    Not for writing: `frame` and `chunk` take what the layer brought, in whatever order, doubled or late, and `tick`
    lets time pass. What they return are the questions to send.
    """

    def __init__(self, key: str, clock: Clock) -> None:
        self.key = key
        self.rows: dict[str, Row] = {}
        """By uid."""
        self.by_key: dict[str, Row] = {}
        """By ``namespace/name``."""
        self.entries: deque[Entry] = deque(maxlen=KEPT_ENTRIES)
        """Oldest first; lines of an earlier epoch stay until newer ones push them out."""
        self.rates = Rates()
        self.epoch = ""
        self.seq = 0
        self.state: ReplicaState = "starting"
        self.stale_since: float | None = None
        """Unix seconds since when it is not live; None while it is."""
        self.described: Described | None = None
        """What cells are, of a kind whose columns are not known beforehand and as soon as the worker has said."""
        self.health = Health(state="starting", since=clock.time())
        """The informer's condition, as the last frame said."""
        self.unlisted = False
        """Whether rows are those of an earlier worker, because the one that is heard has not listed yet."""
        self.gaps = 0
        """Holes found in the numbers of frames."""
        self.gaps_healed = 0
        """Holes whose missing frames a snapshot has made up for."""
        self.silences = 0
        """Times that the worker fell silent."""
        self._clock = clock
        self._heard = clock.now()
        self._sent = 0.0
        self._dictionaries = Heard()
        self._pull: Pull | None = Pull(key, clock, before=self.rows)
        self._open_gaps = 0
        self._last_entry: dict[str, int] = {}
        self._listeners: list[Listener] = []

    @property
    def live(self) -> bool:
        """Whether rows are what the cluster has: the feed is whole and the informer is up to date."""
        return self.state == "live" and self.health.state == "live"

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change; the result, called, ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        return self.by_key.get(f"{namespace}/{name}" if namespace else name)

    def tick(self, *, asks: bool = True) -> Ask | None:
        """Let time pass, a few times a second: notice silence, repeat questions that got no answer.

        Nothing is asked while `asks` is False: the layer takes no question or could bring no answer.
        """
        if self._silent():
            if self.state == "live":
                self.silences += 1
                self._become("stale", since=self._clock.time() - (self._clock.now() - self._heard))
            if self._pull is None or self._pull.followed:
                self._pull = Pull(self.key, self._clock, before=self.rows)
            if self.unlisted:
                self.unlisted = False
                self._tell(Change(state=True))
        return self._pull.due() if self._pull and asks else None

    def frame(self, frame: Frame) -> Ask | None:
        """Take a frame in. The answer is the question to ask, where it opened a hole."""
        if self._is_of_older_worker(frame.epoch):
            return None
        if self._pull is not None:
            return self._frame_while_pulling(self._pull, frame)
        if frame.epoch != self.epoch:
            return self._start_pull(frame)
        content = frame.has_content
        if frame.seq < self.seq or (content and frame.seq == self.seq) or (not content and frame.sent < self._sent):
            return None  # late or doubled
        self._heard = self._clock.now()
        if frame.seq > self.seq + content or not self._dictionaries.bind(frame.rows, frame.dictionaries):
            self._open_gap()
            return self._start_pull(frame)
        self._apply(frame)
        return None

    def chunk(self, chunk: Chunk) -> Ask | None:
        """Take a part of a snapshot in. The answer is the question for the next part."""
        pull = self._pull
        if pull is None or self._is_of_older_worker(chunk.epoch) or not pull.take(chunk):
            return None
        self._heard = self._clock.now()
        if self.rows and chunk.epoch != self.epoch and pull.health.state in UNLISTED:
            self._wait_for_list(pull)
            return None
        if pull.complete:
            return self._finish(pull)
        return pull.ask()

    def _is_of_older_worker(self, epoch: str) -> bool:
        """Whether another worker, which began later, is being followed and can still be heard."""
        followed = self._pull.followed if self._pull else self.epoch
        return epoch < followed and not self._silent()

    def _silent(self) -> bool:
        return self._clock.now() - self._heard > SILENCE

    def _start_pull(self, frame: Frame) -> Ask:
        self._become("stale" if self.state != "starting" else "starting", since=self._clock.time())
        self._heard = self._clock.now()
        self._pull = Pull(self.key, self._clock, before=self.rows, epoch=frame.epoch)
        self._pull.keep(frame)
        return self._pull.ask()

    def _frame_while_pulling(self, pull: Pull, frame: Frame) -> Ask | None:
        self._heard = self._clock.now()
        if pull.epoch in {"", frame.epoch}:
            pull.keep(frame)
            return None
        return self._start_pull(frame)

    def _wait_for_list(self, pull: Pull) -> None:
        """A worker that has just begun knows less than was known before it: keep that, and ask again in a while."""
        news = not self.unlisted or _told(self.health) != _told(pull.health)
        self.health, self.unlisted = pull.health, True
        self._pull = pull.again()
        if news:
            self._tell(Change(state=True))

    def _finish(self, pull: Pull) -> Ask | None:
        """Take the snapshot over, then the frames that came meanwhile."""
        first = self.state == "starting"
        reshaped = self._describe(pull.described)
        rows = self._replace(pull.rows, pull.changes)
        self._dictionaries = pull.dictionaries
        entries, missed = self._new_entries(pull.entries)
        self.epoch, self.seq, self._sent = pull.snapshot_epoch, pull.seq, 0.0
        self.rates.replace(pull.rates)
        self.health, self.unlisted = pull.health, False
        self._pull = None
        self.state, self.stale_since = "live", None
        self.gaps_healed, self._open_gaps = self.gaps_healed + self._open_gaps, 0
        self._tell(
            Change(
                rows=rows, entries=entries, missed=0 if first else missed, reset=first, reshaped=reshaped, state=True
            )
        )
        question = None
        for frame in pull.kept(self.epoch):
            question = self.frame(frame) or question
        return question

    def _apply(self, frame: Frame) -> None:
        """Take over a frame that continues what is here."""
        changes: list[RowChange] = []
        reshaped = frame.described is not None and self._describe(frame.described)
        for uid in frame.gone:
            if (old := self.rows.pop(uid, None)) is not None:
                self._forget(old)
                changes.append((old, None))
        for row in frame.rows:
            old = self.rows.get(row.uid)
            self.rows[row.uid] = row
            self.by_key[row.key] = row
            if old != row:
                changes.append((old, row))
        entries, missed = self._new_entries(frame.entries)
        self.rates.add(frame.sent, frame.rates)
        self.seq, self._sent = frame.seq, frame.sent
        news = _told(self.health) != _told(frame.health)
        self.health = frame.health
        if changes or entries or news or reshaped:
            self._tell(Change(rows=changes, entries=entries, missed=missed, reshaped=reshaped, state=news))

    def _describe(self, described: Described | None) -> bool:
        """Take over what cells are; whether that is another thing than before."""
        if described is None or described == self.described:
            return False
        self.described = described
        describe(self.key, described)
        return True

    def _replace(self, rows: dict[str, Row], changes: list[RowChange]) -> list[RowChange]:
        """Make `rows` what is here; what differed, deletes first."""
        before, self.rows = self.rows, rows
        self.by_key = {row.key: row for row in rows.values()}
        return [*((old, None) for uid, old in before.items() if uid not in rows), *changes]

    def _new_entries(self, entries: tuple[Entry, ...]) -> tuple[list[Entry], int]:
        """Keep and return those entries that are not here yet, and how many before them never came."""
        if not entries:
            return [], 0
        newest = entries[-1]
        last = self._last_entry.get(newest.epoch, 0)
        new = [entry for entry in entries if entry.seq > last]
        if not new:
            return [], 0
        self._last_entry[newest.epoch] = newest.seq
        self.entries.extend(new)
        return new, new[0].seq - last - 1

    def _forget(self, row: Row) -> None:
        current = self.by_key.get(row.key)
        if current is not None and current.uid == row.uid:
            del self.by_key[row.key]

    def _open_gap(self) -> None:
        self.gaps += 1
        self._open_gaps += 1

    def _become(self, state: ReplicaState, *, since: float) -> None:
        if state != self.state:
            self.state, self.stale_since = state, since
            self._tell(Change(state=True))

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                logger.exception("a view of %s failed to take in a change", self.key)


def _told(health: Health) -> tuple[object, ...]:
    """What of an informer's health is news to people; when it last heard something is told each second anyway."""
    return (health.state, health.since, health.problem, health.retry_at, health.listed, health.remaining)
