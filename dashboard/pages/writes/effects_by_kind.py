"""Effects of a change of objects that pods use, or that expose, scale or limit pods, in sentences.

There is one small function for each kind, as in effects_text.py.
"""

from __future__ import annotations

from dashboard.objects.fields.field_access import ABSENT, Value, get
from dashboard.pages.writes.workload_effects import Object, Sentences, differs, string_at


def config(was: Object, now: Object) -> Sentences:
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


def service(was: Object, now: Object) -> Sentences:
    sentences = _types(string_at(was, "spec", "type"), string_at(now, "spec", "type"))
    if differs(was, now, "spec", "selector"):
        chosen = _labels(get(now, ("spec", "selector")))
        sentences.append(
            f"Traffic goes to the pods with {chosen} at once." if chosen else "It no longer selects any pods."
        )
    if differs(was, now, "spec", "ports"):
        sentences.append("The ports change immediately; clients of a removed port get no answer any more.")
    return sentences


def claim(was: Object, now: Object) -> Sentences:
    size = ("spec", "resources", "requests", "storage")
    if not differs(was, now, *size):
        return []
    return [f"Its volume is grown to {get(now, size)}. It cannot be made smaller again."]


def autoscaler(was: Object, now: Object) -> Sentences:
    if not any(differs(was, now, "spec", name) for name in ("minReplicas", "maxReplicas")):
        return []
    least, most = (get(now, ("spec", name)) for name in ("minReplicas", "maxReplicas"))
    return [f"From now on it keeps between {1 if least is ABSENT else least} and {most} pods, at once if need be."]


def budget(was: Object, now: Object) -> Sentences:
    if not differs(was, now, "spec"):
        return []
    return ["It applies to evictions from now on; no pod starts or ends because of it."]


def ingress(was: Object, now: Object) -> Sentences:
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
