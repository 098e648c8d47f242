"""Objects for tests of quick actions.

No controller runs them: a test writes their status.
"""

from __future__ import annotations

from typing import Any

from tests.support.controlplane import ControlPlane

Json = dict[str, Any]
POD: Json = {"containers": [{"name": "main", "image": "nginx:1"}]}


def workload(name: str, **spec: Any) -> Json:
    """A Deployment, StatefulSet or ReplicaSet, whichever the path says."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": POD}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template, **spec}}


def pod(name: str, node: str = "", owner: Json | None = None, **spec: Any) -> Json:
    """A pod with the label app=<name>'s first word."""
    metadata: Json = {"name": name, "labels": {"app": name.partition("-")[0]}}
    if owner is not None:
        metadata["ownerReferences"] = [{**owner, "controller": True}]
    return {"metadata": metadata, "spec": {**POD, **spec, **({"nodeName": node} if node else {})}}


def cron_job(name: str) -> Json:
    template = {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}}
    return {"metadata": {"name": name}, "spec": {"schedule": "0 0 1 1 *", "jobTemplate": template}}


def budget(name: str, app: str, least: int) -> Json:
    return {"metadata": {"name": name}, "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": app}}}}


READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def hold(cluster: ControlPlane, namespace: str) -> str:
    """A budget that allows nothing, as its controller would have said: its path."""
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    made = cluster.create(budgets, budget("keep-web", "web", 1))
    status = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
    status["observedGeneration"] = made["metadata"]["generation"]
    cluster.patch(f"{budgets}/keep-web/status", {"status": status})
    return f"{budgets}/keep-web"
