"""Validation of CustomResourceDefinitions.

Source: apiextensions-apiserver's pkg/apis/apiextensions/validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devcluster.server.api_errors import FieldError, invalid_value, not_supported, required
from devcluster.server.kinds import API_APPROVED_ANNOTATION, is_protected_group
from devcluster.server.names_and_labels import dns_1035_label_problems
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.crd_conversion_and_scale import check_conversion, check_scale
from devcluster.server.validation.structural_schemas import check_structure

_SCOPES = ("Cluster", "Namespaced")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


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
    if not is_protected_group(obj["spec"].get("group", "")):
        return []
    if (obj["metadata"].get("annotations") or {}).get(API_APPROVED_ANNOTATION):
        return []
    why = (
        f'protected groups must have approval annotation "{API_APPROVED_ANNOTATION}", '
        "see https://github.com/kubernetes/enhancements/pull/1111"
    )
    return [required(f"metadata.annotations[{API_APPROVED_ANNOTATION}]", why)]
