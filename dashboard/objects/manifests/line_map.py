"""YAML lines of an object, each with the field that it shows; unchanged parts are reused for the next version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.objects.fields.field_access import PlainPath
from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.objects.manifests.yaml_writer import Order, YamlWriter, top_level

PIECE_DEPTH = 3
"""Number of path segments that identify a piece of the text: an item of a pod's conditions is one."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The cached text of a value, and what it depends on."""

    value: bytes
    """JSON, because Python treats 1, 1.0 and true as equal."""
    head: str
    indent: int
    lines: list[str]
    places: list[PlainPath]


Pieces = Mapping[PlainPath, _Piece]


@dataclass(frozen=True, slots=True)
class LineMap:
    """Lines, and for each the innermost field that it shows or continues."""

    lines: list[str]
    paths: list[PlainPath]
    pieces: Pieces
    """Pieces from which the unchanged lines of the next version are made."""


def yaml_line_map(obj: Mapping[str, Any], before: LineMap | None = None) -> LineMap:
    """The lines of `writer.to_yaml`. Lines that are unchanged from `before`, of another version, are taken from
    there.
    """
    return _placed(without_managed_fields(obj), top_level, before)


def managed_fields_line_map(obj: Mapping[str, Any], before: LineMap | None = None) -> LineMap:
    """The metadata.managedFields that `writer.to_yaml` leaves out, as `yaml_line_map`; empty where there are none."""
    metadata = obj.get("metadata")
    fields = metadata.get("managedFields") if isinstance(metadata, Mapping) else None
    return _placed(fields, sorted, before) if fields else LineMap([], [], {})


def _placed(value: Any, order: Order, before: LineMap | None) -> LineMap:
    writer = _PlacedWriter(before.pieces if before is not None else {})
    writer.write(value, 0, "", order)
    return LineMap(writer.lines, writer.places(), writer.pieces)


class _PlacedWriter(YamlWriter):
    """Writer that notes where fields begin, and reuses earlier pieces."""

    def __init__(self, before: Pieces) -> None:
        super().__init__()
        self.pieces: dict[PlainPath, _Piece] = {}
        self._before = before
        self._marks: list[tuple[int, list[PlainPath]]] = []
        """Lines, and the places of that and the next ones."""

    def write(self, value: Any, indent: int, head: str, order: Order = sorted, path: PlainPath = ()) -> None:
        if len(path) == PIECE_DEPTH:
            piece = self._piece(value, indent, head, path)
            self._marks.append((len(self.lines), piece.places))
            self.lines += piece.lines
        else:
            self._marks.append((len(self.lines), [path]))
            super().write(value, indent, head, order, path)

    def places(self) -> list[PlainPath]:
        """The paths of all lines so far."""
        places: list[PlainPath] = [()] * len(self.lines)
        for line, path in self._marks:  # fields come before those inside of them, which may begin on the same line
            places[line : line + len(path)] = path
        for line in range(1, len(places)):
            places[line] = places[line] or places[line - 1]
        return places

    def _piece(self, value: Any, indent: int, head: str, path: PlainPath) -> _Piece:
        encoded = msgspec.json.encode(value)
        piece = self._before.get(path)
        if piece is None or (piece.value, piece.head, piece.indent) != (encoded, head, indent):
            inner = _PlacedWriter({})
            inner._marks.append((0, [path]))
            YamlWriter.write(inner, value, indent, head, sorted, path)
            piece = _Piece(encoded, head, indent, inner.lines, inner.places())
        self.pieces[path] = piece
        return piece
