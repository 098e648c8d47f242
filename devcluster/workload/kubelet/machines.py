"""Machines: what is wrong with nodes at this moment, as their kubelets and the director know it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Machines:
    """By name. A node that is `silent` neither renews its lease nor does anything for its pods."""

    silent: set[str] = field(default_factory=set)
    short_of_memory: set[str] = field(default_factory=set)

    def answers(self, node: str) -> bool:
        """Whether the node's kubelet works."""
        return node not in self.silent
