"""Clones: without what the API server or a controller wrote, and nothing else missing."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.creating.copies import copy_name, copy_of

META = {
    "name": "one",
    "namespace": "ns",
    "uid": "u",
    "resourceVersion": "1",
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "generation": 3,
    "managedFields": [{}],
    "ownerReferences": [{"name": "owner"}],
    "labels": {"app": "web"},
}


def made(**parts: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "X", "metadata": META, **parts}


def test_what_only_servers_write_is_left_out_and_the_rest_stays_in_its_order() -> None:
    copy = copy_of("mydemos.crddemo.k8s.io", made(spec={"ip": "10.0.0.1"}, status={"phase": "Synced"}))
    assert copy.value == {
        "apiVersion": "v1",
        "kind": "X",
        "metadata": {"name": "one-copy", "namespace": "ns", "labels": {"app": "web"}},
        "spec": {"ip": "10.0.0.1"},
    }
    assert "metadata.ownerReferences" in copy.left_out
    assert "status" in copy.left_out


def test_a_pod_of_a_replicaset_becomes_one_of_nobody() -> None:
    mounts = [{"name": "kube-api-access-x7k2p", "mountPath": "/var/run"}, {"name": "data", "mountPath": "/data"}]
    spec = {
        "nodeName": "node-1",
        "priority": 0,
        "containers": [
            {"name": "web", "image": "nginx", "volumeMounts": mounts},
            {"name": "b", "volumeMounts": mounts[:1]},
        ],
        "volumes": [{"name": "kube-api-access-x7k2p", "projected": {}}, {"name": "data", "emptyDir": {}}],
    }
    pod = made(spec=spec)
    pod["metadata"] = {**META, "labels": {"app": "web", "pod-template-hash": "abc"}}
    copy = copy_of("pods", pod)
    assert copy.value["metadata"]["labels"] == {"app": "web"}
    assert copy.value["spec"] == {
        "containers": [{"name": "web", "image": "nginx", "volumeMounts": mounts[1:]}, {"name": "b"}],
        "volumes": [{"name": "data", "emptyDir": {}}],
    }


@pytest.mark.parametrize(
    ("key", "spec", "expected"),
    [
        (
            "services",
            {"clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"], "ports": [{"port": 80, "nodePort": 30080}]},
            {"ports": [{"port": 80}]},
        ),
        ("services", {"clusterIP": "None", "clusterIPs": ["None"]}, {"clusterIP": "None", "clusterIPs": ["None"]}),
        ("persistentvolumeclaims", {"volumeName": "pv-1", "accessModes": []}, {"accessModes": []}),
        (
            "jobs.batch",
            {
                "selector": {"matchLabels": {"controller-uid": "x"}},
                "template": {"metadata": {"labels": {"controller-uid": "x", "job-name": "one"}}, "spec": {}},
            },
            {"template": {"spec": {}}},
        ),
        (
            "jobs.batch",
            {"manualSelector": True, "selector": {"a": "b"}},
            {"manualSelector": True, "selector": {"a": "b"}},
        ),
    ],
)
def test_what_the_cluster_bound_is_left_out(key: str, spec: dict[str, Any], expected: dict[str, Any]) -> None:
    assert copy_of(key, made(spec=spec)).value["spec"] == expected


def test_copies_of_copies_are_numbered() -> None:
    assert [copy_name(name) for name in ("web", "web-copy", "web-copy-2")] == ["web-copy", "web-copy-2", "web-copy-3"]
    assert len(copy_name("x" * 253)) == 253
