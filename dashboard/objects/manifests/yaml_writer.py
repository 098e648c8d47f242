"""Writer of objects as YAML in kubectl's style, readable by YAML 1.1 and 1.2 parsers.

It is written by hand because the data is plain JSON: a general dumper with resolvers and representers takes ten times
as long, and this one quotes a string wherever any parser might read it as something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dashboard.objects.fields.field_access import PlainPath
from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.runtime.invisible_characters import INVISIBLE, escape_character, has_invisible

Order = Callable[[Mapping[str, Any]], Iterable[str]]

_MAP, _LIST = (dict, Mapping), (list, tuple)
"""Concrete types come first: nearly all values have them, and isinstance with Mapping is slow."""

_FIRST = ("apiVersion", "kind", "metadata")
_LAST = ("status",)
_TOO_DEEP = "# Nested too deeply to indent: written as JSON, which is valid YAML, exactly as the API server sent it."
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
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_TO_ESCAPE = re.compile(f'["\\\\\n\t{INVISIBLE}]')


def to_yaml(obj: Mapping[str, Any]) -> str:
    """An object as YAML: apiVersion, kind and metadata first, status last, other keys by name, without managedFields.

    Parsing the text gives the same object, except for managedFields.
    """
    return _document(without_managed_fields(obj), top_level)


def dump(value: Any) -> str:
    """Any JSON value as a YAML document that ends with a newline, the fields of its maps by name."""
    return _document(value, sorted)


def _document(value: Any, order: Order) -> str:
    writer = YamlWriter()
    writer.write(value, 0, "", order)
    return "\n".join(writer.lines) + "\n"


def json_to_flow_yaml(json: str) -> str:
    """A JSON text of any depth as YAML: escapes occur only in strings, where both formats accept them."""
    return _INVISIBLE.sub(_json_escape, json)


def json_document(json: str) -> str:
    """The JSON of an object that is nested too deeply to indent, as a YAML document that says so."""
    return f"{_TOO_DEEP}\n{json_to_flow_yaml(json)}\n"


def scalar_yaml(value: Any) -> str:
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


class YamlWriter:
    """Writes values below each other, the lines as they come in `lines`."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, value: Any, indent: int, head: str, order: Order = sorted, path: PlainPath = ()) -> None:
        """Append the value at `path` after `head` (``key:`` or ``-`` with its indentation, or nothing).

        `order` sorts the fields of a map; those of maps inside are sorted by name.
        """
        if isinstance(value, str):
            self._write_text(value, indent, head)
        elif isinstance(value, _MAP):
            if value:
                self._write_map(value, indent, head, order, path)
            else:
                self.lines.append(_joined(head, "{}"))
        elif isinstance(value, _LIST):
            if value:
                self._write_list(value, indent, head, path)
            else:
                self.lines.append(_joined(head, "[]"))
        else:
            self.lines.append(_joined(head, scalar_yaml(value)))

    def _write_text(self, value: str, indent: int, head: str) -> None:
        if not _fits_block(value):
            self.lines.append(_joined(head, _text(value)))
            return
        self.lines.append(_joined(head, _block_head(value)))
        pad = " " * indent
        self.lines.extend(f"{pad}{line}" if line else "" for line in _block_lines(value))

    def _write_map(self, value: Mapping[str, Any], indent: int, head: str, order: Order, path: PlainPath) -> None:
        if head and not head.endswith("-"):
            self.lines.append(head)
            head = ""
        pad = " " * indent
        for key in order(value):
            # the first key of a map in a list stands on the line of its dash
            start = f"{head} " if head else pad
            head = ""
            name = _text(key)
            if len(name) > _LONGEST_KEY:
                self.lines.append(f"{start}? {name}")
                start, name = pad, ""
            item = value[key]
            deeper = indent if isinstance(item, _LIST) else indent + 2
            self.write(item, deeper, f"{start}{name}:", sorted, (*path, key))

    def _write_list(self, value: Iterable[Any], indent: int, head: str, path: PlainPath) -> None:
        if head:
            self.lines.append(head)
        pad = " " * indent
        for index, item in enumerate(value):
            self.write(item, indent + 2, f"{pad}-", sorted, (*path, index))


def _joined(head: str, text: str) -> str:
    return f"{head} {text}" if head else text


def _text(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and not _AMBIGUOUS.search(value)
    if plain and not _LOOKS_TYPED.fullmatch(value) and not has_invisible(value):
        return value
    if plain or value == "" or not _is_tame(value):
        return '"' + _TO_ESCAPE.sub(_escape, value) + '"'
    return "'" + value.replace("'", "''") + "'"


def _is_tame(value: str) -> bool:
    """Whether single quotes can hold the text."""
    return "\n" not in value and "\t" not in value and not has_invisible(value)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character) or escape_character(character)


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else escape_character(match.group())


def _fits_block(value: str) -> bool:
    return "\n" in value and bool(value.strip("\n \t")) and not has_invisible(value)


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


def top_level(obj: Mapping[str, Any]) -> list[str]:
    """An object's fields in the order of `to_yaml`."""

    def place(key: str) -> tuple[int, str]:
        if key in _FIRST:
            return (_FIRST.index(key), key)
        return (len(_FIRST) + (key in _LAST), key)

    return sorted(obj, key=place)
