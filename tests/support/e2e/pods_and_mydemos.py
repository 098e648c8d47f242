"""Manifests and paths of the end-to-end tests."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def pods(namespace: str, name: str = "") -> str:
    return f"/api/v1/namespaces/{namespace}/pods" + (f"/{name}" if name else "")


def mydemos(namespace: str, name: str = "") -> str:
    return f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos" + (f"/{name}" if name else "")


def pod(name: str, **labels: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "app", "image": "app:1"}]},
    }


def running(*, ready: bool = True, restarts: int = 0) -> Json:
    """A merge patch of a pod's status."""
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}, "waiting": None}
    container = {
        "name": "app", "image": "app:1", "imageID": "", "ready": ready, "restartCount": restarts, "state": state,
    }  # fmt: skip
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {"status": {"phase": "Running", "podIP": "10.1.2.3", "conditions": conditions,
                       "containerStatuses": [container]}}  # fmt: skip


def crashing(restarts: int) -> Json:
    """A merge patch of a pod's status: its container waits to be started again."""
    patch = running(ready=False, restarts=restarts)
    patch["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "CrashLoopBackOff"}, "running": None}
    return patch


def mydemo(name: str, ip: str = "10.0.0.1", port: int = 8080) -> Json:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name},
        "spec": {"ip": ip, "port": port},
    }
