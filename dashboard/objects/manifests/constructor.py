"""Constructor of plain values from the tree of a YAML text, with limited aliases and kubectl's text keys."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.fields.field_access import Value
from dashboard.objects.manifests.composer import MAX_DEPTH, AliasNode, MappingNode, Node, ScalarNode, SequenceNode

MAX_BYTES = 3 * 1024 * 1024
"""The API server's limit of request bodies, 3 MiB (apiserver's MaxRequestBodyBytes)."""
MAX_UNFOLDED = 100_000
"""Maximum number of values that aliases may add to those written out."""


def construct(root: MappingNode, *, may_have_aliases: bool) -> dict[str, Value]:
    """The value of a mapping. Raises DocumentError for a repeated field, an invalid key and aliases that expand
    too far.
    """
    if may_have_aliases:
        _Measure().check(root)
    return _Constructor().mapping(root)


@dataclass(frozen=True, slots=True)
class _Size:
    """Size of a value with its aliases expanded."""

    values: int
    characters: int
    depth: int

    def around(self, parts: list[_Size]) -> _Size:
        """Size of a map or list with these parts."""
        return _Size(
            self.values + sum(part.values for part in parts),
            self.characters + sum(part.characters for part in parts),
            self.depth + max((part.depth for part in parts), default=0),
        )


class _Measure:
    """Sizes, computed once per node, so that the time is linear in the length of the text whatever its aliases
    expand to.
    """

    def __init__(self) -> None:
        self._sizes: dict[int, _Size] = {}
        self._written = 0

    def check(self, root: Node) -> None:
        """Raise DocumentError where aliases make the text larger than the API server accepts."""
        size = self.size(root)
        if size.values > self._written + MAX_UNFOLDED or size.characters > MAX_BYTES or size.depth > MAX_DEPTH:
            raise root.error("Aliases in this text expand to more than the API server accepts.")

    def size(self, node: Node) -> _Size:
        self._written += 1
        if isinstance(node, AliasNode):
            return self._alias(node)
        if isinstance(node, ScalarNode):
            size = _Size(1, len(node.word), 1)
        elif isinstance(node, MappingNode):
            size = _Size(1, 0, 1).around([self.size(part) for entry in node.entries for part in entry])
        else:
            assert isinstance(node, SequenceNode)  # noqa: S101 (the fourth and last kind of node)
            size = _Size(1, 0, 1).around([self.size(item) for item in node.items])
        self._sizes[id(node)] = size
        return size

    def _alias(self, node: AliasNode) -> _Size:
        size = self._sizes.get(id(node.target))
        if size is None:  # what it stands for is not at its end yet
            raise node.error("This alias refers to a value that contains it.")
        if size.values > self._written + MAX_UNFOLDED or size.depth > MAX_DEPTH:
            raise node.error("This alias expands to more than the API server accepts.")
        return size


class _Constructor:
    """Makes plain values of nodes; the value of an alias is shared with it."""

    def __init__(self) -> None:
        self._shared: dict[int, Value] = {}

    def value(self, node: Node) -> Value:
        if isinstance(node, AliasNode):
            if id(node.target) not in self._shared:
                self._shared[id(node.target)] = self.value(node.target)
            return self._shared[id(node.target)]
        if isinstance(node, ScalarNode):
            return node.value
        if isinstance(node, MappingNode):
            return self.mapping(node)
        assert isinstance(node, SequenceNode)  # noqa: S101 (the fourth and last kind of node)
        return [self.value(item) for item in node.items]

    def mapping(self, node: MappingNode) -> dict[str, Value]:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        places: dict[str, Node] = {}
        for key_node, value_node in node.entries:
            if is_merge(key_node):
                merged = self._merged(value_node) | merged
                continue
            key = key_of(key_node)
            if key in places:
                first = places[key].line + 1
                raise key_node.error(f"The field “{key}” is given twice; the first is in line {first}.")
            places[key] = key_node
            own[key] = self.value(value_node)
        return {**merged, **own} if merged else own

    def _merged(self, node: Node) -> dict[str, Value]:
        value = self.value(node)
        values = value if isinstance(value, list) else [value]
        result: dict[str, Value] = {}
        for each in values:
            if not isinstance(each, dict):
                raise node.error("“<<” needs fields to merge.")
            result = each | result
        return result


def is_merge(node: Node) -> bool:
    """Whether a key is YAML 1.1's ``<<``, which kubectl follows."""
    return isinstance(node, ScalarNode) and node.plain and node.word == "<<"


def key_of(node: Node) -> str:
    """The name of a field, made from a key as kubectl does. Raises DocumentError where the key is invalid."""
    if isinstance(node, AliasNode):
        node = node.target
    value = node.value if isinstance(node, ScalarNode) else None
    if value is None:
        raise node.error("A field needs a name before its colon.")
    return str(value).lower() if isinstance(value, bool) else str(value)
