"""Contents of a terminal's session for the audit log: what was typed and shown, in pieces.

A piece is stored before what comes after it is shown. Where it cannot be stored, the session ends.
"""

from __future__ import annotations

import codecs
from collections.abc import Awaitable, Callable

from informerd.clock import Clock
from informerd.errors import CallRefused

PIECE_CHARACTERS = 8 * 1024
"""Characters of a piece, typed and shown together."""
PIECE_SECONDS = 10.0
"""Seconds after which a piece is stored with the next byte, however short it is."""
MAX_SHOWN = 2**20
"""Characters that were shown which are stored of a session; then an entry says that the rest is not."""
MAX_TYPED = 2**20
"""Characters that were typed which are stored of a session; then it ends."""
FULL = "More was typed than Deltaboard records of a session, so it ended the session. Start another one."

Store = Callable[[dict[str, str]], Awaitable[None]]
"""Stores a piece: its number, the seconds since the session began, input, output. Raises CallRefused."""


class RecordedContents:
    """Collects what is typed and shown, and passes it on in pieces."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._began = self._piece_began = clock.now()
        self._typed = _Text()
        self._shown = _Text()
        self._pieces = 0
        self._is_cut = False

    async def typed(self, content: bytes) -> None:
        """Note input, before the command gets it. Raises CallRefused where it cannot be stored."""
        if self._typed.total >= MAX_TYPED:
            raise CallRefused(FULL)
        await self._add(self._typed, content)

    async def shown(self, content: bytes) -> None:
        """Note output, before it is shown. Raises CallRefused where it cannot be stored."""
        if self._shown.total < MAX_SHOWN:
            await self._add(self._shown, content)
        elif not self._is_cut:
            self._is_cut = True
            await self._flush()
            await self._store_piece({"omitted": "what else was shown in this session"})

    async def close(self) -> None:
        """Store what is left."""
        for text in (self._typed, self._shown):
            text.end()
        await self._flush()

    async def _add(self, text: _Text, content: bytes) -> None:
        if not self._pending:
            self._piece_began = self._clock.now()
        text.add(content)
        if self._pending >= PIECE_CHARACTERS or self._clock.now() - self._piece_began >= PIECE_SECONDS:
            await self._flush()

    @property
    def _pending(self) -> int:
        return self._typed.pending + self._shown.pending

    async def _flush(self) -> None:
        if self._pending:
            second = f"{self._piece_began - self._began:.1f}"
            await self._store_piece({"second": second, "typed": self._typed.take(), "shown": self._shown.take()})

    async def _store_piece(self, piece: dict[str, str]) -> None:
        self._pieces += 1
        await self._store({"piece": str(self._pieces), **{name: text for name, text in piece.items() if text}})


class _Text:
    """Text of one direction; a character may come in several pieces."""

    def __init__(self) -> None:
        self.total = 0
        self.pending = 0
        self._parts: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def add(self, content: bytes) -> None:
        self._note(self._decoder.decode(content))

    def end(self) -> None:
        self._note(self._decoder.decode(b"", final=True))

    def take(self) -> str:
        text, self._parts, self.pending = "".join(self._parts), [], 0
        return text

    def _note(self, text: str) -> None:
        self._parts.append(text)
        self.total += len(text)
        self.pending += len(text)
