"""Fields of a log line: those of a JSON object, by dotted name, or of logfmt (``level=info msg="a b"``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

MAX_JSON_BYTES = 256 * 1024
"""Longest line of JSON whose fields are read."""
_LOGFMT = re.compile(rb'(?:^|\s)([A-Za-z_@][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_DECODER = msgspec.json.Decoder(dict[str, Any])


def json_fields(text: bytes) -> dict[str, Any] | None:
    """The object that a line of JSON is; None for other lines."""
    if text.lstrip()[:1] != b"{" or len(text) > MAX_JSON_BYTES:
        return None
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def field_of(text: bytes, name: str) -> str | None:
    """The value of a field as text: of JSON by its name or dotted path, else of logfmt. None where there is none."""
    fields = json_fields(text)
    if fields is not None:
        return _as_text(_at(fields, name))
    wanted = name.encode()
    if wanted + b"=" not in text:
        return None
    for found in _LOGFMT.finditer(text):
        if found[1] == wanted:
            value = found[2]
            if value[:1] == b'"':
                value = re.sub(rb"\\(.)", rb"\1", value[1:-1])
            return value.decode("utf-8", "replace")
    return None


def field_spans(text: bytes, name: str, fits: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Where a field with a value that fits stands in a line, name and value: bytes from and to."""
    if text.lstrip()[:1] != b"{":
        found = next((each for each in _LOGFMT.finditer(text) if each[1] == name.encode()), None)
        value = field_of(text, name) if found is not None else None
        return [(found.start(1), found.end())] if found is not None and value is not None and fits(value) else []
    spans = []
    for each in dict.fromkeys((name, name.rpartition(".")[2])):
        pattern = re.escape(msgspec.json.encode(each)) + rb'\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,{}\[\]]+)'
        for found in re.finditer(pattern, text):
            try:
                value = _as_text(msgspec.json.decode(found[1]))
            except msgspec.DecodeError:
                continue
            if value is not None and fits(value):
                spans.append(found.span())
    return spans


def _at(fields: Mapping[str, Any], name: str) -> Any:
    """The value at a dotted name: a field may have dots in its own name."""
    if name in fields:
        return fields[name]
    for place, character in enumerate(name):
        inner = fields.get(name[:place]) if character == "." else None
        if isinstance(inner, dict) and (value := _at(inner, name[place + 1 :])) is not None:
            return value
    return None


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
