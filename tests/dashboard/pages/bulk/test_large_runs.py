"""Tests of the pages of a run over the greatest number of objects."""

from __future__ import annotations

import msgspec

from dashboard.pages.bulk.kubectl import NAMES_A_LINE, kubectl_commands
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.review import GROUPS_PER_PAGE, MAX_SHOWN_NAMES, groups_by_message
from dashboard.pages.bulk.run import MAX_ITEMS, Item
from dashboard.pages.bulk.store import BLOCK_SIZE, blocks_of

ITEMS = [
    Item(f"team-{number % 2}", f"web-{number}", str(number), "failed", said=str(number)) for number in range(MAX_ITEMS)
]


def test_of_a_run_over_the_most_objects_a_page_has_a_bounded_part() -> None:
    label = BulkOperation("label", {"metadata": {"labels": {"a": "b"}}})
    patch = BulkOperation("patch", {"spec": {"a": "b"}})
    lines, number = kubectl_commands("pods", label, ITEMS, 3)
    assert (len(lines), number) == (3, MAX_ITEMS // NAMES_A_LINE)
    lines, number = kubectl_commands("pods", patch, ITEMS, 3)
    assert (len(lines), number) == (3, MAX_ITEMS)
    assert len(groups_by_message(ITEMS, "failed")) == GROUPS_PER_PAGE
    (fold,) = groups_by_message([msgspec.structs.replace(item, said="no") for item in ITEMS], "failed")
    assert (len(fold.shown_items), fold.more_count) == (MAX_SHOWN_NAMES, MAX_ITEMS - MAX_SHOWN_NAMES)


def test_a_beat_writes_only_the_blocks_that_changed() -> None:
    blocks = blocks_of(ITEMS, {0, 1, MAX_ITEMS - 1})
    assert [*blocks] == [0, MAX_ITEMS // BLOCK_SIZE - 1]
    assert blocks[MAX_ITEMS // BLOCK_SIZE - 1][-1] is ITEMS[-1]
