"""YAML manifests for tests of controller programs, and the exit code of a program called as a function."""

from __future__ import annotations

import json


def pod(name: str) -> str:
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def mydemo(name: str, port: int = 80) -> str:
    head = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": name}}
    return json.dumps({**head, "spec": {"ip": "10.0.0.1", "port": port}})


def replica_set(name: str, replicas: int = 0) -> str:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return json.dumps({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec})
