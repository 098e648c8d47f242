"""Order of the reasons of one cause: what a container says comes before what a rollout says, whichever is newer.

The card of a cause has one headline. In a fixed order it does not change back and forth while pods restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from dashboard.objects.printers.events import is_about_container
from dashboard.pages.causes.rules import EVENT_KINDS, NODES, Rule
from dashboard.pages.causes.unhealthy_object import PODS, UnhealthyObject

NO_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff"})


class Reason(IntEnum):
    """Kinds of reasons, the one that says most first."""

    NO_IMAGE = 0
    CRASH_LOOP = 1
    CONTAINER = 2
    """Anything else that is wrong with a container, or a pod that has failed."""
    RUNS_AGAIN = 3
    """A crash loop that is not over, of a container that runs."""
    POD = 4
    """A pod that waits or is not ready, and why."""
    CREATION = 5
    """Pods cannot be created."""
    WARNING = 6
    """A Warning about a container that is there."""
    WAITING = 7
    """A pod that waits for it is not known what."""
    OTHER = 8
    """A rollout that is stuck, too few pods, and Warnings about anything else."""


def reason_of(line: UnhealthyObject) -> Reason:
    """The kind of reason that an object gives."""
    row = line.row
    if line.kind.key in EVENT_KINDS:
        return Reason.WARNING if is_about_container(row) and not line.is_gone else Reason.OTHER
    if line.kind.key != PODS:
        return Reason.CREATION if row.status == "Failed" and row.reason.startswith("pods cannot") else Reason.OTHER
    if row.until is not None:
        return Reason.RUNS_AGAIN
    status = row.status.removeprefix("Init:")
    if status in NO_IMAGE:
        return Reason.NO_IMAGE
    if status == "CrashLoopBackOff":
        return Reason.CRASH_LOOP
    if row.tone == "bad":
        return Reason.CONTAINER
    return Reason.POD if row.reason else Reason.WAITING


def best_reason(rule: Rule, lines: Sequence[UnhealthyObject], *, with_events: bool = True) -> UnhealthyObject:
    """The object whose reason says most; of a lost node that is the node. Of equal ones the first.

    Without `with_events` it is an Event only where all are.
    """
    own = lines if with_events else [line for line in lines if line.kind.key not in EVENT_KINDS] or lines
    return min(own, key=lambda line: (rule == "node" and line.kind.key != NODES, reason_of(line)))
