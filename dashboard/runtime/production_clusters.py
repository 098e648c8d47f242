"""Clusters that DELTABOARD_PRODUCTION marks as production."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.runtime.environment import FALSE_WORDS, TRUE_WORDS
from informerd.rest.cluster_config import ClusterConfig


@dataclass(frozen=True, slots=True)
class ProductionClusters:
    """All clusters, or those of `names`: contexts of the kubeconfig, ``in-cluster`` or ``demo``."""

    all_clusters: bool = False
    names: frozenset[str] = frozenset()

    def includes(self, cluster: ClusterConfig) -> bool:
        """Whether this cluster is production."""
        return self.all_clusters or cluster.name in self.names


def read_production(text: str) -> ProductionClusters:
    """``on``, ``off``, or names separated by commas. Raises ValueError where a switch stands among names."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if len(entries) < 2:
        word = "".join(entries).lower()
        if word in TRUE_WORDS + FALSE_WORDS:
            return ProductionClusters(all_clusters=word in TRUE_WORDS)
    elif switches := [entry for entry in entries if entry.lower() in ("on", "off")]:
        raise ValueError(f"{switches[0]!r} cannot stand among names: write on, off, or names of contexts")
    return ProductionClusters(names=frozenset(entries))
