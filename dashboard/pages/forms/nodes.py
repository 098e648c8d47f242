"""What a form is made of: a tree of nodes that templates render. Everything in it is text to show, never markup."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b

from dashboard.edits.fields import Path, show
from dashboard.edits.forms.alternatives import Alternative
from dashboard.edits.forms.controls import INPUTS, Control
from dashboard.edits.forms.words import Help
from dashboard.edits.input_names import FIELD, KEY, NEW_KEY, NEW_VALUE, written
from dashboard.edits.problems import Problem

FEW_MISSING = 6


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that may be added."""

    name: str
    help: str


@dataclass(frozen=True, slots=True)
class Node:
    """A field, an item of a list or an entry of a map, with whatever is below it."""

    path: Path
    control: Control
    value: str = ""
    """What its input shows; for what is edited as text or folded away: a summary."""
    shown: str = ""
    """What the input showed before the person typed."""
    present: bool = False
    """Whether it is in the text."""
    required: bool = False
    fixed: str = ""
    """Why it cannot be changed; empty where it can."""
    nullable: bool = False
    is_null: bool = False
    help: Help = field(default_factory=Help)
    example: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    was: str = ""
    """What the base had, where the text has something else now."""
    problems: tuple[Problem, ...] = ()
    children: tuple[Node, ...] = ()
    missing: tuple[Missing, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    exclusive: bool = False
    """Whether only one of the alternatives may be there."""
    entry: str | None = None
    """Of an entry of a map: its name as typed."""
    index: int | None = None
    """Of an item of a list."""
    last: bool = False
    """Whether it is the last item."""
    item: Control | None = None
    """Of a list or map: what its items are edited with."""
    new_key: str = ""
    new_value: str = ""
    """What was typed for a new item or entry, and could not be taken yet."""
    held_back: bool = False
    """Whether it is not rendered until somebody asks for it."""
    folded: bool = False
    line: int = 0
    """Where it stands in the text; 0: nowhere."""
    more: int = 0
    """Items of a list or entries of a map that are not rendered."""
    start: int = 0
    """Where in a list or map the page that is rendered begins, counted from 0."""
    following: int = 0
    """Where the next page begins; 0 where this is the last one."""

    @property
    def name(self) -> str:
        """The path as names of inputs have it."""
        return written(self.path)

    @property
    def anchor(self) -> str:
        """The id of what a problem's link leads to."""
        return FIELD + self.name

    @property
    def key_name(self) -> str:
        """Of the input with an entry's name."""
        return KEY + self.name

    @property
    def label(self) -> str:
        if self.index is not None:
            return f"{self.index + 1}"
        return str(self.path[-1]) if self.path else ""

    @property
    def full(self) -> str:
        """``spec.ports[0].port``, for those who hear the page."""
        return show(self.path)

    @property
    def is_input(self) -> bool:
        return self.control in INPUTS and not self.held_back

    @property
    def item_is_input(self) -> bool:
        return self.item in INPUTS

    @property
    def top(self) -> bool:
        """Whether it is the object's spec (or status) itself, or another field beside it."""
        return len(self.path) == 1

    @property
    def few_missing(self) -> bool:
        """Whether each field to add has a button, rather than all of them a list."""
        return len(self.missing) <= FEW_MISSING

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
        """Lines of a text of several."""
        return min(max(self.value.count("\n") + 1, 3), 12)

    @property
    def multiline(self) -> bool:
        """Whether one line cannot hold it: browsers take line breaks out of what stands in an input of one."""
        return self.control not in ("boolean", "choice") and "\n" in self.value

    @property
    def removable(self) -> bool:
        return self.index is not None or self.entry is not None or not (self.fixed or self.required)


@dataclass(frozen=True, slots=True)
class Hit:
    """A field that was found by words."""

    name: str
    label: str
    help: str
    there: bool
    """Whether the form shows it already."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields, what was searched for, and what is open."""

    nodes: tuple[Node, ...]
    opened: str = ""
    """What the input `form.open` carries."""
    find: str = ""
    hits: tuple[Hit, ...] = ()
    known: bool = True
    """Whether the schema says anything of the object but its metadata."""
    searchable: bool = False
    """Whether there are so many fields that a search helps."""
    anchors: frozenset[str] = field(default_factory=frozenset)
    """The ids to which a link can lead."""
    focus: str = ""
    """The id of the input that is next."""

    def anchor_of(self, path: Path) -> str:
        """The id of the field at `path`, or of the nearest around it that the form shows; empty for the object."""
        ends = range(len(path), 0, -1)
        names = (FIELD + written(path[:end]) for end in ends)
        return next((name for name in names if name in self.anchors), "")

    @property
    def shape(self) -> str:
        """Tells forms apart that differ in more than the values of their inputs."""
        rest = (self.opened, self.find, self.hits, *map(_shape, self.nodes))
        return blake2b(repr(rest).encode(), digest_size=9).hexdigest()

    def inputs(self) -> dict[str, str]:
        """Name to value of every input that holds what the text has."""
        found: dict[str, str] = {}
        waiting = list(self.nodes)
        while waiting:
            node = waiting.pop()
            waiting += node.children
            if node.is_input and node.value == node.shown:
                found[node.anchor] = node.value
            if node.entry is not None:
                found[node.key_name] = node.entry
        return found


def _shape(node: Node) -> tuple[object, ...]:
    kept = node.value if node.control == "yaml" or node.held_back else node.multiline
    bare = replace(node, value="", shown="", entry="" if node.entry is not None else None, children=())
    return repr(bare), kept, tuple(map(_shape, node.children))
