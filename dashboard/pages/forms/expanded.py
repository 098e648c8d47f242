"""Which fields are open although the text does not have them: what the form remembers between two buttons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dashboard.edits.fields import Path
from dashboard.edits.input_names import read, written

MOST = 300
"""Fields that are remembered; the oldest are forgotten."""
MOST_PAGES = 8
"""Lists and maps of which it is remembered where their page begins."""
_PAGE = re.compile(r"(?P<name>[^@]+)@(?P<start>\d{1,7})")
"""A name has no "@" of its own: there it is written as in addresses."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Paths that somebody asked for, oldest first, and where the pages of long lists and maps begin."""

    paths: tuple[Path, ...] = ()
    pages: Mapping[Path, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Opened:
        """What `text` wrote; anything else is left out."""
        parts = text.split()
        pages = [match for part in parts if (match := _PAGE.fullmatch(part))]
        paths = [part for part in parts if "@" not in part]
        return cls(
            tuple(dict.fromkeys(map(read, paths[-MOST:]))),
            {read(page["name"]): int(page["start"]) for page in pages[-MOST_PAGES:]},
        )

    @property
    def text(self) -> str:
        pages = (f"{written(path)}@{start}" for path, start in self.pages.items())
        return " ".join((*map(written, self.paths), *pages))

    @property
    def turned_last(self) -> Path | None:
        """The list or map whose page was turned last."""
        return next(reversed([*self.pages]), None)

    def having(self, *paths: Path) -> Opened:
        """With these too."""
        return replace(self, paths=tuple(dict.fromkeys((*self.paths, *paths)))[-MOST:])

    def turned(self, path: Path, start: int) -> Opened:
        """With the page of the list or map at `path` beginning at `start`."""
        others = [each for each in self.pages.items() if each[0] != path]
        return replace(self, pages=dict([*others, (path, start)][-MOST_PAGES:]))

    def without(self, path: Path) -> Opened:
        """Without this one and all below it."""
        pages = {each: start for each, start in self.pages.items() if each[: len(path)] != path}
        return Opened(tuple(each for each in self.paths if each[: len(path)] != path), pages)

    def around(self) -> frozenset[Path]:
        """These, and all that they stand in."""
        return frozenset(path[:end] for path in (*self.paths, *self.pages) for end in range(1, len(path) + 1))

    def moved(self, holder: Path, places: dict[int, int | None]) -> Opened:
        """After items of the list at `holder` took other places; None where one went."""
        return replace(self, paths=tuple(_moved(self.paths, holder, places)))


def _moved(paths: Iterable[Path], holder: Path, places: dict[int, int | None]) -> Iterable[Path]:
    depth = len(holder)
    for path in paths:
        index = path[depth] if len(path) > depth and path[:depth] == holder else None
        if not isinstance(index, int) or index not in places:
            yield path
            continue
        place = places[index]
        if place is not None:
            yield (*holder, place, *path[depth + 1 :])
