"""Makes the manager that runs what DELTABOARD_CONTROLLERS names."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.controllers.registry import KNOWN
from informerd import ClusterConfig, Election, Manager
from informerd.clock import Clock
from informerd.version import VERSION

LEASE = "deltaboard-controllers"
"""Name of the Lease that one worker holds at a time, in the namespace of the cluster's configuration."""
USER_AGENT = f"deltaboard-controllers/{VERSION}"
"""What audit logs show, so that controllers' requests are told from those of the feed."""
GRACEFUL = 5.0
"""Seconds in which what is being reconciled may be finished when the worker stops."""


def new_manager(names: Iterable[str], cluster: ClusterConfig, clock: Clock, *, elected: bool) -> Manager:
    """A manager that does not run yet. It has a client and caches of its own, and closes them at its end.

    `elected`: whether another process may run the same controllers on this cluster, so that a Lease has to decide.
    """
    manager = Manager(
        cluster,
        clock=clock,
        election=Election(LEASE) if elected else None,
        graceful=GRACEFUL,
        sync_timeout=None,
        user_agent=USER_AGENT,
    )
    for name in names:
        KNOWN[name].setup()(manager)
    return manager
