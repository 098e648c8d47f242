"""Tests of the object counts' collector: which kinds are counted, how often, for whom, and API server refusals."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from dashboard.live.object_counts.collector import (
    ANNOUNCE_INTERVAL,
    COUNT_INTERVAL,
    COUNT_PAUSE,
    DISCOVERY_INTERVAL,
    REQUEST_TTL,
    ObjectCountsCollector,
)
from dashboard.live.object_counts.messages import ObjectCounts, object_counts_decoder
from dashboard.live.replication.channel_layer import ChannelLayerHealth
from informerd.errors import Forbidden, Status, Unreachable
from informerd.resource import Resource
from informerd.rest.response import Response
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer

READ = frozenset({"get", "list", "watch"})


def resource(plural: str, group: str = "", verbs: frozenset[str] = READ) -> Resource:
    return Resource(group=group, version="v1", plural=plural, kind=plural.capitalize(), verbs=verbs)


class Api:
    """Discovery and client of an API server with so many objects of each kind."""

    def __init__(self, **numbers: Any) -> None:
        self.numbers = numbers
        self.asked: Counter[str] = Counter()
        self.params: list[Any] = []
        self.named = 0
        self.found: list[Resource] = [resource(plural) for plural in numbers]

    def invalidate(self) -> None:
        pass

    async def resources(self) -> tuple[Resource, ...]:
        self.named += 1
        return tuple(self.found)

    async def list(
        self, resource: Resource, namespace: str = "", params: Any = None, *, headers: Any = None
    ) -> Response:
        self.asked[resource.plural] += 1
        self.params.append(params)
        number = self.numbers[resource.plural]
        if isinstance(number, Exception):
            raise number
        more = {"continue": "x", "remainingItemCount": number - 1} if number and number > 1 else {}
        if number is None:
            more = {"continue": "x"}
        return Response(
            200, msgspec.json.encode({"metadata": more, "items": [{}] * min(1, 1 if number is None else number)})
        )


class Taking:
    def __init__(self, api: Api, *followed: str) -> None:
        self.clock = FakeClock()
        self.layer = RecordingLayer()
        self.api = api
        self.taker = ObjectCountsCollector(
            api, api, self.layer, self.clock, epoch="1", is_followed=followed.__contains__,
            layer_health=ChannelLayerHealth()
        )  # fmt: skip

    async def turn(self, seconds: float = 1.0) -> None:
        """That much later the taker has its turn; its pauses take no time."""
        self.clock.skip(seconds)

        async def pass_by(_: float) -> None:
            self.clock.skip(COUNT_PAUSE)

        self.clock.sleep = pass_by  # type: ignore[method-assign, assignment]
        await self.taker.run_due()

    @property
    def census(self) -> ObjectCounts:
        found: ObjectCounts = object_counts_decoder.decode(self.layer.sent[-1][1]["data"])
        return found

    def count(self, plural: str) -> Any:
        return next(each for each in self.census.kinds if each.resource.plural == plural)


async def test_kinds_are_named_without_anybody_and_nothing_is_counted() -> None:
    taking = Taking(Api(leases=3, secrets=2))
    await taking.turn()
    assert [each.resource.plural for each in taking.census.kinds] == ["leases", "secrets"]
    assert taking.api.asked == {}


async def test_while_somebody_looks_each_kind_is_counted_once_a_minute_with_one_object_asked_for() -> None:
    taking = Taking(Api(leases=1204, secrets=0, ingresses=1), "pods")
    taking.taker.request_counts()
    for _ in range(50):
        await taking.turn()
    assert taking.api.asked == {"leases": 1, "secrets": 1, "ingresses": 1}
    assert taking.api.params[0] == {"limit": "1"}
    assert [taking.count(name).count for name in ("leases", "secrets", "ingresses")] == [1204, 0, 1]
    assert taking.count("leases").counted_at <= taking.clock.time() - 49
    taking.taker.request_counts()
    for _ in range(int(COUNT_INTERVAL) - 50 + 2):
        await taking.turn()
    assert set(taking.api.asked.values()) == {2}


async def test_what_is_followed_is_not_counted_and_what_cannot_be_listed_is_not_named() -> None:
    api = Api(pods=5, leases=1)
    api.found.append(resource("tokenreviews", verbs=frozenset({"create"})))
    taking = Taking(api, "pods")
    taking.taker.request_counts()
    await taking.turn()
    assert api.asked == {"leases": 1}
    assert [each.resource.plural for each in taking.census.kinds] == ["pods", "leases"]


async def test_when_nobody_looks_any_more_counting_ends() -> None:
    taking = Taking(Api(leases=1))
    taking.taker.request_counts()
    await taking.turn()
    for _ in range(5):
        await taking.turn(REQUEST_TTL)
    assert taking.api.asked == {"leases": 1}


async def test_what_is_forbidden_has_its_reason_and_keeps_nobody_from_being_counted() -> None:
    taking = Taking(Api(secrets=Forbidden(Status(code=403, message="secrets is forbidden: you may not")), leases=7))
    taking.taker.request_counts()
    await taking.turn()
    secrets = taking.count("secrets")
    assert (secrets.count, secrets.counted_at) == (None, None)
    assert "you may not" in secrets.problem
    assert taking.count("leases").count == 7


async def test_a_count_that_cannot_be_made_anew_keeps_its_date() -> None:
    taking = Taking(Api(leases=7))
    taking.taker.request_counts()
    await taking.turn()
    before = taking.count("leases")
    taking.api.numbers["leases"] = Forbidden(Status(code=403, message="no more"))
    taking.taker.request_counts()
    await taking.turn(COUNT_INTERVAL)
    after = taking.count("leases")
    assert (after.count, after.counted_at) == (before.count, before.counted_at)
    assert after.problem


async def test_an_api_server_that_is_silent_is_asked_no_further_in_that_turn() -> None:
    taking = Taking(Api(leases=Unreachable("nobody there"), secrets=1))
    taking.taker.request_counts()
    await taking.turn()
    assert taking.api.asked == {"leases": 1}


async def test_one_that_does_not_say_how_many_remain_is_not_guessed() -> None:
    taking = Taking(Api(leases=None))
    taking.taker.request_counts()
    await taking.turn()
    assert taking.count("leases").count is None
    assert taking.count("leases").counted_at is not None


@pytest.mark.parametrize(("looks", "within"), [(True, DISCOVERY_INTERVAL), (False, COUNT_INTERVAL)])
async def test_a_definition_that_is_new_or_gone_is_named_sooner_while_somebody_looks(
    looks: bool, within: float
) -> None:
    taking = Taking(Api(leases=1))
    if looks:
        taking.taker.request_counts()
    await taking.turn()
    taking.api.found = [resource("gadgets", "example.com")]
    taking.api.numbers["gadgets"] = 4
    await taking.turn(within - 1)
    assert [each.resource.plural for each in taking.census.kinds] == ["leases"]
    await taking.turn()
    assert [each.resource.plural for each in taking.census.kinds] == ["gadgets"]
    assert taking.count("gadgets").count == (4 if looks else None)


async def test_discovery_that_fails_leaves_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    taking = Taking(Api(leases=1))
    await taking.turn()

    async def fails() -> tuple[Resource, ...]:
        raise Unreachable("nobody there")

    monkeypatch.setattr(taking.api, "resources", fails)
    await taking.turn(COUNT_INTERVAL)
    assert [each.resource.plural for each in taking.census.kinds] == ["leases"]


async def test_the_whole_is_said_again_so_that_a_lost_word_is_made_good() -> None:
    taking = Taking(Api(leases=1))
    await taking.turn()
    said = len(taking.layer.sent)
    await taking.turn()
    assert len(taking.layer.sent) == said
    await taking.turn(ANNOUNCE_INTERVAL)
    assert len(taking.layer.sent) == said + 1
