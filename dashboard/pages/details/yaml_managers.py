"""An object's YAML in runs of lines that the same manager set last, and these in pieces that change by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from dashboard.resources.field_owners import FieldOwners, Managed, Setter
from dashboard.resources.part_names import numbered
from dashboard.resources.yaml_places import DEPTH, PlacedLines, managed_fields_lines, placed_lines
from dashboard.resources.yaml_text import Place

MOST_LINES = 2000
"""Lines of YAML, up to which who set them is found out."""

Piece = tuple[str, str]
"""A name, and lines one after another, each with its end."""


@dataclass(frozen=True, slots=True)
class Run:
    """Lines one after another, each with its end."""

    pieces: tuple[Piece, ...]
    setter: Setter | None
    """None where the API server says of nobody that they set it: it did itself."""
    others: tuple[Setter, ...] = ()
    """Who owns the lines, too: a manager has one time for all that it set, so that any may have been the last."""

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)

    def html(self, name: str) -> SafeString:
        """For a pre element, whose text stays the YAML: who set the lines is in attributes. `name` is its id.

        It and its pieces are parts, see live/html_parts.py.
        """
        inner = _html_of(self.pieces, name)
        if self.setter is None:
            return format_html('<span class="run" id="{}" data-part>{}</span>', name, inner)
        by, too = self.setter.words, ", ".join(other.words for other in self.others)
        return format_html(
            '<span class="run" id="{}" data-part data-by="{}" title="{}">{}</span>',
            name,
            f"{by} and {len(self.others)} more" if too else by,
            f"{self.setter.sentence}; owned by {too}, too" if too else self.setter.sentence,
            inner,
        )


@dataclass(frozen=True, slots=True)
class SetBy:
    """All of an object's YAML, and who set what of it."""

    runs: tuple[Run, ...]
    managers: tuple[Managed, ...]
    managed: tuple[Piece, ...]
    text: PlacedLines
    """The YAML, line by line."""
    fields: PlacedLines
    """That of managedFields, as `text`."""
    too_long: bool = False
    """Whether nobody looked who set what, for it would hold up everybody else."""

    @property
    def raw(self) -> str:
        """The YAML of managedFields; empty where there are none."""
        return "".join(text for _, text in self.managed)

    def html(self, name: str) -> SafeString:
        """The YAML for a pre element; `name` begins the ids of all parts."""
        numbers = numbered(run.setter.words if run.setter is not None else "" for run in self.runs)
        runs = zip(numbers, self.runs, strict=True)
        return format_html_join("", "{}", ((run.html(f"{name}-{number}"),) for number, run in runs))

    def managed_html(self, name: str) -> SafeString:
        """`raw` for a pre element, as `html`."""
        return _html_of(self.managed, name)


def _html_of(pieces: Iterable[Piece], name: str) -> SafeString:
    spans = (f'<span id="{name}-{piece}" data-part>{escape(text)}</span>' for piece, text in pieces)
    return mark_safe("".join(spans))  # noqa: S308 -- escaped above, ids and names of pieces are ours


def _pieces(lines: Sequence[str], places: Sequence[Place]) -> tuple[Piece, ...]:
    """The lines by the first steps of their places."""
    found: list[tuple[str, str]] = []
    begin = 0
    for head, group in groupby(place[:DEPTH] for place in places):
        end = begin + sum(1 for _ in group)
        found.append((repr(head), "\n".join(lines[begin:end]) + "\n"))
        begin = end
    return tuple(zip(numbered(head for head, _ in found), (text for _, text in found), strict=True))


def set_by(obj: Mapping[str, Any], before: SetBy | None = None) -> SetBy:
    """Who set what of an object, of one of more than MOST_LINES nothing. The runs together are its YAML.

    `before` is what was found of another version, which saves writing again what did not change.
    """
    text = placed_lines(obj, before.text if before is not None else None)
    fields = managed_fields_lines(obj, before.fields if before is not None else None)
    lines, places, managed = text.lines, text.places, _pieces(fields.lines, fields.places)
    if len(lines) > MOST_LINES:
        return SetBy((Run(_pieces(lines, places), None),), (), managed, text, fields, too_long=True)
    owners = FieldOwners(obj)
    setters = _setters(owners, places)
    numbered = groupby(range(len(lines)), key=lambda line: setters[line])
    runs = tuple(Run(_run(lines, places, list(group)), *of_run) for of_run, group in numbered)
    return SetBy(runs, owners.managers, managed, text, fields)


def _run(lines: Sequence[str], places: Sequence[Place], group: list[int]) -> tuple[Piece, ...]:
    of_run = slice(group[0], group[-1] + 1)
    return _pieces(lines[of_run], places[of_run])


def _setters(owners: FieldOwners, places: list[Place]) -> list[tuple[Setter | None, tuple[Setter, ...]]]:
    """Of each line, and who else. A line that only leads to the next (``spec:``) goes with it."""
    found = [(owners.of(place), owners.others(place)) for place in places]
    for line in range(len(places) - 2, -1, -1):
        place = places[line]
        if found[line][0] is None and len(places[line + 1]) > len(place) and places[line + 1][: len(place)] == place:
            found[line] = found[line + 1]
    return found
