"""CustomResourceDefinitions: their validation, their status, and the kinds that they add to the server.

Source: apiextensions-apiserver's pkg/apis/apiextensions/validation and pkg/controller/{status,establish,finalizer}.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devcluster.server.kinds import Kind
from devcluster.server.names import dns_1035_label_problems
from devcluster.server.status import FieldError, invalid_value, not_supported, required
from devcluster.server.storage.objects import Object
from devcluster.server.times import timestamp
from devcluster.server.validation.crd_conversion_and_scale import check_conversion, check_scale, fill_conversion
from devcluster.server.validation.structural_schemas import check_structure

CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that holds a definition being deleted until its objects are gone."""

_APPROVAL = "api-approved.kubernetes.io"
_CONFORMANT = "KubernetesAPIApprovalPolicyConformant"
_SCOPES = ("Cluster", "Namespaced")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


def fill_crd_defaults(obj: Object) -> None:
    """Set, in place, the names that follow from others."""
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")
    fill_conversion(spec)


def fill_crd_status(obj: Object, now: float) -> None:
    """Set, in place, accepted names and the conditions NamesAccepted and Established. `now` is in Unix seconds."""
    spec = obj["spec"]
    status = obj.get("status") or {}
    stored = next((v["name"] for v in spec["versions"] if v.get("storage")), "")
    conditions = status.get("conditions") or [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
    ]
    approval = (obj["metadata"].get("annotations") or {}).get(_APPROVAL, "")
    if _is_protected(spec["group"]) and not any(c["type"] == _CONFORMANT for c in conditions):
        conditions = [*conditions, _conformance(approval, now)]
    versions = list(dict.fromkeys([*(status.get("storedVersions") or ()), stored]))
    obj["status"] = {"conditions": conditions, "acceptedNames": spec["names"], "storedVersions": versions}


def _condition(name: str, reason: str, message: str, now: float) -> dict[str, str]:
    since = timestamp(now)
    return {"type": name, "status": "True", "lastTransitionTime": since, "reason": reason, "message": message}


def _conformance(approval: str, now: float) -> dict[str, str]:
    """The condition of a definition in one of Kubernetes' own groups."""
    if approval.startswith("https://"):
        return _condition(_CONFORMANT, "ApprovedAnnotation", f"approved in {approval}", now)
    why = _condition(_CONFORMANT, "UnapprovedAnnotation", f'not approved: "{approval}"', now)
    return why | {"status": "False"}


def _is_protected(group: str) -> bool:
    return group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")


def served_kinds_of(obj: Object) -> tuple[Kind, ...]:
    """The kinds a definition serves, one for each served version."""
    spec = obj["spec"]
    return tuple(_kind(spec, version) for version in spec["versions"] if version.get("served"))


def _kind(spec: dict[str, Any], version: dict[str, Any]) -> Kind:
    names, subresources = spec["names"], version.get("subresources") or {}
    return Kind(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        singular=names["singular"],
        list_kind=names["listKind"],
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        has_status="status" in subresources,
        has_generation=True,
        allows_unconditional_update=False,
        custom=True,
        schema=(version.get("schema") or {}).get("openAPIV3Schema") or {},
        columns=tuple(version.get("additionalPrinterColumns") or ()),
    )


def check_crd(obj: Object) -> list[FieldError]:
    """The errors in a definition."""
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    names = spec["names"]
    errors: list[FieldError] = []
    if name != f"{names.get('plural', '')}.{spec.get('group', '')}" or not spec.get("group"):
        errors.append(invalid_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    errors += _check_spec(spec)
    errors += [
        required(f"spec.names.{key}") for key in ("plural", "singular", "kind", "listKind") if not names.get(key)
    ]
    if not any(version.get("storage") for version in spec.get("versions") or ()):
        why = "must have at least one stored version"
        errors.append(invalid_value("status.storedVersions", None, why))
    return errors + _check_approval(obj)


def _check_spec(spec: dict[str, Any]) -> Iterator[FieldError]:
    if not spec.get("group"):
        yield required("spec.group")
    if not spec.get("scope"):
        yield required("spec.scope")
    elif spec["scope"] not in _SCOPES:
        yield not_supported("spec.scope", spec["scope"], _SCOPES)
    yield from check_conversion(spec.get("conversion") or {})
    if spec.get("preserveUnknownFields"):
        where = "spec.versions[*].schema"
        why = f"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in {where} instead"
        yield invalid_value("spec.preserveUnknownFields", True, why)
    yield from _check_names(spec["names"])
    versions = spec.get("versions") or []
    shown = [version.get("name") for version in versions] or None
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid_value("spec.versions", shown, "must have exactly one version marked as storage version")
    if len({version.get("name") for version in versions}) != len(versions):
        yield invalid_value("spec.versions", shown, "must contain unique version names")
    for position, version in enumerate(versions):
        yield from _check_version(version, f"spec.versions[{position}]", alone=len(versions) == 1)


def _check_names(names: dict[str, Any]) -> Iterator[FieldError]:
    lower = [("plural", names.get("plural")), ("singular", names.get("singular"))]
    for field in ("shortNames", "categories"):
        lower += [(f"{field}[{place}]", name) for place, name in enumerate(names.get(field) or ())]
    for field, name in lower:
        if name:
            yield from (invalid_value(f"spec.names.{field}", name, why) for why in dns_1035_label_problems(name))
    for field in ("kind", "listKind"):
        for why in dns_1035_label_problems((names.get(field) or "a").lower()):
            detail = f"may have mixed case, but should otherwise match: {why}"
            yield invalid_value(f"spec.names.{field}", names[field], detail)


def _check_version(version: dict[str, Any], path: str, *, alone: bool) -> Iterator[FieldError]:
    name, schema = version.get("name") or "", (version.get("schema") or {}).get("openAPIV3Schema")
    yield from (invalid_value(f"{path}.name", name, why) for why in dns_1035_label_problems(name))
    where = f"{path}.schema.openAPIV3Schema"
    if schema is None:
        yield required(where)
    else:
        yield from check_structure(schema, "spec.validation.openAPIV3Schema" if alone else where, root=True)
    scale = (version.get("subresources") or {}).get("scale")
    yield from check_scale(scale, f"{'spec' if alone else path}.subresources.scale")
    for place, column in enumerate(version.get("additionalPrinterColumns") or ()):
        yield from _check_column(column, f"{'spec' if alone else path}.additionalPrinterColumns[{place}]")


def _check_column(column: dict[str, Any], path: str) -> Iterator[FieldError]:
    if not column.get("name"):
        yield required(f"{path}.name")
    for field, known in (("type", _COLUMN_TYPES), ("format", _COLUMN_FORMATS)):
        if column.get(field) and column[field] not in known:
            yield invalid_value(f"{path}.{field}", column[field], f"must be one of {','.join(known)}")
    where = column.get("jsonPath")
    if not where:
        yield required(f"{path}.JSONPath")
    elif not where.startswith("."):
        yield invalid_value(f"{path}.JSONPath", where, "must be a simple json path starting with .")


def check_crd_update(new: Object, old: Object) -> list[FieldError]:
    """The errors of an update of an established definition."""
    pairs = [("spec.group", new["spec"].get("group"), old["spec"]["group"])]
    pairs += [("spec.scope", new["spec"].get("scope"), old["spec"]["scope"])]
    pairs += [
        (f"spec.names.{key}", new["spec"]["names"].get(key), old["spec"]["names"].get(key))
        for key in ("kind", "plural")
    ]
    return [invalid_value(field, value, "field is immutable") for field, value, before in pairs if value != before]


def _check_approval(obj: Object) -> list[FieldError]:
    if not _is_protected(obj["spec"].get("group", "")):
        return []
    if (obj["metadata"].get("annotations") or {}).get(_APPROVAL):
        return []
    why = (
        f'protected groups must have approval annotation "{_APPROVAL}", '
        "see https://github.com/kubernetes/enhancements/pull/1111"
    )
    return [required(f"metadata.annotations[{_APPROVAL}]", why)]
