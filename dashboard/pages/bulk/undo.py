"""Undo of a bulk run: a new run that does the reverse to the objects that were written."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.pages.bulk.operation import BulkOperation, UndoneRun
from dashboard.pages.bulk.run import Item, Run, UndoneWrite
from dashboard.pages.writes.destruction import undo_destroys

CLOCK_SKEW = 60.0
"""Seconds by which the clocks of the process that ran it and of the one that recorded it may differ."""


def undo_operation(run: Run, order: BulkOperation, now: float) -> BulkOperation:
    """The reverse of a run that has ended by `now`."""
    undo = UndoneRun(
        run.key,
        "creation" if order.creates else "deletion" if order.deletes else "change",
        begun_at=run.made - CLOCK_SKEW,
        ended_at=now,
        may_destroy=order.creates
        or (not order.deletes and (
            order.undo.may_destroy if order.undo is not None else undo_destroys(run.resource.key, order.requested_patch)
        )),
    )  # fmt: skip
    return BulkOperation("undo", None, undo=undo)


def undo_items(items: Iterable[Item]) -> tuple[Item, ...]:
    """The written objects of a run, waiting for their undo."""
    return tuple(
        Item(
            item.namespace,
            item.name,
            item.uid,
            undone=UndoneWrite(item.uid, item.version, item.stored_version),
        )
        for item in items
        if item.state == "done"
    )
