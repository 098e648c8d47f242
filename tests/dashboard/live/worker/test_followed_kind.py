"""A kind that a worker follows: what it says of its first list, whatever its definition does meanwhile."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from dashboard.live.definitions import Definitions
from dashboard.live.expected import PATIENCE
from dashboard.live.followed_kind import FollowedKind
from dashboard.live.messages import Described, Printed
from dashboard.live.publisher import Publisher
from dashboard.resources.kinds import kind_of_key
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health
from informerd.cache.list_watch import ListWatch
from informerd.resource import Resource
from informerd.rest.discovery import Discovery
from tests.clock import FakeClock, settle
from tests.live.fake_layer import RecordingLayer

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

    async def count(self, _: Resource) -> int | None:
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
        cast("Definitions", None),
        listing.count,
        cast("Any", ListWatch),
        clock,
    )
    followed._watch(DIALS, Described(namespaced=False))
    await settle()
    await clock.advance(2 * PATIENCE)
    first = followed.publisher
    assert first.health().remaining == 37_600
    followed._reshape(cast("Any", listing), Described(False, (Printed("Picture", "string", ".spec.image"),)))
    assert followed.publisher is not first
    assert followed.publisher.health().remaining == 37_600
    await followed.stop()


def _publisher(clock: FakeClock, epoch: str) -> Publisher:
    return Publisher(DIALS.key, RecordingLayer(), clock, epoch=epoch)
