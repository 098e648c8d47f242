"""Sample object of a schema: the required fields, with values that the schema accepts as far as that is known.

A schema of a few hundred bytes can ask for 10^12 items. What is beyond the limits of a sample is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from dashboard.objects.fields.field_access import Value
from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.schemas.patterns import fits_pattern, match_work
from dashboard.objects.schemas.schema import Schema
from informerd.resource import Resource

MAX_DEPTH = 12
"""Maximum levels; a schema may refer to itself."""
MAX_ITEMS = 10
"""Maximum items of a list; the schema may ask for more."""
MAX_VALUES = 500
"""Maximum values of a sample, with the maps and lists around them."""
STEPS_OF_A_VALUE = 10
MAX_SECONDS = 0.1
"""Limit of one sample's CPU time (see WorkBudget)."""
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
    making = _Sample()
    with suppress(BudgetExceeded):
        for name, node in schema.properties.items():
            if name not in ("apiVersion", "kind", "metadata", "status") and (name in required or name == "spec"):
                value[name] = making.value(node, name, 0)
    return value


def sample_value(schema: Schema, name: str = "") -> Value:
    """A value that the schema accepts, as far as its types, formats, bounds and patterns show; `name` is its
    field's. Raises BudgetExceeded for a scalar that takes too much work.
    """
    return _Sample().value(schema, name, 0)


class _Sample:
    """One sample in the making. A map or a list ends where the limits are reached."""

    def __init__(self) -> None:
        self._budget = WorkBudget(MAX_VALUES * STEPS_OF_A_VALUE, MAX_SECONDS)

    def value(self, schema: Schema, name: str, depth: int) -> Value:
        """A value of the schema. Raises BudgetExceeded where there is not even room for an incomplete one."""
        self._budget.spend(STEPS_OF_A_VALUE)
        return self._value(schema, name, depth)

    def _value(self, schema: Schema, name: str, depth: int) -> Value:
        node = schema.node
        for keyword in ("default", "example", "const"):
            if keyword in node:
                return self._copied(node[keyword])
        if node.get("enum"):
            first = node["enum"][0]
            return self._copied(next((choice for choice in node["enum"] if choice not in (None, "")), first))
        if node.get("x-kubernetes-int-or-string"):
            return 1
        kind = node.get("type")
        if kind in ("integer", "number"):
            return _number(node, name)
        if kind == "boolean":
            return False
        if kind == "array":
            return self._items(schema, name, depth)
        if kind == "string":
            return self._string(node, name)
        return self._fields(schema, depth) if kind == "object" or node.get("properties") else {}

    def _copied(self, value: Value) -> Value:
        self._budget.spend(_size(value) * STEPS_OF_A_VALUE)
        return value

    def _fields(self, schema: Schema, depth: int) -> dict[str, Value]:
        """Values of the required fields, and of those that the first ``oneOf`` or ``anyOf`` requires."""
        fields: dict[str, Value] = {}
        with suppress(BudgetExceeded):
            for name in _required(schema.node) if depth < MAX_DEPTH else ():
                if name not in fields:
                    fields[name] = self.value(schema.child(name), name, depth + 1)
        return fields

    def _items(self, schema: Schema, name: str, depth: int) -> list[Value]:
        items: list[Value] = []
        count = min(int(schema.node.get("minItems", 0)), MAX_ITEMS) if depth < MAX_DEPTH else 0
        with suppress(BudgetExceeded):
            for _ in range(count):
                items.append(self.value(schema.child(0), name, depth + 1))  # noqa: PERF401 - what is there stays
        return items

    def _string(self, node: Any, name: str) -> str:
        candidates = [_FORMATS[node["format"]]] if node.get("format") in _FORMATS else []
        candidates += [word for ends, word in _BY_NAME if ends.search(name)]
        candidates += [*_WORDS, *_FORMATS.values()]
        words = (_lengthened(word, node) for word in candidates)
        return next((word for word in words if self._fits(word, node)), candidates[0])

    def _fits(self, word: str, node: Any) -> bool:
        if not node.get("minLength", 0) <= len(word) <= node.get("maxLength", len(word)):
            return False
        pattern = str(node.get("pattern", ""))
        self._budget.spend(match_work(word, pattern))
        return fits_pattern(word, pattern)


def _required(node: Mapping[str, Any]) -> Iterable[str]:
    yield from node.get("required", ())
    for alternatives in ("oneOf", "anyOf"):
        first: Mapping[str, Any] = next(iter(node.get(alternatives, ())), {})
        yield from first.get("required", ())


def _size(value: Value) -> int:
    """The number of values in `value`, with itself, and one for each 100 characters of a text."""
    waiting, size = [value], 0
    while waiting:
        each = waiting.pop()
        size += 1 + (len(each) // 100 if isinstance(each, str) else 0)
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return size


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
    if not math.isfinite(wanted):
        return 0
    return int(wanted) if node.get("type") == "integer" else wanted


def _lengthened(word: str, node: Any) -> str:
    least = int(node.get("minLength", 0))
    return word if len(word) >= least or least > 256 else (word * least)[:least]
