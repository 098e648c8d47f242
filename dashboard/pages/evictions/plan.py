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
    """Those that are asked before it goes: none of a pod that has not begun, see Budget.lets_unready_go, too."""
    unknown: bool = False
    """Whether budgets may be asked of which nothing is known here."""
    mirror: bool = False
    """Whether its kubelet runs it from a file on the node, and the object only shows that."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def href(self) -> str:
        return object_href("pods", self.namespace, self.name)

    @property
    def several(self) -> bool:
        """Whether several budgets select it: the API server evicts no such pod, whatever they allow."""
        return len(self.budgets) > 1

    @property
    def blocked(self) -> tuple[Budget, ...]:
        """Budgets that would not allow it now."""
        return self.budgets if self.several else tuple(budget for budget in self.budgets if not budget.allowed)


def fate_of(
    pod: Json, budgets: list[Json] | None, missing: Collection[tuple[str, str]] = (), *, alone: bool = False
) -> Fate:
    """`pod` as the API server gave it; `budgets` of its namespace, None where they are not known; `missing` DaemonSets,
    see missing_among.

    `alone`: somebody evicts this one, not all of its node. Then it goes, whoever puts another one in its place.
    """
    metadata = pod["metadata"]
    stays, words, needs = _judged(pod, missing, alone=alone)
    is_asked = not (stays or _needs_no_leave(pod))
    found = budgets_of(metadata.get("labels") or {}, budgets or ()) if is_asked else ()
    if len(found) == 1 and found[0].lets_unready_go and not _is_ready(pod):  # of several it reads no policy
        found = ()
    return Fate(
        metadata["namespace"],
        metadata["name"],
        metadata["uid"],
        (pod.get("spec") or {}).get("nodeName", ""),
        stays,
        words,
        needs,
        found,
        unknown=is_asked and budgets is None,
        mirror=_is_mirror(pod),
    )


def _judged(pod: Json, missing: Collection[tuple[str, str]], *, alone: bool) -> tuple[bool, str, tuple[Need, ...]]:
    owner, orphaned = controller_of(pod), daemon_set_of(pod) in missing
    if _is_mirror(pod):
        return not alone, "stays: the kubelet runs it from a file on the node", ()
    comes_back = owner is not None and owner.get("kind") == "DaemonSet" and not orphaned
    if owner is not None and comes_back and not alone and not _is_finished(pod):
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
        where = "on the same node" if comes_back else "elsewhere"
        said.append(f"{owner.get('kind')} {owner.get('name')} makes another one {where}")
    if any("emptyDir" in volume for volume in (pod.get("spec") or {}).get("volumes") or ()):
        needs.insert(0, "emptydir")
        said.append("what is in its emptyDir volumes is lost")
    return False, "; ".join(said), tuple(needs)


def _is_mirror(pod: Json) -> bool:
    return MIRROR in (pod["metadata"].get("annotations") or {})


def _is_finished(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _needs_no_leave(pod: Json) -> bool:
    """Whether no budget counts it: it has ended, has not begun, or goes already."""
    waits = (pod.get("status") or {}).get("phase") == "Pending"
    return _is_finished(pod) or waits or bool(pod["metadata"].get("deletionTimestamp"))


def _is_ready(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
