"""List splitter: cuts a list's JSON into its items while it arrives, so that the whole list is never in memory.

An item ends where its braces balance. Looking for that byte by byte is slow in Python, so the splitter guesses: items
of one list begin alike, with ``{"metadata":`` for instance, so the next ``},{"metadata":`` is likely to be the item's
end. Decoding tests the guess: an item that is cut off too early is not JSON. Then the braces are counted after all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from informerd.errors import MalformedStream

T = TypeVar("T")

COUNT_AT = 2**18
"""Bytes without a likely end of an item after which braces are counted; twice as many each time it was too early."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["{}\[\]]', re.DOTALL)
_ARRAY = re.compile(rb"\s*:\s*\[")
_FIRST = re.compile(rb"\s*(?:(\{)|(\]))")
_NEXT = re.compile(rb"\s*(?:,\s*(\{)|(\]))")
_NOT_YET = re.compile(rb"\s*,?\s*\Z")
_BEGINNING = re.compile(rb'\{"[^"\\]{1,40}":')


class ListSplitter(Generic[T]):
    """Feed it chunks; it returns the results of `decode` for each complete item.

    `decode` must raise msgspec.DecodeError for a truncated item; any other exception ends the splitting. Its argument
    is a view into the chunk: it must copy what it needs later.
    """

    def __init__(self, decode: Callable[[memoryview], T]) -> None:
        self._decode = decode
        self._head = b""
        """The list up to its items, once they have begun."""
        self._ended = False
        """Whether all items have come: what follows belongs to the list itself."""
        self._buffer = b""
        self._at = 0
        """Up to where the buffer has been dealt with."""
        self._next = _FIRST
        self._likely = b""
        """The end of an item and the beginning of the next."""
        self._count_at = COUNT_AT

    def feed(self, chunk: bytes) -> list[T]:
        """The items that `chunk` completes. Raises MalformedStream for what is no JSON."""
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return self._items(last=False)

    def finish(self) -> tuple[list[T], bytes]:
        """The last items, and the list without its items, as JSON. Raises MalformedStream where it was cut off."""
        items = self._items(last=True)
        if self._head and not self._ended:
            raise MalformedStream("the list is cut off")
        return items, self._head + b"]" * self._ended + self._buffer[self._at :]

    def _items(self, *, last: bool) -> list[T]:
        items: list[T] = []
        if not self._head:
            self._find_items()
        view = memoryview(self._buffer)
        while self._head and not self._ended and (start := self._start_of_next()) is not None:
            end = self._likely_end(start)
            if end:
                try:
                    items.append(self._decode(view[start:end]))
                except msgspec.DecodeError:
                    end = 0
            if not end:
                end = self._counted_end(start, last=last)
                if not end:
                    break
                items.append(self._decode_counted(view[start:end]))
            self._at, self._next = end, _NEXT
        return items

    def _find_items(self) -> None:
        """Look for the list's own "items"; where there is no such array, the list is not split."""
        depth = 0
        for token in _TOKEN.finditer(self._buffer):
            text = token[0]
            if text in (b"{", b"["):
                depth += 1
            elif text in (b"}", b"]"):
                depth -= 1
            elif depth == 1 and text == b'"items"' and (array := _ARRAY.match(self._buffer, token.end())):
                self._head, self._at = self._buffer[: array.end()], array.end()
                return

    def _start_of_next(self) -> int | None:
        """Where the next item starts, None where that cannot be told yet or there is none."""
        match = self._next.match(self._buffer, self._at)
        if match is None:
            if _NOT_YET.match(self._buffer, self._at):
                return None
            raise MalformedStream("the list's items are malformed")
        if match[2]:
            self._ended, self._at = True, match.end()
            return None
        return match.start(1)

    def _likely_end(self, start: int) -> int:
        """Where the item that starts there probably ends, 0 for no idea."""
        return self._buffer.find(self._likely, start) + 1 if self._likely else 0

    def _counted_end(self, start: int, *, last: bool) -> int:
        """Where it really ends, 0 where it has not come whole or too little has come to go and see."""
        if self._likely and not last and len(self._buffer) - start < self._count_at and not self._likely_end(start):
            return 0
        depth = 0
        for token in _TOKEN.finditer(self._buffer, start):
            text = token[0]
            if text in (b"{", b"["):
                depth += 1
            elif text in (b"}", b"]"):
                depth -= 1
                if not depth:
                    self._count_at = COUNT_AT
                    self._learn(start)
                    return token.end()
            elif text == b'"':
                break
        self._count_at = 2 * (len(self._buffer) - start)
        return 0

    def _learn(self, start: int) -> None:
        """Take this item for an example of how items begin."""
        beginning = _BEGINNING.match(self._buffer, start)
        self._likely = b"}," + beginning[0] if beginning else b""

    def _decode_counted(self, item: memoryview) -> T:
        try:
            return self._decode(item)
        except msgspec.DecodeError as error:
            raise MalformedStream(f"an item of the list is malformed: {error}") from error
