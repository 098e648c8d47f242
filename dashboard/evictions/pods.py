"""What becomes of a pod that is evicted or whose node is drained. The rules are those of ``kubectl drain``.

Source: kubectl's pkg/drain/filters.go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.evictions.budgets import Budget, budgets_of
from dashboard.evictions.daemon_sets import controller_of, daemon_set_of
from dashboard.resources.words import object_href

MIRROR = "kubernetes.io/config.mirror"
Json = Mapping[str, Any]
Need = Literal["emptydir", "unmanaged"]


@dataclass(frozen=True, slots=True)
class Fate:
    """One pod and what happens to it."""

    namespace: str
    name: str
    uid: str
    node: str
    stays: bool
    words: str
    needs: tuple[Need, ...] = ()
    """What has to be agreed to before it is evicted."""
    budgets: tuple[Budget, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def href(self) -> str:
        return object_href("pods", self.namespace, self.name)

    @property
    def blocked(self) -> tuple[Budget, ...]:
        """Budgets that would not allow it now."""
        return tuple(budget for budget in self.budgets if not budget.allowed)


def fate_of(pod: Json, budgets: list[Json], missing: Collection[tuple[str, str]] = ()) -> Fate:
    """`pod` as the API server gave it; `budgets` of its namespace; `missing` DaemonSets, see missing_among."""
    metadata = pod["metadata"]
    stays, words, needs = _judged(pod, missing)
    found = () if stays or _is_finished(pod) else budgets_of(metadata.get("labels") or {}, budgets)
    return Fate(
        metadata["namespace"],
        metadata["name"],
        metadata["uid"],
        (pod.get("spec") or {}).get("nodeName", ""),
        stays,
        words,
        needs,
        found,
    )


def _judged(pod: Json, missing: Collection[tuple[str, str]]) -> tuple[bool, str, tuple[Need, ...]]:
    owner, orphaned = controller_of(pod), daemon_set_of(pod) in missing
    if MIRROR in (pod["metadata"].get("annotations") or {}):
        return True, "stays: the kubelet runs it from a file on the node", ()
    if owner is not None and owner.get("kind") == "DaemonSet" and not orphaned and not _is_finished(pod):
        return True, f"stays: DaemonSet {owner['name']} runs one on every node", ()
    if _is_finished(pod):
        return False, "is over already: it is removed", ()
    needs: list[Need] = []
    said = ["is evicted"]
    if owner is None:
        needs.append("unmanaged")
        said.append("nobody makes it again")
    elif orphaned:
        needs.append("unmanaged")
        said.append(f"DaemonSet {owner['name']} is no more, so that nobody makes it again")
    else:
        said.append(f"{owner.get('kind')} {owner.get('name')} makes another one elsewhere")
    if any("emptyDir" in volume for volume in (pod.get("spec") or {}).get("volumes") or ()):
        needs.insert(0, "emptydir")
        said.append("what is in its emptyDir volumes is lost")
    return False, "; ".join(said), tuple(needs)


def _is_finished(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
