"""Text of a log line with its colours: SGR sequences become classes, all other terminal escapes are left out.

A line may hold what would move a terminal's cursor, set its title or write to its clipboard (ECMA-48's CSI and OSC
sequences). None of that reaches a page: what is no colour is dropped, what is left of controls is shown as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dashboard.runtime.invisible_characters import escape_invisible

Segment = tuple[str, str]
"""Classes of a part, separated by spaces (``a-31 a-b``), and its text."""

MAX_SEGMENTS = 200
"""Parts of a line that have colours of their own; the rest has none."""
_SEQUENCE = re.compile(
    "\x1b\\[(?P<sgr>[0-9;:]*)m"
    "|\x1b\\[[0-?]*[ -/]*[@-~]"  # other control sequences
    "|\x1b[\\]PX^_].*?(?:\x07|\x1b\\\\|$)"  # strings: titles, links, the clipboard
    "|\x1b[ -/]*[0-~]"
)
_STYLES = {1: "b", 2: "d", 3: "i", 4: "u", 7: "r"}
_ENDS = {22: "bd", 23: "i", 24: "u", 27: "r"}


def segments(text: str) -> list[Segment]:
    """The parts of a line, each with one look. A line without escapes is one part without classes."""
    if "\x1b" not in text:
        return [("", escape_invisible(text))]
    found: list[Segment] = []
    for classes, part in _parts(text):
        shown = escape_invisible(part)
        if found and (found[-1][0] == classes or len(found) == MAX_SEGMENTS):
            found[-1] = found[-1][0], found[-1][1] + shown
        else:
            found.append((classes, shown))
    return found or [("", "")]


def _parts(text: str) -> Iterator[Segment]:
    look = _Look()
    start = 0
    for sequence in _SEQUENCE.finditer(text):
        if sequence.start() > start:
            yield look.classes, text[start : sequence.start()]
        start = sequence.end()
        if sequence["sgr"] is not None:
            look.take([int(each) if each else 0 for each in re.split("[;:]", sequence["sgr"][:100])])
    if start < len(text):
        yield look.classes, text[start:]


class _Look:
    def __init__(self) -> None:
        self._styles: set[str] = set()
        self._colours = {"": "", "bg": ""}
        self.classes = ""

    def take(self, codes: list[int]) -> None:
        """Apply the numbers of a sequence."""
        left = iter(codes)
        for code in left:
            if code == 0:
                self._styles.clear()
                self._colours = {"": "", "bg": ""}
            elif code in _STYLES:
                self._styles.add(_STYLES[code])
            elif code in _ENDS:
                self._styles -= set(_ENDS[code])
            elif code in (38, 48):
                self._colours["" if code == 38 else "bg"] = _indexed(left)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self._colours[""] = str(code)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self._colours["bg"] = str(code - 10)
            elif code in (39, 49):
                self._colours["" if code == 39 else "bg"] = ""
        colours = (f"a-{part}{colour}" for part, colour in self._colours.items() if colour)
        self.classes = " ".join((*colours, *(f"a-{style}" for style in sorted(self._styles))))


def _indexed(left: Iterator[int]) -> str:
    """The nearest of the sixteen colours to one of 256, or to red, green and blue."""
    form = next(left, 0)
    if form == 5:
        index = next(left, 0)
        if index < 16:
            return str(30 + index if index < 8 else 82 + index)
        if index >= 232:
            return "90" if index < 244 else "37"
        level = index - 16
        return _nearest(*(51 * (level // step % 6) for step in (36, 6, 1)))
    if form == 2:
        return _nearest(next(left, 0), next(left, 0), next(left, 0))
    return ""


def _nearest(red: int, green: int, blue: int) -> str:
    strongest = max(red, green, blue)
    if strongest < 64:
        return "90"
    bits = sum(bit for bit, level in ((1, red), (2, green), (4, blue)) if level * 2 > strongest)
    return str((90 if strongest > 200 else 30) + bits)
