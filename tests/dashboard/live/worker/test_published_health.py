"""Tests of a kind's health: the informer's health, limited to what has become rows."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.worker.published_health import (
    BACKLOG_GRACE,
    CATCHING_UP_TEXT,
    MAX_BACKLOG,
    RESUME_GRACE,
    STALL_THRESHOLD,
    PublishedHealth,
)
from informerd.cache.health import Health, State
from tests.support.clock import FakeClock


class Kind:
    """An informer and its handler's registration at once, as the test says."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.said = Health(state="live", since=self.clock.time(), heard=self.clock.time(), listed=20_000)
        self.has_synced = True
        self.depth = 0
        self.oldest_age = 0.0
        self.health_of = PublishedHealth(self, self, self.clock)

    def health(self) -> Health:
        return self.said

    def become(self, state: State) -> None:
        self.said = msgspec.structs.replace(self.said, state=state, since=self.clock.time())

    def wait(self, seconds: float) -> None:
        """Time passes, and each second somebody asks."""
        while seconds > 0:
            self.clock.skip(min(1.0, seconds))
            seconds -= 1.0
            self.health_of()

    @property
    def state(self) -> str:
        return self.health_of().state


@pytest.fixture
def kind() -> Kind:
    return Kind()


def test_it_is_the_informers_own_while_the_handler_keeps_up(kind: Kind) -> None:
    kind.depth = MAX_BACKLOG
    assert kind.health_of() == kind.said


def test_it_is_syncing_until_rows_have_been_made_of_the_first_list(kind: Kind) -> None:
    kind.has_synced, kind.depth = False, 19_900
    health = kind.health_of()
    assert (health.state, health.listed, health.remaining) == ("syncing", 100, 19_900)
    kind.depth = 0
    assert kind.state == "syncing"
    kind.has_synced = True
    assert kind.state == "live"


def test_it_stays_stale_until_rows_have_been_made_of_a_later_list(kind: Kind) -> None:
    assert kind.state == "live"
    kind.become("stale")
    since = kind.health_of().since
    kind.wait(5)
    kind.become("live")
    kind.depth = 20_000
    health = kind.health_of()
    assert (health.state, health.since) == ("stale", since)
    assert health.problem == "20,000 changes have arrived and are not shown yet"
    kind.depth = MAX_BACKLOG
    kind.clock.skip(RESUME_GRACE)
    assert kind.health_of() == kind.said


def test_it_stays_stale_for_a_moment_when_a_watch_is_taken_up_again(kind: Kind) -> None:
    """What was missed is on its way then, and nothing says that all of it has come."""
    assert kind.state == "live"
    kind.become("stale")
    since = kind.health_of().since
    kind.wait(30)
    kind.become("live")
    kind.clock.skip(RESUME_GRACE - 0.01)
    health = kind.health_of()
    assert (health.state, health.since, health.problem) == ("stale", since, CATCHING_UP_TEXT)
    kind.clock.skip(0.01)
    assert kind.health_of() == kind.said


def test_it_stays_stale_until_the_handler_has_seen_what_came_meanwhile(kind: Kind) -> None:
    """Some of a list's changes without the others would be a state that the cluster never had."""
    assert kind.state == "live"
    kind.become("stale")
    assert kind.state == "stale"
    kind.become("live")
    kind.depth = 2
    for _ in range(8):
        kind.clock.skip(0.5)
        kind.oldest_age += 0.5
        assert kind.state == "stale"
    kind.oldest_age = 4.0 - RESUME_GRACE + 0.01
    assert kind.state == "stale"
    kind.oldest_age = 4.0 - RESUME_GRACE - 0.01  # what came before is handled; later changes are as late as any
    assert kind.state == "live"
    kind.oldest_age = 4.0
    assert kind.state == "live"


def test_it_stays_stale_for_a_moment_when_this_process_was_stopped_and_goes_on(kind: Kind) -> None:
    assert kind.state == "live"
    kind.clock.skip(STALL_THRESHOLD)
    assert kind.state == "live"
    stopped = kind.clock.time()
    kind.clock.skip(STALL_THRESHOLD + 1)
    health = kind.health_of()
    assert (health.state, health.since, health.problem) == ("stale", stopped, CATCHING_UP_TEXT)
    kind.clock.skip(RESUME_GRACE)
    assert kind.state == "live"


def test_changes_that_pile_up_are_stale_after_a_moment(kind: Kind) -> None:
    assert kind.state == "live"
    kind.depth = 4 * MAX_BACKLOG
    began = kind.clock.time()
    assert kind.state == "live"
    kind.clock.skip(BACKLOG_GRACE)
    health = kind.health_of()
    assert (health.state, health.since) == ("stale", began)
    kind.depth = 0
    assert kind.state == "live"
    kind.depth = 4 * MAX_BACKLOG
    assert kind.state == "live"


@pytest.mark.parametrize("state", ["starting", "absent", "forbidden", "unreachable", "stale"])
def test_what_else_the_informer_says_is_left_as_it_is(kind: Kind, state: State) -> None:
    kind.has_synced, kind.depth = False, 9 * MAX_BACKLOG
    kind.become(state)
    assert kind.health_of() == kind.said
