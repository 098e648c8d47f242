"""Frames, chunks and feed entries of a scripted worker, which a test hands to a replica."""

from __future__ import annotations

from dashboard.live.replication.messages import (
    Frame,
    SnapshotChunk,
)
from dashboard.live.replication.replica import Replica
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from informerd.cache.health import Health

HEALTH = Health(state="live", since=1.0, heard=2.0)
SYNCING = Health(state="syncing", since=1.0, heard=2.0)


def frame(
    epoch: str, seq: int, *rows: Row, gone: tuple[str, ...] = (), entries: tuple[Entry, ...] = (), sent: float = 0.0
) -> Frame:
    return Frame("pods", epoch, seq, sent or float(seq), HEALTH, rows, gone, entries, (len(rows), 0, len(gone)))


def chunk(
    epoch: str,
    seq: int,
    *rows: Row,
    index: int = 0,
    total: int = 1,
    entries: tuple[Entry, ...] = (),
    health: Health = HEALTH,
) -> SnapshotChunk:
    return SnapshotChunk("pods", epoch, seq, f"{epoch}.1", index, total, health, rows, entries)


def entry(epoch: str, seq: int) -> Entry:
    return Entry(seq, 1.0, "modified", "default", "a", "uid", f"{epoch}.{seq}", f"{epoch}:{seq}", "ok", epoch)


def check_names(replica: Replica) -> None:
    """Each row is found by its name, and nothing else is."""
    rows = replica.rows.values()
    assert all(replica.get(each.namespace, each.name) is each for each in rows)
    assert sum(len(replica.rows_in(name)) for name in {each.namespace for each in rows}) == len(rows)


def names(replica: Replica) -> list[str]:
    check_names(replica)
    return sorted(f"{each.name}={each.version}" for each in replica.rows.values())
