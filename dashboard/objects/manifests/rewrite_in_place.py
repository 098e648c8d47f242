"""Rewriter of an object inside the text a user wrote: unchanged fields keep their comments, order and style.

Only the spans of changed fields are replaced, so other lines stay the same, byte for byte. The result is parsed again
before it is returned; where a text is too unusual to be changed in place (an anchor that others refer to, complex
keys), the whole object is written again, which is correct but loses comments.
"""

from __future__ import annotations

import json

from dashboard.objects.fields.field_access import ABSENT, Value, same
from dashboard.objects.fields.list_alignment import alignment
from dashboard.objects.manifests.composer import AliasNode, MappingNode, Node, ScalarNode, SequenceNode
from dashboard.objects.manifests.constructor import is_merge, key_of
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.manifests.yaml_writer import dump, scalar_yaml, to_yaml


class _CannotChangeInPlace(Exception):
    """This part of the text has no simple span to replace."""


def rewrite(document: Document, target: dict[str, Value]) -> str:
    """The document's text, changed so that it holds `target`; the very same text where it already does."""
    if same(document.value, target):
        return document.text
    try:
        changed = _Rewriter(document).rewritten(target)
        if same(parse(changed).value, target):
            return changed
    except (_CannotChangeInPlace, DocumentError):
        pass
    return to_yaml(target) if isinstance(target.get("metadata"), dict) else dump(target)


class _Rewriter:
    """Collects replacements of spans of one text."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._edits: list[tuple[int, int, str]] = []

    def rewritten(self, target: dict[str, Value]) -> str:
        self._mapping(self._document.root, target)
        parts: list[str] = []
        done = 0
        # sorting is stable: insertions at one spot keep the order of recording
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < done:
                raise _CannotChangeInPlace
            parts += (self._text[done:start], new)
            done = end
        return "".join((*parts, self._text[done:]))

    def _change(self, node: Node, target: Value) -> bool:
        """Change `node` within its own span; False where it must be replaced as a whole."""
        if same(_plain(node), target):
            return True
        if isinstance(node, MappingNode) and isinstance(target, dict) and target and node.entries:
            return self._mapping(node, target)
        if isinstance(node, SequenceNode) and isinstance(target, list) and target and node.items:
            return self._sequence(node, target)
        return False

    # -- mappings

    def _mapping(self, node: MappingNode, target: dict[str, Value]) -> bool:
        if any(is_merge(key) or not isinstance(key, ScalarNode) for key, _ in node.entries):
            raise _CannotChangeInPlace
        entries = {key_of(key): (key, value) for key, value in node.entries}
        if node.flow and entries.keys() != target.keys():
            return False
        remaining = [name for name in entries if name in target]
        if not remaining:
            return False
        for index, (name, (key, value)) in enumerate(entries.items()):
            if name in target:
                self._entry(node, key, value, target[name])
            else:
                self._remove_entry(node, index)
        self._insert_entries(node, entries, target)
        return True

    def _entry(self, parent: MappingNode, key: Node, value: Node, target: Value) -> None:
        if self._change(value, target):
            return
        colon = self._text.find(":", key.end)
        if self._text[key.end : colon].strip() or self._text[key.start] == "?":
            raise _CannotChangeInPlace
        if parent.flow:
            self._edits.append((colon + 1, value.end, f" {_flow(target)}"))
        else:
            self._replace_after(colon + 1, value, parent.column, target)

    def _replace_after(self, start: int, value: Node, column: int, target: Value) -> None:
        """Write `target` after the colon or dash that ends at `start`, in place of `value`."""
        inline, block = _rendered(target, column)
        line_end = self._line_end(start)
        if value.start > line_end:  # the old value stands on lines of its own
            self._edits.append((start, start, inline))
            self._edits.append((line_end, value.end, block))
        else:
            self._edits.append((start, value.end, inline))
            rest = self._line_end(value.end)
            self._edits.append((rest, rest, block))

    def _remove_entry(self, node: MappingNode, index: int) -> None:
        key, value = node.entries[index]
        start = self._line_start(key.start)
        end = self._line_end(max(value.end, key.end + 1))
        if self._text[start : key.start].strip(" "):  # behind a dash: the next field moves up
            if index + 1 >= len(node.entries):
                raise _CannotChangeInPlace
            following = node.entries[index + 1][0].start
            between = self._text[end:following].strip()
            self._edits.append((key.start, end if between else following, ""))
        else:
            self._replace_lines(start, end, "")

    def _insert_entries(
        self, node: MappingNode, entries: dict[str, tuple[Node, Node]], target: dict[str, Value]
    ) -> None:
        last_name = next(name for name in reversed(entries) if name in target)
        after = entries[last_name]
        # what is inserted at one spot is joined, so that its order is that of the target
        inserted: dict[int, list[str]] = {}
        seen_any = False
        for name in target:
            if name in entries:
                after, seen_any = entries[name], True
                continue
            key, value = after if seen_any else entries[last_name]
            spot = self._line_end(max(value.end, key.end + 1))
            inserted.setdefault(spot, []).append(f"\n{_indented(dump({name: target[name]}), node.column)}")
        self._edits += [(spot, spot, "".join(new)) for spot, new in inserted.items()]

    # -- sequences

    def _sequence(self, node: SequenceNode, target: list[Value]) -> bool:
        old = [_plain(item) for item in node.items]
        if node.flow and len(old) != len(target):
            return False
        steps = [("replace", 0, len(old), 0, len(old))] if node.flow else alignment(old, target)
        for operation, i1, i2, j1, j2 in steps:
            if operation != "insert" and i2 - i1 == j2 - j1:
                for item, new in zip(node.items[i1:i2], target[j1:j2], strict=True):
                    self._item(node, item, new)
            elif operation != "equal":
                self._splice(node, i1, i2, target[j1:j2])
        return True

    def _item(self, node: SequenceNode, item: Node, target: Value) -> None:
        if self._change(item, target):
            return
        if node.flow:
            self._edits.append((item.start, item.end, _flow(target)))
        else:
            self._edits.append((self._dash(node, item) + 1, item.end, _item_text(target, node.column)))

    def _splice(self, node: SequenceNode, start: int, end: int, new: list[Value]) -> None:
        """Replace the items from `start` to before `end` with `new` ones."""
        pad = " " * node.column
        lines = "".join(f"\n{pad}-{_item_text(item, node.column)}" for item in new)
        if start == end:
            behind = self._line_end(node.items[start - 1].end) if start else None
            if behind is not None:
                self._edits.append((behind, behind, lines))
            else:
                spot = self._line_start(self._dash(node, node.items[0], alone=True))
                self._edits.append((spot, spot, f"{lines[1:]}\n"))
            return
        first = self._line_start(self._dash(node, node.items[start], alone=True))
        self._replace_lines(first, self._line_end(node.items[end - 1].end), lines)

    def _dash(self, node: SequenceNode, item: Node, *, alone: bool = False) -> int:
        """Position of the item's dash. Raises where it is not found, or must be first in its line and is not."""
        spot = self._line_start(item.start) + node.column
        while spot >= node.start and (self._text[spot] != "-" or spot >= max(item.start, node.start + 1)):
            spot = self._line_start(self._line_start(spot) - 1) + node.column
        if spot < node.start or (alone and self._text[self._line_start(spot) : spot].strip(" ")):
            raise _CannotChangeInPlace
        return spot

    # -- lines

    def _replace_lines(self, start: int, end: int, new: str) -> None:
        """Write `new`, whose lines begin with a line feed, in place of whole lines.

        The line feed before the lines is replaced, the one after them is not: text may be inserted after it.
        """
        if start:
            self._edits.append((start - 1, end, new))
        else:
            self._edits.append((0, min(end + 1, len(self._text)), f"{new[1:]}\n" if new else ""))

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, max(offset, 0)) + 1

    def _line_end(self, offset: int) -> int:
        newline = self._text.find("\n", offset)
        return len(self._text) if newline < 0 else newline


def _plain(node: Node) -> Value:
    """The value of a node whose aliases are known to be small, since the whole document was unfolded before."""
    if isinstance(node, AliasNode):
        return _plain(node.target)
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [_plain(item) for item in node.items]
    assert isinstance(node, MappingNode)  # noqa: S101 (the fourth and last kind of node)
    if any(is_merge(key) for key, _ in node.entries):
        return ABSENT
    return {key_of(key): _plain(value) for key, value in node.entries}


def _rendered(value: Value, column: int) -> tuple[str, str]:
    """`value` after a colon: the text on the same line and the lines below it, which begin with a line feed."""
    first, _, rest = dump({"k": value}).removesuffix("\n").partition("\n")
    return first.removeprefix("k:"), f"\n{_indented(rest, column)}" if rest else ""


def _item_text(value: Value, column: int) -> str:
    """`value` after a dash in `column`, without a line feed at the end."""
    text = _indented(dump([value]).removesuffix("\n"), column)
    return text[column + 1 :]


def _indented(text: str, column: int) -> str:
    pad = " " * column
    return "\n".join(pad + line if line else line for line in text.removesuffix("\n").split("\n"))


def _flow(value: Value) -> str:
    """`value` on one line, as it is written between brackets; JSON is YAML except for a few characters."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(name)}: {_flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and not value.isalnum():
        return json.dumps(value)
    return scalar_yaml(value)
