"""Registry of the controllers that a worker can run, by their names in DELTABOARD_CONTROLLERS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, cast

from informerd import ClusterConfig, Election, Manager
from informerd.clock import Clock
from informerd.version import VERSION

Setup = Callable[[Manager], Any]
"""Adds one or more controllers to a manager that does not run yet."""


@dataclass(frozen=True, slots=True)
class BuiltinController:
    """A controller that ships with Deltaboard."""

    name: str
    description: str
    """One-sentence description, for the choice of controllers."""
    import_path: str
    """``module:function`` of its Setup; imported only when the controller is enabled."""
    queue: str
    """Its name in the manager and in metrics: the name of its queue."""

    def load_setup(self) -> Setup:
        """The function that adds it to a manager."""
        module, _, function = self.import_path.partition(":")
        return cast("Setup", getattr(import_module(module), function))


BUILTIN_CONTROLLERS: Mapping[str, BuiltinController] = MappingProxyType(
    {
        known.name: known
        for known in (
            BuiltinController(
                "crddemo",
                "Reconciles every Mydemo and records an Event “Synced” on it.",
                "informerd.controllers.crddemo:add_crddemo",
                queue="Mydemos",
            ),
        )
    }
)
DEMO_CONTROLLERS = ("crddemo",)
"""Controllers of the demo cluster where DELTABOARD_CONTROLLERS is not set."""


def setting_name(queue: str) -> str:
    """The name in DELTABOARD_CONTROLLERS of the controller with this queue name; the same name where it is not built
    in.
    """
    return next((known.name for known in BUILTIN_CONTROLLERS.values() if known.queue == queue), queue)


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names without duplicates. Raises ValueError for unknown names; its message lists the known ones."""
    wanted = tuple(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in BUILTIN_CONTROLLERS]
    if unknown:
        names_text = " and ".join(map(repr, unknown))
        raise ValueError(
            f"there is no controller {names_text}; known controllers: {', '.join(sorted(BUILTIN_CONTROLLERS))}"
        )
    return wanted


LEASE_NAME = "deltaboard-controllers"
"""Name of the Lease that one worker holds at a time, in the namespace of the cluster's configuration."""


USER_AGENT = f"deltaboard-controllers/{VERSION}"
"""User agent that distinguishes the controllers' requests from the feed's in audit logs."""


GRACE_PERIOD = 5.0
"""Seconds for running reconciles to finish when the worker stops."""


def new_manager(
    names: Iterable[str],
    cluster: ClusterConfig,
    clock: Clock,
    *,
    leader_election: bool,
    namespaces: Sequence[str] = (),
) -> Manager:
    """A manager that does not run yet. It has its own client and caches, and closes them at its end.

    `leader_election`: another process may run the same controllers on this cluster, so a Lease decides. Controllers
    look at objects of `namespaces` only; empty: of all.
    """
    manager = Manager(
        cluster,
        clock=clock,
        election=Election(LEASE_NAME) if leader_election else None,
        graceful=GRACE_PERIOD,
        sync_timeout=None,
        user_agent=USER_AGENT,
        namespaces=namespaces,
    )
    for name in names:
        BUILTIN_CONTROLLERS[name].load_setup()(manager)
    return manager
