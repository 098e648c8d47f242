"""A small form beside the YAML, made from the kind's schema: the plain fields of spec, and the labels.

The YAML is the one model. A field that was changed in the form is written into the text before anything else happens;
a field that was changed in both, differently, is asked about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.edits.document import Document, parse
from dashboard.edits.fields import ABSENT, Path, Value, get, put, same, show
from dashboard.edits.problems import Problem
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import Schema

Kind = Literal["string", "integer", "number", "boolean", "choice", "labels"]

MAX_FIELDS = 200
_DEEPEST = 4
_LABELS: Path = ("metadata", "labels")
_INTEGER = re.compile(r"[-+]?\d{1,19}")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?")


@dataclass(frozen=True, slots=True)
class FormField:
    """One input. `value` is what it shows, `shown` what it showed before the person typed."""

    path: tuple[str, ...]
    kind: Kind
    value: str
    shown: str
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    was: str = ""
    """What the base had, where the text has something else now."""
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """Of the input: ``field.spec.port``."""
        return f"field.{self.label}"

    @property
    def label(self) -> str:
        return show(self.path)

    @property
    def short_label(self) -> str:
        return show(self.path[1:])


@dataclass(frozen=True, slots=True)
class Form:
    """The fields, and which parts of spec can only be edited as YAML."""

    fields: tuple[FormField, ...]
    left_out: tuple[str, ...] = ()


def build_form(
    schema: Schema,
    value: Mapping[str, Value],
    base: Mapping[str, Value],
    *,
    posted: Mapping[str, str] | None = None,
    problems: tuple[Problem, ...] = (),
) -> Form:
    """The form for `value`. `posted` (see `posted_fields`) keeps what a person typed where it is not in the text."""
    fields: list[FormField] = []
    left_out: list[str] = []
    for path, node, required in _plain_fields(schema, left_out):
        fields.append(_field(path, node, required, value, base, posted or {}, problems))
    return Form(tuple(fields[:MAX_FIELDS]), tuple(left_out))


def posted_fields(post: Mapping[str, str]) -> dict[str, str]:
    """The form's inputs of a POST: ``field.*`` and, for each, ``shown.*``, what it showed when it was rendered."""
    return {name: value for name, value in post.items() if name.startswith(("field.", "shown."))}


def apply_form(schema: Schema, document: Document, posted: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with what was changed in the form written into its text; and what could not be."""
    problems: list[Problem] = []
    value = document.value
    for path, node, _ in _plain_fields(schema, []):
        field = f"field.{show(path)}"
        typed, shown = posted.get(field), posted.get(f"shown.{show(path)}")
        if typed is None or shown is None or _lf(typed) == _lf(shown):
            continue
        now = get(value, path)
        try:
            wanted = _parsed(_lf(typed), _kind_of(path, node), now)
        except ValueError as error:
            problems.append(Problem(str(error), path=path))
            continue
        if same(now, wanted):
            continue
        if _text(now, _kind_of(path, node)) != _lf(shown):
            problems.append(Problem("The form and the YAML were both changed, and differ. Make them agree.", path=path))
            continue
        value = put(value, path, wanted)
    return (document if value is document.value else parse(rewrite(document, value))), tuple(problems)


def _plain_fields(schema: Schema, left_out: list[str]) -> Iterator[tuple[tuple[str, ...], Schema, bool]]:
    """Fields of spec that one input can hold, with their schema and whether they must be there; then the labels."""
    spec = schema.child("spec")
    yield from _plain_below(("spec",), spec, left_out, required=True)
    yield ("metadata", "labels"), schema.child("metadata").child("labels"), False


def _plain_below(
    path: tuple[str, ...], schema: Schema, left_out: list[str], *, required: bool
) -> Iterator[tuple[tuple[str, ...], Schema, bool]]:
    needed = schema.node.get("required", ())
    for name, node in schema.properties.items():
        here = (*path, name)
        must = required and name in needed
        if _kind_of(here, node) is not None:
            yield here, node, must
        elif node.properties and len(here) < _DEEPEST:
            yield from _plain_below(here, node, left_out, required=must)
        else:
            left_out.append(show(here))


def _kind_of(path: Path, node: Schema) -> Kind | None:
    if path == _LABELS:
        return "labels"
    if node.node.get("x-kubernetes-int-or-string"):
        return None
    if all(isinstance(choice, str) for choice in node.node.get("enum", (0,))):
        return "choice"
    kinds: dict[Any, Kind] = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
    return kinds.get(node.node.get("type"))


def _field(
    path: tuple[str, ...],
    node: Schema,
    required: bool,
    value: Mapping[str, Value],
    base: Mapping[str, Value],
    posted: Mapping[str, str],
    problems: tuple[Problem, ...],
) -> FormField:
    kind = _kind_of(path, node) or "string"
    now, before = _text(get(value, path), kind), _text(get(base, path), kind)
    own = tuple(problem for problem in problems if problem.path[: len(path)] == path)
    label = show(path)
    typed, shown = posted.get(f"field.{label}"), posted.get(f"shown.{label}")
    keep = typed is not None and shown is not None and _lf(typed) != _lf(shown)
    return FormField(
        path,
        kind,
        _lf(typed or "") if keep else now,
        _lf(shown or "") if keep else now,
        _help(node, kind),
        required,
        tuple(node.node.get("enum", ())) if kind == "choice" else (),
        before if before != now else "",
        own,
    )


def _help(node: Schema, kind: Kind) -> str:
    """The description, bounds and rules of a field as sentences."""
    if kind == "labels":
        return "One name=value on each line."
    facts = node.node
    said = [str(facts.get("description", "")).strip()]
    low, high = facts.get("minimum"), facts.get("maximum")
    if low is not None and high is not None:
        said.append(f"{low} to {high}.")
    elif low is not None or high is not None:
        said.append(f"At least {low}." if high is None else f"At most {high}.")
    if facts.get("default") is not None:
        said.append(f"{facts['default']} where nothing is given.")
    rules = facts.get("x-kubernetes-validations", ())
    said += [f"It {rule['message'].rstrip('.')}." for rule in rules if str(rule.get("message", "")).startswith("must")]
    return " ".join(part for part in said if part)


def _text(value: Value, kind: Kind | None) -> str:
    if value is ABSENT or value is None:
        return ""
    if kind == "labels":
        pairs = value.items() if isinstance(value, dict) else ()
        return "\n".join(f"{name}={label}" for name, label in pairs)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _lf(str(value))


def _parsed(typed: str, kind: Kind | None, now: Value) -> Value:
    """The value that was typed; empty takes the field out. Raises ValueError with a sentence."""
    if kind == "labels":
        return _labels(typed, now)
    if typed == "":
        return ABSENT
    stripped = typed.strip()
    if kind == "integer":
        if not _INTEGER.fullmatch(stripped):
            raise ValueError(f"“{typed}” is no whole number.")
        return int(stripped)
    if kind == "number":
        return _number(stripped)
    return stripped == "true" if kind == "boolean" else typed


def _number(typed: str) -> int | float:
    if not _NUMBER.fullmatch(typed):
        raise ValueError(f"“{typed}” is no number.")
    number = int(typed) if _INTEGER.fullmatch(typed) else float(typed)
    if math.isinf(number):
        raise ValueError(f"“{typed}” is larger than any number that an object can hold.")
    return number


def _labels(typed: str, now: Value) -> Value:
    labels: dict[str, str] = {}
    for line in filter(None, map(str.strip, typed.split("\n"))):
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"“{line}” is no label: write name=value.")
        if name.strip() in labels:
            raise ValueError(f"The label “{name.strip()}” is given twice.")
        labels[name.strip()] = value.strip()
    return labels or (ABSENT if now in (ABSENT, None) or now else now)


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
