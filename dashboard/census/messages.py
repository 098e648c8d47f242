"""What workers and web processes say to each other about the kinds that nobody watches: a stream of its own.

docs/feed.md has the rules. In short: a web process says that somebody looks (`Look`), the worker then counts each kind
once a minute at most, and sends what it knows, whole each time (`Census`): a lost one is made good by the next.
"""

from __future__ import annotations

import msgspec

from informerd.resource import Resource

CENSUS_GROUP = "deltaboard.census"
"""Group to which every worker sends its Census (as ``{"type": "census.counts", "data": bytes}``)."""

LOOK_GROUP = "deltaboard.census.look"
"""Group on which workers hear that somebody looks at counts (as ``{"type": "census.look"}``)."""


class Counted(msgspec.Struct, frozen=True, array_like=True):
    """A kind that discovery names, and how many objects it had when somebody last counted them."""

    resource: Resource
    count: int | None = None
    """None: never counted."""
    at: float | None = None
    """Unix seconds at which `count` was true."""
    problem: str = ""
    """Why it could not be counted at the last try; `count` is then of an earlier one."""


class Census(msgspec.Struct, frozen=True, array_like=True):
    """Every kind that can be listed. It is whole: the newest is all there is to know."""

    epoch: str
    """One life of a worker; epochs sort by age, see dashboard.live.publisher.new_epoch."""
    kinds: tuple[Counted, ...]
    worker: str = ""
    """Which process that is, for people: machine and process."""


encoder = msgspec.msgpack.Encoder()
census_decoder = msgspec.msgpack.Decoder(Census)
