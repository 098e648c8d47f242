"""What a change does of the objects that pods use or are reached, kept and counted by, in sentences.

One small function a kind, as in consequences.py.
"""

from __future__ import annotations

from dashboard.edits.before_after import Object, Said, differs, text_of
from dashboard.edits.fields import ABSENT, Value, get


def config(was: Object, now: Object) -> Said:
    said = []
    if any(differs(was, now, name) for name in ("data", "binaryData")):
        mounted = "Mounted files change within a minute or two"
        said.append(
            f"No pod restarts by itself. {mounted}; environment variables and subPath mounts only with a new pod."
        )
    if get(now, ("immutable",)) is True and differs(was, now, "immutable"):
        said.append("What is in it can never be changed again, nor this be taken back: it can only be made anew.")
    return said


def service(was: Object, now: Object) -> Said:
    said = _types(text_of(was, "spec", "type"), text_of(now, "spec", "type"))
    if differs(was, now, "spec", "selector"):
        chosen = _labels(get(now, ("spec", "selector")))
        said.append(f"Traffic goes to the pods with {chosen} at once." if chosen else "It chooses no pods any more.")
    if differs(was, now, "spec", "ports"):
        said.append("The ports change at once; whoever uses a removed one is not answered any more.")
    return said


def claim(was: Object, now: Object) -> Said:
    size = ("spec", "resources", "requests", "storage")
    if not differs(was, now, *size):
        return []
    return [f"Its volume is grown to {get(now, size)}. It cannot be made smaller again."]


def autoscaler(was: Object, now: Object) -> Said:
    if not any(differs(was, now, "spec", name) for name in ("minReplicas", "maxReplicas")):
        return []
    least, most = (get(now, ("spec", name)) for name in ("minReplicas", "maxReplicas"))
    return [f"From now on it keeps between {1 if least is ABSENT else least} and {most} pods, at once if need be."]


def budget(was: Object, now: Object) -> Said:
    if not differs(was, now, "spec"):
        return []
    return ["Evictions go by it from now on; no pod ends or comes because of it."]


def ingress(was: Object, now: Object) -> Said:
    if not differs(was, now, "spec"):
        return []
    return ["Requests go by it as soon as the controller of its class has seen it."]


def _types(before: str, after: str) -> Said:
    """What becomes of the ways to a Service from outside the cluster."""
    if before == after:
        return []
    said = []
    if before == "LoadBalancer":
        said.append("Its load balancer is taken down, and the address of that is given up.")
    if after == "LoadBalancer":
        said.append("The cluster is asked for a load balancer, which may take minutes.")
    if after == "NodePort":
        said.append("Each node answers for it on a port.")
    if before in ("NodePort", "LoadBalancer") and after in ("", "ClusterIP"):
        said.append("It is reached from inside the cluster only: its ports on the nodes are given up.")
    if after == "ExternalName":
        said.append("DNS answers with the other name: no traffic goes to its pods any more.")
    return said


def _labels(value: Value) -> str:
    return ", ".join(f"{name}={each}" for name, each in value.items()) if isinstance(value, dict) else ""
