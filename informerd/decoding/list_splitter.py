"""List splitter: cuts a list's JSON into its items while it arrives, so that the whole list is never in memory.

An item ends where its brackets balance. Looking for that is slow in Python, so the splitter guesses: items of one list
begin alike, with ``{"metadata":`` for instance, so the next ``},{"metadata":`` is likely to be the item's end. Decoding
tests the guess: an item that is cut off too early is not JSON. Then the brackets are counted after all.

Each byte is looked at a fixed number of times, however large an item is and however small the chunks: both the search
and the count go on where they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

import re2

from informerd.decoding.json_members import BALANCED, STRING, compile_linear
from informerd.errors import UNREADABLE, MalformedStream, UnreadableObject

T = TypeVar("T")

COUNT_AT = 2**18
"""Bytes without a likely end of an item after which brackets are counted."""
MAX_ITEM_BYTES = 64 * 2**20
"""Bytes of one item, and of what a list says of itself."""
_MAX_SPACE = 1024
"""Characters of white space between "items" and their array."""

_TOKEN = compile_linear(STRING + rb'|["{}\[\]:,]')
_IN_STRING = compile_linear(rb'(?:[^"\\]|\\.)*')
_ARRAY = re.compile(rb"\s*:\s*\[")
_NO_ARRAY = re.compile(rb"\s*(?::\s*)?[^\s:\[]|\s*:\s*:|\s*\[")
_FIRST = re.compile(rb"\s*(?:(\{)|(\]))")
_NEXT = re.compile(rb"\s*(?:,\s*(\{)|(\]))")
_NOT_YET = re.compile(rb"\s*,?\s*\Z")
_BEGINNING = re.compile(rb'\{"[^"\\]{1,40}":')
_OPENING = b"{["
_QUOTE = ord('"')


def _malformed(_item: memoryview, error: Exception) -> NoReturn:
    raise MalformedStream(f"an item of the list is malformed: {error}") from error


class ListSplitter(Generic[T]):
    """Feed it chunks; it returns the results of `decode` for each complete item.

    `decode` must raise one of UNREADABLE for a truncated item, and may raise it or UnreadableObject for one that it
    cannot decode; any other exception ends the splitting. An item that came whole and could not be decoded goes to
    `on_unreadable` with the error; by default that raises MalformedStream. Both get a view into the splitter's buffer:
    they must copy what they need later.
    """

    def __init__(
        self, decode: Callable[[memoryview], T], on_unreadable: Callable[[memoryview, Exception], T] = _malformed
    ) -> None:
        self._decode = decode
        self._on_unreadable = on_unreadable
        self._head = b""
        """The list up to its items, once they have begun."""
        self._ended = False
        """Whether all items have come: what follows belongs to the list itself."""
        self._buffer = bytearray()
        self._at = 0
        """Up to where the buffer has been dealt with; of the head up to where it was looked at."""
        self._after_colon = False
        """Whether a string at this position of the head is a value."""
        self._next = _FIRST
        self._likely = b""
        """The end of an item and the beginning of the next."""
        self._depth = 0
        """Of the position up to which the head, or the item that has not come whole, was looked at."""
        self._start: int | None = None
        """Where that item begins."""
        self._counted = self._searched = 0
        """Up to where its brackets were counted, and up to where its likely end was looked for. Before the items: up to
        where a string that has not ended was looked at."""
        self._in_string = self._guessed_wrong = False
        self.bytes_examined = 0
        """Bytes that were searched or counted so far, each as often as that was done."""

    def feed(self, chunk: bytes) -> list[T]:
        """The items that `chunk` completes. Raises MalformedStream for what is no JSON, and where an item, or the list
        without its items, has more than MAX_ITEM_BYTES."""
        if self._head:
            self._forget()
        self._buffer += chunk
        items = self._items(last=False)
        if len(self._buffer) - (self._at if self._head else 0) > MAX_ITEM_BYTES:
            raise MalformedStream(f"an item of the list has more than {MAX_ITEM_BYTES // 2**20} MiB")
        return items

    def finish(self) -> tuple[list[T], bytes]:
        """The last items, and the list without its items, as JSON. Raises MalformedStream where it was cut off."""
        items = self._items(last=True)
        if self._head and not self._ended:
            raise MalformedStream("the list is cut off")
        return items, self._head + b"]" * self._ended + bytes(self._buffer[self._at if self._head else 0 :])

    def _forget(self) -> None:
        """Drop what has been dealt with from the buffer."""
        at, self._at = self._at, 0
        del self._buffer[:at]
        if self._start is None and not self._ended:
            self._buffer = self._buffer.strip()  # no more than a comma: white space is looked at once
        elif self._start is not None:
            self._start -= at
            self._counted -= at
            self._searched -= at

    def _items(self, *, last: bool) -> list[T]:
        items: list[T] = []
        if not self._head:
            self._find_items()
        with memoryview(self._buffer) as view:
            while self._head and not self._ended and (start := self._start_of_next()) is not None:
                end = self._take_guess(view, start, items) or self._take_counted(view, start, items, last=last)
                if not end:
                    break
                self._at, self._next, self._start = end, _NEXT, None
        return items

    def _find_items(self) -> None:
        """Look for the list's own "items"; where there is no such array, the list is not split."""
        if self._in_string and not self._string_has_ended():
            return
        self.bytes_examined += len(self._buffer) - self._at
        for token in _TOKEN.finditer(self._buffer, self._at):
            text = token[0]
            if text in (b"{", b"["):
                self._depth += 1
            elif text in (b"}", b"]"):
                self._depth -= 1
            elif text == b'"':  # the rest of a string is still to come
                self._in_string, self._counted = True, token.end()
                return
            elif self._depth == 1 and text == b'"items"' and not self._after_colon:
                if array := _ARRAY.match(self._buffer, token.end()):
                    self._head, self._at, self._depth = bytes(self._buffer[: array.end()]), array.end(), 0
                    return
                if not _NO_ARRAY.match(self._buffer, token.end()):  # what it is is still to come
                    if len(self._buffer) - token.end() > _MAX_SPACE:
                        raise MalformedStream("the list's items are malformed")
                    return
            self._at, self._after_colon = token.end(), text == b":"
        self._at = len(self._buffer)

    def _string_has_ended(self) -> bool:
        position = _end_of(_IN_STRING, self._buffer, self._counted)
        self.bytes_examined += position - self._counted
        self._counted = position
        self._in_string = position == len(self._buffer) or self._buffer[position] != _QUOTE
        return not self._in_string

    def _start_of_next(self) -> int | None:
        """Where the next item starts, None where that cannot be told yet or there is none."""
        if self._start is not None:
            return self._start
        match = self._next.match(self._buffer, self._at)
        if match is None:
            if _NOT_YET.match(self._buffer, self._at):
                self.bytes_examined += len(self._buffer) - self._at
                return None
            raise MalformedStream("the list's items are malformed")
        if match[2]:
            self._ended, self._at = True, match.end()
            return None
        start = match.start(1)
        self._start = self._searched = start
        self._counted, self._depth = start + 1, 1
        self._in_string = self._guessed_wrong = False
        return start

    def _take_guess(self, view: memoryview, start: int, items: list[T]) -> int:
        """Decode the item up to its likely end, and return that; 0 where there is none or it is wrong."""
        if not self._likely or self._guessed_wrong:
            return 0
        end = self._buffer.find(self._likely, self._searched) + 1
        self.bytes_examined += (end or len(self._buffer)) - self._searched
        if not end:
            self._searched = max(start, len(self._buffer) - len(self._likely) + 1)
            return 0
        try:
            with view[start:end] as item:
                items.append(self._decode(item))
        except (*UNREADABLE, UnreadableObject):
            self._guessed_wrong = True
            return 0
        return end

    def _take_counted(self, view: memoryview, start: int, items: list[T], *, last: bool) -> int:
        """Decode the item up to where its brackets balance, and return that; 0 where it has not come whole, or too
        little has come to go and see."""
        if self._likely and not last and not self._guessed_wrong and len(self._buffer) - start < COUNT_AT:
            return 0
        end = self._count()
        if not end:
            return 0
        self._learn(start)
        with view[start:end] as item:
            try:
                items.append(self._decode(item))
            except (*UNREADABLE, UnreadableObject) as error:
                items.append(self._on_unreadable(item, error))
        return end

    def _count(self) -> int:
        """Where the item's brackets balance; 0 where they do not yet."""
        buffer, position, depth = self._buffer, self._counted, self._depth
        end = 0
        while position < len(buffer):
            if self._in_string:
                position = _end_of(_IN_STRING, buffer, position)
                if position == len(buffer) or buffer[position] != _QUOTE:  # a backslash is the last that came
                    break
                self._in_string, position = False, position + 1
            position = _end_of(BALANCED, buffer, position)
            if position == len(buffer):
                break
            byte = buffer[position]
            position += 1
            if byte == _QUOTE:
                self._in_string = True
                continue
            depth += 1 if byte in _OPENING else -1
            if not depth:
                end = position
                break
        self.bytes_examined += position - self._counted
        self._counted, self._depth = position, depth
        return end

    def _learn(self, start: int) -> None:
        """Take this item for an example of how items begin."""
        beginning = _BEGINNING.match(self._buffer, start)
        self._likely = b"}," + beginning[0] if beginning else b""


def _end_of(pattern: re2._Regexp, buffer: bytearray, position: int) -> int:
    match = pattern.match(buffer, position)
    return match.end() if match else position
