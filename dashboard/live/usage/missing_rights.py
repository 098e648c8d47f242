"""Rights to the metrics API that are missing, and the sentences that name them."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from dashboard.live.usage.metrics_api import GROUP, NODE_METRICS, POD_METRICS
from informerd.resource import Resource

ACCOUNT = "Deltaboard's account"
SOME = ("",)
"""Namespaces that nobody names."""


class MissingRights(msgspec.Struct, frozen=True, array_like=True):
    """What Deltaboard's account may not read."""

    pods: bool = False
    """The usage of pods, wherever they are."""
    nodes: bool = False
    """The usage of nodes."""
    namespaces: tuple[str, ...] = ()
    """Namespaces of pods whose usage may not be read, where that of others may; sorted."""

    def sentences(self) -> list[str]:
        """All that is missing, a sentence each for pods and nodes."""
        pods = [pods_sentence(ACCOUNT, self.namespaces)] if self.pods or self.namespaces else []
        return [*pods, *([nodes_sentence(ACCOUNT)] if self.nodes else [])]


def pods_sentence(who: str, namespaces: Collection[str] = ()) -> str:
    """Says which right `who` needs for the usage of pods: everywhere, or in these namespaces."""
    if not namespaces:
        return _sentence(who, "pods", POD_METRICS)
    only = next(iter(namespaces)) if len(namespaces) == 1 else ""
    place = f"namespace {only}" if only else "some namespaces"
    return _sentence(who, f"pods in {place}", POD_METRICS, " there")


def nodes_sentence(who: str) -> str:
    """Says which right `who` needs for the usage of nodes."""
    return _sentence(who, "nodes", NODE_METRICS)


def _sentence(who: str, whose: str, resource: Resource, place: str = "") -> str:
    right = f"the right to list {resource.plural} in API group {GROUP}{place}"
    return f"{who} may not read the usage of {whose}: that needs {right}."
