"""Messages between workers and web processes about what objects use.

A worker sends each poll as parts of one report. A web process takes a report once it has all its parts: where one is
lost, the next poll makes up for it. The past of one object is asked for when a page shows it.
"""

from __future__ import annotations

import msgspec

from dashboard.live.usage.missing_rights import MissingRights
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.lenient_decoder import LenientDecoder
from dashboard.runtime.shard import WHOLE, Shard

USAGE_GROUP = "deltaboard.usage"
"""Group to which every worker sends its reports (as ``{"type": "usage.part", "data": bytes}``)."""
PART, SHARD_PART = "usage.part", "usage.shard"
"""Types of these messages: a web process that knows no shards does not take a shard's report for the whole."""
USAGE_REQUEST_GROUP = "deltaboard.usage.ask"
"""Group on which workers receive a UsageRequest (as ``{"type": "usage.ask", "data": bytes}``)."""
MAX_ITEMS = 2_000
"""Objects in one part."""


class ReportPart(msgspec.Struct, frozen=True, array_like=True):
    """A part of what objects use, as of one poll."""

    epoch: str
    """One run of a worker; epochs sort by age, see dashboard.live.replication.epoch.new_epoch."""
    number: int
    """Number of the poll."""
    index: int
    total: int
    """Number of parts."""
    polled_at: float
    """Unix seconds of its end."""
    problem: str = ""
    """Why there is nothing new, as a sentence; the objects are then those of an earlier poll, or none."""
    items: tuple[tuple[str, tuple[Usage, ...]], ...] = ()
    """By key of the kind."""
    answered_at: float | None = None
    """Unix seconds of the last poll that was answered; None where none was."""
    is_served: bool = True
    """Whether something in the cluster serves the metrics API, as far as it answers."""
    missing: MissingRights = MissingRights()
    """What may not be read: no items have it. The first part has it for all."""
    next_at: float | None = None
    """Unix seconds of the next poll."""
    shard: Shard = WHOLE
    """The shard that its worker watches; the objects are those of its namespaces."""


class UsageRequest(msgspec.Struct, frozen=True, array_like=True):
    """A web process asks for the newest report, or for the past of one object."""

    reply_channel: str
    kind: str = ""
    """Key of the object's kind; empty: the newest report."""
    key: str = ""
    """``namespace/name`` of the object."""


encoder = msgspec.msgpack.Encoder()
part_decoder = LenientDecoder(ReportPart)
request_decoder = msgspec.msgpack.Decoder(UsageRequest)
past_decoder = LenientDecoder(PastUsage)
