"""Messages between informerd and the web processes over Channels: the feed protocol.

docs/feed.md has the rules. In short: each resource is a stream of frames with ``(epoch, seq)``; a replica subscribes,
asks for a snapshot, and applies the frames that follow it; after a gap, another epoch or two seconds of silence it asks
again. Everything is sent as msgpack made by msgspec, structs as arrays.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.lenient_decoder import LenientDecoder
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.health import Health
from informerd.zstd_dictionaries import Dictionary

FEED_GROUP = "deltaboard.feed"
"""Group to which the worker sends every Frame (as ``{"type": "feed.frame", "data": bytes}``)."""

SHARD_GROUP = "deltaboard.feed.shards"
"""Group to which a worker of a shard sends its Frames instead: a web process that knows no shards is not in it, and
cannot take a part of a kind for the whole.
"""

REQUEST_GROUP = "deltaboard.ask"
"""Group on which workers receive a SnapshotRequest (as ``{"type": "feed.ask", "data": bytes}``) and an
InterestMessage.
"""


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """Content of one tick of one resource; without changes it is the heartbeat, sent every second.

    A frame that carries rows, gone or entries has a new `seq`; a heartbeat repeats the last one.
    """

    resource: str
    epoch: str
    seq: int
    sent_at: float
    """Unix seconds."""
    health: Health
    rows: tuple[Row, ...] = ()
    """The latest row of each object that was added or modified."""
    deleted_uids: tuple[str, ...] = ()
    """uids of objects that were deleted."""
    entries: tuple[Entry, ...] = ()
    rates: tuple[int, int, int] = (0, 0, 0)
    """Objects added, modified, deleted in this tick, for the charts."""
    dictionaries: tuple[bytes, ...] = ()
    """Dictionaries of the rows of this and later frames, each with the first frame that needs it."""
    table: TableDefinition | None = None
    """Meaning of the rows' cells from now on, in the epoch's first frame with content, for a kind that needs it."""
    shard: Shard = WHOLE
    """The shard that its worker watches."""

    @property
    def has_content(self) -> bool:
        """Whether it has a number of its own."""
        return bool(self.rows or self.deleted_uids or self.entries or self.table is not None)


class SnapshotRequest(msgspec.Struct, frozen=True, array_like=True):
    """A replica asks for chunk `index` of a resource's snapshot; the answer goes to `reply_channel`.

    Index 0 freezes a new snapshot; later chunks name it in `snapshot`. Chunks are pulled one by one, so no channel
    overflows.
    """

    resource: str
    reply_channel: str
    snapshot: str = ""
    index: int = 0
    epoch: str = ""
    """Only the worker of this epoch is to answer; empty: every worker does."""
    shard: Shard = WHOLE
    """Only workers of this shard are to answer."""


class SnapshotChunk(msgspec.Struct, frozen=True, array_like=True):
    """A part of a snapshot, the state after frame `seq` of `epoch`, as ``{"type": "feed.chunk", "data": bytes}``."""

    resource: str
    epoch: str
    seq: int
    snapshot: str
    index: int
    total: int
    """Number of chunks; 0 when the named snapshot has expired and a new one must be requested."""
    health: Health
    rows: tuple[Row, ...] = ()
    entries: tuple[Entry, ...] = ()
    """In the last chunk: the newest entries, oldest first."""
    rates: tuple[tuple[float, int, int, int], ...] = ()
    """In the last chunk: (Unix second, added, modified, deleted) of the last 15 minutes; quiet seconds left out."""
    dictionaries: tuple[bytes, ...] = ()
    """In the first chunk: all dictionaries of this snapshot's and later rows that were sent before."""
    table: TableDefinition | None = None
    """In the first chunk: the meaning of the rows' cells, if it was sent before."""
    announced_from: float | None = None
    """In the first chunk: Unix seconds from when on this epoch reports each change; None: it has not listed yet."""
    shard: Shard = WHOLE
    """The shard that its worker watches."""


class InterestMessage(msgspec.Struct, frozen=True, array_like=True):
    """Kinds beyond those of the settings that a web process has open; every worker that receives it follows them.

    Goes to REQUEST_GROUP as ``{"type": "feed.want", "data": bytes}``, repeated while there are any.
    """

    kinds: tuple[tuple[str, float], ...]
    """Key, and seconds since the last view."""
    always: tuple[str, ...] = ()
    """Keys of those that somebody has chosen to be followed always: they give way last."""


def _omit_dictionary(value: Any) -> None:
    """A row's dictionary is not written with the row, see dashboard/live/replication/compression_dictionaries.py."""
    if not isinstance(value, Dictionary):
        raise TypeError(f"the feed cannot encode a {type(value).__name__}")


encoder = msgspec.msgpack.Encoder(enc_hook=_omit_dictionary)
UNENCODABLE = (OverflowError, TypeError, ValueError, msgspec.MsgspecError)
"""Errors of the encoder for content that no message can carry."""
frame_decoder = LenientDecoder(Frame)
snapshot_request_decoder = msgspec.msgpack.Decoder(SnapshotRequest)
interest_decoder = msgspec.msgpack.Decoder(InterestMessage)
snapshot_chunk_decoder = LenientDecoder(SnapshotChunk)


ON_DEMAND_TTL = 600.0
"""Seconds that a kind is followed after its last view."""


MAX_ANNOUNCED = 2_000
"""Maximum number of kinds of one InterestMessage that a worker reads."""


ON_DEMAND_SHOWN = 8.0
"""Seconds after a view in which a kind counts as shown: a page is opening, or the next announcement is on its way."""


NOT_FOLLOWED = "Deltaboard does not follow it"
"""Beginning of the problem of a kind that Deltaboard refuses to follow, unlike one that the API server refuses."""
