"""JSON decoder for built-in kinds, with the real server's rules and error messages.

The real server decodes built-in kinds into Go structs: a wrong type is a 400; an unknown field is dropped and reported
as a warning or, under strict field validation, as an error. Nulls count as absent.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from devcluster.server import quantity, times
from devcluster.server.schema.pruning_and_defaulting import Schema

_GO_KINDS: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}
_MICRO_TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"
_TIMES = ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", _MICRO_TIME)
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"


class WrongType(Exception):
    """A value does not fit its Go field; the message is the Go decoder's. `expected` is the field's type where the type
    is wrong.
    """

    def __init__(self, message: str, value: Any = None, expected: str = "") -> None:
        super().__init__(message)
        self.value = value
        self.expected = expected


def raise_wrong_type(value: Any, target: str, wanted: str) -> None:
    raise WrongType(f"json: cannot unmarshal {_GO_KINDS[type(value)]} into {target}", value, wanted)


_PLAIN = MappingProxyType({"string": str, "boolean": bool})
"""Types whose values need no further look where the schema names no format."""


@dataclass
class Decoder:
    """Checks values in place by recorded definitions; `unknown_fields` are the paths of those that it dropped."""

    definitions: Mapping[str, Schema]
    checked_ids: frozenset[int] = frozenset()
    """The ids of lists and objects that were checked before."""
    unknown_fields: list[str] = field(default_factory=list)

    def check(self, value: Any, schema: Schema, struct: str, go_path: str, path: str) -> None:
        """Check `value`; `struct` and `go_path` are for messages of the Go decoder, `path` for unknown fields."""
        if id(value) in self.checked_ids:
            return
        name = schema.get("$ref", "")
        schema = self.definitions[schema["$ref"]] if "$ref" in schema else schema
        wanted = schema.get("type")
        if wanted == "object" and "properties" in schema:
            own = name.rpartition(".")[2] or struct
            self.require_type(isinstance(value, dict), value, struct, go_path, f"v1.{own}")
            self.check_struct(value, schema, own, go_path, path)
        elif wanted == "object":
            self.check_map(value, schema, struct, go_path, path)
        elif wanted == "array":
            self.check_array(value, schema, struct, go_path, path)
        elif wanted == "string":
            self.check_string(value, schema, struct, go_path)
        elif wanted == "boolean":
            self.require_type(isinstance(value, bool), value, struct, go_path, "bool")
        elif wanted in ("integer", "number"):
            fits = isinstance(value, int | float) and not isinstance(value, bool)
            fits = fits and (wanted == "number" or float(value).is_integer())
            self.require_type(fits, value, struct, go_path, schema.get("format", "int32"))
        elif schema.get("format") == "int-or-string":
            self.require_type(type(value) in (int, str), value, struct, go_path, "int32")

    def require_type(self, fits: bool, value: Any, struct: str, go_path: str, wanted: str) -> None:
        if not fits:
            raise_wrong_type(value, f"Go struct field {struct}.{go_path} of type {wanted}", wanted)

    def check_struct(self, value: Any, schema: Schema, struct: str, go_path: str, path: str) -> None:
        properties = schema["properties"]
        for key, member in list(value.items()):
            known = properties.get(key)
            if known is None:
                self.unknown_fields.append(f"{path}.{key}" if path else key)
                del value[key]
            elif member is None or (not member and self.is_empty(member, key, schema)):
                del value[key]
            elif _PLAIN.get(known.get("type")) is member.__class__ and "format" not in known:
                continue  # most fields, at a fraction of the price of a check
            elif (reference := known.get("$ref")) == _QUANTITY:
                value[key] = _quantity(member)
            elif reference in _TIMES:
                value[key] = _time(member, exact=reference == _MICRO_TIME)
            else:
                below = f"{path}.{key}" if path else key
                self.check(member, known, struct, f"{go_path}.{key}" if go_path else key, below)

    @staticmethod
    def is_empty(value: Any, key: str, schema: Schema) -> bool:
        """Whether Go leaves a field out for being an empty list or map."""
        if value not in ([], {}) or key in schema.get("required", ()):
            return False
        known = schema["properties"][key]
        return (value == [] and known.get("type") == "array") or (value == {} and "additionalProperties" in known)

    def check_map(self, value: Any, schema: Schema, struct: str, go_path: str, path: str) -> None:
        items = schema.get("additionalProperties")
        self.require_type(isinstance(value, dict), value, struct, go_path, f"map[string]{self.go_type(items or {})}")
        if items is None:
            return
        for key, item in list(value.items()):
            if items.get("$ref") == _QUANTITY:
                value[key] = _quantity(item)
            elif item is not None:
                self.check(item, items, struct, go_path, f"{path}.{key}")
            elif items.get("type") == "string":
                value[key] = ""

    def check_array(self, value: Any, schema: Schema, struct: str, go_path: str, path: str) -> None:
        self.require_type(isinstance(value, list), value, struct, go_path, f"[]{self.go_type(schema['items'])}")
        for position, item in enumerate(value):
            if item is None:
                value[position] = "" if schema["items"].get("type") == "string" else {}
            self.check(value[position], schema["items"], struct, go_path, f"{path}[{position}]")

    def check_string(self, value: Any, schema: Schema, struct: str, go_path: str) -> None:
        self.require_type(isinstance(value, str), value, struct, go_path, "string")
        if schema.get("format") == "byte":
            try:
                base64.b64decode(value, validate=True)
            except binascii.Error:
                raise WrongType("illegal base64 data at input byte 0") from None

    def go_type(self, schema: Schema) -> str:
        if "$ref" in schema:
            return f"v1.{schema['$ref'].rpartition('.')[2]}"
        if schema.get("format") == "byte":
            return "[]uint8"
        return {"boolean": "bool", "integer": str(schema.get("format", "int32"))}.get(schema.get("type", ""), "string")


def shared_ids(new: Any, old: Any) -> Iterator[int]:
    """The ids of the lists and objects that two values have in common, outermost only."""
    if isinstance(new, dict) and isinstance(old, dict):
        pairs = [(value, old[key]) for key, value in new.items() if key in old]
    elif isinstance(new, list) and isinstance(old, list):
        pairs = list(zip(new, old, strict=False))
    else:
        return
    for value, before in pairs:
        if not isinstance(value, dict | list):
            continue
        if value is before:
            yield id(value)
        else:
            yield from shared_ids(value, before)


def _quantity(value: Any) -> str:
    """A quantity in canonical form. Raises WrongType."""
    try:
        if isinstance(value, str):
            return quantity.canonical_quantity(value)
    except ValueError as error:
        raise WrongType(str(error)) from None
    if isinstance(value, bool | dict | list):
        raise WrongType(quantity.BAD_QUANTITY)
    return quantity.from_number(value or 0)


def _time(value: Any, *, exact: bool) -> str:
    """A time in canonical form. Raises WrongType."""
    if not isinstance(value, str):
        raise_wrong_type(value, "Go value of type string", "string")
    try:
        return times.canonical_time(value, exact=exact)
    except ValueError as error:
        raise WrongType(str(error)) from None
