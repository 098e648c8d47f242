"""What workers and web processes say to each other about controllers, over Channels: a stream of its own.

docs/feed.md has the rules. In short: every worker sends a whole Report each second, so that nothing has to be asked
for or pieced together and a lost one is made good by the next; a web process sends a Requeue to all workers, and the
one that runs the controller gives an Answer. Everything travels as msgpack made by msgspec, structs as arrays.
"""

from __future__ import annotations

import msgspec

from informerd.manager.state import ManagerState

REPORT_GROUP = "deltaboard.controllers"
"""Group to which every worker sends its Report (as ``{"type": "controllers.report", "data": bytes}``)."""

REQUEUE_GROUP = "deltaboard.requeue"
"""Group on which workers hear a Requeue (as ``{"type": "controllers.requeue", "data": bytes}``)."""


class History(msgspec.Struct, frozen=True, array_like=True):
    """How one controller did in the last 15 minutes, or since it began, in steps of `step` seconds, oldest first."""

    begin: int
    """Unix second at which the first step begins."""
    step: int
    depth: tuple[int, ...]
    """The deepest queue seen in each step."""
    ended: tuple[int, ...]
    """Reconciles that ended in it, whatever their outcome."""
    failed: tuple[int, ...]
    """Those of them that failed."""
    rate: float = 0.0
    """Reconciles a second, over the last 10 s."""


class Report(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """How a worker's controllers are. It is whole: the newest is all there is to know."""

    epoch: str
    """One life of a worker; epochs sort by age, see dashboard.live.publisher.new_epoch."""
    sent: float
    """Unix seconds."""
    wanted: tuple[str, ...]
    """The names in DELTABOARD_CONTROLLERS, or what that is by default on this cluster."""
    manager: ManagerState
    problem: str = ""
    """Why its controllers cannot be run, in a sentence."""
    history: dict[str, History] = {}
    """By controller."""


class Requeue(msgspec.Struct, frozen=True, array_like=True):
    """Somebody wants a key that failed to be reconciled now. The answer goes to channel `reply`."""

    id: str
    """The asker's name for this question, not used before."""
    controller: str
    key: str
    reply: str
    by: str = ""
    """Who asks, for the log; empty where nobody signs in."""


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What became of a Requeue (as ``{"type": "controllers.answer", "data": bytes}``)."""

    id: str
    done: bool
    words: str = ""
    """Where it was not done: why, as a sentence."""


encoder = msgspec.msgpack.Encoder()
report_decoder = msgspec.msgpack.Decoder(Report)
requeue_decoder = msgspec.msgpack.Decoder(Requeue)
answer_decoder = msgspec.msgpack.Decoder(Answer)
