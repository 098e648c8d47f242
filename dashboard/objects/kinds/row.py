"""What informerd and the web processes say to each other over Channels: the feed protocol's words.

docs/feed.md has the rules. In short: each resource is a stream of frames with ``(epoch, seq)``; a replica subscribes,
asks for a snapshot, and applies the frames that follow it; a hole, another epoch or two seconds of silence means:
ask again. Everything travels as msgpack made by msgspec, structs as arrays.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from informerd.cache.health import Health
from informerd.dictionary import Dictionary
from informerd.objects import Blob

FEED_GROUP = "deltaboard.feed"
"""Group to which the worker sends every Frame (as ``{"type": "feed.frame", "data": bytes}``)."""

ASK_GROUP = "deltaboard.ask"
"""Group on which workers hear an Ask (as ``{"type": "feed.ask", "data": bytes}``) and a Want."""

Operation = Literal["added", "modified", "deleted"]
Tone = Literal["ok", "busy", "warn", "bad", "idle"]
Cell = str | int | float | None
"""A column's value, for sorting and comparing; durations and times are Unix seconds, quantities base units."""


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """A column that the definition of a custom resource has printed."""

    name: str
    type: str
    """integer, number, string, boolean or date."""
    path: str
    """JSONPath."""
    priority: int = 0
    """More than 0: only where there is room, as with ``-o wide``."""


class Described(msgspec.Struct, frozen=True, array_like=True):
    """What a kind's cells are, where that is not known beforehand: both ends make the same columns of it."""

    namespaced: bool
    columns: tuple[Printed, ...] = ()
    version: str = ""
    """Of the API: the one that is followed. Empty of a worker that does not say it."""


class Owner(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One of an object's owners."""

    group: str
    kind: str
    name: str
    uid: str
    controls: bool = False
    """Whether it is the object's controller; one of them at most."""
    waits: bool = False
    """Whether its deletion in the foreground waits for the object's (blockOwnerDeletion)."""


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One object as lists show it. Grows at its end only: a process of another version reads what it knows."""

    uid: str
    namespace: str
    name: str
    version: str
    """resourceVersion, opaque."""
    created: float | None
    """Unix seconds."""
    status: str
    """One word, as kubectl prints it: Running, CrashLoopBackOff, Ready."""
    tone: Tone
    cells: tuple[Cell, ...]
    """In the order of the resource's columns, see dashboard/resources/rows.py."""
    labels: dict[str, str]
    reason: str = ""
    """What is wrong, in words; empty when nothing is."""
    since: float | None = None
    """Unix seconds since when it is wrong or waiting."""
    deleting: float | None = None
    """Unix seconds of deletionTimestamp."""
    finalizers: tuple[str, ...] = ()
    owner: tuple[str, str, str] | None = None
    """Kind, name and uid of its controller; where it has none, of its only owner."""
    blob: Blob | None = None
    """The whole object as the worker keeps it, Secrets' values masked. Its dictionary does not travel with each row."""
    owners: tuple[Owner, ...] = ()
    """All of them, in the object's order; empty where `owner` is the only one, controls it and waits for it."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def whole(self) -> dict[str, Any]:
        """The whole object as a new plain dict, empty where none is kept. May be called from any thread."""
        decoded = msgspec.json.decode(self.blob.json()) if self.blob is not None else {}
        return decoded if isinstance(decoded, dict) else {}


class About(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The object that a Kubernetes Event is about, as the Event names it."""

    kind: str
    """Pod, Deployment, …"""
    group: str
    namespace: str
    name: str


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of the live feed. Never coalesced, never dropped from the count."""

    seq: int
    """Counts a resource's entries within its epoch, from 1, without holes."""
    time: float
    """Unix seconds at which the worker saw the change."""
    op: Operation
    namespace: str
    name: str
    uid: str
    version: str
    words: str
    """What changed: ``phase Pending → Running``."""
    tone: Tone
    epoch: str = ""
    """The epoch in which `seq` counts; a replica keeps lines of earlier epochs, so each names its own."""
    status: str = ""
    """The object's after the change; its last one where it was deleted."""
    labels: dict[str, str] = {}
    owner: str = ""
    """Its controller, else its only owner: ``ReplicaSet/web-7d9c``; empty where it has neither."""
    reason: str = ""
    """A Kubernetes Event's; of other objects what is wrong with them, in words."""
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that changed, as far as anybody looked, each with its new value, shortened."""
    about: About | None = None
    """Of a Kubernetes Event."""


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """What one tick brought for one resource; with nothing new it is the heartbeat, sent every second.

    A frame that carries rows, gone or entries has a new `seq`; a heartbeat repeats the last one.
    """

    resource: str
    epoch: str
    seq: int
    sent: float
    """Unix seconds."""
    health: Health
    rows: tuple[Row, ...] = ()
    """The latest row of each object that was added or modified."""
    gone: tuple[str, ...] = ()
    """uids of objects that were deleted."""
    entries: tuple[Entry, ...] = ()
    rates: tuple[int, int, int] = (0, 0, 0)
    """Objects added, modified, deleted in this tick, for the charts."""
    dictionaries: tuple[bytes, ...] = ()
    """What rows of this and later frames are packed with, each with the first frame that needs it."""
    described: Described | None = None
    """What the cells of rows are from here on, in the epoch's first frame with content, of a kind that needs it."""

    @property
    def has_content(self) -> bool:
        """Whether it has a number of its own."""
        return bool(self.rows or self.gone or self.entries or self.described is not None)


class Ask(msgspec.Struct, frozen=True, array_like=True):
    """A replica wants chunk `index` of a resource's snapshot; the answer goes to channel `reply`.

    Index 0 freezes a new snapshot; later chunks name it in `snapshot`. Pulled one by one, so no channel overflows.
    """

    resource: str
    reply: str
    snapshot: str = ""
    index: int = 0
    epoch: str = ""
    """Only the worker of this epoch is to answer; empty: every worker does."""


class Chunk(msgspec.Struct, frozen=True, array_like=True):
    """A part of a snapshot, the state after frame `seq` of `epoch`, as ``{"type": "feed.chunk", "data": bytes}``."""

    resource: str
    epoch: str
    seq: int
    snapshot: str
    index: int
    total: int
    """Number of chunks; 0 when the named snapshot is gone and must be asked anew."""
    health: Health
    rows: tuple[Row, ...] = ()
    entries: tuple[Entry, ...] = ()
    """In the last chunk: the newest entries, oldest first."""
    rates: tuple[tuple[float, int, int, int], ...] = ()
    """In the last chunk: (Unix second, added, modified, deleted) of the last 15 minutes; quiet seconds left out."""
    dictionaries: tuple[bytes, ...] = ()
    """In the first chunk: all that rows of this snapshot or of later frames are packed with, if it was sent before."""
    described: Described | None = None
    """In the first chunk: what the cells of rows are, if it was sent before."""
    told_from: float | None = None
    """In the first chunk: Unix seconds from when on this epoch tells each change; None: it has not listed yet."""


class Want(msgspec.Struct, frozen=True, array_like=True):
    """A web process has these kinds open beyond those of the settings; every worker that hears it follows them.

    Goes to ASK_GROUP as ``{"type": "feed.want", "data": bytes}``, again and again while there are any.
    """

    kinds: tuple[tuple[str, float], ...]
    """Key, and seconds since somebody last looked."""


def _left_out(value: Any) -> None:
    """A row's dictionary is not written with the row, see live/dictionaries.py."""
    if not isinstance(value, Dictionary):
        raise TypeError(f"the feed has no words for a {type(value).__name__}")


encoder = msgspec.msgpack.Encoder(enc_hook=_left_out)
frame_decoder = msgspec.msgpack.Decoder(Frame)
ask_decoder = msgspec.msgpack.Decoder(Ask)
want_decoder = msgspec.msgpack.Decoder(Want)
chunk_decoder = msgspec.msgpack.Decoder(Chunk)
