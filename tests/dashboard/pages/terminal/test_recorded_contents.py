"""Tests of the contents of sessions: pieces of a limited length, whole characters, and the end of what is stored."""

from __future__ import annotations

import pytest

from dashboard.pages.terminal.recorded_contents import MAX_SHOWN, MAX_TYPED, PIECE_CHARACTERS, RecordedContents
from informerd.errors import CallRefused
from tests.support.clock import FakeClock


class Stored:
    """Contents whose pieces are kept in a list."""

    def __init__(self) -> None:
        self.pieces: list[dict[str, str]] = []
        self.contents = RecordedContents(self._store, FakeClock())

    async def _store(self, piece: dict[str, str]) -> None:
        self.pieces.append(piece)


async def test_pieces_are_stored_when_they_are_long_and_at_the_end() -> None:
    stored = Stored()
    await stored.contents.typed(b"cat file\n")
    assert stored.pieces == []
    await stored.contents.shown(b"x" * PIECE_CHARACTERS)
    for byte in "ü€".encode():  # as the container may cut them
        await stored.contents.shown(bytes([byte]))
    await stored.contents.shown(b"\xe2")
    await stored.contents.close()
    await stored.contents.close()
    assert stored.pieces == [
        {"piece": "1", "second": "0.0", "typed": "cat file\n", "shown": "x" * PIECE_CHARACTERS},
        {"piece": "2", "second": "0.0", "shown": "ü€\ufffd"},
    ]


async def test_a_flood_is_cut_with_a_mark_and_hides_nothing_that_is_typed_after_it() -> None:
    stored = Stored()
    for _ in range(2 * MAX_SHOWN // PIECE_CHARACTERS):
        await stored.contents.shown(b"x" * PIECE_CHARACTERS)
    await stored.contents.typed(b"rm -rf /data\n")
    await stored.contents.close()
    assert sum(len(each.get("shown", "")) for each in stored.pieces) == MAX_SHOWN
    assert [each for each in stored.pieces if "omitted" in each] == [stored.pieces[-2]]
    assert stored.pieces[-1]["typed"] == "rm -rf /data\n"


async def test_the_session_ends_before_more_is_typed_than_is_stored() -> None:
    stored = Stored()
    for _ in range(MAX_TYPED // PIECE_CHARACTERS):
        await stored.contents.typed(b"x" * PIECE_CHARACTERS)
    with pytest.raises(CallRefused, match="More was typed than Deltaboard records"):
        await stored.contents.typed(b"unseen")
