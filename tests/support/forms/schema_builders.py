"""Builders of OpenAPI schemas as CRDs have them."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
STRING: Json = {"type": "string"}
BOOLEAN: Json = {"type": "boolean"}
INT: Json = {"type": "integer", "format": "int32"}
QUANTITY: Json = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": True,
}
INT_OR_STRING: Json = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
DURATION: Json = {"type": "string", "pattern": r"^(0|(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?)$"}


def fields(names: str, schema: Json) -> Json:
    """The same schema under several names, each with a description of its own."""
    return {name: {**schema, "description": f"The {name} of it. Set by hand, or left out."} for name in names.split()}


def group(properties: Json, *required: str, **more: Any) -> Json:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {}), **more}


def array(items: Json, *keys: str) -> Json:
    node: Json = {"type": "array", "items": items}
    return {**node, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)} if keys else node


def mapping(items: Json) -> Json:
    return {"type": "object", "additionalProperties": items}


SECRET_KEY = group({**fields("key name", STRING), "optional": BOOLEAN}, "key")
SELECTOR = group(
    {
        "matchExpressions": array(
            group({**fields("key operator", STRING), "values": array(STRING)}, "key", "operator")
        ),
        "matchLabels": mapping(STRING),
    }
)
