"""Tests of the describers of pods, workloads, network, storage and nodes, also for malformed objects."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
import yaml
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.describers.container_setup import probe_sentences
from dashboard.objects.describers.describe import describe
from dashboard.objects.describers.fact import Section
from dashboard.objects.describers.pods import pod_facts
from dashboard.objects.describers.registry import describe_facts
from dashboard.objects.kinds.catalog import KINDS, find_kind
from dashboard.objects.kinds.row import Row
from dashboard.runtime.text_with_links import plain_text
from informerd.objects import Blob
from tests.support.objects.api_server_tables import OBJECTS
from tests.support.objects.rows import Json, made, row_of

WEB = {"matchLabels": {"app": "web"}}
CONFIGURED = {"name": "cfg", "configMap": {"name": "settings", "optional": True}}
POD: Json = {
    "nodeSelector": {"disk": "ssd"},
    "priority": 1000,
    "priorityClassName": "important",
    "serviceAccountName": "robot",
    "hostNetwork": True,
    "terminationGracePeriodSeconds": 90,
    "schedulingGates": [{"name": "example.com/quota"}],
    "tolerations": [
        {"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        {"operator": "Exists"},
    ],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd", "nvme"]}]},
                    {"matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]},
                ]
            }
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": WEB}}
            ]
        },
    },
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB}
    ],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-0", "readOnly": True}},
        CONFIGURED,
        {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}},
        {"name": "host", "hostPath": {"path": "/var/log", "type": "Directory"}},
        {"name": "disk", "awsElasticBlockStore": {"volumeID": "vol-1", "fsType": "ext4"}},
        {
            "name": "own",
            "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}},
        },
        {
            "name": "api",
            "projected": {
                "sources": [
                    {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                    {"configMap": {"name": "kube-root-ca.crt"}},
                ]
            },
        },
    ],
    "containers": [
        {
            "name": "a",
            "image": "a:1",
            "command": ["sh", "-c", "run it"],
            "env": [
                {"name": "MODE", "value": "live"},
                {"name": "WORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
                {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            ],
            "envFrom": [{"configMapRef": {"name": "settings"}, "prefix": "CFG_"}],
            "readinessProbe": {"tcpSocket": {"port": 80}, "timeoutSeconds": 2, "failureThreshold": 1},
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "initialDelaySeconds": 10},
            "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
            "volumeMounts": [
                {"name": "data", "mountPath": "/data", "subPath": "x"},
                {"name": "tmp", "mountPath": "/tmp"},
            ],
        }
    ],
}


def said(sections: tuple[Section, ...]) -> dict[str, list[str]]:
    """Lines by the fact's name."""
    return {fact.name: [plain_text(line) for line in fact.lines] for section in sections for fact in section.facts}


def links(sections: tuple[Section, ...]) -> dict[str, str]:
    facts = [fact for section in sections for fact in section.facts]
    return {piece.text: piece.href for fact in facts for line in fact.lines for piece in line if piece.href}


def test_a_pod_says_what_it_needs_of_a_node_and_what_its_volumes_are() -> None:
    found = said(
        pod_facts(
            made("Pod", "p", spec={**POD, "nodeName": "n"}, status={"qosClass": "Burstable", "hostIP": "10.0.0.7"})
        )
    )
    assert found == {
        "Node labels": ["disk=ssd"],
        "Nodes": ["only those with disk in ssd, nvme; or no old"],
        "Away from pods": ["if it can be: app=web, by zone, weight 5"],
        "Spread": ["over zone, app=web: 1 apart at most, else it waits"],
        "Tolerates": ["dedicated=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoExecute for 5 min", "every taint"],
        "Priority": ["1000, class important"],
        "data": ["claim data-0, read only", "a at /data"],
        "cfg": ["ConfigMap settings, if it is there"],
        "tmp": ["an empty folder in memory, gone with the pod, of 64Mi at most", "a at /tmp"],
        "host": ["the node's /var/log, Directory"],
        "disk": ["awsElasticBlockStore, volumeID vol-1, fsType ext4"],
        "own": ["a claim of its own p-own, gone with the pod: 1Gi"],
        "api": ["together: the service account's token, new every 1 h; ConfigMap kube-root-ca.crt"],
        "Service account": ["robot"],
        "Quality of service": ["Burstable"],
        "Node": ["n, 10.0.0.7"],
        "Shares with its node": ["network"],
        "To shut down": ["has 1 min 30 s"],
    }
    assert links(pod_facts(made("Pod", "p", spec=POD)))["data-0"] == "/resources/persistentvolumeclaims/shop/data-0/"


def test_a_pod_that_is_held_by_gates_says_so_until_it_has_a_node() -> None:
    held = {"Gates": ["example.com/quota has to be removed first"]}
    assert said(pod_facts(made("Pod", "p", spec=POD))).items() >= held.items()


def test_a_pod_says_of_each_readiness_gate_what_its_condition_is() -> None:
    gates = [{"conditionType": "example.com/balanced"}, {"conditionType": "example.com/warm"}]
    spec = {"containers": [{"name": "a"}], "readinessGates": gates}
    status = {"conditions": [{"type": "example.com/balanced", "status": "False"}]}
    found = said(pod_facts(made("Pod", "p", spec=spec, status=status)))
    assert found["Readiness gates"] == ["example.com/balanced: False", "example.com/warm: not set yet"]


def test_a_container_says_its_probes_and_on_demand_how_it_is_set_up() -> None:
    obj = made("Pod", "p", spec=POD, status={"containerStatuses": [{"name": "a", "imageID": "a@sha256:1"}]})
    (line,) = describe("pods", row_of("pods", obj), obj, 0.0).containers
    ready, alive = (plain_text(fact) for fact in line.facts)
    assert ready == "Ready while TCP :80 is answered within 2 s, every 10 s; not ready after 1 failure"
    assert alive.startswith("Alive while GET http://:http/healthz is answered within 1 s, from 10 s after its start, ")
    assert alive.endswith("every 10 s; restarted after 3 failures")
    assert {fact.name: [plain_text(line) for line in fact.lines] for fact in line.setup} == {
        "Runs": ["sh -c 'run it'"],
        "Before its end": ["sleeps 5 s"],
        "Image is": ["a@sha256:1"],
        "Mounts": ["/data is volume data, of it x", "/tmp is volume tmp"],
        "Environment": [
            "all of ConfigMap settings, each with CFG_ before it",
            "MODE = live",
            "WORD = password of Secret db",
            "IP = the pod's status.podIP",
        ],
    }


def test_a_probe_that_runs_something_is_well_when_that_ends_with_0() -> None:
    probe = {"exec": {"command": ["/bin/check", "a b"]}, "periodSeconds": 5}
    (words,) = probe_sentences({"livenessProbe": probe})
    assert (
        plain_text(words)
        == "Alive while /bin/check 'a b' ends with 0 within 1 s, every 5 s; restarted after 3 failures"
    )


def test_a_service_account_whose_token_is_not_mounted_is_named_with_that() -> None:
    spec = {**POD, "serviceAccountName": "robot", "automountServiceAccountToken": False}
    found = said(pod_facts(made("Pod", "p", spec=spec)))
    assert found["Service account"] == ["robot, its token is not mounted"]


def test_a_deployment_whose_deadline_is_the_number_for_none_has_none() -> None:
    found = made("Deployment", "web", spec={"replicas": 1, "progressDeadlineSeconds": 2**31 - 1})
    assert "without progress" not in str(said(describe_facts("deployments.apps", found)))


def test_a_job_that_lets_no_failure_pass_and_has_ended_says_so() -> None:
    spec = {
        "completions": 1, "parallelism": 1, "completionMode": "Indexed", "backoffLimit": 0,
        "backoffLimitPerIndex": 0, "maxFailedIndexes": 1,
    }  # fmt: skip
    status = {"failed": 1, "ready": 0, "failedIndexes": "0", "conditions": [{"type": "Failed", "status": "True"}]}
    assert said(describe_facts("jobs.batch", made("Job", "j", spec=spec, status=status))).items() >= {
        "Pods": ["0 pods running, 0 succeeded, 1 failed"],
        "Failed": ["index 0"],
        "Wanted": ["1 success, of index 0, 1 at a time"],
        "Gives up": [
            "after the first failure", "on an index after the first failure", "after more than 1 failed index",
        ],
    }.items()  # fmt: skip


def _workload(**spec: Any) -> Json:
    return {"selector": WEB, "template": {"spec": {"containers": [{"name": "a"}], "volumes": [CONFIGURED]}}, **spec}


@pytest.mark.parametrize(
    ("key", "obj", "expected"),
    [
        (
            "deployments.apps",
            made(
                "Deployment",
                "web",
                metadata={
                    "generation": 3,
                    "annotations": {"deployment.kubernetes.io/revision": "2", "kubernetes.io/change-cause": "image"},
                },
                spec=_workload(
                    replicas=4,
                    paused=True,
                    minReadySeconds=10,
                    progressDeadlineSeconds=600,
                    strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}},
                ),
                status={"observedGeneration": 2, "replicas": 5, "updatedReplicas": 2, "readyReplicas": 3},
            ),
            {
                "Behind": ["its controller has not seen generation 3 yet: the status is of 2"],
                "Pods": ["2 of 4 pods of the newest template, 3 ready, 3 pods of an older one still there"],
                "Paused": ["changes of its template make no new pods until it is resumed"],
                "Revision": ["2, because of: image"],
                "Strategy": ["RollingUpdate: 25% fewer at most, 1 more at most"],
                "Available": ["after 10 s of being ready"],
                "Called stuck": ["after 10 min without progress"],
                "Selects": ["app=web"],
            },
        ),
        (
            "replicasets.apps",
            made("ReplicaSet", "r", spec=_workload(replicas=3), status={"replicas": 2, "fullyLabeledReplicas": 1}),
            {
                "Pods": ["2 of 3 pods there, 0 ready, 0 available, 1 without all of the template's labels"],
                "Selects": ["app=web"],
            },
        ),
        (
            "statefulsets.apps",
            made(
                "StatefulSet",
                "db",
                spec=_workload(
                    replicas=3,
                    serviceName="db",
                    updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
                    volumeClaimTemplates=[
                        {
                            "metadata": {"name": "data"},
                            "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "9Gi"}}},
                        }
                    ],
                ),
                status={"replicas": 1, "updatedReplicas": 1, "currentRevision": "db-1", "updateRevision": "db-2"},
            ),
            {
                "Pods": ["1 of 3 pods there, 0 ready, 1 of the newest template"],
                "Revision": ["from db-1 to db-2"],
                "Strategy": ["RollingUpdate, only pods from number 1 on"],
                "Starts and ends them": ["one after another"],
                "Service": ["db"],
                "Claims of each pod": ["data: 9Gi, class fast"],
                "Selects": ["app=web"],
            },
        ),
        (
            "daemonsets.apps",
            made(
                "DaemonSet",
                "agent",
                spec=_workload(updateStrategy={"type": "OnDelete"}),
                status={"desiredNumberScheduled": 3, "currentNumberScheduled": 2, "numberReady": 1,
                        "numberMisscheduled": 1, "numberUnavailable": 2},
            ),
            {
                "Pods": ["on 2 of 3 nodes, 1 ready, 0 up to date"],
                "Unavailable": ["2 pods"],
                "Out of place": ["1 pod on nodes that should have none"],
                "Strategy": ["OnDelete: a pod is replaced only when it is deleted"],
                "Selects": ["app=web"],
            },
        ),
        (
            "jobs.batch",
            made(
                "Job",
                "j",
                spec={
                    "completions": 6, "parallelism": 3, "completionMode": "Indexed", "backoffLimit": 4,
                    "activeDeadlineSeconds": 3600, "ttlSecondsAfterFinished": 600, "suspend": True,
                    "podFailurePolicy": {"rules": [
                        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42], "containerName": "a"}},
                        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
                    ]},
                },
                status={"active": 3, "ready": 1, "succeeded": 2, "failed": 1, "completedIndexes": "0,2",
                        "failedIndexes": "1"},
            ),
            {
                "Suspended": ["it has no pods until it is resumed"],
                "Pods": ["3 pods running, 1 of them ready, 2 succeeded, 1 failed"],
                "Done": ["indexes 0,2"],
                "Failed": ["index 1"],
                "Wanted": ["6 successes, one for each index from 0 to 5, 3 at a time"],
                "Gives up": ["after more than 4 failures", "after 1 h"],
                "When a pod fails": [
                    "exit 42 of a: the job fails at once", "condition DisruptionTarget: does not count"],
                "Deleted": ["10 min after its end"],
            },
        ),
        (
            "cronjobs.batch",
            made(
                "CronJob",
                "c",
                spec={"concurrencyPolicy": "Forbid", "startingDeadlineSeconds": 120, "successfulJobsHistoryLimit": 2,
                      "failedJobsHistoryLimit": 1, "jobTemplate": {"spec": {"backoffLimit": 1}}},
                status={"lastScheduleTime": "2026-11-01T08:00:00Z", "active": [{"name": "c-1"}]},
            ),
            {
                "Started last": ["2026-11-01 08:00:00 UTC ago"],
                "Running now": ["c-1"],
                "Overlap": ["Forbid: a run is skipped while another one is active"],
                "If it is late": ["a run is skipped after 2 min"],
                "Keeps": ["the last 2 successful and 1 failed jobs"],
                "Wanted": ["until one succeeds, 1 at a time"],
                "Gives up": ["after more than 1 failure"],
            },
        ),
        (
            "nodes",
            made(
                "Node",
                "n",
                namespace="",
                spec={"unschedulable": True, "podCIDR": "10.1.0.0/24", "providerID": "aws:///i-1",
                      "taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
                                 {"key": "gone", "effect": "NoExecute", "timeAdded": "2026-11-01T08:00:00Z"}]},
                status={"allocatable": {"memory": "30Gi", "cpu": "7800m", "pods": "110"},
                        "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                        "addresses": [{"type": "InternalIP", "address": "10.0.0.7"}]},
            ),
            {
                "Cordoned": ["it takes no new pods"],
                "Taints": [
                    "dedicated=gpu:NoSchedule: new pods have to tolerate it",
                    "gone:NoExecute: pods that do not tolerate it are evicted, for 2026-11-01 08:00:00 UTC"],
                "cpu": ["7800m for pods, of 8"],
                "memory": ["30Gi for pods, of 32Gi"],
                "pods": ["110 for pods"],
                "Addresses": ["InternalIP 10.0.0.7"],
                "IPs of its pods": ["10.1.0.0/24"],
                "Provider's id": ["aws:///i-1"],
            },
        ),
        (
            "services",
            made(
                "Service",
                "web",
                spec={"type": "LoadBalancer", "selector": {"app": "web"}, "externalTrafficPolicy": "Local",
                      "healthCheckNodePort": 32160, "sessionAffinity": "ClientIP",
                      "ports": [{"name": "http", "port": 80, "targetPort": "web", "nodePort": 30080}, {"port": 53,
                                "protocol": "UDP"}]},
                status={"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}},
            ),
            {
                "Ports": ["http: 80/TCP → web, on each node 30080", "53/UDP → 53"],
                "Pods": ["app=web"],
                "Endpoints": ["list its present pods"],
                "From outside": ["only nodes that have one of its pods answer, asked for it on port 32160"],
                "Same client": ["gets the same pod"],
                "Load balancer": ["1.2.3.4"],
            },
        ),
        (
            "services",
            made("Service", "far", spec={"type": "ExternalName", "externalName": "db.example.com"}),
            {"Leads": ["to db.example.com, by DNS"]},
        ),
        (
            "endpointslices.discovery.k8s.io",
            made(
                "EndpointSlice",
                "web-1",
                metadata={"labels": {"kubernetes.io/service-name": "web"}},
                endpoints=[
                    {"addresses": ["10.1.0.9"], "nodeName": "n", "targetRef": {"kind": "Pod", "name": "web-a"}},
                    {"addresses": ["10.1.0.8"], "conditions": {"ready": False}},
                ],
            ),
            {"Service": ["web"], "Leads to": ["10.1.0.9: web-a on n", "10.1.0.8, not ready"]},
        ),
        (
            "ingresses.networking.k8s.io",
            made(
                "Ingress",
                "web",
                spec={
                    "tls": [{"hosts": ["web.example.com"], "secretName": "web-tls"}],
                    "rules": [{"host": "web.example.com", "http": {"paths": [
                        {"path": "/", "backend": {"service": {"name": "web", "port": {"name": "http"}}}},
                        {"path": "/api", "pathType": "Exact", "backend": {"service": {"name": "api",
                         "port": {"number": 80}}}}]}}],
                },
            ),
            {
                "web.example.com": ["/ → web:http", "/api exactly → api:80"],
                "TLS": ["web.example.com with Secret web-tls"],
            },
        ),
        (
            "networkpolicies.networking.k8s.io",
            made(
                "NetworkPolicy",
                "deny",
                spec={
                    "podSelector": {}, "policyTypes": ["Ingress", "Egress"],
                    "ingress": [{"from": [{"podSelector": WEB}, {"ipBlock": {"cidr": "10.0.0.0/8"}}],
                                 "ports": [{"port": 80}]}],
                },
            ),
            {
                "For pods": ["all of the namespace"],
                "May be reached": ["from pods app=web, or 10.0.0.0/8 on 80/TCP"],
                "May reach": ["nobody"],
            },
        ),
        (
            "persistentvolumeclaims",
            made(
                "PersistentVolumeClaim",
                "data",
                spec={"accessModes": ["ReadWriteOnce"], "volumeName": "pv-1",
                      "resources": {"requests": {"storage": "9Gi"}}},
                status={"capacity": {"storage": "5Gi"}},
            ),
            {
                "Size": ["has 5Gi, asked for 9Gi"],
                "Access": ["ReadWriteOnce"],
                "Volume": ["pv-1"],
                "Pods that use it": ["list them"],
            },
        ),
        (
            "persistentvolumes",
            made(
                "PersistentVolume",
                "pv-1",
                namespace="",
                spec={"persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "shop", "name": "data"},
                      "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"}},
            ),
            {
                "Is": ["csi: driver ebs.csi.aws.com, volumeHandle vol-1"],
                "Claim": ["data in shop"],
                "Without its claim": ["is kept, with its data, until somebody deletes it"],
            },
        ),
        (
            "poddisruptionbudgets.policy",
            made(
                "PodDisruptionBudget",
                "web",
                spec={"minAvailable": 3, "selector": WEB},
                status={"currentHealthy": 0, "desiredHealthy": 3, "expectedPods": 6},
            ),
            {
                "Keeps": ["3 available"],
                "Healthy": ["0 of 6 pods, 3 needed"],
                "Pods not ready": ["may be evicted only while enough are healthy"],
                "Selects": ["app=web"],
            },
        ),
        ("mydemos.crddemo.k8s.io", made("Mydemo", "m", spec={"ip": "10.0.0.1"}), {}),
    ],
)  # fmt: skip
def test_what_kubectl_describe_tells_is_said_in_words(key: str, obj: Json, expected: dict[str, list[str]]) -> None:
    assert said(describe_facts(key, obj)) == expected


def test_a_selector_leads_to_its_pods_where_the_filter_can_be_told_of_them() -> None:
    obj = made("Deployment", "web", spec={"selector": WEB})
    assert links(describe_facts("deployments.apps", obj)) == {
        "app=web": "/resources/pods/?namespace=shop&q=label%3Aapp%3Dweb"
    }
    obj["spec"]["selector"] = {**WEB, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}
    assert said(describe_facts("deployments.apps", obj))["Selects"] == ["app=web, any tier"]
    assert links(describe_facts("deployments.apps", obj)) == {}


@cache
def _samples() -> tuple[tuple[str, Json], ...]:
    """Objects of every kind that kubectl prints, and the detailed objects of this file."""
    read = [each for file in sorted(OBJECTS.glob("*.yaml")) for each in yaml.safe_load_all(file.read_text()) if each]
    objects = [json.loads(json.dumps(each, default=str)) for each in read]
    found = []
    for obj in [*objects, made("Pod", "p", spec=POD), made("Deployment", "d", api_version="apps/v1", spec=_workload())]:
        group = obj.get("apiVersion", "v1").rpartition("/")[0]
        kind = find_kind(f"{obj['kind']}.{group}" if group else obj["kind"])
        if kind is not None and kind.key in KINDS:
            found.append((kind.key, {**obj, "metadata": {"uid": "u", "resourceVersion": "1", **obj["metadata"]}}))
    return tuple(found)


def _row(key: str, usual: Json, odd: Json) -> Row:
    """The row of a built-in kind has the usual shape: what the API server lets in. Its page reads the object itself."""
    return msgspec.structs.replace(row_of(key, usual), blob=Blob(zstandard.compress(msgspec.json.encode(odd))))


def _places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if place:
        yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inside:
        yield from _places(each, (*place, step))


_moments = st.sampled_from(("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-01T08:00:00Z", "1Gi"))
_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | _moments
_names = st.sampled_from(("name", "type", "status", "key", "values", "httpGet", "configMap", "a"))
_json = st.recursive(_scalars, lambda each: st.lists(each, max_size=3) | st.dictionaries(_names, each, max_size=3))


@st.composite
def _odd(draw: st.DrawFn) -> tuple[str, Json, Json]:
    """An object with some values replaced at random, and the original."""
    key, usual = draw(st.sampled_from(_samples()))
    odd = copy.deepcopy(usual)
    for _ in range(draw(st.integers(1, 4))):
        *path, last = draw(st.sampled_from(sorted(_places(odd), key=repr)))
        inside = odd
        for step in path:
            inside = inside[step]  # type: ignore[index]
        inside[last] = draw(_json)  # type: ignore[index]
    return key, usual, odd


@pytest.mark.slow
@given(_odd())
def test_whatever_stands_in_an_object_it_is_described(drawn: tuple[str, Json, Json]) -> None:
    key, usual, odd = drawn
    details = describe(key, _row(key, usual, odd), odd, 1.8e9)
    assert plain_text(details.summary).endswith(".")
    assert all(fact.lines for section in (*details.facts, *details.pods) for fact in section.facts)


@pytest.mark.parametrize("name", [{}, [], {"a": 1}, 7])
def test_a_custom_resource_may_call_containers_what_it_likes(name: Any) -> None:
    obj = made("Mydemo", "m", spec={"containers": [{"name": name}]}, status={"containerStatuses": [{"name": name}]})
    (line,) = describe("mydemos.crddemo.k8s.io", row_of("mydemos.crddemo.k8s.io", obj), obj, 0.0).containers
    assert line.name == str(name)
