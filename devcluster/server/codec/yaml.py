"""Converter of YAML bodies to JSON, in the dialect of Go's YAML library.

Words such as on and yes are booleans; keys and times are strings. Values are built from libyaml's events, because
libyaml's own composer recurses for each level, and a deeply nested body would end the process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import yaml

MAX_NODES = 500_000
"""Values in a document, each counted as often as aliases repeat it."""
MAX_DEPTH = 100

_TRUE = frozenset(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"))
_FALSE = frozenset(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"))
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def load_yaml(body: bytes) -> Any:
    """The value that a document means. Raises ValueError for what is no YAML, or no JSON."""
    try:
        return _Composer(yaml.parse(body, yaml.CSafeLoader)).document()
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"yaml: {error}") from None


class _Composer:
    """Builds one document's value from its events."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, tuple[Any, int]] = {}
        """Finished values by their names, each with how many it consists of."""
        self._nodes = 0

    def document(self) -> Any:
        value = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                value = self._value(next(self._events), 0)
                break
        if any(isinstance(event, yaml.DocumentStartEvent) for event in self._events):
            raise ValueError("yaml: a single document is wanted")
        return value

    def _value(self, event: Any, depth: int) -> Any:
        before = self._nodes
        self._count(1)
        if depth > MAX_DEPTH:
            raise ValueError("yaml: exceeded max depth")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(str(event.anchor))
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = [self._value(inner, depth + 1) for inner in self._until(yaml.SequenceEndEvent)]
        else:
            value = self._mapping(depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._nodes - before
        return value

    def _until(self, end: type) -> Iterator[Any]:
        while not isinstance(event := next(self._events), end):
            yield event

    def _mapping(self, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for event in self._until(yaml.MappingEndEvent):
            key = self._value(event, depth + 1)
            value = self._value(next(self._events), depth + 1)
            if key == "<<" and isinstance(value, dict | list):
                for part in value if isinstance(value, list) else [value]:
                    merged = {**_mapped(part), **merged}
            else:
                mapping[_key(key)] = value
        return {**merged, **mapping}

    def _alias(self, name: str) -> Any:
        if name not in self._anchors:
            raise ValueError(f"yaml: unknown anchor '{name}' referenced")
        value, nodes = self._anchors[name]
        self._count(nodes)
        return value

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise ValueError("yaml: document contains excessive aliasing")


def _mapped(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ValueError("yaml: map merge requires map or sequence of maps as the value")


def _key(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError(f"yaml: invalid map key: {value}")


def _scalar(event: yaml.ScalarEvent) -> Any:
    plain, _ = event.implicit
    if event.tag is None or event.tag == "!":
        return _plain(event.value) if plain and not event.style else event.value
    convert = _TAGGED.get(event.tag)
    if convert is None:
        raise ValueError(f"yaml: cannot decode {event.tag}")
    return convert(event.value)


def _plain(text: str) -> Any:
    """The value of an unquoted word."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _ENDLESS.fullmatch(text):
        raise ValueError(f"json: unsupported value: {text}")
    return text


def _integer(text: str) -> int | float:
    digits = text.replace("_", "")
    octal = re.fullmatch(r"([-+]?)0([0-7]+)", digits)
    try:
        return int(f"{octal[1]}0o{octal[2]}" if octal else digits, 0)
    except ValueError:
        return float(digits)


_TAGGED: MappingProxyType[str, Callable[[str], Any]] = MappingProxyType(
    {
        "tag:yaml.org,2002:str": str,
        "tag:yaml.org,2002:int": _integer,
        "tag:yaml.org,2002:float": float,
        "tag:yaml.org,2002:bool": lambda text: text in _TRUE,
        "tag:yaml.org,2002:null": lambda _: None,
    }
)
