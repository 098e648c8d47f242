"""Defaults of pods and pod templates.

Source: Kubernetes' pkg/apis/core/v1/defaults.go.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.storage.object_codec import Object

_MODE = 0o644
_VOLUMES_WITH_MODE = ("configMap", "secret", "downwardAPI", "projected")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE = (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3))
_CONTAINER_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_EVICTING = ("not-ready", "unreachable")


def default_pod(obj: Object) -> None:
    """Set the defaults, in place, that a pod has and a template has not."""
    spec = obj.setdefault("spec", {})
    default_pod_spec(spec)
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        resources = container["resources"]
        if resources.get("limits"):
            resources["requests"] = {**resources["limits"], **(resources.get("requests") or {})}
    spec["tolerations"] = _tolerations(spec.get("tolerations") or [])
    spec.setdefault("priority", 0)
    spec.setdefault("enableServiceLinks", True)
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")
    _default_status(obj.get("status") or {})


def default_pod_spec(spec: dict[str, Any]) -> None:
    """Set the defaults, in place, of a pod's or a template's spec."""
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        _default_container(container, host_network=bool(spec.get("hostNetwork")))
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    spec.setdefault("restartPolicy", "Always")
    if spec.setdefault("terminationGracePeriodSeconds", 30) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    spec.setdefault("dnsPolicy", "ClusterFirst")
    if "serviceAccountName" in spec:
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")


def _default_container(container: dict[str, Any], *, host_network: bool) -> None:
    container.setdefault("resources", {})
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    tag = container.get("image", "").rpartition("/")[2].partition(":")[2]
    container.setdefault("imagePullPolicy", "Always" if tag in ("", "latest") else "IfNotPresent")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network:
            port.setdefault("hostPort", port.get("containerPort", 0))
    for variable in container.get("env") or ():
        if "fieldRef" in (variable.get("valueFrom") or {}):
            variable["valueFrom"]["fieldRef"].setdefault("apiVersion", "v1")
    for name in _PROBES:
        if name in container:
            _default_probe(container[name])


def _default_probe(probe: dict[str, Any]) -> None:
    for name, value in _PROBE:
        probe[name] = probe.get(name) or value
    if "httpGet" in probe:
        probe["httpGet"].setdefault("path", "/")
        probe["httpGet"].setdefault("scheme", "HTTP")


def _default_volume(volume: dict[str, Any]) -> None:
    for source in _VOLUMES_WITH_MODE:
        if source in volume:
            volume[source].setdefault("defaultMode", _MODE)
    if "hostPath" in volume:
        volume["hostPath"].setdefault("type", "")
    if not set(volume) - {"name"}:
        volume["emptyDir"] = {}


def _tolerations(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With those that let a pod stay for a while on a node that fails. Source: admission/defaulttolerationseconds."""
    added = []
    for why in _EVICTING:
        key = f"node.kubernetes.io/{why}"
        if not any(t.get("key", "") in ("", key) and t.get("effect", "") in ("", "NoExecute") for t in given):
            added.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    return given + added


def _default_status(status: dict[str, Any]) -> None:
    if "podIP" in status or status.get("podIPs"):
        first = status.get("podIP") or status["podIPs"][0].get("ip", "")
        others = [item for item in status.get("podIPs") or () if item.get("ip") != first]
        status |= {"podIP": first, "podIPs": [{"ip": first}, *others]}
    fill_null_times(status, "lastProbeTime", "lastTransitionTime")
    for group in _CONTAINER_STATUSES:
        status |= {group: [_container_status(item) for item in status[group]]} if group in status else {}


def _container_status(given: dict[str, Any]) -> dict[str, Any]:
    zero = {"name": "", "state": {}, "lastState": {}, "ready": False, "restartCount": 0, "image": "", "imageID": ""}
    for state in (given.get("state") or {}, given.get("lastState") or {}):
        if "running" in state:
            state["running"].setdefault("startedAt", None)
        if "terminated" in state:
            state["terminated"] = {"exitCode": 0, "startedAt": None, "finishedAt": None, **state["terminated"]}
    return {**zero, **given}


def fill_null_times(status: dict[str, Any], *names: str) -> None:
    """Set missing times of conditions to null, in place, as Go prints them."""
    for condition in status.get("conditions") or ():
        for name in names:
            condition.setdefault(name, None)


def qos_class(spec: dict[str, Any]) -> str:
    """The class by which pods are evicted: Guaranteed, Burstable or BestEffort."""
    resources = [container.get("resources") or {} for container in spec.get("containers") or ()]
    amounts = [
        amount for r in resources for section in ("requests", "limits") for amount in (r.get(section) or {}).values()
    ]
    if all(amount == "0" for amount in amounts):
        return "BestEffort"
    limits_all = all({"cpu", "memory"} <= set(r.get("limits") or {}) for r in resources)
    same = all((r.get("requests") or r.get("limits")) == r.get("limits") for r in resources)
    return "Guaranteed" if limits_all and same else "Burstable"
