"""Pods of the load servers: 4.8 kB each, with the same bytes from every server."""

from __future__ import annotations

import json
from typing import Any

LAST_VERSION = "99999999"
"""The resourceVersion of a load server's last event."""

START = "2026-01-01T00:00:00Z"
HASH = "0123456789abcdef" * 4
CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def pod(number: int, version: int) -> bytes:
    """One pod as JSON, its members sorted as Go's encoding/json sorts a map's."""
    meta = {
        "name": f"web-7d9c-{number:05d}",
        "generateName": "web-7d9c-",
        "namespace": f"team-{number % 20}",
        "uid": f"00000000-0000-0000-0000-{number:012d}",
        "resourceVersion": str(version),
        "creationTimestamp": START,
        "labels": {"app": f"web-{number % 50}", "pod-template-hash": "7d9c"},
        "ownerReferences": [_owner()],
        "managedFields": [_manager(index) for index in range(2)],
    }
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": _spec(number),
        "status": _status(number, version),
    }
    return json.dumps(obj, sort_keys=True, separators=(",", ":")).encode()


def _owner() -> dict[str, Any]:
    names = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7d9c", "uid": "u-1"}
    return names | {"controller": True, "blockOwnerDeletion": True}


def _manager(index: int) -> dict[str, Any]:
    leaf: dict[str, Any] = {"f:lastTransitionTime": {}, "f:status": {}, "f:type": {}}
    return {
        "manager": "kubelet",
        "operation": "Update",
        "apiVersion": "v1",
        "time": START,
        "fieldsType": "FieldsV1",
        "fieldsV1": {f"f:field-{index}-{field}": leaf for field in range(18)},
    }


def _spec(number: int) -> dict[str, Any]:
    container = {
        "name": "app",
        "image": "registry.example/app:1.2.3",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": "500m", "memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets", "readOnly": True}],
    }
    toleration = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    return {
        "nodeName": f"node-{number % 100}",
        "serviceAccountName": "default",
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "containers": [container],
        "tolerations": [toleration | {"tolerationSeconds": 300}],
    }


def _status(number: int, version: int) -> dict[str, Any]:
    container = {
        "name": "app",
        "image": "registry.example/app:1.2.3",
        "imageID": f"sha256:{HASH}",
        "containerID": f"containerd://{HASH}",
        "ready": True,
        "restartCount": version % 7,
        "started": True,
        "state": {"running": {"startedAt": START}},
    }
    condition = {"status": "True", "lastProbeTime": None, "lastTransitionTime": START}
    return {
        "phase": "Running",
        "hostIP": "10.0.0.1",
        "podIP": f"10.1.{number // 250 % 250}.{number % 250}",
        "startTime": START,
        "qosClass": "Burstable",
        "conditions": [{"type": name} | condition for name in CONDITIONS],
        "containerStatuses": [container],
    }
