"""Marks of what happens to many logs at once, told once: an outage of the API server, and its end."""

from __future__ import annotations

from collections.abc import Callable

from informerd.clock import Clock
from informerd.logs.log_events import MarkKind

SHARED_KINDS: frozenset[MarkKind] = frozenset({"interrupted", "resumed"})
HELD_SECONDS = 1.0
"""Seconds that a mark waits for others of the same words: streams do not notice one outage in the same moment."""

Tell = Callable[[int, bytes, str, str], None]
"""Takes the number of the source, -1 for several ones, the time, the kind and the words of a mark."""


class SharedMarks:
    """Tells marks of one kind and the same words as one, with the time of the first."""

    def __init__(self, clock: Clock, tell: Tell) -> None:
        self._clock = clock
        self._tell = tell
        self._held: dict[tuple[str, str], list[int]] = {}

    def add(self, source: int, kind: str, words: str) -> bool:
        """Hold a mark of a source. True for the first of its words, which `tell_later` has to be awaited for."""
        sources = self._held.setdefault((kind, words), [])
        sources.append(source)
        return len(sources) == 1

    async def tell_later(self, time: bytes, kind: str, words: str) -> None:
        """Tell a mark and its likes HELD_SECONDS from now."""
        await self._clock.sleep(HELD_SECONDS)
        sources = self._held.pop((kind, words))
        if len(sources) == 1:
            self._tell(sources[0], time, kind, words)
        else:
            self._tell(-1, time, kind, f"{len(sources)} containers: {words[:1].lower()}{words[1:]}")
