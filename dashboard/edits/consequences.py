"""What a change will do to what runs, in sentences; empty where nothing is known. Nothing here asks the API server.

One small function a kind. Each compares what is there with what would be stored, so defaults are filled in already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from dashboard.edits.before_after import Object, Said, differs
from dashboard.edits.beside_pods import autoscaler, budget, claim, config, ingress, service
from dashboard.edits.fields import ABSENT, Value, get


def consequences(was: Object, now: Object) -> tuple[str, ...]:
    """`was` and `now` are one object before and after; nothing is said of one that is made."""
    group = str(now.get("apiVersion", "")).rpartition("/")[0]
    say = _KINDS.get((group, str(now.get("kind", ""))))
    if not was:
        return ()
    return (*(say(was, now) if say is not None else ()), *_finalizers(was, now))


def fenceposts(surge: Value, unavailable: Value, replicas: int) -> tuple[int, int]:
    """How many pods more and how many fewer a rolling update may have; as ResolveFenceposts of the controller.

    Source: kubernetes pkg/controller/deployment/util/deployment_util.go.
    """
    more, fewer = _share(surge, replicas, math.ceil), _share(unavailable, replicas, math.floor)
    return (more, fewer) if more or fewer else (0, 1)


# --- workloads

_NO_PODS = "It is to have no pods, so nothing rolls out: the new template is for those that come later."


def _deployment(was: Object, now: Object) -> Said:
    said = _scaled(was, now)
    replicas = _replicas(now)
    if differs(was, now, "spec", "paused"):
        paused = bool(get(now, ("spec", "paused")))
        said.append("It is paused: nothing rolls out." if paused else "It goes on: whatever waits is rolled out.")
    if not differs(was, now, "spec", "template"):
        return said
    if get(now, ("spec", "paused")) is True:
        return [*said, "It is paused: the new template is rolled out once it is resumed."]
    if not replicas:
        return [*said, _NO_PODS]
    if get(now, ("spec", "strategy", "type")) == "Recreate":
        words = f"Ends all {_pods(replicas)} first, then makes new ones: nothing runs in between (strategy Recreate)."
        return [*said, words]
    update = get(now, ("spec", "strategy", "rollingUpdate"))
    surge, unavailable = (get(update, (name,)) for name in ("maxSurge", "maxUnavailable"))
    more, fewer = fenceposts(surge, unavailable, replicas)
    return [*said, f"Rolls out {_pods(replicas)}, {_steps(more, fewer)} (maxSurge {more}, maxUnavailable {fewer})."]


def _steps(more: int, fewer: int) -> str:
    if more and fewer:
        return f"up to {more + fewer} at a time"
    return f"{more or fewer} at a time" + (", none is missing meanwhile" if more else "")


def _stateful_set(was: Object, now: Object) -> Said:
    said = _scaled(was, now)
    if not differs(was, now, "spec", "template"):
        return said
    if get(now, ("spec", "updateStrategy", "type")) == "OnDelete":
        return [*said, "Its pods stay as they are until each is deleted by hand (updateStrategy OnDelete)."]
    if not _replicas(now):
        return [*said, _NO_PODS]
    partition = get(now, ("spec", "updateStrategy", "rollingUpdate", "partition")) or 0
    due = max(0, _replicas(now) - partition)
    words = f"Replaces {_pods(due)}, one after the other from the highest number down to {partition}"
    return [*said, f"{words}." if due else f"Replaces no pod: the partition {partition} keeps all as they are."]


def _daemon_set(was: Object, now: Object) -> Said:
    said = []
    if any(differs(was, now, "spec", "template", "spec", name) for name in ("nodeSelector", "affinity", "tolerations")):
        said.append("Pods come on nodes that match now, and end on those that do not.")
    if not differs(was, now, "spec", "template"):
        return said
    if get(now, ("spec", "updateStrategy", "type")) == "OnDelete":
        return [*said, "Its pods stay as they are until each is deleted by hand (updateStrategy OnDelete)."]
    update = get(now, ("spec", "updateStrategy", "rollingUpdate"))
    fewer = get(update, ("maxUnavailable",))
    return [*said, f"Replaces the pod of every node, node by node (maxUnavailable {1 if fewer is ABSENT else fewer})."]


def _replica_set(was: Object, now: Object) -> Said:
    said = _scaled(was, now)
    if differs(was, now, "spec", "template"):
        said.append("Only pods that are made from now on follow the new template; those that run stay as they are.")
    return said


def _job(was: Object, now: Object) -> Said:
    if not differs(was, now, "spec", "suspend"):
        return []
    return ["Its pods end now." if get(now, ("spec", "suspend")) is True else "Its pods are made now."]


def _cron_job(was: Object, now: Object) -> Said:
    said = []
    if differs(was, now, "spec", "suspend"):
        suspended = get(now, ("spec", "suspend")) is True
        said.append("No more jobs are begun; those that run go on." if suspended else "Jobs are begun again.")
    if any(differs(was, now, "spec", name) for name in ("schedule", "timeZone", "jobTemplate")):
        said.append("It holds for jobs that begin from now on; those that run stay as they are.")
    return said


def _pod(was: Object, now: Object) -> Said:
    said = []
    if differs(was, now, "spec", "containers"):
        said.append("Containers whose image changed are restarted in place.")
    if differs(was, now, "metadata", "labels"):
        said.append("Services and controllers that choose pods by these labels may take it or let go of it at once.")
    return said


# --- cluster


def _node(was: Object, now: Object) -> Said:
    said = []
    if differs(was, now, "spec", "unschedulable"):
        closed = get(now, ("spec", "unschedulable")) is True
        said.append("No new pods come to it; those that run stay." if closed else "New pods may come to it again.")
    taints, before = (get(side, ("spec", "taints")) for side in (now, was))
    new = [taint for taint in _items(taints) if taint not in _items(before)]
    if any(taint.get("effect") == "NoExecute" for taint in new):
        said.append("Pods that do not tolerate the new NoExecute taint are evicted at once.")
    return said


def _rights(was: Object, now: Object) -> Said:
    if not any(differs(was, now, name) for name in ("rules", "subjects", "aggregationRule")):
        return []
    return ["Rights change at once for everybody whom it concerns."]


def _finalizers(was: Object, now: Object) -> Said:
    before, after = (_items(get(side, ("metadata", "finalizers"))) for side in (was, now))
    gone = [name for name in before if name not in after]
    if not gone:
        return []
    return [f"Once it is deleted, nothing waits for {', '.join(map(str, gone))} any more: what that cleans up stays."]


# --- parts


def _scaled(was: Object, now: Object) -> Said:
    before, after = _replicas(was), _replicas(now)
    if before == after:
        return []
    if not after:
        return [f"Scales from {before} to 0: all its pods end."]
    difference = f"{after - before} more" if after > before else f"{before - after} end"
    return [f"Scales from {before} to {_pods(after)}: {difference}."]


def _replicas(value: Object) -> int:
    found = get(value, ("spec", "replicas"))
    return found if isinstance(found, int) else 1


def _share(value: Value, replicas: int, rounded: Callable[[float], int]) -> int:
    """A number, or a percentage of `replicas`; 25 % where nothing is said, as the API server's default is."""
    if isinstance(value, int):
        return value
    text = (value if isinstance(value, str) else "25%").removesuffix("%")
    return rounded(int(text) * replicas / 100) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


_RBAC = "rbac.authorization.k8s.io"
_KINDS: Mapping[tuple[str, str], Callable[[Object, Object], Said]] = MappingProxyType({
    ("apps", "Deployment"): _deployment, ("apps", "StatefulSet"): _stateful_set, ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set, ("", "ReplicationController"): _replica_set,
    ("batch", "Job"): _job, ("batch", "CronJob"): _cron_job, ("", "Pod"): _pod,
    ("", "ConfigMap"): config, ("", "Secret"): config, ("", "Service"): service,
    ("networking.k8s.io", "Ingress"): ingress, ("policy", "PodDisruptionBudget"): budget,
    ("", "PersistentVolumeClaim"): claim, ("autoscaling", "HorizontalPodAutoscaler"): autoscaler, ("", "Node"): _node,
    (_RBAC, "Role"): _rights, (_RBAC, "ClusterRole"): _rights,
    (_RBAC, "RoleBinding"): _rights, (_RBAC, "ClusterRoleBinding"): _rights,
})  # fmt: skip
