"""Clone of an object: a copy under a new name, or a deleted object created again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.objects.fields.field_access import ABSENT, Value, format_path, get
from dashboard.objects.fields.server_set_fields import LAST_APPLIED
from dashboard.pages.create.clone_omitted_fields import (
    ANNOTATIONS,
    DEFAULT_MARKERS,
    DELETION_FINALIZERS,
    FIELDS_BY_KIND,
    METADATA,
    RECREATED_UNCHANGED,
    TOKEN_VOLUME,
    TOOL_METADATA,
    FieldPattern,
    fields_below,
)

MAX_NAME_LENGTH = 253
"""Longest name, in characters (DNS subdomain)."""


MAX_LABEL_LENGTH = 63
"""Longest name of many kinds, in characters (DNS label): copies of such names stay within the limit too."""


CRDS = "customresourcedefinitions.apiextensions.k8s.io"


FIXED_NAME_KINDS = frozenset({"apiservices.apiregistration.k8s.io", "ipaddresses.networking.k8s.io"})
"""Kinds whose name identifies a fixed object, so that no copy can have another one."""


def rename_clone(key: str, value: dict[str, Value]) -> dict[str, Value]:
    """The object with the name of the copy as its first field of metadata."""
    if key == CRDS:
        value = _other_kind(value)
    name = str(value["metadata"].get("name", "example"))
    name = name if key in (*FIXED_NAME_KINDS, CRDS) else copy_name(name)
    rest = {field: each for field, each in value["metadata"].items() if field != "name"}
    return {**value, "metadata": {"name": name, **rest}}


def copy_name(name: str) -> str:
    """``web-copy`` for ``web``, ``web-copy-2`` for ``web-copy``."""
    match = re.fullmatch(r"(?P<stem>.*-copy)(-(?P<number>\d{1,6}))?", name)
    if match is not None:
        return f"{match['stem']}-{int(match['number'] or 1) + 1}"
    longest = MAX_LABEL_LENGTH if len(name) <= MAX_LABEL_LENGTH else MAX_NAME_LENGTH
    return f"{name[: longest - 5].rstrip('-.')}-copy"


def _other_kind(definition: dict[str, Value]) -> dict[str, Value]:
    """A definition with other names in the same group: its own name contains them, and no two definitions may share
    them.
    """
    spec, names = definition["spec"], definition["spec"]["names"]
    others = {
        "plural": copy_name(names["plural"]),
        "kind": f"{names['kind']}Copy",
        "listKind": f"{names['kind']}CopyList",
    }
    if get(names, ("singular",)) is not ABSENT:
        others["singular"] = copy_name(names["singular"])
    names = {field: each for field, each in (names | others).items() if field != "shortNames"}
    metadata = {**definition["metadata"], "name": f"{others['plural']}.{spec['group']}"}
    return {**definition, "metadata": metadata, "spec": {**spec, "names": names}}


_OF_KIND: Mapping[str, str] = MappingProxyType({
    "horizontalpodautoscalers.autoscaling": "It scales the same target (spec.scaleTargetRef): two autoscalers of one "
    "target undo each other's changes.",
    "poddisruptionbudgets.policy": "It keeps spec.selector: a pod that two budgets select cannot be evicted.",
    "persistentvolumes": "It refers to the same storage: two claims could then write to it without knowledge of each "
    "other.",
    "apiservices.apiregistration.k8s.io": "Its name is spec.version, a dot and spec.group: change them "
    "together.",
    "ipaddresses.networking.k8s.io": "Its name is the address: choose another one.",
    CRDS: "It defines another kind of the same group: metadata.name is spec.names.plural, a "
    "dot and spec.group: change them together.",
})  # fmt: skip


_AGGREGATED = "rbac.authorization.k8s.io/aggregate-to-"


def clone_hints(key: str, copy: dict[str, Value]) -> Iterator[str]:
    """Warnings about labels that a copy shares: Services, budgets and policies select pods, and roles rules."""
    own, selector = get(copy, ("metadata", "labels")), get(copy, ("spec", "selector", "matchLabels"))
    own = own if isinstance(own, dict) else {}
    if key == "pods" and own:
        yield f"It keeps the labels {_pairs(own)}: selectors that match them, such as a Service's, match the copy too."
    if isinstance(selector, dict) and selector and isinstance(get(copy, ("spec", "template")), dict):
        yield (
            f"It keeps the selector {_pairs(selector)}: selectors that match the original's pods, such as a Service's, "
            "match the copy's pods too. Change spec.selector and the labels of spec.template "
            "if you do not want that."
        )
    added = [name.removeprefix(_AGGREGATED) for name in own if name.startswith(_AGGREGATED)]
    if key == "clusterroles.rbac.authorization.k8s.io" and added:
        yield f"It keeps its labels: what you permit it, {' and '.join(added)} may do too."
    if key in _OF_KIND:
        yield _OF_KIND[key]


def _pairs(values: dict[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in list(values.items())[:6])


@dataclass(frozen=True, slots=True)
class Clone:
    """Start of a clone, and the original's fields that it leaves out."""

    value: dict[str, Value]
    omitted_fields: tuple[str, ...]
    hints: tuple[str, ...] = ()
    """Possibly unwanted things that it shares with the original, as sentences."""


def clone_of(key: str, live: dict[str, Value]) -> Clone:
    """The object `live` of the kind `key`, ready to be created as ``NAME-copy``."""
    value, omitted_fields = _stripped(key, live, _fields_to_leave_out(key, live))
    value = rename_clone(key, value)
    return Clone(value, tuple(omitted_fields), tuple(clone_hints(key, value)))


def clone_for_recreation(key: str, last: dict[str, Value]) -> Clone:
    """A deleted object in its last state, ready to be created under its own name.

    It keeps its addresses, owners and finalizers; what belonged to its uid is removed, and so are the finalizers that
    told the garbage collector what to do with its dependents.
    """
    value, omitted_fields = _stripped(key, last, _fields_of_the_deleted(key, last))
    finalizers = value["metadata"].get("finalizers") or []
    remaining = [name for name in finalizers if name not in DELETION_FINALIZERS]
    if remaining != finalizers:
        metadata = {name: each for name, each in value["metadata"].items() if name != "finalizers"}
        value = {**value, "metadata": {**metadata, **({"finalizers": remaining} if remaining else {})}}
        omitted_fields.append("metadata.finalizers (those that the deletion added)")
    return Clone(value, tuple(omitted_fields))


def _stripped(key: str, value: Value, fields: Iterator[FieldPattern]) -> tuple[Value, list[str]]:
    """A copy without these fields, and those of them that it had."""
    omitted_fields: list[str] = []
    for where in fields:
        value, was_removed = _without(value, where)
        omitted_fields += [format_path(where)] if was_removed else []
    return (_without_token(value, omitted_fields) if key == "pods" else value), omitted_fields


def _fields_to_leave_out(key: str, live: dict[str, Value]) -> Iterator[FieldPattern]:
    yield from METADATA
    yield ("status",)
    yield from fields_below(("metadata", "annotations"), ANNOTATIONS)
    yield from (("metadata", *where) for where in TOOL_METADATA)
    if get(live, ("metadata", "labels", "app.kubernetes.io/managed-by")) == "Helm":
        yield ("metadata", "labels", "app.kubernetes.io/managed-by")
    if key == "pods" and "statefulset.kubernetes.io/pod-name" in (live["metadata"].get("labels") or {}):
        yield ("spec", "hostname")  # two of the same would answer to one DNS name
    yield from FIELDS_BY_KIND.get(key, ())
    yield from DEFAULT_MARKERS.get(key, ())
    spec = live.get("spec")
    if key == "services" and isinstance(spec, dict) and spec.get("clusterIP") != "None":
        yield ("spec", "clusterIP")
        yield ("spec", "clusterIPs")
    if key == "jobs.batch" and isinstance(spec, dict) and not spec.get("manualSelector"):
        yield ("spec", "selector")
    if key == "secrets" and live.get("type") == "kubernetes.io/service-account-token":
        yield ("data",)


def _fields_of_the_deleted(key: str, last: dict[str, Value]) -> Iterator[FieldPattern]:
    yield from (where for where in fields_below(("metadata", "annotations"), ANNOTATIONS) if where[-1] != LAST_APPLIED)
    bound_here = "pv.kubernetes.io/bound-by-controller" in (last["metadata"].get("annotations") or {})
    if key not in RECREATED_UNCHANGED and (key != "persistentvolumeclaims" or bound_here):
        yield from FIELDS_BY_KIND.get(key, ())
    spec = last.get("spec")
    if key == "jobs.batch" and isinstance(spec, dict) and not spec.get("manualSelector"):
        yield ("spec", "selector")


def _without(value: Value, where: FieldPattern) -> tuple[Value, bool]:
    """A copy without the field, and whether it had it; maps that this empties are removed too."""
    name, rest = where[0], where[1:]
    if name == "*":
        if not isinstance(value, list):
            return value, False
        done = [_without(item, rest) for item in value]
        return [item for item, _ in done], any(was_removed for _, was_removed in done)
    if not isinstance(value, dict) or name not in value:
        return value, False
    others = {key: each for key, each in value.items() if key != name}
    if not rest:
        return others, True
    inner, was_removed = _without(value[name], rest)
    if not was_removed:
        return value, False
    return (others if inner == {} else {key: inner if key == name else each for key, each in value.items()}), True


def _without_token(pod: Value, omitted_fields: list[str]) -> Value:
    """A copy without the token's volume, which admission adds again, and without its mounts."""
    spec = pod.get("spec")
    volumes: list[Value] = (spec.get("volumes") or []) if isinstance(spec, dict) else []
    names = {each.get("name") for each in volumes if TOKEN_VOLUME.fullmatch(str(each.get("name")))}
    if not names:
        return pod
    omitted_fields.append(f"spec.volumes[name={','.join(sorted(map(str, names)))}]")
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
