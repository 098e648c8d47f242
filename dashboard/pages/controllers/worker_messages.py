"""Messages between workers and web processes about controllers, over a stream of their own on Channels.

docs/feed.md has the rules. In short: every worker sends a whole Report each second, so that nothing has to be requested
or assembled and the next one makes up for a lost one; a web process sends a RequeueRequest to all workers, and the one
that runs the controller sends a RequeueResult. Everything is encoded as msgpack by msgspec, structs as arrays.
"""

from __future__ import annotations

import msgspec

from informerd.manager.state import ManagerState

REPORT_GROUP = "deltaboard.controllers"
"""Group to which every worker sends its Report (as ``{"type": "controllers.report", "data": bytes}``)."""

REQUEUE_GROUP = "deltaboard.requeue"
"""Group on which workers receive a RequeueRequest (as ``{"type": "controllers.requeue", "data": bytes}``)."""


class History(msgspec.Struct, frozen=True, array_like=True):
    """History of one controller over the last 15 minutes, or since its start, in steps of `step`
    seconds, oldest first.
    """

    begin: int
    """Unix second at which the first step starts."""
    step: int
    depth: tuple[int, ...]
    """The deepest queue in each step."""
    reconciles: tuple[int, ...]
    """Reconciles that ended in each step, with any outcome."""
    failures: tuple[int, ...]
    """Reconciles that failed in each step."""
    rate: float = 0.0
    """Reconciles a second, over the last 10 s."""


class Report(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """State of a worker's controllers. It is complete: the newest report replaces all earlier ones."""

    epoch: str
    """Id of a worker's run; epochs sort by age, see dashboard.live.replication.epoch.new_epoch."""
    sent_at: float
    """Unix seconds."""
    wanted: tuple[str, ...]
    """The names in DELTABOARD_CONTROLLERS, or its default on this cluster."""
    manager: ManagerState
    problem: str = ""
    """Why its controllers cannot run, as a sentence."""
    history: dict[str, History] = {}
    """By controller."""


class RequeueRequest(msgspec.Struct, frozen=True, array_like=True):
    """A user's request to reconcile a failed key now. The answer goes to the channel `reply_channel`."""

    id: str
    """The sender's id of this request, never reused."""
    controller: str
    key: str
    reply_channel: str
    requested_by: str = ""
    """User name for the log; empty where there is no sign-in."""


class RequeueResult(msgspec.Struct, frozen=True, array_like=True):
    """Result of a RequeueRequest (as ``{"type": "controllers.answer", "data": bytes}``)."""

    id: str
    done: bool
    words: str = ""
    """Why it was not done, as a sentence; empty where it was."""


encoder = msgspec.msgpack.Encoder()
report_decoder = msgspec.msgpack.Decoder(Report)
requeue_request_decoder = msgspec.msgpack.Decoder(RequeueRequest)
requeue_result_decoder = msgspec.msgpack.Decoder(RequeueResult)


def requeue_problem(state: ManagerState, controller: str, key: str) -> str:
    """Why this key cannot be requeued, as a sentence; empty where it can: only failed keys can."""
    state_of_controller = next((each for each in state.controllers if each.name == controller), None)
    if state_of_controller is None:
        running = ", ".join(each.name for each in state.controllers) or "none"
        return f"The controller {controller!r} does not run here. Running controllers: {running}."
    if not any(failed.key == key for failed in state_of_controller.failed):
        return f"{key!r} is not a failed key of {controller}: it may have succeeded or been deleted meanwhile."
    return ""
