"""Builder of the feed's entries: what a row says of a change, with texts that fit into a message."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from dashboard.live.replication.snapshot import PAIR_BYTES
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.feed_entry import Entry, EventSubject, Operation
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.kinds.row_owners import main_owner
from informerd.clock import Clock

MAX_ENTRY_TEXT = 1_000
"""Characters of each text of an entry."""
MAX_ENTRY_PAIRS = 64_000
"""Characters of an entry's labels, and of its fields, with PAIR_BYTES for each; an object may have any number of them.
"""
STEP = 2
"""Microseconds between entries while the clock is behind: with one, rounding could give two entries the same place."""


class EntryTimes:
    """Times of the entries of all kinds of a worker."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = 0

    def next(self) -> tuple[float, int]:
        """Now, in Unix seconds, and by how many microseconds that is behind what orders the entries, see Entry."""
        now = self._clock.time()
        exact = int(now * 1e6)
        self._latest = exact if exact >= self._latest else self._latest + STEP
        return now, self._latest - exact


def build_entry(
    seq: int,
    time: float,
    epoch: str,
    op: Operation,
    row: Row,
    words: str,
    tone: Tone,
    *,
    fields: tuple[tuple[str, str], ...] = (),
    reason: str = "",
    subject: EventSubject | None = None,
    behind: int = 0,
) -> Entry:
    """The entry of a change after which the object's row is `row`, of a deletion before which it was."""
    fitting = _fitting(row.labels.items())
    owner = main_owner(row)
    return Entry(
        seq=seq,
        time=time,
        op=op,
        namespace=row.namespace,
        name=row.name,
        uid=row.uid,
        version=row.version,
        words=limit_text(words, MAX_ENTRY_TEXT),
        tone=tone,
        epoch=epoch,
        status=row.status,
        labels=row.labels if fitting is None else dict(islice(row.labels.items(), fitting)),
        owner=limit_text(f"{owner.kind}/{owner.name}", MAX_ENTRY_TEXT) if owner is not None else "",
        reason=limit_text(reason or row.reason, MAX_ENTRY_TEXT),
        fields=fields[: _fitting(fields)],
        about=subject,
        owner_group=limit_text(owner.group, MAX_ENTRY_TEXT) if owner is not None else "",
        behind=behind,
    )


def _fitting(pairs: Iterable[tuple[str, str]]) -> int | None:
    """How many labels or fields have MAX_ENTRY_PAIRS characters together; None where all do."""
    size = 0
    for number, (name, value) in enumerate(pairs):
        size += PAIR_BYTES + len(name) + len(value)
        if size > MAX_ENTRY_PAIRS:
            return number
    return None
