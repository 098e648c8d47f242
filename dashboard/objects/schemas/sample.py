"""Sample object of a schema: the required fields, with values that the schema accepts as far as that is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dashboard.objects.fields.field_access import Value
from dashboard.objects.schemas.schema import Schema
from informerd.resource import Resource

MAX_DEPTH = 12
"""Maximum levels; a schema may refer to itself."""
MAX_MATCHED_LENGTH = 24
"""Maximum characters of a word that is tried against a pattern: some patterns take exponential time."""
NAME = "example"

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "duration": "1h",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ip": "10.0.0.1",
    "ipv4": "10.0.0.1",
    "ipv6": "2001:db8::1",
    "cidr": "10.0.0.0/24",
    "mac": "00:00:5e:00:53:01",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "byte": "ZXhhbXBsZQ==",
    "password": "change-me",
}
"""OpenAPI's and apiextensions' formats (k8s.io/kube-openapi/pkg/validation/strfmt), each with a value."""
_BY_NAME = (
    (re.compile(r"(?i)cidr$"), "10.0.0.0/24"),
    (re.compile(r"(?i)(^|_)ip$|[a-z]IP$|address$"), "10.0.0.1"),
    (re.compile(r"(?i)(url|uri|endpoint)$"), "https://example.com/"),
    (re.compile(r"(?i)(host|hostname|domain)$"), "example.com"),
    (re.compile(r"(?i)image$"), "nginx:1.29"),
    (re.compile(r"(?i)(duration|interval|timeout|period)$"), "30s"),
    (re.compile(r"(?i)(storage|memory|size)$"), "1Gi"),
    (re.compile(r"(?i)schedule$"), "0 3 * * *"),
    (re.compile(r"(?i)path$"), "/"),
)
_WORDS = (
    NAME,
    "Example",
    "EXAMPLE",
    "a",
    "A",
    "1",
    "10",
    "0",
    "v1",
    "1Gi",
    "100m",
    "30s",
    "1h",
    "/",
    "/example",
    "a=b",
)
_PORT = re.compile(r"(?i)port$")


def sample(resource: Resource, schema: Schema, namespace: str) -> dict[str, Value]:
    """The smallest object of the kind, with a spec to fill in."""
    value: dict[str, Value] = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": NAME, **({"namespace": namespace} if namespace else {})},
    }
    required = schema.node.get("required", ())
    for name, node in schema.properties.items():
        if name not in ("apiVersion", "kind", "metadata", "status") and (name in required or name == "spec"):
            value[name] = sample_value(node, name)
    return value


def sample_value(schema: Schema, name: str = "", depth: int = 0) -> Value:
    """A value that the schema accepts, as far as its types, formats, bounds and patterns show; `name` is its
    field's.
    """
    node = schema.node
    for keyword in ("default", "example", "const"):
        if keyword in node:
            return node[keyword]
    if node.get("enum"):
        return next((choice for choice in node["enum"] if choice not in (None, "")), node["enum"][0])
    if node.get("x-kubernetes-int-or-string"):
        return 1
    kind = node.get("type")
    if kind in ("integer", "number"):
        return _number(node, name)
    if kind == "boolean":
        return False
    if kind == "array":
        return _items(schema, name, depth)
    if kind == "string":
        return _string(node, name)
    return _fields(schema, depth) if kind == "object" or node.get("properties") else {}


def _fields(schema: Schema, depth: int) -> dict[str, Value]:
    """Values of the required fields, and of those that the first ``oneOf`` or ``anyOf`` requires."""
    if depth >= MAX_DEPTH:
        return {}
    required = list(schema.node.get("required", ()))
    for alternatives in ("oneOf", "anyOf"):
        first: Mapping[str, Any] = next(iter(schema.node.get(alternatives, ())), {})
        required += [name for name in first.get("required", ()) if name not in required]
    return {name: sample_value(schema.child(name), name, depth + 1) for name in required}


def _items(schema: Schema, name: str, depth: int) -> list[Value]:
    least = int(schema.node.get("minItems", 0))
    return [sample_value(schema.child(0), name, depth + 1) for _ in range(min(least, 10))] if depth < MAX_DEPTH else []


def _number(node: Any, name: str) -> int | float:
    low, high = node.get("minimum"), node.get("maximum")
    wanted: int | float = 8080 if _PORT.search(name) else 1
    if low is not None:
        wanted = max(wanted, low + 1 if node.get("exclusiveMinimum") is True else low)
    if high is not None:
        wanted = min(wanted, high - 1 if node.get("exclusiveMaximum") is True else high)
    step = node.get("multipleOf")
    if step:
        wanted = -(-wanted // step) * step
    return int(wanted) if node.get("type") == "integer" else wanted


def _string(node: Any, name: str) -> str:
    candidates = [_FORMATS[node["format"]]] if node.get("format") in _FORMATS else []
    candidates += [word for pattern, word in _BY_NAME if pattern.search(name)]
    candidates += [*_WORDS, *_FORMATS.values()]
    words = [_lengthened(word, node) for word in candidates]
    return next((word for word in words if _fits(word, node)), candidates[0])


def _lengthened(word: str, node: Any) -> str:
    least = int(node.get("minLength", 0))
    return word if len(word) >= least or least > 256 else (word * least)[:least]


def _fits(word: str, node: Any) -> bool:
    if not node.get("minLength", 0) <= len(word) <= node.get("maxLength", len(word)):
        return False
    if len(word) > MAX_MATCHED_LENGTH and node.get("pattern"):
        return False
    try:
        return re.search(node.get("pattern", ""), word) is not None
    except re.error:  # a pattern of Go's that Python does not know
        return True
