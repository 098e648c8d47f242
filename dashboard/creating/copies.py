"""A new object from another one: a copy under a name of its own, or a deleted one made again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.creating.server_fields import (
    ANNOTATIONS,
    COLLECTORS,
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

LONGEST_NAME = 253
"""Characters (DNS subdomain)."""
LONGEST_LABEL = 63
"""Characters of the names of many kinds (DNS label): a copy of one that keeps to it keeps to it, too."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What a clone begins with, and which fields of the original are not in it."""

    value: dict[str, Value]
    left_out: tuple[str, ...]
    hints: tuple[str, ...] = ()
    """What it has in common with the original that may not be meant, as sentences."""


def copy_of(key: str, live: dict[str, Value]) -> Copy:
    """The object `live` of the kind `key` as one that can be made anew, called ``NAME-copy``."""
    left_out: list[str] = []
    value: Value = live
    for where in _fields_to_leave_out(key, live):
        value, found = _without(value, where)
        left_out += [show(where)] if found else []
    if key == "pods":
        value = _without_token(value, left_out)
    name = str(value["metadata"].get("name", "example"))
    metadata = {"name": copy_name(name), **{key: each for key, each in value["metadata"].items() if key != "name"}}
    value = {**value, "metadata": metadata}
    return Copy(value, tuple(left_out), tuple(_hints(key, value)))


def again_of(key: str, last: dict[str, Value]) -> Copy:
    """A deleted object in its last state, as one that can be made anew under its own name.

    Its addresses, owners and finalizers are its own; what stood for that very uid is not, nor what the garbage
    collector was asked to do with its dependents.
    """
    left_out: list[str] = []
    value: Value = last
    for where in _fields_of_the_deleted(key, last):
        value, found = _without(value, where)
        left_out += [show(where)] if found else []
    if key == "pods":
        value = _without_token(value, left_out)
    finalizers = value["metadata"].get("finalizers") or []
    kept = [name for name in finalizers if name not in COLLECTORS]
    if kept != finalizers:
        metadata = {name: each for name, each in value["metadata"].items() if name != "finalizers"}
        value = {**value, "metadata": {**metadata, **({"finalizers": kept} if kept else {})}}
        left_out.append("metadata.finalizers (those that the deletion added)")
    return Copy(value, tuple(left_out))


def copy_name(name: str) -> str:
    """``web-copy`` for ``web``, ``web-copy-2`` for that."""
    found = re.fullmatch(r"(?P<stem>.*-copy)(-(?P<number>\d{1,6}))?", name)
    if found is not None:
        return f"{found['stem']}-{int(found['number'] or 1) + 1}"
    longest = LONGEST_LABEL if len(name) <= LONGEST_LABEL else LONGEST_NAME
    return f"{name[: longest - 5].rstrip('-.')}-copy"


def _hints(key: str, copy: dict[str, Value]) -> Iterator[str]:
    """Labels lead Services, budgets and policies to pods: a copy's, too."""
    own, selector = get(copy, ("metadata", "labels")), get(copy, ("spec", "selector", "matchLabels"))
    if key == "pods" and isinstance(own, dict) and own:
        yield f"It keeps the labels {_pairs(own)}: whatever selects them, such as a Service, selects the copy, too."
    if isinstance(selector, dict) and selector and isinstance(get(copy, ("spec", "template")), dict):
        yield (
            f"It keeps the selector {_pairs(selector)}: whatever selects the pods of the original, such as a Service, "
            "selects those of the copy, too. Give spec.selector and the labels of spec.template others "
            "if that is not meant."
        )


def _pairs(found: dict[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in list(found.items())[:6])


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
