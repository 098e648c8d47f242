"""Objects as YAML, the way kubectl writes them, and readable by YAML 1.1 and 1.2 parsers alike.

Written by hand because the data is plain JSON: what a general dumper decides by resolvers and representers takes it
ten times as long, and this one quotes a string wherever any parser might take it for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Place = tuple[str | int, ...]
"""Where a field is: names of maps' fields, numbers of lists' items from 0; empty for the whole object."""

_FIRST = ("apiVersion", "kind", "metadata")
_LAST = ("status",)
_LONGEST_KEY = 1000
"""Characters; parsers look no further than 1,024 for the colon of a key."""

_LETTERS = (
    "\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\uf900-\ufdff\U00010000-\U0010ffff"
)
"""Beyond ASCII: whatever is printable and neither space nor line break to any parser."""
_PLAIN = re.compile(rf"[A-Za-z0-9_./(~$<{_LETTERS}-][A-Za-z0-9_./()~$@%+=*&!?<>^;:#,\"'\[\]{{}}|\\ {_LETTERS}-]*")
"""May stand without quotes, unless one of the next two says otherwise."""
_AMBIGUOUS = re.compile(r": |:$| #|^---|^\.\.\.|^- |^-$|^\? | $")
_LOOKS_TYPED = re.compile(
    r"(?i:null|~|true|false|yes|no|on|off|y|n)|=|<<|[-+.]"
    r"|[-+]?0[xX][0-9a-fA-F_]+|[-+]?0[oO]?[0-7_]+|[-+]?0[bB][01_]+"
    r"|[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]*)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"  # base 60, in YAML 1.1
    r"|[-+]?\.(?i:inf|nan)|(?i:nan|inf)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"
)
"""Nulls, booleans, numbers, dates and merge keys of YAML 1.1 or 1.2."""
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_TO_ESCAPE = re.compile(f'["\\\\\n\t]|{_UNPRINTABLE.pattern}')


def to_yaml(obj: Mapping[str, Any]) -> str:
    """An object as YAML: apiVersion, kind and metadata first, status last, other keys by name, without managedFields.

    Parsing the text gives the same object back, managedFields excepted.
    """
    return dump(_without_managed_fields(obj), order=_top_level)


def to_placed_lines(obj: Mapping[str, Any]) -> tuple[list[str], list[Place]]:
    """The lines of `to_yaml`, and for each the innermost field that it shows or, where it is a text's, goes on with."""
    return _placed(_without_managed_fields(obj), _top_level)


def managed_fields_lines(obj: Mapping[str, Any]) -> tuple[list[str], list[Place]]:
    """The metadata.managedFields that `to_yaml` leaves out, as `to_placed_lines`; nothing where there are none."""
    fields = _metadata(obj).get("managedFields")
    return _placed(fields, sorted) if fields else ([], [])


def _placed(value: Any, order: Any) -> tuple[list[str], list[Place]]:
    lines: list[str] = []
    marks: list[tuple[int, Place]] = []
    _write(value, 0, lines, "", order, (), marks)
    places: list[Place] = [()] * len(lines)
    for line, place in marks:  # fields come before those inside of them, which may begin on the same line
        places[line] = place
    for line in range(1, len(lines)):
        places[line] = places[line] or places[line - 1]
    return lines, places


def dump(value: Any, *, order: Any = sorted) -> str:
    """Any JSON value as a YAML document that ends with a newline. `order` sorts the keys of the outermost map."""
    lines: list[str] = []
    _write(value, 0, lines, "", order)
    return "\n".join(lines) + "\n"


def scalar(value: Any) -> str:
    """A JSON scalar as YAML on one line."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    return str(value)


def _write(
    value: Any,
    indent: int,
    lines: list[str],
    head: str,
    order: Any = sorted,
    place: Place = (),
    marks: list[tuple[int, Place]] | None = None,
) -> None:
    """Append `value` behind `head` (``key:`` or ``-`` with its indentation, or nothing).

    `marks` is told the first line of each field, `place` is this one's.
    """
    if marks is not None:
        marks.append((len(lines), place))
    if isinstance(value, Mapping) and value:
        _write_map(value, indent, lines, head, order, place, marks)
    elif isinstance(value, list | tuple) and value:
        _write_list(value, indent, lines, head, place, marks)
    elif isinstance(value, str) and _fits_block(value):
        lines.append(_joined(head, _block_head(value)))
        pad = " " * indent
        lines.extend(f"{pad}{line}" if line else "" for line in _block_lines(value))
    else:
        lines.append(
            _joined(
                head, "{}" if isinstance(value, Mapping) else "[]" if isinstance(value, list | tuple) else scalar(value)
            )
        )


def _write_map(
    value: Mapping[str, Any],
    indent: int,
    lines: list[str],
    head: str,
    order: Any,
    place: Place,
    marks: list[tuple[int, Place]] | None,
) -> None:
    if head and not head.endswith("-"):
        lines.append(head)
        head = ""
    pad = " " * indent
    for key in order(value):
        # the first key of a map in a list stands on the line of its dash
        start = f"{head} " if head else pad
        head = ""
        name = _text(key)
        if len(name) > _LONGEST_KEY:
            lines.append(f"{start}? {name}")
            start, name = pad, ""
        item = value[key]
        deeper = indent if isinstance(item, list | tuple) else indent + 2
        _write(item, deeper, lines, f"{start}{name}:", sorted, place if marks is None else (*place, key), marks)


def _write_list(
    value: Iterable[Any],
    indent: int,
    lines: list[str],
    head: str,
    place: Place,
    marks: list[tuple[int, Place]] | None,
) -> None:
    if head:
        lines.append(head)
    pad = " " * indent
    for index, item in enumerate(value):
        _write(item, indent + 2, lines, f"{pad}-", sorted, place if marks is None else (*place, index), marks)


def _joined(head: str, text: str) -> str:
    return f"{head} {text}" if head else text


def _text(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and not _AMBIGUOUS.search(value)
    if plain and not _LOOKS_TYPED.fullmatch(value):
        return value
    if plain or value == "" or not _is_tame(value):
        return '"' + _TO_ESCAPE.sub(_escape, value) + '"'
    return "'" + value.replace("'", "''") + "'"


def _is_tame(value: str) -> bool:
    """Whether single quotes can hold it."""
    return "\n" not in value and "\t" not in value and not _UNPRINTABLE.search(value)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _fits_block(value: str) -> bool:
    return "\n" in value and bool(value.strip("\n \t")) and not _UNPRINTABLE.search(value)


def _block_head(value: str) -> str:
    indent = "2" if value[0] in " \n\t" else ""
    if not value.endswith("\n"):
        return f"|{indent}-"
    return f"|{indent}+" if value.endswith("\n\n") else f"|{indent}"


def _block_lines(value: str) -> list[str]:
    return value.removesuffix("\n").split("\n")


def _float(value: float) -> str:
    text = repr(value)
    if text in ("nan", "inf", "-inf"):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[text]
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{e}{exponent}"


def _top_level(obj: Mapping[str, Any]) -> list[str]:
    def place(key: str) -> tuple[int, str]:
        if key in _FIRST:
            return (_FIRST.index(key), key)
        return (len(_FIRST) + (key in _LAST), key)

    return sorted(obj, key=place)


def _metadata(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _without_managed_fields(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in _metadata(obj).items() if key != "managedFields"}
    return {**obj, "metadata": metadata} if "metadata" in obj else dict(obj)
