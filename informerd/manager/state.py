"""Snapshot of a manager's state, for readiness, logs and the controllers page."""

from __future__ import annotations

from typing import Literal

import msgspec

from informerd.controller.state import ControllerState
from informerd.record.event_counts import RecorderState

RunnablePhase = Literal["created", "running", "stopping", "stopped", "failed"]
ManagerPhase = Literal["created", "starting", "waiting for leader", "running", "stopping", "stopped"]


class RunnableState(msgspec.Struct, frozen=True, kw_only=True):
    """One of what a manager runs."""

    name: str
    phase: RunnablePhase = "created"
    problem: str = ""
    """Why it has failed, in words."""
    failures: int = 0


class ManagerState(msgspec.Struct, frozen=True, kw_only=True):
    """Times in Unix seconds."""

    identity: str
    """This process, as leases name it."""
    phase: ManagerPhase = "created"
    lease: str = ""
    """``namespace/name`` of the lease; "" where there is no election and this process always leads."""
    leads: bool = True
    leader: str = ""
    """Holder of the lease, as last seen; "" where it is not known."""
    since: float | None = None
    """Since when: when `leader` took the lease; without an election, when this manager began to run."""
    renewed_at: float | None = None
    """When the lease was last seen to be renewed."""
    problem: str = ""
    """Why the lease cannot be had or was lost."""
    events: RecorderState = RecorderState()
    """Counts of its recorded Events, and why the last one could not be written."""
    controllers: tuple[ControllerState, ...] = ()
    runnables: tuple[RunnableState, ...] = ()
    """All that it runs, controllers too; those whose phase is "failed" say why."""
