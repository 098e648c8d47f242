"""Form nodes: the tree that templates render. All content is text, never markup."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b

from dashboard.objects.fields.field_access import Path, format_path
from dashboard.objects.problems.write_refusal import Problem
from dashboard.pages.forms.alternatives import Alternative
from dashboard.pages.forms.controls import INPUTS, Control
from dashboard.pages.forms.help import Help
from dashboard.pages.forms.input_names import FIELD, KEY, NEW_KEY, NEW_VALUE, encode_path

FEW_ADDABLE = 6
FEWEST_SECTIONS = 5
"""Fewest sections for which there is an outline."""


@dataclass(frozen=True, slots=True)
class AddableField:
    """A field that can be added."""

    name: str
    help: str = ""
    """Empty where there are too many to show the help of each."""


@dataclass(frozen=True, slots=True)
class FormNode:
    """A field, list item or map entry, with the nodes below it."""

    path: Path
    control: Control
    value: str = ""
    """Input text; for YAML and folded fields: a summary."""
    initial: str = ""
    """Input text before the user's change."""
    is_present: bool = False
    """Whether the text has it."""
    required: bool = False
    immutable_reason: str = ""
    """Why it is immutable; empty where it is not."""
    nullable: bool = False
    is_null: bool = False
    help: Help = field(default_factory=Help)
    example: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    base_text: str = ""
    """The base's value, where the text has another one now."""
    problems: tuple[Problem, ...] = ()
    children: tuple[FormNode, ...] = ()
    addable_fields: tuple[AddableField, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    is_exclusive: bool = False
    """Whether at most one alternative may be set."""
    entry_name: str | None = None
    """Of a map entry: its name as typed."""
    index: int | None = None
    """Of a list item."""
    is_last: bool = False
    """Whether it is the last item."""
    item_control: Control | None = None
    """Of a list or map: the control of its items."""
    new_key: str = ""
    new_value: str = ""
    """Input for a new item or entry that could not be added yet."""
    is_deferred: bool = False
    """Whether it is rendered only on request."""
    is_folded: bool = False
    line: int = 0
    """Line in the text; 0: none."""
    unrendered_count: int = 0
    """List items or map entries that are not rendered."""
    start: int = 0
    """Index of the first rendered item of a list or map, from 0."""
    next_start: int = 0
    """Start of the next page; 0 where this is the last one."""

    @property
    def name(self) -> str:
        """The path encoded for input names."""
        return encode_path(self.path)

    @property
    def anchor(self) -> str:
        """The id that a problem's link leads to."""
        return FIELD + self.name

    @property
    def key_name(self) -> str:
        """Name of the input with an entry's name."""
        return KEY + self.name

    @property
    def label(self) -> str:
        if self.index is not None:
            return f"{self.index + 1}"
        return str(self.path[-1]) if self.path else ""

    @property
    def full_path(self) -> str:
        """``spec.ports[0].port``, for screen readers."""
        return format_path(self.path)

    @property
    def is_input(self) -> bool:
        return self.control in INPUTS and not self.is_deferred

    @property
    def item_is_input(self) -> bool:
        return self.item_control in INPUTS

    @property
    def is_top_level(self) -> bool:
        """Whether it is the object's spec (or status), or another top-level field."""
        return len(self.path) == 1

    @property
    def has_few_addable(self) -> bool:
        """Whether each addable field has a button, instead of one list for all."""
        return len(self.addable_fields) <= FEW_ADDABLE

    @property
    def new_name(self) -> str:
        """The id of the input for a new item."""
        return NEW_VALUE + self.name

    @property
    def new_key_name(self) -> str:
        """The id of the input for a new entry's name."""
        return NEW_KEY + self.name

    @property
    def rows(self) -> int:
        """Visible lines of a multi-line text."""
        return min(max(self.value.count("\n") + 1, 3), 12)

    @property
    def is_multiline(self) -> bool:
        """Whether it needs several lines: browsers remove line breaks in one-line inputs."""
        return self.control not in ("boolean", "choice") and "\n" in self.value

    @property
    def is_removable(self) -> bool:
        return self.index is not None or self.entry_name is not None or not (self.immutable_reason or self.required)


@dataclass(frozen=True, slots=True)
class Hit:
    """A field in the search results."""

    name: str
    label: str
    help: str
    is_shown: bool
    """Whether the form shows it already."""


@dataclass(frozen=True, slots=True)
class Section:
    """A map or list of the form."""

    name: str
    """Its path, encoded for input names."""
    label: str
    depth: int = 0
    """0 for a field of the object itself."""
    has_problems: bool = False

    @property
    def anchor(self) -> str:
        """The id of its place in the form."""
        return FIELD + self.name


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections in the order of the form."""

    sections: tuple[Section, ...] = ()
    unset: tuple[Section, ...] = ()
    """Sections that can be added to those of depth 0."""

    def __bool__(self) -> bool:
        return len(self.sections) + len(self.unset) >= FEWEST_SECTIONS


@dataclass(frozen=True, slots=True)
class Form:
    """The fields, the search and the open fields."""

    nodes: tuple[FormNode, ...]
    expanded: str = ""
    """Value of the input `form.open`."""
    search_text: str = ""
    hits: tuple[Hit, ...] = ()
    has_schema: bool = True
    """Whether the schema describes more than metadata."""
    searchable: bool = False
    """Whether there are enough fields for a search."""
    anchors: frozenset[str] = field(default_factory=frozenset)
    """All ids that links can lead to."""
    focus: str = ""
    """The id of the next focused input."""
    outline: Outline = field(default_factory=Outline)
    """False for a small form."""

    def anchor_of(self, path: Path) -> str:
        """The id of the field at `path`, or of its nearest shown parent; empty for the object."""
        ends = range(len(path), 0, -1)
        names = (FIELD + encode_path(path[:end]) for end in ends)
        return next((name for name in names if name in self.anchors), "")

    @property
    def shape(self) -> str:
        """Digest of the form's structure, without the values of its inputs."""
        rest = (self.expanded, self.search_text, self.hits, *map(_shape, self.nodes))
        return blake2b(repr(rest).encode(), digest_size=9).hexdigest()

    def inputs(self) -> dict[str, str]:
        """Name to value of every input whose field the text has."""
        values: dict[str, str] = {}
        waiting = list(self.nodes)
        while waiting:
            node = waiting.pop()
            waiting += node.children
            if node.is_input and node.value == node.initial:
                values[node.anchor] = node.value
            if node.entry_name is not None:
                values[node.key_name] = node.entry_name
        return values


def _shape(node: FormNode) -> tuple[object, ...]:
    visible_value = node.value if node.control == "yaml" or node.is_deferred else node.is_multiline
    without_values = replace(
        node, value="", initial="", entry_name="" if node.entry_name is not None else None, children=()
    )
    return repr(without_values), visible_value, tuple(map(_shape, node.children))
