"""What pages show of a run over as many objects as there may be."""

from __future__ import annotations

import msgspec

from dashboard.bulk.command import NAMES_A_LINE, commands
from dashboard.bulk.names import NAMES
from dashboard.bulk.order import Order
from dashboard.bulk.records import BLOCK, blocks_of
from dashboard.bulk.review import A_PAGE, by_words
from dashboard.bulk.run import MOST, Item

ITEMS = [Item(f"team-{number % 2}", f"web-{number}", str(number), "failed", said=str(number)) for number in range(MOST)]


def test_of_a_run_over_the_most_objects_a_page_has_a_bounded_part() -> None:
    label = Order("label", {"metadata": {"labels": {"a": "b"}}})
    patch = Order("patch", {"spec": {"a": "b"}})
    lines, number = commands("pods", label, ITEMS, 3)
    assert (len(lines), number) == (3, MOST // NAMES_A_LINE)
    lines, number = commands("pods", patch, ITEMS, 3)
    assert (len(lines), number) == (3, MOST)
    assert len(by_words(ITEMS, "failed")) == A_PAGE
    (fold,) = by_words([msgspec.structs.replace(item, said="no") for item in ITEMS], "failed")
    assert (len(fold.shown), fold.more) == (NAMES, MOST - NAMES)


def test_a_beat_writes_only_the_blocks_that_changed() -> None:
    blocks = blocks_of(ITEMS, {0, 1, MOST - 1})
    assert [*blocks] == [0, MOST // BLOCK - 1]
    assert blocks[MOST // BLOCK - 1][-1] is ITEMS[-1]
