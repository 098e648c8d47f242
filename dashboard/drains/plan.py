"""What a drain means for each pod of a node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from dashboard.evictions.pods import Fate, Json, Need, fate_of

_NEEDS: tuple[Need, ...] = ("emptydir", "unmanaged")


@dataclass(frozen=True, slots=True)
class Plan:
    """All pods of a node, those that are evicted first."""

    fates: tuple[Fate, ...]

    @property
    def evicted(self) -> tuple[Fate, ...]:
        return tuple(fate for fate in self.fates if not fate.stays)

    @property
    def staying(self) -> tuple[Fate, ...]:
        return tuple(fate for fate in self.fates if fate.stays)

    @property
    def needs(self) -> tuple[Need, ...]:
        """What has to be agreed to, each once."""
        found = {need for fate in self.evicted for need in fate.needs}
        return tuple(need for need in _NEEDS if need in found)

    def count(self, need: str) -> int:
        return sum(need in fate.needs for fate in self.evicted)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Namespaces whose budgets are not known."""
        return tuple(sorted({fate.namespace for fate in self.evicted if fate.unknown}))

    @property
    def emptydirs(self) -> int:
        return self.count("emptydir")

    @property
    def unmanaged(self) -> int:
        return self.count("unmanaged")


def plan_of(
    pods: Iterable[Json], budgets: Mapping[str, list[Json] | None], missing: Collection[tuple[str, str]] = ()
) -> Plan:
    """`budgets` by namespace, None where they are not known; `missing` DaemonSets, whose pods do not stay."""
    fates = [fate_of(pod, budgets[pod["metadata"]["namespace"]], missing) for pod in pods]
    return Plan(tuple(sorted(fates, key=lambda fate: (fate.stays, fate.key))))
