"""An object's YAML line by line, each with the field that it shows; of another version only what differs is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.resources.yaml_text import Order, Place, Writer, top_level, without_managed_fields

DEPTH = 3
"""Steps of a field's place that tell its piece of the text from others: an item of a pod's conditions is one."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What was written of a value, and what that depends on."""

    value: bytes
    """JSON: Python takes 1, 1.0 and true for equal."""
    head: str
    indent: int
    lines: list[str]
    places: list[Place]


Pieces = Mapping[Place, _Piece]


@dataclass(frozen=True, slots=True)
class PlacedLines:
    """Lines, and for each the innermost field that it shows or, where it is a text's, goes on with."""

    lines: list[str]
    places: list[Place]
    pieces: Pieces
    """What the lines of the next version are made of, as far as it is the same."""


def placed_lines(obj: Mapping[str, Any], before: PlacedLines | None = None) -> PlacedLines:
    """The lines of `to_yaml`. Those that show the same as in `before`, of another version, are taken from there."""
    return _placed(without_managed_fields(obj), top_level, before)


def managed_fields_lines(obj: Mapping[str, Any], before: PlacedLines | None = None) -> PlacedLines:
    """The metadata.managedFields that `to_yaml` leaves out, as `placed_lines`; nothing where there are none."""
    metadata = obj.get("metadata")
    fields = metadata.get("managedFields") if isinstance(metadata, Mapping) else None
    return _placed(fields, sorted, before) if fields else PlacedLines([], [], {})


def _placed(value: Any, order: Order, before: PlacedLines | None) -> PlacedLines:
    writer = _PlacedWriter(before.pieces if before is not None else {})
    writer.write(value, 0, "", order)
    return PlacedLines(writer.lines, writer.places(), writer.pieces)


class _PlacedWriter(Writer):
    """Notes where fields begin, and looks up what was written before."""

    def __init__(self, before: Pieces) -> None:
        super().__init__()
        self.pieces: dict[Place, _Piece] = {}
        self._before = before
        self._marks: list[tuple[int, list[Place]]] = []
        """Lines, and the places of that and the next ones."""

    def write(self, value: Any, indent: int, head: str, order: Order = sorted, place: Place = ()) -> None:
        if len(place) == DEPTH:
            piece = self._piece(value, indent, head, place)
            self._marks.append((len(self.lines), piece.places))
            self.lines += piece.lines
        else:
            self._marks.append((len(self.lines), [place]))
            super().write(value, indent, head, order, place)

    def places(self) -> list[Place]:
        """Of all lines so far."""
        places: list[Place] = [()] * len(self.lines)
        for line, found in self._marks:  # fields come before those inside of them, which may begin on the same line
            places[line : line + len(found)] = found
        for line in range(1, len(places)):
            places[line] = places[line] or places[line - 1]
        return places

    def _piece(self, value: Any, indent: int, head: str, place: Place) -> _Piece:
        encoded = msgspec.json.encode(value)
        piece = self._before.get(place)
        if piece is None or (piece.value, piece.head, piece.indent) != (encoded, head, indent):
            inner = _PlacedWriter({})
            inner._marks.append((0, [place]))
            Writer.write(inner, value, indent, head, sorted, place)
            piece = _Piece(encoded, head, indent, inner.lines, inner.places())
        self.pieces[place] = piece
        return piece
