"""Objects of the built-in kinds, good and bad, whose responses are compared with the real API server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.http_client import MERGE, STRATEGIC, Json
from tests.support.devcluster.parity.case import APPS, CORE, DRY, MAPS, PODS, Case, G, deployment, each, pod

JOBS = "/apis/batch/v1/namespaces/{ns}/jobs"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
_NAMES = ("a" * 253, "a" * 254, "a.b", "a..b", "-a", "a-", "A", "", "a/b", "a%b", ".", "..", "ä", "1", "a_b", " a")
_PORTS: Json = {"spec": {"ports": [{"port": 80}]}}


def _container(**more: Any) -> Json:
    return {"name": "c", "image": "i", **more}


def job(**spec: Any) -> Json:
    return {"metadata": {"name": "j"}, "spec": {"template": {"spec": _job_pod()}, **spec}}


def _job_pod(**more: Any) -> Json:
    return {"restartPolicy": "Never", "containers": [_container()], **more}


def _names() -> Iterator[Case]:
    for name in _NAMES:
        meta = {"metadata": {"name": name}}
        for plural, path, body in (
            ("configmaps", MAPS, meta), ("namespaces", "/api/v1/namespaces", meta), ("leases", LEASES, meta),
            ("services", f"{CORE}/services", {**meta, **_PORTS}), ("pods", PODS, pod(name)),
            ("deployments", f"{APPS}/deployments", deployment(name)), ("gadgets", G, gadget(name)),
        ):  # fmt: skip
            yield Case(f"{plural} named {name[:9]!r} of {len(name)}", "POST", path + DRY, body)
    for name in ("j" * 63, "a.b", "A_b"):
        yield Case(f"a job named {name[:9]} of {len(name)}", "POST", JOBS + DRY, {**job(), "metadata": {"name": name}})
    for base in ("-", "a" * 260, ".", "x."):
        named = {"name": "both", "generateName": base}
        yield Case(f"a name beside {base[:9]} of {len(base)}", "POST", MAPS + DRY, {"metadata": named})


def _metadata() -> Iterator[Case]:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}
    other = {**owner, "name": "z", "uid": "w"}
    for name, meta in (
        ("a finalizer", {"finalizers": ["x"]}), ("a standard finalizer", {"finalizers": ["kubernetes"]}),
        ("a finalizer twice", {"finalizers": ["a.b/c", "a.b/c"]}), ("a bad finalizer", {"finalizers": ["a b"]}),
        ("two policies", {"finalizers": ["orphan", "foregroundDeletion"]}), ("an owner", {"ownerReferences": [owner]}),
        ("two controllers", {"ownerReferences": [{**owner, "controller": True}, {**other, "controller": True}]}),
        ("an event as owner", {"ownerReferences": [{**owner, "kind": "Event"}]}),
        ("an owner of no version", {"ownerReferences": [{**owner, "apiVersion": "a/b/c"}]}),
        ("an ending", {"deletionTimestamp": "2026-01-01T00:00:00Z"}),
        ("a long label", {"labels": {"a/" + "b" * 64: "c"}}),
        ("a long prefix", {"labels": {"a" * 254 + "/b": "c"}}), ("an empty label", {"labels": {"": "c"}}),
        ("a null label", {"labels": {"a": None}}), ("half a character", {"annotations": {"a": "ü\ud83d"}}),
        ("an upper annotation", {"annotations": {"A.B/c": "x"}}),
        ("a long annotation", {"annotations": {"a": "x" * 262_145}}),
    ):  # fmt: skip
        yield Case(f"a configmap with {name}", "POST", MAPS + DRY, {"metadata": {"name": "m", **meta}})
        yield Case(f"a gadget with {name}", "POST", G + DRY, {**gadget(), "metadata": {"name": "m", **meta}})
        if name not in ("a finalizer", "a bad finalizer"):
            yield Case(f"update to {name}", "PUT", f"{MAPS}/c1{DRY}", {"metadata": {"name": "c1", **meta}})


def _pods() -> Iterator[Case]:
    for name, value in each(
        ("env", [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, {"name": "B"}]),
        ("env", [{"name": "A=B", "value": "x"}]), ("env", [{"value": "x"}]), ("imagePullPolicy", "X"), ("image", " i"),
        ("ports", [{"containerPort": 80, "name": "h"}, {"containerPort": 81, "name": "h"}]),
        ("ports", [{"containerPort": 80, "protocol": "X"}]), ("name", "c" * 64), ("image", "r:5000/i@sha256:abc"),
        ("image", "localhost:5000/i"), ("resources", {"limits": {"cpu": "1", "memory": "1Gi"}}),
        ("resources", {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}), ("resources", {"limits": {"cpu": "-1"}}),
        ("livenessProbe", {"httpGet": {"port": 80}}),
        ("readinessProbe", {"exec": {"command": ["a"]}, "periodSeconds": 3}),
        ("volumeMounts", [{"name": "v", "mountPath": "/v"}]), ("args", []), ("command", None),
    ):  # fmt: skip
        yield Case(f"a container's {name} {value!r}", "POST", PODS + DRY, pod(containers=[_container(**{name: value})]))
    for spec in each(
        {"volumes": [{"name": "v", "emptyDir": {}}]}, {"volumes": [{"name": "v", "configMap": {"name": "x"}}]},
        {"volumes": [{"name": "v", "secret": {"secretName": "x"}}]},
        {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
        {"volumes": [{"name": "v"}]}, {"terminationGracePeriodSeconds": -5}, {"terminationGracePeriodSeconds": 0},
        {"nodeName": "n1"}, {"nodeName": "N1"}, {"serviceAccountName": "foo"}, {"schedulerName": "x"},
        {"dnsPolicy": "X"},
        {"initContainers": [_container(name="nc")]}, {"initContainers": [_container()]}, {"activeDeadlineSeconds": 0},
        {"tolerations": [{"key": "a", "operator": "Exists"}]}, {"nodeSelector": {"a b": "c"}}, {"nodeSelector": {}},
        {"hostname": "A_b"}, {"hostNetwork": True, "containers": [_container(ports=[{"containerPort": 80}])]},
        {"containers": [_container(name="a"), _container(name="b")]},
    ):  # fmt: skip
        yield Case(f"a pod with {spec!r}", "POST", PODS + DRY, pod(**spec))


def _statuses() -> Iterator[Case]:
    for status in each(
        {"containerStatuses": [{"name": "c"}]}, {"containerStatuses": [{"name": "c", "state": {"running": {}}}]},
        {"containerStatuses": [{"name": "c", "lastState": {"terminated": {"exitCode": 1}}}]}, {"podIP": "x"},
        {"conditions": [{"type": "Ready", "status": "True"}]}, {"podIP": "1.2.3.4"}, {"podIPs": [{"ip": "1.2.3.4"}]},
        {"initContainerStatuses": [{"name": "i", "state": {"waiting": {"reason": "x"}}}]}, {},
        {"phase": "Running", "startTime": "2026-01-01T01:00:00.5+01:00"},
    ):  # fmt: skip
        yield Case(f"a pod's status {status}", "PATCH", f"{PODS}/p1/status{DRY}", {"status": status}, MERGE)
        yield Case(f"strategic status {status}", "PATCH", f"{PODS}/p1/status{DRY}", {"status": status}, STRATEGIC)
    for status in each(
        {"conditions": [{"type": "Available", "status": "True"}]}, {"replicas": 2, "readyReplicas": 3},
        {"replicas": 2, "availableReplicas": 2, "readyReplicas": 1}, {"collisionCount": -1},
        {"observedGeneration": -1}, {"unavailableReplicas": -1}, {"replicas": -3},
    ):  # fmt: skip
        yield Case(f"d1's status {status}", "PATCH", f"{APPS}/deployments/d1/status{DRY}", {"status": status}, MERGE)
    meta = {"metadata": {"labels": {"x": "y"}, "annotations": {"q": "r"}}}
    for name, path in (("a pod", f"{PODS}/p1"), ("a deployment", f"{APPS}/deployments/d1"), ("a gadget", f"{G}/a1")):
        yield Case(f"labels of {name} through its status", "PATCH", f"{path}/status{DRY}", meta, MERGE)
        yield Case(f"annotations of {name}", "PATCH", f"{path}{DRY}", meta, MERGE)
    yield Case("a gadget's status to null", "PATCH", f"{G}/a1/status{DRY}", {"status": None}, MERGE)
    for spec, status in each(
        ({"podCIDR": "10.0.0.0/24"}, {}), ({"unschedulable": True}, {"capacity": {"cpu": "4"}}),
        ({}, {"conditions": [{"type": "Ready", "status": "True"}]}),
    ):  # fmt: skip
        body = {"metadata": {"name": "nn"}, "spec": spec, "status": status}
        yield Case(f"a node with {spec} and {status}", "POST", f"/api/v1/nodes{DRY}", body)


def _workloads() -> Iterator[Case]:
    labelled = {"metadata": {"labels": {"a": "b"}}}
    for spec in each(
        {"strategy": {"type": "Recreate"}}, {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}},
        {"strategy": {"type": "X"}}, {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}},
        {"revisionHistoryLimit": -1}, {"minReadySeconds": -1}, {"progressDeadlineSeconds": 5, "minReadySeconds": 10},
        {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}, {"paused": True},
        {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["c"]}]}},
        {"selector": {"matchExpressions": [{"key": "a", "operator": "Foo"}]}},
        {"selector": {"matchLabels": {"a b": "c"}}},
        {"template": {**labelled, "spec": _job_pod()}},
        {"template": {**labelled, "spec": {"containers": [_container()], "activeDeadlineSeconds": 5}}},
    ):  # fmt: skip
        yield Case(f"a deployment with {spec}", "POST", f"{APPS}/deployments{DRY}", deployment(**spec))
    for spec in each(
        {"parallelism": -1}, {"completions": 5}, {"parallelism": 2}, {"completionMode": "Indexed", "completions": 2},
        {"completionMode": "X"}, {"ttlSecondsAfterFinished": -1}, {"backoffLimit": -1}, {"suspend": True},
        {"activeDeadlineSeconds": -5}, {"selector": {"matchLabels": {"a": "b"}}},
        {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}},
        {"template": {"metadata": {"labels": {"q": "r"}}, "spec": _job_pod()}},
        {"template": {"spec": {"containers": [_container()]}}},
    ):  # fmt: skip
        yield Case(f"a job with {spec}", "POST", JOBS + DRY, job(**spec))
    yield Case("a job with labels", "POST", JOBS + DRY, {**job(), "metadata": {"name": "j", "labels": {"x": "y"}}})


def _others() -> Iterator[Case]:
    for spec in each(
        {"type": "NodePort", "ports": [{"port": 80}]}, {"type": "LoadBalancer", "ports": [{"port": 80}]},
        {"type": "ExternalName", "externalName": "a.b"}, {"type": "ExternalName"}, {"clusterIP": "None"},
        {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80}]}, {"ports": [{"port": 80}, {"port": 81}]},
        {"ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]}, {"ports": [{"port": 80, "protocol": "X"}]},
        {"ports": [{"port": 80, "targetPort": "http"}]}, {"ports": [{"port": 80}], "sessionAffinity": "ClientIP"},
        {"ports": [{"port": 80}], "clusterIP": "x"}, {"ports": [{"port": "80"}]},
        {"type": "X", "ports": [{"port": 80}]},
    ):  # fmt: skip
        yield Case(f"a service with {spec}", "POST", f"{CORE}/services{DRY}", {"metadata": {"name": "s"}, "spec": spec})
    for more in each(
        {"type": "x"}, {"type": "kubernetes.io/tls"}, {"type": "kubernetes.io/dockerconfigjson"}, {"immutable": True},
        {"type": "kubernetes.io/basic-auth"}, {"data": {"a": "MQ=="}, "stringData": {"a": "2"}},
        {"data": {"a b": "MQ=="}}, {"stringData": {"a": 1}}, {"data": {"a": None}}, {"data": {}},
    ):  # fmt: skip
        yield Case(f"a secret with {more}", "POST", f"{CORE}/secrets{DRY}", {"metadata": {"name": "s"}, **more})
    for spec in each(
        {}, {"leaseDurationSeconds": 0}, {"leaseTransitions": -1}, {"renewTime": "2026-01-01T00:00:00Z"},
        {"renewTime": "2026-01-01T00:00:00.123456Z", "holderIdentity": "x"}, {"renewTime": "2026-01-01T00:00:00.5Z"},
        {"renewTime": "2026-01-01T00:00:00.123456789Z"}, {"renewTime": "2026-01-01T00:00:00.123456+02:00"},
    ):  # fmt: skip
        yield Case(f"a lease with {spec}", "POST", LEASES + DRY, {"metadata": {"name": "l"}, "spec": spec})
    modern = {"eventTime": "2026-01-01T00:00:00.000000Z", "reportingComponent": "a/b", "reportingInstance": "x"}
    for more in each({**modern, "action": "A", "reason": "R"}, modern, {"eventTime": "2026-01-01T00:00:00Z"}):
        yield Case(f"an event with {more}", "POST", f"{CORE}/events{DRY}", {"metadata": {"name": "e"}, **more})
    for finalizers in (["a.b/c"], [], ["kubernetes"]):
        body = {"metadata": {"name": "q"}, "spec": {"finalizers": finalizers}}
        yield Case(f"a namespace with {finalizers}", "POST", f"/api/v1/namespaces{DRY}", body)
    both = {"metadata": {"name": "c1"}, "data": {"a": "1"}, "binaryData": {"a": "MQ=="}}
    yield Case("a key of both kinds of data", "PUT", f"{MAPS}/c1{DRY}", both)
    yield Case("the last datum taken away", "PATCH", f"{MAPS}/c1{DRY}", {"data": {"a": None}}, MERGE)


def _rolling_updates() -> Iterator[Case]:
    for surge, unavailable in each(
        ("25%", "25%"), ("0%", 0), (0, "0%"), ("0%", "0%"), ("150%", 0), (0, "150%"), (0, "100%"), ("a", 1), (1, "a"),
        (1, "25"), ("25", 1), (-1, 1), (1, -1), ("-5%", 1), (1, "-5%"), ("1.5%", 1), (1, ""), ("", 1), ("%", 1),
        (1, "101%"), (0, "00%"), (2, 9),
    ):  # fmt: skip
        rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
        body = deployment(strategy={"rollingUpdate": rolling})
        yield Case(f"a rolling update by {surge!r} and {unavailable!r}", "POST", f"{APPS}/deployments{DRY}", body)


def _service_ports() -> Iterator[Case]:
    web, dns = {"name": "web", "port": 80}, {"name": "dns", "port": 53}
    for ports in each(
        [web, web], [web, {**web, "port": 81}], [web, {**web, "name": "too"}], [dns, {**dns, "protocol": "UDP"}],
        [dns, {"name": "udp", "port": 53, "protocol": "UDP"}], [{**web, "nodePort": 30080}, {**dns, "nodePort": 30080}],
        [{"name": "A", "port": 80}], [{"name": "a" * 64, "port": 80}], [{"port": 80, "targetPort": 0}],
        [{"port": 80, "targetPort": "A_B"}], [{"port": 80, "targetPort": 70000}], [{"port": 80, "targetPort": "80"}],
        [{"port": 80, "targetPort": "a" * 16}], [{"port": 80, "targetPort": ""}],
    ):  # fmt: skip
        body = {"metadata": {"name": "s"}, "spec": {"ports": ports}}
        yield Case(f"a service with {ports}", "POST", f"{CORE}/services{DRY}", body)


def _generations_and_job_names() -> Iterator[Case]:
    for generation in (-1, 0, 7):
        meta = {"generation": generation}
        named = {"metadata": {"name": "m", **meta}}
        yield Case(f"a configmap of generation {generation}", "POST", MAPS + DRY, named)
        yield Case(f"a gadget of generation {generation}", "POST", G + DRY, {**gadget(), **named})
        yield Case(f"c1 to generation {generation}", "PATCH", f"{MAPS}/c1{DRY}", {"metadata": meta}, MERGE)
        yield Case(f"a1 to generation {generation}", "PATCH", f"{G}/a1{DRY}", {"metadata": meta}, MERGE)
        body = deployment("d1")
        body["metadata"] |= meta
        yield Case(f"d1 to generation {generation}", "PUT", f"{APPS}/deployments/d1{DRY}", body)
    for quality in ("Guaranteed", "BestEffort", "x", None):
        status = {"status": {"qosClass": quality}}
        yield Case(f"p1 of the quality {quality}", "PATCH", f"{PODS}/p1/status{DRY}", status, MERGE)
    for length in (62, 63, 64, 100):
        body = {**job(), "metadata": {"name": "j" * length}}
        yield Case(f"a job whose name has {length} letters", "POST", JOBS + DRY, body)
        indexed = {**job(completionMode="Indexed", completions=3), "metadata": {"name": "j" * length}}
        yield Case(f"an indexed job whose name has {length} letters", "POST", JOBS + DRY, indexed)


VALIDATION_CASES: tuple[Case, ...] = (
    *_names(),
    *_metadata(),
    *_pods(),
    *_statuses(),
    *_workloads(),
    *_others(),
    *_rolling_updates(),
    *_service_ports(),
    *_generations_and_job_names(),
)
