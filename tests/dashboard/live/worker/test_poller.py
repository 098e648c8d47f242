"""Tests of a kind that cannot be watched: it is listed repeatedly, and differences count as changes."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from dashboard.live.replication.publisher import Publisher
from dashboard.live.worker import poller as poller_module
from dashboard.live.worker.poller import POLL_INTERVAL, STEP, Poller, with_identity
from dashboard.live.worker.row_handler import RowHandler
from dashboard.objects.kinds.row import TableDefinition
from dashboard.objects.printers import printer_from_columns
from informerd.cache.list_watch import ListWatch, Page
from informerd.decoding.decoder import Decoder
from informerd.errors import Forbidden, InformerdError, NotFound, Status, Unreachable
from informerd.objects import Object
from informerd.resource import Resource
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer

METRICS = Resource(group="metrics.k8s.io", version="v1beta1", plural="pods", kind="PodMetrics")
GONE = NotFound(Status(code=404, message="no such resource"))
KEY = "pods.metrics.k8s.io"


class Lists(ListWatch[Any]):
    """A list-watch that returns the given objects (JSON without uid and version), or fails."""

    def __init__(self) -> None:
        self.usage: dict[str, str] = {}
        self.error: InformerdError | None = None
        self._decode = Decoder(METRICS, Object).decode_item

    async def page(self, resource_version: str, **_: Any) -> Page[Any]:
        if self.error is not None:
            raise self.error
        bodies = (
            {"metadata": {"name": name, "namespace": "shop"}, "usage": {"cpu": cpu}} for name, cpu in self.usage.items()
        )
        return Page([self._decode(memoryview(msgspec.json.encode(body))) for body in bodies], "")


class Polled:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.publisher = Publisher(KEY, RecordingLayer(), self.clock)
        self.lists = Lists()
        feed = RowHandler(KEY, self.publisher, printer_from_columns(TableDefinition(namespaced=True)))
        self.polling = Poller(self.lists, feed, self.clock, self.publisher.request_frame)

    async def look(self, **usage: str) -> list[tuple[str, str]]:
        """The changes that a list with these objects causes."""
        self.lists.usage, self.lists.error = usage, None
        self.publisher._pending.entries.clear()
        assert await self.polling.list_once()
        return [(entry.op, entry.name) for entry in self.publisher._pending.entries]

    @property
    def names(self) -> set[str]:
        return {row.name for row in self.publisher.rows.values()}


async def test_what_the_first_list_brings_are_rows_and_no_changes() -> None:
    polled = Polled()
    assert polled.polling().state == "syncing"
    assert await polled.look(web="1", db="2") == []
    assert polled.names == {"web", "db"}
    assert (polled.polling().state, polled.polling().polled) == ("live", POLL_INTERVAL)


async def test_later_lists_are_told_as_what_differs() -> None:
    polled = Polled()
    await polled.look(web="1", db="2", job="3")
    uids = {row.name: uid for uid, row in polled.publisher.rows.items()}
    assert await polled.look(web="1", db="5", new="1") == [("deleted", "job"), ("modified", "db"), ("added", "new")]
    assert polled.names == {"web", "db", "new"}
    assert {row.name: uid for uid, row in polled.publisher.rows.items()}.items() >= {
        ("web", uids["web"]),
        ("db", uids["db"]),
    }
    assert await polled.look(web="1", db="5", new="1") == []


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (Forbidden(Status(code=403, message="not you")), "forbidden"),
        (Unreachable("nobody there"), "unreachable"),
        (GONE, "absent"),
    ],
)
async def test_before_the_first_list_the_state_says_why_there_is_none(error: InformerdError, state: str) -> None:
    polled = Polled()
    polled.lists.error = error
    assert not await polled.polling.list_once()
    health = polled.polling()
    assert (health.state, health.problem) == (state, str(error))
    assert health.retry_at is not None


async def test_after_a_list_that_fails_rows_stay_and_are_stale_until_one_succeeds() -> None:
    polled = Polled()
    await polled.look(web="1")
    heard = polled.polling().heard
    polled.clock.skip(POLL_INTERVAL)
    polled.lists.error = Unreachable("nobody there")
    await polled.polling.list_once()
    assert (polled.polling().state, polled.polling().heard, polled.names) == ("stale", heard, {"web"})
    await polled.look(web="1")
    assert polled.polling().state == "live"


async def test_a_kind_that_is_no_more_is_absent_and_its_objects_are_not_told_as_deleted() -> None:
    polled = Polled()
    await polled.look(web="1", api="1")
    polled.lists.error = GONE
    await polled.polling.list_once()
    assert (polled.polling().state, polled.names) == ("absent", {"web", "api"})
    polled.lists.error = None
    await polled.look(api="1")
    assert (polled.polling().state, polled.names) == ("live", {"api"})


async def test_others_have_a_turn_between_few_objects_whether_they_are_there_or_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done, turns = 0, [0]

    def count(obj: Object) -> Object:
        nonlocal done
        done += 1
        return with_identity(obj)

    async def look_on() -> None:
        while True:
            turns.append(done)
            await asyncio.sleep(0)

    polled = Polled()
    monkeypatch.setattr(poller_module, "with_identity", count)
    on_delete = polled.polling._feed.on_delete
    monkeypatch.setattr(polled.polling._feed, "on_delete", lambda obj, **known: on_delete(count(obj), **known))
    others = asyncio.create_task(look_on())
    await polled.look(**{f"p-{number}": "1" for number in range(5 * STEP)})
    await polled.look()
    turns.append(done)
    others.cancel()
    assert done == 10 * STEP
    assert max(later - sooner for sooner, later in pairwise(turns)) <= STEP
    assert polled.names == set()
