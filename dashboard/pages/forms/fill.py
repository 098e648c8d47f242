"""What was typed into the form, written into the text: only what was changed, where the text has not gone on since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dashboard.edits.document import Document, parse
from dashboard.edits.fields import ABSENT, Path, Segment, Value, get, has_place, put, same
from dashboard.edits.forms.controls import INPUTS, broken_as, control_of, lf, parsed, text_of
from dashboard.edits.input_names import FIELD, KEY, NEW_KEY, NEW_VALUE, SHOWN, STATE, read
from dashboard.edits.problems import Problem
from dashboard.edits.restructure import renamed
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import Schema

_BOTH = "The form and the YAML were both changed, and differ. Make them agree."
_NO_INPUT = "The schema has no plain value here (any more), so “{}” can only be written as YAML."

_NO_PLACE = "The text has nothing any more to which “{}” could belong."


def posted_fields(post: Mapping[str, str]) -> dict[str, str]:
    """The form's inputs of a POST: values and, for each, what it showed when it was rendered; names and new items."""
    return {name: value for name, value in post.items() if name.startswith(STATE)}


def apply_form(schema: Schema, document: Document, posted: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with what was changed in the form written into its text; and what could not be."""
    filling = _Filling(schema, document.value)
    filling.fields(posted)
    filling.new_ones(posted)
    if filling.value is not document.value:
        document = parse(rewrite(document, filling.value))
    # the names last and the deepest first: until then every path is as the form had it
    for path, typed in sorted(_names(posted), key=lambda each: -len(each[0])):
        document = filling.name(document, path, typed)
    return document, tuple(filling.problems)


class _Filling:
    """Takes input after input into a value."""

    def __init__(self, schema: Schema, value: dict[str, Value]) -> None:
        self._schema = schema
        self.value = value
        self.problems: list[Problem] = []

    def fields(self, posted: Mapping[str, str]) -> None:
        """Inputs that hold something else than they showed; items of lists that were emptied go last."""
        emptied: list[Path] = []
        for path, typed, shown in _typed(posted):
            try:
                wanted = self._wanted(path, typed, shown)
            except ValueError as error:
                self.problems.append(Problem(str(error), path=path))
                continue
            if wanted is ABSENT and isinstance(path[-1], int):
                emptied.append(path)
            elif not same(get(self.value, path), wanted):
                self.value = put(self.value, path, wanted)
        for path in sorted(emptied, key=_indexes, reverse=True):
            self.value = put(self.value, path, ABSENT)

    def _wanted(self, path: Path, typed: str, shown: str) -> Value:
        schema, now = self._schema.at(path), get(self.value, path)
        control = control_of(schema, now)
        if not path or control not in INPUTS:
            raise ValueError(_NO_INPUT.format(typed))
        self._check_place(path, typed)
        wanted = parsed(broken_as(typed, now), control, schema, now)
        if wanted is ABSENT and self._is_entry(path) and control == "text":
            wanted = ""  # a label without a value is one; its button takes it out
        if text_of(now) != shown and not same(now, wanted):
            raise ValueError(_BOTH)
        return wanted

    def new_ones(self, posted: Mapping[str, str]) -> None:
        """New items of lists and new entries of maps."""
        for name, typed in posted.items():
            if name.startswith(NEW_VALUE) or (name.startswith(NEW_KEY) and typed):
                path = read(name.partition(".")[2])
                if name.startswith(NEW_VALUE) and control_of(self._schema.at(path)) == "map":
                    self._without_name(path, typed, posted.get(NEW_KEY + name.partition(".")[2], ""))
                    continue
                try:
                    self._add(path, typed, posted.get(NEW_VALUE + name.partition(".")[2], ""))
                except ValueError as error:
                    self.problems.append(Problem(str(error), path=path))

    def _without_name(self, path: Path, typed: str, key: str) -> None:
        if typed and not key:
            self.problems.append(Problem(f"“{typed}” needs a name before it can be added.", path=path))

    def _add(self, path: Path, typed: str, beside: str) -> None:
        """A new item `typed`, or a new entry named `typed` with the value `beside`."""
        schema, now = self._schema.at(path), get(self.value, path)
        if typed:
            self._check_place(path, typed)
        if control_of(schema, now) == "map":
            self._add_entry((*path, typed), schema.child(typed), beside)
        elif control_of(schema, now) == "list" and typed:
            items = schema.child(0)
            control = control_of(items)
            if control not in INPUTS:
                raise ValueError(_NO_INPUT.format(typed))
            index = len(now) if isinstance(now, list) else 0
            self.value = put(self.value, (*path, index), parsed(lf(typed), control, items, ABSENT))
        elif typed:
            raise ValueError(_NO_INPUT.format(typed))

    def _add_entry(self, path: Path, schema: Schema, typed: str) -> None:
        if get(self.value, path) is not ABSENT:
            raise ValueError(f"“{path[-1]}” is there already.")
        control = control_of(schema)
        new = parsed(lf(typed), control, schema, ABSENT) if control in INPUTS else blank(schema)
        if new is ABSENT and control != "text":
            raise ValueError(f"“{path[-1]}” needs a value.")
        self.value = put(self.value, path, "" if new is ABSENT else new)

    def _check_place(self, path: Path, typed: str) -> None:
        """Raise ValueError where what the path leads through is not in the text any more, or is something else now."""
        if get(self.value, _item(path)) is ABSENT or not has_place(self.value, path):
            raise ValueError(_NO_PLACE.format(typed))

    def name(self, document: Document, path: Path, typed: str) -> Document:
        """The document with an entry of a map renamed."""
        holder = get(document.value, path[:-1])
        if not isinstance(holder, dict) or path[-1] not in holder:
            words = f"The text has no “{path[-1]}” any more that could be named “{typed}”."
        elif not typed:
            words = "An entry needs a name. To take it out, use its button."
        elif typed in holder:
            words = f"“{typed}” is there already."
        else:
            return renamed(document, path, typed)
        self.problems.append(Problem(words, path=path))
        return document

    def _is_entry(self, path: Path) -> bool:
        return control_of(self._schema.at(path[:-1])) == "map"


def blank(schema: Schema) -> Value:
    """What a new item of this schema begins with: an empty map or list, a default, or nothing (ABSENT)."""
    control = control_of(schema)
    default = schema.node.get("default")
    if default is not None:
        return default
    return {} if control in ("group", "map", "yaml") else [] if control == "list" else ABSENT


def _typed(posted: Mapping[str, str]) -> Iterator[tuple[Path, str, str]]:
    for name, typed in posted.items():
        shown = posted.get(SHOWN + name.removeprefix(FIELD)) if name.startswith(FIELD) else None
        if shown is not None and lf(typed) != lf(shown):
            yield read(name.removeprefix(FIELD)), lf(typed), lf(shown)


def _names(posted: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    for name, typed in posted.items():
        path = read(name.removeprefix(KEY)) if name.startswith(KEY) else ()
        if path and typed != _in_one_line(str(path[-1])):
            yield path, typed


def _in_one_line(text: str) -> str:
    """The text as browsers have it in an input of one line."""
    return text.replace("\r", "").replace("\n", "")


def _item(path: Path) -> Path:
    """The innermost item of a list that the path leads through, or the whole object."""
    return path[: max((end for end, each in enumerate(path, 1) if isinstance(each, int)), default=0)]


def _indexes(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple(map(_place, path))


def _place(segment: Segment) -> tuple[int, str]:
    return (segment, "") if isinstance(segment, int) else (-1, str(segment))
