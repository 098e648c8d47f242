"""OpenAPI v3 documents with what kubectl reads: support for fieldValidation, and the kinds' schemas."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.kinds import Kind, ServedKinds
from devcluster.server.patch.patch_types import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

Document = dict[str, Any]
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]


def index(registry: ServedKinds, definitions: BuiltinTypes) -> Document:
    """The document of /openapi/v3: each version's document, with a hash that changes when it does."""
    paths = {}
    for group, versions in registry.group_versions().items():
        for version in versions:
            name = f"apis/{group}/{version}" if group else f"api/{version}"
            if (described := document(registry, definitions, group, version)) is not None:
                text = json.dumps(described, sort_keys=True)
                digest = hashlib.sha256(text.encode()).hexdigest()[:32].upper()
                paths[name] = {"serverRelativeURL": f"/openapi/v3/{name}?hash={digest}"}
    return {"paths": paths}


def document(registry: ServedKinds, definitions: BuiltinTypes, group: str, version: str) -> Document | None:
    """One version's document; None where nothing is served there."""
    kinds = [kind for kind in registry if (kind.group, kind.version) == (group, version) and not kind.is_measured]
    if not kinds:
        return None
    schemas: Document = {}
    paths: Document = {}
    for kind in kinds:
        root = _schema_name(kind, definitions)
        schemas[root] = _root_schema(kind, definitions)
        _add_reached(schemas, schemas[root], definitions)
        paths[_path(kind)] = _operations(kind, root)
    info = {"title": "Deltaboard demo cluster", "version": "v1.37.1-demo"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _path(kind: Kind) -> str:
    prefix = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    place = "/namespaces/{namespace}" if kind.namespaced else ""
    return f"{prefix}{place}/{kind.plural}/{{name}}"


def _mark(kind: Kind) -> dict[str, str]:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _operations(kind: Kind, root: str) -> Document:
    reference = {"$ref": f"#/components/schemas/{root}"}
    answer = {"200": {"description": "OK", "content": {"application/json": {"schema": reference}}}}
    operations: Document = {}
    for method, action in (("get", "get"), ("put", "put"), ("patch", "patch"), ("delete", "delete")):
        operations[method] = {
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": _mark(kind),
            "responses": answer,
        }
        if method in ("put", "patch"):
            operations[method]["parameters"] = _PARAMETERS
    patch_types = [JSON_PATCH, MERGE_PATCH] + ([] if kind.custom else [STRATEGIC_PATCH])
    operations["patch"]["requestBody"] = {"content": {each: {"schema": {"type": "object"}} for each in patch_types}}
    return operations


def _schema_name(kind: Kind, definitions: BuiltinTypes) -> str:
    if not kind.custom:
        return str(definitions.kinds[kind.key]["root"])
    return ".".join([*reversed(kind.group.split(".")), kind.version, kind.kind])


def _root_schema(kind: Kind, definitions: BuiltinTypes) -> Document:
    schema = _custom_schema(kind) if kind.custom else _referenced(definitions.schema(kind))
    return {**schema, "x-kubernetes-group-version-kind": [_mark(kind)]}


def _custom_schema(kind: Kind) -> Document:
    """The schema of the definition, with the metadata that every object has."""
    schema = dict(kind.schema or {})
    own = schema.get("properties", {})
    metadata = {**own.get("metadata", {}), **_referenced({"$ref": _OBJECT_META})}
    text = {"type": "string"}
    return {**schema, "properties": {"apiVersion": text, "kind": text, **own, "metadata": metadata}}


def _referenced(schema: Document) -> Document:
    """The schema with references in OpenAPI's form."""
    if "$ref" in schema:
        return {"allOf": [{"$ref": f"#/components/schemas/{schema['$ref']}"}], "default": {}}
    result = dict(schema)
    if "properties" in schema:
        result["properties"] = {name: _referenced(part) for name, part in schema["properties"].items()}
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            result[word] = _referenced(schema[word])
    return result


def _add_reached(schemas: Document, schema: Any, definitions: BuiltinTypes) -> None:
    if isinstance(schema, list):
        for part in schema:
            _add_reached(schemas, part, definitions)
    elif isinstance(schema, dict):
        name = schema.get("$ref")
        if isinstance(name, str) and name.startswith("#/"):
            name = name.rsplit("/", 1)[-1]
            if name not in schemas:
                schemas[name] = _referenced(definitions.definitions[name])
                _add_reached(schemas, schemas[name], definitions)
            return
        for part in schema.values():
            _add_reached(schemas, part, definitions)
