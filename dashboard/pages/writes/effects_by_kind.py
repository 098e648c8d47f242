"""Effects of a change, in sentences, by a small function for each kind.

workload_effects.py has those of workloads that roll out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dashboard.objects.fields.field_access import ABSENT, Value, get
from dashboard.pages.writes.workload_effects import Object, Sentences, differs, string_at


def sentences_by_kind(was: Object, now: Object) -> Sentences:
    """What the change does, beside rolling out a workload."""
    group = str(now.get("apiVersion", "")).rpartition("/")[0]
    say = _KINDS.get((group, str(now.get("kind", ""))))
    return [*(say(was, now) if say is not None else ()), *_finalizers(was, now)]


def _config(was: Object, now: Object) -> Sentences:
    sentences = []
    if any(differs(was, now, name) for name in ("data", "binaryData")):
        mounted = "Mounted files change within a minute or two"
        sentences.append(
            f"No pod restarts by itself. {mounted}; environment variables and subPath mounts only with a new pod."
        )
    if get(now, ("immutable",)) is True and differs(was, now, "immutable"):
        sentences.append(
            "Its content can never be changed again, and this cannot be undone: it can only be created again."
        )
    return sentences


def _service(was: Object, now: Object) -> Sentences:
    sentences = _types(string_at(was, "spec", "type"), string_at(now, "spec", "type"))
    if differs(was, now, "spec", "selector"):
        chosen = _labels(get(now, ("spec", "selector")))
        sentences.append(
            f"Traffic goes to the pods with {chosen} at once." if chosen else "It no longer selects any pods."
        )
    if differs(was, now, "spec", "ports"):
        sentences.append("The ports change immediately; clients of a removed port get no answer any more.")
    return sentences


def _claim(was: Object, now: Object) -> Sentences:
    size = ("spec", "resources", "requests", "storage")
    if not differs(was, now, *size):
        return []
    return [f"Its volume is grown to {get(now, size)}. It cannot be made smaller again."]


def _autoscaler(was: Object, now: Object) -> Sentences:
    if not any(differs(was, now, "spec", name) for name in ("minReplicas", "maxReplicas")):
        return []
    least, most = (get(now, ("spec", name)) for name in ("minReplicas", "maxReplicas"))
    return [f"From now on it keeps between {1 if least is ABSENT else least} and {most} pods, at once if need be."]


def _budget(was: Object, now: Object) -> Sentences:
    if not differs(was, now, "spec"):
        return []
    return ["It applies to evictions from now on; no pod starts or ends because of it."]


def _ingress(was: Object, now: Object) -> Sentences:
    if not differs(was, now, "spec"):
        return []
    return ["It applies to requests as soon as the controller of its class has seen it."]


def _types(before: str, after: str) -> Sentences:
    """Effects on the ways to reach a Service from outside the cluster."""
    if before == after:
        return []
    sentences = []
    if before == "LoadBalancer":
        sentences.append("Its load balancer is removed, and the address of that is released.")
    if after == "LoadBalancer":
        sentences.append("The cluster is asked for a load balancer, which may take minutes.")
    if after == "NodePort":
        sentences.append("Each node opens a port for it.")
    if before in ("NodePort", "LoadBalancer") and after in ("", "ClusterIP"):
        sentences.append("It is reachable from inside the cluster only: its ports on the nodes are closed.")
    if after == "ExternalName":
        sentences.append("DNS answers with the other name: its pods get no more traffic.")
    return sentences


def _labels(value: Value) -> str:
    return ", ".join(f"{name}={each}" for name, each in value.items()) if isinstance(value, dict) else ""


def _job(was: Object, now: Object) -> Sentences:
    if not differs(was, now, "spec", "suspend"):
        return []
    return ["Its pods end now." if get(now, ("spec", "suspend")) is True else "Its pods are made now."]


def _cron_job(was: Object, now: Object) -> Sentences:
    sentences = []
    if differs(was, now, "spec", "suspend"):
        suspended = get(now, ("spec", "suspend")) is True
        sentences.append("No more jobs are started; running jobs continue." if suspended else "Jobs are started again.")
    if any(differs(was, now, "spec", name) for name in ("schedule", "timeZone", "jobTemplate")):
        sentences.append("It applies to new jobs; running jobs stay as they are.")
    return sentences


def _pod(was: Object, now: Object) -> Sentences:
    if not differs(was, now, "metadata", "labels"):
        return []
    return ["Services and controllers that select pods by these labels may adopt or release it immediately."]


def _node(was: Object, now: Object) -> Sentences:
    sentences = []
    if differs(was, now, "spec", "unschedulable"):
        closed = get(now, ("spec", "unschedulable")) is True
        sentences.append(
            "No new pods are scheduled on it; running pods stay."
            if closed
            else "New pods may be scheduled on it again."
        )
    taints, before = (get(side, ("spec", "taints")) for side in (now, was))
    new = [taint for taint in _items(taints) if taint not in _items(before)]
    if any(taint.get("effect") == "NoExecute" for taint in new):
        sentences.append("Pods that do not tolerate the new NoExecute taint are evicted at once.")
    return sentences


def _rights(was: Object, now: Object) -> Sentences:
    if not any(differs(was, now, name) for name in ("rules", "subjects", "aggregationRule")):
        return []
    return ["Permissions change immediately for all its subjects."]


def _finalizers(was: Object, now: Object) -> Sentences:
    before, after = (_items(get(side, ("metadata", "finalizers"))) for side in (was, now))
    gone = [name for name in before if name not in after]
    if not gone:
        return []
    return [f"Its deletion no longer waits for {', '.join(map(str, gone))}: the resources that this cleans up stay."]


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


_RBAC = "rbac.authorization.k8s.io"
_KINDS: Mapping[tuple[str, str], Callable[[Object, Object], Sentences]] = MappingProxyType({
    ("batch", "Job"): _job, ("batch", "CronJob"): _cron_job, ("", "Pod"): _pod,
    ("", "ConfigMap"): _config, ("", "Secret"): _config, ("", "Service"): _service,
    ("networking.k8s.io", "Ingress"): _ingress, ("policy", "PodDisruptionBudget"): _budget,
    ("", "PersistentVolumeClaim"): _claim, ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler, ("", "Node"): _node,
    (_RBAC, "Role"): _rights, (_RBAC, "ClusterRole"): _rights,
    (_RBAC, "RoleBinding"): _rights, (_RBAC, "ClusterRoleBinding"): _rights,
})  # fmt: skip
