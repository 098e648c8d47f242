"""Replica of one resource in a web process: equal to the worker's rows, and marked stale when it is not.

docs/feed.md describes it as a state machine. A replica is live when it received a frame within SILENCE_TIMEOUT and has
no gap; otherwise it is stale, and it pulls a snapshot until it is live again. What it shows meanwhile stays. A snapshot
is compared with the present rows, so views get only the rows that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Self

import msgspec

from dashboard.live.replication.change_rates import Rates
from dashboard.live.replication.entry_deduplicator import EntryDeduplicator
from dashboard.live.replication.messages import Frame, SnapshotChunk, SnapshotRequest
from dashboard.live.replication.readable_replica import OutdatedShard, ReplicaState
from dashboard.live.replication.replica_change import Change, Listener, Listeners
from dashboard.live.replication.replica_rows import ReplicaRows
from dashboard.live.replication.snapshot_pull import Position, RowChange, SnapshotPull
from dashboard.live.replication.unwatched_list import KindList, ListedOnce
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.malloc_tuning import list_ended
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health, State
from informerd.clock import Clock

SILENCE_TIMEOUT = 2.0
"""Seconds without a frame of its epoch after which a replica is stale."""
MAX_AT_ONCE = 500
"""Changed rows of a snapshot, or of frames buffered meanwhile, that are applied in one step; more are applied
in slices.
"""
UNLISTED_STATES: frozenset[State] = frozenset({"starting", "syncing", "unreachable", "forbidden"})
"""States in which a worker has not listed yet: its rows are missing or incomplete, and say nothing about the
cluster.
"""


class Replica:
    """One resource's rows, feed lines and rates as the worker last sent them.

    Read only: `receive_frame` and `receive_chunk` take messages in any order, duplicates and late ones included, and
    `tick` lets time pass. They return the requests to send. Long work goes to `schedule`, in slices.
    """

    def __init__(self, key: str, clock: Clock, *, schedule: Callable[[SlicedWork], None] = run_at_once) -> None:
        self.key = key
        self._holding = ReplicaRows(key)
        self.rows = self._holding.rows
        """By uid."""
        self.by_owner, self.by_subject = self._holding.by_owner, self._holding.by_subject
        """uids by those of the owners that a row names, and of Kubernetes Events by the name of their subject."""
        self.by_node = self._holding.by_node
        """uids of pods by the name of their node."""
        self.entries = self._holding.entries
        """Oldest first; lines of an earlier epoch stay until newer ones push them out."""
        self.rates = Rates()
        self.announced_from: float | None = None
        """Unix seconds from when on changes were first reported; None while no worker has reported any."""
        self.state: ReplicaState = "starting"
        self.stale_since: float | None = None
        """Unix seconds since when it is not live; None while it is."""
        self.table: TableDefinition | None = None
        """Meaning of the cells, for a kind whose columns are not known beforehand, once the worker has sent it.
        KindReplica makes them the columns of this process, where the rows are shown.
        """
        self.health = Health(state="starting", since=clock.time())
        """The informer's condition, from the last frame."""
        self.is_hidden = False
        self.is_partial = False
        """Whether there may be objects that it does not show to somebody."""
        self.is_unlisted = False
        """Whether rows are those of an earlier worker, because the present one has not listed yet."""
        self.is_requested = True
        """Whether a worker is asked for it; where not, its messages are ignored."""
        self.listed: ListedOnce | None = None
        """The list that its rows are from, where no worker follows the kind; else None."""
        self._listing: KindList | None = None
        """The list whose rows are being taken over."""
        self.outdated_shards: tuple[OutdatedShard, ...] = ()
        self.awaited_seconds = 0.0
        """Shards that are not live while others are; none, because it is of one worker."""
        self.shard_count = 1
        """Number of workers whose rows it has."""
        self.gaps = 0
        """Gaps found in the numbers of frames."""
        self.gaps_healed = 0
        """Gaps that a snapshot has repaired."""
        self.silences = 0
        """Times that the worker fell silent."""
        self._clock = clock
        self._heard_at = clock.now()
        self._place = Position()
        self._telling = EntryDeduplicator()
        self._pull: SnapshotPull | None = self._new_pull()
        self._schedule = schedule
        self._question: SnapshotRequest | None = None
        self._open_gaps = 0
        self._listeners = Listeners(key)

    @property
    def epoch(self) -> str:
        """Epoch of the followed worker; empty while there was none."""
        return self._place.epoch

    @property
    def epochs(self) -> Mapping[str, bool]:
        """The epochs of the workers whose rows it has, and whether each is heard."""
        return {self.epoch: self.state == "live"} if self.epoch else {}

    @property
    def seq(self) -> int:
        """The last frame of the epoch that was applied."""
        return self._place.seq

    @property
    def announced_through(self) -> float | None:
        """Unix seconds up to which every change was announced or counted; None before a worker had listed."""
        return self._telling.announced_through

    @property
    def silent_seconds(self) -> float:
        """Seconds since a worker was last heard of this resource, or since the replica exists."""
        return self._clock.now() - self._heard_at

    @property
    def is_live(self) -> bool:
        """Whether the rows are current: the feed has no gap and the informer is up to date."""
        return self.state == "live" and self.health.state == "live"

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change. Returns a function that ends that."""
        return self._listeners.add(listener)

    def freshness_in(self, namespaces: Collection[str]) -> Self:  # noqa: ARG002 - the same in all
        """How current the rows of these namespaces are."""
        return self

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        return self._holding.get(namespace, name)

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace. Do not keep it: it changes with the rows."""
        return self._holding.rows_in(namespace)

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """As ReplicaRows.find_by_name."""
        return self._holding.find_by_name(text)

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces of the rows, sorted; empty where the kind has none."""
        return tuple(sorted(filter(None, self._holding.by_namespace)))

    def possible_uids(self) -> list[str]:
        """The uids of all rows, as they are now: for work that looks at each in slices."""
        return list(self.rows)

    def tick(self, *, can_ask: bool = True) -> SnapshotRequest | None:
        """Let time pass, a few times a second: notice silence, repeat unanswered requests.

        Nothing is requested while `can_ask` is False: the layer accepts no request or could bring no answer.
        """
        if self._listing is not None:
            return None
        if self._silent():
            if self.state == "live":
                self.silences += 1
                self._become("stale", since=self._clock.time() - (self._clock.now() - self._heard_at))
            if self._pull is None or self._pull.followed_epoch:
                self._pull = self._new_pull()
            if self.is_unlisted:
                self.is_unlisted = False
                self._notify(Change(has_new_health=True))
        if not can_ask or self._pull is None:
            return None
        return self._take_request() or self._pull.due_request()

    def receive_frame(self, frame: Frame) -> SnapshotRequest | None:
        """Apply a frame. Returns the request to send, where it opened a gap."""
        if self._listing is not None or not self.is_requested:
            return None
        if self._is_of_older_worker(frame.epoch) or self._is_of_unlisted_worker(frame):
            return None
        if self._pull is not None:
            return self._frame_while_pulling(self._pull, frame)
        if frame.epoch != self.epoch:
            return self._start_pull(frame)
        if self._place.is_late(frame):
            return None
        self._heard_at = self._clock.now()
        if not self._place.continues(frame):
            self._open_gap()
            return self._start_pull(frame)
        self._apply(frame)
        return None

    def receive_chunk(self, chunk: SnapshotChunk) -> SnapshotRequest | None:
        """Apply a part of a snapshot. Returns the request for the next part."""
        pull = self._pull
        if self._listing is not None or not self.is_requested:
            return None
        if pull is None or self._is_of_older_worker(chunk.epoch) or not pull.add_chunk(chunk):
            return None
        self._heard_at = self._clock.now()
        is_known = bool(self.rows) or self.listed is not None
        if is_known and chunk.epoch != self.epoch and pull.health.state in UNLISTED_STATES:
            self._wait_for_list(pull)
            return None
        if pull.complete:
            return self._finish(pull)
        return pull.next_request()

    def hold(self, rows: Mapping[str, Row], table: TableDefinition | None) -> None:
        """Have these rows, and no others, without telling anybody: those of others that this one takes the place of."""
        self._describe(table)
        self._holding.apply_frame(rows.values(), set(self.rows).difference(rows))

    def show_list(self, listed: KindList, reason: str) -> None:
        """Show the rows of one list, because no worker follows the kind; `reason` is a clause that says why not.

        A worker that has listed the kind takes over with its first snapshot.
        """
        self._listing = listed
        self._schedule(self._apply_list(listed, reason))

    def show_failure(self, problem: str, reason: str, *, is_forbidden: bool) -> None:
        """Say why the kind could not be listed once; rows that it has stay."""
        if self.listed is None:
            self.listed = ListedOnce(self._clock.time(), reason, problem, is_complete=False)
        else:
            self.listed = replace(self.listed, reason=reason, problem=problem)
        if not self.rows:
            self.health = Health("forbidden" if is_forbidden else "unreachable", self._clock.time(), problem=problem)
        self._end_list()

    def show_object(
        self, namespace: str, name: str, row: Row | None, table: TableDefinition | None, reason: str
    ) -> None:
        """Show the state of one object that was read by its name, of a kind that no worker follows; `row` is None
        where it does not exist.
        """
        reshaped = self._describe(table)
        old = self.get(namespace, name)
        gone = [old.uid] if old is not None and (row is None or row.uid != old.uid) else []
        changes = self._holding.apply_frame([row] if row is not None else [], gone)
        if changes or reshaped:
            self._notify(Change(rows=changes, has_new_columns=reshaped))
        if self.listed is None:
            self.listed = ListedOnce(self._clock.time(), reason, self.health.problem, is_complete=False)
        self._end_list()

    def _apply_list(self, listed: KindList, reason: str) -> SlicedWork:
        """Take over a list in slices; messages of workers are ignored meanwhile."""
        reshaped = self._describe(listed.table)
        if reshaped:
            self._notify(Change(has_new_columns=True))
        gone = list(set(self.rows).difference(row.uid for row in listed.rows))
        for start in range(0, max(len(gone), len(listed.rows)), MAX_AT_ONCE):
            rows, left = listed.rows[start : start + MAX_AT_ONCE], gone[start : start + MAX_AT_ONCE]
            if changes := self._holding.apply_frame(rows, left):
                self._notify(Change(rows=changes))
            yield None
            if self._listing is not listed:
                return
        self.listed = ListedOnce(
            listed.at,
            reason,
            is_complete=listed.is_complete,
            remaining=None if listed.is_complete else listed.remaining,
        )
        if listed.is_complete:
            self.health = Health("stale", listed.at, heard=listed.at, problem=reason, has_answer=True)
        else:
            self.health = Health(
                "syncing", listed.at, heard=listed.at, listed=len(self.rows), remaining=listed.remaining
            )
        self.health = msgspec.structs.replace(
            self.health, namespaces=listed.namespaces, forbidden_namespaces=listed.forbidden_namespaces
        )
        self._end_list()

    def _end_list(self) -> None:
        self._listing = None
        if self.listed is not None:
            self.state, self.stale_since, self.is_unlisted = "stale", self.listed.at, False
        self._place = Position()
        self._pull = self._new_pull()
        self._notify(Change(has_new_health=True))

    def _is_of_older_worker(self, epoch: str) -> bool:
        """Whether a worker that started later is being followed and is still heard."""
        followed = self._pull.followed_epoch if self._pull else self.epoch
        return epoch < followed and not self._silent()

    def _is_of_unlisted_worker(self, frame: Frame) -> bool:
        """Whether the frame is of a worker that started later and has not listed yet, while the followed one is up to
        date.
        """
        followed = self._pull.followed_epoch if self._pull else self.epoch
        began_later = bool(followed) and frame.epoch > followed
        return (
            began_later and frame.health.state in UNLISTED_STATES and self.health.state == "live" and not self._silent()
        )

    def _silent(self) -> bool:
        return self._clock.now() - self._heard_at > SILENCE_TIMEOUT

    def _start_pull(self, frame: Frame) -> SnapshotRequest:
        self._become("stale" if self.state != "starting" else "starting", since=self._clock.time())
        self._heard_at = self._clock.now()
        self._pull = self._new_pull(frame.epoch)
        self._pull.buffer_frame(frame)
        return self._pull.next_request()

    def _frame_while_pulling(self, pull: SnapshotPull, frame: Frame) -> SnapshotRequest | None:
        if pull.epoch not in {"", frame.epoch}:
            return self._start_pull(frame)
        if pull.followed_epoch in {"", frame.epoch}:  # frames of other workers do not show that the followed one lives
            self._heard_at = self._clock.now()
        pull.buffer_frame(frame)
        return None

    def _wait_for_list(self, pull: SnapshotPull) -> None:
        """Wait for a worker that has just started and has not listed: keep the present rows, and ask again in a
        while.
        """
        if self.listed is not None:
            self._pull = pull.next_pull()
            return
        news = not self.is_unlisted or _visible_health(self.health) != _visible_health(pull.health)
        self.health, self.is_unlisted = pull.health, True
        self._pull = pull.next_pull()
        if news:
            self._notify(Change(has_new_health=True))

    def _take_request(self) -> SnapshotRequest | None:
        """The request that work in slices has left."""
        question, self._question = self._question, None
        return question

    def _finish(self, pull: SnapshotPull) -> SnapshotRequest | None:
        """Apply the snapshot, then the frames that came meanwhile."""
        self._schedule(self._apply_snapshot(pull))
        return self._take_request()

    def _new_pull(self, epoch: str = "") -> SnapshotPull:
        return SnapshotPull(self.key, self._clock, before=self.rows, interner=self._holding.interner, epoch=epoch)

    def _apply_snapshot(self, pull: SnapshotPull) -> SlicedWork:
        """Apply a snapshot in slices. Until its end the replica stays stale and buffers frames; another pull ends the
        work.
        """
        if self._pull is not pull:
            return
        first = self.state == "starting" or (self.listed is not None and self.announced_from is None)
        reshaped = self._describe(pull.table)
        rows: list[RowChange] = []
        if pull.changed_count <= MAX_AT_ONCE or (reshaped and self.rows):  # rows of two shapes never stand side by side
            rows = [change for batch in self._holding.apply_snapshot(pull.missing_rows, pull.parts) for change in batch]
        else:
            yield from self._notify_applied(pull, Change(has_new_columns=True) if reshaped else None)
            list_ended(pull.changed_count)
            reshaped = False
            if self._pull is not pull:
                return
        news = replace(
            self._begin_at(pull, first), rows=rows, has_new_columns=reshaped, unserved=_unserved(pull.health)
        )
        buffered = pull.take_buffered_frames(self.epoch)
        if sum(map(_size, buffered)) > MAX_AT_ONCE:
            self._notify(news)
            news = Change()
            yield from self._apply_buffered(pull, buffered)
            if self._pull is not pull:
                return
            buffered = []
        self._pull, self._heard_at = None, pull.confirmed_at
        if self._silent():  # this process was suspended, or frames were lost: the snapshot is old
            self._pull = self._new_pull()
            self._notify(news)
            return
        self.state, self.stale_since = "live", None
        self._notify(replace(news, has_new_health=True))
        for frame in buffered:
            self._question = self.receive_frame(frame) or self._question
        if self._pull is None:
            self._heard_at = pull.confirmed_at  # the buffered frames arrived then, not now

    def _begin_at(self, pull: SnapshotPull, first: bool) -> Change:
        """Continue with the frames after the snapshot. Returns the change with the snapshot's feed lines."""
        self._place.start_at(pull)
        self.rates.replace(pull.rates)
        self.health, self.is_unlisted, self.listed = pull.health, False, None
        self.gaps_healed, self._open_gaps = self.gaps_healed + self._open_gaps, 0
        told_from = pull.announced_from
        if told_from is None and pull.health.state == "live":  # a worker of an earlier version does not send it
            told_from = 0.0
        if self.announced_from is None:
            self.announced_from = told_from
        untold = self._telling.follow(pull.snapshot_epoch, told_from)
        entries, missed = self._telling.deduplicate(pull.entries, pull.rates)
        self.entries.extend(entries)
        return Change(
            entries=entries, missed_entries=0 if first else missed, unannounced=untold, is_first_snapshot=first
        )

    def _apply_buffered(self, pull: SnapshotPull, buffered: list[Frame]) -> SlicedWork:
        """Apply buffered frames, and those that come meanwhile; a gap among them starts another pull."""
        while buffered:
            for frame in buffered:
                if self._place.is_late(frame):
                    continue
                if not self._place.continues(frame):
                    self._start_anew(buffered)
                    return
                self._apply(frame)
                yield None
                if self._pull is not pull:
                    return
            buffered = pull.take_buffered_frames(self.epoch)

    def _start_anew(self, buffered: list[Frame]) -> None:
        """Pull again because of a gap among the buffered frames; those after it are buffered for the next snapshot."""
        self._open_gap()
        self._question = self._start_pull(next(frame for frame in buffered if not self._place.is_late(frame)))
        for frame in buffered:
            if self._pull is not None:
                self._pull.buffer_frame(frame)

    def _notify_applied(self, pull: SnapshotPull, first: Change | None) -> SlicedWork:
        if first is not None:
            self._notify(first)
        for rows in self._holding.apply_snapshot(pull.missing_rows, pull.parts):
            self._notify(Change(rows=rows, unserved=_unserved(pull.health)))
            yield None
            if self._pull is not pull:
                return

    def _apply(self, frame: Frame) -> None:
        """Apply a frame without a gap before it."""
        reshaped = frame.table is not None and self._describe(frame.table)
        changes = self._holding.apply_frame(frame.rows, frame.deleted_uids)
        entries, missed = self._telling.deduplicate(frame.entries)
        self.entries.extend(entries)
        untold = self._telling.mark_current(frame.sent_at) if frame.health.state == "live" else None
        if self.announced_from is None:
            self.announced_from = self._telling.announced_through
        self.rates.add(frame.sent_at, frame.rates)
        self._place.advance(frame)
        news = _visible_health(self.health) != _visible_health(frame.health)
        self.health = frame.health
        if changes or entries or news or reshaped or untold:
            unserved = _unserved(frame.health)
            self._notify(
                Change(
                    changes, entries, missed, untold, has_new_columns=reshaped, has_new_health=news, unserved=unserved
                )
            )

    def _describe(self, described: TableDefinition | None) -> bool:
        """Take over the meaning of the cells. Returns whether it has changed."""
        if described is None or described == self.table:
            return False
        self.table = described
        return True

    def _open_gap(self) -> None:
        self.gaps += 1
        self._open_gaps += 1

    def _become(self, state: ReplicaState, *, since: float) -> None:
        if state != self.state:
            self.state, self.stale_since = state, since
            self._notify(Change(has_new_health=True))

    def _notify(self, change: Change) -> None:
        self._listeners.notify(change)


def _visible_health(health: Health) -> tuple[object, ...]:
    """The part of an informer's health whose changes are news; the time it last heard something is sent each second
    anyway.
    """
    ages = (health.since, health.retry_at, health.polled)
    limits = (health.namespaces, health.forbidden_namespaces)
    return (health.state, health.problem, health.listed, health.remaining, *ages, *limits)


def _unserved(health: Health) -> bool:
    return health.state == "absent"


def _size(frame: Frame) -> int:
    return len(frame.rows) + len(frame.deleted_uids) + len(frame.entries)
