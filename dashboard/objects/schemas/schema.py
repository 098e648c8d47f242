"""Schema of a kind, read from the OpenAPI v3 schema that the API server publishes for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from dashboard.objects.fields.field_access import Segment

_REF = "#/components/schemas/"
_QUANTITY_REF = ".resource.Quantity"
_QUANTITY_PATTERN = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|"
"""Beginning of controller-gen's pattern of a quantity."""
_EMBEDDED = frozenset(("apiVersion", "kind", "metadata"))
_STRATEGIC = "application/strategic-merge-patch+json"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Schema:
    """One node of a schema. A missing schema is an empty one, which allows everything."""

    node: Mapping[str, Any] = field(default_factory=dict)
    definitions: Mapping[str, Any] = field(default_factory=dict, repr=False)
    strategic: bool = False
    """For a whole kind: whether the API server accepts strategic merge patches of it, as kubectl patch sends them."""

    def __bool__(self) -> bool:
        return bool(self.node)

    def at(self, path: Sequence[Segment]) -> Schema:
        """The schema of the value at `path`; an empty one where nothing is known of it."""
        schema = self
        for segment in path:
            schema = schema.child(segment)
        return schema

    def child(self, segment: Segment) -> Schema:
        """The schema of a field of this map, or of an item of this list."""
        if isinstance(segment, str):
            child = self.node.get("properties", _NOTHING).get(segment)
            if child is None:
                child = self.node.get("additionalProperties")
        else:
            child = self.node.get("items")
        return self.resolve(child)

    def resolve(self, node: object) -> Schema:
        """A schema of the same definitions, with its reference resolved; a description beside the reference wins."""
        if not isinstance(node, Mapping):
            return Schema()
        parts = node.get("allOf", ())
        reference = node.get("$ref") or (parts[0].get("$ref") if len(parts) == 1 else None)
        if isinstance(reference, str):
            target = self.definitions.get(reference.removeprefix(_REF), _NOTHING)
            siblings = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
            known = {"format": "quantity"} if reference.endswith(_QUANTITY_REF) else {}
            node = {**known, **target, **siblings}
        return Schema(node, self.definitions)

    @property
    def properties(self) -> Mapping[str, Schema]:
        """The named fields, in the schema's order."""
        return {name: self.resolve(node) for name, node in self.node.get("properties", _NOTHING).items()}

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that the value may have; empty where the schema does not say."""
        node = self.node
        if node.get("x-kubernetes-int-or-string") or node.get("format") == "int-or-string":
            return ("integer", "string")
        kind = node.get("type")
        if isinstance(kind, str):
            return (kind,)
        word = next((each for each in ("oneOf", "anyOf") if self.has_only_types(each)), None)
        return tuple(str(part["type"]) for part in node[word]) if word else ()

    @property
    def format(self) -> str:
        """The schema's format; ``quantity`` also where only its pattern shows that."""
        if str(self.node.get("pattern", "")).startswith(_QUANTITY_PATTERN):
            return "quantity"
        return str(self.node.get("format", ""))

    def has_only_types(self, word: str) -> bool:
        """Whether its ``oneOf`` or ``anyOf`` is only a list of types."""
        parts = self.node.get(word, ())
        return bool(parts) and all(isinstance(part, Mapping) and tuple(part) == ("type",) for part in parts)

    def branches(self, word: str) -> tuple[Schema, ...]:
        """The schemas under its ``oneOf``, ``anyOf`` or ``allOf``."""
        return tuple(self.resolve(part) for part in self.node.get(word, ()))

    @property
    def is_open(self) -> bool:
        """Whether it accepts fields that the schema does not describe."""
        node = self.node
        return bool(node.get("x-kubernetes-preserve-unknown-fields") or node.get("x-kubernetes-embedded-resource"))

    def allows(self, name: str) -> bool:
        """Whether a field of this name is allowed."""
        node = self.node
        if node.get("type") != "object" or "properties" not in node or name in node["properties"]:
            return True
        if node.get("x-kubernetes-embedded-resource") and name in _EMBEDDED:
            return True
        return bool(node.get("x-kubernetes-preserve-unknown-fields")) or node.get("additionalProperties") not in (
            None,
            False,
        )

    def has_default_for(self, name: str) -> bool:
        """Whether the API server surely sets the field where it is missing.

        It applies the defaults of structural schemas before it checks for required fields; in those of its own kinds an
        empty default is only Go's zero value.
        """
        default = self.node.get("properties", _NOTHING).get(name, _NOTHING).get("default")
        return bool(default) or (default is not None and not self.definitions)

    @property
    def is_map(self) -> bool:
        """Whether field names are free (labels, annotations), so that each entry is independent."""
        return bool(self.node.get("additionalProperties")) and not self.node.get("properties")

    @property
    def is_atomic(self) -> bool:
        """Whether a map is one value to its author: two halves of different versions make no sense together."""
        return self.node.get("x-kubernetes-map-type") == "atomic"

    @property
    def list_keys(self) -> tuple[str, ...]:
        """Fields that identify the items of this list; ("",) for a set of scalars; empty: the list is one value."""
        kind = self.node.get("x-kubernetes-list-type")
        if kind == "map":
            return tuple(self.node.get("x-kubernetes-list-map-keys", ()))
        if kind == "set":
            return ("",)
        merge_key = self.node.get("x-kubernetes-patch-merge-key")
        return (merge_key,) if isinstance(merge_key, str) else ()

    @property
    def patch_key(self) -> str | None:
        """The field by which a strategic merge patch merges this list; empty: it appends; None: it replaces the
        list.
        """
        if "merge" not in str(self.node.get("x-kubernetes-patch-strategy", "")).split(","):
            return None
        return str(self.node.get("x-kubernetes-patch-merge-key", ""))


METADATA = Schema(
    {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
            "finalizers": {
                "type": "array",
                "x-kubernetes-list-type": "set",
                "x-kubernetes-patch-strategy": "merge",
                "items": {"type": "string"},
            },
            "ownerReferences": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["uid"],
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "uid",
                "items": {"type": "object"},
            },
        },
    }
)
"""The metadata of every object (apimachinery's ObjectMeta), known without a request."""

UNKNOWN = Schema(
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"metadata": METADATA.node}}
)
"""The schema of an unknown kind: only its metadata is known."""


def kind_schema(openapi: Mapping[str, Any], group: str, version: str, kind: str) -> Schema | None:
    """The kind's schema in an answer of ``/openapi/v3/apis/GROUP/VERSION``; None where it has none."""
    definitions = openapi.get("components", _NOTHING).get("schemas", _NOTHING)
    wanted = {"group": group, "version": version, "kind": kind}
    for definition in definitions.values():
        if wanted in definition.get("x-kubernetes-group-version-kind", ()):
            schema = with_metadata(definition, _reachable(definition, definitions))
            return replace(schema, strategic=_takes_strategic(openapi.get("paths", _NOTHING), wanted))
    return None


def _takes_strategic(paths: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """Whether the API server accepts strategic merge patches: for custom resources and aggregated APIs usually not."""
    operations = (each.get("patch", _NOTHING) for each in paths.values())
    patches = [each for each in operations if each.get("x-kubernetes-group-version-kind") == wanted]
    return any(_STRATEGIC in each.get("requestBody", _NOTHING).get("content", ()) for each in patches)


def crd_schema(definition: Mapping[str, Any], version: str) -> Schema | None:
    """The schema that a CustomResourceDefinition gives a version; None where it has none."""
    for each in definition.get("spec", _NOTHING).get("versions", ()):
        if each.get("name") == version:
            node = each.get("schema", _NOTHING).get("openAPIV3Schema")
            return with_metadata(node) if isinstance(node, Mapping) else None
    return None


def with_metadata(node: Mapping[str, Any], definitions: Mapping[str, Any] = _NOTHING) -> Schema:
    """The schema of a whole object, with the metadata of all objects."""
    word = {"type": "string"}
    properties = {"apiVersion": word, "kind": word, **node.get("properties", _NOTHING), "metadata": METADATA.node}
    return Schema({**node, "properties": properties}, definitions)


def _reachable(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The definitions that `node` refers to, directly or indirectly, without the others of the group."""
    reachable: dict[str, Any] = {}
    waiting: list[Any] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting += each.values()
            name = str(each.get("$ref", "")).removeprefix(_REF)
            if name in definitions and name not in reachable and "$ref" in each:
                reachable[name] = definitions[name]
                waiting.append(definitions[name])
        elif isinstance(each, list):
            waiting += each
    return reachable
