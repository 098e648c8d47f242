"""Builder of an object's form: set and required fields first, all others on demand.

A form has at most MAX_NODES nodes at once, so that any schema and object render quickly; further nodes are left out
until they are requested. A list or map that does not fit has pages: two thirds of the nodes are reserved for the page
that was turned last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.objects.fields.field_access import ABSENT, Path, Value, get
from dashboard.objects.schemas.list_keys import previous_items
from dashboard.objects.schemas.rules_and_immutability import immutable_reason
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.alternatives import alternatives_of, is_exclusive
from dashboard.pages.forms.context import FormContext, previous_text
from dashboard.pages.forms.controls import INPUTS, control_of, input_text, summary
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.form_tree import FEW_ADDABLE, AddableField, Form, FormNode, Outline
from dashboard.pages.forms.help import SHORT, default_of, example_of, help_of
from dashboard.pages.forms.input_names import FIND, KEY, NEW_KEY, NEW_VALUE, OPEN, encode_path
from dashboard.pages.forms.outline import MANY_FIELDS, outline_of
from dashboard.pages.forms.search import SEARCHED_FROM, find_fields, has_more_fields

MAX_NODES = 150
"""Most nodes that are rendered at once, apart from requested ones."""
PAGE_NODES = 100
"""Nodes of these for the list or map whose page was turned last, if any."""
FEW = 10
"""Largest map, in fields, that shows plain fields that are not set."""
MAX_DEPTH = 30
"""Deepest level; recursive schemas have no end."""
MAX_NAME_LENGTH = 900
"""Longest input name, in characters; Django refuses a form with a part header of more than 1 kB
(MAX_TOTAL_HEADER_SIZE).
"""
_FOLDED_FROM = 4
METADATA: tuple[Path, ...] = (("metadata", "labels"), ("metadata", "annotations"))
_ELSEWHERE = frozenset(("apiVersion", "kind", "metadata", "status"))
__all__ = ["MAX_NODES", "FormContext", "build_form", "roots"]


def build_form(schema: Schema, context: FormContext, post: Mapping[str, str]) -> Form:
    """The form; `post` has the open fields and the search (`form.open`, `form.find`)."""
    opened = ExpandedPaths.read(post.get(OPEN, ""))
    find = post.get(FIND, "").strip()[:SHORT]
    builder = _Builder(context, opened)
    nodes = tuple(builder.top(schema))
    about = roots(schema, context.part)
    hits = find_fields(schema, context.value, find, builder.anchors, about) if find else ()
    return Form(
        nodes,
        opened.text,
        find,
        hits,
        has_schema=bool(about),
        searchable=builder.overflows or has_more_fields(schema, about, SEARCHED_FROM),
        anchors=frozenset(builder.anchors),
        outline=outline_of(nodes, schema) if has_more_fields(schema, about, MANY_FIELDS) else Outline(),
    )


def roots(schema: Schema, part: str = "spec") -> tuple[str, ...]:
    """The object's top-level fields in the form, except metadata."""
    if part == "status":
        return ("status",)
    return tuple(name for name in schema.node.get("properties", ()) if name not in _ELSEWHERE)


class _Builder:
    def __init__(self, shown: FormContext, opened: ExpandedPaths) -> None:
        self._context = shown
        self._expanded = opened.with_parents()
        self._pages = opened.pages
        turned = opened.last_paged_path
        self._paged_path = turned if turned is not None and get(shown.value, turned) is not ABSENT else None
        self.overflows = False
        """Whether a list or map has more items than are rendered."""
        self._problems = shown.problems_by_path()
        self._remaining = MAX_NODES if self._paged_path is None else MAX_NODES - PAGE_NODES
        self.anchors: set[str] = set()

    def top(self, schema: Schema) -> Iterator[FormNode]:
        """Spec, other fields beside it, then labels and annotations, which always fit."""
        base = self._context.base
        paths = METADATA if self._context.part == "spec" else ()
        metadata = [self.node(path, schema.at(path), get(base, path)) for path in paths]
        for name in roots(schema, self._context.part):
            child = schema.child(name)
            if name == self._context.part or self._is_field_shown((name,), child, schema):
                before = base.get(name, ABSENT)
                must = name in schema.node.get("required", ())
                yield self.node((name,), child, before, required=must, immutable_reason=_fixed(schema, before, name))
        yield from metadata

    def node(self, path: Path, schema: Schema, before: Value, *, required: bool = False, **more: Any) -> FormNode:
        """One field with the shown fields below it; `before` is its value in the base."""
        self._remaining -= 1
        value = get(self._context.value, path)
        control = control_of(schema, value)
        node = FormNode(
            path,
            control,
            is_present=value is not ABSENT,
            required=required,
            nullable=bool(schema.node.get("nullable")),
            is_null=value is None,
            help=help_of(schema, control),
            example=example_of(schema),
            default=default_of(schema),
            base_text=previous_text(before, value),
            problems=self._problems.get(path, ()),
            **more,
        )
        self.anchors.add(node.anchor)
        too_long = len(node.name) > MAX_NAME_LENGTH
        if control in INPUTS and not too_long and (node.immutable_reason or not self._has_to_wait(node)):
            return self._input(node, schema, value)
        if control == "yaml" or node.immutable_reason or len(path) > MAX_DEPTH or too_long:
            entry = None if too_long else node.entry_name
            return replace(
                node, control="yaml", entry_name=entry, value=summary(value), line=self._context.line_of(path)
            )
        if control in INPUTS or (self._has_to_wait(node) and value is not ABSENT):
            return replace(node, value=summary(value), is_deferred=True, line=self._context.line_of(path))
        return self._holder(node, schema, value, before)

    def _input(self, node: FormNode, schema: Schema, value: Value) -> FormNode:
        now = input_text(value)
        typed, shown = self._context.unapplied_input(node.name)
        choices = tuple(map(input_text, schema.node.get("enum", ()))) if node.control == "choice" else ()
        return replace(
            node,
            value=now if typed is None else typed,
            initial=now if shown is None else shown,
            choices=tuple(choice for choice in choices if choice),
        )

    def _holder(self, node: FormNode, schema: Schema, value: Value, before: Value) -> FormNode:
        fold = len(node.path) >= _FOLDED_FROM and node.path not in self._expanded and node.path not in self._problems
        node = replace(node, is_folded=fold and node.is_present, value=summary(value))
        if node.control == "group":
            return self._unplaced(self._group(node, schema, value if isinstance(value, dict) else {}, before))
        posted, name = self._context.form_data, node.name
        node = replace(
            node,
            item_control=control_of(schema.child(0) if node.control == "list" else schema.child("")),
            new_key=posted.get(NEW_KEY + name, ""),
            new_value=posted.get(NEW_VALUE + name, ""),
        )
        if node.control == "list":
            return self._unplaced(self._list(node, schema, value or [], before))
        return self._unplaced(self._map(node, schema, value or {}, before))

    def _group(self, node: FormNode, schema: Schema, value: dict[str, Value], before: Value) -> FormNode:
        children: list[FormNode] = []
        missing: list[str] = []
        few = len(schema.node.get("properties", ())) <= FEW
        required = schema.node.get("required", ())
        ways, exclusive = alternatives_of(schema, value), is_exclusive(schema)
        chosen_between = {name for way in ways for name in way.fields} if exclusive else frozenset()
        for name, child in schema.properties.items():
            path = (*node.path, name)
            must = name in required
            if must or self._is_field_shown(path, child, schema, few=few and self._remaining > 0):
                was_there = get(before, (name,))
                children.append(
                    self.node(path, child, was_there, required=must, immutable_reason=_fixed(schema, was_there, name))
                )
            elif name not in chosen_between:
                missing.append(name)
        return replace(
            node,
            children=tuple(children),
            addable_fields=_addable_fields(schema, missing),
            alternatives=ways,
            is_exclusive=exclusive,
        )

    def _list(self, node: FormNode, schema: Schema, value: list[Value], before: Value) -> FormNode:
        items, were = schema.child(0), previous_items(value, before, schema)
        paths = [(*node.path, index) for index in range(len(value))]
        return self._paged(
            node,
            paths,
            lambda index: self.node(paths[index], items, were[index], index=index, is_last=index == len(value) - 1),
        )

    def _map(self, node: FormNode, schema: Schema, value: dict[str, Value], before: Value) -> FormNode:
        names = list(value)
        paths = [(*node.path, name) for name in names]

        def entry(index: int) -> FormNode:
            typed = self._context.form_data.get(KEY + encode_path(paths[index]), names[index])
            name, was_there = names[index], get(before, (names[index],))
            fixed_as = _fixed(schema, was_there, name)
            return self.node(paths[index], schema.child(name), was_there, entry_name=typed, immutable_reason=fixed_as)

        return self._paged(node, paths, entry)

    def _paged(self, node: FormNode, paths: Sequence[Path], made: Callable[[int], FormNode]) -> FormNode:
        """The node with the items of its current page that fit, and those that were opened."""
        start = self._pages.get(node.path, 0)
        start = start if start < len(paths) else 0
        outer = self._remaining
        if node.path == self._paged_path:
            self._remaining = PAGE_NODES
        children: list[FormNode] = []
        following = len(paths)
        for index, path in enumerate(paths):
            if path in self._expanded or (index >= start and self._remaining > 0):
                children.append(made(index))
            elif index >= start:
                following = min(following, index)
        if node.path == self._paged_path:
            self._remaining = outer
        more = len(paths) - len(children)
        self.overflows = self.overflows or more > 0
        return replace(
            node, children=tuple(children), unrendered_count=more, start=start, next_start=following % len(paths or "-")
        )

    def _is_field_shown(self, path: Path, child: Schema, parent: Schema, *, few: bool = False) -> bool:
        """Whether an optional field is shown."""
        if get(self._context.value, path) is not ABSENT or path in self._expanded or path in self._problems:
            return True
        return few and control_of(child) in INPUTS and not immutable_reason(parent, str(path[-1]))

    def _has_to_wait(self, node: FormNode) -> bool:
        """Whether there is no room left, and the field is neither requested, edited nor invalid."""
        path = node.path
        if self._remaining >= 0 or path in self._expanded or path in self._problems:
            return False
        return self._context.unapplied_input(node.name)[0] is None

    def _unplaced(self, node: FormNode) -> FormNode:
        """The problems below a node that no child shows."""
        placed = {child.path for child in node.children}
        depth = len(node.path) + 1
        return replace(node, problems=tuple(each for each in node.problems if each.path[:depth] not in placed))


def _addable_fields(schema: Schema, names: Sequence[str]) -> tuple[AddableField, ...]:
    """The fields that can be added, each with its help where it has a button of its own."""
    if len(names) > FEW_ADDABLE:
        return tuple(AddableField(name) for name in names)
    children = {name: schema.child(name) for name in names}
    return tuple(AddableField(name, help_of(child, control_of(child)).summary) for name, child in children.items())


def _fixed(schema: Schema, before: Value, name: str) -> str:
    """Why a field is immutable; empty where it is not, or is not set yet."""
    return immutable_reason(schema, name) if before is not ABSENT else ""
