"""Builders: objects as people, controllers and kubelets would write them. Pure functions of what is passed in."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from devcluster.workload.teams import App, Cron, Demo, Flaw, NodeSpec

Json = dict[str, Any]
BEHAVIOUR = "demo.deltaboard/behaviour"
"""The annotation that tells the demo's kubelet what a pod is going to do."""

_SAFE = "bcdfghjklmnpqrstvwxz2456789"


def stamp(seconds: float) -> str:
    """Unix seconds as metav1.Time."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_stamp(seconds: float) -> str:
    """Unix seconds as metav1.MicroTime."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def template_hash(template: Json) -> str:
    """The pod-template-hash of a template: the same for the same template, ten letters."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(_SAFE[byte % len(_SAFE)] for byte in digest[:10])


def owner(kind: str, api_version: str, obj: Json) -> Json:
    """The controller's ownerReference to `obj`."""
    meta = obj["metadata"]
    reference = {"apiVersion": api_version, "kind": kind, "name": meta["name"], "uid": meta["uid"]}
    return {**reference, "controller": True, "blockOwnerDeletion": True}


def deployment(app: App) -> Json:
    """An application as its team would apply it."""
    labels = {"app": app.name, "tier": app.tier}
    meta = {"name": app.name, "namespace": app.namespace, "labels": {**labels, "team": app.namespace}}
    spec = {
        "replicas": app.replicas,
        "selector": {"matchLabels": {"app": app.name}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
        "template": {"metadata": {"labels": labels}, "spec": _pod_spec(app)},
    }
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


def _pod_spec(app: App) -> Json:
    container = {
        "name": app.name,
        "image": app.image,
        "ports": [{"name": "http", "containerPort": app.port}],
        "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "PORT", "value": str(app.port)}],
        "resources": {"requests": {"cpu": app.cpu, "memory": app.memory}, "limits": {"memory": app.memory}},
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": app.port}, "periodSeconds": 5},
    }
    return {"containers": [container], "serviceAccountName": "default", "terminationGracePeriodSeconds": 30}


def job(cron: Cron, name: str) -> Json:
    """One run of a cron job."""
    container = {"name": cron.name, "image": cron.image, "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
    spec = {
        "completions": cron.completions,
        "parallelism": cron.completions,
        "backoffLimit": 1,
        "template": {
            "metadata": {"labels": {"app": cron.name, "tier": "job"}},
            "spec": {"restartPolicy": "Never", "containers": [container]},
        },
    }
    meta = {"name": name, "namespace": cron.namespace, "labels": {"app": cron.name, "team": cron.namespace}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}


def replica_set(deployed: Json, template: Json, replicas: int, revision: int) -> Json:
    """The ReplicaSet of a Deployment for one of its templates."""
    digest = template_hash(template)
    name, namespace = deployed["metadata"]["name"], deployed["metadata"]["namespace"]
    labels = {**template["metadata"]["labels"], "pod-template-hash": digest}
    meta = {
        "name": f"{name}-{digest}",
        "namespace": namespace,
        "labels": labels,
        "annotations": {"deployment.kubernetes.io/revision": str(revision)},
        "ownerReferences": [owner("Deployment", "apps/v1", deployed)],
    }
    selector = {**deployed["spec"]["selector"]["matchLabels"], "pod-template-hash": digest}
    pod = {**template, "metadata": {**template["metadata"], "labels": labels}}
    spec = {"replicas": replicas, "selector": {"matchLabels": selector}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec}


def pod(parent: Json, reference: Json, *, name: str = "", flaw: Flaw = "") -> Json:
    """A pod from the template of a ReplicaSet or Job; the server generates the name where none is given."""
    template = parent["spec"]["template"]
    meta: Json = {**template.get("metadata", {}), "namespace": parent["metadata"]["namespace"]}
    meta["ownerReferences"] = [reference]
    meta |= {"name": name} if name else {"generateName": f"{parent['metadata']['name']}-"}
    spec = dict(template["spec"])
    if flaw:
        meta["annotations"] = {**(meta.get("annotations") or {}), BEHAVIOUR: flaw}
    if flaw == "pending":
        first = dict(spec["containers"][0])
        first["resources"] = {"requests": {"cpu": "1", "memory": "192Gi"}}
        spec["containers"] = [first, *spec["containers"][1:]]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def mydemo(demo: Demo) -> Json:
    """A Mydemo without status."""
    meta = {"name": demo.name, "namespace": demo.namespace, "labels": {"team": demo.namespace}}
    spec = {"ip": demo.ip, "port": demo.port}
    return {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": meta, "spec": spec}


def mydemo_status(generation: int, now: str) -> Json:
    """What the Mydemo controller writes once it has dealt with a generation."""
    ready = {"type": "Ready", "status": "True", "reason": "Synced", "message": "Mydemo synced successfully"}
    condition = {**ready, "lastTransitionTime": now, "observedGeneration": generation}
    return {"observedGeneration": generation, "phase": "Ready", "conditions": [condition]}


def node(spec: NodeSpec, number: int, since: str, now: str) -> Json:
    """A node that is ready, as its kubelet describes it."""
    labels = {
        "kubernetes.io/hostname": spec.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": f"zone-{spec.zone}",
    }  # fmt: skip
    role = "control-plane" if spec.control_plane else "worker"
    labels[f"node-role.kubernetes.io/{role}"] = ""
    room = {"cpu": str(spec.cpu), "memory": spec.memory, "pods": "110", "ephemeral-storage": "200Gi"}
    spec_part: Json = {"podCIDR": f"10.5.{number}.0/24"}
    if spec.control_plane:
        spec_part["taints"] = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
    info = {
        "machineID": f"{number:032x}", "systemUUID": f"{number:032x}", "bootID": f"{number:032x}",
        "kernelVersion": "6.12.48", "osImage": "Debian GNU/Linux 13 (trixie)", "operatingSystem": "linux",
        "containerRuntimeVersion": "containerd://2.2.1", "kubeletVersion": "v1.37.1", "kubeProxyVersion": "",
        "architecture": "amd64",
    }  # fmt: skip
    status = {
        "capacity": room,
        "allocatable": room,
        "conditions": node_conditions("True", since, now),
        "addresses": [
            {"type": "InternalIP", "address": f"192.168.20.{10 + number}"},
            {"type": "Hostname", "address": spec.name},
        ],
        "nodeInfo": info,
    }
    meta = {"name": spec.name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec_part, "status": status}


def node_conditions(ready: str, since: str, now: str) -> list[Json]:
    """A node's conditions; `ready` is True, False or Unknown."""
    fine = {"lastHeartbeatTime": now, "lastTransitionTime": since, "status": "False"}
    pressure = [
        {"type": f"{what}Pressure", **fine, "reason": f"KubeletHas{enough}", "message": f"kubelet has {words}"}
        for what, enough, words in (
            ("Memory", "SufficientMemory", "sufficient memory available"),
            ("Disk", "NoDiskPressure", "no disk pressure"),
            ("PID", "SufficientPID", "sufficient PID available"),
        )
    ]  # fmt: skip
    if ready == "True":
        why = {"reason": "KubeletReady", "message": "kubelet is posting ready status"}
    else:
        why = {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
    since_now = since if ready == "True" else now
    return [*pressure, {"type": "Ready", **fine, "lastTransitionTime": since_now, "status": ready, **why}]
