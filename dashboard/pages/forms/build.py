"""The form of an object: what is set and what must be there first, all else on demand.

A form has at most MOST nodes at once, so that a schema of any size and an object of any size show as fast as small
ones; what is over that is held back until somebody asks for it. Of a list or map that has no room for all, somebody
may turn to the next page: two thirds of the room are kept for the page that was turned last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.edits.fields import ABSENT, Path, Value, get
from dashboard.edits.forms.alternatives import alternatives_of, is_exclusive
from dashboard.edits.forms.controls import INPUTS, control_of, summary, text_of
from dashboard.edits.forms.node import Form, Missing, Node
from dashboard.edits.forms.opened import Opened
from dashboard.edits.forms.search import found, is_large
from dashboard.edits.forms.shown import Shown, was
from dashboard.edits.forms.words import SHORT, default_of, example_of, help_of
from dashboard.edits.input_names import FIND, KEY, NEW_KEY, NEW_VALUE, OPEN, written
from dashboard.edits.items import as_before
from dashboard.edits.rules import fixed
from dashboard.edits.schema import Schema

MOST = 150
"""Nodes that are rendered at once, unless somebody asked for them."""
PAGE = 100
"""Of these, so many are for the list or map whose page was turned last, where there is one."""
FEW = 10
"""A map of so many fields at most shows its plain ones though they are not set."""
DEEPEST = 30
"""Levels; schemas that hold themselves have no end."""
LONGEST = 900
"""Characters of an input's name; Django refuses a form that has one of 1 kB with its head (MAX_TOTAL_HEADER_SIZE)."""
_FOLDED_FROM = 4
METADATA: tuple[Path, ...] = (("metadata", "labels"), ("metadata", "annotations"))
_ELSEWHERE = frozenset(("apiVersion", "kind", "metadata", "status"))
__all__ = ["MOST", "Shown", "build_form", "roots"]


def build_form(schema: Schema, shown: Shown, post: Mapping[str, str]) -> Form:
    """The form; `post` has what is open and what was searched for (`form.open`, `form.find`)."""
    opened = Opened.read(post.get(OPEN, ""))
    find = post.get(FIND, "").strip()[:SHORT]
    builder = _Builder(shown, opened)
    nodes = tuple(builder.top(schema))
    about = roots(schema, shown.part)
    hits = found(schema, shown.value, find, builder.anchors, about) if find else ()
    return Form(
        nodes,
        opened.text,
        find,
        hits,
        known=bool(about),
        searchable=builder.overflows or is_large(schema, about),
        anchors=frozenset(builder.anchors),
    )


def roots(schema: Schema, part: str = "spec") -> tuple[str, ...]:
    """The fields of an object that the form is about, metadata apart."""
    if part == "status":
        return ("status",)
    return tuple(name for name in schema.node.get("properties", ()) if name not in _ELSEWHERE)


class _Builder:
    def __init__(self, shown: Shown, opened: Opened) -> None:
        self._shown = shown
        self._opened = opened.around()
        self._pages = opened.pages
        turned = opened.turned_last
        self._turned = turned if turned is not None and get(shown.value, turned) is not ABSENT else None
        self.overflows = False
        """Whether a list or map has more than is rendered."""
        self._problems = shown.below()
        self._room = MOST if self._turned is None else MOST - PAGE
        self.anchors: set[str] = set()

    def top(self, schema: Schema) -> Iterator[Node]:
        """Spec, other fields beside it, then labels and annotations, which always have room."""
        base = self._shown.base
        paths = METADATA if self._shown.part == "spec" else ()
        metadata = [self.node(path, schema.at(path), get(base, path)) for path in paths]
        for name in roots(schema, self._shown.part):
            child = schema.child(name)
            if name == self._shown.part or self._wanted((name,), child, schema):
                before = base.get(name, ABSENT)
                must = name in schema.node.get("required", ())
                yield self.node((name,), child, before, required=must, fixed=_fixed(schema, before, name))
        yield from metadata

    def node(self, path: Path, schema: Schema, before: Value, *, required: bool = False, **more: Any) -> Node:
        """One field with all that is shown below it; `before` is what the base has of it."""
        self._room -= 1
        value = get(self._shown.value, path)
        control = control_of(schema, value)
        node = Node(
            path,
            control,
            present=value is not ABSENT,
            required=required,
            nullable=bool(schema.node.get("nullable")),
            is_null=value is None,
            help=help_of(schema, control),
            example=example_of(schema),
            default=default_of(schema),
            was=was(before, value),
            problems=self._problems.get(path, ()),
            **more,
        )
        self.anchors.add(node.anchor)
        too_long = len(node.name) > LONGEST
        if control in INPUTS and not too_long and (node.fixed or not self._has_to_wait(node)):
            return self._input(node, schema, value)
        if control == "yaml" or node.fixed or len(path) > DEEPEST or too_long:
            entry = None if too_long else node.entry
            return replace(node, control="yaml", entry=entry, value=summary(value), line=self._shown.line(path))
        if control in INPUTS or (self._has_to_wait(node) and value is not ABSENT):
            return replace(node, value=summary(value), held_back=True, line=self._shown.line(path))
        return self._holder(node, schema, value, before)

    def _input(self, node: Node, schema: Schema, value: Value) -> Node:
        now = text_of(value)
        typed, shown = self._shown.kept(node.name)
        choices = tuple(map(text_of, schema.node.get("enum", ()))) if node.control == "choice" else ()
        return replace(
            node,
            value=now if typed is None else typed,
            shown=now if shown is None else shown,
            choices=tuple(choice for choice in choices if choice),
        )

    def _holder(self, node: Node, schema: Schema, value: Value, before: Value) -> Node:
        fold = len(node.path) >= _FOLDED_FROM and node.path not in self._opened and node.path not in self._problems
        node = replace(node, folded=fold and node.present, value=summary(value))
        if node.control == "group":
            return self._unplaced(self._group(node, schema, value if isinstance(value, dict) else {}, before))
        posted, name = self._shown.posted, node.name
        node = replace(
            node,
            item=control_of(schema.child(0) if node.control == "list" else schema.child("")),
            new_key=posted.get(NEW_KEY + name, ""),
            new_value=posted.get(NEW_VALUE + name, ""),
        )
        if node.control == "list":
            return self._unplaced(self._list(node, schema, value or [], before))
        return self._unplaced(self._map(node, schema, value or {}, before))

    def _group(self, node: Node, schema: Schema, value: dict[str, Value], before: Value) -> Node:
        children: list[Node] = []
        missing: list[Missing] = []
        few = len(schema.node.get("properties", ())) <= FEW
        required = schema.node.get("required", ())
        ways, exclusive = alternatives_of(schema, value), is_exclusive(schema)
        chosen_between = {name for way in ways for name in way.fields} if exclusive else frozenset()
        for name, child in schema.properties.items():
            path = (*node.path, name)
            must = name in required
            if must or self._wanted(path, child, schema, few=few and self._room > 0):
                was_there = get(before, (name,))
                children.append(self.node(path, child, was_there, required=must, fixed=_fixed(schema, was_there, name)))
            elif name not in chosen_between:
                missing.append(Missing(name, help_of(child, control_of(child)).short))
        return replace(
            node,
            children=tuple(children),
            missing=tuple(missing),
            alternatives=ways,
            exclusive=exclusive,
        )

    def _list(self, node: Node, schema: Schema, value: list[Value], before: Value) -> Node:
        items, were = schema.child(0), as_before(value, before, schema)
        paths = [(*node.path, index) for index in range(len(value))]
        return self._paged(
            node,
            paths,
            lambda index: self.node(paths[index], items, were[index], index=index, last=index == len(value) - 1),
        )

    def _map(self, node: Node, schema: Schema, value: dict[str, Value], before: Value) -> Node:
        names = list(value)
        paths = [(*node.path, name) for name in names]

        def entry(index: int) -> Node:
            typed = self._shown.posted.get(KEY + written(paths[index]), names[index])
            name, was_there = names[index], get(before, (names[index],))
            fixed_as = _fixed(schema, was_there, name)
            return self.node(paths[index], schema.child(name), was_there, entry=typed, fixed=fixed_as)

        return self._paged(node, paths, entry)

    def _paged(self, node: Node, paths: Sequence[Path], made: Callable[[int], Node]) -> Node:
        """The node with those items that there is room for, from where its page begins, and those that were opened."""
        start = self._pages.get(node.path, 0)
        start = start if start < len(paths) else 0
        outer = self._room
        if node.path == self._turned:
            self._room = PAGE
        children: list[Node] = []
        following = len(paths)
        for index, path in enumerate(paths):
            if path in self._opened or (index >= start and self._room > 0):
                children.append(made(index))
            elif index >= start:
                following = min(following, index)
        if node.path == self._turned:
            self._room = outer
        more = len(paths) - len(children)
        self.overflows = self.overflows or more > 0
        return replace(node, children=tuple(children), more=more, start=start, following=following % len(paths or "-"))

    def _wanted(self, path: Path, child: Schema, parent: Schema, *, few: bool = False) -> bool:
        """Whether a field that may be left out is shown."""
        if get(self._shown.value, path) is not ABSENT or path in self._opened or path in self._problems:
            return True
        return few and control_of(child) in INPUTS and not fixed(parent, str(path[-1]))

    def _has_to_wait(self, node: Node) -> bool:
        """Whether there is no room left, and nobody asked for it, typed into it or has to mend it."""
        path = node.path
        if self._room >= 0 or path in self._opened or path in self._problems:
            return False
        return self._shown.kept(node.name)[0] is None

    def _unplaced(self, node: Node) -> Node:
        """Of the problems below a node, it shows those that no child shows."""
        placed = {child.path for child in node.children}
        depth = len(node.path) + 1
        return replace(node, problems=tuple(each for each in node.problems if each.path[:depth] not in placed))


def _fixed(schema: Schema, before: Value, name: str) -> str:
    """Why a field never changes; nothing is fixed that the object does not have yet."""
    return fixed(schema, name) if before is not ABSENT else ""
