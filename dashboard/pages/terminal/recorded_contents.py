"""Contents of a terminal's session for the audit log: what was typed and shown, in pieces.

A piece is stored before what comes after it is shown. Where it cannot be stored, the session ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from informerd.clock import Clock

PIECE_CHARACTERS = 8 * 1024
"""Characters of a piece, typed and shown together."""
PIECE_SECONDS = 10.0
"""Seconds after which a piece is stored with the next byte, however short it is."""
MAX_CHARACTERS = 2**20
"""Characters of a session that are stored; then an entry says that the rest is not."""

Store = Callable[[dict[str, str]], Awaitable[None]]
"""Stores a piece: its number, the seconds since the session began, input, output. Raises CallRefused."""


class RecordedContents:
    """Collects what is typed and shown, and passes it on in pieces."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._began = self._piece_began = clock.now()
        self._input: list[str] = []
        self._output: list[str] = []
        self._characters = self._stored = self._pieces = 0
        self._is_full = False

    async def typed(self, content: bytes) -> None:
        await self._add(self._input, content)

    async def shown(self, content: bytes) -> None:
        await self._add(self._output, content)

    async def close(self) -> None:
        """Store what is left."""
        if self._characters:
            await self._flush()

    async def _add(self, to: list[str], content: bytes) -> None:
        if self._is_full:
            return
        if not self._characters:
            self._piece_began = self._clock.now()
        text = content.decode(errors="replace")
        to.append(text)
        self._characters += len(text)
        if self._characters >= PIECE_CHARACTERS or self._clock.now() - self._piece_began >= PIECE_SECONDS:
            await self._flush()

    async def _flush(self) -> None:
        self._pieces += 1
        self._stored += self._characters
        piece = {
            "piece": str(self._pieces),
            "second": f"{self._piece_began - self._began:.1f}",
            "typed": "".join(self._input),
            "shown": "".join(self._output),
        }
        self._input, self._output, self._characters = [], [], 0
        await self._store({name: text for name, text in piece.items() if text})
        if self._stored >= MAX_CHARACTERS:
            self._is_full = True
            await self._store({"piece": str(self._pieces + 1), "omitted": "the rest of this session"})
