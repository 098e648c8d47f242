"""Builders of objects as people, controllers and kubelets write them; all are pure functions."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from devcluster.workload.api_types import Deployment, Template
from devcluster.workload.demo_inventory import App, CronApp, MydemoApp, NodeProfile
from devcluster.workload.pod_behaviour import BEHAVIOUR_ANNOTATION, FAILS_ANNOTATION, SECONDS_ANNOTATION
from informerd.objects import Object

Json = dict[str, Any]

_SAFE = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: Template) -> str:
    """The pod-template-hash of a template: the same for the same template, ten letters."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(_SAFE[byte % len(_SAFE)] for byte in digest[:10])


def controller_reference(obj: Object) -> Json:
    """The controller's ownerReference to `obj`."""
    reference = {"apiVersion": obj.api_version, "kind": obj.kind, "name": obj.metadata.name, "uid": obj.metadata.uid}
    return {**reference, "controller": True, "blockOwnerDeletion": True}


def deployment(app: App) -> Json:
    """An application as its team would apply it."""
    labels = {"app": app.name, "tier": app.tier}
    meta = {"name": app.name, "namespace": app.namespace, "labels": {**labels, "team": app.team}}
    strategy: Json = {"type": app.strategy}
    if app.strategy == "RollingUpdate":
        strategy["rollingUpdate"] = {"maxSurge": app.surge, "maxUnavailable": app.unavailable}
    template: Json = {"metadata": {"labels": labels}, "spec": _pod_spec(app)}
    if app.flaw in ("crash", "memory"):
        template["metadata"]["annotations"] = {BEHAVIOUR_ANNOTATION: app.flaw} | (
            {SECONDS_ANNOTATION: app.seconds} if app.seconds else {}
        )
    spec = {
        "replicas": app.replicas, "selector": {"matchLabels": {"app": app.name}}, "strategy": strategy,
        "progressDeadlineSeconds": PROGRESS_DEADLINE, "revisionHistoryLimit": 3, "template": template,
    }  # fmt: skip
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


def stateful_set(app: App) -> Json:
    """An application whose pods have numbers."""
    body = deployment(app)
    spec = {key: body["spec"][key] for key in ("replicas", "selector", "template")} | {"serviceName": app.name}
    return {**body, "kind": "StatefulSet", "spec": spec}


def daemon_set(app: App) -> Json:
    """An application that has a pod on each node, those for the control plane too."""
    body = deployment(app)
    spec = {key: body["spec"][key] for key in ("selector", "template")}
    control = {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}
    spec["template"]["spec"]["tolerations"] = [control]
    return {**body, "kind": "DaemonSet", "spec": spec}


def budget(app: App) -> Json:
    """PodDisruptionBudget with the number of an application's pods that may be unavailable during a drain."""
    meta = {"name": app.name, "namespace": app.namespace, "labels": {"app": app.name, "team": app.team}}
    spec = {"maxUnavailable": app.budget, "selector": {"matchLabels": {"app": app.name}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": spec}


PROGRESS_DEADLINE = 45
"""Seconds after which the demo's teams want to know that a rollout is stuck; ten minutes by default."""
UNREACHABLE_TOLERATION_SECONDS = 30
"""Seconds for which their pods stay on a node that does not answer; five minutes by default."""


def _pod_spec(app: App) -> Json:
    container = {
        "name": app.name,
        "image": app.image,
        "ports": [{"name": "http", "containerPort": app.port}],
        "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "PORT", "value": str(app.port)}],
        "resources": {"requests": {"cpu": app.cpu, "memory": app.memory}, "limits": {"memory": app.memory}},
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": app.port}, "periodSeconds": 5},
    }
    tolerations = [
        {
            "key": f"node.kubernetes.io/{why}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": UNREACHABLE_TOLERATION_SECONDS,
        }
        for why in ("not-ready", "unreachable")
    ]
    spec: Json = {"containers": [container], "serviceAccountName": "default", "tolerations": tolerations}
    if app.flaw == "pending":
        spec["nodeSelector"] = {"accelerator": "gpu"}
    return {**spec, "terminationGracePeriodSeconds": 30}


def job(cron: CronApp, name: str) -> Json:
    """One run of a cron job."""
    container = {"name": cron.name, "image": cron.image, "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
    takes = {SECONDS_ANNOTATION: cron.duration_range} | (
        {FAILS_ANNOTATION: f"{cron.failure_rate:g}"} if cron.failure_rate else {}
    )
    spec: Json = {
        "completions": cron.completions,
        "parallelism": cron.parallelism,
        "backoffLimit": cron.backoff_limit,
        "ttlSecondsAfterFinished": cron.ttl_seconds,
        "template": {
            "metadata": {"labels": {"app": cron.name, "tier": "job"}, "annotations": takes},
            "spec": {"restartPolicy": "Never", "containers": [container]},
        },
    }
    if cron.deadline:
        spec["activeDeadlineSeconds"] = cron.deadline
    meta = {"name": name, "namespace": cron.namespace, "labels": {"app": cron.name, "team": cron.team}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}


def cron_job(cron: CronApp, *, suspended: bool) -> Json:
    """CronJob that starts a team's jobs."""
    made = job(cron, cron.name)
    labels = made["metadata"]["labels"]
    spec = {
        "schedule": cron.schedule, "concurrencyPolicy": "Forbid", "suspend": suspended,
        "jobTemplate": {"metadata": {"labels": labels}, "spec": made["spec"]},
    }  # fmt: skip
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": made["metadata"], "spec": spec}


def replica_set(deployed: Deployment, template: Template, replicas: int, revision: int) -> Json:
    """The ReplicaSet of a Deployment for one of its templates."""
    digest = template_hash(template)
    name, namespace = deployed.metadata.name, deployed.metadata.namespace
    meta = template.get("metadata") or {}
    labels = {**(meta.get("labels") or {}), "pod-template-hash": digest}
    made = {
        "name": f"{name}-{digest}",
        "namespace": namespace,
        "labels": labels,
        "annotations": {"deployment.kubernetes.io/revision": str(revision)},
        "ownerReferences": [controller_reference(deployed)],
    }
    selector = dict(deployed.spec.selector)
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), "pod-template-hash": digest}
    spec = {
        "replicas": replicas, "selector": selector, "minReadySeconds": deployed.spec.min_ready_seconds or None,
        "template": {**template, "metadata": {**meta, "labels": labels}},
    }  # fmt: skip
    fields = {key: value for key, value in spec.items() if value is not None}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": made, "spec": fields}


def pod(parent: Object, reference: Json, template: Template, name: str) -> Json:
    """A pod from the template of a ReplicaSet or Job."""
    given = template.get("metadata") or {}
    meta: Json = {key: dict(given[key]) for key in ("labels", "annotations") if given.get(key)}
    meta |= {"name": name, "generateName": f"{name[:-5]}", "namespace": parent.metadata.namespace}
    meta["ownerReferences"] = [reference]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": dict(template["spec"])}


def mydemo(demo: MydemoApp) -> Json:
    """A Mydemo without status."""
    meta = {"name": demo.name, "namespace": demo.namespace, "labels": {"team": demo.team}}
    spec = {"ip": demo.ip, "port": demo.port}
    return {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": meta, "spec": spec}


def mydemo_status(generation: int, since: str) -> Json:
    """Status that the Mydemo controller writes after it has handled a generation of one that is ready since then."""
    ready = {"type": "Ready", "status": "True", "reason": "Synced", "message": "Mydemo synced successfully"}
    condition = {**ready, "lastTransitionTime": since, "observedGeneration": generation}
    return {"observedGeneration": generation, "phase": "Ready", "conditions": [condition]}


def node(spec: NodeProfile, number: int, since: str, now: str) -> Json:
    """A node that is ready, as its kubelet describes it."""
    labels = {
        "kubernetes.io/hostname": spec.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": f"zone-{spec.zone}",
    }  # fmt: skip
    role = "control-plane" if spec.control_plane else "worker"
    labels[f"node-role.kubernetes.io/{role}"] = ""
    room = {"cpu": str(spec.cpu), "memory": spec.memory, "pods": str(spec.pods), "ephemeral-storage": "200Gi"}
    spec_part: Json = {"podCIDR": f"10.{5 + number // 256}.{number % 256}.0/24"}
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
        "conditions": node_conditions(since, now),
        "addresses": [
            {"type": "InternalIP", "address": f"192.168.{20 + number // 200}.{10 + number % 200}"},
            {"type": "Hostname", "address": spec.name},
        ],
        "nodeInfo": info,
    }
    meta = {"name": spec.name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec_part, "status": status}


def node_conditions(since: str, now: str, *, has_memory_pressure: bool = False) -> list[Json]:
    """The conditions of a node that is ready, as its kubelet writes them."""
    enough = ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
    if has_memory_pressure:
        enough = ("True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")
    conditions = {
        "MemoryPressure": enough,
        "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        "Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
    }
    times = {"lastHeartbeatTime": now, "lastTransitionTime": since}
    return [
        {"type": kind, "status": status, **times, "reason": reason, "message": message}
        for kind, (status, reason, message) in conditions.items()
    ]
