"""Tests of the contents of sessions: pieces of a limited length, and the end of what is stored."""

from __future__ import annotations

from dashboard.pages.terminal.recorded_contents import MAX_CHARACTERS, PIECE_CHARACTERS, RecordedContents
from tests.support.clock import FakeClock


async def test_pieces_are_stored_when_they_are_long_and_at_the_end() -> None:
    stored: list[dict[str, str]] = []

    async def store(piece: dict[str, str]) -> None:
        stored.append(piece)

    contents = RecordedContents(store, FakeClock())
    await contents.typed(b"cat file\n")
    assert stored == []
    await contents.shown(b"x" * PIECE_CHARACTERS)
    await contents.shown(b"\xff")
    await contents.close()
    await contents.close()
    assert stored == [
        {"piece": "1", "second": "0.0", "typed": "cat file\n", "shown": "x" * PIECE_CHARACTERS},
        {"piece": "2", "second": "0.0", "shown": "\ufffd"},
    ]


async def test_what_is_too_much_is_left_out_and_an_entry_says_so_once() -> None:
    stored: list[dict[str, str]] = []

    async def store(piece: dict[str, str]) -> None:
        stored.append(piece)

    contents = RecordedContents(store, FakeClock())
    for _ in range(2 * MAX_CHARACTERS // PIECE_CHARACTERS):
        await contents.shown(b"x" * PIECE_CHARACTERS)
    await contents.close()
    assert sum(len(each.get("shown", "")) for each in stored) == MAX_CHARACTERS
    assert [each for each in stored if "omitted" in each] == [stored[-1]]
