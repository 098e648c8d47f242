"""Present faults of nodes, as the kubelets and the director know them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class NodeFaults:
    """Names of nodes by fault. A silent node neither renews its lease nor does anything for its pods."""

    silent_nodes: set[str] = field(default_factory=set)
    memory_pressure_nodes: set[str] = field(default_factory=set)

    def is_responding(self, node: str) -> bool:
        """Whether the node's kubelet works."""
        return node not in self.silent_nodes
