"""What a change will do to what runs, in sentences; empty where nothing is known. Nothing here asks the API server.

One small function a kind. Each compares what is there with what would be stored, so defaults are filled in already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dashboard.edits.before_after import Object, Said, differs
from dashboard.edits.beside_pods import autoscaler, budget, claim, config, ingress, service
from dashboard.edits.effects import Effect, workload_effects
from dashboard.edits.fields import Value, get


def consequences(was: Object, now: Object) -> tuple[str, ...]:
    """`was` and `now` are one object before and after; nothing is said of one that is made."""
    return tuple(map(_words, effects(was, now)))


def effects(was: Object, now: Object) -> tuple[Effect, ...]:
    """The same as data, which can be summed over many; see workload_effects."""
    if not was:
        return ()
    group = str(now.get("apiVersion", "")).rpartition("/")[0]
    say = _KINDS.get((group, str(now.get("kind", ""))))
    said = [*(say(was, now) if say is not None else ()), *_finalizers(was, now)]
    return (*(workload_effects(was, now) or ()), *(Effect("says", words=words) for words in said))


# --- workloads


def _words(effect: Effect) -> str:
    pods = _pods(effect.pods)
    match effect.what:
        case "scales":
            return _scaled(effect.more, effect.fewer)
        case "rolls":
            steps = in_steps(effect.more, effect.fewer)
            return f"Rolls out {pods}, {steps} (maxSurge {effect.more}, maxUnavailable {effect.fewer})."
        case "recreates":
            return f"Ends all {pods} first, then makes new ones: nothing runs in between (strategy Recreate)."
        case "one by one":
            return f"Replaces {pods}, one after the other from the highest number down to {effect.more}."
        case "held":
            return f"Replaces no pod: the partition {effect.more} keeps all as they are."
        case "opens":
            since = f", from number {effect.more} on" if effect.more else ""
            return f"Pods that are not of the newest revision are replaced{since}."
        case "renumbers":
            others = "another one is" if effect.pods == 1 else "others are"
            return f"{pods} {_end(effect.pods)}, and {others} made: their numbers begin at {effect.more}."
        case "node by node":
            return f"Replaces the pod of every node, node by node (maxUnavailable {effect.words})."
    return effect.words or _SAID[effect.what]


_SAID: Mapping[str, str] = MappingProxyType({
    "pauses": "It is paused: nothing rolls out.",
    "goes on": "It goes on: whatever waits is rolled out.",
    "waits": "It is paused: the new template is rolled out once it is resumed.",
    "no pods": "It is to have no pods, so nothing rolls out: the new template is for those that come later.",
    "by hand": "Its pods stay as they are until each is deleted by hand (updateStrategy OnDelete).",
    "moves": "Pods come on nodes that match now, and end on those that do not.",
    "later": "Only pods that are made from now on follow the new template; those that run stay as they are.",
    "in place": "Containers whose image changed are restarted in place.",
})  # fmt: skip


def in_steps(more: int, fewer: int) -> str:
    """How a rolling update of these numbers goes."""
    if more and fewer:
        return f"up to {more + fewer} at a time"
    return f"{more or fewer} at a time" + (", none is missing meanwhile" if more else "")


def _scaled(before: int, after: int) -> str:
    if not after:
        return f"Scales from {before} to 0: all its pods end."
    difference = f"{after - before} more" if after > before else f"{before - after} end"
    return f"Scales from {before} to {_pods(after)}: {difference}."


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"


def _end(count: int) -> str:
    return "ends" if count == 1 else "end"


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
    if not differs(was, now, "metadata", "labels"):
        return []
    return ["Services and controllers that choose pods by these labels may take it or let go of it at once."]


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


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


_RBAC = "rbac.authorization.k8s.io"
_KINDS: Mapping[tuple[str, str], Callable[[Object, Object], Said]] = MappingProxyType({
    ("batch", "Job"): _job, ("batch", "CronJob"): _cron_job, ("", "Pod"): _pod,
    ("", "ConfigMap"): config, ("", "Secret"): config, ("", "Service"): service,
    ("networking.k8s.io", "Ingress"): ingress, ("policy", "PodDisruptionBudget"): budget,
    ("", "PersistentVolumeClaim"): claim, ("autoscaling", "HorizontalPodAutoscaler"): autoscaler, ("", "Node"): _node,
    (_RBAC, "Role"): _rights, (_RBAC, "ClusterRole"): _rights,
    (_RBAC, "RoleBinding"): _rights, (_RBAC, "ClusterRoleBinding"): _rights,
})  # fmt: skip
