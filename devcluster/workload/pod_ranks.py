"""Which pods of a ReplicaSet go first where there are too many.

Source: kube-controller-manager's controller_utils.go (ActivePodsWithRanks).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from devcluster.workload.projections import Pod

COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def first_to_go(pods: Sequence[Pod]) -> list[Pod]:
    """Those without a node, then those that do not run, are not ready, cost little, share a node, are young."""
    together = Counter(pod.spec.node_name for pod in pods if pod.is_ready)

    def rank(pod: Pod) -> tuple[object, ...]:
        restarts = sum(each.restart_count for each in pod.status.container_statuses)
        created = pod.metadata.creation_timestamp
        return (
            bool(pod.spec.node_name),
            _PHASES.get(pod.status.phase, 2),
            pod.is_ready,
            _cost(pod),
            -together[pod.spec.node_name],
            -restarts,
            -(created.timestamp() if created else 0.0),
            pod.metadata.name,
        )

    return sorted(pods, key=rank)


def _cost(pod: Pod) -> int:
    text = pod.metadata.annotations.get(COST, "0")
    try:
        return int(text)
    except ValueError:
        return 0
