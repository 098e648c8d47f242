"""Tests of the users of an object, found by the references of watched objects; unwatched kinds are named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import KINDS, parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.pages.delete import used_by
from dashboard.pages.delete.outgoing_references import references
from dashboard.pages.writes.target import Target
from informerd.clock import SystemClock
from informerd.objects import Blob
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder, hold, pod, put_feeders

CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
SPEC: dict[str, Any] = {
    "serviceAccountName": "robot",
    "priorityClassName": "high",
    "imagePullSecrets": [{"name": "pull"}],
    "containers": [
        {
            "name": "c",
            "envFrom": [{"configMapRef": {"name": "env"}}, {"secretRef": {"name": "env-s"}}],
            "env": [
                {"valueFrom": {"configMapKeyRef": {"name": "one"}}},
                {"valueFrom": {"fieldRef": {}}},
                {"value": "x"},
            ],
        }
    ],
    "initContainers": [{"env": [{"valueFrom": {"secretKeyRef": {"name": "one-s"}}}]}],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "files", "configMap": {"name": "files"}},
        {"name": "keys", "secret": {"secretName": "keys"}},
        {"name": "both", "projected": {"sources": [{"configMap": {"name": "p"}}, {"secret": {"name": "p-s"}}]}},
        {"name": "own", "ephemeral": {}},
        {"name": "csi", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "csi-s"}}},
        {"name": "share", "azureFile": {"secretName": "azure-s", "shareName": "s"}},
    ],
}
NAMED = {
    "serviceaccounts robot", "priorityclasses.scheduling.k8s.io high", "persistentvolumeclaims data",
    *(f"configmaps {name}" for name in ("env", "one", "files", "p")),
    *(f"secrets {name}" for name in ("pull", "env-s", "one-s", "keys", "p-s", "csi-s", "azure-s")),
}  # fmt: skip
SERVICE = {"clientConfig": {"service": {"namespace": "ns", "name": "web"}}}


def named(key: str, whole: dict[str, Any]) -> set[str]:
    return {f"{kind} {name}" for kind, _, name in references(key, whole)}


@pytest.mark.parametrize(
    ("key", "spec"),
    [
        ("deployments.apps", {"template": {"spec": SPEC}}),
        ("jobs.batch", {"template": {"spec": SPEC}}),
        ("cronjobs.batch", {"jobTemplate": {"spec": {"template": {"spec": SPEC}}}}),
    ],
)
def test_a_template_names_what_its_pods_will(key: str, spec: dict[str, Any]) -> None:
    assert named(key, {"metadata": {"namespace": "ns"}, "spec": spec}) == NAMED


def test_a_pod_names_its_node_and_the_claims_made_for_it_and_one_that_ended_only_claims() -> None:
    whole = {"metadata": {"namespace": "ns", "name": "web"}, "spec": {**SPEC, "nodeName": "n"}}
    claims = {"persistentvolumeclaims data", "persistentvolumeclaims web-own"}
    assert named("pods", whole) == NAMED | claims | {"nodes n"}
    assert named("pods", {**whole, "status": {"phase": "Succeeded"}}) == claims | {"nodes n"}
    done = {"spec": {"template": {"spec": SPEC}}, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    assert named("jobs.batch", done) == set()


@pytest.mark.parametrize(
    ("key", "whole", "expected"),
    [
        ("persistentvolumeclaims",
         {"spec": {"volumeName": "v", "storageClassName": "fast"}, "status": {"phase": "Bound"}},
         {"persistentvolumes v"}),
        ("persistentvolumeclaims", {"spec": {"storageClassName": "fast"}}, {"storageclasses.storage.k8s.io fast"}),
        ("volumeattachments.storage.k8s.io", {"spec": {"nodeName": "n", "source": {"persistentVolumeName": "v"}}},
         {"persistentvolumes v", "nodes n"}),
        ("ingresses.networking.k8s.io",
         {"spec": {"ingressClassName": "i", "tls": [{"secretName": "t"}], "defaultBackend": {"service": {"name": "d"}},
                   "rules": [{"http": {"paths": [{"backend": {"service": {"name": "web"}}}]}}, {}]}},
         {"ingressclasses.networking.k8s.io i", "secrets t", "services d", "services web"}),
        ("rolebindings.rbac.authorization.k8s.io",
         {"metadata": {"namespace": "ns"}, "roleRef": {"kind": "Role", "name": "r"},
          "subjects": [{"kind": "ServiceAccount", "name": "robot"}, {"kind": "User", "name": "bob"}]},
         {"roles.rbac.authorization.k8s.io r", "serviceaccounts robot"}),
        ("clusterrolebindings.rbac.authorization.k8s.io", {"roleRef": {"kind": "ClusterRole", "name": "r"}},
         {"clusterroles.rbac.authorization.k8s.io r"}),
        ("validatingwebhookconfigurations.admissionregistration.k8s.io", {"webhooks": [SERVICE]}, {"services web"}),
        ("apiservices.apiregistration.k8s.io", {"spec": SERVICE["clientConfig"]}, {"services web"}),
        ("customresourcedefinitions.apiextensions.k8s.io", {"spec": {"conversion": {"webhook": SERVICE}}},
         {"services web"}),
        ("statefulsets.apps", {"spec": {"serviceName": "web"}}, {"services web", "serviceaccounts default"}),
        ("deployments.apps", {"spec": {"template": {"spec": {"serviceAccount": "old"}}}}, {"serviceaccounts old"}),
        ("persistentvolumes",
         {"spec": {"csi": {"nodeStageSecretRef": {"name": "stage", "namespace": "ns"},
                           "controllerExpandSecretRef": {"name": "expand"}},
                   "azureFile": {"secretName": "azure"}, "claimRef": {"namespace": "ns"}, "capacity": {}}},
         {"secrets stage", "secrets expand", "secrets azure"}),
        ("serviceaccounts", {"imagePullSecrets": [{"name": "pull"}]}, {"secrets pull"}),
        ("mydemos.crddemo.k8s.io", {"spec": SPEC}, set()),
        ("pods", {"spec": ["odd"], "metadata": 7}, set()),
    ],
)  # fmt: skip
def test_each_kind_names_what_it_needs(key: str, whole: dict[str, Any], expected: set[str]) -> None:
    assert named(key, whole) == expected


def row(key: str, name: str, whole: dict[str, Any], *, namespace: str = "ns", owner: Any = None) -> Row:
    blob = Blob(zstandard.compress(msgspec.json.encode({"metadata": {"namespace": namespace, "name": name}, **whole})))
    return Row(f"{key}-{name}", namespace, name, "1", None, "", "ok", (), {}, owner=owner, blob=blob)


async def users_among(rows: dict[str, list[Row]], key: str, name: str, *silent: str) -> used_by.UsedBy:
    """Who uses an object where these are the rows of live kinds; those of `silent` kinds are not known yet."""
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), parse_kinds([*rows, *silent]), clock)
    put_feeders(replicas, *(Feeder(each, clock, held) for each, held in rows.items()))
    target = Target(KINDS[key], "ns" if KINDS[key].namespaced else "", name)
    found = await used_by.find_used_by(target, replicas)
    assert found is not None
    return found


async def test_what_a_deployment_stands_for_is_not_named_beside_it_nor_what_is_elsewhere() -> None:
    spec = {"spec": {"template": {"spec": SPEC}}}
    owned = ("Deployment", "web", "d-web")
    found = await users_among(
        {
            "deployments.apps": [row("d", "web", spec), row("d", "other", {}), row("d", "far", spec, namespace="far")],
            "replicasets.apps": [row("rs", "web-1", spec, owner=owned), row("rs", "lone", spec)],
        },
        "configmaps", "files", "pods",
    )  # fmt: skip
    assert [(each.words, [one.name for one in each.first_dependents]) for each in found.groups] == [
        ("1 Deployment", ["ns/web"]),
        ("1 ReplicaSet", ["ns/lone"]),
    ]
    assert found.searched == ("Deployments", "ReplicaSets")
    assert found.unwatched[0] == "Pods"


@pytest.mark.parametrize("missing", ["not read", "too many"])
async def test_what_a_deployment_owns_is_named_where_deployments_are_not_looked_into(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = {"spec": {"template": {"spec": SPEC}}}
    sets = {"replicasets.apps": [row("rs", "web-1", spec, owner=("Deployment", "web", "deployments-web"))]}
    if missing == "not read":
        found = await users_among(sets, "configmaps", "files", "deployments.apps")
        assert "Deployments" in found.unwatched
    else:
        monkeypatch.setattr(used_by, "MAX_OBJECTS", 1)
        many = [row("deployments", name, spec) for name in ("web", "other")]
        found = await users_among({**sets, "deployments.apps": many}, "configmaps", "files")
        assert found.too_many == ("Deployments",)
    assert [each.words for each in found.groups] == ["1 ReplicaSet"]


async def test_only_what_has_the_name_in_its_text_is_read_but_for_names_that_are_made_or_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def recording(key: str, whole: dict[str, Any]) -> Any:
        read.append(whole["metadata"]["name"])
        return references(key, whole)

    monkeypatch.setattr("dashboard.pages.delete.outgoing_references.references", recording)
    spec = {"spec": {"template": {"spec": SPEC}}}
    own = row("p", "db", {"spec": {"volumes": [{"name": "own", "ephemeral": {}}]}})
    rows = {"deployments.apps": [row("d", "web", spec), row("d", "plain", {"spec": {}})], "pods": [own]}
    found = await users_among(rows, "persistentvolumeclaims", "data")
    assert ([each.words for each in found.groups], read) == (["1 Deployment"], ["web"])
    found = await users_among(rows, "persistentvolumeclaims", "db-own")
    assert [each.words for each in found.groups] == ["1 Pod"]
    found = await users_among(rows, "serviceaccounts", "default")
    assert [each.first_dependents[0].name for each in found.groups] == ["ns/plain"]


async def test_a_binding_of_another_namespace_names_an_account_of_this_one() -> None:
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "ns"}
    binding = row("b", "far", {"subjects": [subject]}, namespace="far")
    found = await users_among({"rolebindings.rbac.authorization.k8s.io": [binding]}, "serviceaccounts", "robot")
    assert [each.first_dependents[0].name for each in found.groups] == ["far/far"]


async def test_every_kind_that_is_not_looked_into_has_a_name_for_people() -> None:
    found = [await users_among({}, key, "one") for key in used_by._USES if key in KINDS]
    titles = {title for each in found for title in each.unwatched}
    assert {"APIServices", "MutatingWebhookConfigurations", "VolumeAttachments", "CronJobs"} <= titles


async def test_more_than_can_be_looked_into_are_said_not_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(used_by, "MAX_OBJECTS", 1)
    spec = {"spec": {"template": {"spec": SPEC}}}
    rows = [row("d", "one", spec), row("d", "two", spec)]
    found = await users_among({"deployments.apps": rows}, "secrets", "keys")
    assert (found.groups, found.searched, found.too_many) == ((), (), ("Deployments",))


async def test_only_the_pods_of_a_node_are_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(used_by, "MAX_OBJECTS", 1)
    spec = {"metadata": {"namespace": "default"}, "spec": {"nodeName": "n"}}
    rows = [pod("a", obj=spec, node="n"), pod("b", node="other")]
    found = await users_among({"pods": rows}, "nodes", "n")
    assert [each.words for each in found.groups] == ["1 Pod"]


async def test_a_claim_names_its_pods_before_it_is_deleted_and_while_they_hold_it_up(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    cluster.create(claims, {"metadata": {"name": "data", "finalizers": ["kubernetes.io/pvc-protection"]}, **CLAIM})
    whole = {"metadata": {"name": "db", "namespace": namespace}, "spec": SPEC}
    put_feeders(parts.replicas, Feeder("pods", parts.clock, [pod("db", namespace=namespace, obj=whole)]))
    page = await browser.open(f"/resources/persistentvolumeclaims/{namespace}/data/delete/")
    assert f"What uses it 1 Pod {namespace}/db" in page.text
    assert "It stays, marked as being deleted, until no pod on a node names it" in page.text
    assert "Not searched, because they are not watched here: Deployments, StatefulSets" in page.text
    page = await browser.press(page, "delete")
    assert "Waiting for the finalizer kubernetes.io/pvc-protection" in page.text
    assert f"What uses it 1 Pod {namespace}/db" in page.text
    assert "Searched again every 10 seconds." in page.text
    hold(parts.replicas.get("pods"), gone=[f"uid-{namespace}-db"])
    uid = cluster.get(f"{claims}/data")["metadata"]["uid"]
    page = await browser.open(f"/resources/persistentvolumeclaims/{namespace}/data/delete/?uid={uid}")
    assert "What uses it Nothing among the kinds that are followed here." in page.text
    polled = await browser.open(page.form.action, **{"HX-Request": "true", "HX-Target": "div#progress"})
    assert "Waiting for the finalizer kubernetes.io/pvc-protection" in polled.text
    assert "What uses it" not in polled.text
    cluster.patch(f"{claims}/data", {"metadata": {"finalizers": None}})
