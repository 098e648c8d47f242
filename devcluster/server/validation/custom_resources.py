"""Validation of custom resources against their structural schema, with the real server's messages and causes.

Source: kube-openapi's validation/validate, apiextensions-apiserver's validation.go. Of CEL (x-kubernetes-validations)
only the rules in CEL_RULES are evaluated; any other rule passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from devcluster.server.api_errors import FieldError, duplicate, go_value, invalid_value, not_supported, required
from devcluster.server.schema.formats import FORMATS, is_ip
from devcluster.server.schema.pattern_with_time_limit import matches
from devcluster.server.schema.pruning_and_defaulting import Schema

CEL_RULES: MappingProxyType[str, Callable[[Any], bool]] = MappingProxyType({"isIP(self)": is_ip})
"""The CEL rules that are understood, by their exact text."""

_BLOCKING = frozenset(
    ("FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid")
)
_NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_JSON_TYPES: MappingProxyType[type, str] = MappingProxyType({str: "string", list: "array", dict: "object"})
_BOUNDS = MappingProxyType({"int32": 2**31, "int64": 2**63, "": 2**63})


def validate_custom_resource(value: Any, schema: Schema, *, prefix: str = "") -> list[FieldError]:
    """Everything wrong with `value`. `prefix` is where it stands in the object, for updates of status alone."""
    errors = list(_Checker(prefix).check(value, schema, ""))
    if not _has_rules(schema):
        return errors
    if any(error.reason in _BLOCKING for error in errors):
        return [*errors, invalid_value("<nil>", None, _NOT_CHECKED)]
    return [*errors, *_check_rules(value, schema, prefix)]


@dataclass(frozen=True)
class _Checker:
    prefix: str

    def check(self, value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
        if value is None and schema.get("nullable"):
            return
        yield from self.check_type(value, schema, path)
        yield from self.check_enum(value, schema, path)
        yield from self.check_combinations(value, schema, path)
        if isinstance(value, dict):
            yield from self.check_object(value, schema, path)
        elif isinstance(value, list):
            yield from self.check_array(value, schema, path)
        elif isinstance(value, str):
            yield from self.check_string(value, schema, path)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield from self.check_number(value, schema, path)

    def field(self, path: str) -> str:
        return f"{self.prefix}.{path}".strip(".") if self.prefix else path or "<nil>"

    def invalid(self, path: str, value: Any, rule: str) -> FieldError:
        return invalid_value(self.field(path), value, f"{path} in body {rule}")

    def check_type(self, value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
        types = ("integer", "string") if schema.get("x-kubernetes-int-or-string") else (schema.get("type") or "",)
        if types == ("",):
            return
        actual, go_format = _type_of(value)
        fits = actual in types or (actual == "integer" and "number" in types)
        whole = isinstance(value, float) and value.is_integer() and "integer" in types
        wanted = schema.get("format", "")
        if wanted and not isinstance(value, str | list) and not (fits or whole or go_format == wanted):
            yield self.wrong_type(path, wanted, go_format)
        elif wanted and isinstance(value, str | list) and not {"number", "integer"} & set(types):
            return
        elif not (fits or whole):
            yield self.wrong_type(path, ",".join(types), actual)

    def wrong_type(self, path: str, wanted: str, actual: str) -> FieldError:
        message = f"Invalid value: {go_value(actual)}: {path} in body must be of type {wanted}: {go_value(actual)}"
        return FieldError(self.field(path), "FieldValueTypeInvalid", message)

    def check_enum(self, value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
        allowed = schema.get("enum")
        if allowed and not any(value == option and type(value) is type(option) for option in allowed):
            words = tuple(option if isinstance(option, str) else go_value(option) for option in allowed)
            yield not_supported(self.field(path), value, words)

    def check_string(self, value: str, schema: Schema, path: str) -> Iterator[FieldError]:
        length, longest = len(value), schema.get("maxLength")
        if longest is not None and length > longest:
            message = f"Too long: may not be more than {longest} bytes"
            yield FieldError(self.field(path), "FieldValueTooLong", message)
        elif length < schema.get("minLength", 0):
            yield self.invalid(path, value, f"should be at least {schema['minLength']} chars long")
        elif "pattern" in schema and not matches(schema["pattern"], value):
            yield self.invalid(path, value, f"should match '{schema['pattern']}'")
        is_format = FORMATS.get(schema.get("format", ""))
        if is_format is not None and not is_format(value):
            yield self.wrong_type(path, schema["format"], value)

    def check_number(self, value: float, schema: Schema, path: str) -> Iterator[FieldError]:
        if schema.get("type") == "integer" and not _in_range(value, schema.get("format", "")):
            name = f"with format {schema['format']}" if schema.get("format") else "(default format)"
            yield invalid_value("<nil>", "", f"Checked value must be of type integer {name} in {path}")
        if "multipleOf" in schema:
            yield from self.check_multiple(value, schema["multipleOf"], path)
        low, high = schema.get("minimum"), schema.get("maximum")
        if high is not None and (value > high or (value == high and schema.get("exclusiveMaximum"))):
            yield self.invalid(path, value, f"should be less than {_or_equal(schema, 'exclusiveMaximum')}{high}")
        if low is not None and (value < low or (value == low and schema.get("exclusiveMinimum"))):
            yield self.invalid(path, value, f"should be greater than {_or_equal(schema, 'exclusiveMinimum')}{low}")

    def check_multiple(self, value: float, factor: float, path: str) -> Iterator[FieldError]:
        if isinstance(value, int) and int(factor) <= 0:
            yield invalid_value(self.field(path), 0, f"factor MultipleOf declared for {path} must be positive: 0")
        elif not math.isclose(value / factor, round(value / factor), abs_tol=1e-9):
            yield self.invalid(path, value, f"should be a multiple of {factor}")

    def check_object(self, value: dict[str, Any], schema: Schema, path: str) -> Iterator[FieldError]:
        for name in schema.get("required", ()):
            if name not in value:
                yield required(self.field(_join(path, name)))
        if len(value) > schema.get("maxProperties", len(value)):
            yield self.too_many(path, len(value), schema["maxProperties"])
        if len(value) < schema.get("minProperties", 0):
            yield self.invalid(path, len(value), f"should have at least {schema['minProperties']} properties")
        properties = schema.get("properties", {})
        additional = schema.get("additionalProperties")
        for name, below in value.items():
            if name in properties:
                yield from self.check(below, properties[name], _join(path, name))
            elif isinstance(additional, dict):
                yield from self.check(below, additional, _join(path, name))

    def check_array(self, value: list[Any], schema: Schema, path: str) -> Iterator[FieldError]:
        if schema.get("type") not in ("array", None):
            return
        if len(value) > schema.get("maxItems", len(value)):
            yield self.too_many(path, len(value), schema["maxItems"])
        if len(value) < schema.get("minItems", 0):
            yield self.invalid(path, len(value), f"should have at least {schema['minItems']} items")
        for position, item in enumerate(value):
            yield from self.check(item, schema.get("items", {}), f"{path}[{position}]")
        yield from self.check_duplicates(value, schema, path)

    def check_duplicates(self, value: list[Any], schema: Schema, path: str) -> Iterator[FieldError]:
        list_type = schema.get("x-kubernetes-list-type")
        if list_type not in ("set", "map"):
            return
        keys = schema.get("x-kubernetes-list-map-keys", ())
        seen: set[str] = set()
        for position, item in enumerate(value):
            identity = {key: item[key] for key in keys if key in item} if isinstance(item, dict) and keys else item
            if go_value(identity) in seen:
                yield duplicate(f"{self.field(path)}[{position}]", identity)
            seen.add(go_value(identity))

    def too_many(self, path: str, actual: int, most: int) -> FieldError:
        message = f"Too many: {actual}: must have at most {most} items"
        return FieldError(self.field(path), "FieldValueTooMany", message)

    def check_combinations(self, value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
        for word, complaint in (("anyOf", "must validate at least one schema (anyOf)"), ("oneOf", "")):
            if word in schema and not schema.get("x-kubernetes-int-or-string"):
                yield from self.check_alternatives(value, schema[word], path, complaint)
        for part in schema.get("allOf", ()):
            yield from self.check(value, part, path)
        if "not" in schema and not list(self.check(value, schema["not"], path)):
            yield invalid_value("<nil>", "", f'"{path}" must not validate the schema (not)')

    def check_alternatives(self, value: Any, options: list[Schema], path: str, complaint: str) -> Iterator[FieldError]:
        """anyOf where a complaint is given, oneOf otherwise."""
        outcomes = [list(self.check(value, option, path)) for option in options]
        valid = sum(not outcome for outcome in outcomes)
        if valid == 1 or (valid and complaint):
            return
        message = f"Found {valid} valid alternatives" if valid else "Found none valid"
        text = complaint or f"must validate one and only one schema (oneOf). {message}"
        yield invalid_value("<nil>", "", f'"{path}" {text}')
        if not valid:
            yield from min(outcomes, key=len)


def _type_of(value: Any) -> tuple[str, str]:
    """The JSON type, and the format that Go gives it."""
    if value is None:
        return "null", ""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int):
        return "integer", "int64"
    if isinstance(value, float):
        return "number", "float64"
    return _JSON_TYPES[type(value)], ""


def _in_range(value: float, name: str) -> bool:
    bound = _BOUNDS.get(name, 2**63)
    return float(value).is_integer() and -bound <= value < bound


def _or_equal(schema: Schema, exclusive: str) -> str:
    return "" if schema.get(exclusive) else "or equal to "


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _has_rules(schema: Schema) -> bool:
    if schema.get("x-kubernetes-validations"):
        return True
    below = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(isinstance(part, dict) and _has_rules(part) for part in below)


def _check_rules(value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
    for rule in schema.get("x-kubernetes-validations", ()):
        holds = CEL_RULES.get(rule.get("rule", ""))
        if holds is not None and not holds(value):
            yield invalid_value(path or "<nil>", value, rule.get("message") or f"failed rule: {rule['rule']}")
    if isinstance(value, dict):
        properties, additional = schema.get("properties", {}), schema.get("additionalProperties")
        for name, below in value.items():
            part = properties.get(name, additional)
            if isinstance(part, dict):
                yield from _check_rules(below, part, _join(path, name))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _check_rules(item, schema.get("items", {}), f"{path}[{position}]")
