"""Custom resource with one field for each rule of structural schemas."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
COLLECTION = "/apis/devcluster.example/v1/namespaces/{ns}/gadgets"

_SPEC: Json = {
    "type": "object",
    "required": ["ip", "port"],
    "properties": {
        "ip": {"type": "string", "format": "ipv4"},
        "ip6": {"type": "string", "format": "ipv6"},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
        "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 5},
        "tags": {"type": "array", "maxItems": 2, "minItems": 1, "items": {"type": "string"}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "entries": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "value": {"type": "integer"}},
            },
        },
        "on": {"type": "boolean"},
        "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "multipleOf": 0.5},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "map": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "integer"}},
        "ios": {"x-kubernetes-int-or-string": True},
        "when": {"type": "string", "format": "date-time"},
        "nul": {"type": "string", "nullable": True},
        "host": {"type": "string", "format": "hostname"},
        "u": {"type": "string", "format": "uuid"},
        "i32": {"type": "integer", "format": "int32"},
        "any": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
    },
}

GADGETS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.devcluster.example"},
    "spec": {
        "group": "devcluster.example",
        "scope": "Namespaced",
        "names": {"plural": "gadgets", "kind": "Gadget", "shortNames": ["gd"], "categories": ["toys"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Port", "type": "integer", "jsonPath": ".spec.port"}],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "spec": _SPEC,
                            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}


def gadget(name: str = "g", **spec: Any) -> Json:
    """A Gadget that is valid except for what `spec` changes."""
    return {
        "apiVersion": "devcluster.example/v1",
        "kind": "Gadget",
        "metadata": {"name": name},
        "spec": {"ip": "10.0.0.1", "port": 80, **spec},
    }
