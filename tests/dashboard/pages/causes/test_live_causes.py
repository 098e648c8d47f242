"""Tests of causes that pages share: computed once for all readers, again after a change, and apart for other rights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
import pytest

from dashboard.access.rights import Rights, Rule
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.objects.kinds.catalog import KINDS, find_builtin_kind
from dashboard.pages.causes.grouped_problems import GroupedProblems, group_problems
from dashboard.pages.causes.live_causes import MIN_INTERVAL, open_causes
from dashboard.pages.incident.family import find_family
from dashboard.pages.incident.views import causes_of
from dashboard.pages.overview.live_overview import open_overview
from tests.dashboard.pages.causes.test_shown_causes import FOLLOWED, PULL, bad, row_of
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.pages.site_without_cluster import Site


class Shared:
    """A hub with a Deployment whose pods cannot pull their image, and the number of computations."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = FakeClock()
        self.feeders = {key: Feeder(key, self.clock) for key in FOLLOWED}
        self.hub = Hub(Feeders(*self.feeders.values()), self.clock)
        self.computed = 0
        self.feeders["deployments.apps"].put(row_of("deployments.apps", "web"))
        self.feeders["replicasets.apps"].put(row_of("replicasets.apps", "web-rs", owner=("Deployment", "web")))
        for number in range(3):
            self.fail(f"web-{number}")

        def counted(*args: Any) -> GroupedProblems:
            self.computed += 1
            return group_problems(*args)

        monkeypatch.setattr("dashboard.pages.causes.live_causes.group_problems", counted)

    def fail(self, name: str) -> None:
        pod = row_of("pods", name, owner=("ReplicaSet", "web-rs"), **bad(PULL, self.clock.time() - 60))
        self.feeders["pods"].put(pod)

    @property
    def words(self) -> list[str]:
        return [cause.words for cause in open_causes(self.hub).found.shown]


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Shared:
    return Shared(monkeypatch)


async def test_any_number_of_readers_costs_one_computation(shared: Shared) -> None:
    for name in ("web-0", "web-1", "web-2") * 10:
        family = await find_family(shared.hub, KINDS["pods"], "shop", name)
        assert [cause.words for cause in causes_of(shared.hub, family).shown] == ["3 pods cannot pull image r/web:1.5"]
        shared.clock.skip(MIN_INTERVAL)
        assert [cause.count for cause in open_overview(shared.hub).causes.shown] == [3]
    assert shared.computed == 1


def test_a_change_shows_and_costs_one_computation_more_however_fast_changes_come(shared: Shared) -> None:
    assert shared.words == ["3 pods cannot pull image r/web:1.5"]
    for number in range(3, 10):
        shared.fail(f"web-{number}")
        assert shared.words == ["3 pods cannot pull image r/web:1.5"]
    shared.clock.skip(MIN_INTERVAL)
    assert shared.words == ["10 pods cannot pull image r/web:1.5"]
    assert shared.computed == 2


def test_changes_of_healthy_objects_that_belong_to_no_problem_cost_nothing(shared: Shared) -> None:
    before = open_causes(shared.hub).found
    for number in range(100):
        shared.clock.skip(MIN_INTERVAL)
        shared.feeders["pods"].put(row_of("pods", f"well-{number}"))
        assert open_causes(shared.hub).found is before
    assert shared.computed == 1


def test_lines_of_the_feed_that_were_lost_are_doubted_at_once(shared: Shared) -> None:
    def doubt() -> str:
        return open_causes(shared.hub).found.shown[0].change_doubt

    begins = doubt()
    assert begins.endswith("before 2027-01-15 08:00:00 UTC are not in the feed.")
    shared.clock.skip(60)
    shared.feeders["deployments.apps"].lose_entries(3)
    shared.feeders["deployments.apps"].put(row_of("deployments.apps", "other"))
    assert doubt().endswith("before 2027-01-15 08:01:00 UTC are not in the feed.")
    assert shared.computed == 1


def test_an_owner_that_comes_or_goes_shows_though_no_problem_has_changed(shared: Shared) -> None:
    def places() -> list[tuple[str, str]]:
        shared.clock.skip(MIN_INTERVAL)
        return [cause.key.place[::2] for cause in open_causes(shared.hub).found.shown]

    assert places() == [("deployments.apps", "web")]
    shared.feeders["deployments.apps"].drop("web-uid")
    assert places() == [("replicasets.apps", "web-rs")]
    shared.feeders["deployments.apps"].put(row_of("deployments.apps", "web"))
    assert places() == [("deployments.apps", "web")]


def test_what_time_alone_makes_unhealthy_shows(shared: Shared) -> None:
    assert len(shared.words) == 1
    since = shared.clock.time() - 299
    waiting = row_of("pods", "slow", status="Pending", tone="warn", reason="pending: no node fits", since=since)
    shared.feeders["pods"].put(waiting)
    shared.clock.skip(1)
    assert len(shared.words) == 1
    shared.hub.tick()
    shared.clock.skip(MIN_INTERVAL)
    assert shared.words[1:] == ["1 pod pending: no node fits"]


def test_causes_in_a_namespace_are_those_of_it_alone(shared: Shared) -> None:
    pod = row_of("pods", "other", namespace="bank", **bad("failed", shared.clock.time(), "Error"))
    shared.feeders["pods"].put(pod)
    bank = [cause.key.place for cause in open_causes(shared.hub, ("bank",)).found.shown]
    assert bank == [("pods", "bank", "other")]
    assert len(shared.words) == 2
    assert open_causes(shared.hub, ("shop", "bank")) is open_causes(shared.hub, ("bank", "shop"))


def test_the_card_of_a_crash_loop_stays_while_its_pod_runs_and_ends_without_a_change(shared: Shared) -> None:
    def card() -> str:
        shared.hub.tick()
        shared.clock.skip(MIN_INTERVAL)
        return next((cause.words for cause in open_causes(shared.hub).found.shown if cause.key.place[2] == "loop"), "")

    now = shared.clock.time()
    shared.feeders["pods"].put(row_of("pods", "loop", **bad("crash loop: main exited 1", now, "CrashLoopBackOff")))
    assert card() == "1 pod in a crash loop: main exited 1"
    runs = msgspec.structs.replace(row_of("pods", "loop", restarts=3, since=now), until=now + 600)
    shared.feeders["pods"].put(runs)
    assert card() == "1 pod restarted 3 times, last at 2027-01-15 08:00:00 UTC, runs now"
    shared.clock.skip(590)
    assert card()
    shared.clock.skip(10)
    assert card() == ""


def test_a_pod_of_a_lost_node_that_is_well_shows_when_it_comes_and_goes(shared: Shared) -> None:
    def words() -> str:
        shared.clock.skip(MIN_INTERVAL)
        return next(each.words for each in open_causes(shared.hub).found.shown if each.key.rule == "node")

    gone: dict[str, Any] = {"status": "NotReady", "tone": "bad", "reason": "silent", "since": shared.clock.time()}
    shared.feeders["nodes"].put(row_of("nodes", "n-1", namespace="", **gone))
    assert words() == "silent"
    shared.feeders["pods"].put(row_of("pods", "well", node="n-1"))
    assert words() == "silent; 1 pod on it"
    shared.feeders["pods"].drop("well-uid")
    assert words() == "silent"


@contextmanager
def hubs_of(site: Site, *namespaces: str) -> Iterator[list[Hub]]:
    """The hubs of people who may see one namespace each."""
    groups = RightsGroups(site.feeds, site.parts.hub, site.clock, find_kind=find_builtin_kind)
    everything = Rule(frozenset("*"), frozenset("*"), frozenset("*"))
    with ExitStack() as stack:
        yield [stack.enter_context(groups.hold(Rights([], {name: [everything]}))).hub for name in namespaces]


async def test_people_of_other_rights_share_nothing_and_people_of_the_same_rights_all() -> None:
    site = Site()
    with hubs_of(site, "shop", "bank", "shop") as (shop, bank, again):
        for namespace in ("shop", "bank"):
            pod = row_of("pods", f"in-{namespace}", namespace=namespace, **bad("failed", site.clock.time(), "Error"))
            site.feeder("pods").put(pod)
        found = {name: open_causes(hub).found for name, hub in (("shop", shop), ("bank", bank))}
        for name, causes in found.items():
            assert [cause.key.place for cause in causes.shown] == [("pods", name, f"in-{name}")]
            assert causes.total == 1
        assert open_causes(again) is open_causes(shop)
        assert len(open_causes(site.parts.hub).found.shown) == 2
        site.feeder("pods").drop("in-shop-uid")
        site.clock.skip(MIN_INTERVAL)
        assert open_causes(bank).found is found["bank"], "what they may not see does not even cost them a computation"
        assert open_causes(shop).found.shown == ()
