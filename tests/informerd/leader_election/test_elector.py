"""Tests of the elector in virtual time: the leader at each moment, with any fault of the lease or the processes."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from informerd.errors import AlreadyExists, InvalidCall, NotLeading, Status
from informerd.leader_election.election_config import Election
from informerd.unstructured import Json
from tests.support.informerd.election_simulation import Process, World


@pytest.fixture
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.fixture
def leader(world: World) -> Process:
    """A process that leads, a minute after its start."""
    leader = world.process("a")
    world.advance(60)
    assert leader.leads
    return leader


def spec(world: World, field: str) -> object:
    assert world.server.lease is not None
    return world.server.lease["spec"][field]


def test_who_creates_the_lease_leads_once_whoever_had_one_before_it_must_have_ended(world: World) -> None:
    process = world.process("a")
    world.advance(1)
    assert (spec(world, "holderIdentity"), process.leads) == ("a", False)
    world.advance(8.9)
    assert not process.leads
    world.advance(0.2)
    assert process.leads


def test_the_lease_says_who_holds_it_since_when_and_for_how_long(world: World, leader: Process) -> None:
    assert world.server.lease is not None
    assert world.server.lease["spec"] == {
        "holderIdentity": "a",
        "leaseDurationSeconds": 15,
        "acquireTime": "2027-01-15T08:00:00.020000Z",
        "renewTime": "2027-01-15T08:00:58.600000Z",
        "leaseTransitions": 0,
    }


def test_it_is_renewed_every_two_seconds(world: World, leader: Process) -> None:
    before = spec(world, "renewTime")
    world.advance(2.1)
    assert spec(world, "renewTime") != before


def test_another_waits_and_says_for_whom(world: World, leader: Process, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    other = world.process("b")
    world.advance(120)
    assert (leader.leads, other.leads) == (True, False)
    said = [record.getMessage() for record in caplog.records if "held by" in record.getMessage()]
    assert len(said) == 1
    assert said[0].startswith("the lease default/lead is held by a since 2027-01-15T08:00:00.020000Z, last renewed at")
    assert said[0].endswith("; b waits for it")


def test_who_is_killed_is_replaced_fifteen_seconds_after_its_last_renewal_was_seen(
    world: World, leader: Process
) -> None:
    other = world.process("b")
    world.advance(10)
    leader.kill()
    world.advance(13)
    assert not other.leads
    world.advance(2 + 4.4 + 2)
    assert other.leads
    assert spec(world, "leaseTransitions") == 1


def test_who_ends_in_order_releases_the_lease_and_the_next_one_need_not_wait_for_its_end(
    world: World, leader: Process
) -> None:
    other = world.process("b")
    world.advance(10)
    task = world.loop.create_task(leader.stop())
    world.advance(0.1)
    assert task.done()
    released = [spec(world, each) for each in ("holderIdentity", "leaseDurationSeconds", "leaseTransitions")]
    assert released == ["", 1, 0]
    world.advance(4.4)
    assert other.leads
    assert spec(world, "leaseTransitions") == 1


def test_who_does_not_hold_the_lease_releases_nothing(world: World, leader: Process) -> None:
    other = world.process("b")
    world.advance(10)
    world.stop(other)
    assert leader.leads
    assert spec(world, "holderIdentity") == "a"


def test_who_is_frozen_leads_no_more_after_ten_seconds_and_knows_it_when_it_wakes(
    world: World, leader: Process
) -> None:
    other = world.process("b")
    world.advance(10)
    leader.freeze()
    world.advance(10.1)
    assert (leader.leads, other.leads) == (False, False)
    world.advance(12)
    assert other.leads
    leader.thaw()
    world.advance(0.1)
    assert leader.lost is not None
    assert str(leader.lost) == "lost the lease default/lead: not renewed for 10 s: this process stood still"
    assert other.leads


def test_who_is_cut_off_tries_for_ten_seconds_and_gives_up_before_another_takes_over(
    world: World, leader: Process
) -> None:
    other = world.process("b")
    world.advance(10)
    leader.cut_off = True
    world.advance(10.1)
    assert leader.lost is not None
    assert "not renewed for 10 s: the lease default/lead was not written within 5 s" in str(leader.lost)
    assert not other.leads
    world.advance(12)
    assert other.leads


def test_an_outage_of_eight_seconds_costs_nobody_the_lease(world: World, leader: Process) -> None:
    other = world.process("b")
    leader.cut_off = other.cut_off = True
    world.advance(6)
    leader.cut_off = other.cut_off = False
    world.advance(30)
    assert (leader.leads, leader.lost, world.led) == (True, None, ["a"])


@pytest.mark.parametrize("seconds", [-86_400.0, 86_400.0])
def test_clocks_that_are_set_change_nothing(world: World, leader: Process, seconds: float) -> None:
    other = world.process("b")
    world.advance(10)
    other.set_clock(seconds)
    leader.set_clock(-seconds)
    world.advance(120)
    assert world.led == ["a"]


def test_a_lease_that_was_deleted_is_made_anew_by_who_leads(world: World, leader: Process) -> None:
    world.process("b")
    world.advance(10)
    world.server.delete()
    world.advance(120)
    assert len(world.led) <= 2
    assert world.leaders


def test_whoever_makes_a_deleted_lease_first_leads_only_when_the_old_leader_must_know(
    world: World, leader: Process
) -> None:
    world.server.delete()
    other = world.process("b")
    world.advance(1)
    assert spec(world, "holderIdentity") == "b"
    assert not other.leads
    world.advance(2)
    assert leader.lost is not None
    assert str(leader.lost) == "lost the lease default/lead: b holds it now"
    world.advance(10)
    assert other.leads


def test_a_lease_given_to_another_by_hand_is_lost_at_once(world: World, leader: Process) -> None:
    world.server.edit(holderIdentity="somebody")
    world.advance(2.1)
    assert str(leader.lost) == "lost the lease default/lead: somebody holds it now"
    with pytest.raises(NotLeading, match="somebody holds it"):
        leader.leadership.guard()


def test_a_lease_whose_holder_was_wiped_out_by_hand_is_free_only_after_its_time(world: World, leader: Process) -> None:
    other = world.process("b")
    world.advance(10)
    world.server.edit(holderIdentity="")
    world.advance(2.1)
    assert "it has no holder" in str(leader.lost)
    world.advance(11)
    assert not other.leads
    world.advance(8)
    assert other.leads


def test_edits_that_leave_the_holder_are_written_over(world: World, leader: Process) -> None:
    world.process("b")
    for _ in range(5):
        world.server.edit(leaseDurationSeconds=1, renewTime="2001-01-01T00:00:00.000000Z")
        world.advance(7)
        world.server.annotate()
        world.advance(7)
    assert world.led == ["a"]
    assert spec(world, "leaseDurationSeconds") == 15
    assert world.server.lease is not None
    assert "note" in world.server.lease["metadata"]["annotations"]


def test_a_shorter_time_written_by_hand_lets_nobody_lead_beside_who_is_cut_off(world: World, leader: Process) -> None:
    other = world.process("b")
    world.advance(10)
    leader.cut_off = True
    world.server.edit(leaseDurationSeconds=1)
    world.advance(8)
    assert (leader.leads, other.leads) == (True, False)
    world.advance(12)
    assert (leader.leads, other.leads) == (False, True)


def test_a_new_process_with_the_identity_of_one_that_leads_waits_too(
    world: World, leader: Process, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    twin = world.process("a")
    world.advance(60)
    assert (leader.leads, twin.leads) == (True, False)
    assert "which is the identity of this process too" in caplog.text


def test_a_lease_whose_answer_got_lost_is_known_as_ones_own(world: World) -> None:
    process = world.process("a")
    answers = iter([False, True])
    process.loses = lambda: next(answers, False)
    world.advance(20)
    assert process.leads
    assert world.server.holders == ["a"]


@pytest.mark.slow
def test_who_may_read_but_never_create_the_lease_keeps_no_more_of_its_tries_for_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(lease: Json) -> Json:
        raise AlreadyExists(Status(code=409, reason="AlreadyExists"))

    monkeypatch.setattr(world.server, "create", refuse)
    process = world.process("a")
    world.advance(3600)
    assert len(process.elector._tenures) == 100


def test_a_write_may_take_as_long_as_nobody_else_can_lead(world: World, leader: Process) -> None:
    leader.freeze()
    left = leader.leadership.seconds_left
    assert 0 < left <= 10
    assert leader.leadership.guard() == left + 5
    world.advance(10)
    with pytest.raises(NotLeading, match="does not hold the lease default/lead"):
        leader.leadership.guard()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_two_never_lead_whatever_happens_and_in_the_end_one_does(seed: int) -> None:
    with World(seed) as world:
        rng = world.rng
        for number in range(3):
            _spoil(world, world.process(f"p{number}"))
        for _ in range(60):
            _happen(world)
            world.advance(rng.choice((0.3, 1, 2, 5, 12, 20)))
        _mend(world)
        for process in world.processes:
            process.latency, process.loses = (lambda: 0.01), (lambda: False)
        world.process("last")
        world.advance(700)  # somebody may have written that the lease lasts ten minutes
        assert world.leaders
        assert len(world.led) > 1


def _spoil(world: World, process: Process) -> None:
    rng = world.rng
    process.latency = lambda: rng.choice((0.001, 0.01, 0.1, 1.0, 3.0)) if rng.random() < 0.9 else 9.0
    process.loses = lambda: rng.random() < 0.05


def _happen(world: World) -> None:
    """One thing that goes wrong, or right again."""
    rng, server = world.rng, world.server
    alive = [each for each in world.processes if each.lost is None]
    process = rng.choice(alive or world.processes)
    what = (
        process.freeze,
        lambda: setattr(process, "cut_off", True),
        lambda: _mend(world),
        lambda: _mend(world),
        lambda: process.set_clock(rng.choice((-3600, -10, 10, 3600))),
        server.delete,
        lambda: server.edit(holderIdentity=rng.choice(("", "somebody", "p0"))),
        lambda: server.edit(leaseDurationSeconds=rng.choice((1, 2, 600)), renewTime="2001-01-01T00:00:00.000000Z"),
        lambda: _replace(world, process),
        lambda: _spoil(world, world.process(f"p{rng.randrange(100)}")) if len(alive) < 2 else None,
    )
    rng.choice(what)()


def _mend(world: World) -> None:
    for process in world.processes:
        process.thaw()
        process.cut_off = False


def _replace(world: World, process: Process) -> None:
    process.kill()
    world.processes.remove(process)
    _spoil(world, world.process(process.election.identity))


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        ({"name": "Not A Name"}, "is not a name for a Lease"),
        ({"name": ""}, "is not a name for a Lease"),
        ({"name": "a", "identity": ""}, "needs an identity"),
        ({"name": "a..b"}, "is not a name for a Lease"),
        ({"name": "a" * 254}, "is not a name for a Lease"),
        ({"name": 5}, "name is a text, not 5"),
        ({"name": "a", "namespace": "My Own"}, "is not a namespace name"),
        ({"name": "a", "identity": 7}, "identity is a text, not 7"),
        ({"name": "a", "lease_duration": "15"}, "lease_duration is a number of seconds, not '15'"),
        ({"name": "a", "retry_period": float("nan")}, "retry_period is a number of seconds, not nan"),
        ({"name": "a", "blocked_limit": 0}, "blocked_limit=0: give seconds"),
        ({"name": "a", "lease_duration": 10}, "must be longer than renew_deadline"),
        ({"name": "a", "lease_duration": 0}, "at least one"),
        ({"name": "a", "lease_duration": 15.5}, "whole seconds"),
        ({"name": "a", "retry_period": 9.0}, "more than 1.2 times retry_period"),
        ({"name": "a", "retry_period": 0.0}, "more than 1.2 times retry_period"),
    ],
)
def test_terms_that_would_let_two_lead_or_none_are_refused(terms: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        Election(**terms)  # type: ignore[arg-type]
