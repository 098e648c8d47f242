"""Writes form input into the text: only changed fields, where the text has not changed too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dashboard.objects.fields.field_access import ABSENT, Path, Segment, Value, can_put, get, put, same
from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.manifests.rename_and_move_fields import rename_entry
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import (
    INPUTS,
    control_of,
    input_text,
    normalize_newlines,
    parse_input,
    with_line_breaks_of,
)
from dashboard.pages.forms.input_names import FIELD, INITIAL, KEY, NEW_KEY, NEW_VALUE, STATE, decode_path

_BOTH = "The form and the YAML were both changed and differ. Make them equal."
_NO_INPUT = "The schema has no plain value here, so “{}” can only be written as YAML."

_NO_PLACE = "The text no longer has a field for “{}”."


def form_fields(post: Mapping[str, str]) -> dict[str, str]:
    """The form's inputs in a POST: values, each with the value that was rendered; names and new items."""
    return {name: value for name, value in post.items() if name.startswith(STATE)}


def apply_form(
    schema: Schema, document: Document, form_data: Mapping[str, str]
) -> tuple[Document, tuple[Problem, ...]]:
    """The document with the changed inputs written into its text; and the inputs that could not be written."""
    filling = _Filling(schema, document.value)
    filling.fields(form_data)
    filling.new_ones(form_data)
    if filling.value is not document.value:
        document = parse(rewrite(document, filling.value))
    # the names last and the deepest first: until then every path is as the form had it
    for path, typed in sorted(_names(form_data), key=lambda each: -len(each[0])):
        document = filling.name(document, path, typed)
    return document, tuple(filling.problems)


class _Filling:
    """Writes one input after the other into a value."""

    def __init__(self, schema: Schema, value: dict[str, Value]) -> None:
        self._schema = schema
        self.value = value
        self.problems: list[Problem] = []

    def fields(self, form_data: Mapping[str, str]) -> None:
        """Inputs that differ from their rendered value; list items that were emptied are removed last."""
        emptied: list[Path] = []
        for path, typed, shown in _typed(form_data):
            try:
                wanted = self._desired_value(path, typed, shown)
            except ValueError as error:
                self.problems.append(Problem(str(error), path=path))
                continue
            if wanted is ABSENT and isinstance(path[-1], int):
                emptied.append(path)
            elif not same(get(self.value, path), wanted):
                self.value = put(self.value, path, wanted)
        for path in sorted(emptied, key=_indexes, reverse=True):
            self.value = put(self.value, path, ABSENT)

    def _desired_value(self, path: Path, typed: str, shown: str) -> Value:
        schema, now = self._schema.at(path), get(self.value, path)
        control = control_of(schema, now)
        if not path or control not in INPUTS:
            raise ValueError(_NO_INPUT.format(typed))
        self._check_place(path, typed)
        wanted = parse_input(with_line_breaks_of(typed, now), control, schema, now)
        if wanted is ABSENT and self._is_entry(path) and control == "text":
            wanted = ""  # a label without a value is one; its button takes it out
        if input_text(now) != shown and not same(now, wanted):
            raise ValueError(_BOTH)
        return wanted

    def new_ones(self, form_data: Mapping[str, str]) -> None:
        """New list items and map entries."""
        for name, typed in form_data.items():
            if name.startswith(NEW_VALUE) or (name.startswith(NEW_KEY) and typed):
                path = decode_path(name.partition(".")[2])
                if name.startswith(NEW_VALUE) and control_of(self._schema.at(path)) == "map":
                    self._without_name(path, typed, form_data.get(NEW_KEY + name.partition(".")[2], ""))
                    continue
                try:
                    self._add(path, typed, form_data.get(NEW_VALUE + name.partition(".")[2], ""))
                except ValueError as error:
                    self.problems.append(Problem(str(error), path=path))

    def _without_name(self, path: Path, typed: str, key: str) -> None:
        if typed and not key:
            self.problems.append(Problem(f"“{typed}” needs a name: enter one to add it.", path=path))

    def _add(self, path: Path, typed: str, beside: str) -> None:
        """Add an item `typed`, or an entry named `typed` with the value `beside`."""
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
            self.value = put(self.value, (*path, index), parse_input(normalize_newlines(typed), control, items, ABSENT))
        elif typed:
            raise ValueError(_NO_INPUT.format(typed))

    def _add_entry(self, path: Path, schema: Schema, typed: str) -> None:
        if get(self.value, path) is not ABSENT:
            raise ValueError(f"“{path[-1]}” exists already.")
        control = control_of(schema)
        new = (
            parse_input(normalize_newlines(typed), control, schema, ABSENT)
            if control in INPUTS
            else blank_value(schema)
        )
        if new is ABSENT and control != "text":
            raise ValueError(f"“{path[-1]}” needs a value.")
        self.value = put(self.value, path, "" if new is ABSENT else new)

    def _check_place(self, path: Path, typed: str) -> None:
        """Raise ValueError where a parent of the path is missing or has another type now."""
        if get(self.value, _item(path)) is ABSENT or not can_put(self.value, path):
            raise ValueError(_NO_PLACE.format(typed))

    def name(self, document: Document, path: Path, typed: str) -> Document:
        """The document with an entry of a map renamed."""
        holder = get(document.value, path[:-1])
        if not isinstance(holder, dict) or path[-1] not in holder:
            words = f"The text no longer has “{path[-1]}”, so it cannot be renamed to “{typed}”."
        elif not typed:
            words = "An entry needs a name. To remove it, use its button."
        elif typed in holder:
            words = f"“{typed}” exists already."
        else:
            return rename_entry(document, path, typed)
        self.problems.append(Problem(words, path=path))
        return document

    def _is_entry(self, path: Path) -> bool:
        return control_of(self._schema.at(path[:-1])) == "map"


def blank_value(schema: Schema) -> Value:
    """Initial value of a new item of this schema: an empty map or list, a default, or none (ABSENT)."""
    control = control_of(schema)
    default = schema.node.get("default")
    if default is not None:
        return default
    return {} if control in ("group", "map", "yaml") else [] if control == "list" else ABSENT


def _typed(form_data: Mapping[str, str]) -> Iterator[tuple[Path, str, str]]:
    for name, typed in form_data.items():
        shown = form_data.get(INITIAL + name.removeprefix(FIELD)) if name.startswith(FIELD) else None
        if shown is not None and normalize_newlines(typed) != normalize_newlines(shown):
            yield decode_path(name.removeprefix(FIELD)), normalize_newlines(typed), normalize_newlines(shown)


def _names(form_data: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    for name, typed in form_data.items():
        path = decode_path(name.removeprefix(KEY)) if name.startswith(KEY) else ()
        if path and typed != _in_one_line(str(path[-1])):
            yield path, typed


def _in_one_line(text: str) -> str:
    """The text as browsers keep it in a one-line input."""
    return text.replace("\r", "").replace("\n", "")


def _item(path: Path) -> Path:
    """The innermost list item on the path, or the whole object."""
    return path[: max((end for end, each in enumerate(path, 1) if isinstance(each, int)), default=0)]


def _indexes(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple(map(_place, path))


def _place(segment: Segment) -> tuple[int, str]:
    return (segment, "") if isinstance(segment, int) else (-1, str(segment))
