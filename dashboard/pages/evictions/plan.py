"""Plan for pods that are evicted or whose node is drained, by the rules of ``kubectl drain``.

Source: kubectl's pkg/drain/filters.go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.pages.evictions.budgets import Budget, budgets_of
from dashboard.pages.evictions.missing_daemon_sets import controller_of, daemon_set_of
from dashboard.runtime.text_with_links import object_href

MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
Json = Mapping[str, Any]
Need = Literal["emptydir", "unmanaged"]


@dataclass(frozen=True, slots=True)
class PodPlan:
    """One pod and its fate."""

    namespace: str
    name: str
    uid: str
    node: str
    is_staying: bool
    words: str
    confirmations: tuple[Need, ...] = ()
    """Confirmations that its eviction needs."""
    budgets: tuple[Budget, ...] = ()
    """Budgets that decide; none for a pod that has not started, see also Budget.allows_unready."""
    are_budgets_unknown: bool = False
    """Whether budgets that are unknown here may decide too."""
    is_mirror: bool = False
    """Whether it is a static pod: the kubelet runs it from a file on the node."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def href(self) -> str:
        return object_href("pods", self.namespace, self.name)

    @property
    def has_several_budgets(self) -> bool:
        """Whether several budgets select it: the API server never evicts such a pod."""
        return len(self.budgets) > 1

    @property
    def blocking_budgets(self) -> tuple[Budget, ...]:
        """Budgets that would not allow it now."""
        return (
            self.budgets if self.has_several_budgets else tuple(budget for budget in self.budgets if not budget.allowed)
        )


def plan_pod(
    pod: Json,
    budgets: list[Json] | None,
    missing_daemon_sets: Collection[tuple[str, str]] = (),
    *,
    is_single_pod: bool = False,
) -> PodPlan:
    """The plan for `pod`, which is as the API server sent it.

    `budgets` are those of its namespace, None where they are unknown; see evictions.missing_daemon_sets for
    `missing_daemon_sets`. `is_single_pod`: only this pod is evicted, not all of its node. Then it is evicted even where
    its controller replaces it there.
    """
    metadata = pod["metadata"]
    stays, words, needs = _assess(pod, missing_daemon_sets, alone=is_single_pod)
    is_budget_needed = not (stays or _needs_no_leave(pod))
    matching_budgets = budgets_of(metadata.get("labels") or {}, budgets or ()) if is_budget_needed else ()
    if (
        len(matching_budgets) == 1 and matching_budgets[0].allows_unready and not _is_ready(pod)
    ):  # of several it reads no policy
        matching_budgets = ()
    return PodPlan(
        metadata["namespace"],
        metadata["name"],
        metadata["uid"],
        (pod.get("spec") or {}).get("nodeName", ""),
        stays,
        words,
        needs,
        matching_budgets,
        are_budgets_unknown=is_budget_needed and budgets is None,
        is_mirror=_is_mirror(pod),
    )


def _assess(pod: Json, missing: Collection[tuple[str, str]], *, alone: bool) -> tuple[bool, str, tuple[Need, ...]]:
    owner, orphaned = controller_of(pod), daemon_set_of(pod) in missing
    if _is_mirror(pod):
        return not alone, "stays: the kubelet runs it from a file on the node", ()
    comes_back = owner is not None and owner.get("kind") == "DaemonSet" and not orphaned
    if owner is not None and comes_back and not alone and not _is_finished(pod):
        return True, f"stays: DaemonSet {owner['name']} runs one on every node", ()
    if _is_finished(pod):
        return False, "is over already: it is removed", ()
    needs: list[Need] = []
    sentences = ["is evicted"]
    if owner is None:
        needs.append("unmanaged")
        sentences.append("nothing recreates it")
    elif orphaned:
        needs.append("unmanaged")
        sentences.append(f"DaemonSet {owner['name']} does not exist any more, so nothing recreates it")
    else:
        where = "on the same node" if comes_back else "elsewhere"
        sentences.append(f"{owner.get('kind')} {owner.get('name')} creates another one {where}")
    if any("emptyDir" in volume for volume in (pod.get("spec") or {}).get("volumes") or ()):
        needs.insert(0, "emptydir")
        sentences.append("the data in its emptyDir volumes is lost")
    return False, "; ".join(sentences), tuple(needs)


def _is_mirror(pod: Json) -> bool:
    return MIRROR_ANNOTATION in (pod["metadata"].get("annotations") or {})


def _is_finished(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _needs_no_leave(pod: Json) -> bool:
    """Whether no budget counts it: it has ended, has not started, or is being deleted already."""
    waits = (pod.get("status") or {}).get("phase") == "Pending"
    return _is_finished(pod) or waits or bool(pod["metadata"].get("deletionTimestamp"))


def _is_ready(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
