"""Tests of clones: they leave out what the API server or a controller wrote, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.create.clone import clone_for_recreation, clone_of, copy_name

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
    copy = clone_of("mydemos.crddemo.k8s.io", made(spec={"ip": "10.0.0.1"}, status={"phase": "Synced"}))
    assert copy.value == {
        "apiVersion": "v1",
        "kind": "X",
        "metadata": {"name": "one-copy", "namespace": "ns", "labels": {"app": "web"}},
        "spec": {"ip": "10.0.0.1"},
    }
    assert "metadata.ownerReferences" in copy.omitted_fields
    assert "status" in copy.omitted_fields


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
    copy = clone_of("pods", pod)
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
    assert clone_of(key, made(spec=spec)).value["spec"] == expected


def test_what_tools_know_theirs_by_is_left_out() -> None:
    marks = {"meta.helm.sh/release-name": "web", "argocd.argoproj.io/tracking-id": "a:b", "mine": "x"}
    whose = {"app.kubernetes.io/managed-by": "Helm", "kustomize.toolkit.fluxcd.io/name": "apps", "app": "web"}
    copy = clone_of("configmaps", {**made(), "metadata": {**META, "annotations": marks, "labels": whose}})
    assert copy.value["metadata"]["annotations"] == {"mine": "x"}
    assert copy.value["metadata"]["labels"] == {"app": "web"}
    assert "metadata.annotations[meta.helm.sh/release-name]" in copy.omitted_fields


def test_a_copy_of_a_definition_defines_another_kind() -> None:
    names = {"plural": "demos", "singular": "demo", "kind": "Demo", "listKind": "DemoList", "shortNames": ["d"]}
    copy = clone_of(
        "customresourcedefinitions.apiextensions.k8s.io",
        {"metadata": {"name": "demos.example.com"}, "spec": {"group": "example.com", "names": names}},
    )
    assert copy.value["metadata"]["name"] == "demos-copy.example.com"
    assert copy.value["spec"]["names"] == {
        "plural": "demos-copy", "singular": "demo-copy", "kind": "DemoCopy", "listKind": "DemoCopyList"
    }  # fmt: skip
    assert "another kind of the same group" in copy.hints[0]
    address = clone_of("ipaddresses.networking.k8s.io", {"metadata": {"name": "10.0.0.1"}})
    assert (address.value["metadata"]["name"], address.hints) == (
        "10.0.0.1", ("Its name is the address: choose another one.",)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("key", "original", "left_out"),
    [
        ("storageclasses.storage.k8s.io",
         {"metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}},
         "metadata.annotations[storageclass.kubernetes.io/is-default-class]"),
        ("ingressclasses.networking.k8s.io",
         {"metadata": {"name": "web", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}},
         "metadata.annotations[ingressclass.kubernetes.io/is-default-class]"),
        ("priorityclasses.scheduling.k8s.io", {"metadata": {"name": "high"}, "globalDefault": True}, "globalDefault"),
    ],
)  # fmt: skip
def test_a_copy_of_the_default_is_not_the_default_and_one_made_again_is(
    key: str, original: dict[str, Any], left_out: str
) -> None:
    copy = clone_of(key, original)
    assert copy.omitted_fields == (left_out,)
    assert copy.value == {"metadata": {"name": f"{original['metadata']['name']}-copy"}}
    assert clone_for_recreation(key, original).value == original


@pytest.mark.parametrize(
    ("key", "labels", "said"),
    [
        ("horizontalpodautoscalers.autoscaling", {}, "It scales the same target"),
        ("poddisruptionbudgets.policy", {}, "a pod that two budgets select cannot be evicted"),
        ("clusterroles.rbac.authorization.k8s.io", {"rbac.authorization.k8s.io/aggregate-to-edit": "true"},
         "what you permit it, edit may do too"),
    ],
)  # fmt: skip
def test_what_a_copy_would_get_in_the_way_of_is_said(key: str, labels: dict[str, str], said: str) -> None:
    [hint] = clone_of(key, {"metadata": {"name": "one", "labels": labels}, "spec": {}}).hints
    assert said in hint


def test_what_selects_the_copy_too_is_said() -> None:
    template = {"metadata": {"labels": {"app": "web"}}}
    deployment = clone_of(
        "deployments.apps", made(spec={"selector": {"matchLabels": {"app": "web"}}, "template": template})
    )
    assert deployment.hints[0].startswith("It keeps the selector app=web: selectors that match the original's pods")
    pod = {"statefulset.kubernetes.io/pod-name": "one", "app": "web"}
    copy = clone_of("pods", {**made(spec={"hostname": "one"}), "metadata": {**META, "labels": pod}})
    assert copy.hints == (
        "It keeps the labels app=web: selectors that match them, such as a Service's, match the copy too.",
    )
    assert "spec" not in copy.value
    assert clone_of("mydemos.crddemo.k8s.io", made(spec={})).hints == ()


def test_a_deleted_object_is_made_again_without_what_stood_for_that_very_one() -> None:
    uid = {"batch.kubernetes.io/controller-uid": "u"}
    job = made(spec={"selector": {"matchLabels": uid}, "template": {"metadata": {"labels": {**uid, "a": "b"}}}})
    job["metadata"] = {**META, "labels": uid, "finalizers": ["example.com/mine", "foregroundDeletion"]}
    again = clone_for_recreation("jobs.batch", job)
    assert again.value["spec"] == {"template": {"metadata": {"labels": {"a": "b"}}}}
    assert again.value["metadata"]["finalizers"] == ["example.com/mine"]
    assert again.value["metadata"]["ownerReferences"] == META["ownerReferences"]
    service = {"clusterIP": "10.0.0.9", "ports": [{"port": 80, "nodePort": 30080}]}
    assert clone_for_recreation("services", made(spec=service)).value["spec"] == service


@pytest.mark.parametrize(
    ("annotations", "spec"), [({"pv.kubernetes.io/bound-by-controller": "yes"}, {"a": 1}), ({}, None)]
)
def test_a_claim_keeps_the_volume_that_its_author_named(
    annotations: dict[str, str], spec: dict[str, int] | None
) -> None:
    claim = made(spec={"volumeName": "v", "a": 1})
    claim["metadata"] = {**META, "annotations": {"pv.kubernetes.io/bind-completed": "yes", **annotations}}
    again = clone_for_recreation("persistentvolumeclaims", claim)
    assert again.value["spec"] == (spec or claim["spec"])
    assert "annotations" not in again.value["metadata"]


def test_copies_of_copies_are_numbered() -> None:
    assert [copy_name(name) for name in ("web", "web-copy", "web-copy-2")] == ["web-copy", "web-copy-2", "web-copy-3"]
    assert len(copy_name("x" * 253)) == 253
    assert copy_name("x" * 57 + "-" + "y" * 5) == "x" * 57 + "-copy"
