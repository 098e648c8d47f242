"""Names for the parts of a page that have none of their own, see live/html_parts.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from zlib import crc32


def numbered(words: Iterable[str]) -> Iterator[str]:
    """A name for each that may stand in an id: the same for the same words, as long as no more of them come before.

    No two are the same, whatever the words are.
    """
    known: Counter[str] = Counter()
    for each in words:
        name = f"{crc32(each.encode('utf-8', 'surrogatepass')):x}"
        yield f"{name}-{known[name]}" if known[name] else name
        known[name] += 1
