"""Messages between workers and web processes about the kinds that nobody follows, in a stream of their own.

docs/feed.md has the rules. In short: a web process says that a page shows counts, the worker then counts each kind at
most once a minute and sends all it knows each time (`ObjectCounts`): the next message makes up for a lost one.
"""

from __future__ import annotations

import msgspec

from informerd.resource import Resource

OBJECT_COUNTS_GROUP = "deltaboard.census"
"""Group to which every worker sends its ObjectCounts (as ``{"type": "census.counts", "data": bytes}``)."""

COUNT_REQUEST_GROUP = "deltaboard.census.look"
"""Group on which workers receive requests for counts (as ``{"type": "census.look"}``)."""


class KindCount(msgspec.Struct, frozen=True, array_like=True):
    """A kind that discovery has, and its number of objects when it was last counted."""

    resource: Resource
    count: int | None = None
    """None: never counted."""
    counted_at: float | None = None
    """Unix seconds at which `count` was true."""
    problem: str = ""
    """Why the last count failed; `count` is then of an earlier one."""


class ObjectCounts(msgspec.Struct, frozen=True, array_like=True):
    """Every kind that can be listed. It is complete: the newest message is all that is known."""

    epoch: str
    """One run of a worker; epochs sort by age, see dashboard.live.replication.epoch.new_epoch."""
    kinds: tuple[KindCount, ...]
    worker: str = ""
    """Machine and process, for people."""


encoder = msgspec.msgpack.Encoder()
object_counts_decoder = msgspec.msgpack.Decoder(ObjectCounts)
