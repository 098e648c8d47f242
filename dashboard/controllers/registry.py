"""The controllers that a worker can run, by the name that DELTABOARD_CONTROLLERS gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from informerd import Manager

    Setup = Callable[[Manager], Any]
    """Adds one or more controllers to a manager that does not run yet."""


@dataclass(frozen=True, slots=True)
class Known:
    """A controller that ships with Deltaboard."""

    name: str
    what: str
    """What it does, as a sentence for whoever chooses."""
    place: str
    """``module:function`` of its Setup; imported only where it is asked for."""
    queue: str
    """What it is called in the manager and in metrics: its queue's name."""

    def setup(self) -> Setup:
        """The function that adds it to a manager."""
        module, _, function = self.place.partition(":")
        return cast("Setup", getattr(import_module(module), function))


KNOWN: Mapping[str, Known] = MappingProxyType(
    {
        known.name: known
        for known in (
            Known(
                "crddemo",
                "Looks at every Mydemo and says so with an Event “Synced” on it.",
                "informerd.controllers.crddemo:add_crddemo",
                queue="Mydemos",
            ),
        )
    }
)
DEMO = ("crddemo",)
"""What runs on the demo cluster where DELTABOARD_CONTROLLERS is not set."""


def known_as(queue: str) -> str:
    """The name in DELTABOARD_CONTROLLERS of what a manager knows by this one; the same where it is none that ships."""
    return next((known.name for known in KNOWN.values() if known.queue == queue), queue)


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once. Raises ValueError for one that nobody knows, with those that there are."""
    wanted = tuple(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in KNOWN]
    if unknown:
        told = " and ".join(map(repr, unknown))
        raise ValueError(f"there is no controller {told}; known are: {', '.join(sorted(KNOWN))}")
    return wanted
