"""YAML loader that records the position of every value, so that an error can name file, line and column."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from informerd.errors import ConfigError

_TAG = "tag:yaml.org,2002:"
_WORDS = {"map": "a mapping", "seq": "a list", "str": "text", "int": "a number", "float": "a number"}


@dataclass(frozen=True)
class Location:
    """A spot in a file; line and column count from 1, 0 means the file as a whole."""

    path: Path
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}, column {self.column}" if self.line else str(self.path)

    def fail(self, what: str) -> NoReturn:
        """Raise ConfigError that begins with the position."""
        raise ConfigError(f"{self}: {what}")


class Section:
    """A mapping of a YAML file. Reading a key gives its value in the requested type, or ConfigError with its position.

    A key that is absent or null reads as empty, as with Go's decoder.
    """

    def __init__(self, path: Path, node: MappingNode, name: str) -> None:
        self.path = path
        self.name = name
        self._node = node
        self._values = dict(_pairs(path, node, name))

    def location(self, key: str = "") -> Location:
        """The position of the value of `key`, or of this section."""
        return _place(self.path, self._values.get(key, self._node))

    def fail(self, key: str, what: str) -> NoReturn:
        """Raise ConfigError about the value of `key`."""
        self.location(key).fail(f"{self._label(key)} {what}")

    def __contains__(self, key: str) -> bool:
        return self._value(key) is not None

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._values)

    def text(self, key: str) -> str:
        node = self._value(key)
        if node is None:
            return ""
        if not isinstance(node, ScalarNode) or _kind(node) not in {"str", "timestamp"}:
            hint = "; put it in quotes" if isinstance(node, ScalarNode) else ""
            self.fail(key, f"must be text, not {_describe(node)}{hint}")
        return str(node.value)

    def flag(self, key: str) -> bool:
        node = self._value(key)
        if node is None:
            return False
        if not isinstance(node, ScalarNode) or _kind(node) != "bool":
            self.fail(key, f"must be true or false, not {_describe(node)}")
        return str(node.value).lower() == "true"

    def base64(self, key: str) -> bytes:
        """The bytes that a ``…-data`` key holds in base64."""
        try:
            return base64.b64decode("".join(self.text(key).split()), validate=True)
        except (binascii.Error, ValueError) as error:
            self.fail(key, f"is not base64: {error}")

    def section(self, key: str) -> Section | None:
        node = self._value(key)
        if node is None:
            return None
        if not isinstance(node, MappingNode):
            self.fail(key, f"must be a mapping, not {_describe(node)}")
        return Section(self.path, node, self._label(key))

    def section_or_empty(self, key: str) -> Section:
        """The mapping under `key`; an empty one where it is absent or null."""
        empty = MappingNode(f"{_TAG}map", [], self._node.start_mark)
        return self.section(key) or Section(self.path, empty, self._label(key))

    def sections(self, key: str) -> tuple[Section, ...]:
        """A list of mappings."""
        return tuple(self._section_at(key, i, node) for i, node in enumerate(self._items(key)))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        for i, node in enumerate(items := self._items(key)):
            if not isinstance(node, ScalarNode) or _kind(node) != "str":
                _place(self.path, node).fail(f"{self._label(key)}[{i}] must be text, not {_describe(node)}")
        return tuple(str(node.value) for node in items)

    def _section_at(self, key: str, index: int, node: Node) -> Section:
        name = f"{self._label(key)}[{index}]"
        if not isinstance(node, MappingNode):
            _place(self.path, node).fail(f"{name} must be a mapping, not {_describe(node)}")
        return Section(self.path, node, name)

    def _items(self, key: str) -> list[Node]:
        node = self._value(key)
        if node is None:
            return []
        if not isinstance(node, SequenceNode):
            self.fail(key, f"must be a list, not {_describe(node)}")
        return list(node.value)

    def _value(self, key: str) -> Node | None:
        node = self._values.get(key)
        return None if node is None or _kind(node) == "null" else node

    def _label(self, key: str) -> str:
        return ".".join(part for part in (self.name, key) if part)


def read_yaml(path: Path) -> Section | None:
    """The mapping that a YAML (or JSON) file holds, or None for an empty file.

    Raises ConfigError with path, line, column and what is wrong; FileNotFoundError where there is no such file.
    """
    node = _compose(path, _read(path))
    if node is None or _kind(node) == "null":
        return None
    if not isinstance(node, MappingNode):
        _place(path, node).fail(f"this is {_describe(node)}, where a mapping is expected")
    return Section(path, node, "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{Location(path, line, 1)}: this is not UTF-8 text") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def _compose(path: Path, text: str) -> Node | None:
    try:
        node: Node | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = ", ".join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f"{Location(path, mark.line + 1, mark.column + 1)}: invalid YAML: {words}") from None
    except YAMLError as error:
        place = Location(path, text[: getattr(error, "position", 0)].count("\n") + 1, 1)
        raise ConfigError(f"{place}: invalid YAML: {getattr(error, 'reason', error)}") from error
    return node


def _pairs(path: Path, node: MappingNode, name: str) -> Iterator[tuple[str, Node]]:
    """Keys and values; what a merge key (``<<``) brings comes first, so that the mapping's own keys win."""
    seen: set[str] = set()
    for key, value in node.value:
        if _kind(key) == "merge":
            for source in value.value if isinstance(value, SequenceNode) else [value]:
                yield from _pairs(path, source, name)
    for key, value in node.value:
        if _kind(key) == "merge":
            continue
        if not isinstance(key, ScalarNode):
            _place(path, key).fail(f"a key must be text, not {_describe(key)}")
        if key.value in seen:
            _place(path, key).fail(f"{'.'.join(part for part in (name, key.value) if part)} appears twice")
        seen.add(key.value)
        yield str(key.value), value


def _kind(node: Any) -> str:
    return str(node.tag).removeprefix(_TAG)


def _describe(node: Node) -> str:
    kind = _kind(node)
    return str(node.value) if kind == "bool" else _WORDS.get(kind, kind)


def _place(path: Path, node: Node) -> Location:
    return Location(path, node.start_mark.line + 1, node.start_mark.column + 1)
