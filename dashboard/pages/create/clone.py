"""A new object from another one: a copy under a name of its own, or a deleted one made again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.creating.copy_hints import hints
from dashboard.creating.copy_names import renamed
from dashboard.creating.server_fields import (
    ANNOTATIONS,
    COLLECTORS,
    DEFAULTS,
    METADATA,
    OF_KIND,
    SAME_AGAIN,
    TOKEN_VOLUME,
    TOOLS,
    Where,
    labels,
)
from dashboard.edits.editable import APPLIED
from dashboard.edits.fields import Value, get, show


@dataclass(frozen=True, slots=True)
class Copy:
    """What a clone begins with, and which fields of the original are not in it."""

    value: dict[str, Value]
    left_out: tuple[str, ...]
    hints: tuple[str, ...] = ()
    """What it has in common with the original that may not be meant, as sentences."""


def copy_of(key: str, live: dict[str, Value]) -> Copy:
    """The object `live` of the kind `key` as one that can be made anew, called ``NAME-copy``."""
    value, left_out = _stripped(key, live, _fields_to_leave_out(key, live))
    value = renamed(key, value)
    return Copy(value, tuple(left_out), tuple(hints(key, value)))


def again_of(key: str, last: dict[str, Value]) -> Copy:
    """A deleted object in its last state, as one that can be made anew under its own name.

    Its addresses, owners and finalizers are its own; what stood for that very uid is not, nor what the garbage
    collector was asked to do with its dependents.
    """
    value, left_out = _stripped(key, last, _fields_of_the_deleted(key, last))
    finalizers = value["metadata"].get("finalizers") or []
    kept = [name for name in finalizers if name not in COLLECTORS]
    if kept != finalizers:
        metadata = {name: each for name, each in value["metadata"].items() if name != "finalizers"}
        value = {**value, "metadata": {**metadata, **({"finalizers": kept} if kept else {})}}
        left_out.append("metadata.finalizers (those that the deletion added)")
    return Copy(value, tuple(left_out))


def _stripped(key: str, value: Value, fields: Iterator[Where]) -> tuple[Value, list[str]]:
    """A copy without these fields, and those of them that were there."""
    left_out: list[str] = []
    for where in fields:
        value, found = _without(value, where)
        left_out += [show(where)] if found else []
    return (_without_token(value, left_out) if key == "pods" else value), left_out


def _fields_to_leave_out(key: str, live: dict[str, Value]) -> Iterator[Where]:
    yield from METADATA
    yield ("status",)
    yield from labels(("metadata", "annotations"), ANNOTATIONS)
    yield from (("metadata", *where) for where in TOOLS)
    if get(live, ("metadata", "labels", "app.kubernetes.io/managed-by")) == "Helm":
        yield ("metadata", "labels", "app.kubernetes.io/managed-by")
    if key == "pods" and "statefulset.kubernetes.io/pod-name" in (live["metadata"].get("labels") or {}):
        yield ("spec", "hostname")  # two of the same would answer to one DNS name
    yield from OF_KIND.get(key, ())
    yield from DEFAULTS.get(key, ())
    spec = live.get("spec")
    if key == "services" and isinstance(spec, dict) and spec.get("clusterIP") != "None":
        yield ("spec", "clusterIP")
        yield ("spec", "clusterIPs")
    if key == "jobs.batch" and isinstance(spec, dict) and not spec.get("manualSelector"):
        yield ("spec", "selector")
    if key == "secrets" and live.get("type") == "kubernetes.io/service-account-token":
        yield ("data",)


def _fields_of_the_deleted(key: str, last: dict[str, Value]) -> Iterator[Where]:
    yield from (where for where in labels(("metadata", "annotations"), ANNOTATIONS) if where[-1] != APPLIED)
    bound_here = "pv.kubernetes.io/bound-by-controller" in (last["metadata"].get("annotations") or {})
    if key not in SAME_AGAIN and (key != "persistentvolumeclaims" or bound_here):
        yield from OF_KIND.get(key, ())
    spec = last.get("spec")
    if key == "jobs.batch" and isinstance(spec, dict) and not spec.get("manualSelector"):
        yield ("spec", "selector")


def _without(value: Value, where: Where) -> tuple[Value, bool]:
    """A copy without the field, and whether it was there; maps that are empty for it go too."""
    name, rest = where[0], where[1:]
    if name == "*":
        if not isinstance(value, list):
            return value, False
        done = [_without(item, rest) for item in value]
        return [item for item, _ in done], any(found for _, found in done)
    if not isinstance(value, dict) or name not in value:
        return value, False
    others = {key: each for key, each in value.items() if key != name}
    if not rest:
        return others, True
    inner, found = _without(value[name], rest)
    if not found:
        return value, False
    return (others if inner == {} else {key: inner if key == name else each for key, each in value.items()}), True


def _without_token(pod: Value, left_out: list[str]) -> Value:
    """Without the token's volume, which admission adds again, and where it is mounted."""
    spec = pod.get("spec")
    volumes: list[Value] = (spec.get("volumes") or []) if isinstance(spec, dict) else []
    names = {each.get("name") for each in volumes if TOKEN_VOLUME.fullmatch(str(each.get("name")))}
    if not names:
        return pod
    left_out.append(f"spec.volumes[name={','.join(sorted(map(str, names)))}]")
    new = {**spec, "volumes": [each for each in volumes if each.get("name") not in names]}
    if not new["volumes"]:
        del new["volumes"]
    for field in ("containers", "initContainers"):
        if field in spec:
            new[field] = [_unmounted(container, names) for container in spec[field]]
    return {**pod, "spec": new}


def _unmounted(container: Value, names: set[Value]) -> Value:
    mounts = [each for each in container.get("volumeMounts", ()) if each.get("name") not in names]
    others = {key: each for key, each in container.items() if key != "volumeMounts"}
    return {**others, "volumeMounts": mounts} if mounts else others
