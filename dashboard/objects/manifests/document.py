"""One object as a user wrote it: YAML text, its value, and the position of each field.

A text that is not exactly one object is refused with a sentence and a position: invalid YAML, a repeated field
(kubectl's strict decoding refuses it too), several documents, binary data, aliases that expand without end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from dashboard.objects.fields.field_access import Segment, Value
from dashboard.objects.manifests.composer import AliasNode, DocumentError, MappingNode, Node, SequenceNode, compose
from dashboard.objects.manifests.constructor import MAX_BYTES, construct, is_merge, key_of

__all__ = ["MAX_BYTES", "Document", "DocumentError", "parse"]

EMPTY = "The text is empty or has only comments. Write an object."
_BINARY = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")

_UNSEEN_BREAK = re.compile("[\x85\u2028\u2029]")
"""Line ends of YAML 1.1 that no editor shows as one: a field could hide behind it in a comment."""
_UNSEEN = "YAML begins a new line at this invisible character: write \\u{:04X} in double quotes, or remove it."


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a text, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text that holds one object."""

    text: str
    value: dict[str, Value]
    root: MappingNode

    def position(self, path: tuple[Segment, ...]) -> Position | None:
        """The position of the field at `path`, else of its nearest parent in the text; None for the whole object."""
        node: Node = self.root
        position: Position | None = None
        for segment in path:
            child = _child(node, segment)
            if child is None:
                break
            named, node = child
            position = Position(named.line + 1, named.column + 1)
        return position


def parse(text: str) -> Document:
    """The object in `text`. Line breaks become LF. Raises DocumentError where it is not exactly one object."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    _check_characters(text)
    try:
        root = compose(text)
    except yaml.YAMLError as error:
        raise _explained(error, text) from None
    if root is None:
        raise DocumentError(EMPTY)
    if not isinstance(root, MappingNode):
        raise root.error("An object is made of fields such as “kind: Mydemo”; this text has none.")
    return Document(text, construct(root, may_have_aliases="*" in text), root)


def _check_characters(text: str) -> None:
    size = len(text.encode(errors="replace"))
    if size > MAX_BYTES:
        raise DocumentError(f"The text has {size / 2**20:.1f} MiB; the API server accepts objects of up to 3 MiB.")
    odd = _BINARY.search(text) or _UNSEEN_BREAK.search(text)
    if odd is not None:
        before = text[: odd.start()]
        words = _UNSEEN if _UNSEEN_BREAK.match(odd[0]) else "Binary data (character U+{:04X}) cannot stand in YAML."
        column = odd.start() - (before.rfind("\n") + 1) + 1
        raise DocumentError(words.format(ord(odd[0])), before.count("\n") + 1, column)


def _child(node: Node, segment: Segment) -> tuple[Node, Node] | None:
    """Position of a child's name (its key, or the item itself), and the child."""
    if isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, MappingNode):
        for key_node, value_node in node.entries:
            if not is_merge(key_node) and key_of(key_node) == str(segment):
                return key_node, value_node
    if isinstance(node, SequenceNode) and isinstance(segment, int) and segment < len(node.items):
        return node.items[segment], node.items[segment]
    return None


_EXPLAINED: tuple[tuple[str, str, bool], ...] = (
    ("found unexpected end of stream", "A quotation mark that is opened here is never closed.", True),
    ("found unexpected document indicator", "A quotation mark that is opened here is never closed.", True),
    ("mapping values are not allowed", "A colon is not expected here; wrong indentation or a missing quote?", False),
    ("could not find expected ':'", "A colon is missing after the name of this field.", True),
    ("cannot start any token", "This character cannot begin a value; put the value in quotes.", False),
    ("did not find expected ',' or ']'", "A list that is opened here with “[” is never closed.", True),
    ("did not find expected ',' or '}'", "Fields that are opened here with “{” are never closed.", True),
    ("did not find expected '-' indicator", "This line is neither in the list above it nor indented to fit.", False),
    ("did not find expected key", "This line is not indented like the fields around it.", False),
    ("did not find expected node content", "A value is expected here.", False),
    ("found undefined tag handle", "Kubernetes does not support this tag.", False),
    ("block sequence entries are not allowed", "A list cannot begin here; put it on a line of its own.", False),
    ("found a tab character", "There is a tab where YAML needs spaces.", False),
    ("<document start>", "The object ends before this. Nothing more can follow.", False),
    ("escape c", "This escape is not valid. Write two backslashes for one.", False),
    ("incompatible YAML document", "This version of YAML is not supported. Remove the line.", False),
    ("alphabetic or numeric character", "A name is expected after “&” or “*”; put a text in quotes.", False),
    ("expected directive name", "A line cannot begin with “%”; put a text in quotes.", False),
    ("expected comment or line break", "Only a comment can follow this.", False),
)  # fmt: skip
"""Part of libyaml's message, our message, and whether the position is the start of the construct."""


def _explained(error: yaml.YAMLError, text: str) -> DocumentError:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return DocumentError(f"The text is not valid YAML: {error}")
    problem = error.problem or ""
    mark = error.problem_mark
    words, from_start = next(
        ((words, from_start) for part, words, from_start in _EXPLAINED if part in problem),
        (f"The text is not valid YAML: {problem}.", False),
    )
    if from_start and error.context_mark is not None:
        mark = error.context_mark
    line = text.split("\n")[mark.line] if mark.line <= text.count("\n") else ""
    if line[: mark.column + 1].lstrip(" ").startswith("\t"):
        words = "There is a tab where YAML needs spaces."
    return DocumentError(words, mark.line + 1, mark.column + 1)
