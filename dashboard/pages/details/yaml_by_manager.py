"""Object YAML in runs of lines with the same last manager, divided into pieces that pages update separately."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from dashboard.objects.fields.field_access import PlainPath
from dashboard.objects.fields.managed_fields import FieldManager, FieldOwners, ManagedFields, unique_names
from dashboard.objects.manifests.line_map import PIECE_DEPTH, LineMap, managed_fields_line_map, yaml_line_map

MOST_LINES = 2000
"""Most lines of YAML whose managers are determined."""

Piece = tuple[str, str]
"""A name and consecutive lines, each with its line end."""


@dataclass(frozen=True, slots=True)
class ManagedLines:
    """Consecutive lines with the same manager, each with its line end."""

    pieces: tuple[Piece, ...]
    manager: FieldManager | None
    """None where the API server names no manager: it set the lines itself."""
    other_managers: tuple[FieldManager, ...] = ()
    """Other owners of the lines: a manager has one time for all its fields, so any owner may have been the last."""

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)

    def html(self, name: str) -> SafeString:
        """HTML for a pre element, whose text stays the YAML: attributes name the managers. `name` is its id.

        The run and its pieces are parts, see dashboard/live/rendering/html_diff.py.
        """
        inner = _html_of(self.pieces, name)
        if self.manager is None:
            return format_html('<span class="run" id="{}" data-part>{}</span>', name, inner)
        by, too = self.manager.words, ", ".join(other.words for other in self.other_managers)
        return format_html(
            '<span class="run" id="{}" data-part data-by="{}" title="{}">{}</span>',
            name,
            f"{by} and {len(self.other_managers)} more" if too else by,
            f"{self.manager.sentence}; also owned by {too}" if too else self.manager.sentence,
            inner,
        )


@dataclass(frozen=True, slots=True)
class YamlByManager:
    """The whole YAML of an object, with the managers of its lines."""

    runs: tuple[ManagedLines, ...]
    managers: tuple[ManagedFields, ...]
    managed_pieces: tuple[Piece, ...]
    text: LineMap
    """The YAML, line by line."""
    fields: LineMap
    """The YAML of managedFields, as `text`."""
    is_too_long: bool = False
    """Whether the managers were not determined, because that would block the event loop."""

    @property
    def managed_fields_yaml(self) -> str:
        """The YAML of managedFields; empty where there are none."""
        return "".join(text for _, text in self.managed_pieces)

    def html(self, name: str) -> SafeString:
        """The YAML for a pre element; `name` is the prefix of all part ids."""
        numbers = unique_names(run.manager.words if run.manager is not None else "" for run in self.runs)
        runs = zip(numbers, self.runs, strict=True)
        return format_html_join("", "{}", ((run.html(f"{name}-{number}"),) for number, run in runs))

    def managed_html(self, name: str) -> SafeString:
        """`managed_fields_yaml` as HTML for a pre element, as in `html`."""
        return _html_of(self.managed_pieces, name)


def _html_of(pieces: Iterable[Piece], name: str) -> SafeString:
    spans = (f'<span id="{name}-{piece}" data-part>{escape(text)}</span>' for piece, text in pieces)
    return mark_safe("".join(spans))  # noqa: S308 -- escaped above, ids and names of pieces are ours


def _pieces(lines: Sequence[str], places: Sequence[PlainPath]) -> tuple[Piece, ...]:
    """The lines grouped by the first steps of their paths."""
    pieces: list[tuple[str, str]] = []
    begin = 0
    for head, group in groupby(place[:PIECE_DEPTH] for place in places):
        end = begin + sum(1 for _ in group)
        pieces.append((repr(head), "\n".join(lines[begin:end]) + "\n"))
        begin = end
    return tuple(zip(unique_names(head for head, _ in pieces), (text for _, text in pieces), strict=True))


def yaml_by_manager(obj: Mapping[str, Any], before: YamlByManager | None = None) -> YamlByManager:
    """The managers of an object's YAML; none for an object of more than MOST_LINES. The runs together are its YAML.

    `before` is the result for another version, which saves rendering unchanged parts again.
    """
    text = yaml_line_map(obj, before.text if before is not None else None)
    fields = managed_fields_line_map(obj, before.fields if before is not None else None)
    lines, places, managed = text.lines, text.paths, _pieces(fields.lines, fields.paths)
    if len(lines) > MOST_LINES:
        return YamlByManager((ManagedLines(_pieces(lines, places), None),), (), managed, text, fields, is_too_long=True)
    owners = FieldOwners(obj)
    setters = _setters(owners, places)
    numbered = groupby(range(len(lines)), key=lambda line: setters[line])
    runs = tuple(ManagedLines(_run(lines, places, list(group)), *of_run) for of_run, group in numbered)
    return YamlByManager(runs, owners.managers, managed, text, fields)


def _run(lines: Sequence[str], places: Sequence[PlainPath], group: list[int]) -> tuple[Piece, ...]:
    of_run = slice(group[0], group[-1] + 1)
    return _pieces(lines[of_run], places[of_run])


def _setters(
    owners: FieldOwners, places: list[PlainPath]
) -> list[tuple[FieldManager | None, tuple[FieldManager, ...]]]:
    """The setter and the other owners of each line. A line that only leads to the next (``spec:``) goes with it."""
    managers = [(owners.of(place), owners.others(place)) for place in places]
    for line in range(len(places) - 2, -1, -1):
        place = places[line]
        if managers[line][0] is None and len(places[line + 1]) > len(place) and places[line + 1][: len(place)] == place:
            managers[line] = managers[line + 1]
    return managers
