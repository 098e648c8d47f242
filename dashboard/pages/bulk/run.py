"""A run over many objects as data: what is done to them, how far it is, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import msgspec

from dashboard.bulk.named import NamedItem
from dashboard.bulk.order import Order
from dashboard.drafts.draft import Whose
from dashboard.edits.effects import Effect
from dashboard.live.lines import rfc3339
from informerd.resource import Resource

MOST = 10_000
"""Objects in a run."""
DEAD_AFTER = 15.0
"""Seconds without a beat after which the process that ran it is known to have ended."""

State = Literal["choosing", "trying", "review", "running", "cancelled", "done"]
"""choosing: nothing was asked for yet · trying: dry runs · review: a person reads what they gave · running: writes."""
MOVING: frozenset[State] = frozenset({"trying", "running"})
ItemState = Literal["waiting", "tried", "same", "done", "changed", "refused", "failed", "gone"]
"""waiting: not tried · tried: its dry run was accepted, it is to be written · same: nothing would change ·
changed: somebody changed it after the review · refused: the dry run was · failed: the write was · gone: deleted."""


class Item(msgspec.Struct, frozen=True, array_like=True):
    """One object. `uid` and `version` are of the state that was reviewed."""

    namespace: str
    name: str
    uid: str
    state: ItemState = "waiting"
    version: str = ""
    print: str = ""
    """Fingerprint of what was reviewed: of the difference, or of the object that is to be deleted."""
    group: int = -1
    """Its place among the run's groups."""
    words: str = ""
    said: str = ""
    """The API server's own."""
    sent: bool = False
    """Whether a write was sent whose answer is not known."""
    effects: tuple[Effect, ...] = ()
    """What its change does to pods, and all else that is known of it."""
    stored: str = ""
    """Fingerprint of the object as the dry run would have stored it."""
    seen: tuple[tuple[str, str], ...] = ()
    """The fields that the dry run changed, with a digest of each value; none of a change of very many fields."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """An item of a list, or what changes in one."""

    how: Literal["gone", "new", "changed", "moved", "kept", "more"]
    text: str
    was_text: str = ""
    now_text: str = ""


class Field(msgspec.Struct, frozen=True, array_like=True):
    """One field of a difference, in the names of edits/_changes.html."""

    field: str
    was_text: str
    now_text: str
    by_server: bool = False
    pieces: tuple[Piece, ...] = ()
    """Of a list: its items. `now_text` is then how many of them go, come and stay."""


class Group(msgspec.Struct, frozen=True, array_like=True):
    """Objects of which the same becomes."""

    print: str = ""
    """Fingerprint of the difference, which tells apart what the texts of its fields leave out."""
    words: str = ""
    """What a deletion means for them."""
    fields: tuple[Field, ...] = ()
    warnings: tuple[str, ...] = ()
    named: tuple[NamedItem, ...] = ()
    """Items of lists that the patch names, and that are new or change."""
    more: int = 0
    """Fields that are not among `fields`."""
    title: str = ""
    """What those have in common that are deleted: that something holds them, or that others may come."""


class Run(msgspec.Struct, frozen=True):
    """One run, as the table has it, without its objects and groups."""

    key: str
    resource: Resource
    order: Order | None
    state: State
    total: int
    counts: dict[str, int]
    """Objects by ItemState."""
    wish: str
    """What a person wants: pause, go, cancel."""
    heard: str
    """The wish that the runner acts by."""
    words: str
    """What keeps it from going on, as a sentence."""
    rate: float
    """Objects a second."""
    back: str
    """Address of the list that it began in."""
    matching: bool
    """Whether it is over all that matched there when it was begun, and not over rows that somebody selected."""
    owner: str
    browser: str
    runner: str
    made: float
    """Unix seconds, as is `beat`."""
    beat: float

    @property
    def whose(self) -> Whose:
        """Who began it."""
        return Whose(self.owner, self.browser)

    @property
    def href(self) -> str:
        return f"/resources/{self.resource.key}/bulk/{self.key}/"

    @property
    def made_at(self) -> str:
        return rfc3339(self.made)

    @property
    def beat_at(self) -> str:
        return rfc3339(self.beat)

    @property
    def written(self) -> int:
        return self.counts.get("done", 0)

    @property
    def open(self) -> bool:
        """Whether something else can be chosen: nothing is written yet."""
        return self.state in ("choosing", "review") and not self.written

    @property
    def moving(self) -> bool:
        return self.state in MOVING

    @property
    def paused(self) -> bool:
        return self.moving and self.heard == "pause"

    @property
    def wished(self) -> str:
        """What was asked of it and has not been heard yet."""
        return self.wish if self.moving and self.wish != self.heard else ""

    @property
    def left(self) -> int:
        """Objects that the phase has still to come to."""
        return self.counts.get("waiting" if self.state == "trying" else "tried", 0)

    @property
    def over(self) -> int:
        return self.total - self.left

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before it did."""
        return self.moving and now - self.beat > DEAD_AFTER


def counted(items: Iterable[Item]) -> dict[str, int]:
    return dict(Counter(item.state for item in items))
