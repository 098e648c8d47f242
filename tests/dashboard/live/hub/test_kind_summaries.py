"""Tests of kind summaries: the problems of a kind, and when they are computed again."""

from __future__ import annotations

import random

import msgspec
import pytest

from dashboard.live.hub import kind_summaries
from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.row import Row, Tone
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import pod

NOW = 1.8e9


def slow(version: int) -> Row:
    return msgspec.structs.replace(pod("slow", version=version, status="Pending", tone="busy"), since=NOW)


def waiting(version: int) -> Change:
    return Change(rows=[(slow(version - 1) if version > 1 else None, slow(version))])


def test_a_row_that_is_updated_while_it_waits_is_noted_once() -> None:
    summary = KindSummary("pods")
    for version in range(1, 100):
        summary.apply(waiting(version), NOW + version / 10)
    assert len(summary._due) == 1
    assert not summary.pass_time(NOW + 299)
    assert summary.pass_time(NOW + 301)
    assert list(summary.unhealthy_rows) == ["uid-default-slow"]


def test_what_goes_or_recovers_while_it_waits_never_becomes_wrong() -> None:
    summary = KindSummary("pods")
    summary.apply(waiting(1), NOW)
    summary.apply(Change(rows=[(slow(1), None)]), NOW + 1)
    assert not summary.pass_time(NOW + 400)
    summary.apply(waiting(1), NOW + 1)
    summary.apply(Change(rows=[(slow(1), pod("slow"))]), NOW + 2)
    assert not summary.pass_time(NOW + 400)
    assert summary.unhealthy_rows == {}
    assert len(summary._due) == 0


@pytest.mark.parametrize("seed", range(20))
def test_whatever_comes_and_goes_order_and_counts_are_those_of_a_fresh_count(seed: int) -> None:
    chance, now = random.Random(seed), NOW
    summary, rows = KindSummary("pods"), dict[str, Row]()
    for version in range(300):
        now += chance.choice([0, 1, 100])
        name = f"pod-{chance.randrange(12)}"
        old = rows.pop(name, None)
        new = None
        if chance.random() < 0.7:
            made = pod(name, namespace=f"team-{chance.randrange(3)}", uid=name, version=version,
                       status=chance.choice("AB"), tone=chance.choice(["ok", "busy", "bad"]))  # fmt: skip
            new = rows[name] = msgspec.structs.replace(made, since=chance.choice([None, now, now - 250, now - 500]))
        summary.apply(Change(rows=[(old, new)]), now)
        summary.pass_time(now)
        fresh = KindSummary("pods")
        fresh.fill(rows.values(), now)
        assert summary.worst_first == fresh.worst_first == sorted(fresh.worst_first)
        assert {uid for _, _, uid in summary.worst_first} == set(summary.unhealthy_rows)
        assert summary.group_counts == fresh.group_counts
        assert sum(summary.group_counts.values()) == len(summary.unhealthy_rows)
        assert {space: +tones for space, tones in summary.tones_in.items()} == fresh.tones_in


@pytest.mark.parametrize("seed", range(20))
def test_a_count_in_steps_while_rows_change_is_a_fresh_count(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind_summaries, "COUNTED_IN_STEP", 1)
    chance, clock = random.Random(seed), FakeClock()
    now = clock.time()

    def made(name: str, version: int) -> Row:
        status = chance.choice("AB")
        tone: Tone = chance.choice(["ok", "busy", "bad"])
        row = pod(name, namespace=f"team-{chance.randrange(3)}", uid=name, version=version, status=status, tone=tone)
        return msgspec.structs.replace(row, since=chance.choice([None, now, now - 500]))

    rows = {name: made(name, 0) for name in (f"pod-{number}" for number in range(20))}
    summary = KindSummary("pods")
    work = summary.fill_in_steps(rows, list(rows), clock)
    next(work)
    for version in range(1, 40):
        name = f"pod-{chance.randrange(25)}"
        old, new = rows.pop(name, None), None
        if chance.random() < 0.7:
            new = rows[name] = made(name, version)
        summary.apply(Change(rows=[(old, new)]), now)
        if chance.random() < 0.4:
            next(work, None)
    for _ in work:
        pass
    fresh = KindSummary("pods")
    fresh.fill(rows.values(), now)
    assert summary.worst_first == fresh.worst_first
    assert summary.group_counts == fresh.group_counts
    assert +summary.tones == fresh.tones
    assert {space: +tones for space, tones in summary.tones_in.items()} == fresh.tones_in


def test_a_crash_loop_that_runs_now_keeps_its_place_is_not_counted_as_wrong_and_ends_by_itself() -> None:
    summary = KindSummary("pods")
    loop = msgspec.structs.replace(pod("loop", status="CrashLoopBackOff", tone="bad"), since=NOW)
    runs = msgspec.structs.replace(pod("loop", version=2), since=NOW, until=NOW + 610)
    waits = msgspec.structs.replace(pod("waits", status="Pending", tone="warn"), since=NOW - 900)
    summary.apply(Change(rows=[(None, loop), (None, waits)]), NOW + 1)
    assert summary.count_wrong() == {"bad": 1, "warn": 1}
    before = [uid for *_, uid in summary.worst_first]
    summary.apply(Change(rows=[(loop, runs)]), NOW + 10)
    assert [uid for *_, uid in summary.worst_first] == before
    assert (summary.count_wrong(), summary.count_wrong(("other",))) == ({"warn": 1}, {})
    assert not summary.pass_time(NOW + 609)
    assert summary.pass_time(NOW + 610)
    assert list(summary.unhealthy_rows) == ["uid-default-waits"]
