"""Renames of entries and moves of items inside a text; their lines move unchanged, with comments.

Where a text is too unusual for that (entries between brackets, aliases, several fields on a line), the object is
changed by `rewrite`, which is correct though it may lose the comments of the entry.
"""

from __future__ import annotations

from dashboard.objects.fields.field_access import Path, Value, get, put, same
from dashboard.objects.manifests.composer import AliasNode, MappingNode, Node, SequenceNode
from dashboard.objects.manifests.constructor import is_merge, key_of
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import dump


def rename_entry(document: Document, path: Path, name: str) -> Document:
    """The document with the entry at `path` under another name, in its place. That name must be free."""
    holder: dict[str, Value] = get(document.value, path[:-1])
    target = put(document.value, path[:-1], {name if each == path[-1] else each: holder[each] for each in holder})
    node = _node(document, path[:-1])
    key = next((key for key, _ in node.entries if not is_merge(key) and key_of(key) == path[-1]), None) if isinstance(
        node, MappingNode
    ) else None  # fmt: skip
    if key is None or isinstance(key, AliasNode):
        return parse(rewrite(document, target))
    written = dump({name: 0}).rpartition(":")[0]
    text = f"{document.text[: key.start]}{written}{document.text[key.end :]}"
    return _checked(document, text, target)


def move_item(document: Document, path: Path, to: int) -> Document:
    """The document with the item at `path` exchanged with its neighbour at index `to`."""
    index = path[-1]
    assert isinstance(index, int)  # noqa: S101 (the path of an item)
    items: list[Value] = list(get(document.value, path[:-1]))
    items[index], items[to] = items[to], items[index]
    target = put(document.value, path[:-1], items)
    node = _node(document, path[:-1])
    if not isinstance(node, SequenceNode) or node.flow:
        return parse(rewrite(document, target))
    first, second = sorted((index, to))
    return _checked(document, _exchanged(document.text, node, first, second), target)


def _exchanged(text: str, node: SequenceNode, first: int, second: int) -> str:
    """The lines of two neighbouring items, exchanged; a comment above an item moves with it."""
    begin, middle, end = _top(text, node, first), _top(text, node, second), _bottom(text, node.items[second])
    upper, lower = text[begin:middle], text[middle:end]
    return f"{text[:begin]}{lower}\n{upper.removesuffix(chr(10))}{text[end:]}"


def _top(text: str, node: SequenceNode, index: int) -> int:
    """Where the lines of an item begin, its comments included."""
    start = text.rfind("\n", 0, max(node.items[index].start, 0)) + 1
    above = _bottom(text, node.items[index - 1]) + 1 if index else start
    if index:
        return above
    while start > node.start and not text[start : node.items[index].start].lstrip(" ").startswith("-"):
        start = text.rfind("\n", 0, start - 1) + 1
    return start


def _bottom(text: str, item: Node) -> int:
    """The end of the line on which an item ends."""
    newline = text.find("\n", item.end)
    return len(text) if newline < 0 else newline


def _checked(document: Document, text: str, target: dict[str, Value]) -> Document:
    """The document of `text`, if its value is `target`; else one that has it."""
    try:
        changed = parse(text)
    except DocumentError:
        return parse(rewrite(document, target))
    return changed if same(changed.value, target) else parse(rewrite(document, target))


def _node(document: Document, path: Path) -> Node | None:
    node: Node = document.root
    for segment in path:
        child: Node | None = None
        if isinstance(node, MappingNode):
            child = next(
                (value for key, value in node.entries if not is_merge(key) and key_of(key) == segment), None
            )  # fmt: skip
        elif isinstance(node, SequenceNode) and isinstance(segment, int) and segment < len(node.items):
            child = node.items[segment]
        if child is None:
            return None
        node = child
    return node
