"""The web process's end of the feed: one replica a resource, kept equal to the worker's rows and honest when it is not.

docs/feed.md describes it as a state machine. A replica is live when it heard a frame within SILENCE and knows of no
hole; anything else is stale, and it pulls a snapshot until it is live again. What it shows meanwhile stays. A snapshot
is compared with what was there, so views get the rows that differ and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from dashboard.live.change import Change, Listener, Listeners
from dashboard.live.holding import Holding
from dashboard.live.messages import Ask, Chunk, Described, Frame, Row
from dashboard.live.place import Place
from dashboard.live.pull import Pull, RowChange
from dashboard.live.rates import Rates
from dashboard.live.slices import Work, at_once
from dashboard.live.telling import Telling
from dashboard.resources.rows import describe
from informerd.cache.health import Health, State
from informerd.clock import Clock

SILENCE = 2.0
"""Seconds without a frame of its epoch after which a replica is stale."""
FEW = 500
"""Differing rows of a snapshot that are taken over at once, or in frames kept meanwhile; more of them in slices."""
UNLISTED: frozenset[State] = frozenset({"starting", "syncing", "unreachable", "forbidden"})
"""States in which a worker has not listed yet: its rows are none or a part, and say nothing about the cluster."""

ReplicaState = Literal["starting", "live", "stale"]


class Replica:
    """One resource's rows, feed lines and rates as the worker last said.

    Not for writing: `frame` and `chunk` take what the layer brought, in whatever order, doubled or late, and `tick`
    lets time pass. What they return are the questions to send. `later` does what takes long, in slices.
    """

    def __init__(self, key: str, clock: Clock, *, later: Callable[[Work], None] = at_once) -> None:
        self.key = key
        self._holding = Holding(key)
        self.rows = self._holding.rows
        """By uid."""
        self.by_key = self._holding.by_key
        """By ``namespace/name``."""
        self.by_owner, self.by_subject = self._holding.by_owner, self._holding.by_subject
        """uids by those of the owners that a row names, and of Kubernetes Events by the name of what they are about."""
        self.entries = self._holding.entries
        """Oldest first; lines of an earlier epoch stay until newer ones push them out."""
        self.rates = Rates()
        self.told_from: float | None = None
        """Unix seconds from when on changes were told at first; None while no worker has told any."""
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
        self._place = Place()
        self._telling = Telling()
        self._pull: Pull | None = Pull(key, clock, before=self.rows)
        self._later = later
        self._question: Ask | None = None
        self._open_gaps = 0
        self._listeners = Listeners(key)

    @property
    def epoch(self) -> str:
        """The worker's life that is followed; empty while there was none."""
        return self._place.epoch

    @property
    def seq(self) -> int:
        """The last frame of the epoch that was applied."""
        return self._place.seq

    @property
    def live(self) -> bool:
        """Whether rows are what the cluster has: the feed is whole and the informer is up to date."""
        return self.state == "live" and self.health.state == "live"

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change; the result, called, ends that."""
        return self._listeners.add(listener)

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
        if not asks or self._pull is None:
            return None
        return self._asked() or self._pull.due()

    def frame(self, frame: Frame) -> Ask | None:
        """Take a frame in. The answer is the question to ask, where it opened a hole."""
        if self._is_of_older_worker(frame.epoch) or self._is_of_unlisted_worker(frame):
            return None
        if self._pull is not None:
            return self._frame_while_pulling(self._pull, frame)
        if frame.epoch != self.epoch:
            return self._start_pull(frame)
        if self._place.is_late(frame):
            return None
        self._heard = self._clock.now()
        if not self._place.continues(frame):
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

    def _is_of_unlisted_worker(self, frame: Frame) -> bool:
        """Whether it is of a worker that began later and has not listed yet, while the one followed is up to date."""
        followed = self._pull.followed if self._pull else self.epoch
        began_later = bool(followed) and frame.epoch > followed
        return began_later and frame.health.state in UNLISTED and self.health.state == "live" and not self._silent()

    def _silent(self) -> bool:
        return self._clock.now() - self._heard > SILENCE

    def _start_pull(self, frame: Frame) -> Ask:
        self._become("stale" if self.state != "starting" else "starting", since=self._clock.time())
        self._heard = self._clock.now()
        self._pull = Pull(self.key, self._clock, before=self.rows, epoch=frame.epoch)
        self._pull.keep(frame)
        return self._pull.ask()

    def _frame_while_pulling(self, pull: Pull, frame: Frame) -> Ask | None:
        if pull.epoch not in {"", frame.epoch}:
            return self._start_pull(frame)
        if pull.followed in {"", frame.epoch}:  # another worker's word says nothing of the one whose rows these are
            self._heard = self._clock.now()
        pull.keep(frame)
        return None

    def _wait_for_list(self, pull: Pull) -> None:
        """A worker that has just begun knows less than was known before it: keep that, and ask again in a while."""
        news = not self.unlisted or _told(self.health) != _told(pull.health)
        self.health, self.unlisted = pull.health, True
        self._pull = pull.again()
        if news:
            self._tell(Change(state=True))

    def _asked(self) -> Ask | None:
        """The question that a work in slices left."""
        question, self._question = self._question, None
        return question

    def _finish(self, pull: Pull) -> Ask | None:
        """Take the snapshot over, then the frames that came meanwhile."""
        self._later(self._take_over(pull))
        return self._asked()

    def _take_over(self, pull: Pull) -> Work:
        """Until its end the replica is as stale as before and frames are kept; another pull puts an end to it."""
        if self._pull is not pull:
            return
        first = self.state == "starting"
        reshaped = self._describe(pull.described)
        rows: list[RowChange] = []
        if pull.differing <= FEW or (reshaped and self.rows):  # rows of two shapes never stand side by side
            rows = [change for told in self._holding.take_over(pull.gone, pull.parts) for change in told]
        else:
            yield from self._tell_taken(pull, Change(reshaped=True) if reshaped else None)
            reshaped = False
            if self._pull is not pull:
                return
        news = replace(self._begin_at(pull, first), rows=rows, reshaped=reshaped, unserved=_unserved(pull.health))
        kept = pull.kept(self.epoch)
        if sum(map(_size, kept)) > FEW:
            self._tell(news)
            news = Change()
            yield from self._take_kept(pull, kept)
            if self._pull is not pull:
                return
            kept = []
        self._pull, self._heard = None, pull.known_at
        if self._silent():  # this process stood still meanwhile, or frames were lost: what it knows of is long ago
            self._pull = Pull(self.key, self._clock, before=self.rows)
            self._tell(news)
            return
        self.state, self.stale_since = "live", None
        self._tell(replace(news, state=True))
        for frame in kept:
            self._question = self.frame(frame) or self._question
        if self._pull is None:
            self._heard = pull.known_at  # they came then, not now

    def _begin_at(self, pull: Pull, first: bool) -> Change:
        """From here on frames continue what the snapshot says; the lines of the feed that come with it."""
        self._place.begin(pull)
        self.rates.replace(pull.rates)
        self.health, self.unlisted = pull.health, False
        self.gaps_healed, self._open_gaps = self.gaps_healed + self._open_gaps, 0
        told_from = pull.told_from
        if (
            told_from is None and pull.health.state == "live"
        ):  # of a worker of an earlier version, which does not say it
            told_from = 0.0
        if self.told_from is None:
            self.told_from = told_from
        untold = self._telling.follow(pull.snapshot_epoch, told_from)
        entries, missed = self._telling.take(pull.entries, pull.rates)
        self.entries.extend(entries)
        return Change(entries=entries, missed=0 if first else missed, untold=untold, reset=first)

    def _take_kept(self, pull: Pull, kept: list[Frame]) -> Work:
        """Take frames over that were kept, and those that come meanwhile; a hole among them starts another pull."""
        while kept:
            for frame in kept:
                if self._place.is_late(frame):
                    continue
                if not self._place.continues(frame):
                    self._start_anew(kept)
                    return
                self._apply(frame)
                yield None
                if self._pull is not pull:
                    return
            kept = pull.kept(self.epoch)

    def _start_anew(self, kept: list[Frame]) -> None:
        """There is a hole among the frames that were kept: those behind it are kept for the next snapshot."""
        self._open_gap()
        self._question = self._start_pull(next(frame for frame in kept if not self._place.is_late(frame)))
        for frame in kept:
            if self._pull is not None:
                self._pull.keep(frame)

    def _tell_taken(self, pull: Pull, first: Change | None) -> Work:
        if first is not None:
            self._tell(first)
        for rows in self._holding.take_over(pull.gone, pull.parts):
            self._tell(Change(rows=rows, unserved=_unserved(pull.health)))
            yield None
            if self._pull is not pull:
                return

    def _apply(self, frame: Frame) -> None:
        """Take over a frame that continues what is here."""
        reshaped = frame.described is not None and self._describe(frame.described)
        changes = self._holding.take(frame.rows, frame.gone)
        entries, missed = self._telling.take(frame.entries)
        self.entries.extend(entries)
        untold = self._telling.whole(frame.sent) if frame.health.state == "live" else None
        if self.told_from is None:
            self.told_from = self._telling.through
        self.rates.add(frame.sent, frame.rates)
        self._place.advance(frame)
        news = _told(self.health) != _told(frame.health)
        self.health = frame.health
        if changes or entries or news or reshaped or untold:
            unserved = _unserved(frame.health)
            self._tell(Change(changes, entries, missed, untold, reshaped=reshaped, state=news, unserved=unserved))

    def _describe(self, described: Described | None) -> bool:
        """Take over what cells are; whether that is another thing than before."""
        if described is None or described == self.described:
            return False
        self.described = described
        describe(self.key, described)
        return True

    def _open_gap(self) -> None:
        self.gaps += 1
        self._open_gaps += 1

    def _become(self, state: ReplicaState, *, since: float) -> None:
        if state != self.state:
            self.state, self.stale_since = state, since
            self._tell(Change(state=True))

    def _tell(self, change: Change) -> None:
        self._listeners.tell(change)


def _told(health: Health) -> tuple[object, ...]:
    """What of an informer's health is news to people; when it last heard something is told each second anyway."""
    ages = (health.since, health.retry_at, health.polled)
    return (health.state, health.problem, health.listed, health.remaining, *ages)


def _unserved(health: Health) -> bool:
    return health.state == "absent"


def _size(frame: Frame) -> int:
    return len(frame.rows) + len(frame.gone) + len(frame.entries)
