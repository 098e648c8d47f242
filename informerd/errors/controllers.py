"""What managers, controllers and their leases raise."""

from __future__ import annotations

from informerd.errors.root import InformerdError


class DuplicateController(InformerdError):
    """A manager has a controller of that name already; names tell logs, metrics and the controllers page apart."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a controller {name!r} already: give this one another name")
        self.name = name


class LeaderElectionLost(InformerdError):
    """This process led and does not any more; `lease` is the lease's ``namespace/name``.

    From now on none of its leader's writes is sent. End the process, and let it be started anew.
    """

    def __init__(self, lease: str, problem: str) -> None:
        super().__init__(f"lost the lease {lease}: {problem}")
        self.lease = lease
        self.problem = problem


class NotLeading(InformerdError):
    """A write by leader-elected work, in a process that does not lead (any more). Nothing was sent."""


class StillRunning(InformerdError, TimeoutError):
    """Some of what a manager runs had not ended when the time for stopping was over; `names` says what."""

    def __init__(self, names: tuple[str, ...], seconds: float) -> None:
        super().__init__(f"not ended within {seconds:g} s: {', '.join(names)}")
        self.names = names
