"""Tests of a kind that a worker follows: columns that change during its first list."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from dashboard.live.replication.publisher import Publisher
from dashboard.live.worker.crd_client import CrdClient
from dashboard.live.worker.first_list_length import ASK_DELAY
from dashboard.live.worker.followed_kind import FollowedKind
from dashboard.objects.kinds.catalog import kind_of_key
from dashboard.objects.kinds.row import PrinterColumn, TableDefinition
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health
from informerd.cache.list_watch import ListWatch
from informerd.resource import Resource
from informerd.rest.discovery import Discovery
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer

DIALS = Resource(group="anykind.example.com", version="v1", plural="dials", kind="Dial", namespaced=False)


class LongList:
    """An informer, its factory and its handler's registration, in the midst of a list of 50,000."""

    has_synced = False
    depth = 0

    def informer(self, *_: object, **__: object) -> LongList:
        return self

    def add_handler(self, _: object) -> LongList:
        return self

    def on_health(self, _: object) -> None:
        return None

    def remove(self) -> None:
        return None

    def health(self) -> Health:
        return Health(state="syncing", since=0, listed=12_400)

    async def count(self, _: Resource, _namespace: str = "") -> int | None:
        return 50_000

    async def drop(self, *_: object) -> None:
        return None


async def test_columns_that_change_during_a_long_first_list_do_not_lose_its_length() -> None:
    clock, listing = FakeClock(), LongList()
    kind = kind_of_key(DIALS.key)
    assert kind is not None
    followed = FollowedKind(
        kind,
        partial(_publisher, clock),
        "1-a",
        cast("SharedInformerFactory", listing),
        cast("Discovery", None),
        cast("CrdClient", None),
        listing.count,
        cast("Any", ListWatch),
        clock,
    )
    followed._watch(DIALS, TableDefinition(namespaced=False))
    await run_ready_tasks()
    await clock.advance(2 * ASK_DELAY)
    first = followed.publisher
    assert first.health().remaining == 37_600
    assert followed._informer is not None
    followed._reshape(followed._informer, TableDefinition(False, (PrinterColumn("Picture", "string", ".spec.image"),)))
    assert followed.publisher is not first
    assert followed.publisher.health().remaining == 37_600
    await followed.stop()


def _publisher(clock: FakeClock, epoch: str) -> Publisher:
    return Publisher(DIALS.key, RecordingLayer(), clock, epoch=epoch)
