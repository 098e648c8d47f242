"""Errors of work queues, controllers, managers and their leases."""

from __future__ import annotations

from informerd.errors.base import InformerdError, NotInTime


class DuplicateController(InformerdError):
    """A manager already has a controller of that name; logs, metrics and the controllers page need distinct names."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a controller {name!r} already: give this one another name")
        self.name = name


class LeaderElectionLost(InformerdError):
    """This process is no longer the leader; `lease` is the lease's ``namespace/name``.

    From now on no leader-elected write is sent. End the process, and start it again.
    """

    def __init__(self, lease: str, problem: str) -> None:
        super().__init__(f"lost the lease {lease}: {problem}")
        self.lease = lease
        self.problem = problem


class NotLeading(InformerdError):
    """A write by leader-elected work, in a process that does not lead (any more). Nothing was sent."""


class StillRunning(InformerdError, TimeoutError):
    """Runnables had not ended when the time for stopping was over; `names` lists them."""

    def __init__(self, names: tuple[str, ...], seconds: float) -> None:
        super().__init__(f"not ended within {seconds:g} s: {', '.join(names)}")
        self.names = names


class QueueShutDown(InformerdError):
    """The work queue was shut down and has nothing left to hand out: the worker that asked is to end."""

    def __init__(self, queue: str) -> None:
        super().__init__(f"the work queue {queue!r} is shut down and empty: end the worker")
        self.queue = queue


class UnusableKey(InformerdError, TypeError):
    """A key that a work queue cannot tell from others, as it has no hash. Nothing was added."""

    def __init__(self, queue: str, key: object) -> None:
        kind = type(key).__name__
        super().__init__(
            f"{key!r} cannot be a key of the work queue {queue!r}, as a {kind} has no hash: "
            "use a Request, a string or another value that never changes"
        )
        self.queue = queue
        self.key = key


class NotProcessed(InformerdError):
    """The key is not being worked on: it was not handed out by `get`, or is done already."""

    def __init__(self, queue: str, key: object) -> None:
        super().__init__(
            f"the work queue {queue!r} has not handed out {key!r}, or it is done already: "
            "call done once for each key that get gave, with that key"
        )
        self.queue = queue
        self.key = key


class TerminalError(InformerdError):
    """Raised by a reconcile that no retry can help: its request waits until the object changes.

    It counts as well as the cause of another error (``raise … from TerminalError(…)``). Source: controller-runtime's
    reconcile.TerminalError.
    """


class InvalidReconcile(InformerdError, TypeError):
    """A reconcile is no async function of a request, or gave back neither None nor a Result; says what to do."""


class ReconcileTimeout(NotInTime):
    """A reconcile took longer than its controller allows, and was cancelled."""
