"""Composer of a YAML text: a tree with the position of every value, so that one field can be changed in place.

Offsets count characters of the text, lines and columns count from 0. `end` is where the content ends: comments and
blank lines after it belong to no node, which is how a change in place keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import MappingProxyType

import yaml

from dashboard.objects.manifests.scalar_resolver import NotJson, Scalar, resolve

MAX_DEPTH = 200
"""Maximum levels of nesting that are read."""
MAX_NODES = 400_000
"""Maximum names and values that are read, some five seconds of work: twice what 3 MiB of a real object have."""

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TYPES: MappingProxyType[str, tuple[type, ...]] = MappingProxyType(
    {f"{_TAG}int": (int,), f"{_TAG}float": (int, float), f"{_TAG}bool": (bool,), f"{_TAG}null": (type(None),)}
)


class DocumentError(ValueError):
    """The text is not one valid object: a sentence, and a position (line and column count from 1; 0: none)."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(slots=True)
class Node:
    """A value in the text; `start` includes its anchor and tag."""

    start: int
    end: int
    line: int
    column: int

    def error(self, message: str) -> DocumentError:
        """A DocumentError that points here."""
        return DocumentError(message, self.line + 1, self.column + 1)


@dataclass(slots=True)
class ScalarNode(Node):
    value: Scalar = None
    word: str = ""
    plain: bool = False
    block: bool = False
    """Written with ``|`` or ``>``."""


@dataclass(slots=True)
class MappingNode(Node):
    flow: bool = False
    entries: list[tuple[Node, Node]] = field(default_factory=list)


@dataclass(slots=True)
class SequenceNode(Node):
    flow: bool = False
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class AliasNode(Node):
    target: Node


def compose(text: str) -> Node | None:
    """The tree of the one document in `text`; None where there is nothing but comments.

    Raises DocumentError for a text that is not one object, and yaml.YAMLError where the scanner does.
    """
    reader = _Reader(text)
    roots = [root for root in reader.documents() if not _is_empty(root)]
    if len(roots) > 1:
        raise roots[1].error("A second document begins here. This page accepts one object.")
    return roots[0] if roots else None


def _is_empty(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.start == node.end


class _Reader:
    """Builds the tree from the scanner's events."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=_PARSER))
        self._anchors: dict[str, Node] = {}
        self._nodes = 0

    def documents(self) -> Iterator[Node]:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                yield self._node(next(self._events), 0)

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise _span(event).error(f"This is nested more than {MAX_DEPTH} levels deep.")
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _span(event).error(f"The text has more than {MAX_NODES:,} names and values: make it shorter.")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._keep(event, self._scalar(event))
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, depth)
        assert isinstance(event, yaml.SequenceStartEvent)  # noqa: S101 (the fourth and last that begins a node)
        return self._sequence(event, depth)

    def _keep(self, event: yaml.NodeEvent, node: Node) -> Node:
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: yaml.AliasEvent) -> Node:
        place = _span(event)
        target = self._anchors.get(event.anchor or "")
        if target is None:
            raise place.error(f"The alias *{event.anchor} has no anchor before it.")
        return AliasNode(place.start, place.end, place.line, place.column, target)

    def _scalar(self, event: yaml.ScalarEvent) -> Node:
        place = _span(event)
        block = event.style in ("|", ">")
        end = place.start + len(self._text[place.start : place.end].rstrip()) if block else place.end
        plain = not event.style
        value = _value(event, place, plain=plain)
        return ScalarNode(place.start, end, place.line, place.column, value, event.value, plain, block)

    def _mapping(self, event: yaml.MappingStartEvent, depth: int) -> Node:
        _check_tag(event, "map")
        place = _span(event)
        node = MappingNode(place.start, place.end, place.line, place.column, bool(event.flow_style))
        self._keep(event, node)
        for inner in self._events:
            if isinstance(inner, yaml.MappingEndEvent):
                node.end = _span(inner).end if node.flow else node.end
                break
            key = self._node(inner, depth + 1)
            value = self._node(next(self._events), depth + 1)
            node.entries.append((key, value))
            node.end = max(node.end, key.end + 1, value.end)
        return node

    def _sequence(self, event: yaml.SequenceStartEvent, depth: int) -> Node:
        _check_tag(event, "seq")
        place = _span(event)
        node = SequenceNode(place.start, place.end, place.line, place.column, bool(event.flow_style))
        self._keep(event, node)
        for inner in self._events:
            if isinstance(inner, yaml.SequenceEndEvent):
                node.end = _span(inner).end if node.flow else node.end
                break
            item = self._node(inner, depth + 1)
            node.items.append(item)
            node.end = max(node.end, item.end)
        return node


def _span(event: yaml.Event) -> Node:
    start, end = event.start_mark, event.end_mark
    assert start is not None  # noqa: S101 (the scanner marks every event)
    assert end is not None  # noqa: S101
    return Node(start.index, end.index, start.line, start.column)


def _value(event: yaml.ScalarEvent, place: Node, *, plain: bool) -> Scalar:
    tag = event.tag
    try:
        if tag is None:
            return resolve(event.value) if plain else event.value
        return _tagged(tag, event.value)
    except NotJson:
        raise place.error(f"{event.value} is not a number that an object can hold.") from None
    except LookupError:
        raise place.error(f"Kubernetes does not support the tag {_short(tag)}.") from None
    except ValueError:
        raise place.error(f"“{event.value[:40]}” does not match the tag {_short(tag)}.") from None


def _tagged(tag: str, word: str) -> Scalar:
    if tag in ("!", f"{_TAG}str"):
        return word
    expected = _TYPES[tag]
    value = resolve(word)
    if type(value) not in expected:
        raise ValueError(word)
    return value


def _check_tag(event: yaml.Event, expected: str) -> None:
    tag = getattr(event, "tag", None)
    if tag not in (None, "!", f"{_TAG}{expected}"):
        raise _span(event).error(f"Kubernetes does not support the tag {_short(tag)}.")


def _short(tag: str | None) -> str:
    return (tag or "").replace(_TAG, "!!")
