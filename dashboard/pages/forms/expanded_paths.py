"""Expanded fields of a form that the text does not have, remembered between two buttons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dashboard.objects.fields.field_access import Path
from dashboard.pages.forms.input_names import decode_path, encode_path

MAX_PATHS = 300
"""Most fields that are remembered; the oldest are dropped."""
MAX_PAGES = 8
"""Most lists and maps whose page is remembered."""
_PAGE = re.compile(r"(?P<name>[^@]+)@(?P<start>\d{1,7})")
"""Separator: "@" in a name is escaped as in addresses."""


@dataclass(frozen=True, slots=True)
class ExpandedPaths:
    """Expanded paths, oldest first, and the page starts of long lists and maps."""

    paths: tuple[Path, ...] = ()
    pages: Mapping[Path, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> ExpandedPaths:
        """The paths that `text` encodes; malformed parts are ignored."""
        parts = text.split()
        pages = [match for part in parts if (match := _PAGE.fullmatch(part))]
        paths = [part for part in parts if "@" not in part]
        return cls(
            tuple(dict.fromkeys(map(decode_path, paths[-MAX_PATHS:]))),
            {decode_path(page["name"]): int(page["start"]) for page in pages[-MAX_PAGES:]},
        )

    @property
    def text(self) -> str:
        pages = (f"{encode_path(path)}@{start}" for path, start in self.pages.items())
        return " ".join((*map(encode_path, self.paths), *pages))

    @property
    def last_paged_path(self) -> Path | None:
        """The list or map whose page was turned last."""
        return next(reversed([*self.pages]), None)

    def with_paths(self, *paths: Path) -> ExpandedPaths:
        """A copy with these paths too."""
        return replace(self, paths=tuple(dict.fromkeys((*self.paths, *paths)))[-MAX_PATHS:])

    def with_page(self, path: Path, start: int) -> ExpandedPaths:
        """A copy in which the page of the list or map at `path` starts at `start`."""
        others = [each for each in self.pages.items() if each[0] != path]
        return replace(self, pages=dict([*others, (path, start)][-MAX_PAGES:]))

    def without(self, path: Path) -> ExpandedPaths:
        """A copy without this path and all below it."""
        pages = {each: start for each, start in self.pages.items() if each[: len(path)] != path}
        return ExpandedPaths(tuple(each for each in self.paths if each[: len(path)] != path), pages)

    def with_parents(self) -> frozenset[Path]:
        """These paths with all their parents."""
        return frozenset(path[:end] for path in (*self.paths, *self.pages) for end in range(1, len(path) + 1))

    def after_move(self, holder: Path, places: Mapping[int, int]) -> ExpandedPaths:
        """A copy after items of the list at `holder` were moved to other `places`, with all that is below them."""
        pages = {_moved(path, holder, places): start for path, start in self.pages.items()}
        return ExpandedPaths(tuple(_moved(path, holder, places) for path in self.paths), pages)


def _moved(path: Path, holder: Path, places: Mapping[int, int]) -> Path:
    depth = len(holder)
    index = path[depth] if len(path) > depth and path[:depth] == holder else None
    if not isinstance(index, int) or index not in places:
        return path
    return (*holder, places[index], *path[depth + 1 :])
