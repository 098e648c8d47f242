"""Marks of what happens to many logs at once, told once: an outage of the API server, and its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from informerd.clock import Clock
from informerd.logs.log_events import MarkKind

SHARED_KINDS: frozenset[MarkKind] = frozenset({"interrupted", "resumed"})
HELD_SECONDS = 1.0
"""Seconds that a mark waits for others of its kind: streams do not notice one outage in the same moment."""

_REQUEST = re.compile(r'\b[A-Z][a-z]+ "https?://[^"]*": ')
"""What the API server says of the request that a kubelet did not answer: it names the container."""

Tell = Callable[[int, bytes, str, str], None]
"""Takes the number of the source, -1 for several ones, the time, the kind and the words of a mark."""


class SharedMarks:
    """Tells marks of one kind as one, with the time of the first. Their words may end with different reasons."""

    def __init__(self, clock: Clock, tell: Tell) -> None:
        self._clock = clock
        self._tell = tell
        self._held: dict[tuple[str, str], list[tuple[int, str]]] = {}
        """Sources and words, by the kind and what the words begin with."""

    def add(self, source: int, kind: str, words: str) -> bool:
        """Hold a mark of a source. True for the first of its kind, for which `tell_later` has to be awaited."""
        marks = self._held.setdefault(_key(kind, words), [])
        marks.append((source, words))
        return len(marks) == 1

    async def tell_later(self, time: bytes, kind: str, words: str) -> None:
        """Tell a mark and its likes HELD_SECONDS from now."""
        await self._clock.sleep(HELD_SECONDS)
        marks = self._held.pop(_key(kind, words))
        sources = {source for source, _ in marks}
        if len(sources) == 1:
            self._tell(marks[0][0], time, kind, marks[0][1])
            return
        reasons = Counter(_REQUEST.sub("", words) for _, words in marks).most_common()
        first, others = reasons[0][0], len(reasons) - 1
        more = f" (and {others} other reason{'s' if others != 1 else ''})" if others else ""
        self._tell(-1, time, kind, f"{len(sources)} containers: {first[:1].lower()}{first[1:]}{more}")


def _key(kind: str, words: str) -> tuple[str, str]:
    return kind, words.partition(": ")[0]
