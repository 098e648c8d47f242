"""Outline of a large form: the sections that it shows, and those that the object does not have yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import Control, control_of
from dashboard.pages.forms.form_tree import FormNode, Outline, Section
from dashboard.pages.forms.input_names import encode_path

MANY_FIELDS = 100
"""Number of fields of the schema from which a form has an outline."""
MAX_SECTIONS = 60
"""Most sections of the form in it; deeper ones are left out first."""
_DEEPEST = 3
_SECTIONS: frozenset[Control] = frozenset(("group", "list", "map"))


def outline_of(nodes: Iterable[FormNode], schema: Schema) -> Outline:
    """The outline of a form of these nodes; `schema` is the kind's."""
    nodes = tuple(nodes)
    sections = tuple(_shown(nodes, 0))
    deepest = _DEEPEST
    while len(sections) > MAX_SECTIONS and deepest > 0:
        deepest -= 1
        sections = tuple(section for section in sections if section.depth <= deepest)
    return Outline(sections[:MAX_SECTIONS], tuple(_unset(nodes, schema)))


def _shown(nodes: Iterable[FormNode], depth: int) -> Iterator[Section]:
    for node in nodes:
        if node.control in _SECTIONS and node.index is None:
            yield Section(node.name, node.label, depth, bool(node.problems))
            if depth < _DEEPEST and node.control == "group":
                yield from _shown(node.children, depth + 1)


def _unset(nodes: Iterable[FormNode], schema: Schema) -> Iterator[Section]:
    for node in nodes:
        inner = schema.at(node.path)
        for addable in node.addable_fields:
            if control_of(inner.child(addable.name)) in _SECTIONS:
                yield Section(encode_path((*node.path, addable.name)), addable.name, 1)
