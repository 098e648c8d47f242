"""Containers of a pod that a terminal may be opened in, with the run that each is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.objects.describers.containers import ContainerLine, containers_of

STARTING = frozenset({"Not started", "Waiting", "Waiting: ContainerCreating", "Waiting: PodInitializing"})
"""States of a container that nothing keeps from running: its image is pulled, or others come first."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A container that may be chosen."""

    line: ContainerLine
    is_running: bool

    @property
    def name(self) -> str:
        return self.line.name

    @property
    def is_starting(self) -> bool:
        """Whether it is on its way, as a debug container is in its first seconds."""
        return self.line.state in STARTING

    @property
    def run(self) -> str:
        """What tells its present run from its other ones; empty while it does not run."""
        return f"{self.line.restarts} {self.line.since}" if self.is_running else ""


def choices_of(pod: Mapping[str, Any]) -> list[Choice]:
    """All containers of a pod in the order of its spec, debug containers last."""
    return [Choice(line, line.state.startswith("Running")) for line in containers_of(pod)]
