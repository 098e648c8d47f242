"""What a manager looks like from outside, at one moment: for readiness, logs and the controllers page."""

from __future__ import annotations

import msgspec

from informerd.controller.state import ControllerState


class ManagerState(msgspec.Struct, frozen=True, kw_only=True):
    """Times in Unix seconds."""

    identity: str
    """This process, as leases name it."""
    lease: str = ""
    """``namespace/name`` of the lease; "" where there is no election and this process always leads."""
    leads: bool = True
    leader: str = ""
    """Who holds the lease, as last seen; "" where that is not known."""
    since: float | None = None
    """Since when: when `leader` took the lease; without an election, when this manager was started."""
    renewed_at: float | None = None
    """When the lease was last seen to be renewed."""
    problem: str = ""
    controllers: tuple[ControllerState, ...] = ()
